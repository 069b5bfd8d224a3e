"""Claims on a discard and on a 补杠: who is asked what, and how the answers are resolved (Rule 2).

A question depends only on what its seat can know. 胡 comes before 杠 and 碰; all who choose 胡 win. A claim
is settled as soon as no open answer can beat or join it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.face import Action
from engine.kawuxing.actions import GANG_MING, HU, PASS, PENG
from engine.kawuxing.fans import Moment
from engine.kawuxing.melds import BU, MING, Laid
from engine.kawuxing.melds import PENG as PONG
from engine.kawuxing.reveal import kong_keeps
from engine.kawuxing.state import CLAIM, DRAWN, PONGED, ROBBING, TURN
from engine.kawuxing.winning import claim_moment, may_claim_hu
from engine.mahjong.tiles import FIELD, ONE, POW, SHIFT

if TYPE_CHECKING:
    from engine.kawuxing.position import Position


def moment(position: Position) -> Moment:
    """Return how the tile on offer is won."""
    return claim_moment(position)


def open_discard(position: Position, source: int, tile: int) -> None:
    """Offer a discard to the two other seats."""
    rules = position.rules
    position.phase = CLAIM
    position.answers = [None, None, None]
    shift, power = SHIFT[tile], POW[tile]
    wall_left = position.end_at - position.at
    hu_seats: tuple[int, ...] = ()
    offers: list[tuple[int, list[Action]]] = []
    for seat in ((source + 1) % 3, (source + 2) % 3):
        count = (position.hands[seat] >> shift & FIELD) // power % 5
        reveal = position.revealed[seat]
        actions: list[Action] = []
        wins = may_claim_hu(position, seat, tile, source)
        if count == 3 and wall_left and may_take_kong(position, seat, tile):
            actions.append(GANG_MING[tile])
        if wins:
            actions.append(HU)
            hu_seats += (seat,)
        if count >= 2 and reveal is None and (wall_left or rules.claim_last == "hu_pong"):
            actions += [PASS, PENG]
        elif actions:
            actions.append(PASS)
        if not actions:
            continue
        if reveal is not None:
            if wins and rules.reveal_auto_hu:
                position.answers[seat] = HU
                continue
            if rules.sha_ma and not wins and tile not in reveal.kou:
                position.answers[seat] = GANG_MING[tile]
                continue
        offers.append((seat, actions))
    position.hu_seats = hu_seats
    for seat, actions in offers:
        position.ask(seat, tuple(actions))
    resolve(position)


def may_take_kong(position: Position, seat: int, tile: int) -> bool:
    """Return whether a seat that holds three may take the discard for a 直杠 (Rule 7 once it is revealed)."""
    reveal = position.revealed[seat]
    if reveal is None:
        return True
    rules = position.rules
    if rules.reveal_no_claim and tile not in reveal.kou:
        return False
    return kong_keeps(rules, position.hands[seat], position.melds[seat], reveal.waits, MING, tile) != 0


def open_rob(position: Position, source: int, tile: int) -> None:
    """Offer the tile of a 补杠 to those who can win it (抢杠胡)."""
    position.phase = ROBBING
    position.answers = [None, None, None]
    others = ((source + 1) % 3, (source + 2) % 3)
    hu_seats = tuple([seat for seat in others if may_claim_hu(position, seat, tile, source)])
    position.hu_seats = hu_seats
    for seat in hu_seats:
        if position.revealed[seat] is not None and position.rules.reveal_auto_hu:
            position.answers[seat] = HU
        else:
            position.ask(seat, (HU, PASS))
    resolve(position)


def resolve(position: Position) -> None:
    """Settle the open claim as far as the answers go."""
    asked, answers = position.asked, position.answers
    assert position.shown is not None, "a claim is for a tile"
    tile, source, _ = position.shown
    for seat in position.hu_seats:
        if asked[seat] is not None:
            return
    winners = tuple([seat for seat in (0, 1, 2) if answers[seat] == HU])
    if winners:
        position.withdraw()
        position.win(winners, moment(position).how, source, tile)
        return
    if position.phase == ROBBING:
        melds = position.melds[source]
        melds[melds.index(Laid(PONG, tile))] = Laid(BU, tile)
        position.stand(source, BU, tile, source)
        return
    for seat in (0, 1, 2):
        if asked[seat] is not None:
            return
    for seat in (0, 1, 2):
        answer = answers[seat]
        if answer == PENG:
            take_pong(position, seat, tile)
            return
        if answer is not None and answer != PASS:
            position.hands[seat] -= 3 * ONE[tile]
            position.melds[seat].append(Laid(MING, tile))
            position.stand(seat, MING, tile, source)
            return
    position.shown = None
    position.rivers[source].append(tile)
    position.emit("river", source, tile)
    position.draw((source + 1) % 3, DRAWN)


def take_pong(position: Position, seat: int, tile: int) -> None:
    """Take the discard with two tiles of the hand; the seat goes on without drawing."""
    if (position.hands[seat] >> SHIFT[tile] & FIELD) // POW[tile] % 5 == 3:
        position.abandoned[seat] |= 1 << tile
    position.hands[seat] -= 2 * ONE[tile]
    position.melds[seat].append(Laid(PONG, tile))
    position.shown = None
    position.touched = True
    position.phase, position.turn, position.drawn, position.after = TURN, seat, -1, PONGED
    position.emit("peng", seat, tile)
    position.ask_turn(seat)

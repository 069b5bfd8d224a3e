"""Claims on a discard and on a 补杠: who is asked what, and how the answers are resolved (Rule 2).

A question depends only on what its seat can know. 胡 comes before 杠 and 碰, these before 吃. A claim is
settled as soon as no open answer can beat or join it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.face import Action
from engine.mahjong.tiles import FIELD, ONE, POW, SHIFT, SUIT
from engine.qinghunpeng.actions import GANG_MING, HU, MEANING, PASS, PENG, runs
from engine.qinghunpeng.melds import BU, CHI, MING, Laid, keeps_pattern
from engine.qinghunpeng.melds import PENG as PONG
from engine.qinghunpeng.state import CLAIM, DRAWN, ROBBING
from engine.qinghunpeng.winning import may_claim_hu

if TYPE_CHECKING:
    from engine.qinghunpeng.position import Position


def open_discard(position: Position, source: int, tile: int) -> None:
    """Offer a discard to the three other seats."""
    position.phase = CLAIM
    position.answers = [None, None, None, None]
    shift, power = SHIFT[tile], POW[tile]
    free = position.end_at - position.at > position.last_at
    locked = position.rules.claim_lock
    hu_seats: tuple[int, ...] = ()
    offers: list[tuple[int, tuple[Action, ...]]] = []
    following = (source + 1) & 3
    for seat in (following, (source + 2) & 3, (source + 3) & 3):
        content = position.hands[seat] >> shift & FIELD
        actions: tuple[Action, ...] = ()
        pongs: tuple[Action, ...] = ()
        if free:
            if seat == following and SUIT[tile] < 3:
                actions = runs(content, tile)
                if actions and locked and not keeps_pattern(position.melds[seat], CHI, tile):
                    actions = ()
            count = content // power % 5
            if count >= 2 and not (locked and not keeps_pattern(position.melds[seat], PONG, tile)):
                pongs = (PENG,)
                if count == 3:
                    actions += (GANG_MING[tile],)
        if may_claim_hu(position, seat, tile):
            actions += (HU,)
            hu_seats += (seat,)
        if actions or pongs:
            offers.append((seat, (*actions, PASS, *pongs)))
    position.hu_seats = hu_seats
    for seat, actions in offers:
        position.ask(seat, actions)
    resolve(position)


def open_rob(position: Position, source: int, tile: int) -> None:
    """Offer the tile of a 补杠 to those who can win it (抢杠)."""
    position.phase = ROBBING
    position.answers = [None, None, None, None]
    others = ((source + 1) & 3, (source + 2) & 3, (source + 3) & 3)
    position.hu_seats = tuple([seat for seat in others if may_claim_hu(position, seat, tile)])
    for seat in position.hu_seats:
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
        if answers[seat] == HU and position.rules.head_bump:
            _win(position, (seat,), source, tile)
            return
    winners = tuple([seat for seat in (0, 1, 2, 3) if answers[seat] == HU])
    if winners:
        _win(position, winners, source, tile)
        return
    if position.phase == ROBBING:
        melds = position.melds[source]
        at = next(at for at, meld in enumerate(melds) if meld.kind == PONG and meld.tile == tile)
        melds[at] = Laid(BU, tile, melds[at].source)
        position.stand(source, BU, tile)
        return
    chooser = -1
    for seat in (0, 1, 2, 3):
        open_question = asked[seat]
        if open_question is not None and PENG in open_question:
            return
        answer = answers[seat]
        if answer is not None and answer != PASS:
            kind = MEANING[answer][0]
            if kind != CHI:
                position.withdraw()
                _take_same(position, seat, tile, source, kind)
                return
            chooser = seat
    if chooser < 0:
        if any(question is not None for question in asked):
            return
        position.shown = None
        position.rivers[source].append(tile)
        position.emit("river", source, tile)
        position.draw((source + 1) & 3, DRAWN)
        return
    _take_run(position, chooser, tile, source)


def _win(position: Position, seats: tuple[int, ...], source: int, tile: int) -> None:
    position.withdraw()
    position.win(seats, source, tile)


def _take_same(position: Position, seat: int, tile: int, source: int, kind: str) -> None:
    """Take the discard for a pong or a kong."""
    if kind == MING:
        position.hands[seat] -= 3 * ONE[tile]
        position.melds[seat].append(Laid(MING, tile, source))
        position.stand(seat, MING, tile, source)
        return
    position.hands[seat] -= 2 * ONE[tile]
    position.melds[seat].append(Laid(PONG, tile, source))
    position.emit("peng", seat, tile, source)
    position.go_on(seat, tile)


def _take_run(position: Position, seat: int, tile: int, source: int) -> None:
    """Take the discard for a run; the seat goes on without drawing."""
    answer = position.answers[seat]
    assert answer is not None, "the seat has chosen"
    low = MEANING[answer][1]
    for part in (low, low + 1, low + 2):
        if part != tile:
            position.hands[seat] -= ONE[part]
            position.quads[seat] &= ~(1 << part)
    position.melds[seat].append(Laid(CHI, low, source))
    position.emit("chi", seat, low, source, tile)
    position.go_on(seat, tile)

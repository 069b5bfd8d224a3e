"""A position that a view allows: the hidden tiles dealt again by chance, everything known kept.

What a view does not tell (how the seat whose turn it is came to act, whether a kong chain runs) is taken to
be the usual case, unless the open question says otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, product
from typing import Final

from engine.face import Rng
from engine.kawuxing import claims
from engine.kawuxing.actions import HU, PIAO
from engine.kawuxing.fans import own_copies, waits_of
from engine.kawuxing.hard_policy import outs
from engine.kawuxing.melds import KONGS
from engine.kawuxing.normal_sight import unseen
from engine.kawuxing.position import Position
from engine.kawuxing.reveal import keeps_waits
from engine.kawuxing.settle import SEATS
from engine.kawuxing.state import CLAIM, DEALT, DRAWN, KONGED, PONGED, ROBBING, STAKING, TURN, Reveal
from engine.kawuxing.view import Revealed, View
from engine.kawuxing.winning import may_claim_hu, may_self_draw
from engine.mahjong.tiles import ONE, counts, distinct

WALL_AT_FIRST: Final = 44
"""Tiles of the wall when the dealer has drawn his fourteenth."""

TURNS_MAX: Final = 8
"""A hidden seat is dealt tiles at random and then draws and discards as often as it has discarded, at most
so many times: who has played for a while no longer holds tiles at random."""

SILENT: Final = 12
"""One hidden hand in so many that would be ready is let be; the others would have been revealed."""

Kou = tuple[int, ...]


def guess(view: View, rng: Rng) -> Position:
    """Return a position whose view for the seat of the view is the view itself.

    Args:
        view: Of a seat with an open question.
        rng: Deals the hidden tiles.
    """
    seat = view.seat
    assert seat is not None, "a spectator has no question"
    assert view.legal, "only a seat that is asked guesses"
    if view.piao[seat] < 0 and PIAO[0] in view.legal:
        return _before_the_deal(view, seat, rng)
    left = unseen(view)
    kou = _guess_kou(view, seat, left, rng)
    for tiles in kou:
        for tile in tiles:
            left[tile] -= 3
    pool = _shuffled_pool(left, rng)
    hands = [view.hand] * SEATS
    # Revealed hands are known now; the seat that has drawn longer has the first choice of what is left.
    for other in sorted(range(SEATS), key=lambda at: -len(view.rivers[at])):
        seen = view.revealed[other]
        if other == seat:
            continue
        if seen is not None:
            hands[other] = seen.shown + sum([3 * ONE[tile] for tile in kou[other]])
        else:
            hands[other] = _deal_hand(view, other, pool, rng)
    position = Position(view.rules, pool, view.dealer)
    _fill(position, view, seat, hands, kou)
    if view.shown is None:
        _open_turn(position, view, seat)
        return position
    return _open_claim(position, view, seat)


def _shuffled_pool(left: Sequence[int], rng: Rng) -> list[int]:
    """Return what is left of each tile, in a random order."""
    pool = [tile for tile, count in enumerate(left) for _ in range(count)]
    for last in range(len(pool) - 1, 0, -1):
        at = rng.randrange(last + 1)
        pool[last], pool[at] = pool[at], pool[last]
    return pool


def _deal_hand(view: View, seat: int, pool: list[int], rng: Rng) -> int:
    """Take the hand of a hidden seat from the end of the pool, and let it draw and discard for a while."""
    melds = len(view.melds[seat])
    hand = 0
    for _ in range(view.counts[seat]):
        hand += ONE[pool.pop()]
    if not pool:
        return hand
    for _ in range(min(TURNS_MAX, len(view.rivers[seat]) + melds)):
        at = rng.randrange(len(pool))
        tile = pool[at]
        far, out = outs(hand + ONE[tile], melds)[0]
        if out != tile and (far > 0 or not rng.randrange(SILENT)):
            hand += ONE[tile] - ONE[out]
            pool[at] = out
    return hand


def _before_the_deal(view: View, seat: int, rng: Rng) -> Position:
    """Return the round before anybody has stake or tiles (漂)."""
    position = Position(view.rules, _shuffled_pool(unseen(view), rng), view.dealer)
    position.stake, position.dice, position.phase = view.stake, view.dice, STAKING
    for other in range(SEATS):
        position.ask(other, PIAO[: view.rules.piao_max + 1])
    return position


def _guess_kou(view: View, seat: int, left: list[int], rng: Rng) -> list[Kou]:
    """Return 扣 triplets by seat that fit the waits shown, the own ones as they are."""
    choices: list[list[Kou]] = []
    for other, seen in enumerate(view.revealed):
        if other == seat or seen is None or not seen.hidden:
            choices.append([view.kou if other == seat else ()])
            continue
        triplets = [tile for tile, count in enumerate(left) if count >= 3]
        sets = list(combinations(triplets, seen.hidden))
        fitting = [tiles for tiles in sets if _fits(view, other, seen, tiles)]
        choices.append(fitting or sets)
    joint = [
        kou
        for kou in product(*choices)
        if len(others := [tile for at, tiles in enumerate(kou) if at != seat for tile in tiles])
        == len(set(others))
    ]
    assert joint, "the hidden triplets lie somewhere"
    chosen = list(joint[rng.randrange(len(joint))]) if len(joint) > 1 else list(joint[0])
    # The own triplets are no hidden tiles; the caller takes only what is hidden from this seat.
    chosen[seat] = ()
    return chosen


def _fits(view: View, seat: int, seen: Revealed, tiles: Kou) -> bool:
    """Return whether the shown tiles with these triplets wait for what is shown."""
    melds = view.melds[seat]
    hand = seen.shown + sum([3 * ONE[tile] for tile in tiles])
    if waits_of(hand, melds) != seen.waits or own_copies(hand, melds) & seen.waits:
        return False
    return view.rules.reveal_kong_check != "same_waits" or keeps_waits(hand, melds, seen.waits, tiles)


def _fill(position: Position, view: View, seat: int, hands: list[int], kou: list[Kou]) -> None:
    """Write what is known, and the hands, into a position."""
    position.stake, position.dice = view.stake, view.dice
    position.hands = hands
    position.melds = [list(melds) for melds in view.melds]
    position.rivers = [list(river) for river in view.rivers]
    position.turn = position.last_drawer = view.turn
    position.piao = list(view.piao)
    position.points = list(view.points)
    position.reveal_order = list(view.reveal_order)
    position.passed_tiles[seat], position.passed_fan[seat] = view.passed_tiles, view.passed_fan
    position.touched = any(view.melds)
    for other in range(SEATS):
        seen = view.revealed[other]
        if seen is not None:
            position.revealed[other] = Reveal(view.kou if other == seat else kou[other], seen.waits)
        position.konged[other] = any(meld.kind in KONGS for meld in view.melds[other])
        position.quads[other] = sum([1 << tile for tile, count in counts(hands[other]) if count == 4])


def _open_turn(position: Position, view: View, seat: int) -> None:
    """Ask the seat in its turn what the view says it is asked."""
    position.phase, position.drawn = TURN, view.drawn
    if view.drawn < 0:
        position.after = PONGED
    elif view.wall_left == WALL_AT_FIRST and not position.touched and not any(view.rivers):
        position.after = DEALT
    else:
        position.after = DRAWN
    # A win that counts only as 杠上开花 tells that the tile is a replacement.
    if HU in view.legal and not may_self_draw(position, seat):
        position.after = KONGED
    position.asked[seat] = view.legal


def _open_claim(position: Position, view: View, seat: int) -> Position:
    """Return the position with the tile on offer: the seat is asked, and the third if its hand may claim."""
    assert view.shown is not None, "a claim is for a tile"
    tile, source, kind = view.shown
    position.shown = view.shown
    position.drawn, position.after = -1, DRAWN
    position.phase = CLAIM if kind == "discard" else ROBBING
    if view.rules.bao_exempt_forced and kind == "discard":
        held = distinct(position.hands[source] + ONE[tile])
        danger = position.dangerous(source)
        position.forced = all(danger >> at & 1 for at in held)
    if kind == "discard" and may_claim_hu(position, seat, tile, source) != (HU in view.legal):
        position.after = KONGED
    whole = position.clone()
    (claims.open_discard if kind == "discard" else claims.open_rob)(whole, source, tile)
    if whole.asked[seat] == view.legal:
        return whole
    # The guessed hand of the third seat, or an unusual moment, settles what is still open in truth.
    position.asked[seat] = view.legal
    position.hu_seats = (seat,) if HU in view.legal else ()
    return position

"""A position that a view allows: the hidden tiles dealt again by chance, everything known kept.

What a view does not tell (how the seat whose turn it is came to act) is taken to be the usual case, unless
the open question says otherwise.
"""

from __future__ import annotations

from typing import Final

from engine.face import Rng
from engine.mahjong.tiles import KINDS, ONE, counts, distinct
from engine.qinghunpeng import claims
from engine.qinghunpeng.actions import DISCARD, HU
from engine.qinghunpeng.hard_policy import bare, best_out
from engine.qinghunpeng.position import Position
from engine.qinghunpeng.settle import SEATS
from engine.qinghunpeng.sight import unseen
from engine.qinghunpeng.state import CLAIM, CLAIMED, DEALT, DRAWN, FLOWERED, KONGED, ROBBING, TURN
from engine.qinghunpeng.view import View
from engine.qinghunpeng.winning import may_self_draw

TURNS_MAX: Final = 12
"""A hidden seat is dealt tiles at random and then draws and discards as often as it has discarded, at most
so many times: who has played for a while no longer holds tiles at random."""


def guess(view: View, rng: Rng) -> Position:
    """Return a position whose view for the seat of the view is the view itself.

    Args:
        view: Of a seat with an open question.
        rng: Deals the hidden tiles.
    """
    seat = view.seat
    assert seat is not None, "a spectator has no question"
    assert view.legal, "only a seat that is asked guesses"
    pool = [tile for tile, count in enumerate(unseen(view)) for _ in range(count)]
    for last in range(len(pool) - 1, 0, -1):
        at = rng.randrange(last + 1)
        pool[last], pool[at] = pool[at], pool[last]
    thrown = discarded(view)
    hands, kept = [view.hand] * SEATS, [view.kept] * SEATS
    for other in sorted(range(SEATS), key=lambda at: -thrown[at]):
        if other != seat:
            hands[other], kept[other] = _deal_hand(view, other, pool, thrown[other], rng)
    position = Position(view.rules, pool, view.dealer)
    position.times = view.times
    position.hands, position.kept = hands, kept
    position.melds = [list(melds) for melds in view.melds]
    position.flowers = [list(flowers) for flowers in view.flowers]
    position.rivers = [list(river) for river in view.rivers]
    position.discarded = thrown
    position.turn = view.turn
    position.touched = any(view.melds)
    position.passed[seat] = view.passed
    position.quads = [sum([1 << tile for tile, count in counts(hand) if count == 4]) for hand in hands]
    if view.shown is None:
        _open_turn(position, view, seat)
        return position
    return _open_claim(position, view, seat)


def discarded(view: View) -> list[int]:
    """Return how often each seat has discarded: what lies in its river, what was taken, what is on offer."""
    thrown = [len(river) for river in view.rivers]
    for seat, melds in enumerate(view.melds):
        for meld in melds:
            if meld.source not in (seat, -1):
                thrown[meld.source] += 1
    if view.shown is not None and view.shown[2] == "discard":
        thrown[view.shown[1]] += 1
    return thrown


def _deal_hand(view: View, seat: int, pool: list[int], turns: int, rng: Rng) -> tuple[int, tuple[int, ...]]:
    """Take the hand of a hidden seat from the end of the pool, and let it draw and discard for a while."""
    # Flowers stay in a hand only until the first turn, and only where each replaces them then.
    lazy = view.rules.flowers == "lazy" and not turns and not view.melds[seat]
    may_keep = lazy and seat not in (view.dealer, view.turn)
    melds = bare(view.melds[seat])
    hand, kept, skipped = 0, [], []
    for _ in range(view.counts[seat]):
        tile = pool.pop()
        while tile >= KINDS and not may_keep:
            skipped.append(tile)
            tile = pool.pop()
        if tile >= KINDS:
            kept.append(tile)
        else:
            hand += ONE[tile]
    pool += skipped
    # The tiles that were skipped are as likely to lie anywhere in the wall.
    for number in range(len(skipped)):
        last = len(pool) - 1 - number
        at = rng.randrange(len(pool))
        pool[last], pool[at] = pool[at], pool[last]
    for _ in range(min(TURNS_MAX, turns) if pool else 0):
        at = rng.randrange(len(pool))
        tile = pool[at]
        if tile < KINDS:
            out = best_out(hand + ONE[tile], melds)[1]
            if out != tile:
                hand += ONE[tile] - ONE[out]
                pool[at] = out
    return hand, tuple(sorted(kept))


def _open_turn(position: Position, view: View, seat: int) -> None:
    """Ask the seat in its turn what the view says it is asked."""
    position.phase, position.drawn = TURN, view.drawn
    if view.drawn < 0:
        position.after = CLAIMED
        for tile in distinct(view.hand):
            if DISCARD[tile] not in view.legal:
                position.banned = tile
    else:
        first = seat == view.dealer and not any(position.discarded) and not position.touched
        wins = HU in view.legal
        # A win that counts only on a replacement tells that the tile is one.
        for position.after in (DEALT,) if first else (DRAWN, FLOWERED, KONGED):
            if may_self_draw(position, seat) == wins:
                break
    position.asked[seat] = view.legal


def _open_claim(position: Position, view: View, seat: int) -> Position:
    """Return the position with the tile on offer: the seat is asked, and others if their hands may claim."""
    assert view.shown is not None, "a claim is for a tile"
    tile, source, kind = view.shown
    position.shown = view.shown
    position.drawn = -1
    position.phase = CLAIM if kind == "discard" else ROBBING
    whole = position.clone()
    (claims.open_discard if kind == "discard" else claims.open_rob)(whole, source, tile)
    if whole.asked[seat] == view.legal:
        return whole
    # The guessed hand of another seat settles what is still open in truth.
    position.asked[seat] = view.legal
    position.hu_seats = (seat,) if HU in view.legal else ()
    return position

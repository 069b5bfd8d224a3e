"""What a seat can count in its view: the tiles it has not seen, and how often each seat has discarded."""

from __future__ import annotations

from typing import Final

from engine.mahjong.flowers import FLOWERS
from engine.mahjong.tiles import COPIES, KINDS, counts
from engine.qinghunpeng.view import View

_DECK: Final = (COPIES,) * KINDS + (1,) * len(FLOWERS)


def unseen(view: View) -> list[int]:
    """Return how many copies of each tile the seat has not seen, by tile, the eight flowers last.

    They lie in the wall and in the hands of the others; there are exactly as many as those hold.
    """
    left = list(_DECK)
    for tile, count in counts(view.hand):
        left[tile] -= count
    for tile in view.kept:
        left[tile] -= 1
    for tiles in (*view.rivers, *view.flowers):
        for tile in tiles:
            left[tile] -= 1
    for melds in view.melds:
        for meld in melds:
            for tile in meld.tiles:
                left[tile] -= 1
    if view.shown is not None:
        left[view.shown[0]] -= 1
    return left


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

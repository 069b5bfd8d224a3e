"""What a seat can count in its view: the tiles it has not seen, and those it must not give."""

from __future__ import annotations

from typing import Final

from engine.kawuxing.view import View
from engine.mahjong.tiles import COPIES, KINDS, SUIT, counts

_ZHONG: Final = 31
"""中, the first of the three dragons; the winds are not in play."""


def _deck(suits: str) -> tuple[int, ...]:
    played = {"mps".index(suit) for suit in suits}
    return tuple([COPIES if SUIT[tile] in played or tile >= _ZHONG else 0 for tile in range(KINDS)])


_DECKS: Final = {suits: _deck(suits) for suits in ("ps", "mp", "ms")}
"""Copies of each tile, by the suits of the rules."""


def unseen(view: View) -> list[int]:
    """Return how many copies of each tile the seat has not seen, by tile; 0 of what is not in play."""
    left = list(_DECKS[view.rules.suits])
    for tile, count in counts(view.hand):
        left[tile] -= count
    for river in view.rivers:
        for tile in river:
            left[tile] -= 1
    for melds in view.melds:
        for meld in melds:
            left[meld.tile] -= meld.size
    if view.shown is not None:
        left[view.shown[0]] -= 1
    for seat, seen in enumerate(view.revealed):
        if seen is not None and seat != view.seat:
            for tile, count in counts(seen.shown):
                left[tile] -= count
    return left


def dangers(view: View) -> int:
    """Return the tiles other revealed seats wait for, as bits."""
    mask = 0
    for seat, seen in enumerate(view.revealed):
        if seen is not None and seat != view.seat:
            mask |= seen.waits
    return mask

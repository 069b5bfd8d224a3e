"""A bot of rules of thumb: it collects the suit it has most of, and honours."""

from __future__ import annotations

from typing import Final

from engine.face import Action, Rng
from engine.mahjong.tiles import HONOURS, SUIT, hand_tiles
from engine.qinghunpeng.actions import DISCARD, DISCARDED, HU, MEANING, PASS, PENG
from engine.qinghunpeng.bot import worth
from engine.qinghunpeng.melds import CHI, KONGS
from engine.qinghunpeng.view import View

MELD: Final = 4
"""A meld counts as so many tiles when the suit is chosen; it cannot be given back."""


def easy_bot(view: View, rng: Rng) -> Action:
    """Return an answer by rules of thumb, the first that fits; chance plays no part.

    Win; kong; pong honours and what is of the own suit; take runs of the own suit; discard what is of
    another suit, of it the tile with the fewest neighbours.
    """
    legal = view.legal
    if HU in legal:
        return HU
    suit = own_suit(view)
    if PASS in legal:
        assert view.shown is not None, "a claim is for a tile"
        if SUIT[view.shown[0]] not in (suit, HONOURS):
            return PASS
        claims = [action for action in legal if MEANING[action][0] in KONGS]
        claims += [action for action in legal if action == PENG or MEANING[action][0] == CHI]
        return claims[0] if claims else PASS
    for action in legal:
        kind, tile = MEANING[action]
        if kind in KONGS and SUIT[tile] in (suit, HONOURS):
            return action
    tiles = [DISCARDED[action] for action in legal if action in DISCARDED]
    return DISCARD[
        min(tiles, key=lambda tile: (SUIT[tile] in (suit, HONOURS), worth(view.hand, tile), -tile))
    ]


def own_suit(view: View) -> int:
    """Return the suit of which the seat has most, the first among equals."""
    held = [0] * HONOURS
    for tile in hand_tiles(view.hand):
        if SUIT[tile] < HONOURS:
            held[SUIT[tile]] += 1
    for meld in view.melds[view.seat or 0]:
        if SUIT[meld.tile] < HONOURS:
            held[SUIT[meld.tile]] += MELD
    return held.index(max(held))

"""A bot of rules of thumb: it takes what it is offered, keeps what lies together, and counts nothing."""

from __future__ import annotations

from engine.face import Action, Rng
from engine.kawuxing.actions import DISCARD, DISCARDED, HU, PASS, PENG, PIAO, PLAIN
from engine.kawuxing.bot import worth
from engine.kawuxing.melds import AN, BU, MING
from engine.kawuxing.normal_sight import dangers
from engine.kawuxing.view import View

KONGS = frozenset({AN, BU, MING})


def easy_bot(view: View, rng: Rng) -> Action:
    """Return an answer by rules of thumb, the first that fits; chance plays no part.

    Win; stake nothing; kong; pong but with four pairs or more and no meld; reveal as soon as the hand is
    ready; discard the tile with the fewest neighbours, not one a revealed seat waits for.
    """
    legal = view.legal
    if HU in legal:
        return HU
    if PIAO[0] in legal:
        return PIAO[0]
    for action in legal:
        if PLAIN.get(action, ("", -1))[0] in KONGS:
            return action
    if PASS in legal:
        return PENG if PENG in legal else PASS
    for action in legal:
        if action not in PLAIN:
            return action
    danger = dangers(view)
    tiles = [DISCARDED[action] for action in legal if action in DISCARDED]
    return DISCARD[min(tiles, key=lambda tile: (danger >> tile & 1, worth(view.hand, tile), -tile))]

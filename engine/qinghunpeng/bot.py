"""Players that are functions of a view: the fallback of a seat that does not answer, and the random bot."""

from __future__ import annotations

from engine.face import Action, Rng
from engine.mahjong.tiles import RANK, SUIT, count_of
from engine.qinghunpeng.actions import DISCARD, DISCARDED, PASS
from engine.qinghunpeng.view import View


def worth(hand: int, tile: int) -> int:
    """Return how useful a tile is to its hand; the fallback discards the least.

    4 for each further copy, 2 for each tile next to it, 1 for each tile one farther.
    """
    total = 4 * (count_of(hand, tile) - 1)
    if SUIT[tile] == 3:
        return total
    for step, value in ((-2, 1), (-1, 2), (1, 2), (2, 1)):
        if 0 <= RANK[tile] + step <= 8 and count_of(hand, tile + step):
            total += value
    return total


def fallback(view: View) -> Action:
    """Return what is played for a seat that does not answer: pass, or the due discard.

    The discard is the tile just drawn; after a claim it is the tile of least worth (``worth``), the last in
    the order of tiles among equals.
    """
    legal = view.legal
    if PASS in legal:
        return PASS
    if view.drawn >= 0:
        return DISCARD[view.drawn]
    tiles = [DISCARDED[action] for action in legal if action in DISCARDED]
    return DISCARD[min(tiles, key=lambda tile: (worth(view.hand, tile), -tile))]


def random_bot(view: View, rng: Rng) -> Action:
    """Return any legal action, each with the same chance."""
    return view.legal[rng.randrange(len(view.legal))]

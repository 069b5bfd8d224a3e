"""A bot by rules of thumb: it wins when it can, takes what scores, and discards what fits with least."""

from __future__ import annotations

from engine.face import Action, Rng
from engine.paohuzi.actions import HU, PASS, PENG
from engine.paohuzi.bot import fallback, loose_worth
from engine.paohuzi.cards import ONE, loose_of
from engine.paohuzi.eating import chi_melds
from engine.paohuzi.hu import Laid
from engine.paohuzi.melds import meld_xi
from engine.paohuzi.view import View


def easy_bot(view: View, rng: Rng) -> Action:
    """Return an answer by rules of thumb.

    It takes the claim that scores the most 息; one that scores nothing only if the cards it needs are worth
    less in the hand than the meld.
    """
    legal = view.legal
    if HU in legal:
        return HU
    if PASS not in legal:
        return fallback(view)
    best, best_gain = PASS, 0
    for action in legal:
        if action != PASS:
            gain = _gain(view, action)
            if gain > best_gain:
                best, best_gain = action, gain
    return best


MELD_WORTH = 4
"""What a meld that scores nothing may cost, in the measure of ``loose_worth``; by self-play."""


def _gain(view: View, action: Action) -> int:
    """Return how much a claim scores above what it takes out of the hand."""
    assert view.shown is not None, "a claim is about a shown card"
    card = view.shown[0]
    if action == PENG:
        melds, xi, used = 1, Laid(PENG, (card,) * 3).xi, [card, card]
    else:
        new = chi_melds(action)
        melds, xi = len(new), sum([meld_xi(meld) for meld in new])
        used = [at for meld in new for at in meld]
        used.remove(card)
    left = loose_of(view.hand)
    before = sum([loose_worth(left, at) for at in used])
    for at in used:
        left -= ONE[at]
    return MELD_WORTH * len(used) * melds + 4 * xi - before

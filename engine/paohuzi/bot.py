"""Players that are functions of a view: the fallback of a seat that does not answer, and the bots."""

from __future__ import annotations

from engine.face import Action, Rng
from engine.paohuzi.actions import DISCARDED, PASS
from engine.paohuzi.cards import ONE, distinct, loose_of
from engine.paohuzi.melds import CHI_MELDS
from engine.paohuzi.view import View


def loose_worth(loose: int, card: int) -> int:
    """Return how useful a loose card is to its hand; the fallback discards the least.

    3 for each 吃-type meld with this card that the loose cards hold completely, 1 for each that lacks one
    card, and 2 if the hand holds a second copy. A meld counts once, however many copies there are.
    """
    worth = 2 if loose >> (3 * card) & 7 > 1 else 0
    for meld in CHI_MELDS[card]:
        left = loose
        missing = 0
        for at in meld:
            if left >> (3 * at) & 7:
                left -= ONE[at]
            else:
                missing += 1
        worth += 3 if not missing else 1 if missing == 1 else 0
    return worth


def fallback(view: View) -> Action:
    """Return what is played for a seat that does not answer: pass, or the due discard.

    The discard is the loose card of least worth (``loose_worth``), small before big, low before high (Rule
    12).
    """
    if PASS in view.legal:
        return PASS
    loose = loose_of(view.hand)
    cards = [card for card in distinct(loose) if any(DISCARDED.get(action) == card for action in view.legal)]
    card = min(cards, key=lambda at: (loose_worth(loose, at), at))
    return next(action for action in view.legal if DISCARDED.get(action) == card)


def random_bot(view: View, rng: Rng) -> Action:
    """Return any legal action, each with the same chance."""
    return view.legal[rng.randrange(len(view.legal))]

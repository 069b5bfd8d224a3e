"""What a seat of 跑胡子 waits for, for lessons: by its own view alone."""

from __future__ import annotations

from engine.paohuzi.actions import DISCARDED
from engine.paohuzi.cards import CARD_TEXTS, COPIES, ONE, hand_cards
from engine.paohuzi.hu import Laid
from engine.paohuzi.state import LIANG
from engine.paohuzi.view import View
from engine.paohuzi.waiting import waits
from engine.waits import Wait


def waits_after(view: View, action: str | None) -> tuple[Wait, ...]:
    """Return what the hand waits for as it stands (``None``) or after a discard; else nothing.

    A dead hand waits for nothing. The least 息 of the rules are kept; what was passed (臭胡) is not looked
    at, since it bars a card for a while and not the hand.
    """
    seat = view.seat
    if seat is None or view.dead[seat]:
        return ()
    hand = view.hand
    if action is not None:
        if action not in DISCARDED:
            return ()
        hand -= ONE[DISCARDED[action]]
    laid = [Laid(meld.kind, meld.cards) for meld in view.melds[seat]]
    left = unseen(view)
    rules = view.rules
    return tuple(
        [
            Wait(CARD_TEXTS[card], left[card], xi)
            for card, xi in waits(hand, laid, rules.min_xi, rules.po_pao_hu)
        ]
    )


def unseen(view: View) -> list[int]:
    """Return by card how many copies the seat cannot see."""
    left = [COPIES] * len(CARD_TEXTS)
    for card in hand_cards(view.hand):
        left[card] -= 1
    for cards in (*[meld.cards for melds in view.melds for meld in melds], *view.rivers):
        for card in cards:
            left[card] -= 1
    # The 亮张 is the dealer's, and in his hand once he has it.
    if view.shown is not None and (view.shown[2] != LIANG or view.shown[1] != view.seat):
        left[view.shown[0]] -= 1
    return left


def huxi(view: View) -> int:
    """Return the 息 the seat is sure of."""
    return view.own_xi()

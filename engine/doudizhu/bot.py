"""The fallback of a seat that does not answer, and the simplest bots."""

from __future__ import annotations

from typing import Final

from engine.doudizhu.actions import BIDS, CALL, DOUBLES, NO_CALL, NO_ROB, split_play
from engine.doudizhu.cards import (
    BIG_JOKER,
    RANKS,
    SMALL_JOKER,
    TWO,
    count_of,
    format_cards,
    four_of,
    one_of,
    ranks_of,
    size_of,
)
from engine.doudizhu.plays import book_of
from engine.doudizhu.readings import BOMB, ROCKETS
from engine.doudizhu.rules import wings_of
from engine.doudizhu.tables import PASS, PLAY
from engine.doudizhu.view import View
from engine.face import Action, Rng

QUIET: Final = (PASS, BIDS[0], NO_CALL, NO_ROB, DOUBLES[0])
"""Answers that commit to nothing."""


def fallback(view: View) -> Action:
    """Return what is played for a seat that does not answer.

    It passes, bids nothing, does not call, rob or double; a lead is the lowest single card.
    """
    for action in QUIET:
        if action in view.legal:
            return action
    return PLAY + RANKS[ranks_of(one_of(view.hand))[0]]


def random_bot(view: View, rng: Rng) -> Action:
    """Return any legal action, each with the same chance."""
    return view.legal[rng.randrange(len(view.legal))]


HIGH_CARDS_TO_CALL: Final = 4
"""Twos, jokers and bombs that make the easy bot want to be landlord."""

CLOSE: Final = 5
"""An enemy with so few cards is bombed."""


def easy_bot(view: View, rng: Rng) -> Action:
    """Return an answer by rules of thumb.

    It leads the play that gets rid of its lowest card with the most others, beats an enemy with the lowest
    play that does, leaves its partner alone, and keeps bombs for an enemy who is close to his end.
    """
    legal = view.legal
    if len(legal) == 1:
        return legal[0]
    if view.phase != "play":
        high = sum(count_of(view.hand, rank) for rank in (TWO, SMALL_JOKER, BIG_JOKER))
        wants = high + four_of(view.hand).bit_count() >= HIGH_CARDS_TO_CALL
        if view.phase == "bid" and wants:
            return CALL if CALL in legal else legal[-1]
        return next(action for action in QUIET if action in legal)
    return _easy_lead(view) if view.over is None else _easy_follow(view)


def _easy_lead(view: View) -> Action:
    lowest = RANKS[ranks_of(one_of(view.hand))[0]]
    book = book_of(wings_of(view.rules))
    best = ""
    for action in view.legal:
        cards, kind = split_play(action)
        bomb = not kind and book.readings(cards)[0].type in (BOMB, ROCKETS)
        if action[len(PLAY)] == lowest and len(action) > len(best) and (not bomb or not best):
            best = action
    return best


def _easy_follow(view: View) -> Action:
    landlord, last = view.landlord, view.last
    if last != landlord and view.seat != landlord:
        return PASS
    book = book_of(wings_of(view.rules))
    over = view.over
    assert over is not None, "there is something to follow"
    plays = [split_play(action)[0] for action in view.legal if action != PASS]
    alike = [
        (reading.rank, cards)
        for cards in plays
        for reading in book.readings(cards)
        if reading.type == over.type
    ]
    if alike and over.type != BOMB:
        return PLAY + format_cards(min(alike)[1])
    if view.counts[last] <= CLOSE or size_of(view.hand) <= CLOSE:
        return PLAY + format_cards(min(plays))
    return PASS

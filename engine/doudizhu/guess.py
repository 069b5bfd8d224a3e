"""Complete positions that a seat cannot tell from the true one: what it does not see is guessed.

The unseen cards are dealt out anew to the two others. What is known of a hand stays in it: the 底牌 the
landlord has not played, and the card that was shown. Beyond that a hand should explain what its seat said
and did: of several deals the one that fits the bidding and the passes best is taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from engine.doudizhu.actions import BIDS, CALL, DOUBLES, NO_CALL, NO_ROB, ROB
from engine.doudizhu.cards import KINDS, WHOLE, count_of, make_cards, size_of
from engine.doudizhu.normal import say
from engine.doudizhu.position import Position
from engine.doudizhu.state import BIDDING, DOUBLING
from engine.doudizhu.view import View
from engine.face import Rng

TRIES: Final = 16
"""How many deals are compared at most."""


def guess(view: View, rng: Rng) -> Position:
    """Return a position whose view for the same seat is equal to the given one.

    Args:
        view: The view of a seat in a running round.
        rng: The source of chance.
    """
    seat = view.seat
    assert seat is not None, "a spectator has no hand to guess around"
    sure = _sure_cards(view)
    played = sum([move.cards for move in view.history])
    free = WHOLE - view.hand - played - sum(sure) - (view.bottom if view.landlord < 0 else 0)
    pool = [rank for rank in range(KINDS) for _ in range(count_of(free, rank))]
    others = ((seat + 1) % 3, (seat + 2) % 3)
    wanted = [view.counts[other] - size_of(sure[other]) for other in others]
    best: tuple[int, list[int], int] | None = None
    for _ in range(TRIES):
        _shuffle(pool, rng)
        hands = list(sure)
        hands[seat] = view.hand
        at = 0
        for other, number in zip(others, wanted, strict=True):
            hands[other] += make_cards(pool[at : at + number])
            at += number
        misfit = _misfit(view, hands)
        if best is None or misfit < best[0]:
            best = (misfit, hands, make_cards(pool[at:]))
        if not misfit:
            break
    assert best is not None, "there is at least one try"
    return _position(view, best[1], view.bottom or best[2])


def _sure_cards(view: View) -> list[int]:
    """Return what each other seat is known to hold."""
    sure = [0, 0, 0]
    landlord = view.landlord
    known: list[tuple[int, int]] = []
    if landlord >= 0 and landlord != view.seat:
        known.append((landlord, view.bottom))
    if view.shown_card >= 0 and view.first != view.seat:
        known.append((view.first, make_cards([view.shown_card])))
    for seat, cards in known:
        gone = sum([move.cards for move in view.history if move.seat == seat])
        for rank in range(KINDS):
            left = count_of(cards, rank) - count_of(gone, rank) - count_of(sure[seat], rank)
            if left > 0:
                sure[seat] += left * make_cards([rank])
    return sure


def _shuffle(pool: list[int], rng: Rng) -> None:
    for last in range(len(pool) - 1, 0, -1):
        at = rng.randrange(last + 1)
        pool[last], pool[at] = pool[at], pool[last]


def _misfit(view: View, hands: Sequence[int]) -> int:
    """Return how many answers before the play hands do not explain, as ``normal`` would have answered."""
    first = list(hands)
    for move in view.history:
        first[move.seat] += move.cards
    misfit = 0
    landlord = view.landlord
    if any(view.doubles):
        for seat, double in enumerate(view.doubles):
            if seat != view.seat and double:
                misfit += DOUBLES[double - 1] != say(DOUBLING, first[seat], DOUBLES)
    if landlord >= 0:
        first[landlord] -= view.bottom
    highest = 0
    for seat, action in view.bids:
        if action in BIDS:
            legal = (BIDS[0], *BIDS[highest + 1 :])
            highest = max(highest, BIDS.index(action))
        else:
            legal = (CALL, NO_CALL) if action in (CALL, NO_CALL) else (NO_ROB, ROB)
        if seat != view.seat:
            misfit += action != say(BIDDING, first[seat], legal)
    return misfit


def _position(view: View, hands: Sequence[int], bottom: int) -> Position:
    """Return the position of a view with these hands and 底牌."""
    position = Position(view.rules, hands, bottom, view.first, 0)
    position.shown_card = view.shown_card
    position.phase = view.phase
    position.turn = view.turn if view.turn >= 0 else view.first
    position.bids = list(view.bids)
    position.bid = view.bid
    position.caller = _caller(view)
    position.robs = view.robs
    position.landlord = view.landlord
    position.doubles = list(view.doubles)
    position.over = view.over
    position.last = view.last
    position.passes = view.passes
    position.plays = list(view.plays)
    position.bombs = view.bombs
    position.rockets = view.rockets
    position.history = list(view.history)
    return position


def _caller(view: View) -> int:
    """Return who would be landlord by what was said so far."""
    if view.landlord >= 0:
        return view.landlord
    silent = (BIDS[0], NO_CALL, NO_ROB)
    return next((seat for seat, action in reversed(view.bids) if action not in silent), -1)

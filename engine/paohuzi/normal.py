"""A bot that plays with sense: it builds melds, counts 息, and leaves alone what does not help it.

It values a hand as the best way to lay its loose cards out into complete melds, pairs and half melds, within
each suit by a table and across the suits by 绞. Each choice is judged by the hand it leads to, after the
discard it makes due. What it cannot see it does not ask about: it is a pure function of its view.
"""

from __future__ import annotations

from array import array
from typing import Final

from engine.face import Action, Rng
from engine.paohuzi.actions import DISCARDED, HU, PASS, PENG
from engine.paohuzi.bot import loose_worth
from engine.paohuzi.cards import ONE, count_cards, distinct, kans_of, loose_of
from engine.paohuzi.eating import chi_melds
from engine.paohuzi.hu import QUAD_KINDS, Laid
from engine.paohuzi.melds import meld_xi, rest_target
from engine.paohuzi.tables import (
    BIG_HIGH,
    BIG_LOW,
    HALF,
    LOCK_SHIFT,
    POW3,
    RUNS,
    SHAPE,
    SMALL_HIGH,
    SMALL_LOW,
    SUIT_SIZE,
    TWO_SEVEN_TEN,
)
from engine.paohuzi.view import View

MELD: Final = 24
"""What a complete meld is worth; the other figures are relative to it, found by self-play."""

PAIR: Final = (7, 9)
"""A pair of small or big cards: it can become 偎 or 碰."""

HALF_MELD: Final = 5
"""Two cards of a run or a 2-7-10."""

SCORING_HALF: Final = (2, 4)
"""Added when the run or 2-7-10 would score 息, small or big."""

XI_WANTED: Final = 4
"""One 息 while the hand is short of the minimum."""

XI_SPARE: Final = 1
"""One 息 beyond it."""

CLAIM_MARGIN: Final = 2
"""A claim shows cards and bars others; it must gain this much."""

_INDEX: Final = (1 << LOCK_SHIFT) - 1

_UNKNOWN: Final = 0xFFFF

_VALUES: Final = tuple(array("H", [_UNKNOWN]) * SUIT_SIZE for _ in range(4))
"""Best values by suit index, filled as hands are met: small and big, then the same while short of 息."""

_GROUPS: Final = tuple((ranks, ranks in (RUNS[0], TWO_SEVEN_TEN)) for ranks in (*RUNS, TWO_SEVEN_TEN))


def normal_bot(view: View, rng: Rng) -> Action:
    """Return the action that leads to the best hand; among equal ones the first by a fixed order."""
    legal = view.legal
    if HU in legal:
        return HU
    if PASS not in legal:
        return _best_discard(view, view.hand, _laid_xi(view))[1]
    assert view.seat is not None, "only a seat is asked"
    xi = _laid_xi(view)
    best_action, best_value = PASS, hand_value(view.hand, xi, view.rules.min_xi) + CLAIM_MARGIN
    for action in legal:
        if action == PASS:
            continue
        value = _claim_value(view, action, xi)
        if value > best_value:
            best_action, best_value = action, value
    return best_action


def hand_value(hand: int, laid_xi: int, min_xi: int) -> int:
    """Return how far a hand has come, its 坎 included and laid melds left out.

    Args:
        hand: The cards in hand.
        laid_xi: 息 of the laid melds.
        min_xi: What a win needs.
    """
    s = SMALL_LOW[hand & HALF] + SMALL_HIGH[(hand >> 15) & HALF]
    b = BIG_LOW[(hand >> 30) & HALF] + BIG_HIGH[hand >> 45]
    kan_xi = ((s >> LOCK_SHIFT) + (b >> LOCK_SHIFT)) & 1023
    short = laid_xi + kan_xi < min_xi
    small, big = s & _INDEX, b & _INDEX
    weight = XI_WANTED if short else XI_SPARE
    fixed = MELD * count_cards(kans_of(hand)) + weight * kan_xi
    return fixed + _loose_value(small, big, 2 * short)


def _loose_value(small: int, big: int, table: int) -> int:
    """Return the best value of loose cards over all choices of 绞."""
    s, b = SHAPE[small], SHAPE[big]
    either = ((s >> 10) & b | (b >> 10) & s) & 1023
    best = 0
    choices = [(small, big, 0)]
    while either:
        lowest = either & -either
        either ^= lowest
        rank = lowest.bit_length() - 1
        one, two = POW3[rank], 2 * POW3[rank]
        more = []
        if s >> (10 + rank) & 1:
            more += [(left - two, right - one, worth + MELD) for left, right, worth in choices]
        if b >> (10 + rank) & 1:
            more += [(left - one, right - two, worth + MELD) for left, right, worth in choices]
        choices += more
    for left, right, worth in choices:
        value = worth + suit_value(left, table) + suit_value(right, table + 1)
        if value > best:
            best = value
    return best


def suit_value(index: int, table: int) -> int:
    """Return the best value of one suit's loose cards in runs, 2-7-10, pairs, halves and single cards.

    Args:
        index: The suit index.
        table: 0 small, 1 big; 2 and 3 the same while the hand is short of 息.
    """
    known = _VALUES[table][index]
    if known != _UNKNOWN:
        return known
    best = 0
    if index:
        first = next(rank for rank in range(10) if index // POW3[rank] % 3)
        side = table & 1
        weight = XI_WANTED if table > 1 else XI_SPARE
        power = POW3[first]
        best = suit_value(index - power, table)
        if index // power % 3 == 2:
            best = max(best, PAIR[side] + suit_value(index - 2 * power, table))
        for ranks, scores in _GROUPS:
            if first not in ranks:
                continue
            # A half may lack its lowest card, so the first card need not be the meld's first.
            others = [rank for rank in ranks if rank > first and index // POW3[rank] % 3]
            half = HALF_MELD + (SCORING_HALF[side] if scores else 0)
            for rank in others:
                best = max(best, half + suit_value(index - power - POW3[rank], table))
            if len(others) == 2:
                xi = 3 * (1 + side) if scores else 0
                rest = index - power - POW3[others[0]] - POW3[others[1]]
                best = max(best, MELD + weight * xi + suit_value(rest, table))
    _VALUES[table][index] = best
    return best


def _laid_xi(view: View) -> int:
    return view.table_xi(view.seat) if view.seat is not None else 0


def _best_discard(view: View, hand: int, laid_xi: int) -> tuple[int, Action]:
    """Return the value after the best discard, and that discard; ties go to the card others want least."""
    loose = loose_of(hand)
    best: tuple[int, int, int, Action] | None = None
    for card in distinct(loose):
        value = hand_value(hand - ONE[card], laid_xi, view.rules.min_xi)
        key = (value, -loose_worth(loose, card), -card, _DISCARD[card])
        if best is None or key > best:
            best = key
    assert best is not None, "a due discard has a loose card"
    return best[0], best[3]


_DISCARD: Final = {card: action for action, card in DISCARDED.items()}


def _claim_value(view: View, action: Action, laid_xi: int) -> int:
    """Return the value of the hand after a claim and the discard it makes due, with the new melds."""
    assert view.seat is not None, "only a seat is asked"
    assert view.shown is not None, "a claim is about a shown card"
    card = view.shown[0]
    hand = view.hand
    if action == PENG:
        melds, xi = 1, Laid(PENG, (card,) * 3).xi
        hand -= 2 * ONE[card]
    else:
        new = chi_melds(action)
        melds, xi = len(new), sum(meld_xi(meld) for meld in new)
        hand += ONE[card]
        for meld in new:
            for at in meld:
                hand -= ONE[at]
    laid = view.melds[view.seat]
    quads = sum(meld.kind in QUAD_KINDS for meld in laid)
    held = count_cards(view.hand) + sum(meld.size for meld in laid) + 1
    short = laid_xi < view.rules.min_xi
    gained = MELD * melds + (XI_WANTED if short else XI_SPARE) * xi
    if held > rest_target(quads) and loose_of(hand):
        return gained + _best_discard(view, hand, laid_xi + xi)[0]
    return gained + hand_value(hand, laid_xi + xi, view.rules.min_xi)

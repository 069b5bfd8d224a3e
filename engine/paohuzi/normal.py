"""A bot that plays with sense: it builds melds, counts 息, and leaves alone what does not help it.

It values a hand as the best way to lay its loose cards out into complete melds, pairs and half melds, within
each suit by a table and across the suits by 绞. Each choice is judged by the hand it leads to, after the
discard it makes due. What it cannot see it does not ask about: it is a pure function of its view.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from engine.face import Action, Rng
from engine.paohuzi.actions import DISCARD, DISCARDED, HU, PASS, PENG
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

if TYPE_CHECKING:
    from engine.paohuzi.position import Position

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
    seat = view.seat
    assert seat is not None, "only a seat is asked"
    laid = view.melds[seat]
    return choose(
        view.legal,
        view.hand,
        view.table_xi(seat),
        view.rules.min_xi,
        view.shown[0] if view.shown is not None else -1,
        count_cards(view.hand) + sum([meld.size for meld in laid]),
        sum([meld.kind in QUAD_KINDS for meld in laid]),
    )


def normal_policy(position: Position, seat: int, rng: Rng) -> Action:
    """Return what ``normal_bot`` answers, by what the seat can know of a position; no view is made."""
    shown = position.shown
    return choose(
        position.legal_actions(seat),
        position.hands[seat],
        position.table_xi[seat],
        position.rules.min_xi,
        shown[0] if shown is not None else -1,
        position.held[seat],
        position.quads[seat],
    )


def choose(
    legal: Sequence[Action], hand: int, laid_xi: int, min_xi: int, shown: int, held: int, quads: int
) -> Action:
    """Return the best of a seat's answers.

    Args:
        legal: The answers.
        hand: The cards in hand.
        laid_xi: 息 of the laid melds.
        min_xi: What a win needs.
        shown: The card on offer, -1 for none.
        held: Cards in hand and in laid melds.
        quads: Laid 跑 and 提.
    """
    if HU in legal:
        return HU
    if PASS not in legal:
        return DISCARD[best_discard(hand, laid_xi, min_xi)[1]]
    best_action, best_value = PASS, hand_value(hand, laid_xi, min_xi) + CLAIM_MARGIN
    for action in legal:
        if action != PASS:
            value = _claim_value(action, hand, laid_xi, min_xi, shown, held, quads)
            if value > best_value:
                best_action, best_value = action, value
    return best_action


def ranking(view: View) -> list[Action]:
    """Return the answers to an open question without 胡, the best first; ``normal_bot`` gives the first."""
    seat = view.seat
    assert seat is not None, "only a seat is asked"
    xi, min_xi, hand = view.table_xi(seat), view.rules.min_xi, view.hand
    if PASS not in view.legal:
        loose = loose_of(hand)
        keys = []
        for action in view.legal:
            card = DISCARDED.get(action, -1)
            if card >= 0:
                value = hand_value(hand - ONE[card], xi, min_xi)
                keys.append((-value, loose_worth(loose, card), card, action))
        return [action for _, _, _, action in sorted(keys)]
    assert view.shown is not None, "a claim is about a shown card"
    laid = view.melds[seat]
    held = count_cards(hand) + sum([meld.size for meld in laid])
    quads = sum([meld.kind in QUAD_KINDS for meld in laid])
    found = [(-hand_value(hand, xi, min_xi) - CLAIM_MARGIN, PASS)]
    found += [
        (-_claim_value(action, hand, xi, min_xi, view.shown[0], held, quads), action)
        for action in view.legal
        if action not in (PASS, HU)
    ]
    return [action for _, action in sorted(found, key=lambda each: each[0])]


def hand_value(hand: int, laid_xi: int, min_xi: int) -> int:
    """Return how far a hand has come, its 坎 included and laid melds left out.

    Args:
        hand: The cards in hand.
        laid_xi: 息 of the laid melds.
        min_xi: What a win needs.
    """
    small, big, kan_xi = _suits(hand)
    short = laid_xi + kan_xi < min_xi
    fixed = MELD * count_cards(kans_of(hand)) + (XI_WANTED if short else XI_SPARE) * kan_xi
    return fixed + loose_value(small, big, short)


def _suits(hand: int) -> tuple[int, int, int]:
    """Return the suit indices of the loose cards, and the 息 of the 坎."""
    s = SMALL_LOW[hand & HALF] + SMALL_HIGH[(hand >> 15) & HALF]
    b = BIG_LOW[(hand >> 30) & HALF] + BIG_HIGH[hand >> 45]
    return s & _INDEX, b & _INDEX, ((s >> LOCK_SHIFT) + (b >> LOCK_SHIFT)) & 1023


def loose_value(small: int, big: int, short: bool) -> int:
    """Return the best value of loose cards over all choices of 绞; what was met last is remembered.

    Args:
        small: Suit index of the small cards.
        big: Suit index of the big cards.
        short: Whether the hand is short of 息.
    """
    key = (small * SUIT_SIZE + big) * 2 + short
    value = _LOOSE.get(key)
    if value is None:
        if len(_LOOSE) >= LOOSE_MAX:
            _LOOSE.clear()
        value = _LOOSE[key] = _loose_value(small, big, 2 * short)
    return value


LOOSE_MAX: Final = 60_000
"""The most values of loose cards that are remembered, about 7 MB."""

_LOOSE: Final[dict[int, int]] = {}


def _loose_value(small: int, big: int, table: int) -> int:
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
    smalls, bigs = _VALUES[table], _VALUES[table + 1]
    for left, right, worth in choices:
        low, high = smalls[left], bigs[right]
        if low == _UNKNOWN:
            low = suit_value(left, table)
        if high == _UNKNOWN:
            high = suit_value(right, table + 1)
        if worth + low + high > best:
            best = worth + low + high
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


def best_discard(hand: int, laid_xi: int, min_xi: int) -> tuple[int, int]:
    """Return the value after the best discard, and its card; ties go to the card others want least."""
    small, big, kan_xi = _suits(hand)
    short = laid_xi + kan_xi < min_xi
    loose = loose_of(hand)
    best, cards = -1, []
    for card in distinct(loose):
        if card < 10:
            value = loose_value(small - POW3[card], big, short)
        else:
            value = loose_value(small, big - POW3[card - 10], short)
        if value > best:
            best, cards = value, [card]
        elif value == best:
            cards.append(card)
    assert cards, "a due discard has a loose card"
    card = cards[0] if len(cards) == 1 else min(cards, key=lambda at: (loose_worth(loose, at), at))
    fixed = MELD * count_cards(kans_of(hand)) + (XI_WANTED if short else XI_SPARE) * kan_xi
    return fixed + best, card


def _claim_value(
    action: Action, hand: int, laid_xi: int, min_xi: int, card: int, held: int, quads: int
) -> int:
    """Return the value of the hand after a claim and the discard it makes due, with the new melds."""
    if action == PENG:
        melds, xi = 1, Laid(PENG, (card,) * 3).xi
        hand -= 2 * ONE[card]
    else:
        new = chi_melds(action)
        melds, xi = len(new), sum([meld_xi(meld) for meld in new])
        hand += ONE[card]
        for meld in new:
            for at in meld:
                hand -= ONE[at]
    gained = MELD * melds + (XI_WANTED if laid_xi < min_xi else XI_SPARE) * xi
    if held + 1 > rest_target(quads) and loose_of(hand):
        return gained + best_discard(hand, laid_xi + xi, min_xi)[0]
    return gained + hand_value(hand, laid_xi + xi, min_xi)

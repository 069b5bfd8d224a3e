"""What a hand waits for: each card that would complete it if another seat drew it.

The fits of one suit say what the other must give to 绞; the wait tables say which cards then complete the
other. So all cards of a suit are found in one pass over the fits, instead of by a test each.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations_with_replacement
from typing import Final

from engine.paohuzi.cards import KINDS, count_cards
from engine.paohuzi.hu import QUAD_KINDS, Laid, shown_huxi
from engine.paohuzi.melds import CHI_MELDS, MELDS_OF_RANK, loose_units
from engine.paohuzi.tables import (
    BIG_HIGH,
    BIG_LOW,
    FITS,
    HALF,
    LOCK_SHIFT,
    NO_RUNS,
    POW3,
    QUAD_SHIFT,
    RUN,
    RUN_JIANG,
    RUNS,
    SHAPE,
    SMALL_HIGH,
    SMALL_LOW,
    TWO_SEVEN_TEN,
    WAIT,
    WAIT_JIANG,
    fits,
)

_ALL: Final = (1 << KINDS) - 1
_RANKS: Final = 0x3FF
_INDEX: Final = (1 << LOCK_SHIFT) - 1
_XI: Final = (1 << QUAD_SHIFT) - 1

_REACH: Final = tuple(
    sum(1 << at for at in {at for meld in CHI_MELDS[card] for at in meld}) for card in range(KINDS)
)
"""By card: the mask of the cards that share a 吃-type meld with it, itself included."""


def _triples(rank: int) -> tuple[tuple[int, int], ...]:
    """Return for three melds of a suit that each hold a rank: the other six cards as an index, and 息 / 3."""
    found = []
    for melds in combinations_with_replacement(MELDS_OF_RANK[rank], 3):
        others = [at for meld in melds for at in meld if at != rank]
        if all(others.count(at) <= 2 for at in others):
            units = sum(meld in (RUNS[0], TWO_SEVEN_TEN) for meld in melds)
            found.append((sum(POW3[at] for at in others), units))
    return tuple(found)


_TRIPLES: Final = tuple(_triples(rank) for rank in range(10))


def waits(
    hand: int, laid: Sequence[Laid] = (), min_xi: int = 0, po_pao_hu: bool = True
) -> tuple[tuple[int, int], ...]:
    """Return each card that would complete the hand if another seat drew it, with the most 息 then.

    Args:
        hand: The cards in hand.
        laid: The laid melds.
        min_xi: Leave out what is worth less.
        po_pao_hu: As in ``hu.forms``.
    """
    held = count_cards(hand)
    quads = table_xi = pengs = weis = 0
    for meld in laid:
        held += len(meld.cards)
        table_xi += meld.xi
        if meld.kind in QUAD_KINDS:
            quads += 1
        elif meld.kind == "peng":
            pengs |= 1 << meld.cards[0]
        elif meld.kind in ("wei", "chouwei"):
            weis |= 1 << meld.cards[0]
    s = SMALL_LOW[hand & HALF] + SMALL_HIGH[(hand >> 15) & HALF]
    b = BIG_LOW[(hand >> 30) & HALF] + BIG_HIGH[hand >> 45]
    lock = (s >> LOCK_SHIFT) + (b >> LOCK_SHIFT)
    small, big = s & _INDEX, b & _INDEX
    all_quads = quads + (lock >> QUAD_SHIFT)
    jiang = all_quads > 0
    best = [-1] * KINDS
    if held + 1 == (20 + all_quads if jiang else 21):
        hopeful = _mending(SHAPE[small], SHAPE[big], jiang)
        if hopeful & _RANKS:
            _suit_waits(small, big, jiang, (1, 2), best, 0)
            _pair_waits(small, big, jiang, 0, hopeful, best)
        if hopeful >> 10:
            _suit_waits(big, small, jiang, (2, 1), best, 10)
            _pair_waits(big, small, jiang, 1, hopeful >> 10, best)
        xi = table_xi + (lock & _XI)
        best = [-1 if total < 0 else xi + total for total in best]
    for card in range(KINDS):
        if (pengs | weis) >> card & 1 or hand >> (3 * card) & 7 > 2:
            best[card] = shown_huxi(hand, card, held, quads, table_xi, pengs, weis, po_pao_hu)
    return tuple([(card, total) for card, total in enumerate(best) if total >= 0 and total >= min_xi])


def _suit_waits(
    own: int, other: int, jiang: bool, weights: tuple[int, int], best: list[int], first: int
) -> None:
    """Raise ``best`` to the 息 with each further card of a suit whose copies stay within two of a rank.

    Args:
        own: The index of the suit that the card joins.
        other: The index of the other suit.
        jiang: Whether there must be a 将.
        weights: What a unit of the own and of the other suit counts: 1 small, 2 big.
        best: By card, the most 息 so far.
        first: The first card of the suit.
    """
    given = FITS[other] or fits(other)
    if not jiang:
        _scan(own, given, RUN, WAIT, weights, best, first)
        return
    _scan(own, given, RUN_JIANG, WAIT_JIANG, weights, best, first)
    pairs = (SHAPE[other] >> 10) & _RANKS
    while pairs:
        lowest = pairs & -pairs
        pairs ^= lowest
        rest = other - 2 * POW3[lowest.bit_length() - 1]
        _scan(own, FITS[rest] or fits(rest), RUN, WAIT, weights, best, first)


def _scan(
    own: int,
    given: tuple[tuple[int, int], ...],
    table: bytes,
    waiting: list[int],
    weights: tuple[int, int],
    best: list[int],
    first: int,
) -> None:
    """Go over the fits of the other suit: what they ask for may lack one card, or what it leaves may."""
    lacks = ~SHAPE[own] & 0xFFFFF
    weight, other_weight = 3 * weights[0], 3 * weights[1]
    for key, units in given:
        missing = SHAPE[key] & lacks
        if not missing:
            rest = own - key
            ranks = waiting[rest]
            while ranks:
                lowest = ranks & -ranks
                ranks ^= lowest
                rank = lowest.bit_length() - 1
                total = weight * table[rest + POW3[rank]] + other_weight * units
                if total > best[first + rank]:
                    best[first + rank] = total
        elif not missing & (missing - 1):
            rank = (missing.bit_length() - 1) % 10
            runs = table[own + POW3[rank] - key]
            if runs != NO_RUNS:
                total = weight * runs + other_weight * units
                if total > best[first + rank]:
                    best[first + rank] = total


def _pair_waits(own: int, other: int, jiang: bool, side: int, hopeful: int, best: list[int]) -> None:
    """Raise ``best`` for the third card of each pair: as 碰, as 将 and a single card, or in three melds."""
    shape = SHAPE[own]
    pairs = (shape >> 10) & hopeful & _RANKS
    while pairs:
        lowest = pairs & -pairs
        pairs ^= lowest
        rank = lowest.bit_length() - 1
        rest = own - 2 * POW3[rank]
        card = rank + 10 * side
        options = [(_units(rest, other, jiang, side), (1, 3)[side])]
        if jiang:
            options.append((_units(rest + POW3[rank], other, False, side), 0))
        options += [
            (_units(rest - others, other, jiang, side), 3 * units * (1 + side))
            for others, units in _TRIPLES[rank]
            if not SHAPE[others] & ~shape & 0xFFFFF
        ]
        for units, more in options:
            if units >= 0 and 3 * units + more > best[card]:
                best[card] = 3 * units + more


def _units(own: int, other: int, jiang: bool, side: int) -> int:
    return loose_units(other, own, jiang) if side else loose_units(own, other, jiang)


def _mending(s: int, b: int, jiang: bool) -> int:
    """Return the cards that could give every loner of two suit shapes a meld, as a mask; some may still fail.

    A loner is a card that fits into no meld of the hand. A pair of loners is mended by its third card (碰) or
    is the 将, if there is to be one.
    """
    jiao = ((s >> 10) & b | (b >> 10) & s) & _RANKS
    loners = (s >> 20) & _RANKS & ~jiao | ((b >> 20) & _RANKS & ~jiao) << 10
    if not loners:
        return _ALL
    pairs = loners & ((s >> 10) & _RANKS | (b & (_RANKS << 10)))
    mending = _common(loners)
    while jiang and pairs:
        spared = pairs & -pairs
        pairs ^= spared
        mending |= _common(loners ^ spared)
    return mending


def _common(loners: int) -> int:
    mending = _ALL
    while loners and mending:
        lowest = loners & -loners
        loners ^= lowest
        mending &= _REACH[lowest.bit_length() - 1]
    return mending

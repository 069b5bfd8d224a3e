"""What a hand waits for: each card that would complete it if another seat drew it.

A loose card that fits into no meld of the hand must be mended by the awaited card, so only cards that share a
meld with all such loners (but for one pair that may be the 将) need the full test.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from engine.paohuzi.cards import KINDS, count_cards
from engine.paohuzi.hu import QUAD_KINDS, Laid, shown_huxi
from engine.paohuzi.melds import CHI_MELDS, loose_units
from engine.paohuzi.tables import (
    BIG_HIGH,
    BIG_LOW,
    HALF,
    LOCK_SHIFT,
    POW3,
    QUAD_SHIFT,
    SHAPE,
    SMALL_HIGH,
    SMALL_LOW,
)

_ALL: Final = (1 << KINDS) - 1
_RANKS: Final = 0x3FF

_REACH: Final = tuple(
    sum(1 << at for at in {at for meld in CHI_MELDS[card] for at in meld}) for card in range(KINDS)
)
"""By card: the mask of the cards that share a 吃-type meld with it, itself included."""

_INDEX: Final = (1 << LOCK_SHIFT) - 1
_XI: Final = (1 << QUAD_SHIFT) - 1


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
    xi = table_xi + (lock & _XI)
    all_quads = quads + (lock >> QUAD_SHIFT)
    jiang = all_quads > 0
    fits = held + 1 == (20 + all_quads if all_quads else 21)
    hopeful = _mending(SHAPE[small], SHAPE[big], jiang)
    found: list[tuple[int, int]] = []
    special = pengs | weis
    for card in range(KINDS):
        count = hand >> (3 * card) & 7
        if count < 2 and not special >> card & 1:
            if not fits or not hopeful >> card & 1:
                continue
            if card < 10:
                units = loose_units(small + POW3[card], big, jiang)
            else:
                units = loose_units(small, big + POW3[card - 10], jiang)
            total = -1 if units < 0 else xi + 3 * units
        elif count == 2 and not hopeful >> card & 1:
            continue
        else:
            total = shown_huxi(hand, card, held, quads, table_xi, pengs, weis, po_pao_hu)
        if total >= 0 and total >= min_xi:
            found.append((card, total))
    return tuple(found)


def _mending(s: int, b: int, jiang: bool) -> int:
    """Return the cards that could give every loner of two suit shapes a meld, as a mask; some may still fail.

    A pair of which both copies are loners is mended by its third card (碰) or is the 将, if there is to be
    one.
    """
    jiao = ((s >> 10) & b | (b >> 10) & s) & _RANKS
    loners = (s >> 20) & _RANKS & ~jiao | ((b >> 20) & _RANKS & ~jiao) << 10
    if not loners:
        return _ALL
    pairs = loners & ((s >> 10) & _RANKS | (b & (_RANKS << 10)))
    if jiang and pairs:
        mending = 0
        left = pairs
        while left:
            spared = left & -left
            left ^= spared
            mending |= _common(loners ^ spared)
        return mending | _common(loners)
    return _common(loners)


def _common(loners: int) -> int:
    mending = _ALL
    while loners and mending:
        lowest = loners & -loners
        loners ^= lowest
        mending &= _REACH[lowest.bit_length() - 1]
    return mending

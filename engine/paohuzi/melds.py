"""The most 息 of a hand over all its partitions (Rules 2, 3 and 8), and the partitions themselves.

A mask test ends most losing hands; otherwise the fits of the two suits (``tables.py``) are matched.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from engine.paohuzi.cards import hand_cards, loose_of
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
    fits,
)

_INDEX: Final = (1 << LOCK_SHIFT) - 1
_XI: Final = (1 << QUAD_SHIFT) - 1

Meld = tuple[int, ...]
"""The cards of a meld, sorted."""


def rest_target(quads: int) -> int:
    """Return how many cards a seat with so many 跑 and 提 holds at rest (Rule 3).

    >>> [rest_target(quads) for quads in range(4)]
    [20, 20, 21, 22]
    """
    return 19 + quads if quads else 20


def cards_to_win(quads: int) -> int:
    """Return how many cards a complete hand with so many quads has (Rule 3)."""
    return 20 + quads if quads else 21


def loose_units(small: int, big: int, jiang: bool) -> int:
    """Return the most 息 / 3 of loose cards, or -1 if they do not fit together.

    Args:
        small: Suit index of the small cards.
        big: Suit index of the big cards.
        jiang: Whether exactly one pair is a 将; otherwise none is.
    """
    s = SHAPE[small]
    b = SHAPE[big]
    loners = ((s | b) >> 20) & ~((s >> 10) & b | (b >> 10) & s)
    if loners and (not jiang or loners & (loners - 1)):
        return -1
    return _match_jiang(small, big, b) if jiang else _match(small, big, b, RUN)


def _match(small: int, big: int, shape: int, table: bytes) -> int:
    """Return the most 息 / 3 of two suits that give matching cards to 绞, -1 if they never do.

    Args:
        small: Suit index of the small cards, all of which are used without a 将.
        big: Suit index of the big cards.
        shape: The shape of the big cards.
        table: RUN, or RUN_JIANG if the big cards hold the 将.
    """
    best = -1
    lacks = ~shape & 0xFFFFF
    for key, units in FITS[small] or fits(small):
        if not SHAPE[key] & lacks:
            others = table[big - key]
            if others != NO_RUNS and units + 2 * others > best:
                best = units + 2 * others
    return best


def _match_jiang(small: int, big: int, shape: int) -> int:
    """Return the most 息 / 3 of two suits of which exactly one holds the 将."""
    best = _match(small, big, shape, RUN_JIANG)
    pairs = (SHAPE[small] >> 10) & 1023
    while pairs:
        lowest = pairs & -pairs
        pairs ^= lowest
        units = _match(small - 2 * POW3[lowest.bit_length() - 1], big, shape, RUN)
        if units > best:
            best = units
    return best


def max_huxi(hand: int, quads: int, cards: int) -> int:
    """Return the most 息 of the cards in hand if they and the laid melds are complete, else -1.

    Three or four alike in hand are locked as 坎 or 提 (Rule 2).

    Args:
        hand: The cards in hand.
        quads: Laid 跑 and 提.
        cards: Cards in hand and in all laid melds together.
    """
    s = SMALL_LOW[hand & HALF] + SMALL_HIGH[(hand >> 15) & HALF]
    b = BIG_LOW[(hand >> 30) & HALF] + BIG_HIGH[hand >> 45]
    lock = (s >> LOCK_SHIFT) + (b >> LOCK_SHIFT)
    quads += lock >> QUAD_SHIFT
    if cards != (20 + quads if quads else 21):
        return -1
    units = loose_units(s & _INDEX, b & _INDEX, quads > 0)
    return -1 if units < 0 else (lock & _XI) + 3 * units


def max_huxi_split(hand: int, card: int, quads: int, cards: int) -> int:
    """Return the most 息 of a hand with a pair of ``card`` and a third one that do not form a meld together.

    This is a pair that the winner splits when another seat draws the third (Rule 8). The hand holds the pair;
    the third copy comes on top. ``cards`` counts all three.
    """
    s = SMALL_LOW[hand & HALF] + SMALL_HIGH[(hand >> 15) & HALF]
    b = BIG_LOW[(hand >> 30) & HALF] + BIG_HIGH[hand >> 45]
    lock = (s >> LOCK_SHIFT) + (b >> LOCK_SHIFT)
    quads += lock >> QUAD_SHIFT
    if cards != (20 + quads if quads else 21):
        return -1
    loose = (s & _INDEX, b & _INDEX)
    side, rank = divmod(card, 10)
    own, other = loose[side] + POW3[rank], loose[1 - side]
    jiang = quads > 0
    # Some meld holds the card. Without that meld at most two of each rank are left, as the tables need.
    rests = [
        (own - sum(POW3[at] for at in ranks), other, jiang, _unit(ranks, side))
        for ranks in MELDS_OF_RANK[rank]
        if all(at == rank or own_count(loose[side], at) for at in ranks)
    ]
    twins = own_count(other, rank)
    if twins >= 1:
        rests.append((own - 2 * POW3[rank], other - POW3[rank], jiang, 0))
    if twins == 2:
        rests.append((own - POW3[rank], other - 2 * POW3[rank], jiang, 0))
    if jiang:
        rests.append((own - 2 * POW3[rank], other, False, 0))
    best = -1
    for left, right, pair, unit in rests:
        units = loose_units(right, left, pair) if side else loose_units(left, right, pair)
        if units >= 0:
            best = max(best, units + unit)
    return -1 if best < 0 else (lock & _XI) + 3 * best


def _unit(ranks: tuple[int, ...], side: int) -> int:
    """Return the 息 / 3 of a run or 2-7-10 of the small (0) or big (1) suit."""
    return 1 + side if ranks in (RUNS[0], TWO_SEVEN_TEN) else 0


def own_count(index: int, rank: int) -> int:
    """Return how many loose cards of a rank a suit index holds (0 to 2)."""
    count: int = index // POW3[rank] % 3
    return count


MELDS_OF_RANK: Final = tuple(
    tuple(ranks for ranks in (*RUNS, TWO_SEVEN_TEN) if rank in ranks) for rank in range(10)
)
"""The runs and 2-7-10 that a rank can be part of."""


def meld_xi(meld: Meld) -> int:
    """Return the 息 of a 吃-type meld (Rule 2)."""
    ranks = tuple(card % 10 for card in meld)
    if ranks == (0, 1, 2) or ranks == TWO_SEVEN_TEN:
        return 6 if meld[0] >= 10 else 3
    return 0


def chi_melds_of(card: int) -> tuple[Meld, ...]:
    """Return every 吃-type meld a card can be part of: runs, 2-7-10 and 绞, sorted."""
    base, rank = card // 10 * 10, card % 10
    melds = [tuple(base + at for at in ranks) for ranks in MELDS_OF_RANK[rank]]
    melds += [(rank, rank, rank + 10), (rank, rank + 10, rank + 10)]
    return tuple(sorted(melds))


CHI_MELDS: Final = tuple(chi_melds_of(card) for card in range(20))
"""By card: every 吃-type meld it can be part of."""


def partitions(cards: tuple[int, ...], jiang: bool) -> Iterator[tuple[tuple[Meld, ...], Meld | None]]:
    """Yield every way to part loose cards into 吃-type melds and, if ``jiang``, exactly one pair.

    Each way comes once per order in which its melds begin, melds sorted; meant for hands that are known to
    fit.
    """
    counts = [0] * 20
    for card in cards:
        counts[card] += 1
    melds: list[Meld] = []

    def walk(pair: Meld | None) -> Iterator[tuple[tuple[Meld, ...], Meld | None]]:
        card = next((at for at in range(20) if counts[at]), -1)
        if card < 0:
            if (pair is not None) == jiang:
                yield tuple(sorted(melds)), pair
            return
        if jiang and pair is None and counts[card] >= 2:
            counts[card] -= 2
            yield from walk((card, card))
            counts[card] += 2
        for meld in CHI_MELDS[card]:
            for at in meld:
                counts[at] -= 1
            if all(counts[at] >= 0 for at in meld):
                melds.append(meld)
                yield from walk(pair)
                melds.pop()
            for at in meld:
                counts[at] += 1

    yield from walk(None)


def loose_cards(hand: int) -> tuple[int, ...]:
    """Return the cards of a hand that are in no 坎 and no quad."""
    return hand_cards(loose_of(hand))

"""Precomputed tables of the hand search (about 8 MB in all, bounded).

A hand is cut into four half-suits of five ranks, 15 bits each. One table per half gives, for its 3,125 possible
contents, the loose cards as a base-3 number, and the 息 and quads of its 坎 and 提, which may never be split
(Rule 2). The loose cards of a suit are then a number below 3**10 = 59,049, which indexes the suit tables: the most
息 its runs and 2-7-10 can be worth, with and without a 将, and the shape of the ranks.
"""

from __future__ import annotations

from typing import Final

HALF: Final = 0x7FFF
"""Mask of one half-suit in a hand."""

POW3: Final = tuple(3**rank for rank in range(10))
"""Value of one loose card of a rank in a suit's index."""

SUIT_SIZE: Final = 3**10
"""Contents of a suit with at most two of each rank."""

NONE: Final = 255
"""In RUN and RUN_JIANG: the cards do not fit together."""

LOCK_SHIFT: Final = 16
"""In a lock entry: the suit index is below this bit."""

QUAD_SHIFT: Final = 10
"""In a lock entry above LOCK_SHIFT: 息 below this bit, quads above."""

KAN_XI: Final = (3, 6)
"""息 of a 坎 or 偎, small and big (Rule 2)."""

TI_XI: Final = (9, 12)
"""息 of a 提, small and big (Rule 2)."""

RUNS: Final = tuple((rank, rank + 1, rank + 2) for rank in range(8))
"""The runs of a suit, by ranks from 0."""

TWO_SEVEN_TEN: Final = (1, 6, 9)
"""二七十, by ranks from 0."""


def _lock_table(half: int, big: int) -> list[int]:
    """Return the lock entries of a half-suit: loose index, 息 and quads."""
    table = [0] * (HALF + 1)
    for content in range(5**5):
        rest, bits, entry = content, 0, 0
        for rank in range(5):
            rest, count = divmod(rest, 5)
            bits |= count << (3 * rank)
            if count == 4:
                entry += (TI_XI[big] << LOCK_SHIFT) + (1 << (LOCK_SHIFT + QUAD_SHIFT))
            elif count == 3:
                entry += KAN_XI[big] << LOCK_SHIFT
            else:
                entry += count * POW3[rank + 5 * half]
        table[bits] = entry
    return table


def _suit_tables() -> tuple[bytes, bytes, list[int]]:
    """Return RUN, RUN_JIANG and SHAPE.

    The lowest card of a suit can only begin a run, be the 2 of a 2-7-10, or be half of the 将; what remains is a
    smaller index, so one pass upwards fills the tables.
    """
    run = bytearray([NONE]) * SUIT_SIZE
    jiang = bytearray([NONE]) * SUIT_SIZE
    shape = [0] * SUIT_SIZE
    run[0] = 0
    run_offsets = [sum(POW3[rank] for rank in ranks) for ranks in RUNS]
    offset_2710 = sum(POW3[rank] for rank in TWO_SEVEN_TEN)
    counts = [0] * 10
    for index in range(1, SUIT_SIZE):
        first = 0
        while counts[first] == 2:
            counts[first] = 0
            first += 1
        counts[first] += 1
        first = 0
        while not counts[first]:
            first += 1
        rests = []
        if first < 8 and counts[first + 1] and counts[first + 2]:
            rests.append((index - run_offsets[first], 1 if first == 0 else 0))
        if first == 1 and counts[6] and counts[9]:
            rests.append((index - offset_2710, 1))
        plain = [run[rest] + unit for rest, unit in rests if run[rest] != NONE]
        paired = [jiang[rest] + unit for rest, unit in rests if jiang[rest] != NONE]
        if counts[first] == 2 and run[index - 2 * POW3[first]] != NONE:
            paired.append(run[index - 2 * POW3[first]])
        if plain:
            run[index] = max(plain)
        if paired:
            jiang[index] = max(paired)
        shape[index] = _shape(counts)
    return bytes(run), bytes(jiang), shape


def _shape(counts: list[int]) -> int:
    """Return ranks present | paired << 10 | in no possible run or 2-7-10 << 20 | number of cards mod 3 << 30."""
    present = [count > 0 for count in counts]
    covered = [False] * 10
    for ranks in (*RUNS, TWO_SEVEN_TEN):
        if present[ranks[0]] and present[ranks[1]] and present[ranks[2]]:
            covered[ranks[0]] = covered[ranks[1]] = covered[ranks[2]] = True
    value = (sum(counts) % 3) << 30
    for rank in range(10):
        if present[rank]:
            value |= 1 << rank
            if counts[rank] == 2:
                value |= 1 << (10 + rank)
            if not covered[rank]:
                value |= 1 << (20 + rank)
    return value


SMALL_LOW: Final = _lock_table(0, 0)
SMALL_HIGH: Final = _lock_table(1, 0)
BIG_LOW: Final = _lock_table(0, 1)
BIG_HIGH: Final = _lock_table(1, 1)

_TABLES: Final = _suit_tables()

RUN: Final = _TABLES[0]
"""By suit index: most 一二三 and 二七十 in a partition into runs and 2-7-10; NONE if there is no partition."""

RUN_JIANG: Final = _TABLES[1]
"""The same with one pair set aside as 将."""

SHAPE: Final = _TABLES[2]
"""By suit index: see ``_shape``."""

_WAYS: dict[int, tuple[tuple[tuple[int, int], ...], ...]] = {}
_WAYS_MAX: Final = 20_000


def jiao_ways(pair_small: int, pair_big: int) -> tuple[tuple[tuple[int, int], ...], ...]:
    """Return every choice of 绞 as what it takes from the suit indices, by cards taken from the small suit mod 3.

    Args:
        pair_small: Ranks where 一一壹 is possible, as a mask.
        pair_big: Ranks where 一壹壹 is possible, as a mask.
    """
    key = pair_small << 10 | pair_big
    ways = _WAYS.get(key)
    if ways is None:
        found: list[list[tuple[int, int]]] = [[(0, 0)], [], []]
        for rank in range(10):
            one, two = POW3[rank], 2 * POW3[rank]
            grown = [list(part) for part in found]
            if pair_small >> rank & 1:
                for taken in range(3):
                    grown[(taken + 2) % 3] += [(small + two, big + one) for small, big in found[taken]]
            if pair_big >> rank & 1:
                for taken in range(3):
                    grown[(taken + 1) % 3] += [(small + one, big + two) for small, big in found[taken]]
            found = grown
        ways = (tuple(found[0]), tuple(found[1]), tuple(found[2]))
        if len(_WAYS) >= _WAYS_MAX:
            _WAYS.clear()
        _WAYS[key] = ways
    return ways

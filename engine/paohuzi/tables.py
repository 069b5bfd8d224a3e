"""Tables of the hand search: fixed ones, made at import, and bounded ones, filled as hands are met.

A hand is cut into four half-suits of five ranks, 15 bits each. One table per half gives, for its 3,125
possible contents, the loose cards as a base-3 number, and the 息 and quads of its 坎 and 提, which may never
be split (Rule 2). The loose cards of a suit are then a number below 3**10 = 59,049, its *suit index*.

Runs and 2-7-10 stay inside a suit; only 绞 joins the suits, and it takes one card of a rank from one suit and
two from the other. So for a suit index we keep which cards 绞 may take away such that runs and 2-7-10 use up
the rest (its *fits*, six on average), and two suits fit together where what one gives to 绞 matches what the
other gives.
"""

from __future__ import annotations

from typing import Final

HALF: Final = 0x7FFF
"""Mask of one half-suit in a hand."""

POW3: Final = tuple(3**rank for rank in range(10))
"""Value of one loose card of a rank in a suit index."""

LOCK_SHIFT: Final = 16
"""In a lock entry, the suit index is below this bit."""

QUAD_SHIFT: Final = 10
"""In a lock entry above LOCK_SHIFT, 息 are below this bit and quads above."""

KAN_XI: Final = (3, 6)
"""息 of a 坎 or 偎, small and big (Rule 2)."""

TI_XI: Final = (9, 12)
"""息 of a 提, small and big (Rule 2)."""

RUNS: Final = tuple((rank, rank + 1, rank + 2) for rank in range(8))
"""The runs of a suit, by ranks from 0."""

TWO_SEVEN_TEN: Final = (1, 6, 9)
"""二七十, by ranks from 0."""

SUIT_SIZE: Final = 3**10
"""How many suit indices there are."""

NO_RUNS: Final = 255
"""In RUN and RUN_JIANG: the cards cannot be parted."""


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


def _shape_table() -> list[int]:
    """Return by suit index: ranks present | paired << 10 | in no possible run or 2-7-10 << 20."""
    lonely = []
    for present in range(1 << 10):
        covered = 0
        for ranks in (*RUNS, TWO_SEVEN_TEN):
            mask = sum(1 << rank for rank in ranks)
            if present & mask == mask:
                covered |= mask
        lonely.append((present & ~covered) << 20)
    half = [
        sum((1 << rank) * (count > 0) + (1 << (10 + rank)) * (count > 1) for rank, count in enumerate(counts))
        for counts in ([index // POW3[rank] % 3 for rank in range(5)] for index in range(3**5))
    ]
    both = [low | high << 5 for high in half for low in half]
    return [shape | lonely[shape & 1023] for shape in both]


def _run_tables() -> tuple[bytes, bytes]:
    """Return RUN and RUN_JIANG, built upwards from nothing by adding each meld up to twice."""
    run: dict[tuple[int, ...], int] = {(0,) * 10: 0}
    for ranks in (*RUNS, TWO_SEVEN_TEN):
        unit = int(ranks in (RUNS[0], TWO_SEVEN_TEN))
        for _ in range(2):
            for counts, units in list(run.items()):
                if all(counts[rank] < 2 for rank in ranks):
                    more = tuple([count + (rank in ranks) for rank, count in enumerate(counts)])
                    run[more] = max(run.get(more, 0), units + unit)
    plain = bytearray([NO_RUNS]) * SUIT_SIZE
    paired = bytearray([NO_RUNS]) * SUIT_SIZE
    for counts, units in run.items():
        index = sum(count * POW3[rank] for rank, count in enumerate(counts))
        plain[index] = units
        for rank, count in enumerate(counts):
            at = index + 2 * POW3[rank]
            if count == 0 and (paired[at] == NO_RUNS or paired[at] < units):
                paired[at] = units
    return bytes(plain), bytes(paired)


SMALL_LOW: Final = _lock_table(0, 0)
SMALL_HIGH: Final = _lock_table(1, 0)
BIG_LOW: Final = _lock_table(0, 1)
BIG_HIGH: Final = _lock_table(1, 1)
SHAPE: Final = _shape_table()

_RUN_TABLES: Final = _run_tables()

RUN: Final = _RUN_TABLES[0]
"""By suit index: the most 一二三 and 二七十 in a partition into runs and 2-7-10, or NO_RUNS."""

RUN_JIANG: Final = _RUN_TABLES[1]
"""The same with one pair set aside as 将."""


def _wait_table(run: bytes) -> list[int]:
    """Return by suit index: the ranks one more card of which makes the table's entry possible, as a mask."""
    masks = [0] * SUIT_SIZE
    for index, units in enumerate(run):
        if units != NO_RUNS:
            for rank, power in enumerate(POW3):
                if index // power % 3:
                    masks[index - power] |= 1 << rank
    return masks


WAIT: Final = _wait_table(RUN)
"""The ranks that RUN waits for."""

WAIT_JIANG: Final = _wait_table(RUN_JIANG)
"""The ranks that RUN_JIANG waits for."""

Fits = tuple[tuple[int, int], ...]
"""Pairs of what the other suit must give to 绞, as a suit index, and the most 息 / 3 of the rest."""

FITS: Final[list[Fits | None]] = [None] * SUIT_SIZE
"""The fits of the suit indices met so far; ``fits`` fills it."""

_PAIRS: Final[dict[int, tuple[int, int]]] = {}
"""Every pair in FITS once, so that equal ones are shared."""


def fits(index: int) -> Fits:
    """Return the fits of a suit index, computed once.

    The lowest card goes to 绞, or it begins a run, or it is the 2 of a 2-7-10. Giving one card of a rank asks
    for two of the other suit, giving two asks for one.
    """
    known = FITS[index]
    if known is not None:
        return known
    found: dict[int, int] = {}
    if not index:
        found[0] = 0
    else:
        first = next(rank for rank in range(10) if index // POW3[rank] % 3)
        power = POW3[first]
        for key, units in fits(index - power):
            asked = key + 2 * power if key // power % 3 == 0 else key - power
            if found.get(asked, -1) < units:
                found[asked] = units
        for ranks in (*RUNS[first : first + 1], *((TWO_SEVEN_TEN,) if first == TWO_SEVEN_TEN[0] else ())):
            if all(index // POW3[rank] % 3 for rank in ranks):
                unit = int(ranks in (RUNS[0], TWO_SEVEN_TEN))
                for key, units in fits(index - sum(POW3[rank] for rank in ranks)):
                    if found.get(key, -1) < units + unit:
                        found[key] = units + unit
    made = tuple([_PAIRS.setdefault(key * 16 + units, (key, units)) for key, units in found.items()])
    FITS[index] = made
    return made

"""Tables of the win check and of the waits, made once at import.

The *code* of a field's content is its shape, 0 if it parts into sets, 1 if into sets and one pair, 2 if
into neither, plus 16 for every rank with an odd count. The codes of the fields of a hand are added: a sum
whose low four bits are 1 is a standard win, a sum below 16 has pairs only.

The *fit* of a content is a mask of the ranks one more tile of which makes it sets (low nine bits), and sets
with a pair (the nine bits above).
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from typing import Final

SUIT_SIZE: Final = 5**9
"""How many contents of a suit there are."""

HONOUR_SIZE: Final = 5**7
"""How many contents of the honours there are."""

PAIR_SHIFT: Final = 9
"""In a fit, where the mask for sets with a pair begins."""

RANKS: Final = (1 << PAIR_SHIFT) - 1
"""Mask of the ranks of a field."""

_SETS_MAX = 4


def _parity(ranks: int) -> bytes:
    """Return 16 for every odd count, plus 2, by content."""
    table = bytes([2])
    more = bytes([min(code + 16, 255) for code in range(256)])
    for _ in range(ranks):
        odd = table.translate(more)
        table = table + odd + table + odd + table
    return table


def _sets(ranks: int, runs: bool) -> list[tuple[int, int]]:
    """Return the sets of a field: as counts of three bits each, and as a content."""
    shapes = [[(rank, 3)] for rank in range(ranks)]
    if runs:
        shapes += [[(low, 1), (low + 1, 1), (low + 2, 1)] for low in range(ranks - 2)]
    return [
        (
            sum(count << (3 * rank) for rank, count in shape),
            sum(count * 5**rank for rank, count in shape),
        )
        for shape in shapes
    ]


def _grown(
    contents: Iterable[tuple[int, int]], parts: Iterable[tuple[int, int]], ranks: int
) -> set[tuple[int, int]]:
    """Return the contents with one part more, as far as no tile is needed five times."""
    ones = sum(1 << (3 * rank) for rank in range(ranks))
    parts = list(parts)
    grown = set()
    for packed, content in contents:
        for more, value in parts:
            total = packed + more
            if not (total >> 2) & ((total >> 1) | total) & ones:
                grown.add((total, content + value))
    return grown


def _complete(ranks: int, runs: bool) -> tuple[list[int], list[int]]:
    """Return all contents of up to four sets, and those with a pair besides."""
    sets = _sets(ranks, runs)
    pairs = [(2 << (3 * rank), 2 * 5**rank) for rank in range(ranks)]
    level: set[tuple[int, int]] = {(0, 0)}
    whole, paired = set(level), set()
    for number in range(_SETS_MAX + 1):
        paired |= _grown(level, pairs, ranks)
        if number < _SETS_MAX:
            level = _grown(level, sets, ranks)
            whole |= level
    return [content for _, content in whole], [content for _, content in paired]


def _tables(ranks: int, runs: bool) -> tuple[bytes, array[int]]:
    codes = bytearray(_parity(ranks))
    fits = array("I", bytes(4 * len(codes)))
    whole, paired = _complete(ranks, runs)
    powers = [5**rank for rank in range(ranks)]
    for contents, less, shift in ((whole, 2, 0), (paired, 1, PAIR_SHIFT)):
        for content in contents:
            codes[content] -= less
            for rank, power in enumerate(powers):
                if content // power % 5:
                    fits[content - power] |= 1 << (shift + rank)
    return bytes(codes), fits


SUIT_CODES, SUIT_FITS = _tables(9, runs=True)
"""Code and fit by the content of a suit."""

HONOUR_CODES, HONOUR_FITS = _tables(7, runs=False)
"""Code and fit by the content of the honours."""

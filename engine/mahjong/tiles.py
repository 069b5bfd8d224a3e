"""Mahjong tiles, and hands of them as one integer.

A tile is an integer: 0–8 are 一万…九万 (text ``m1``…``m9``), 9–17 筒 (``p``), 18–26 条 (``s``), 27–33
东南西北中发白 (``z1``…``z7``). A hand has one field for each suit and one for the honours. A field is a
number in base 5, the count of each rank being a digit, so it is at once the place of its content in the
tables (``tables.py``). Adding a tile adds ``ONE[tile]``; hands are hashable and cost nothing to copy.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final

from engine.errors import BadNotation

KINDS: Final = 34
"""Different tiles without flowers."""

COPIES: Final = 4
"""Copies of each."""

TILE_TEXTS: Final = tuple(
    [f"{suit}{rank}" for suit in "mps" for rank in range(1, 10)] + [f"z{rank}" for rank in range(1, 8)]
)
"""Text by tile."""

TILES: Final = {text: tile for tile, text in enumerate(TILE_TEXTS)}
"""Tile by text."""

TILE_NAMES: Final = tuple(
    [f"{rank}{suit}" for suit in "万筒条" for rank in "一二三四五六七八九"] + list("东南西北中发白")
)
"""What people call each tile."""

FIELD_BITS: Final = 21
"""Bits of one field; 5**9 < 2**21."""

FIELD: Final = (1 << FIELD_BITS) - 1
"""Mask of one field."""

FIELDS: Final = 4
"""Three suits and the honours."""

HONOURS: Final = 3
"""The field of the honours."""

SUIT: Final = tuple(tile // 9 for tile in range(KINDS))
"""The field of a tile."""

RANK: Final = tuple(tile % 9 for tile in range(KINDS))
"""The rank of a tile in its field, from 0."""

SHIFT: Final = tuple(FIELD_BITS * field for field in SUIT)
"""Where the field of a tile begins in a hand."""

POW: Final[tuple[int, ...]] = tuple(5**rank for rank in RANK)
"""What one tile adds to its field."""

ONE: Final = tuple(power << shift for power, shift in zip(POW, SHIFT, strict=True))
"""A hand of one tile, by tile."""

_TILE = re.compile(r"[mps][1-9]|z[1-7]")
_TILES = re.compile(r"(?:[mps][1-9]|z[1-7])+")


def parse_tile(text: object) -> int:
    """Return the tile a text stands for.

    Raises:
        BadNotation: It is no tile.
    """
    tile = TILES.get(text) if isinstance(text, str) else None
    if tile is None:
        raise BadNotation("a tile", text)
    return tile


def parse_tiles(text: object) -> tuple[int, ...]:
    """Return the tiles of a run-together text such as ``p7p8p9``.

    Raises:
        BadNotation: It is not one or more tiles.
    """
    if not isinstance(text, str) or not _TILES.fullmatch(text):
        raise BadNotation("tiles", text)
    return tuple([TILES[word] for word in _TILE.findall(text)])


def tiles_from_texts(texts: Sequence[str]) -> tuple[int, ...]:
    """Return the tiles of a sequence of tile texts.

    Raises:
        BadNotation: One of them is no tile.
    """
    return tuple([parse_tile(text) for text in texts])


def format_tiles(tiles: Iterable[int]) -> str:
    """Return tiles as one text, in the given order.

    >>> format_tiles((15, 16, 17))
    'p7p8p9'
    """
    return "".join([TILE_TEXTS[tile] for tile in tiles])


def make_hand(tiles: Iterable[int]) -> int:
    """Return the hand of some tiles; at most four of a kind."""
    hand = 0
    for tile in tiles:
        hand += ONE[tile]
    return hand


def count_of(hand: int, tile: int) -> int:
    """Return how many of a tile a hand holds."""
    return (hand >> SHIFT[tile] & FIELD) // POW[tile] % 5


@lru_cache(maxsize=65_536)
def counts_of_field(content: int) -> tuple[tuple[int, int], ...]:
    """Return the ranks of a field's content with their counts, ascending."""
    counts: list[tuple[int, int]] = []
    rank = 0
    while content:
        content, count = divmod(content, 5)
        if count:
            counts.append((rank, count))
        rank += 1
    return tuple(counts)


def counts(hand: int) -> tuple[tuple[int, int], ...]:
    """Return the tiles of a hand with their counts, ascending."""
    found: list[tuple[int, int]] = []
    base = 0
    while hand:
        found += [(base + rank, count) for rank, count in counts_of_field(hand & FIELD)]
        hand >>= FIELD_BITS
        base += 9
    return tuple(found)


def hand_tiles(hand: int) -> tuple[int, ...]:
    """Return the tiles of a hand in their order, each as often as it is held."""
    return tuple([tile for tile, count in counts(hand) for _ in range(count)])


def distinct(hand: int) -> tuple[int, ...]:
    """Return the different tiles of a hand, ascending."""
    return tuple([tile for tile, _ in counts(hand)])


def size_of(hand: int) -> int:
    """Return how many tiles a hand holds."""
    return sum([count for _, count in counts(hand)])


def tiles_of_mask(mask: int) -> tuple[int, ...]:
    """Return the tiles whose bits are set, ascending."""
    tiles: list[int] = []
    while mask:
        low = mask & -mask
        tiles.append(low.bit_length() - 1)
        mask ^= low
    return tuple(tiles)

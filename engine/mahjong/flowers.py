"""The eight flower tiles beside the 34 kinds of ``tiles.py``: 34–41 are 春夏秋冬梅兰竹菊, ``f1``…``f8``.

A flower is never part of a hand as an integer; it is exposed, or kept apart until it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from engine.errors import BadNotation
from engine.mahjong.tiles import COPIES, KINDS, TILE_NAMES, TILE_TEXTS

FLOWERS: Final = tuple(range(KINDS, KINDS + 8))
"""The flowers as tiles."""

TEXTS: Final = TILE_TEXTS + tuple([f"f{number}" for number in range(1, 9)])
"""Text by tile, flowers included."""

NAMES: Final = TILE_NAMES + tuple("春夏秋冬梅兰竹菊")
"""What people call each tile, flowers included."""

ALL: Final = {text: tile for tile, text in enumerate(TEXTS)}
"""Tile by text, flowers included."""

DECK: Final = tuple([text for text in TILE_TEXTS for _ in range(COPIES)]) + TEXTS[KINDS:]
"""The 144 tiles in their fixed order: each kind four times, then the flowers."""

_WORD = re.compile(r"(?:[mps][1-9]|z[1-7]|f[1-8])*")
_ANY = re.compile(r"[mpszf]\d")


def any_tile(text: object) -> int:
    """Return the tile a text stands for, maybe a flower.

    Raises:
        BadNotation: It is no tile.
    """
    tile = ALL.get(text) if isinstance(text, str) else None
    if tile is None:
        raise BadNotation("a tile", text)
    return tile


def any_tiles(texts: Sequence[str]) -> tuple[int, ...]:
    """Return the tiles of a sequence of texts, flowers included.

    Raises:
        BadNotation: One of them is no tile.
    """
    return tuple([any_tile(text) for text in texts])


def split_word(text: object) -> tuple[int, ...]:
    """Return the tiles of a run-together text such as ``p7p8f1``, maybe none.

    Raises:
        BadNotation: It is not made of tiles.
    """
    if not isinstance(text, str) or not _WORD.fullmatch(text):
        raise BadNotation("tiles", text)
    return tuple([ALL[word] for word in _ANY.findall(text)])


def join(tiles: Iterable[int]) -> str:
    """Return tiles as one text, in the given order.

    >>> join((15, 16, 34))
    'p7p8f1'
    """
    return "".join([TEXTS[tile] for tile in tiles])

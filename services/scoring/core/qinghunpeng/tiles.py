"""Tiles of 清混碰: kinds as small numbers, hands as counts by kind, flowers apart."""

import re
from collections.abc import Iterable
from typing import Final

SUITS: Final = "mps"
SUIT_KINDS: Final = 27
"""Kinds below this are of a suit, nine by nine; the seven above it are honours."""
FIRST_DRAGON: Final = 31
"""Winds lie below, z5 to z7 from here on."""
KINDS: Final = 34
"""Kinds a hand can hold. Flowers are never held."""
COPIES: Final = 4

FLOWERS: Final = 8
TEXTS: Final = (
    *(f"{suit}{number}" for suit in SUITS for number in range(1, 10)),
    *(f"z{number}" for number in range(1, 8)),
    *(f"f{number}" for number in range(1, FLOWERS + 1)),
)
"""What each kind is called; flowers stand after the 34 kinds."""
KIND: Final = {text: kind for kind, text in enumerate(TEXTS)}

DECK: Final = (
    *(kind for kind in range(KINDS) for _ in range(COPIES)),
    *range(KINDS, KINDS + FLOWERS),
)
"""The fixed order that is shuffled: 144 tiles."""

SEATS: Final = 4
HAND_TILES: Final = 13

_WORD: Final = re.compile(r"([mpszf])([1-9]+)")
_HANZI: Final[tuple[str, ...]] = (
    *(f"{number}{suit}" for suit in "万筒条" for number in "一二三四五六七八九"),
    *"东南西北中发白春夏秋冬梅兰竹菊",
)


class BadTiles(Exception):
    """A text stands for no tiles."""


def kind_of(text: str) -> int:
    """Return the kind a tile's text stands for.

    Raises:
        BadTiles: It is no tile.
    """
    if text not in KIND:
        raise BadTiles(f"no tile {text[:20]!r}")
    return KIND[text]


def kinds_of(text: str) -> list[int]:
    """Return the kinds of tiles written in groups, such as `m123 z55`, in that order.

    >>> kinds_of("m19 z1")
    [0, 8, 27]

    Raises:
        BadTiles: Something in it is no group of tiles.
    """
    found = []
    for group in text.replace("-", " ").split():
        at = 0
        while at < len(group):
            word = _WORD.match(group, at)
            if word is None:
                raise BadTiles(f"no tiles {group[:40]!r}")
            found += [kind_of(word[1] + number) for number in word[2]]
            at = word.end()
    return found


def counted(kinds: Iterable[int]) -> list[int]:
    """Return how many of each kind a hand can hold there are.

    Raises:
        BadTiles: A flower is among them.
    """
    held = [0] * KINDS
    for kind in kinds:
        if kind >= KINDS:
            raise BadTiles(f"{TEXTS[kind]} is never held")
        held[kind] += 1
    return held


def listed(held: Iterable[int]) -> list[str]:
    """Return the tiles of a hand, each copy, in the fixed order."""
    return [TEXTS[kind] for kind, copies in enumerate(held) for _ in range(copies)]


def hanzi(kind: int) -> str:
    """Return a kind in Chinese.

    >>> hanzi(0), hanzi(33), hanzi(34)
    ('一万', '白', '春')
    """
    return _HANZI[kind]


def is_flower(kind: int) -> bool:
    """Say whether a kind is exposed and replaced at once."""
    return kind >= KINDS


def is_honour(kind: int) -> bool:
    """Say whether a kind is a wind or a dragon."""
    return SUIT_KINDS <= kind < KINDS

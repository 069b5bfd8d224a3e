"""Tiles of 卡五星: kinds as numbers in the fixed order, hands as counts by kind."""

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Final

SUITS: Final = "mps"
RANKS: Final = 9
NAMES: Final = (*(f"{suit}{rank}" for suit in SUITS for rank in range(1, RANKS + 1)), "z5", "z6", "z7")
"""In the fixed order: 万, 筒, 条, then 中 发 白."""
KIND: Final = {name: kind for kind, name in enumerate(NAMES)}
KINDS: Final = len(NAMES)
DRAGONS: Final = (KIND["z5"], KIND["z6"], KIND["z7"])
COPIES: Final = 4
SEATS: Final = 3
DECK_TILES: Final = 84
HAND_TILES: Final = 13

_HANZI: Final = {"m": "万", "p": "筒", "s": "条"}
_DIGITS: Final = "一二三四五六七八九"
_DRAGON_HANZI: Final = {"z5": "红中", "z6": "发财", "z7": "白板"}

Counts = list[int]
"""How many tiles of each kind."""


class BadTiles(Exception):
    """A text stands for no tiles."""


def is_dragon(kind: int) -> bool:
    """Say whether a kind is 中, 发 or 白."""
    return kind >= DRAGONS[0]


def suit_of(kind: int) -> int:
    """Return the suit of a kind, 0 to 2; 3 for 中发白."""
    return kind // RANKS


def rank_of(kind: int) -> int:
    """Return the number on a tile of a suit."""
    return kind % RANKS + 1


@cache
def kinds_in_play(suits: str) -> tuple[int, ...]:
    """Return the 21 kinds of a set of two suits, in the fixed order.

    >>> [NAMES[kind] for kind in kinds_in_play("ms")][8:11]
    ['m9', 's1', 's2']
    """
    return tuple(kind for kind in range(KINDS) if is_dragon(kind) or SUITS[suit_of(kind)] in suits)


def deck_of(suits: str) -> tuple[int, ...]:
    """Return the deck in the order that is shuffled; the letters of `suits` stand in the fixed order."""
    return tuple(kind for kind in kinds_in_play(suits) for _ in range(COPIES))


def counted(kinds: Iterable[int]) -> Counts:
    """Return tiles as counts."""
    counts = [0] * KINDS
    for kind in kinds:
        counts[kind] += 1
    return counts


def held(counts: Sequence[int]) -> list[int]:
    """Return the kinds of which there is at least one."""
    return [kind for kind in range(KINDS) if counts[kind]]


def spread(counts: Sequence[int]) -> list[int]:
    """Return counts as single tiles, in order."""
    return [kind for kind in range(KINDS) for _ in range(counts[kind])]


def word_of(kinds: Iterable[int]) -> str:
    """Return tiles as one word, in order."""
    return "".join(NAMES[kind] for kind in sorted(kinds))


def kind_named(name: object) -> int:
    """Return the kind of a tile's name.

    Raises:
        BadTiles: There is no such tile.
    """
    if not isinstance(name, str) or name not in KIND:
        raise BadTiles(f"no tile {str(name)[:20]!r}")
    return KIND[name]


def kinds_of_word(word: str) -> list[int]:
    """Return the tiles of a word such as `p4p5p6`.

    Raises:
        BadTiles: A part of it is no tile.
    """
    return [kind_named(word[at : at + 2]) for at in range(0, len(word), 2)]


def kinds_of_groups(text: str) -> list[int]:
    """Return the tiles of groups such as `p123 z55`, as worked examples write them.

    Raises:
        BadTiles: A part of it is no tile.
    """
    found = []
    for group in text.split():
        found += [kind_named(group[0] + digit) for digit in group[1:]]
    return found


def hanzi(kind: int) -> str:
    """Return what is said of a tile: 五筒, 红中."""
    name = NAMES[kind]
    return _DRAGON_HANZI.get(name) or _DIGITS[rank_of(kind) - 1] + _HANZI[name[0]]

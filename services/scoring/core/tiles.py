"""The twenty kinds of 字牌 and how they are written (`s1`…`s10`, `b1`…`b10`)."""

import re
from collections.abc import Iterable, Sequence
from typing import Final

KINDS: Final = 20
"""Kinds are numbered 0–9 for 一…十 and 10–19 for 壹…拾."""

COPIES: Final = 4
RANKS: Final = 10
RED_RANKS: Final = frozenset({2, 7, 10})
"""Rules §1: 二 七 十 in both sizes."""

NAMES: Final = tuple(f"{size}{rank}" for size in "sb" for rank in range(1, RANKS + 1))
HANZI: Final = tuple("一二三四五六七八九十壹贰叁肆伍陆柒捌玖拾")
DECK: Final = tuple(kind for kind in range(KINDS) for _ in range(COPIES))
"""The deck in its fixed order (docs/record-format.md)."""

_NUMBER: Final = {name: kind for kind, name in enumerate(NAMES)}
_CARD: Final = re.compile(r"[sb](?:10|[1-9])")


class UnknownCard(Exception):
    """A text is no card."""

    def __init__(self, text: object) -> None:
        super().__init__(f"{text!r} is no card: cards are s1…s10 and b1…b10")
        self.text = text


def kind_of(text: str) -> int:
    """Return the kind that a card's text names.

    Raises:
        UnknownCard: It names none.
    """
    try:
        return _NUMBER[text]
    except (KeyError, TypeError):
        raise UnknownCard(text) from None


def rank(kind: int) -> int:
    """Return 1–10."""
    return kind % RANKS + 1


def is_big(kind: int) -> bool:
    """Say whether the kind is 大字."""
    return kind >= RANKS


def is_red(kind: int) -> bool:
    """Say whether the kind is one of 二七十贰柒拾."""
    return rank(kind) in RED_RANKS


def other_size(kind: int) -> int:
    """Return the kind of the same rank in the other size."""
    return (kind + RANKS) % KINDS


def counted(kinds: Iterable[int]) -> list[int]:
    """Return how often each of the twenty kinds occurs."""
    counts = [0] * KINDS
    for kind in kinds:
        counts[kind] += 1
    return counts


def spread(counts: Sequence[int]) -> list[int]:
    """Return the cards of a count, small before big, low before high."""
    return [kind for kind in range(KINDS) for _ in range(counts[kind])]


def text_of(kinds: Iterable[int]) -> str:
    """Return cards written together, small before big, then by rank: `s5s5b5`."""
    return "".join(NAMES[kind] for kind in sorted(kinds))


def hanzi_of(kinds: Iterable[int]) -> str:
    """Return cards as a player writes them: `五五伍`."""
    return "".join(HANZI[kind] for kind in sorted(kinds))


def cards_in(text: str) -> tuple[int, ...]:
    """Return the cards that are written together in `text`.

    Raises:
        UnknownCard: Something in it is no card.
    """
    found = _CARD.findall(text)
    if "".join(found) != text:
        raise UnknownCard(text)
    return tuple(_NUMBER[name] for name in found)

"""The cards of 跑胡子 and hands of them (Rule 1).

A card is an integer: 0–9 are 一…十 (text ``s1``…``s10``), 10–19 are 壹…拾 (``b1``…``b10``). A hand is one
integer with three bits per card kind that hold how many of it there are (0–4). So hands are hashable, cheap
to copy, and the search tables are indexed by slices of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from engine.errors import BadNotation

KINDS: Final = 20
"""Different cards."""

COPIES: Final = 4
"""Copies of each."""

CARD_TEXTS: Final = tuple(f"{suit}{rank}" for suit in "sb" for rank in range(1, 11))
"""Text by card."""

CARD_NAMES: Final = tuple("一二三四五六七八九十壹贰叁肆伍陆柒捌玖拾")
"""The character printed on each card."""

CARDS: Final = {text: card for card, text in enumerate(CARD_TEXTS)}
"""Card by text."""

ONE: Final = tuple(1 << (3 * card) for card in range(KINDS))
"""A hand of one card, by card."""

SHIFT: Final = tuple(3 * card for card in range(KINDS))
"""Where a card's count begins in a hand."""

FIELDS: Final = sum(ONE)
"""One of each card; the lowest bit of every count."""

RED_RANKS: Final = (2, 7, 10)
"""Rule 1."""

RED: Final = tuple(card % 10 + 1 in RED_RANKS for card in range(KINDS))
"""Whether a card is red."""

BIG: Final = tuple(card >= 10 for card in range(KINDS))
"""Whether a card is 大字."""

DECK: Final = tuple(text for text in CARD_TEXTS for _ in range(COPIES))
"""The fixed order of docs/record-format.md."""

_CARD = re.compile(r"[sb](?:10|[1-9])")
_CARDS = re.compile(r"(?:[sb](?:10|[1-9]))+")


def parse_card(text: object) -> int:
    """Return the card a text stands for.

    Raises:
        BadNotation: It is no card.
    """
    card = CARDS.get(text) if isinstance(text, str) else None
    if card is None:
        raise BadNotation("a card", text)
    return card


def parse_cards(text: object) -> tuple[int, ...]:
    """Return the cards of a run-together text such as ``s7s8s9``.

    Raises:
        BadNotation: It is not one or more cards.
    """
    if not isinstance(text, str) or not _CARDS.fullmatch(text):
        raise BadNotation("cards", text)
    return tuple(CARDS[word] for word in _CARD.findall(text))


def format_cards(cards: Iterable[int]) -> str:
    """Return cards as one text, in the given order.

    >>> format_cards((6, 7, 8))
    's7s8s9'
    """
    return "".join([CARD_TEXTS[card] for card in cards])


def make_hand(cards: Iterable[int]) -> int:
    """Return the hand of some cards."""
    hand = 0
    for card in cards:
        hand += ONE[card]
    return hand


def hand_cards(hand: int) -> tuple[int, ...]:
    """Return the cards of a hand, small before big, then by rank."""
    cards: list[int] = []
    card = 0
    while hand:
        count = hand & 7
        if count:
            cards += (card,) * count
        hand >>= 3
        card += 1
    return tuple(cards)


def count_cards(hand: int) -> int:
    """Return how many cards a hand holds."""
    total = 0
    while hand:
        total += hand & 7
        hand >>= 3
    return total


def kans_of(hand: int) -> int:
    """Return one of each card held exactly three times (坎), as a hand."""
    return hand & (hand >> 1) & FIELDS


def quads_of(hand: int) -> int:
    """Return one of each card held four times, as a hand."""
    return (hand >> 2) & FIELDS


def loose_of(hand: int) -> int:
    """Return the hand without its 坎 and quads; only these cards may be used or discarded (Rule 2)."""
    return hand - 3 * (hand & (hand >> 1) & FIELDS) - 4 * ((hand >> 2) & FIELDS)


def distinct(hand: int) -> tuple[int, ...]:
    """Return the different cards of a hand, ascending."""
    cards: list[int] = []
    card = 0
    while hand:
        if hand & 7:
            cards.append(card)
        hand >>= 3
        card += 1
    return tuple(cards)


def cards_from_texts(texts: Sequence[str]) -> tuple[int, ...]:
    """Return the cards of a sequence of card texts.

    Raises:
        BadNotation: One of them is no card.
    """
    return tuple([parse_card(text) for text in texts])

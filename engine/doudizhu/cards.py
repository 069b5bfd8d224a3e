"""Cards and hands of 斗地主 (Rule 1).

A card is its rank, 0 to 14: 3 4 5 6 7 8 9 T J Q K A 2 and the jokers B (小王) and R (大王); suits do not
matter. Cards together are one integer with four bits for each rank, the number of cards of that rank.
Shifted and masked it says which ranks occur at least once, twice, three or four times; such a *mask* has the
lowest bit of the rank's four bits set.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from engine.errors import BadNotation

RANKS: Final = "3456789TJQKA2BR"
"""The text of each rank, lowest first."""

KINDS: Final = len(RANKS)
TWO: Final = 12
SMALL_JOKER: Final = 13
BIG_JOKER: Final = 14

ONE: Final = tuple([1 << 4 * rank for rank in range(KINDS)])
"""One card of each rank."""

LOW: Final = sum(ONE)
"""The mask of all ranks."""

SUITED: Final = LOW & ~(ONE[SMALL_JOKER] | ONE[BIG_JOKER])
"""The mask of the ranks that occur four times."""

CHAINABLE: Final = sum(ONE[:TWO])
"""The mask of the ranks that may stand in a chain: 3 to A."""

ROCKET: Final = ONE[SMALL_JOKER] | ONE[BIG_JOKER]
"""Both jokers."""

DECK: Final = tuple([text for text in RANKS for _ in range(4 if text not in "BR" else 1)])
"""All 54 cards in their fixed order."""

WHOLE: Final = 4 * SUITED + ROCKET
"""All 54 cards as one integer."""

CARDS_MAX: Final = 20
"""The most cards one seat can hold or play."""

RANK_OF: Final = {text: rank for rank, text in enumerate(RANKS)}

_TOP: Final = 8 * LOW


def ranks_of(mask: int) -> list[int]:
    """Return the ranks of a mask, lowest first."""
    found = []
    while mask:
        bit = mask & -mask
        found.append((bit.bit_length() - 1) >> 2)
        mask ^= bit
    return found


def one_of(cards: int) -> int:
    """Return the mask of ranks that occur."""
    return (cards | cards >> 1 | cards >> 2) & LOW


def two_of(cards: int) -> int:
    """Return the mask of ranks that occur at least twice."""
    return (cards >> 1 | cards >> 2) & LOW


def three_of(cards: int) -> int:
    """Return the mask of ranks that occur at least three times."""
    return (cards & cards >> 1 | cards >> 2) & LOW


def four_of(cards: int) -> int:
    """Return the mask of ranks that occur four times."""
    return cards >> 2 & LOW


def count_of(cards: int, rank: int) -> int:
    """Return how many cards of a rank there are."""
    return cards >> 4 * rank & 7


def size_of(cards: int) -> int:
    """Return how many cards there are."""
    return (cards & LOW).bit_count() + 2 * (cards >> 1 & LOW).bit_count() + 4 * (cards >> 2 & LOW).bit_count()


def holds(hand: int, cards: int) -> bool:
    """Return whether all the cards are in the hand."""
    return (hand + _TOP - cards) & _TOP == _TOP


def make_cards(ranks: Iterable[int]) -> int:
    """Return ranks as one integer."""
    return sum([ONE[rank] for rank in ranks])


def format_cards(cards: int) -> str:
    """Return cards as one word, lowest rank first; empty for none."""
    text = ""
    rank = 0
    while cards:
        count = cards & 7
        if count:
            text += RANKS[rank] * count
        cards >>= 4
        rank += 1
    return text


def parse_cards(text: object) -> int:
    """Return the cards of a word, in any order.

    Raises:
        BadNotation: The text is no word of cards, or holds a card more often than the deck does.
    """
    if not isinstance(text, str) or not text or len(text) > len(DECK):
        raise BadNotation("cards", text)
    counts = [text.count(rank) for rank in RANKS]
    if sum(counts) != len(text) or any(count > 4 for count in counts) or max(counts[SMALL_JOKER:]) > 1:
        raise BadNotation("cards", text)
    return sum([count * one for count, one in zip(counts, ONE, strict=True)])


def cards_from_texts(texts: Sequence[str]) -> list[int]:
    """Return the ranks of single cards.

    Raises:
        BadNotation: One is no card.
    """
    try:
        return [RANK_OF[text] for text in texts]
    except (KeyError, TypeError) as error:
        raise BadNotation("a card", error.args[0]) from error

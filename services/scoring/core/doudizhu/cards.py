"""Cards of 斗地主: ranks as letters, hands as counts by rank."""

from collections.abc import Iterable
from typing import Final

RANKS: Final = "3456789TJQKA2BR"
"""From the lowest to the highest; B is the small joker, R the big one."""

PLACE: Final = {letter: place for place, letter in enumerate(RANKS)}
KINDS: Final = len(RANKS)
COPIES: Final = (4,) * 13 + (1, 1)
"""How often each rank occurs in the deck."""

ACE, TWO, SMALL_JOKER, BIG_JOKER = PLACE["A"], PLACE["2"], PLACE["B"], PLACE["R"]
CHAIN_RANKS: Final = ACE + 1
"""Only ranks below this, 3 to A, stand in a chain (rules §2)."""

DECK: Final = "".join(letter * copies for letter, copies in zip(RANKS, COPIES, strict=True))
"""The fixed order that is shuffled."""

SEATS: Final = 3
DEALT_CARDS: Final = 17
BOTTOM_CARDS: Final = 3
CARDS_MAX: Final = DEALT_CARDS + BOTTOM_CARDS
"""Most cards a hand ever holds."""

Counts = tuple[int, ...]
"""How many cards of each rank."""


class BadCards(Exception):
    """A text stands for no cards."""


class TooManyCards(BadCards):
    """A rank stands there more often than in the deck."""


def counts_of(text: str) -> Counts:
    """Return the cards of a word in any order, or of `-`, as counts.

    >>> counts_of("433")[:3]
    (2, 1, 0)

    Raises:
        BadCards: A letter is no rank.
        TooManyCards: A rank occurs more often than in the deck.
    """
    found = [0] * KINDS
    for letter in "" if text == "-" else text:
        if letter not in PLACE:
            raise BadCards(f"no card {letter!r} in {text[:40]!r}")
        found[PLACE[letter]] += 1
    for letter, held, copies in zip(RANKS, found, COPIES, strict=True):
        if held > copies:
            raise TooManyCards(f"{held} cards {letter}, and there are {copies}")
    return tuple(found)


def text_of(counts: Iterable[int]) -> str:
    """Return cards as one word, lowest rank first; empty for no cards."""
    return "".join(letter * held for letter, held in zip(RANKS, counts, strict=True))


def sorted_text(text: str) -> str:
    """Return a word's cards lowest rank first.

    Raises:
        BadCards: As `counts_of`.
    """
    return text_of(counts_of(text))


def less(hand: Counts, cards: Counts) -> Counts | None:
    """Return what is left of a hand without some cards, or None if it does not hold them."""
    left = tuple(held - gone for held, gone in zip(hand, cards, strict=True))
    return None if min(left) < 0 else left

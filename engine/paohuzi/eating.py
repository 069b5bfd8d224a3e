"""What a card can be eaten with: 吃 and 比 together (Rule 6)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from typing import Final

from engine.paohuzi.cards import FIELDS, ONE, count_cards, format_cards, loose_of, parse_cards
from engine.paohuzi.melds import CHI_MELDS, Meld

EatSet = tuple[Meld, ...]
"""All new melds of one way to eat, in the text order of their cards; each contains the eaten card."""

_NEEDS: Final = tuple(
    tuple(
        (meld, meld.count(card), sum(ONE[at] for at in meld if at != card), format_cards(meld))
        for meld in sorted(CHI_MELDS[card], key=format_cards)
    )
    for card in range(20)
)
"""By card, each 吃-type meld: its cards, how often it holds the card, the other cards as a hand, its text."""

_REACH: Final = tuple(
    sum({3 * at: 7 << (3 * at) for meld in CHI_MELDS[card] for at in meld}.values()) for card in range(20)
)
"""By card, the mask of the hand's counts that can matter for eating it."""

_GUARD: Final = 4 * FIELDS
"""The highest bit of every count."""

_CACHE: dict[tuple[int, int], tuple[tuple[EatSet, str], ...]] = {}
_CACHE_MAX: Final = 20_000

CHI_SETS: dict[str, EatSet] = {}
"""The melds of a chi action met so far, by its text; see ``chi_melds``."""


def eats(hand: int, card: int, keep_one: bool = False, filler: int = 0) -> tuple[tuple[EatSet, str], ...]:
    """Return every legal way to eat a card, as melds and action text, sorted by text.

    Args:
        hand: The cards in hand, without the eaten card.
        card: The eaten card.
        keep_one: Whether a discard will be due, so that a loose card must remain (Rule 6.4).
        filler: Further loose cards that are known to be of no use (hand-made positions only).
    """
    loose = loose_of(hand)
    if hand >> (3 * card) & 7 >= 3:
        return ()
    near = loose & _REACH[card]
    key = (near, card)
    found = _CACHE.get(key)
    if found is None:
        if len(_CACHE) >= _CACHE_MAX:
            _CACHE.clear()
        found = _CACHE[key] = _eats(near, card)
    if keep_one and found and not filler:
        total = count_cards(loose)
        return tuple([way for way in found if 3 * len(way[0]) - 1 < total])
    return found


def _eats(loose: int, card: int) -> tuple[tuple[EatSet, str], ...]:
    ways: list[tuple[EatSet, str]] = []
    needs = _NEEDS[card]

    def walk(first: int, left: int, copies: int, melds: tuple[Meld, ...], texts: tuple[str, ...]) -> None:
        if not copies:
            ways.append((melds, "chi " + " ".join(texts)))
            return
        for at in range(first, len(needs)):
            meld, own, others, text = needs[at]
            if own <= copies and _holds(left, others):
                walk(at, left - others, copies - own, (*melds, meld), (*texts, text))

    copies = (loose >> (3 * card) & 7) + 1
    walk(0, loose - (copies - 1) * ONE[card], copies, (), ())
    ways.sort(key=lambda way: way[1])
    CHI_SETS.update({text: melds for melds, text in ways})
    return tuple(ways)


def _holds(loose: int, part: int) -> bool:
    """Return whether loose cards hold others, each at most twice: no count borrows from its guard bit."""
    return (loose + _GUARD - part) & _GUARD == _GUARD


def pairs_of_eating(sets: Sequence[EatSet]) -> int:
    """Return the number of distinct choices of one meld as the 吃 with the others as the 比."""
    return sum(len(set(melds)) for melds in sets)


def orders_of_eating(sets: Sequence[EatSet]) -> int:
    """Return the number of distinct orders in which the melds of all ways can be laid."""
    return sum(len(set(permutations(melds))) for melds in sets)


def loose_count(hand: int) -> int:
    """Return how many cards of a hand are loose."""
    return count_cards(hand - 3 * (hand & (hand >> 1) & FIELDS) - 4 * ((hand >> 2) & FIELDS))


def chi_melds(action: str) -> EatSet:
    """Return the melds of a canonical chi action."""
    melds = CHI_SETS.get(action)
    if melds is None:
        melds = tuple(parse_cards(word) for word in action.split(" ")[1:])
    return melds

"""吃 and 比: every legal set of melds a card can be eaten into (rules §6)."""

from collections.abc import Iterator, Sequence
from math import factorial

from services.scoring.core.hands import EATEN_WITH, Meld

MealSet = tuple[Meld, ...]
"""The melds one 吃 lays down, 吃 and 比 alike, in order; a meld may stand twice."""


def loose_cards(hand: Sequence[int]) -> int:
    """Return how many cards of a hand belong to no 坎."""
    return sum(count for count in hand if count < 3)


def legal_meals(hand: Sequence[int], card: int, *, must_keep_loose: bool, filler: int = 0) -> list[MealSet]:
    """Return every legal way to eat `card`, each a multiset of melds.

    All copies of the card, the offered one and those in hand, must end in the new melds.

    Args:
        hand: Counts of the concealed cards.
        card: The offered card.
        must_keep_loose: A discard will be due, so a loose card must remain (rule 6.4).
        filler: Further loose cards in hand that fit no meld.
    """
    if hand[card] >= 3:
        return []
    pantry = [0 if count >= 3 else count for count in hand]
    pantry[card] += 1
    loose = loose_cards(hand) + filler
    return [
        meal
        for meal in _meals(pantry, card, EATEN_WITH[card])
        if not must_keep_loose or loose - (3 * len(meal) - 1) >= 1
    ]


def _meals(pantry: list[int], card: int, menu: Sequence[Meld]) -> Iterator[MealSet]:
    if pantry[card] == 0:
        yield ()
        return
    for at, meld in enumerate(menu):
        left = list(pantry)
        for used in meld.cards:
            left[used] -= 1
        if min(left) >= 0:
            # From here on only this meld and later ones, so that each multiset comes once.
            yield from ((meld, *rest) for rest in _meals(left, card, menu[at:]))


def choices(meals: Sequence[MealSet]) -> int:
    """Return in how many ways a 吃 and its 比 can be named: any meld of a set may be called the 吃."""
    return sum(len(set(meal)) for meal in meals)


def orders(meals: Sequence[MealSet]) -> int:
    """Return in how many orders the melds can be laid down."""
    total = 0
    for meal in meals:
        ways = factorial(len(meal))
        for meld in set(meal):
            ways //= factorial(meal.count(meld))
        total += ways
    return total


def chi_text(meal: MealSet) -> str:
    """Return the action as a record writes it: `chi s7s8s9 s9b9b9`."""
    return "chi " + " ".join(sorted(meld.text for meld in meal))

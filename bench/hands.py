"""Hands for benches and tests: random ones, winning ones, and winning ones with many partitions."""

from __future__ import annotations

from bench.paohuzi_reference import eat_melds
from engine.face import Rng

DECK = [card for card in range(20) for _ in range(4)]


def random_cards(rng: Rng, size: int) -> list[int]:
    """Return that many cards of a shuffled deck."""
    cards = list(DECK)
    for at in range(size):
        other = at + rng.randrange(80 - at)
        cards[at], cards[other] = cards[other], cards[at]
    return sorted(cards[:size])


def winning_cards(rng: Rng, melds: int = 7, kans: int = 4, quads: int = 0) -> list[int]:
    """Return the cards of a complete hand: some alike in threes or fours, the rest 吃-type melds."""
    while True:
        four = rng.randrange(quads + 1)
        parts = melds - (1 if four else 0)
        plan = ([4] * four + [3] * rng.randrange(kans + 1))[:parts]
        alike: dict[int, int] = {}
        for size in plan:
            alike[rng.randrange(20)] = size
        cards = [card for card, size in alike.items() for _ in range(size)]
        for _ in range(parts - len(plan)):
            choices = eat_melds(rng.randrange(20))
            cards += choices[rng.randrange(len(choices))]
        if four:
            cards += [rng.randrange(20)] * 2
        counts = [cards.count(card) for card in range(20)]
        if len(alike) == len(plan) and all(
            count < 3 or count == alike.get(card) for card, count in enumerate(counts)
        ):
            return sorted(cards)


def jiao_cards(rng: Rng, ranks: int = 7) -> list[int]:
    """Return 21 cards in which that many ranks can be a 绞: the hands with the most partitions."""
    while True:
        cards: list[int] = []
        chosen: list[int] = []
        while len(chosen) < ranks:
            rank = rng.randrange(10)
            if rank not in chosen:
                chosen.append(rank)
                cards += [rank, rank, rank + 10] if rng.randrange(2) else [rank, rank + 10, rank + 10]
        while len(cards) < 21:
            choices = eat_melds(rng.randrange(20))
            cards += choices[rng.randrange(len(choices))]
        if max(cards.count(card) for card in cards) <= 2:
            return sorted(cards)

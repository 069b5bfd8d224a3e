"""Walls of 卡五星 that make something happen, and manners of answering."""

import random
from collections import Counter

from engine import GAMES
from services.scoring.core.kawuxing import shapes, tiles

DECK = GAMES["kawuxing"].deck()
SEATS = 3


def seats_places(step: int) -> list[int]:
    """Return where the 13 tiles of the seat `step` after the dealer lie in the wall."""
    blocks = [range(start + 4 * step, start + 4 * step + 4) for start in (0, 12, 24)]
    return [place for block in blocks for place in block] + [36 + step]


def rigged_hand(rng: random.Random, free: Counter[str], most_wrong: int = 2) -> list[str] | None:
    """Take a hand that wants a tile or two from what is free, or None if it does not work out."""
    suits = rng.choice([["p"], ["s"], ["p", "s"], ["p", "s", "z"], ["z", "p"]])
    hand: list[str] = []
    left = Counter(free)

    def take(*names: str) -> bool:
        want = Counter(names)
        if any(left[name] < count for name, count in want.items()):
            return False
        left.subtract(want)
        hand.extend(names)
        return True

    def any_tile() -> str:
        suit = rng.choice(suits)
        return f"z{rng.randint(5, 7)}" if suit == "z" else f"{suit}{rng.randint(1, 9)}"

    seven_pairs = rng.random() < 0.12
    runs = rng.choice([0.0, 0.3, 0.6, 0.9])
    for _ in range(400):
        size = len(hand)
        tile = any_tile()
        if seven_pairs or size == 12:
            take(tile, tile)
        elif rng.random() < runs and tile[0] != "z":
            low = 4 if rng.random() < 0.5 else rng.randint(1, 7)
            take(*(f"{tile[0]}{low + step}" for step in range(3)))
        else:
            take(tile, tile, tile)
        if len(hand) == 14:
            break
    if len(hand) != 14:
        return None
    rng.shuffle(hand)
    fives = [tile for tile in hand if tile[1] == "5" and tile[0] != "z"]
    hand.remove(rng.choice(fives) if fives and rng.random() < 0.5 else hand[0])
    for _ in range(min(most_wrong, rng.choice([0, 0, 0, 1, 1, 2]))):
        spare = [name for name in left if left[name] > 0]
        gone, new = rng.choice(hand), rng.choice(spare)
        hand.remove(gone)
        hand.append(new)
        left[gone] += 1
        left[new] -= 1
    return hand


def robbery(rng: random.Random) -> tuple[dict[int, str], dict[int, str]] | None:
    """Return places of tiles, and manners by seat from the dealer on, that likely make a 补杠 to be won.

    One seat waits for a tile of which another holds two. The third draws one of them, and then the second the
    last.
    """
    free = Counter(DECK)
    hand = rigged_hand(rng, free, most_wrong=0)
    if hand is None:
        return None
    free.subtract(hand)
    counts = tiles.counted(map(tiles.kind_named, hand))
    waits = shapes.waits(counts, [0] * tiles.KINDS, tiles.kinds_in_play("ps"))
    known = [tiles.NAMES[kind] for kind in waits if free[tiles.NAMES[kind]] == 4]
    if not known:
        return None
    tile, (waiter, owner, giver) = rng.choice(known), rng.sample(range(SEATS), 3)
    at = 40 + (giver - 1) % SEATS
    first, second = seats_places(owner)[:2]
    fixed = {first: tile, second: tile, at: tile, at + SEATS: tile}
    fixed.update(zip(seats_places(waiter), hand, strict=True))
    manners = {waiter: rng.choice(["robber", "robber", "revealer"]), owner: "konger", giver: "meek"}
    return fixed, manners


def fourfold(rng: random.Random) -> tuple[dict[int, str], dict[int, str]]:
    """Return places and manners as `robbery` does, that likely make a 碰 whose fourth tile is then won."""
    one, other = rng.sample("ps", 2)
    rank, (owner, giver, third) = rng.choice([2, 3, 5, 5, 8]), rng.sample(range(SEATS), 3)
    tile = f"{one}{rank}"
    hand = [tile, tile, f"{one}{rank - 1}", f"{one}{rank + 1}", "z5", "z5", "z7"]
    hand += [f"{other}{each}" for each in (1, 2, 3, 7, 8, 9)]
    at = 40 + (giver - 1) % SEATS
    fixed = {at: tile, at + rng.randint(1, SEATS): tile}
    fixed.update(zip(seats_places(owner), hand, strict=True))
    return fixed, {owner: "ponger", giver: "meek", third: "meek"}


def any_wall(rng: random.Random) -> tuple[list[int], dict[int, str]]:
    """Return a permutation of the deck, as places, and manners that go with it, by seat from the dealer on.

    Shuffled, kept together in blocks, or with ready hands.
    """
    kind = rng.choice(["shuffled", "blocks", "ready", "ready", "ready", "robbery", "fourfold"])
    places = list(range(len(DECK)))
    if kind == "blocks":
        kept = rng.choice([2, 3, 4])
        blocks = [places[at : at + kept] for at in range(0, len(places), kept)]
        rng.shuffle(blocks)
        return [place for block in blocks for place in block], {}
    rng.shuffle(places)
    wanted: dict[int, str] = {}
    manners: dict[int, str] = {}
    if kind == "ready":
        free = Counter(DECK)
        for step in rng.sample(range(SEATS), rng.randint(1, SEATS)):
            hand = rigged_hand(rng, free)
            if hand is not None:
                free.subtract(hand)
                wanted.update(zip(seats_places(step), hand, strict=True))
    elif kind == "robbery":
        wanted, manners = robbery(rng) or ({}, {})
    elif kind == "fourfold":
        wanted, manners = fourfold(rng)
    by_name: dict[str, list[int]] = {}
    for place in places:
        by_name.setdefault(DECK[place], []).append(place)
    fixed = {at: by_name[name].pop() for at, name in wanted.items()}
    rest = [place for group in by_name.values() for place in group]
    rng.shuffle(rest)
    return [fixed[at] if at in fixed else rest.pop() for at in range(len(DECK))], manners


MANNERS = ["any", "eager", "konger", "revealer", "meek", "ponger"]


def rank(manner: str, text: str) -> int:
    """Return how little a manner likes an answer."""
    word = text.partition(" ")[0]
    order = {
        "eager": ["hu", "liang", "gang", "peng"],
        "konger": ["gang", "peng", "hu", "liang"],
        "revealer": ["liang", "gang", "discard", "pass", "peng", "hu"],
        "meek": ["pass", "discard", "peng", "liang", "gang", "hu"],
        "ponger": ["peng", "liang", "hu", "gang", "discard"],
    }[manner]
    return order.index(word) if word in order else len(order)


def answer(rng: random.Random, manner: str, answers: list[str], drawn: str, *, to_a_kong: bool) -> str:
    """Return one of the answers.

    Args:
        rng: What chance there is.
        manner: The seat's.
        answers: What is legal.
        drawn: The tile just drawn: a hand that is ready is kept so.
        to_a_kong: The question is about the tile of a 补杠.
    """
    if manner == "any" or rng.random() < 0.05:
        return rng.choice(answers)
    if manner == "robber":
        manner = "eager" if to_a_kong else "meek"
    best = min(rank(manner, text) for text in answers)
    found = [text for text in answers if rank(manner, text) == best]
    keeping = f"discard {drawn}"
    return keeping if keeping in found and rng.random() < 0.8 else rng.choice(found)

"""Mahjong hands by plain search, without tables: the measure of the benches and the judge of the tests.

Tiles are texts such as ``p5``; a hand is a list of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from engine.face import Rng

KINDS = [f"{suit}{rank}" for suit in "ps" for rank in range(1, 10)] + ["z5", "z6", "z7"]
DECK = [kind for kind in KINDS for _ in range(4)]

Set = tuple[str, ...]


def partitions(tiles: Sequence[str]) -> Iterator[tuple[Set, ...]]:
    """Yield every way to part tiles into runs and triplets, lowest tile first."""
    if not tiles:
        yield ()
        return
    rest = sorted(tiles)
    first = rest[0]
    if rest.count(first) >= 3:
        yield from (((first,) * 3, *others) for others in partitions(rest[3:]))
    if first[0] != "z" and int(first[1]) <= 7:
        run = tuple(f"{first[0]}{int(first[1]) + step}" for step in (0, 1, 2))
        if all(tile in rest for tile in run):
            for tile in run:
                rest.remove(tile)
            yield from ((run, *others) for others in partitions(rest))


def readings(tiles: Sequence[str]) -> set[tuple[Set, ...]]:
    """Return every way to part tiles into sets and one pair, each in a fixed order."""
    found = set()
    for pair in set(tiles):
        if tiles.count(pair) >= 2:
            rest = list(tiles)
            rest.remove(pair)
            rest.remove(pair)
            found |= {(*sorted(sets), (pair, pair)) for sets in partitions(rest)}
    return found


def is_win(tiles: Sequence[str], seven_pairs: bool) -> bool:
    """Return whether tiles are sets and a pair, or seven pairs if these win."""
    if seven_pairs and all(count % 2 == 0 for count in Counter(tiles).values()):
        return True
    for pair in sorted(set(tiles)):
        if tiles.count(pair) >= 2:
            rest = list(tiles)
            rest.remove(pair)
            rest.remove(pair)
            if next(partitions(rest), None) is not None:
                return True
    return False


def waits(tiles: Sequence[str], seven_pairs: bool) -> list[str]:
    """Return the tiles that complete a hand, never a fifth copy."""
    return [kind for kind in KINDS if tiles.count(kind) < 4 and is_win([*tiles, kind], seven_pairs)]


def random_tiles(rng: Rng, size: int) -> list[str]:
    """Return that many tiles of a shuffled deck."""
    deck = list(DECK)
    for at in range(size):
        other = at + rng.randrange(len(deck) - at)
        deck[at], deck[other] = deck[other], deck[at]
    return sorted(deck[:size])


def winning_tiles(rng: Rng, sets: int = 4, suits: int = 2) -> list[str]:
    """Return the tiles of a complete hand; with one suit it has many readings."""
    while True:
        tiles: list[str] = []
        for _ in range(sets):
            kind = KINDS[rng.randrange(9 * suits + (3 if suits > 1 else 0))]
            if kind[0] != "z" and int(kind[1]) <= 7 and rng.randrange(3):
                tiles += [f"{kind[0]}{int(kind[1]) + step}" for step in (0, 1, 2)]
            else:
                tiles += [kind] * 3
        tiles += [KINDS[rng.randrange(9 * suits)]] * 2
        if max(Counter(tiles).values()) <= 4:
            return sorted(tiles)

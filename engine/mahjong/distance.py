"""How far a hand is from being ready, by counting its sets and the parts of sets.

The usual count: with ``s`` sets, ``p`` pairs and two-tile parts of which at most ``need - s`` are of use, a hand
lacks ``2 * (need - s) - p`` tiles of its sets, and a pair more makes it ready one tile sooner. Whether the tiles
still exist is not asked, so a rare hand is farther than it looks.
"""

from __future__ import annotations

from functools import lru_cache

from engine.mahjong.tiles import FIELD, FIELD_BITS, HONOURS, counts

Shape = tuple[int, int, int]
"""Sets, further parts, and whether a pair is set aside (0 or 1)."""


@lru_cache(maxsize=65_536)
def shapes(content: int, honours: bool) -> tuple[Shape, ...]:
    """Return the best ways to take sets, parts and a pair out of a field's content."""
    counts = [content // 5**rank % 5 for rank in range(9)]
    found: set[Shape] = set()
    _search(counts, 0, honours, 0, 0, 0, found)
    return _best(found)


def _best(found: set[Shape]) -> tuple[Shape, ...]:
    """Return the ways that no other is better than in every respect."""
    kept: list[Shape] = []
    for way in sorted(found, reverse=True):
        if not any(all(more >= less for more, less in zip(other, way, strict=True)) for other in kept):
            kept.append(way)
    return tuple(kept)


def _search(
    counts: list[int], rank: int, honours: bool, sets: int, parts: int, pair: int, found: set[Shape]
) -> None:
    while rank < 9 and not counts[rank]:
        rank += 1
    if rank == 9:
        found.add((sets, parts, pair))
        return
    here = counts[rank]
    # What is taken goes with the lowest tile left; what is not taken is skipped for good.
    if here >= 3:
        counts[rank] -= 3
        _search(counts, rank, honours, sets + 1, parts, pair, found)
        counts[rank] += 3
    if here >= 2:
        counts[rank] -= 2
        _search(counts, rank, honours, sets, parts + 1, pair, found)
        if not pair:
            _search(counts, rank, honours, sets, parts, 1, found)
        counts[rank] += 2
    if not honours:
        one = rank < 8 and counts[rank + 1]
        two = rank < 7 and counts[rank + 2]
        if one and two:
            _without(counts, (rank, rank + 1, rank + 2), rank, sets + 1, parts, pair, found)
        if one:
            _without(counts, (rank, rank + 1), rank, sets, parts + 1, pair, found)
        if two:
            _without(counts, (rank, rank + 2), rank, sets, parts + 1, pair, found)
    counts[rank] = 0
    _search(counts, rank + 1, honours, sets, parts, pair, found)
    counts[rank] = here


def _without(
    counts: list[int], ranks: tuple[int, ...], rank: int, sets: int, parts: int, pair: int, found: set[Shape]
) -> None:
    for at in ranks:
        counts[at] -= 1
    _search(counts, rank, False, sets, parts, pair, found)
    for at in ranks:
        counts[at] += 1


@lru_cache(maxsize=65_536)
def distance(hand: int, melds: int) -> int:
    """Return how many tiles a hand lacks of being ready: 0 is ready, -1 is won.

    Args:
        hand: The concealed tiles, 13 or 14 with each meld counted as three.
        melds: How many melds are laid; without any, seven pairs count too.
    """
    need = 4 - melds
    ways: tuple[Shape, ...] = ((0, 0, 0),)
    rest, field = hand, 0
    while rest:
        content = rest & FIELD
        if content:
            joined = {
                (min(need, one[0] + two[0]), one[1] + two[1], one[2] + two[2])
                for one in ways
                for two in shapes(content, field == HONOURS)
                if one[2] + two[2] < 2
            }
            ways = _best(joined)
        rest >>= FIELD_BITS
        field += 1
    best = min([2 * (need - sets) - min(parts, need - sets) - pair for sets, parts, pair in ways])
    if not melds:
        held = counts(hand)
        pairs = sum([count // 2 for _, count in held])
        best = min(best, 6 - pairs)
    return best

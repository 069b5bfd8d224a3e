"""Every way in which the concealed tiles of a win part into sets and a pair."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

from engine.mahjong.tiles import FIELD, FIELD_BITS, HONOURS


@dataclass(frozen=True, slots=True)
class Part:
    """One way in which a field, or a whole hand, parts."""

    triplets: tuple[int, ...]
    """Their tiles, ascending."""
    runs: tuple[int, ...]
    """The lowest tile of each, ascending."""
    pair: int
    """Its tile, -1 for none."""


@lru_cache(maxsize=32_768)
def parts_of(field: int, content: int) -> tuple[Part, ...]:
    """Return every way in which a field parts into sets and at most one pair, in a fixed order."""
    counts = [content // 5**rank % 5 for rank in range(9)]
    return tuple(_parts(counts, 0, 9 * field, field != HONOURS, (), (), -1))


def _parts(
    counts: list[int],
    rank: int,
    base: int,
    runs: bool,
    triplets: tuple[int, ...],
    lows: tuple[int, ...],
    pair: int,
) -> Iterator[Part]:
    while rank < 9 and not counts[rank]:
        rank += 1
    if rank == 9:
        yield Part(triplets, lows, pair)
        return
    tile = base + rank
    if counts[rank] >= 3:
        counts[rank] -= 3
        yield from _parts(counts, rank, base, runs, (*triplets, tile), lows, pair)
        counts[rank] += 3
    if pair < 0 and counts[rank] >= 2:
        counts[rank] -= 2
        yield from _parts(counts, rank, base, runs, triplets, lows, tile)
        counts[rank] += 2
    if runs and rank < 7 and counts[rank + 1] and counts[rank + 2]:
        for at in (rank, rank + 1, rank + 2):
            counts[at] -= 1
        yield from _parts(counts, rank, base, runs, triplets, (*lows, tile), pair)
        for at in (rank, rank + 1, rank + 2):
            counts[at] += 1


def readings(hand: int) -> tuple[Part, ...]:
    """Return every way in which a hand of 3n + 2 tiles parts into sets and one pair; maybe none."""
    found: list[tuple[Part, ...]] = []
    field = 0
    while hand:
        content = hand & FIELD
        if content:
            ways = parts_of(field, content)
            if not ways:
                return ()
            found.append(ways)
        hand >>= FIELD_BITS
        field += 1
    if len(found) == 1:
        return tuple([part for part in found[0] if part.pair >= 0])
    whole = []
    for chosen in product(*found):
        pairs = [part.pair for part in chosen if part.pair >= 0]
        if len(pairs) == 1:
            triplets: tuple[int, ...] = ()
            runs: tuple[int, ...] = ()
            for part in chosen:
                triplets += part.triplets
                runs += part.runs
            whole.append(Part(triplets, runs, pairs[0]))
    return tuple(whole)

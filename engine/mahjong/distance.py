"""How far a hand is from being ready, by counting its sets and the parts of sets.

The usual count: with ``s`` sets, ``p`` pairs and two-tile parts of which at most ``need - s`` are of use, a
hand lacks ``2 * (need - s) - p`` tiles of its sets, and a pair more makes it ready one tile sooner. Whether
the tiles still exist is not asked, so a rare hand is farther than it looks.
"""

from __future__ import annotations

from functools import lru_cache

from engine.mahjong.tiles import FIELD, FIELD_BITS, counts

Shape = tuple[int, int, int]
"""Sets, further parts, and whether a pair is set aside (0 or 1)."""


@lru_cache(maxsize=65_536)
def shapes(content: int, honours: bool) -> tuple[Shape, ...]:
    """Return the best ways to take sets, parts and a pair out of a field's content.

    Only neighbours count, not ranks, so a content and its multiple by five are as good as each other.
    """
    if not content:
        return ((0, 0, 0),)
    here = content % 5
    if not here:
        return shapes(content // 5, honours)
    # What is taken goes with the lowest tile left; what is not taken is skipped for good.
    found = set(shapes(content - here, honours))
    if here >= 3:
        found |= {(sets + 1, parts, pair) for sets, parts, pair in shapes(content - 3, honours)}
    if here >= 2:
        rest = shapes(content - 2, honours)
        found |= {(sets, parts + 1, pair) for sets, parts, pair in rest}
        found |= {(sets, parts, 1) for sets, parts, pair in rest if not pair}
    if not honours:
        one, two = content // 5 % 5, content // 25 % 5
        if one and two:
            found |= {(sets + 1, parts, pair) for sets, parts, pair in shapes(content - 31, False)}
        if one:
            found |= {(sets, parts + 1, pair) for sets, parts, pair in shapes(content - 6, False)}
        if two:
            found |= {(sets, parts + 1, pair) for sets, parts, pair in shapes(content - 26, False)}
    return _best(found)


def _best(found: set[Shape]) -> tuple[Shape, ...]:
    """Return the ways that no other is better than in every respect."""
    kept: list[Shape] = []
    for way in sorted(found, reverse=True):
        sets, parts, pair = way
        for more, other, head in kept:
            if more >= sets and other >= parts and head >= pair:
                break
        else:
            kept.append(way)
    return tuple(kept)


@lru_cache(maxsize=32_768)
def _joined(one: int, two: int, honours: bool) -> tuple[Shape, ...]:
    """Return the best ways to take sets, parts and a pair out of two fields, the second maybe of honours."""
    return _best(
        {
            (sets + more, parts + other, pair + head)
            for sets, parts, pair in shapes(one, False)
            for more, other, head in shapes(two, honours)
            if pair + head < 2
        }
    )


@lru_cache(maxsize=65_536)
def distance(hand: int, melds: int, seven_pairs: bool = True) -> int:
    """Return how many tiles a hand lacks of being ready: 0 is ready, -1 is won.

    Args:
        hand: The concealed tiles, 13 or 14 with each meld counted as three; or those of them that are of use.
        melds: How many melds are laid.
        seven_pairs: Whether seven pairs count too, where nothing is laid.
    """
    need = 4 - melds
    best = 2 * need
    lower = _joined(hand & FIELD, hand >> FIELD_BITS & FIELD, False)
    upper = _joined(hand >> 2 * FIELD_BITS & FIELD, hand >> 3 * FIELD_BITS, True)
    for sets, parts, pair in lower:
        for more, other, head in upper:
            if pair and head:
                continue
            whole = sets + more
            if whole > need:
                whole = need
            rest = need - whole
            part = parts + other
            lack = 2 * rest - (min(rest, part)) - pair - head
            if lack < best:
                best = lack
    if not melds and seven_pairs:
        pairs = sum([count // 2 for _, count in counts(hand)])
        best = min(best, 6 - pairs)
    return best

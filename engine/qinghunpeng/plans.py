"""What a hand may become: the patterns its melds leave open, and how far it is from each.

A plan is a pattern that lets a hand win (Rule 3): one suit with honours, one suit alone, all pungs, honours
only. Tiles that are of no use to a plan are left out, and the rest is measured by the usual count.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from engine.mahjong.distance import distance
from engine.mahjong.tiles import (
    FIELD,
    FIELD_BITS,
    HONOURS,
    KINDS,
    ONE,
    RANK,
    SUIT,
    counts,
    counts_of_field,
    distinct,
    size_of,
)
from engine.qinghunpeng.melds import CHI, Laid

MIXED: Final = "混一色"
CLEAN: Final = "清一色"
PUNGS: Final = "碰碰胡"
WINDS: Final = "乱风向"

_HAND: Final = 13
_HONOUR_TILES: Final = tuple(range(9 * HONOURS, KINDS))
_HONOURS_MASK: Final = FIELD << HONOURS * FIELD_BITS
_SHIFTS: Final = (0, FIELD_BITS, 2 * FIELD_BITS, 3 * FIELD_BITS)
_EVERYTHING: Final = (1 << 4 * FIELD_BITS) - 1


class Plan(NamedTuple):
    """A pattern to play for."""

    kind: str
    mask: int
    """The fields whose tiles are of use."""

    def distance(self, hand: int, melds: int) -> int:
        """Return how many tiles a hand lacks of being ready for it: 0 is ready, -1 is complete.

        Args:
            hand: The concealed tiles.
            melds: How many melds are laid.
        """
        if self.kind == PUNGS:
            return pungs_distance(hand, melds)
        if self.kind == WINDS:
            return _HAND - size_of(hand & self.mask) - 3 * melds
        return distance(hand & self.mask, melds, False)

    def accepted(self, hand: int, melds: int, now: int) -> tuple[int, ...]:
        """Return the tiles that bring a hand nearer, ascending.

        Args:
            hand: The concealed tiles.
            melds: How many melds are laid.
            now: The distance of the hand.
        """
        if self.kind == WINDS:
            return _HONOUR_TILES
        if self.kind == PUNGS:
            return _pungs_accepted(hand, melds, now)
        return _accepted(hand & self.mask, melds, now)


def _suit_plans(suit: int, honours_lie: bool) -> tuple[Plan, ...]:
    field = FIELD << suit * FIELD_BITS
    mixed = Plan(MIXED, field | _HONOURS_MASK)
    return (mixed,) if honours_lie else (mixed, Plan(CLEAN, field))


def plans_of(melds: Sequence[Laid]) -> tuple[Plan, ...]:
    """Return the plans that some melds leave open; none if they leave no pattern that wins."""
    suits = {SUIT[meld.tile] for meld in melds}
    return _plans(tuple(sorted(suits)), any(meld.kind == CHI for meld in melds))


@lru_cache(maxsize=32_768)
def _accepted(hand: int, melds: int, now: int) -> tuple[int, ...]:
    """Return the tiles that bring a hand nearer to four sets and a pair: what is held, or near to it."""
    found: set[int] = set()
    for tile in distinct(hand):
        found.add(tile)
        if SUIT[tile] < HONOURS:
            found |= {tile + step for step in (-2, -1, 1, 2) if 0 <= RANK[tile] + step <= 8}
    return tuple([tile for tile in sorted(found) if distance(hand + ONE[tile], melds, False) < now])


@lru_cache(maxsize=32_768)
def _pungs_accepted(hand: int, melds: int, now: int) -> tuple[int, ...]:
    """Return the tiles that bring a hand nearer to triplets; only how many of one are held matters."""
    held = dict(counts(hand))
    nearer: dict[int, bool] = {4: False}
    found = []
    for tile in range(KINDS):
        count = held.get(tile, 0)
        if count not in nearer:
            nearer[count] = pungs_distance(hand + ONE[tile], melds) < now
        if nearer[count]:
            found.append(tile)
    return tuple(found)


@lru_cache(maxsize=64)
def _plans(fields: tuple[int, ...], run_lies: bool) -> tuple[Plan, ...]:
    suits = [field for field in fields if field < HONOURS]
    found: list[Plan] = []
    for suit in range(HONOURS):
        if suits in ([], [suit]):
            found += _suit_plans(suit, HONOURS in fields)
    if not run_lies:
        found.append(Plan(PUNGS, _EVERYTHING))
        if not suits:
            found.append(Plan(WINDS, _HONOURS_MASK))
    return tuple(found)


@lru_cache(maxsize=65_536)
def _kinds(content: int) -> tuple[int, int, int]:
    """Return how many kinds a field holds at least three times, twice, and once."""
    held = [count for _, count in counts_of_field(content)]
    return sum([count >= 3 for count in held]), held.count(2), held.count(1)


def pungs_distance(hand: int, melds: int) -> int:
    """Return how many tiles a hand lacks of being ready for triplets and a pair alone."""
    triplets = pairs = singles = 0
    for shift in _SHIFTS:
        content = hand >> shift & FIELD
        if content:
            three, two, one = _kinds(content)
            triplets += three
            pairs += two
            singles += one
    # The largest counts become the triplets, the next one the pair; what is kept needs no exchange.
    need = 4 - melds
    from_triplets = min(triplets, need)
    from_pairs = min(pairs, need - from_triplets)
    from_singles = min(singles, need - from_triplets - from_pairs)
    kept = 3 * from_triplets + 2 * from_pairs + from_singles
    if triplets > from_triplets or pairs > from_pairs:
        kept += 2
    elif singles > from_singles:
        kept += 1
    return _HAND - 3 * melds - kept


def nearest(hand: int, melds: Sequence[Laid]) -> int:
    """Return the distance to the nearest plan; more than any hand's if none is left."""
    number = len(melds)
    return min([plan.distance(hand, number) for plan in plans_of(melds)], default=_HAND)

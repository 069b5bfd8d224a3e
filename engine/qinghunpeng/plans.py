"""What a hand may become: the patterns its melds leave open, and how far it is from each.

A plan is a pattern that lets a hand win (Rule 3): one suit with honours, one suit alone, all pungs, honours
only. Tiles that are of no use to a plan are left out, and the rest is measured by the usual count.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from engine.mahjong.distance import distance
from engine.mahjong.tiles import FIELD, FIELD_BITS, HONOURS, SUIT, counts, size_of
from engine.qinghunpeng.melds import CHI, Laid

MIXED: Final = "混一色"
CLEAN: Final = "清一色"
PUNGS: Final = "碰碰胡"
WINDS: Final = "乱风向"

_HAND: Final = 13
_HONOURS_MASK: Final = FIELD << HONOURS * FIELD_BITS
_EVERYTHING: Final = (1 << 4 * FIELD_BITS) - 1


class Plan(NamedTuple):
    """A pattern to play for."""

    kind: str
    mask: int
    """The fields whose tiles are of use."""

    def uses(self, tile: int) -> bool:
        """Return whether a tile is of use."""
        return bool(self.mask >> SUIT[tile] * FIELD_BITS & FIELD)

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


def _suit_plans(suit: int, honours_lie: bool) -> tuple[Plan, ...]:
    field = FIELD << suit * FIELD_BITS
    mixed = Plan(MIXED, field | _HONOURS_MASK)
    return (mixed,) if honours_lie else (mixed, Plan(CLEAN, field))


def plans_of(melds: Sequence[Laid]) -> tuple[Plan, ...]:
    """Return the plans that some melds leave open; none if they leave no pattern that wins."""
    suits = {SUIT[meld.tile] for meld in melds}
    return _plans(tuple(sorted(suits)), any(meld.kind == CHI for meld in melds))


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
def pungs_distance(hand: int, melds: int) -> int:
    """Return how many tiles a hand lacks of being ready for triplets and a pair alone."""
    triplets = pairs = 0
    for _, count in counts(hand):
        if count >= 3:
            triplets += 1
        elif count == 2:
            pairs += 1
    lacking = max(0, 4 - melds - triplets)
    # Four equal tiles are one triplet; the fourth makes no pair, so that it must go.
    used = min(pairs, lacking)
    return 2 * lacking - used - (1 if pairs > used or (not lacking and pairs) else 0)


def nearest(hand: int, melds: Sequence[Laid]) -> int:
    """Return the distance to the nearest plan; more than any hand's if none is left."""
    number = len(melds)
    return min([plan.distance(hand, number) for plan in plans_of(melds)], default=_HAND)

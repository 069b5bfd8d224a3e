"""What cards are when they are played together (Rule 2): every reading, and which beats which."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

from engine.doudizhu.cards import BIG_JOKER, CHAINABLE, KINDS, ONE, ROCKET, TWO, count_of, size_of

SOLO: Final = "solo"
PAIR: Final = "pair"
TRIO: Final = "trio"
TRIO_SOLO: Final = "trio_solo"
TRIO_PAIR: Final = "trio_pair"
SOLO_CHAIN: Final = "solo_chain"
PAIR_CHAIN: Final = "pair_chain"
TRIO_CHAIN: Final = "trio_chain"
PLANE_SOLO: Final = "plane_solo"
PLANE_PAIR: Final = "plane_pair"
FOUR_TWO_SOLO: Final = "four_two_solo"
FOUR_TWO_PAIR: Final = "four_two_pair"
BOMB: Final = "bomb"
ROCKETS: Final = "rocket"

TYPES: Final = (
    SOLO,
    PAIR,
    TRIO,
    SOLO_CHAIN,
    PAIR_CHAIN,
    BOMB,
    ROCKETS,
    TRIO_CHAIN,
    TRIO_SOLO,
    TRIO_PAIR,
    FOUR_TWO_SOLO,
    FOUR_TWO_PAIR,
    PLANE_SOLO,
    PLANE_PAIR,
)
"""Every type; of several readings the one whose type comes first here is meant unless another is named."""

SOLO_CHAIN_MIN: Final = 5
PAIR_CHAIN_MIN: Final = 3
TRIO_CHAIN_MIN: Final = 2


class Reading(NamedTuple):
    """One way to read cards."""

    type: str
    """One of ``TYPES``."""
    length: int
    """How many ranks a chain has, or trios a plane; 1 for everything else."""
    rank: int
    """What it is compared by: the rank, or the lowest rank of its chain."""


@dataclass(frozen=True, slots=True)
class Wings:
    """The options about kickers and wings (Rule 2, "Ambiguities decided")."""

    pair_as_two_solos: bool = True
    rocket_as_kickers: bool = False
    bomb_in_kickers: bool = False
    trio_in_wings: bool = True
    adjacent_trio_wing: bool = True
    four_two: bool = True

    def copies(self, beside: bool) -> tuple[int, ...]:
        """Return how often one rank may occur among single kickers.

        Args:
            beside: Whether the rank stands directly beside the chain and could be in it.
        """
        if not self.pair_as_two_solos:
            return (0, 1)
        trio = self.trio_in_wings and (self.adjacent_trio_wing or not beside)
        return (0, 1, 2, *((3,) if trio else ()), *((4,) if self.bomb_in_kickers else ()))

    def allow_solos(self, kickers: int, start: int, length: int) -> bool:
        """Return whether cards may be the single kickers of a chain of trios; ``length`` 0 for a four."""
        if kickers & ROCKET == ROCKET and not self.rocket_as_kickers:
            return False
        return all(
            count_of(kickers, rank) in self.copies(is_beside(rank, start, length)) for rank in range(KINDS)
        )

    def allow_pairs(self, kickers: int) -> bool:
        """Return whether cards may be pairs as kickers: different ranks, or four equal cards by option."""
        counts = (0, 2, 4) if self.bomb_in_kickers else (0, 2)
        return all(count_of(kickers, rank) in counts for rank in range(KINDS))


def is_beside(rank: int, start: int, length: int) -> bool:
    """Return whether a rank could make the chain longer by one."""
    return length > 0 and rank < TWO and rank in (start - 1, start + length)


def read(cards: int, wings: Wings) -> tuple[Reading, ...]:
    """Return every reading of cards, the one that is meant by default first; empty if there is none.

    The order is that of ``TYPES``, then longer before shorter chains, then higher before lower ranks.
    """
    if not cards:
        return ()
    size = size_of(cards)
    found = [*_equal(cards, size), *_chains(cards), *_with_kickers(cards, size, wings)]
    found.sort(key=lambda reading: (TYPES.index(reading.type), -reading.length, -reading.rank))
    return tuple(found)


def _equal(cards: int, size: int) -> list[Reading]:
    """Return readings as equal cards, the rocket, and a trio with its kicker."""
    if cards == ROCKET:
        return [Reading(ROCKETS, 1, BIG_JOKER)]
    found = []
    for rank, one in enumerate(ONE):
        count = count_of(cards, rank)
        if count == size:
            found.append(Reading((SOLO, PAIR, TRIO, BOMB)[size - 1], 1, rank))
        elif count == 3 and size == 4:
            found.append(Reading(TRIO_SOLO, 1, rank))
        elif count == 3 and size == 5 and any(cards - 3 * one == 2 * other for other in ONE):
            found.append(Reading(TRIO_PAIR, 1, rank))
    return found


def _chains(cards: int) -> list[Reading]:
    """Return readings as a chain of solos, pairs or trios."""
    for copies, shortest, kind in (
        (1, SOLO_CHAIN_MIN, SOLO_CHAIN),
        (2, PAIR_CHAIN_MIN, PAIR_CHAIN),
        (3, TRIO_CHAIN_MIN, TRIO_CHAIN),
    ):
        start = next((rank for rank in range(TWO) if count_of(cards, rank)), TWO)
        length = 0
        while start + length < TWO and count_of(cards, start + length) == copies:
            length += 1
        if length >= shortest and cards == copies * chain_mask(start, length):
            return [Reading(kind, length, start)]
    return []


def _with_kickers(cards: int, size: int, wings: Wings) -> list[Reading]:
    """Return readings as four with two, and as a plane with wings."""
    found = []
    if wings.four_two and size in (6, 8):
        for rank, one in enumerate(ONE):
            if count_of(cards, rank) != 4:
                continue
            rest = cards - 4 * one
            if size == 6 and wings.allow_solos(rest, 0, 0):
                found.append(Reading(FOUR_TWO_SOLO, 1, rank))
            if size == 8 and wings.allow_pairs(rest):
                found.append(Reading(FOUR_TWO_PAIR, 1, rank))
    for each, kind in ((4, PLANE_SOLO), (5, PLANE_PAIR)):
        length = size // each
        if size % each or length < TRIO_CHAIN_MIN:
            continue
        for start in range(TWO - length + 1):
            if any(count_of(cards, start + at) != 3 for at in range(length)):
                continue
            rest = cards - 3 * chain_mask(start, length)
            solos = kind == PLANE_SOLO
            if wings.allow_solos(rest, start, length) if solos else wings.allow_pairs(rest):
                found.append(Reading(kind, length, start))
    return found


def chain_mask(start: int, length: int) -> int:
    """Return the mask of consecutive ranks."""
    return (CHAINABLE >> 4 * start & (1 << 4 * length) - 1) << 4 * start


def beats(new: Reading, old: Reading) -> bool:
    """Return whether a reading beats another (Rule 2, "Following")."""
    if old.type == ROCKETS:
        return False
    if new.type == ROCKETS:
        return True
    if new.type == BOMB and old.type != BOMB:
        return True
    return new.type == old.type and new.length == old.length and new.rank > old.rank


def best_over(readings: tuple[Reading, ...], old: Reading) -> Reading | None:
    """Return the highest of some readings that beats another (Rule 6), or ``None``."""
    best: Reading | None = None
    for reading in readings:
        if beats(reading, old) and (best is None or reading.rank > best.rank):
            best = reading
    return best

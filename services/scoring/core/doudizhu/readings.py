"""What cards played together are: every reading, by trying each form that rules §2 list."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from services.scoring.core.doudizhu.cards import (
    BIG_JOKER,
    CHAIN_RANKS,
    KINDS,
    RANKS,
    SMALL_JOKER,
    Counts,
)
from services.scoring.core.doudizhu.rules import Options

CONTESTED: Final = (
    "trio_chain",
    "trio_solo",
    "trio_pair",
    "four_two_solo",
    "four_two_pair",
    "plane_solo",
    "plane_pair",
)
"""Types that the same cards may have, the one that goes first in front (rules §2)."""

TYPES: Final = (
    *("solo", "pair", "trio", "bomb", "rocket", "solo_chain", "pair_chain"),
    *CONTESTED,
)

EQUALS: Final = {1: "solo", 2: "pair", 3: "trio", 4: "bomb"}
CHAINS: Final = {1: ("solo_chain", 5), 2: ("pair_chain", 3), 3: ("trio_chain", 2)}
"""By copies of each rank: the type, and how many ranks it needs."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read cards."""

    type: str
    length: int
    """Ranks of the chain, trios of the plane, else 1."""
    rank: int
    """Place of the rank that is compared."""

    def beats(self, other: "Reading") -> bool:
        """Say whether a play read so goes over another (rules §2)."""
        if other.type == "rocket":
            return False
        if self.type == "rocket":
            return True
        if self.type == "bomb" and other.type != "bomb":
            return True
        return (self.type, self.length) == (other.type, other.length) and self.rank > other.rank

    def written(self) -> list[object]:
        """Return the reading as worked examples and views spell it."""
        return [self.type, self.length, RANKS[self.rank]]


def readings(cards: Counts, options: Options) -> tuple[Reading, ...]:
    """Return all readings of cards, the one a lead is taken for in front; none if they are no play."""
    held = [rank for rank in range(KINDS) if cards[rank]]
    if not held:
        return ()
    if held == [SMALL_JOKER, BIG_JOKER]:
        return (Reading("rocket", 1, BIG_JOKER),)
    if len(held) == 1:
        return (Reading(EQUALS[cards[held[0]]], 1, held[0]),)
    found = [*_chain(cards, held), *_with_kickers(cards, held, options)]
    return tuple(sorted(found, key=_precedence))


def _precedence(reading: Reading) -> tuple[int, int, int]:
    place = CONTESTED.index(reading.type) if reading.type in CONTESTED else -1
    return place, -reading.length, -reading.rank


def _chain(cards: Counts, held: list[int]) -> Iterator[Reading]:
    copies = cards[held[0]]
    if copies not in CHAINS or held[-1] >= CHAIN_RANKS:
        return
    kind, ranks_min = CHAINS[copies]
    is_row = held[-1] - held[0] + 1 == len(held)
    if is_row and len(held) >= ranks_min and all(cards[rank] == copies for rank in held):
        yield Reading(kind, len(held), held[0])


def _with_kickers(cards: Counts, held: list[int], options: Options) -> Iterator[Reading]:
    """Try every body: three of each rank of a row, or four of one; the rest are its kickers.

    A kicker is never of a rank of the body, so a body's ranks are there exactly three (or four) times.
    """
    for start in held:
        if cards[start] == 4 and options.four_two:
            rest = [(rank, cards[rank]) for rank in held if rank != start]
            if _are_solos(rest, 2, (start, start), options):
                yield Reading("four_two_solo", 1, start)
            if _are_pairs(rest, 2, options):
                yield Reading("four_two_pair", 1, start)
        last = start
        while last < KINDS and cards[last] == 3 and (last == start or last < CHAIN_RANKS):
            rest = [(rank, cards[rank]) for rank in held if not start <= rank <= last]
            trios = last - start + 1
            if _are_solos(rest, trios, (start, last), options):
                yield Reading("trio_solo" if trios == 1 else "plane_solo", trios, start)
            if _are_pairs(rest, trios, options):
                yield Reading("trio_pair" if trios == 1 else "plane_pair", trios, start)
            last += 1


def _are_solos(rest: list[tuple[int, int]], wanted: int, body: tuple[int, int], options: Options) -> bool:
    if sum(copies for _, copies in rest) != wanted:
        return False
    if {SMALL_JOKER, BIG_JOKER} <= {rank for rank, _ in rest} and not options.rocket_as_kickers:
        return False
    return all(copies <= 1 or may_repeat(rank, copies, body, options) for rank, copies in rest)


def may_repeat(rank: int, copies: int, body: tuple[int, int], options: Options) -> bool:
    """Say whether single kickers may hold one rank so often, next to a body from one rank to another."""
    if not options.pair_as_two_solos:
        return False
    if copies == 2:
        return True
    if copies == 4:
        return options.bomb_in_kickers
    is_beside = rank < CHAIN_RANKS and rank in (body[0] - 1, body[1] + 1)
    return options.trio_in_wings and (options.adjacent_trio_wing or not is_beside)


def _are_pairs(rest: list[tuple[int, int]], wanted: int, options: Options) -> bool:
    pairs = 0
    for _, copies in rest:
        if copies != 2 and not (copies == 4 and options.bomb_in_kickers):
            return False
        pairs += copies // 2
    return pairs == wanted


def as_lead(found: tuple[Reading, ...], named: str = "") -> Reading | None:
    """Return how a lead is read: the first reading, or the first of the named type."""
    return next((reading for reading in found if named in ("", reading.type)), None)


def as_follow(found: tuple[Reading, ...], table: Reading) -> Reading | None:
    """Return how an answer is read: the beating reading of the highest rank."""
    beating = [reading for reading in found if reading.beats(table)]
    return max(beating, key=lambda reading: reading.rank, default=None)

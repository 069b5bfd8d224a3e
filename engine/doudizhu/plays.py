"""Every legal play of a hand, as sorted action texts, from tables that fill as they are used.

What a hand can play of one type depends only on which ranks it holds at least once, twice, three or four
times, so these masks are the keys of the tables; wings also depend on how often. A table that grows beyond
its bound is emptied, so that all of them together stay small whatever is played.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Final

from engine.doudizhu.cards import (
    CHAINABLE,
    KINDS,
    LOW,
    ONE,
    ROCKET,
    TWO,
    count_of,
    ranks_of,
)
from engine.doudizhu.readings import (
    BOMB,
    FOUR_TWO_PAIR,
    FOUR_TWO_SOLO,
    PAIR,
    PAIR_CHAIN,
    PAIR_CHAIN_MIN,
    PLANE_PAIR,
    PLANE_SOLO,
    ROCKETS,
    SOLO,
    SOLO_CHAIN,
    SOLO_CHAIN_MIN,
    TRIO,
    TRIO_CHAIN,
    TRIO_CHAIN_MIN,
    TRIO_PAIR,
    TRIO_SOLO,
    Reading,
    Wings,
    best_over,
    chain_mask,
    is_beside,
    read,
)
from engine.doudizhu.tables import (
    ABOVE,
    ALL_ENTRIES_MAX,
    AS,
    COPIES,
    ENTRIES_MAX,
    ONLY_PASS,
    PASS,
    ROCKET_PLAY,
    SOLOS_MAX,
    WINGS_MAX,
    Budget,
    Table,
    Texts,
    all_chains,
    chains,
    equal_plays,
    pairwise,
    sorted_texts,
    starts,
)

_BUDGET: Final = Budget(ALL_ENTRIES_MAX)


class Book:
    """The plays under one combination of the options about kickers."""

    def __init__(self, wings: Wings) -> None:
        self._wings = wings
        self._quads_are_pairs = wings.bomb_in_kickers
        self._equal: dict[str, Table[int, Texts]] = {
            kind: Table(equal_plays(COPIES[kind]), SOLOS_MAX if kind == SOLO else ENTRIES_MAX, _BUDGET)
            for kind in (SOLO, PAIR, TRIO, BOMB)
        }
        self._solos = self._equal[SOLO]
        self._pairs = self._equal[PAIR]
        self._trios = self._equal[TRIO]
        self._bombs = self._equal[BOMB]
        self._all_solo_chains: Table[int, Texts] = Table(all_chains(1, SOLO_CHAIN_MIN), budget=_BUDGET)
        self._all_pair_chains: Table[int, Texts] = Table(all_chains(2, PAIR_CHAIN_MIN), budget=_BUDGET)
        self._chains: dict[str, Table[tuple[int, int], Texts]] = {
            kind: Table(chains(COPIES[kind]), budget=_BUDGET) for kind in (SOLO_CHAIN, PAIR_CHAIN, TRIO_CHAIN)
        }
        self._trio_solos = [Table(self._kickers(3 * one, 1), budget=_BUDGET) for one in ONE[: TWO + 1]]
        self._trio_pairs = [Table(self._kickers(3 * one, 2), budget=_BUDGET) for one in ONE[: TWO + 1]]
        self._four_solos = [Table(self._wing_solos(rank), WINGS_MAX, _BUDGET) for rank in range(TWO + 1)]
        self._four_pairs = [Table(self._wing_pairs(rank), WINGS_MAX, _BUDGET) for rank in range(TWO + 1)]
        self._planes: Table[tuple[str, int, int, int], Texts] = Table(self._plane, budget=_BUDGET)
        self._readings: Table[int, tuple[Reading, ...]] = Table(
            lambda cards: read(cards, wings), budget=_BUDGET
        )
        self._longest_plane = any(
            reading.type == PLANE_SOLO for reading in self._readings[3 * chain_mask(0, 4)]
        )

    # Reading

    def readings(self, cards: int) -> tuple[Reading, ...]:
        """Return every reading of cards, the default one first."""
        return self._readings[cards]

    def is_play(self, cards: int, kind: str, over: Reading | None) -> Reading | None:
        """Return how cards are read when they are played, or ``None`` if they cannot be.

        Args:
            cards: The cards.
            kind: The type they are named by, or empty. A name that only repeats the default is refused,
                so that every play has one text.
            over: What is to be beaten, ``None`` for a lead.
        """
        found = self._readings[cards]
        if not found:
            return None
        if over is None:
            if not kind:
                return found[0]
            named = next((reading for reading in found if reading.type == kind), None)
            return named if kind != found[0].type else None
        if kind:
            return None
        reading = found[0]
        if len(found) == 1 and reading.type == over.type and reading.type != ROCKETS:
            return reading if reading.length == over.length and reading.rank > over.rank else None
        return best_over(found, over)

    # Leads

    def leads(self, hand: int) -> list[str]:
        """Return every play a hand can lead with, in no particular order, each once."""
        ones = (hand | hand >> 1 | hand >> 2) & LOW
        found = [*self._solos[ones]]
        chain = ones & CHAINABLE
        if chain & chain >> 4 & chain >> 8 & chain >> 12 & chain >> 16:
            found += self._all_solo_chains[chain]
        twos = (hand >> 1 | hand >> 2) & LOW
        if twos:
            found += self._pairs[twos]
            chain = twos & CHAINABLE
            if chain & chain >> 4 & chain >> 8:
                found += self._all_pair_chains[chain]
            threes = (hand & hand >> 1 | hand >> 2) & LOW
            if threes:
                found += self._trios[threes]
                for rank in ranks_of(threes):
                    one = ONE[rank]
                    found += self._trio_solos[rank][ones - one]
                    if twos != one:
                        found += self._trio_pairs[rank][twos - one]
                chain = threes & CHAINABLE
                if chain & chain >> 4:
                    found += self._trio_chain_leads(hand, chain)
                fours = hand >> 2 & LOW
                if fours:
                    found += self._bombs[fours]
                    if self._wings.four_two:
                        found += self._four_two_leads(hand, ranks_of(fours))
        if hand & ROCKET == ROCKET:
            found.append(ROCKET_PLAY)
        return found

    def _trio_chain_leads(self, hand: int, threes: int) -> list[str]:
        """Return the chains of trios a hand can lead with, with and without wings."""
        chains: list[str] = []
        planes: dict[str, None] = {}
        for length in range(TRIO_CHAIN_MIN, 7):
            heads = starts(threes, length)
            if not heads:
                break
            chains += self._chains[TRIO_CHAIN][length, heads]
            for rank in ranks_of(heads):
                for kind in (PLANE_SOLO, PLANE_PAIR):
                    planes.update(dict.fromkeys(self._planes_of(hand, kind, length, rank)))
            if length == 4 and self._longest_plane:
                # The fourth trio is a wing as well: 333444555666 is a chain of four, or a plane of three.
                both = self._chains[TRIO_CHAIN][length, heads]
                chains += [text + AS + PLANE_SOLO for text in both]
                for text in both:
                    del planes[text]
        return chains + list(planes)

    def _four_two_leads(self, hand: int, fours: Sequence[int]) -> list[str]:
        found: list[str] = []
        for rank in fours:
            rest = hand & ~(7 * ONE[rank])
            low = pairwise(rest)
            found += self._four_solos[rank][low]
            found += self._four_pairs[rank][rest if self._quads_are_pairs else low]
        # Two fours are each other's pairs, by option.
        return list(dict.fromkeys(found)) if self._quads_are_pairs else found

    def _planes_of(self, hand: int, kind: str, length: int, rank: int) -> Texts:
        """Return the planes of one type over one chain of trios."""
        rest = hand & ~(7 * chain_mask(rank, length))
        if length == TRIO_CHAIN_MIN and not self._quads_are_pairs:
            rest = pairwise(rest)
        return self._planes[kind, length, rank, rest]

    # Answers

    def answers(self, hand: int, over: Reading) -> Texts:
        """Return every play of a hand that beats a reading, and ``pass``, sorted by text."""
        if over.type == SOLO and not hand >> 2 & LOW and hand & ROCKET != ROCKET:
            return (PASS, *self._solos[(hand | hand >> 1 | hand >> 2) & ABOVE[over.rank]])
        found = self.follows(hand, over)
        if not found:
            return ONLY_PASS
        found.append(PASS)
        found.sort()
        return tuple(found)

    def follows(self, hand: int, over: Reading) -> list[str]:
        """Return every play of a hand that beats a reading, in no particular order, each once."""
        kind, length, rank = over
        if kind == ROCKETS:
            return []
        above = ABOVE[rank]
        found: list[str] = []
        if kind == SOLO:
            found += self._solos[(hand | hand >> 1 | hand >> 2) & above]
        elif kind == PAIR:
            found += self._pairs[(hand >> 1 | hand >> 2) & above]
        elif kind in (SOLO_CHAIN, PAIR_CHAIN, TRIO_CHAIN):
            heads = starts(_masks(hand)[COPIES[kind] - 1] & CHAINABLE & above, length)
            if heads:
                found += self._chains[kind][length, heads]
        elif kind in (TRIO, TRIO_SOLO, TRIO_PAIR):
            threes = (hand & hand >> 1 | hand >> 2) & above
            if kind == TRIO:
                found += self._trios[threes]
            else:
                tables = self._trio_solos if kind == TRIO_SOLO else self._trio_pairs
                kickers = _masks(hand)[0 if kind == TRIO_SOLO else 1]
                for at in ranks_of(threes):
                    found += tables[at][kickers - ONE[at]]
        elif kind in (FOUR_TWO_SOLO, FOUR_TWO_PAIR):
            fours = self._four_solos if kind == FOUR_TWO_SOLO else self._four_pairs
            for at in ranks_of(hand >> 2 & above):
                rest = hand & ~(7 * ONE[at])
                found += fours[at][rest if self._quads_are_pairs else pairwise(rest)]
            if self._quads_are_pairs:
                found = list(dict.fromkeys(found))
        elif kind in (PLANE_SOLO, PLANE_PAIR):
            found += self._higher_planes(hand, kind, length, above)
        bombs = hand >> 2 & (above if kind == BOMB else LOW)
        if bombs:
            found += self._bombs[bombs]
        if hand & ROCKET == ROCKET:
            found.append(ROCKET_PLAY)
        return found

    def _higher_planes(self, hand: int, kind: str, length: int, above: int) -> list[str]:
        found: dict[str, None] = {}
        for rank in ranks_of(starts(_masks(hand)[2] & CHAINABLE & above, length)):
            found.update(dict.fromkeys(self._planes_of(hand, kind, length, rank)))
        return list(found)

    def can_follow(self, hand: int, over: Reading) -> bool:
        """Return whether a hand can beat a reading."""
        return bool(self.follows(hand, over))

    # Making tables

    def _kickers(self, trio: int, copies: int) -> Callable[[int], Texts]:
        """Return what makes a trio with each single or pair of a mask."""
        return lambda mask: sorted_texts(trio + copies * ONE[rank] for rank in ranks_of(mask))

    def _wing_solos(self, rank: int) -> Callable[[int], Texts]:
        return lambda rest: sorted_texts(4 * ONE[rank] + wing for wing in self._solo_wings(rest, 2, 0, 0))

    def _wing_pairs(self, rank: int) -> Callable[[int], Texts]:
        return lambda rest: sorted_texts(4 * ONE[rank] + wing for wing in self._pair_wings(rest, 2))

    def _plane(self, key: tuple[str, int, int, int]) -> Texts:
        kind, length, start, rest = key
        body = 3 * chain_mask(start, length)
        if kind == PLANE_PAIR:
            return sorted_texts(body + wing for wing in self._pair_wings(rest, length))
        return sorted_texts(body + wing for wing in self._solo_wings(rest, length, start, length))

    def _solo_wings(self, rest: int, size: int, start: int, length: int) -> list[int]:
        """Return every choice of so many single kickers."""
        options = [
            (
                ONE[rank],
                [copies for copies in self._wings.copies(is_beside(rank, start, length)) if copies <= has],
            )
            for rank in range(KINDS)
            if (has := count_of(rest, rank))
        ]
        found = _choices(options, size)
        return found if self._wings.rocket_as_kickers else [wing for wing in found if wing & ROCKET != ROCKET]

    def _pair_wings(self, rest: int, pairs: int) -> list[int]:
        """Return every choice of so many pairs."""
        options = [
            (2 * ONE[rank], [0, 1, 2] if has == 4 and self._wings.bomb_in_kickers else [0, 1])
            for rank in range(KINDS)
            if (has := count_of(rest, rank)) >= 2
        ]
        return _choices(options, pairs)


def _choices(options: list[tuple[int, list[int]]], size: int) -> list[int]:
    """Return every way to take so many: (what one is, how many may be taken) for each kind."""
    taken: list[list[int]] = [[0], *[[] for _ in range(size)]]
    for one, counts in options:
        # The fuller ones first, so that what this kind adds does not get more of the same kind.
        for filled in range(size - 1, -1, -1):
            for count in counts:
                if 0 < count <= size - filled:
                    taken[filled + count] += [wing + count * one for wing in taken[filled]]
    return taken[size]


def _masks(hand: int) -> tuple[int, int, int]:
    """Return the ranks that occur at least once, twice, three times."""
    return (
        (hand | hand >> 1 | hand >> 2) & LOW,
        (hand >> 1 | hand >> 2) & LOW,
        (hand & hand >> 1 | hand >> 2) & LOW,
    )


@cache
def book_of(wings: Wings) -> Book:
    """Return the plays under a combination of options."""
    return Book(wings)

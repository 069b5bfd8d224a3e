"""Tables of action texts that fill as they are used, and what makes their entries.

A table that grows beyond its bound is emptied, so that all of them together stay small whatever is played.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final, TypeVar

from engine.doudizhu.cards import KINDS, LOW, ONE, TWO, format_cards, ranks_of
from engine.doudizhu.readings import BOMB, PAIR, PAIR_CHAIN, SOLO, SOLO_CHAIN, TRIO, TRIO_CHAIN, chain_mask

PLAY: Final = "play "
"""How the text of a play begins."""

AS: Final = " as "
"""What stands before the type a play is named by."""

ENTRIES_MAX: Final = 8_192
"""The most entries of one table."""

SOLOS_MAX: Final = 1 << KINDS
"""The most entries of the table that is asked most: one for each mask."""

WINGS_MAX: Final = 1_024
"""The most entries of a table of wings, whose entries are long."""

TEXTS_MAX: Final = 32_768
"""The most plays whose text is remembered; there are about 28,000."""

ALL_ENTRIES_MAX: Final = 160_000
"""The most entries of the tables of all combinations of options together, some 250 bytes each."""

Texts = tuple[str, ...]

ABOVE: Final = tuple([LOW >> 4 * (rank + 1) << 4 * (rank + 1) for rank in range(KINDS)])
"""The mask of the ranks above each rank."""

PASS: Final = "pass"  # noqa: S105 - an action, no password

ONLY_PASS: Final = (PASS,)

ROCKET_PLAY: Final = PLAY + "BR"

COPIES: Final = {SOLO: 1, PAIR: 2, TRIO: 3, BOMB: 4, SOLO_CHAIN: 1, PAIR_CHAIN: 2, TRIO_CHAIN: 3}

K = TypeVar("K")
V = TypeVar("V")


class Budget:
    """How many entries some tables may have together; when they have more, all of them are emptied."""

    __slots__ = ("_entries", "_tables", "_used")

    def __init__(self, entries: int) -> None:
        self._entries = entries
        self._used = 0
        self._tables: list[dict[Any, Any]] = []

    def join(self, table: dict[Any, Any]) -> None:
        """Let a table live on this budget."""
        self._tables.append(table)

    def spend(self) -> None:
        """Count a new entry."""
        self._used += 1
        if self._used > self._entries:
            for table in self._tables:
                table.clear()
            self._used = 1


class Table(dict[K, V]):
    """A dictionary that makes what it lacks, and is emptied when it, or its budget, is full."""

    __slots__ = ("_bound", "_budget", "_make")

    def __init__(
        self, make: Callable[[K], V], bound: int = ENTRIES_MAX, budget: Budget | None = None
    ) -> None:
        super().__init__()
        self._make = make
        self._bound = bound
        self._budget = budget
        if budget is not None:
            budget.join(self)

    def __missing__(self, key: K) -> V:
        if len(self) >= self._bound:
            self.clear()
        value = self._make(key)
        if self._budget is not None:
            self._budget.spend()
        self[key] = value
        return value


_TEXTS: Final[Table[int, str]] = Table(lambda cards: PLAY + format_cards(cards), TEXTS_MAX)


def text_of(cards: int) -> str:
    """Return the text of a play."""
    return _TEXTS[cards]


def sorted_texts(cards: Iterable[int]) -> Texts:
    """Return the texts of plays, sorted."""
    return tuple(sorted([_TEXTS[at] for at in cards]))


def pairwise(cards: int) -> int:
    """Return cards with no more than two of a rank: enough where two kickers are chosen."""
    return ((cards | cards >> 1 | cards >> 2) & LOW) + ((cards >> 1 | cards >> 2) & LOW)


def equal_plays(copies: int) -> Callable[[int], Texts]:
    """Return what makes the plays of so many equal cards from a mask of ranks."""
    return lambda mask: sorted_texts(copies * ONE[rank] for rank in ranks_of(mask))


def starts(mask: int, length: int) -> int:
    """Return the mask of the lowest ranks of all chains of a length within a mask."""
    for _ in range(1, length):
        mask &= mask >> 4
        if not mask:
            break
    return mask


def all_chains(copies: int, shortest: int) -> Callable[[int], Texts]:
    """Return what makes the chains of every length from a mask of chainable ranks."""

    def make(mask: int) -> Texts:
        found = []
        for length in range(shortest, TWO + 1):
            heads = starts(mask, length)
            if not heads or copies * length > 20:
                break
            found += [copies * chain_mask(rank, length) for rank in ranks_of(heads)]
        return sorted_texts(found)

    return make


def chains(copies: int) -> Callable[[tuple[int, int]], Texts]:
    """Return what makes the chains of one length from (length, mask of their heads)."""
    return lambda key: sorted_texts(copies * chain_mask(rank, key[0]) for rank in ranks_of(key[1]))

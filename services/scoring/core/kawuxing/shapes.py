"""Complete hands of 卡五星 and what a hand waits for (rules §4): plain recursion, suit by suit."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Final

from services.scoring.core.kawuxing.tiles import (
    COPIES,
    DRAGONS,
    KINDS,
    RANKS,
    counted,
    spread,
    suit_of,
    word_of,
)

_SUITS: Final = (
    (0, RANKS),
    (RANKS, 2 * RANKS),
    (2 * RANKS, DRAGONS[0]),
    (DRAGONS[0], KINDS),
)
"""Where each suit begins and ends in a hand's counts; the last one has no runs."""

SUITS_KEPT: Final = 8192
"""How many suits' partings are remembered."""

PAIRS: Final = 7


@dataclass(frozen=True, slots=True, order=True)
class Part:
    """A set or the pair of a concealed hand."""

    shape: str
    """`triplet`, `run` or `pair`."""
    kind: int
    """The tile; of a run the lowest."""

    @property
    def kinds(self) -> tuple[int, ...]:
        """The tiles."""
        if self.shape == "run":
            return (self.kind, self.kind + 1, self.kind + 2)
        return (self.kind,) * (2 if self.shape == "pair" else 3)

    @property
    def word(self) -> str:
        """The tiles as one word."""
        return word_of(self.kinds)


Parting = tuple[Part, ...]
"""A way to part tiles into sets and at most one pair."""


@lru_cache(maxsize=SUITS_KEPT)
def _partings(suit: tuple[int, ...], start: int, may_pair: bool) -> tuple[Parting, ...]:
    """Return the ways to part the tiles of one suit into sets, and one pair if there must be one."""
    lowest = next((place for place, count in enumerate(suit) if count), None)
    if lowest is None:
        return () if may_pair else ((),)
    found: list[Parting] = []
    for shape, kinds in _beginnings(suit, lowest, start, may_pair):
        rest = list(suit)
        for place in kinds:
            rest[place] -= 1
        part = Part(shape, start + lowest)
        tail = _partings(tuple(rest), start, may_pair and shape != "pair")
        found += [(part, *others) for others in tail]
    return tuple(found)


def _beginnings(
    suit: tuple[int, ...], lowest: int, start: int, may_pair: bool
) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Yield what the lowest tile of a suit can be part of."""
    if suit[lowest] > 2:
        yield "triplet", (lowest,) * 3
    if suit[lowest] > 1 and may_pair:
        yield "pair", (lowest,) * 2
    if start < DRAGONS[0] and lowest + 2 < RANKS and suit[lowest + 1] and suit[lowest + 2]:
        yield "run", (lowest, lowest + 1, lowest + 2)


def _by_suit(counts: Sequence[int]) -> list[tuple[Parting, ...]] | None:
    """Return each suit's partings, or None if the hand cannot be complete."""
    found = []
    pairs = 0
    for start, end in _SUITS:
        suit = tuple(counts[start:end])
        over = sum(suit) % 3
        pairs += over == 2
        if over == 1 or pairs > 1:
            return None
        ways = _partings(suit, start, over == 2)
        if not ways:
            return None
        found.append(ways)
    return found if pairs else None


def partings(counts: Sequence[int]) -> Iterator[Parting]:
    """Yield every way to part concealed tiles into sets and exactly one pair."""
    for ways in product(*(_by_suit(counts) or [()])):
        yield tuple(part for way in ways for part in way)


def is_standard(counts: Sequence[int]) -> bool:
    """Say whether concealed tiles part into sets and exactly one pair."""
    return _by_suit(counts) is not None


def is_seven_pairs(counts: Sequence[int]) -> bool:
    """Say whether concealed tiles are 七对; four equal ones are two pairs."""
    return sum(counts) == 2 * PAIRS and not any(count % 2 for count in counts)


def is_complete(counts: Sequence[int]) -> bool:
    """Say whether concealed tiles win."""
    return is_standard(counts) or is_seven_pairs(counts)


def waits(
    counts: Sequence[int], laid: Sequence[int], among: Sequence[int], *, fixed: Sequence[int] = ()
) -> tuple[int, ...]:
    """Return the tiles a hand waits for, in order.

    Args:
        counts: The concealed tiles.
        laid: The tiles in melds, as counts; all four of a kind in hand and melds together bar waiting for it.
        among: The kinds in play.
        fixed: Kinds of concealed triplets that are taken as sets; then 七对 is left out.
    """
    rest = list(counts)
    for kind in fixed:
        rest[kind] -= 3
    won = is_standard if fixed else is_complete
    found = []
    for kind in _hopeful(rest, among):
        if counts[kind] + laid[kind] >= COPIES:
            continue
        rest[kind] += 1
        if won(rest):
            found.append(kind)
        rest[kind] -= 1
    return tuple(found)


def _hopeful(counts: Sequence[int], among: Sequence[int]) -> list[int]:
    """Return kinds a hand might wait for: of 七对 the odd one, else those of the suit that wants a tile."""
    odd = [kind for kind in among if counts[kind] % 2]
    wanting = []
    for number, (start, end) in enumerate(_SUITS):
        suit = tuple(counts[start:end])
        over = sum(suit) % 3
        if over == 1 or not _partings(suit, start, over == 2):
            wanting.append(number)
    if len(wanting) > 1:
        return odd if len(odd) == 1 else []
    return [kind for kind in among if not wanting or suit_of(kind) == wanting[0] or [kind] == odd]


def pairs_of(counts: Sequence[int]) -> Parting:
    """Return the pairs of a 七对, in order."""
    return tuple(Part("pair", kind) for kind in spread(counts)[::2])


def part_of_word(kinds: Sequence[int]) -> Part | None:
    """Return the part that some tiles are, or None."""
    lowest = min(kinds, default=0)
    for part in (Part("pair", lowest), Part("triplet", lowest), Part("run", lowest)):
        is_run_of_suit = lowest < DRAGONS[0] and lowest % RANKS + 2 < RANKS
        if (part.shape != "run" or is_run_of_suit) and counted(kinds) == counted(part.kinds):
            return part
    return None

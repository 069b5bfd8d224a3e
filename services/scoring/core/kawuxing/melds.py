"""Melds of 卡五星, and what a concealed hand with melds is."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from services.scoring.core.kawuxing.shapes import waits
from services.scoring.core.kawuxing.tiles import KINDS, Counts

PENG: Final = "peng"
KONGS: Final = ("an", "ming", "bu")
MELD_KINDS: Final = (PENG, *KONGS)


@dataclass(frozen=True, slots=True)
class Meld:
    """A meld on the table."""

    how: str
    """`peng`, `an`, `ming`, `bu`."""
    kind: int
    held_three: bool = False
    """A 碰 made while holding three: its fourth tile is still in the hand."""

    @property
    def is_kong(self) -> bool:
        """Whether it has four tiles."""
        return self.how in KONGS

    @property
    def size(self) -> int:
        """How many tiles lie there."""
        return 4 if self.is_kong else 3


def laid(melds: Sequence[Meld]) -> Counts:
    """Return the tiles in melds as counts."""
    counts = [0] * KINDS
    for meld in melds:
        counts[meld.kind] += meld.size
    return counts


def waits_of(
    counts: Sequence[int], melds: Sequence[Meld], among: Sequence[int], *, fixed: Sequence[int] = ()
) -> tuple[int, ...]:
    """Return what a hand with melds waits for (rules §4); `fixed` as in `shapes.waits`."""
    return waits(counts, laid(melds), among, fixed=fixed)

"""The laid melds of 清混碰."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from engine.mahjong.tiles import HONOURS, SUIT, TILE_TEXTS

CHI: Final = "chi"
PENG: Final = "peng"
AN: Final = "an"
BU: Final = "bu"
MING: Final = "ming"
KONGS: Final = frozenset({AN, BU, MING})
"""暗杠, 补杠, 直杠."""

CLAIMED: Final = frozenset({CHI, PENG, BU, MING})
"""Melds that took another seat's discard."""


class Laid(NamedTuple):
    """A meld on the table."""

    kind: str
    """``chi``, ``peng``, ``an``, ``bu`` or ``ming``."""
    tile: int
    """Of a run the lowest."""
    source: int = -1
    """The seat whose discard it took, the own one for a 暗杠; -1 where it does not matter."""

    @property
    def size(self) -> int:
        """How many tiles lie there."""
        return 4 if self.kind in KONGS else 3

    @property
    def tiles(self) -> tuple[int, ...]:
        """The tiles that lie there."""
        if self.kind == CHI:
            return (self.tile, self.tile + 1, self.tile + 2)
        return (self.tile,) * self.size

    @property
    def text(self) -> str:
        """The meld as one word, for example ``peng:p5``."""
        return f"{self.kind}:{TILE_TEXTS[self.tile]}"


def keeps_pattern(melds: Sequence[Laid], kind: str, tile: int) -> bool:
    """Return whether one meld more leaves 清, 混 or 碰 open (option ``claim_lock``, Rule 2).

    Either no run lies among the melds, or all of them that are in suits are in one.
    """
    suits = {SUIT[meld.tile] for meld in melds}
    suits.add(SUIT[tile])
    suits.discard(HONOURS)
    return len(suits) < 2 or not (kind == CHI or any(meld.kind == CHI for meld in melds))

"""The laid melds of 卡五星."""

from __future__ import annotations

from typing import Final, NamedTuple

from engine.mahjong.tiles import TILE_TEXTS

PENG: Final = "peng"
AN: Final = "an"
BU: Final = "bu"
MING: Final = "ming"
KONGS: Final = frozenset({AN, BU, MING})
"""暗杠, 补杠, 直杠."""


class Laid(NamedTuple):
    """A meld on the table."""

    kind: str
    """``peng``, ``an``, ``bu`` or ``ming``."""
    tile: int

    @property
    def size(self) -> int:
        """How many tiles lie there."""
        return 3 if self.kind == PENG else 4

    @property
    def text(self) -> str:
        """The meld as one word, for example ``peng:p5``."""
        return f"{self.kind}:{TILE_TEXTS[self.tile]}"

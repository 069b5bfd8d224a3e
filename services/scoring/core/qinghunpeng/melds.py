"""Melds on the table: 吃, 碰 and the three kongs."""

from collections.abc import Iterable
from typing import Final, NamedTuple

from services.scoring.core.qinghunpeng.tiles import FIRST_DRAGON, is_honour

KONGS: Final = ("ming", "bu", "an")
"""直杠, 补杠, 暗杠."""
KINDS_OF_MELD: Final = ("chi", "peng", *KONGS)

TRIPLET_FLOWERS: Final = {"wind": 1, "dragon": 2}
"""Flowers that three alike are worth (rules §4)."""
KONG_FLOWERS: Final = {"ming": 1, "bu": 1, "an": 2}
"""Flowers that a kong is worth besides."""


class Meld(NamedTuple):
    """One meld: its kind and its tile, of a chow the lowest."""

    form: str
    tile: int
    source: int = -1
    """The seat whose discard it took; of a 暗杠 the own seat."""

    @property
    def kinds(self) -> tuple[int, ...]:
        """The kinds of its three or four tiles."""
        if self.form == "chi":
            return (self.tile, self.tile + 1, self.tile + 2)
        return (self.tile,) * (4 if self.form in KONGS else 3)

    @property
    def flowers(self) -> int:
        """Flowers it is worth."""
        if self.form == "chi":
            return 0
        return triplet_flowers(self.tile) + KONG_FLOWERS.get(self.form, 0)


def triplet_flowers(tile: int) -> int:
    """Return the flowers of three alike: a wind 1, a dragon 2, concealed or not."""
    if not is_honour(tile):
        return 0
    return TRIPLET_FLOWERS["dragon" if tile >= FIRST_DRAGON else "wind"]


def allows_clean(melds: Iterable[Meld]) -> bool:
    """Say whether melds still allow 清, 混 or 碰: no chow, or one suit (rules §2, the lock)."""
    laid = tuple(melds)
    suits = {meld.tile // 9 for meld in laid if not is_honour(meld.tile)}
    return len(suits) <= 1 or all(meld.form != "chi" for meld in laid)

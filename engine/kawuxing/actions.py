"""The actions of 卡五星 as text (docs/games/kawuxing.md, "Actions")."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from engine.errors import BadNotation
from engine.mahjong.tiles import FIELD, FIELD_BITS, TILE_TEXTS, counts_of_field, parse_tile

PASS: Final = "pass"  # noqa: S105 - an action, no password
HU: Final = "hu"
PENG: Final = "peng"
DISCARD: Final = tuple([f"discard {text}" for text in TILE_TEXTS])
"""The discard of each tile."""

GANG_AN: Final = tuple([f"gang an {text}" for text in TILE_TEXTS])
GANG_BU: Final = tuple([f"gang bu {text}" for text in TILE_TEXTS])
GANG_MING: Final = tuple([f"gang ming {text}" for text in TILE_TEXTS])
"""暗杠, 补杠 and 直杠 of each tile."""

PIAO: Final = tuple([f"piao {stake}" for stake in range(11)])
"""The stakes of 漂."""

DISCARDED: Final = {action: tile for tile, action in enumerate(DISCARD)}
"""The tile of each discard."""

PLAIN: Final = {
    **{action: ("discard", tile) for tile, action in enumerate(DISCARD)},
    **{action: ("an", tile) for tile, action in enumerate(GANG_AN)},
    **{action: ("bu", tile) for tile, action in enumerate(GANG_BU)},
    **{action: ("ming", tile) for tile, action in enumerate(GANG_MING)},
    **{action: ("piao", stake) for stake, action in enumerate(PIAO)},
    HU: ("hu", -1),
    PENG: ("peng", -1),
    PASS: ("pass", -1),
}
"""What every action but 亮倒 means: its kind, and its tile or stake."""

_ACTION_CHARS_MAX: Final = 24
_KOU_MAX: Final = 4


def liang(tile: int, kou: Sequence[int]) -> str:
    """Return 亮倒 with a discard and the tiles of the 扣 triplets."""
    return " ".join(["liang", TILE_TEXTS[tile], *[TILE_TEXTS[hidden] for hidden in sorted(kou)]])


@lru_cache(maxsize=4_096)
def split_liang(action: str) -> tuple[int, tuple[int, ...]]:
    """Return the discard and the 扣 tiles of a 亮倒.

    Raises:
        BadNotation: It is none, or a tile stands twice.
    """
    words = action.split(" ")
    if words[0] != "liang" or not 2 <= len(words) <= 2 + _KOU_MAX:
        raise BadNotation("an action", action)
    tiles = [parse_tile(word) for word in words[1:]]
    kou = tuple(sorted(tiles[1:]))
    if len(set(kou)) < len(kou):
        raise BadNotation("different hidden triplets", action)
    return tiles[0], kou


def parse_action(text: object) -> str:
    """Return an action in canonical form: the 扣 tiles of a 亮倒 in order.

    Raises:
        BadNotation: The text is no action of 卡五星.
    """
    if not isinstance(text, str) or len(text) > _ACTION_CHARS_MAX:
        raise BadNotation("an action", text)
    if text in PLAIN:
        return text
    return liang(*split_liang(text))


@lru_cache(maxsize=32_768)
def _field_discards(field: int, content: int) -> tuple[str, ...]:
    return tuple([DISCARD[9 * field + rank] for rank, _ in counts_of_field(content)])


def discards(hand: int) -> tuple[str, ...]:
    """Return the discard of every different tile of a hand, sorted by text."""
    return (
        _field_discards(0, hand & FIELD)
        + _field_discards(1, hand >> FIELD_BITS & FIELD)
        + _field_discards(2, hand >> 2 * FIELD_BITS & FIELD)
        + _field_discards(3, hand >> 3 * FIELD_BITS)
    )

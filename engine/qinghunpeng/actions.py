"""The actions of 清混碰 as text (docs/games/qinghunpeng.md, "Actions")."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from engine.errors import BadNotation
from engine.mahjong.tiles import FIELD, FIELD_BITS, RANK, SUIT, TILE_TEXTS, counts_of_field

PASS: Final = "pass"  # noqa: S105 - an action, no password
HU: Final = "hu"
PENG: Final = "peng"
DISCARD: Final = tuple([f"discard {text}" for text in TILE_TEXTS])
"""The discard of each tile."""

CHI: Final = {
    tile: f"chi {text}" for tile, text in enumerate(TILE_TEXTS) if SUIT[tile] < 3 and RANK[tile] < 7
}
"""The 吃 of each run, by its lowest tile."""

GANG_AN: Final = tuple([f"gang an {text}" for text in TILE_TEXTS])
GANG_BU: Final = tuple([f"gang bu {text}" for text in TILE_TEXTS])
GANG_MING: Final = tuple([f"gang ming {text}" for text in TILE_TEXTS])
"""暗杠, 补杠 and 直杠 of each tile."""

DISCARDED: Final = {action: tile for tile, action in enumerate(DISCARD)}
"""The tile of each discard."""

MEANING: Final[dict[str, tuple[str, int]]] = {
    **{action: ("discard", tile) for tile, action in enumerate(DISCARD)},
    **{action: ("chi", tile) for tile, action in CHI.items()},
    **{action: ("an", tile) for tile, action in enumerate(GANG_AN)},
    **{action: ("bu", tile) for tile, action in enumerate(GANG_BU)},
    **{action: ("ming", tile) for tile, action in enumerate(GANG_MING)},
    HU: ("hu", -1),
    PENG: ("peng", -1),
    PASS: ("pass", -1),
}
"""What every action means: its kind and its tile."""


def parse_action(text: object) -> str:
    """Return an action; a text has one form only.

    Raises:
        BadNotation: The text is no action of 清混碰.
    """
    if not isinstance(text, str) or text not in MEANING:
        raise BadNotation("an action", text)
    return text


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


@lru_cache(maxsize=65_536)
def runs(content: int, tile: int) -> tuple[str, ...]:
    """Return the 吃 of a tile with two others of a field's content, sorted by text."""
    rank = RANK[tile]
    held = {at for at, _ in counts_of_field(content)}
    return tuple(
        [
            CHI[tile - rank + low]
            for low in (rank - 2, rank - 1, rank)
            if 0 <= low <= 6 and all(at == rank or at in held for at in (low, low + 1, low + 2))
        ]
    )

"""What games, presets, options and the values of options are called, for people, Chinese and English.

One module per game; `services.table.catalog` puts them together with what the engine knows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

Name = tuple[str, str]
"""Chinese, English."""

MONEY_TEXTS: Final[Mapping[str, str]] = {
    "win_cap_by_balance": "赢家一局赢的金币，不超过自己身上的金币。",
    "base_stake": "一分合多少金币。",
    "fee": "每家每局要付的台费（金币），不归任何一家。",
}
"""What every game says of its options about money."""


@dataclass(frozen=True, slots=True)
class Titles:
    """The names of one game."""

    game: Name
    presets: Mapping[str, Name]
    options: Mapping[str, Name]
    texts: Mapping[str, str]
    """By option: what it does, a sentence in Chinese; the engine has the English one (``OptionInfo.doc``)."""
    values: Mapping[str, Mapping[str, Name]] = field(default_factory=dict)
    """By option that is a choice, and value."""

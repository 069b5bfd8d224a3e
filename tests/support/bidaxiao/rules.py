"""The options and presets of 比大小."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any, Final

from engine.options import check, flag, infos, number
from engine.presets import Presets


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleSet:
    """Every option of a round, with the preset they come from.

    Raises:
        BadOption: A value is of the wrong type or out of its range.
    """

    preset: str
    version: int
    low_wins: bool = flag("Whether the lower sum wins.", "§3")
    stake: int = number("Points the loser pays.", "§4", 1, 100)

    def __post_init__(self) -> None:
        for name in OPTIONS:
            check(OPTIONS, name, getattr(self, name))

    def options(self) -> dict[str, Any]:
        """Return every option by name, sorted."""
        return {name: getattr(self, name) for name in sorted(OPTIONS)}

    def as_json(self) -> str:
        """Return the options as canonical JSON."""
        return json.dumps(self.options(), sort_keys=True, separators=(",", ":"))

    @property
    def title(self) -> str:
        """`preset@version`."""
        return f"{self.preset}@{self.version}"


OPTIONS: Final = infos(RuleSet)
_HIGH: Final = RuleSet(preset="high", version=1, low_wins=False, stake=1)
BOOK: Final = Presets((_HIGH, replace(_HIGH, preset="low", low_wins=True)), OPTIONS)

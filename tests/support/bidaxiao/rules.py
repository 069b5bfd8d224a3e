"""The options and presets of 比大小."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from engine.options import Options, flag, infos, number
from engine.presets import Presets


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleSet(Options):
    """Every option of a round, with the preset they come from.

    Raises:
        BadOption: A value is of the wrong type or out of its range.
    """

    low_wins: bool = flag("Whether the lower sum wins.", "§3")
    stake: int = number("Points the loser pays.", "§4", 1, 100)


OPTIONS: Final = infos(RuleSet)
_HIGH: Final = RuleSet(preset="high", version=1, low_wins=False, stake=1)
BOOK: Final = Presets((_HIGH, replace(_HIGH, preset="low", low_wins=True)), OPTIONS)

"""What games, presets, options and the values of options are called, for people, Chinese and English.

One module per game; `services.table.catalog` puts them together with what the engine knows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

Name = tuple[str, str]
"""Chinese, English."""


@dataclass(frozen=True, slots=True)
class Titles:
    """The names of one game."""

    game: Name
    presets: Mapping[str, Name]
    options: Mapping[str, Name]
    values: Mapping[str, Mapping[str, Name]] = field(default_factory=dict)
    """By option that is a choice, and value."""

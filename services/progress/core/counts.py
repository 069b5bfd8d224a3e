"""Counts of play: what one settled round adds to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

SELF_DRAWS: Final = frozenset({"zimo", "gangkai", "bahua"})
"""How a round was won by nobody's card but the winner's own."""


@dataclass(frozen=True, slots=True)
class SeatResult:
    """A seat of a settled round."""

    player_id: str
    is_bot: bool
    points: int
    won: bool


@dataclass(frozen=True, slots=True)
class RoundResult:
    """A settled round, as far as it counts."""

    round_id: str
    game: str
    preset: str
    seats: Sequence[SeatResult]
    end: str
    how: str
    huxi: int
    names: Mapping[str, int]


@dataclass(slots=True)
class Counts:
    """What a player has played of one game and preset."""

    rounds: int = 0
    wins: int = 0
    draws: int = 0
    self_draws: int = 0
    points: int = 0
    best_points: int = 0
    best_huxi: int = 0
    names: dict[str, int] = field(default_factory=dict)

    def add(self, result: RoundResult, seat: SeatResult) -> None:
        """Count a round that one sat in."""
        self.rounds += 1
        self.points += seat.points
        self.draws += result.end == "draw"
        if not seat.won:
            return
        self.wins += 1
        self.self_draws += result.how in SELF_DRAWS
        self.best_points = max(self.best_points, seat.points)
        self.best_huxi = max(self.best_huxi, result.huxi)
        for name in result.names:
            self.names[name] = self.names.get(name, 0) + 1

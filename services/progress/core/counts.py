"""Counts of play: what one settled round adds to them.

Everything here is a sum, a minimum or a maximum: in whatever order rounds come, the counts are the same.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

SELF_DRAWS: Final = frozenset({"zimo", "gangkai", "bahua"})
"""How a round was won by nobody's card but the winner's own."""

DISCARDS: Final = frozenset({"discard", "gangpao", "qianggang"})
"""How a round was won with a card of another seat's: thrown (放炮), or robbed of (抢杠). A card off the wall
is nobody's, whoever it was turned up for."""


@dataclass(frozen=True, slots=True)
class SeatResult:
    """A seat of a settled round."""

    player_id: str
    is_bot: bool
    points: int
    won: bool
    seat: int = -1
    """Its number, for `RoundResult.from_seat`."""


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
    fan: int = 0
    from_seat: int = -1
    """Whose card it was; counts only where `how` is one of `DISCARDS`."""
    at_ms: int = 0
    """When it ended, Unix milliseconds."""

    def dealt_in(self, seat: SeatResult) -> bool:
        """Return whether another has won with a card of this seat."""
        return self.is_off_discard and not seat.won and seat.seat == self.from_seat

    @property
    def is_off_discard(self) -> bool:
        """Whether it was won with a card of another seat."""
        return self.how in DISCARDS and any(seat.won for seat in self.seats)


@dataclass(frozen=True, slots=True)
class Best:
    """The hand that won the most; of equal ones the first."""

    points: int
    at_ms: int
    round_id: str
    huxi: int
    fan: int
    how: str
    names: Mapping[str, int]

    @classmethod
    def of(cls, result: RoundResult, points: int) -> Best:
        """Return a won hand."""
        return cls(
            points, result.at_ms, result.round_id, result.huxi, result.fan, result.how, dict(result.names)
        )

    def beats(self, other: Best | None) -> bool:
        """Return whether this hand is to be shown instead of another; the order is total."""
        if other is None:
            return True
        return (-self.points, self.at_ms, self.round_id) < (-other.points, other.at_ms, other.round_id)

    def as_text(self) -> str:
        """Return it as it is kept."""
        values = [self.points, self.at_ms, self.round_id, self.huxi, self.fan, self.how, dict(self.names)]
        return json.dumps(values, ensure_ascii=False, sort_keys=True)

    @classmethod
    def from_text(cls, text: str) -> Best | None:
        """Return what `as_text` wrote; nothing of an empty text."""
        return cls(*json.loads(text)) if text else None


@dataclass(slots=True)
class Counts:
    """What a player has played of one game and preset."""

    rounds: int = 0
    wins: int = 0
    draws: int = 0
    self_draws: int = 0
    deal_ins: int = 0
    """Rounds that another won with his card."""
    discard_rounds: int = 0
    """Rounds of his that anybody won with another seat's card: where there are none, there is no 放炮."""
    points: int = 0
    won_points: int = 0
    """Of the rounds he won."""
    best_huxi: int = 0
    best: Best | None = None
    names: dict[str, int] = field(default_factory=dict)
    first_at_ms: int = 0
    last_at_ms: int = 0

    def add(self, result: RoundResult, seat: SeatResult) -> None:
        """Count a round that one sat in."""
        self.rounds += 1
        self.points += seat.points
        self.draws += result.end == "draw"
        self.discard_rounds += result.is_off_discard
        self.deal_ins += result.dealt_in(seat)
        self.first_at_ms = min(self.first_at_ms or result.at_ms, result.at_ms)
        self.last_at_ms = max(self.last_at_ms, result.at_ms)
        if not seat.won:
            return
        self.wins += 1
        self.self_draws += result.how in SELF_DRAWS
        self.won_points += seat.points
        self.best_huxi = max(self.best_huxi, result.huxi)
        hand = Best.of(result, seat.points)
        if hand.beats(self.best):
            self.best = hand
        for name in result.names:
            self.names[name] = self.names.get(name, 0) + 1

    def as_row(self) -> dict[str, Any]:
        """Return it as columns."""
        return {name: getattr(self, name) for name in NUMBERS} | {
            "best": self.best.as_text() if self.best is not None else "",
            "names": json.dumps(self.names, ensure_ascii=False, sort_keys=True),
        }

    @classmethod
    def from_row(cls, row: Any) -> Counts:
        """Return what `as_row` wrote."""
        numbers = {name: getattr(row, name) for name in NUMBERS}
        return cls(**numbers, best=Best.from_text(row.best), names=json.loads(row.names))


NUMBERS: Final = (
    "rounds",
    "wins",
    "draws",
    "self_draws",
    "deal_ins",
    "discard_rounds",
    "points",
    "won_points",
    "best_huxi",
    "first_at_ms",
    "last_at_ms",
)
"""Fields of `Counts` that are numbers; each is a column of its name."""


@dataclass(slots=True)
class DayCounts:
    """What a player has played of one game and preset on one day."""

    rounds: int = 0
    wins: int = 0
    self_draws: int = 0
    deal_ins: int = 0
    points: int = 0

    def add(self, result: RoundResult, seat: SeatResult) -> None:
        """Count a round that one sat in."""
        self.rounds += 1
        self.wins += seat.won
        self.self_draws += seat.won and result.how in SELF_DRAWS
        self.deal_ins += result.dealt_in(seat)
        self.points += seat.points

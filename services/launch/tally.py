"""What a simulation counts, and how sure its shares are."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

Z_95 = 1.959964
"""Standard normal quantile of a two-sided 95 % interval."""


@dataclass
class Tally:
    """Counts over rounds; tallies of parts add up to the tally of the whole."""

    rounds: int = 0
    ended: int = 0
    disagreements: int = 0
    conservation_errors: int = 0
    zero_sum_errors: int = 0
    draws: int = 0
    self_draws: int = 0
    actions: int = 0
    names: Counter[str] = field(default_factory=Counter)
    wins: Counter[str] = field(default_factory=Counter)
    """Rounds won by a bot, whichever seat it had."""
    seated: Counter[str] = field(default_factory=Counter)
    """Seats of a bot in rounds that somebody won."""
    points: Counter[str] = field(default_factory=Counter)
    """Points of a bot over all its seats."""
    disputed: list[str] = field(default_factory=list)
    """What scoring said of the first disputed rounds."""

    def add(self, other: Tally) -> None:
        """Count another part in."""
        self.rounds += other.rounds
        self.ended += other.ended
        self.disagreements += other.disagreements
        self.conservation_errors += other.conservation_errors
        self.zero_sum_errors += other.zero_sum_errors
        self.draws += other.draws
        self.self_draws += other.self_draws
        self.actions += other.actions
        for mine, theirs in (
            (self.names, other.names),
            (self.wins, other.wins),
            (self.seated, other.seated),
            (self.points, other.points),
        ):
            # `Counter.update` keeps zero and negative counts, `+` would drop them.
            mine.update(theirs)
        self.disputed = (self.disputed + other.disputed)[:DISPUTED_MAX]

    @property
    def is_clean(self) -> bool:
        """Whether every round ended, kept its cards, summed to zero and was agreed to."""
        return self.ended == self.rounds and not (
            self.disagreements or self.conservation_errors or self.zero_sum_errors
        )

    def wins_per_bot(self) -> dict[str, dict[str, Any]]:
        """Return for each bot its wins, its seats in decided rounds, the share and its 95 % interval."""
        table: dict[str, dict[str, Any]] = {}
        for bot in sorted(self.seated | self.wins):
            wins, seats = self.wins[bot], self.seated[bot]
            low, high = wilson(wins, seats)
            table[bot] = {
                "wins": wins,
                "seats": seats,
                "share": round(wins / seats, 4) if seats else None,
                "low": round(low, 4),
                "high": round(high, 4),
                "points": self.points[bot],
            }
        return table


DISPUTED_MAX = 5
"""Disputed rounds that are told in words; all are counted."""


def wilson(successes: int, trials: int) -> tuple[float, float]:
    """Return the 95 % Wilson interval of a share; everything is possible where nothing was tried.

    >>> [round(bound, 3) for bound in wilson(50, 100)]
    [0.404, 0.596]
    >>> wilson(0, 0)
    (0.0, 1.0)
    """
    if trials == 0:
        return 0.0, 1.0
    share, z2 = successes / trials, Z_95 * Z_95
    middle = (share + z2 / (2 * trials)) / (1 + z2 / trials)
    reach = Z_95 / (1 + z2 / trials) * math.sqrt(share * (1 - share) / trials + z2 / (4 * trials * trials))
    return max(0.0, middle - reach), min(1.0, middle + reach)


def rotated(bots: Sequence[str], by: int) -> tuple[str, ...]:
    """Return the bots `by` seats further on, so that over many matches each sits everywhere equally often."""
    by %= len(bots)
    return (*bots[by:], *bots[:by])

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
    squares: Counter[str] = field(default_factory=Counter)
    """Their squares, seat by seat."""
    sat: Counter[str] = field(default_factory=Counter)
    """Seats of a bot in rounds that ended."""
    won: int = 0
    """Wins; a round may have several."""
    hows: Counter[str] = field(default_factory=Counter)
    """How rounds were won, in the words of their records."""
    name_points: Counter[str] = field(default_factory=Counter)
    """What all wins with a name brought their winners together."""
    multipliers: Counter[int] = field(default_factory=Counter)
    """番, or what the game multiplies a win by."""
    win_points: Counter[int] = field(default_factory=Counter)
    """What a win brought its winner."""
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
        self.won += other.won
        for counts in (
            "names",
            "wins",
            "seated",
            "points",
            "squares",
            "sat",
            "hows",
            "name_points",
            "multipliers",
            "win_points",
        ):
            # `Counter.update` keeps zero and negative counts, `+` would drop them.
            getattr(self, counts).update(getattr(other, counts))
        self.disputed = (self.disputed + other.disputed)[:DISPUTED_MAX]

    @property
    def is_clean(self) -> bool:
        """Whether every round ended, kept its cards, summed to zero and was agreed to."""
        return self.ended == self.rounds and not (
            self.disagreements or self.conservation_errors or self.zero_sum_errors
        )

    def wins_per_bot(self) -> dict[str, dict[str, Any]]:
        """Return for each bot its wins, its seats in decided rounds, the share, and points a round.

        Shares and means have 95 % intervals; the seats of one round are taken as independent, which they
        are not quite. `paiju simulate --duel` compares two bots with less luck in it.
        """
        table: dict[str, dict[str, Any]] = {}
        for bot in sorted(self.sat | self.seated | self.wins):
            wins, seats = self.wins[bot], self.seated[bot]
            mean, half = mean_of(self.points[bot], self.squares[bot], self.sat[bot])
            table[bot] = {
                "wins": wins,
                "seats": seats,
                **rate(wins, seats),
                "points": self.points[bot],
                "points_a_round": round(mean, 3),
                "points_low": round(mean - half, 3),
                "points_high": round(mean + half, 3),
            }
        return table

    def names_found(self) -> dict[str, dict[str, Any]]:
        """Return for each name how often it occurs among the wins, and what such a win brings."""
        return {
            name: {
                "count": count,
                **rate(count, self.won),
                "points": round(self.name_points[name] / count, 2),
            }
            for name, count in sorted(self.names.items(), key=lambda item: (-item[1], item[0]))
        }

    def desk(self) -> dict[str, Any]:
        """Return what an operator asks before he opens a house rule: how often what happens, and how much."""
        decided = self.ended - self.draws
        worth = sorted(self.win_points.elements())
        return {
            "decided": decided,
            "draw": rate(self.draws, self.ended),
            "self_draw": rate(self.self_draws, decided),
            "several_winners": self.won - decided,
            "hows": dict(sorted(self.hows.items(), key=lambda item: (-item[1], item[0]))),
            "names": self.names_found(),
            "multipliers": {str(value): self.multipliers[value] for value in sorted(self.multipliers)},
            "win_points": {
                "mean": round(sum(worth) / len(worth), 2),
                "median": quantile(worth, 0.5),
                "p95": quantile(worth, 0.95),
                "max": worth[-1],
            }
            if worth
            else None,
            "answers_a_round": round(self.actions / self.ended, 1) if self.ended else None,
        }


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


def rate(successes: int, trials: int) -> dict[str, Any]:
    """Return a share with its 95 % interval; no share of nothing.

    >>> rate(50, 100)
    {'share': 0.5, 'low': 0.4038, 'high': 0.5962}
    """
    low, high = wilson(successes, trials)
    share = round(successes / trials, 4) if trials else None
    return {"share": share, "low": round(low, 4), "high": round(high, 4)}


def mean_of(total: int, squares: int, count: int) -> tuple[float, float]:
    """Return a mean and half its 95 % interval; half is infinite below two values.

    >>> mean_of(4, 16, 4)
    (1.0, 1.959964)
    """
    if count < 2:
        return float(total), math.inf
    mean = total / count
    variance = (squares - total * mean) / (count - 1)
    return mean, Z_95 * math.sqrt(max(0.0, variance) / count)


def quantile(values: Sequence[int], share: float) -> int:
    """Return the smallest value that so large a share of the sorted values does not exceed.

    >>> quantile([1, 2, 3, 4], 0.5)
    2
    """
    return values[max(0, math.ceil(share * len(values)) - 1)]


def rotated(bots: Sequence[str], by: int) -> tuple[str, ...]:
    """Return the bots `by` seats further on, so that over many matches each sits everywhere equally often."""
    by %= len(bots)
    return (*bots[by:], *bots[:by])

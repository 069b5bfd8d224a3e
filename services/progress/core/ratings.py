"""How well somebody plays, estimated round by round: Weng and Lin's Bayesian approximation, pair by pair.

R. C. Weng and C.-J. Lin, A Bayesian Approximation Method for Online Ranking, JMLR 12 (2011), algorithm 1
(Bradley-Terry, full pair). A round says of each two people at the table who made more points. In games with
partners nothing is said of two of the same side: that they win together is the rule, and no evidence.
docs/adr/0055-friends-and-ratings.md says why this one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from services.progress.core.counts import RoundResult

MEAN: Final = 1500.0
"""What a newcomer is taken for."""
DEVIATION: Final = 350.0
"""How unsure that is."""
LUCK: Final = 175.0
"""Beta of the paper: how far one round strays from how well its people play."""
DRIFT: Final = 3.5
"""What is added to the deviation before each round: people change, so it never is quite certain."""
VARIANCE_LEFT: Final = 0.0001
"""Kappa of the paper: one round leaves at least this part of a variance."""
PARTNERS: Final = frozenset({"doudizhu"})
"""Games of two sides: who wins with somebody, or loses with him, is his partner."""


@dataclass(frozen=True, slots=True)
class Skill:
    """An estimate."""

    mean: float = MEAN
    deviation: float = DEVIATION
    rounds: int = 0


NEWCOMER: Final = Skill()


@dataclass(frozen=True, slots=True, order=True)
class Key:
    """The place of a round among all of its game: by its end, then by its id."""

    at_ms: int
    round_id: str


@dataclass(frozen=True, slots=True)
class RatedRound:
    """What of a round is rated."""

    key: Key
    game: str
    points: Mapping[str, int]
    """By player, in the order of the seats."""


def rated(result: RoundResult) -> RatedRound | None:
    """Return what of a settled round is rated; None = nothing.

    Only people are rated, and only among each other: a round with a bot in it says how people play against
    bots. Where all made the same points (荒庄) it is not known who played better.
    """
    points = {seat.player_id: seat.points for seat in result.seats}
    if any(seat.is_bot for seat in result.seats) or len(points) != len(result.seats):
        return None
    if len(set(points.values())) < 2:
        return None
    return RatedRound(Key(result.at_ms, result.round_id), result.game, points)


def after(skills: Sequence[Skill], points: Sequence[int], game: str) -> list[Skill]:
    """Return the skills of the people of a table after a round of theirs.

    Args:
        skills: Before it.
        points: Of the same people.
        game: Its name.

    >>> [round(skill.mean) for skill in after([NEWCOMER] * 3, [8, -4, -4], "paohuzi")]
    [1721, 1389, 1389]
    """
    # One after the other in the order of the seats: sums of floats are the same wherever they are made.
    widened = [(one.mean, one.deviation**2 + DRIFT**2) for one in skills]
    found: list[Skill] = []
    for own, (mean, variance) in enumerate(widened):
        gain = shrink = 0.0
        for other, (his_mean, his_variance) in enumerate(widened):
            if other == own or _are_partners(points[own], points[other], game):
                continue
            spread = math.sqrt(variance + his_variance + 2 * LUCK**2)
            expected = 1 / (1 + math.exp((his_mean - mean) / spread))
            made = 0.5 if points[own] == points[other] else float(points[own] > points[other])
            gain += variance / spread * (made - expected)
            shrink += math.sqrt(variance) / spread * variance / spread**2 * expected * (1 - expected)
        left = variance * max(1 - shrink, VARIANCE_LEFT)
        found.append(Skill(mean + gain, math.sqrt(left), skills[own].rounds + 1))
    return found


def _are_partners(points: int, other: int, game: str) -> bool:
    return game in PARTNERS and (points > 0) == (other > 0)

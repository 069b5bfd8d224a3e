"""What a round is worth (Rule 4): 叫分, 抢, bombs, rocket, 春天 and 加倍, to points by seat."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from engine.doudizhu.rules import RuleSet
from engine.face import Line

SEATS: Final = 3

SPRING: Final = "春天"
ANTI_SPRING: Final = "反春天"
BOMBS: Final = "炸弹"
ROCKET_NAME: Final = "火箭"
ROBS: Final = "抢地主"
DOUBLED: Final = "加倍"

WIN: Final = "win"
DRAW: Final = "draw"
"""All declined: the next round is a redeal."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a round ended."""

    end: str
    """``win`` or ``draw``."""
    landlord: int = -1
    last: int = -1
    """The seat that played its last card."""
    bid: int = 0
    robs: int = 0
    """How many times 抢 was said."""
    bombs: int = 0
    rockets: int = 0
    double: tuple[int, ...] = (1, 1, 1)
    spring: str = ""
    """``春天``, ``反春天`` or empty."""
    fan: int = 0
    """What the bid is multiplied by before 加倍; 0 for a draw."""
    points: tuple[int, ...] = (0, 0, 0)

    @property
    def winners(self) -> tuple[int, ...]:
        """The landlord, or both peasants; empty for a draw."""
        if self.end == DRAW:
            return ()
        if self.last == self.landlord:
            return (self.landlord,)
        return tuple([seat for seat in range(SEATS) if seat != self.landlord])

    @property
    def names(self) -> dict[str, int]:
        """What happened that counts, and how often."""
        counts = {
            ROBS: self.robs,
            BOMBS: self.bombs,
            ROCKET_NAME: self.rockets,
            SPRING: int(self.spring == SPRING),
            ANTI_SPRING: int(self.spring == ANTI_SPRING),
            DOUBLED: self.double.count(2),
        }
        return {name: count for name, count in counts.items() if count}

    def result(self) -> dict[str, Any]:
        """Return the Result object (docs/games/doudizhu.md) without the succession."""
        how = "" if self.end == DRAW else "landlord" if self.last == self.landlord else "peasants"
        return {
            "bid": self.bid,
            "bombs": self.bombs,
            "double": list(self.double),
            "end": self.end,
            "fan": self.fan,
            "from": -1,
            "how": how,
            "landlord": self.landlord,
            "last": self.last,
            "names": self.names,
            "points": list(self.points),
            "robs": self.robs,
            "rockets": self.rockets,
            "spring": self.spring,
            "winners": list(self.winners),
        }


def spring_of(landlord: int, winner: int, plays: Sequence[int]) -> str:
    """Return 春天, 反春天 or nothing, from how many hands each seat has played."""
    if winner != landlord:
        return ANTI_SPRING if plays[landlord] == 1 else ""
    return SPRING if sum(plays) == plays[landlord] else ""


def counted(rules: RuleSet, bombs: int, rockets: int) -> tuple[int, int]:
    """Return how many bombs and rockets count under the cap, which the rocket fills first."""
    if rules.bomb_cap is None:
        return bombs, rockets
    rockets = min(rockets, rules.bomb_cap)
    return min(bombs, rules.bomb_cap - rockets), rockets


def multiplier(rules: RuleSet, robs: int, bombs: int, rockets: int, spring: str = "") -> int:
    """Return what the bid is multiplied by, before 加倍."""
    bombs, rockets = counted(rules, bombs, rockets)
    springs = int(bool(spring))
    if rules.scoring == "linear":
        more = bombs * (rules.bomb_mult - 1) + rockets * (rules.rocket_mult - 1)
        return int(2**robs * (1 + more + springs * (rules.spring - 1)))
    return int(2**robs * rules.bomb_mult**bombs * rules.rocket_mult**rockets * rules.spring**springs)


def settle(
    rules: RuleSet,
    *,
    landlord: int,
    winner: int,
    bid: int,
    plays: Sequence[int],
    robs: int = 0,
    bombs: int = 0,
    rockets: int = 0,
    double: Sequence[int] = (1, 1, 1),
) -> Outcome:
    """Return how a round that somebody won ended.

    Args:
        rules: The options.
        landlord: The landlord.
        winner: The seat that played its last card.
        bid: 1 to 3; 1 where the landlord was found by 叫 and 抢.
        plays: How many hands each seat has played; a pass is none.
        robs: How many times 抢 was said.
        bombs: How many bombs were played as four.
        rockets: How many rockets were played.
        double: 1 or 2 by seat.
    """
    spring = spring_of(landlord, winner, plays)
    fan = multiplier(rules, robs, bombs, rockets, spring)
    points = [0, 0, 0]
    for seat in range(SEATS):
        if seat != landlord:
            pay = bid * fan * double[landlord] * double[seat]
            points[seat] = -pay if winner == landlord else pay
            points[landlord] -= points[seat]
    return Outcome(
        WIN, landlord, winner, bid, robs, bombs, rockets, tuple(double), spring, fan, tuple(points)
    )


_ENGLISH: Final = {
    ROBS: "Robbed",
    BOMBS: "Bombs",
    ROCKET_NAME: "Rocket",
    SPRING: "Spring",
    ANTI_SPRING: "Counter-spring",
}


def explain_outcome(rules: RuleSet, outcome: Outcome) -> tuple[Line, ...]:
    """Return why the round scored what it scored; empty for a draw."""
    if outcome.end == DRAW:
        return ()
    bombs, rockets = counted(rules, outcome.bombs, outcome.rockets)
    lines = [Line("叫分", str(outcome.bid), "§3", "Bid")]
    if outcome.robs:
        lines.append(_counted_line(ROBS, outcome.robs, f"×{2**outcome.robs}", "§3"))
    for name, happened, count, mult in (
        (BOMBS, outcome.bombs, bombs, rules.bomb_mult),
        (ROCKET_NAME, outcome.rockets, rockets, rules.rocket_mult),
        (outcome.spring, int(bool(outcome.spring)), 1, rules.spring),
    ):
        if happened:
            value = f"+{count * (mult - 1)}" if rules.scoring == "linear" else f"×{mult**count}"
            lines.append(
                _counted_line(name, happened, value, "§4", rules.bomb_cap if count < happened else None)
            )
    lines.append(Line("倍数", f"×{outcome.fan}", "§4", "Multiplier"))
    for seat, points in enumerate(outcome.points):
        if seat != outcome.landlord:
            factor = outcome.double[outcome.landlord] * outcome.double[seat]
            zh, en = (f" {DOUBLED} ×{factor}", f", doubled ×{factor}") if factor > 1 else ("", "")
            lines.append(Line(f"农民座位 {seat}{zh}", f"{points:+d}", "§4", f"Peasant, seat {seat}{en}"))
    landlord = outcome.landlord
    lines.append(
        Line(f"地主座位 {landlord}", f"{outcome.points[landlord]:+d}", "§4", f"Landlord, seat {landlord}")
    )
    return tuple(lines)


def _counted_line(name: str, happened: int, value: str, rule: str, cap: int | None = None) -> Line:
    """Return the line of something that happened once or more, and perhaps counted less often."""
    times = f" {happened}" if happened > 1 else ""
    zh, en = ("", "") if cap is None else (f" (封顶 {cap})", f" (at most {cap} count)")
    return Line(f"{name}{times}{zh}", value, rule, f"{_ENGLISH[name]}{times}{en}")

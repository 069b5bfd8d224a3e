"""What a round of 斗地主 is worth (rules §4)."""

import math
from dataclasses import dataclass
from typing import Final

from services.scoring.core.doudizhu.cards import SEATS
from services.scoring.core.doudizhu.rules import Options

SPRING: Final = "春天"
COUNTER_SPRING: Final = "反春天"


@dataclass(frozen=True, slots=True, kw_only=True)
class Won:
    """Everything the points of a round that was won depend on."""

    landlord: int
    last: int
    """The seat that played its last card."""
    bid: int
    robs: int = 0
    bombs: int = 0
    rockets: int = 0
    plays: tuple[int, ...] = (0,) * SEATS
    """Hands played, by seat; a pass is none."""
    double: tuple[int, ...] = (1,) * SEATS

    @property
    def is_landlords(self) -> bool:
        """Whether the landlord went out."""
        return self.last == self.landlord

    @property
    def peasants(self) -> tuple[int, ...]:
        """The two others, ascending."""
        return tuple(seat for seat in range(SEATS) if seat != self.landlord)

    @property
    def spring(self) -> str:
        """`春天`, `反春天` or empty."""
        if self.is_landlords:
            return "" if any(self.plays[seat] for seat in self.peasants) else SPRING
        return COUNTER_SPRING if self.plays[self.landlord] == 1 else ""

    def fan(self, options: Options) -> int:
        """Return the multiplier of the bid, without 加倍."""
        return multiplier(options, self.robs, self.bombs, self.rockets, is_spring=bool(self.spring))

    def points(self, options: Options) -> tuple[int, ...]:
        """Return the points by seat, before `base_stake`; they add up to zero."""
        base = self.bid * self.fan(options) * self.double[self.landlord]
        gained = [0] * SEATS
        for peasant in self.peasants:
            stake = base * self.double[peasant]
            gained[peasant] = -stake if self.is_landlords else stake
            gained[self.landlord] -= gained[peasant]
        return tuple(gained)

    def names(self) -> dict[str, int]:
        """Return what happened, by name and how often; nothing that did not."""
        counted = {
            "抢地主": self.robs,
            "炸弹": self.bombs,
            "火箭": self.rockets,
            SPRING: int(self.spring == SPRING),
            COUNTER_SPRING: int(self.spring == COUNTER_SPRING),
            "加倍": sum(factor > 1 for factor in self.double),
        }
        return {name: times for name, times in counted.items() if times}


def multiplier(options: Options, robs: int, bombs: int, rockets: int, *, is_spring: bool = False) -> int:
    """Return what the bid is multiplied by for 抢, bombs, the rocket and 春天 or 反春天."""
    bombs, rockets = counted_bombs(options, bombs, rockets)
    worth = [options.bomb_mult] * bombs + [options.rocket_mult] * rockets + [options.spring] * is_spring
    factor = 1 + sum(one - 1 for one in worth) if options.scoring == "linear" else math.prod(worth)
    return factor << robs


def counted_bombs(options: Options, bombs: int, rockets: int) -> tuple[int, int]:
    """Return how many bombs and rockets count under the cap; the rocket is counted first."""
    if options.bomb_cap is None:
        return bombs, rockets
    rockets = min(rockets, options.bomb_cap)
    return min(bombs, options.bomb_cap - rockets), rockets


def succession(options: Options, first: int, draws_in_row: int, last: int) -> tuple[int, int]:
    """Return who speaks first next (-1: drawn from that round's seed), and the redeals directly before.

    Args:
        options: The rule set.
        first: Who spoke first in this round.
        draws_in_row: Redeals directly before this round.
        last: Who played the last card; -1 if all declined.
    """
    draws = draws_in_row + 1 if last < 0 else 0
    if options.first_speaker == "random":
        return -1, draws
    if last < 0:
        return first, draws
    return (last if options.first_speaker == "winner" else (first + 1) % SEATS), draws

"""Positions made by hand, for worked examples, puzzles and tests; they need not be reachable from a deal."""

from __future__ import annotations

from collections.abc import Sequence

from engine.doudizhu import bidding
from engine.doudizhu.position import Position
from engine.doudizhu.rules import RuleSet


def before_bidding(
    rules: RuleSet, hands: Sequence[int], bottom: int, first: int = 0, draws_in_row: int = 0
) -> Position:
    """Return dealt hands, with the first speaker asked."""
    position = Position(rules, hands, bottom, first, draws_in_row)
    position.emit("deal", first, rules, tuple(hands))
    bidding.begin(position)
    position.opening = tuple(position.events)
    return position


def in_play(
    rules: RuleSet,
    hands: Sequence[int],
    landlord: int,
    turn: int,
    *,
    bid: int = 1,
    robs: int = 0,
    plays: Sequence[int] = (0, 0, 0),
    bombs: int = 0,
    rockets: int = 0,
    double: Sequence[int] = (0, 0, 0),
) -> Position:
    """Return a position in which one seat leads.

    Args:
        rules: The options.
        hands: The cards each seat still holds.
        landlord: The landlord.
        turn: The seat that leads.
        bid: The bid.
        robs: How many times 抢 was said.
        plays: Hands played so far, by seat.
        bombs: Bombs played so far.
        rockets: Rockets played so far.
        double: 1 or 2 by seat; 0 where nobody was asked.
    """
    position = Position(rules, hands, 0, landlord, 0)
    position.landlord = position.caller = landlord
    position.bid, position.robs = bid, robs
    position.plays = list(plays)
    position.bombs, position.rockets = bombs, rockets
    position.doubles = list(double)
    position.lead(turn)
    position.opening = tuple(position.events)
    return position

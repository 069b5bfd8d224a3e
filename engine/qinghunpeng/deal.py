"""How a round begins (Rule 1)."""

from __future__ import annotations

from collections.abc import Sequence

from engine.qinghunpeng.position import Position
from engine.qinghunpeng.rules import RuleSet


def deal_position(rules: RuleSet, wall: Sequence[int], dealer: int, draws_in_row: int = 0) -> Position:
    """Return the round dealt from a shuffled deck, at its first question or, by 八花, at its end."""
    position = Position(rules, wall, dealer)
    if rules.huangfan and draws_in_row > 0:
        position.times = 2
    position.emit("open", dealer, rules, position.times)
    position.deal_hands()
    position.opening = tuple(position.events)
    return position

"""Positions made by hand, for worked examples, puzzles and tests; they need not be reachable from a deal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.mahjong.tiles import KINDS, counts, make_hand
from engine.qinghunpeng.melds import Laid
from engine.qinghunpeng.position import Position
from engine.qinghunpeng.rules import RuleSet
from engine.qinghunpeng.state import DRAWN


@dataclass(frozen=True, slots=True)
class SeatSetup:
    """One seat of a hand-made position; tiles are integers."""

    hand: Sequence[int] = ()
    """The drawn tile included; flowers in it are not yet replaced."""
    melds: Sequence[Laid] = ()
    river: Sequence[int] = ()
    """A seat with an empty river has not discarded yet."""
    flowers: Sequence[int] = ()
    """Exposed."""


def set_up(
    rules: RuleSet,
    seats: Sequence[SeatSetup],
    turn: int,
    *,
    dealer: int = 0,
    wall: Sequence[int] = (),
    drawn: int = -1,
    after: str = DRAWN,
    times: int = 1,
) -> Position:
    """Return a position in which one seat has to act in its turn.

    Args:
        rules: The options.
        seats: Four seats.
        turn: The seat to act.
        dealer: The dealer.
        wall: What is left of the wall, head first.
        drawn: The tile the seat has just drawn, -1 after a claim.
        after: How it came to act: ``deal``, ``draw``, ``flower``, ``kong`` or ``claim``.
        times: What 荒番 multiplies by.
    """
    position = Position(rules, wall, dealer)
    position.times = times
    for seat, setup in enumerate(seats):
        position.hands[seat] = make_hand([tile for tile in setup.hand if tile < KINDS])
        position.kept[seat] = tuple(sorted([tile for tile in setup.hand if tile >= KINDS]))
        position.melds[seat] = list(setup.melds)
        position.rivers[seat] = list(setup.river)
        position.flowers[seat] = list(setup.flowers)
        position.discarded[seat] = len(setup.river)
        position.quads[seat] = sum([1 << tile for tile, count in counts(position.hands[seat]) if count == 4])
    position.turn, position.drawn, position.after = turn, drawn, after
    position.touched = any(setup.melds for setup in seats)
    position.ask_turn(turn)
    position.opening = tuple(position.events)
    return position

"""Positions made by hand, for worked examples, puzzles and tests; they need not be reachable from a deal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from engine.kawuxing.fans import waits_of
from engine.kawuxing.melds import Laid
from engine.kawuxing.position import Position
from engine.kawuxing.rules import RuleSet
from engine.kawuxing.state import DRAWN, Reveal
from engine.mahjong.tiles import ONE, counts, make_hand


@dataclass(frozen=True, slots=True)
class SeatSetup:
    """One seat of a hand-made position; tiles are integers."""

    hand: Sequence[int] = ()
    """The drawn tile included."""
    melds: Sequence[Laid] = ()
    river: Sequence[int] = ()


def set_up(
    rules: RuleSet,
    seats: Sequence[SeatSetup],
    turn: int,
    *,
    dealer: int = 0,
    wall: Sequence[int] = (),
    drawn: int = -1,
    after: str = DRAWN,
    revealed: Mapping[int, Sequence[int]] | None = None,
    konged: Sequence[int] = (),
    points: Sequence[int] = (0, 0, 0),
    chain: int = 0,
    last_drawer: int | None = None,
) -> Position:
    """Return a position in which one seat has to act in its turn.

    Args:
        rules: The options.
        seats: Three seats.
        turn: The seat to act.
        dealer: The dealer.
        wall: What is left of the wall, first tile first.
        drawn: The tile the seat has just drawn, -1 after a pong.
        after: How it came to act: ``deal``, ``draw``, ``kong`` or ``pong``.
        revealed: The 扣 tiles of the revealed seats, in the order of revealing.
        konged: Seats that have made a kong.
        points: Booked so far.
        chain: Kongs of the running 杠上杠.
        last_drawer: The seat that drew last, by default the one to act.
    """
    position = Position(rules, wall, dealer)
    position.piao = [0, 0, 0]
    for seat, setup in enumerate(seats):
        position.hands[seat] = make_hand(setup.hand)
        position.melds[seat] = list(setup.melds)
        position.rivers[seat] = list(setup.river)
        position.quads[seat] = sum([1 << tile for tile, count in counts(position.hands[seat]) if count == 4])
    position.turn, position.drawn, position.after = turn, drawn, after
    position.last_drawer = turn if last_drawer is None else last_drawer
    for seat, kou in (revealed or {}).items():
        hand = position.hands[seat]
        if seat == turn and drawn >= 0:
            hand -= ONE[drawn]
        position.revealed[seat] = Reveal(tuple(sorted(kou)), waits_of(hand, position.melds[seat]))
        position.reveal_order.append(seat)
    for seat in konged:
        position.konged[seat] = True
    position.points = list(points)
    position.chain = chain
    position.touched = any(setup.melds for setup in seats)
    position.ask_turn(turn)
    position.opening = tuple(position.events)
    return position

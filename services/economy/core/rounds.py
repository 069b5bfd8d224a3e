"""What becomes of a round once its audit, or its voiding, is heard; in which order a match moves on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from services.economy.core import caps
from services.economy.core.money import zero_sum

FactKind = Literal["agreed", "disputed", "void"]

RoundState = Literal["waiting", "settled", "disputed", "waiting_void", "voided"]
"""`waiting` and `waiting_void`: heard, but an earlier round of the match is not done yet."""

STATE_WHEN_HEARD: Mapping[FactKind, RoundState] = {
    "agreed": "waiting",
    "disputed": "disputed",
    "void": "waiting_void",
}


@dataclass(frozen=True, slots=True)
class SeatFact:
    """A seat of an audited round."""

    seat: int
    player_id: str
    points: int
    is_bot: bool
    won: bool


@dataclass(frozen=True, slots=True)
class RoundFact:
    """What was heard of a round, once; the first fact of a round decides."""

    round_id: str
    match_id: str
    round_no: int
    kind: FactKind
    digest: bytes
    """Names the result: two audits with equal digests say the same."""
    payload: bytes
    """The message."""
    seats: tuple[SeatFact, ...] = ()
    for_coins: bool = False
    settlement_json: str = ""
    from_seat: int = -1


@dataclass(frozen=True, slots=True)
class HeldStake:
    """A stake that can pay and be paid."""

    seat: int
    player_id: str
    currency: str
    amount: int


def ready(next_round_no: int, heard: Mapping[int, RoundState]) -> Sequence[int]:
    """Return the round numbers that may be done now, in order: from `next_round_no` on without a gap.

    A disputed round, or one not heard of, holds up all after it.

    >>> ready(3, {3: "waiting", 4: "waiting_void", 5: "disputed", 6: "waiting"})
    [3, 4]
    """
    done = []
    while heard.get(next_round_no) in ("waiting", "waiting_void"):
        done.append(next_round_no)
        next_round_no += 1
    return done


def cap_inputs(fact: RoundFact, stakes: Sequence[HeldStake]) -> caps.CapInputs | str:
    """Return what the coins of an agreed round are computed from, or why they can't be.

    A reason means that a person has to look: nothing may move.
    """
    by_seat = sorted(fact.seats, key=lambda seat: seat.seat)
    points = tuple(seat.points for seat in by_seat)
    if [seat.seat for seat in by_seat] != list(range(len(by_seat))) or not by_seat:
        return "seats_not_numbered"
    if not zero_sum(points):
        return "points_not_zero_sum"
    try:
        terms = caps.terms_of(fact.settlement_json)
    except ValueError:
        return "settlement_options_bad"
    if not fact.for_coins:
        return caps.CapInputs.under(terms, points, (0,) * len(points), fact.from_seat)
    held = {stake.seat: stake for stake in stakes}
    if held.keys() != {seat.seat for seat in by_seat}:
        return "stakes_missing"
    if any(held[seat.seat].player_id != seat.player_id for seat in by_seat):
        return "stakes_of_others"
    if len({stake.currency for stake in stakes}) != 1:
        return "stakes_in_several_currencies"
    amounts = tuple(held[seat].amount for seat in range(len(by_seat)))
    return caps.CapInputs.under(terms, points, amounts, fact.from_seat)

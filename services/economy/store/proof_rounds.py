"""The proof's part about rounds: each is kept as it was said, and done in order; its coins follow from it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from google.protobuf.message import DecodeError
from paiju.economy.v1.events_pb2 import RoundSettled
from paiju.scoring.v1 import events_pb2 as scoring_events
from sqlalchemy import Connection, Row, Text, and_, case, cast, func, or_, select

from services.chassis.errors import Defect
from services.chassis.outbox import KEPT_MS
from services.economy.core import caps
from services.economy.core.money import fees_of, stake
from services.economy.core.rounds import RoundFact
from services.economy.store import facts, schema

EVENT_MS = KEPT_MS - 3_600_000
"""The event of a round that was settled less long ago is still in the outbox, sent or not."""

_NONE = json.dumps(())
_ROUNDS, _MATCHES, _DECIDED, _OF = schema.rounds, schema.matches, schema.decisions, schema.transfers


def settlement_problem(row: Row[Any], moved: dict[str, int], held: Mapping[str, int]) -> str:
    """Return what is wrong with a settled round, computing its coins again, or nothing.

    Args:
        row: Of `rounds`, with the figures of a decision as `settled` (None: nobody had to decide).
        moved: What its transfer did, by account.
        held: What these accounts held before it, as their entries say.
    """
    try:
        return _settlement_problem(row, moved, held)
    except (Defect, DecodeError, ValueError, TypeError, LookupError) as error:
        return f"its coins can't be computed again: {error}"


def _settlement_problem(row: Row[Any], moved: dict[str, int], held: Mapping[str, int]) -> str:
    audit = scoring_events.RoundAudited.FromString(row.settled if row.settled is not None else row.payload)
    if audit.verdict != scoring_events.VERDICT_AGREED:
        return "settled without an agreed audit"
    fact = facts.from_audited(audit)
    points = tuple(seat.points for seat in sorted(fact.seats, key=lambda seat: seat.seat))
    terms, stakes = caps.terms_of(fact.settlement_json), tuple(json.loads(row.stakes_before))
    inputs = caps.CapInputs.under(terms, points, stakes, fact.from_seat)
    again = caps.settle(inputs) if fact.for_coins else (0,) * len(points)
    fees = caps.fees(inputs)
    if list(again) != json.loads(row.coins):
        return f"coins are {row.coins}, computed again {list(again)}"
    moves = [won - fee for won, fee in zip(again, fees, strict=True)]
    expected = {stake(fact.match_id, seat, "", "").id: move for seat, move in enumerate(moves) if move}
    if sum(fees):
        expected[fees_of(fact.match_id, "").id] = sum(fees)
    if moved != expected:
        return f"its transfer moved {moved}, computed again {expected}"
    for seat, before in enumerate(stakes):
        there = held.get(stake(fact.match_id, seat, "", "").id, before)
        if there != before:
            return f"stakes were {row.stakes_before}, that of seat {seat} held {there}"
    return ""


def wrong_rounds(connection: Connection) -> Iterator[str]:
    """Check every round that was heard of, but for settlements that moved coins: see `proof_transfers`."""
    decision = and_(_DECIDED.c.round_id == _ROUNDS.c.round_id, _DECIDED.c.outcome != "VOID")
    any_decision = _DECIDED.alias("any_decision")
    query = (
        select(
            _ROUNDS, _DECIDED.c.settled, any_decision.c.outcome, _OF.c.kind, _OF.c.reference,
        )
        .outerjoin(_DECIDED, decision)
        .outerjoin(any_decision, any_decision.c.round_id == _ROUNDS.c.round_id)
        .outerjoin(_OF, _OF.c.id == _ROUNDS.c.transfer_id)
        .order_by(_ROUNDS.c.round_id)
    )  # fmt: skip
    for row in connection.execute(query.execution_options(yield_per=1_000)):
        problem = _round_problem(row)
        if problem:
            yield f"round {row.round_id}: {problem}"


def _round_problem(row: Row[Any]) -> str:
    try:
        fact = _fact(row)
    except (Defect, DecodeError) as error:
        return f"what was said of it can't be read: {error}"
    if (fact.round_id, fact.match_id, fact.round_no) != (row.round_id, row.match_id, row.round_no):
        return f"what was said is about round {fact.round_no} of {fact.match_id}"
    if fact.digest != row.digest:
        return "what is kept of it is not what was said"
    if row.state != "settled":
        if row.transfer_id:
            return f"{row.state}, but has a transfer"
        if (row.coins, row.stakes_before, row.settled_at_ms) != (_NONE, _NONE, 0):
            return f"{row.state}, but has coins {row.coins} of {row.stakes_before} at {row.settled_at_ms}"
        return ""
    if not row.transfer_id:
        return settlement_problem(row, {}, {})
    if (row.kind, row.reference) != ("settlement", row.round_id):
        return f"its transfer {row.transfer_id} is no settlement of it"
    return ""


def _fact(row: Row[Any]) -> RoundFact:
    # A decided round keeps the audit that was heard, also when the decision was to void it.
    return facts.from_stored("settled" if row.outcome is not None else row.state, row.payload)


def wrong_order(connection: Connection) -> Iterator[str]:
    """Yield the rounds on the wrong side of where their match stands, and matches with gaps."""
    gaps = (
        select(_ROUNDS.c.round_id)
        .outerjoin(_MATCHES, _MATCHES.c.match_id == _ROUNDS.c.match_id)
        .where(
            or_(
                _MATCHES.c.match_id.is_(None),
                _ROUNDS.c.state.in_(["settled", "voided"]) & (_ROUNDS.c.round_no >= _MATCHES.c.next_round_no),
                _ROUNDS.c.state.in_(["waiting", "waiting_void"])
                & (_ROUNDS.c.round_no <= _MATCHES.c.next_round_no),
            )
        )
        .order_by(_ROUNDS.c.round_id)
    )
    for row in connection.execute(gaps):
        yield f"round {row.round_id}: out of order"
    is_done = _ROUNDS.c.state.in_(["settled", "voided"])
    done = func.coalesce(func.sum(case((is_done, 1), else_=0)), 0)
    short = (
        select(_MATCHES.c.match_id, _MATCHES.c.next_round_no, done.label("done"))
        .outerjoin(_ROUNDS, _ROUNDS.c.match_id == _MATCHES.c.match_id)
        .group_by(_MATCHES.c.match_id, _MATCHES.c.next_round_no)
        .having(done != _MATCHES.c.next_round_no - 1)
        .order_by(_MATCHES.c.match_id)
    )
    for row in connection.execute(short):
        yield f"match {row.match_id}: waits for round {row.next_round_no}, but {row.done} are done"


def wrong_events(connection: Connection, now_ms: int) -> Iterator[str]:
    """Yield the settlements of the last day whose event is missing or says something else."""
    outbox = schema.outbox
    event_id = cast("settled:" + _ROUNDS.c.round_id, Text)
    query = (
        select(_ROUNDS.c.round_id, _ROUNDS.c.coins, _ROUNDS.c.transfer_id, outbox.c.payload, outbox.c.type)
        .outerjoin(outbox, outbox.c.event_id == event_id)
        .where(_ROUNDS.c.state == "settled", _ROUNDS.c.settled_at_ms > now_ms - EVENT_MS)
        .order_by(_ROUNDS.c.round_id)
    )
    for row in connection.execute(query.execution_options(yield_per=1_000)):
        if row.payload is None:
            yield f"round {row.round_id}: settled, but nobody was told"
            continue
        try:
            event = RoundSettled.FromString(row.payload)
            told, coins = [seat.coins for seat in event.seats], json.loads(row.coins)
        except (DecodeError, ValueError) as error:
            yield f"round {row.round_id}: what was told of it can't be read: {error}"
            continue
        if (event.round_id, told, event.transfer_id) != (row.round_id, coins, row.transfer_id):
            yield f"round {row.round_id}: told as {told}, the book says {row.coins}"
        elif row.type != RoundSettled.DESCRIPTOR.full_name:
            yield f"round {row.round_id}: told as a {row.type}"

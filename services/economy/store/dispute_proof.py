"""The reconciler's part about disputes: an open one is lawful, a decided one follows from the decision."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from paiju.scoring.v1.events_pb2 import RoundAudited
from sqlalchemy import Connection, func, select

from services.economy.core.disputes import engine_word
from services.economy.store import schema
from services.economy.store.decisions import settled_as

_OF, _DECIDED, _ROUNDS = schema.disputes, schema.decisions, schema.rounds


def settled_by_decision(connection: Connection) -> dict[str, bytes]:
    """Return by round id what decided rounds were settled by, in place of the audit that was heard first."""
    query = select(_DECIDED.c.round_id, _DECIDED.c.settled).where(_DECIDED.c.outcome != "VOID")
    return {row.round_id: bytes(row.settled) for row in connection.execute(query)}


def wrong_disputes(connection: Connection) -> Iterator[str]:
    """Check every dispute against its round, its match, and the decision, which is computed again."""
    query = (
        select(
            _ROUNDS.c.round_id, _ROUNDS.c.match_id, _ROUNDS.c.state, _ROUNDS.c.payload,
            _OF.c.cause, _DECIDED.c.outcome, _DECIDED.c.settled, _DECIDED.c.record,
        )
        .outerjoin(_OF, _OF.c.round_id == _ROUNDS.c.round_id)
        .outerjoin(_DECIDED, _DECIDED.c.round_id == _ROUNDS.c.round_id)
        .where((_ROUNDS.c.state == "disputed") | _OF.c.cause.is_not(None) | _DECIDED.c.outcome.is_not(None))
        .order_by(_ROUNDS.c.round_id)
    )  # fmt: skip
    for row in connection.execute(query):
        problem = _problem(row)
        if problem:
            yield f"round {row.round_id}: {problem}"
    for table in (_OF, _DECIDED):
        unheard = (
            select(table.c.round_id)
            .outerjoin(_ROUNDS, _ROUNDS.c.round_id == table.c.round_id)
            .where(_ROUNDS.c.round_id.is_(None))
            .order_by(table.c.round_id)
        )
        for row in connection.execute(unheard):
            yield f"round {row.round_id}: in {table.name}, but was not heard of"
    yield from _suspended_without_reason(connection)


def _problem(row: Any) -> str:
    if row.cause is None:
        return "disputed or decided, but not among the disputes"
    if row.outcome is None:
        return "" if row.state == "disputed" else f"{row.state}, though its dispute is open"
    if row.state != ("voided" if row.outcome == "VOID" else "settled"):
        return f"{row.state}, though it was decided: {row.outcome}"
    audit = RoundAudited.FromString(row.payload)
    again = settled_as(audit, row.outcome, engine_word(row.record, row.round_id, audit.record_sha256))
    if isinstance(again, str):
        return f"decided {row.outcome}, which can't be followed: {again}"
    if (again.SerializeToString(deterministic=True) if again else b"") != row.settled:
        return f"decided {row.outcome}, but settled by other figures"
    return ""


def _suspended_without_reason(connection: Connection) -> Iterator[str]:
    matches = schema.matches
    open_rounds = (
        select(_ROUNDS.c.match_id, func.count().label("open"))
        .where(_ROUNDS.c.state == "disputed")
        .group_by(_ROUNDS.c.match_id)
        .subquery()
    )
    has_open = open_rounds.c.open.is_not(None)
    query = (
        select(matches.c.match_id, matches.c.suspended)
        .outerjoin(open_rounds, open_rounds.c.match_id == matches.c.match_id)
        .where(has_open != matches.c.suspended)
        .order_by(matches.c.match_id)
    )
    for row in connection.execute(query):
        yield f"match {row.match_id}: " + (
            "suspended without an open dispute" if row.suspended else "has an open dispute, but goes on"
        )

"""The reconciler's part about disputes: an open one is lawful, a decided one follows from the decision."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from google.protobuf.message import DecodeError
from paiju.scoring.v1.events_pb2 import VERDICT_AGREED, RoundAudited, Verdict
from sqlalchemy import Connection, and_, func, select

from services.chassis.errors import Defect
from services.economy.core.disputes import engine_word
from services.economy.core.money import content_hash
from services.economy.store import facts, schema
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
            _ROUNDS.c.settled_at_ms, _OF.c.cause, _OF.c.match_id.label("listed_under"), _DECIDED.c.outcome,
            _DECIDED.c.settled, _DECIDED.c.record, _DECIDED.c.reason, _DECIDED.c.staff_id,
            _DECIDED.c.request_key, _DECIDED.c.content_hash, _DECIDED.c.at_ms,
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


def wrong_alerts(connection: Connection) -> Iterator[str]:
    """Check every alert: it is about another word than the first one of its round, and is what was said."""
    alerts, seen = schema.alerts, schema.acknowledgements
    looked = and_(
        seen.c.round_id == alerts.c.round_id, seen.c.kind == alerts.c.kind, seen.c.digest == alerts.c.digest
    )
    query = (
        select(alerts, _ROUNDS.c.digest.label("first"))
        .outerjoin(_ROUNDS, _ROUNDS.c.round_id == alerts.c.round_id)
        .order_by(alerts.c.round_id, alerts.c.kind, alerts.c.digest)
    )
    for row in connection.execute(query.execution_options(yield_per=1_000)):
        problem = _alert_problem(row)
        if problem:
            yield f"alert {row.kind} of round {row.round_id}: {problem}"
    for row in connection.execute(
        select(seen, alerts.c.payload).outerjoin(alerts, looked).order_by(seen.c.round_id)
    ):
        said = content_hash(row.round_id, row.kind, bytes(row.digest).hex(), row.reason)
        if row.payload is None:
            yield f"alert {row.kind} of round {row.round_id}: {row.staff_id} looked at it, but there is none"
        elif said != bytes(row.content_hash) or not row.request_key.startswith(f"{row.staff_id}/"):
            yield f"alert {row.kind} of round {row.round_id}: what {row.staff_id} said of it is another text"


def _alert_problem(row: Any) -> str:
    is_void = row.kind == "void_contradicts"
    if not is_void and row.kind != "audit_contradicts":
        return "there is no such kind"
    try:
        fact = facts.from_stored("voided" if is_void else "settled", row.payload)
    except (Defect, DecodeError) as error:
        return f"what was said can't be read: {error}"
    if row.first is None:
        return "the round was not heard of"
    if (fact.round_id, fact.digest) != (row.round_id, bytes(row.digest)):
        return "what is kept of it is not what was said"
    return "" if bytes(row.first) != bytes(row.digest) else "says what was said first"


def _problem(row: Any) -> str:
    if row.cause is None:
        return "disputed or decided, but not among the disputes"
    if row.listed_under != row.match_id:
        # Nobody would be asked, or the other match would be gone on with.
        return f"disputed as one of match {row.listed_under}"
    try:
        audit = RoundAudited.FromString(row.payload)
    except DecodeError:
        return "what was said of it can't be read"
    if (row.cause == "disputed") == (audit.verdict == VERDICT_AGREED):
        return f"disputed for {row.cause}, but scoring said {Verdict.Name(audit.verdict)}"
    if row.outcome is None:
        return "" if row.state == "disputed" else f"{row.state}, though its dispute is open"
    if row.state != ("voided" if row.outcome == "VOID" else "settled"):
        return f"{row.state}, though it was decided: {row.outcome}"
    said = content_hash(row.round_id, row.outcome, row.reason)
    if said != bytes(row.content_hash) or not row.request_key.startswith(f"{row.staff_id}/"):
        return f"what {row.staff_id} decided is another text"
    if row.state == "settled" and row.at_ms != row.settled_at_ms:
        return f"decided at {row.at_ms}, settled at {row.settled_at_ms}"
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

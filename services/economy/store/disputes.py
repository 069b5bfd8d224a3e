"""Disputed rounds and alerts as they are stored: opened, listed, looked at."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from paiju.economy.v1.dispute_events_pb2 import RoundDisputed
from paiju.scoring.v1.events_pb2 import RoundAudited
from sqlalchemy import Connection, Row, Select, Text, and_, cast, func, select, tuple_

from services.chassis import outbox
from services.economy.core.rounds import RoundFact
from services.economy.store import schema
from services.economy.store.bulk import insert_rows

Rows = Sequence[Any]
"""Rows of a query."""

_OF, _DECIDED = schema.disputes, schema.decisions
_ALERTS, _SEEN = schema.alerts, schema.acknowledgements


@dataclass(frozen=True, slots=True)
class Position:
    """Where a page of a list ends."""

    at_ms: int
    key: str


def open_disputes(connection: Connection, opened: Sequence[tuple[RoundFact, str]], now_ms: int) -> None:
    """Note that rounds wait for a person, each with its cause, and say so to the world."""
    rows = [
        {"round_id": fact.round_id, "match_id": fact.match_id, "cause": cause, "at_ms": now_ms}
        for fact, cause in opened
    ]
    insert_rows(connection, _OF, rows, or_keep=True)
    for fact, cause in opened:
        audit = RoundAudited.FromString(fact.payload)
        event = RoundDisputed(
            round_id=fact.round_id,
            match_id=fact.match_id,
            round_no=fact.round_no,
            table_id=audit.table_id,
            game=audit.game,
            cause=cause,
            at_ms=now_ms,
        )
        outbox.put(connection, event, f"disputed:{fact.round_id}")


def _disputes() -> Select[Any]:
    rounds, matches = schema.rounds, schema.matches
    return (
        select(
            _OF.c.round_id,
            _OF.c.match_id,
            _OF.c.cause,
            _OF.c.at_ms,
            rounds.c.round_no,
            rounds.c.payload,
            rounds.c.coins,
            rounds.c.transfer_id,
            rounds.c.state,
            matches.c.next_round_no,
            _DECIDED.c.outcome,
            _DECIDED.c.reason,
            _DECIDED.c.staff_id,
            _DECIDED.c.at_ms.label("decided_at_ms"),
        )
        .join(rounds, rounds.c.round_id == _OF.c.round_id)
        .join(matches, matches.c.match_id == _OF.c.match_id)
        .outerjoin(_DECIDED, _DECIDED.c.round_id == _OF.c.round_id)
    )


def list_disputes(connection: Connection, is_open: bool | None, size: int, before: Position | None) -> Rows:
    """Return disputes, newest first. `is_open`: only those still open, or only those decided; None: all."""
    query = _disputes().order_by(_OF.c.at_ms.desc(), _OF.c.round_id.desc()).limit(size)
    if is_open is not None:
        query = query.where(_DECIDED.c.outcome.is_(None) if is_open else _DECIDED.c.outcome.is_not(None))
    if before is not None:
        query = query.where(tuple_(_OF.c.at_ms, _OF.c.round_id) < (before.at_ms, before.key))
    return connection.execute(query).all()


def one_dispute(connection: Connection, round_id: str) -> Row[Any] | None:
    """Return a dispute as `list_disputes` does, or nothing."""
    return connection.execute(_disputes().where(_OF.c.round_id == round_id)).one_or_none()


def record_kept(connection: Connection, round_id: str) -> bytes:
    """Return the record that was kept with a decision; empty: none was, or there is no decision yet."""
    query = select(_DECIDED.c.record).where(_DECIDED.c.round_id == round_id)
    return bytes(connection.execute(query).scalar_one_or_none() or b"")


def count_open(connection: Connection) -> tuple[int, int]:
    """Return how many disputes are open, and how many alerts nobody has looked at."""
    disputes = (
        select(func.count())
        .select_from(_OF)
        .outerjoin(_DECIDED, _DECIDED.c.round_id == _OF.c.round_id)
        .where(_DECIDED.c.round_id.is_(None))
    )
    alerts = (
        select(func.count())
        .select_from(_ALERTS.outerjoin(_SEEN, _same_alert()))
        .where(_SEEN.c.kind.is_(None))
    )
    return int(connection.execute(disputes).scalar_one()), int(connection.execute(alerts).scalar_one())


def rounds_of(connection: Connection, match_ids: Iterable[str]) -> Rows:
    """Return the rounds of matches that were heard of, by match and number, without what was said of them."""
    table = schema.rounds
    query = select(table.c.match_id, table.c.round_id, table.c.round_no, table.c.state, table.c.coins)
    return connection.execute(
        query.where(table.c.match_id.in_(sorted(set(match_ids)))).order_by(table.c.match_id, table.c.round_no)
    ).all()


def held_in(connection: Connection, match_ids: Iterable[str]) -> dict[str, dict[str, int]]:
    """Return what lies in the stakes of matches, by match and currency."""
    stakes, accounts = schema.stakes, schema.accounts
    query = (
        select(stakes.c.match_id, accounts.c.currency, func.sum(accounts.c.balance).label("held"))
        .join(accounts, _is_stake_account())
        .where(stakes.c.match_id.in_(sorted(set(match_ids))), stakes.c.state.in_(["open", "closing"]))
        .group_by(stakes.c.match_id, accounts.c.currency)
        .order_by(stakes.c.match_id, accounts.c.currency)
    )
    held: dict[str, dict[str, int]] = {}
    for row in connection.execute(query):
        held.setdefault(row.match_id, {})[row.currency] = int(row.held)
    return held


def held_of(connection: Connection, player_id: str) -> Rows:
    """Return a player's stakes whose match has an open dispute, with the first such round, oldest first."""
    stakes, accounts = schema.stakes, schema.accounts
    first = (
        select(
            _OF.c.match_id,
            func.min(_OF.c.at_ms).label("since_ms"),
            func.min(schema.rounds.c.round_no).label("no"),
        )
        .join(schema.rounds, schema.rounds.c.round_id == _OF.c.round_id)
        .outerjoin(_DECIDED, _DECIDED.c.round_id == _OF.c.round_id)
        .where(_DECIDED.c.round_id.is_(None))
        .group_by(_OF.c.match_id)
        .subquery()
    )
    query = (
        select(
            stakes.c.match_id, stakes.c.seat, stakes.c.state, stakes.c.currency, accounts.c.balance,
            first.c.no, first.c.since_ms,
        )
        .join(first, first.c.match_id == stakes.c.match_id)
        .join(accounts, _is_stake_account())
        .where(stakes.c.player_id == player_id, stakes.c.state.in_(["open", "closing"]))
        .order_by(first.c.since_ms, stakes.c.match_id, stakes.c.seat)
    )  # fmt: skip
    return connection.execute(query).all()


def decided_of(connection: Connection, player_id: str, most: int) -> Rows:
    """Return the last decisions about rounds of matches in which a player had a stake, newest first."""
    stakes, rounds = schema.stakes, schema.rounds
    query = (
        select(_DECIDED.c.round_id, _DECIDED.c.outcome, _DECIDED.c.at_ms, stakes.c.seat, rounds.c.coins)
        .join(rounds, rounds.c.round_id == _DECIDED.c.round_id)
        .join(stakes, stakes.c.match_id == rounds.c.match_id)
        .where(stakes.c.player_id == player_id)
        .order_by(_DECIDED.c.at_ms.desc(), _DECIDED.c.round_id.desc())
        .limit(most)
    )
    return connection.execute(query).all()


def _alerts() -> Select[Any]:
    rounds = schema.rounds
    return (
        select(
            _ALERTS.c.round_id, _ALERTS.c.kind, _ALERTS.c.digest, _ALERTS.c.payload, _ALERTS.c.at_ms,
            rounds.c.state, rounds.c.payload.label("first_payload"),
            _SEEN.c.staff_id, _SEEN.c.reason, _SEEN.c.at_ms.label("seen_at_ms"),
        )
        .join(rounds, rounds.c.round_id == _ALERTS.c.round_id)
        .outerjoin(_SEEN, _same_alert())
    )  # fmt: skip


def list_alerts(
    connection: Connection, is_open: bool | None, size: int, before: Position | None, round_id: str = ""
) -> Rows:
    """Return alerts, newest first; `round_id`: only those about that round."""
    query = _alerts().order_by(_ALERTS.c.at_ms.desc(), _ALERTS.c.round_id.desc(), _ALERTS.c.digest.desc())
    if is_open is not None:
        query = query.where(_SEEN.c.kind.is_(None) if is_open else _SEEN.c.kind.is_not(None))
    if round_id:
        query = query.where(_ALERTS.c.round_id == round_id)
    if before is not None:
        key, _, digest = before.key.rpartition(":")
        query = query.where(
            tuple_(_ALERTS.c.at_ms, _ALERTS.c.round_id, _ALERTS.c.digest)
            < (before.at_ms, key, bytes.fromhex(digest))
        )
    return connection.execute(query.limit(size)).all()


def one_alert(connection: Connection, round_id: str, kind: str, digest: bytes) -> Row[Any] | None:
    """Return one alert as `list_alerts` does, or nothing."""
    query = _alerts().where(
        _ALERTS.c.round_id == round_id, _ALERTS.c.kind == kind, _ALERTS.c.digest == digest
    )
    return connection.execute(query).one_or_none()


def _same_alert() -> Any:
    return and_(
        _SEEN.c.round_id == _ALERTS.c.round_id,
        _SEEN.c.kind == _ALERTS.c.kind,
        _SEEN.c.digest == _ALERTS.c.digest,
    )


def _is_stake_account() -> Any:
    stakes, accounts = schema.stakes, schema.accounts
    return and_(
        accounts.c.id == "stake/" + stakes.c.match_id + "/" + cast(stakes.c.seat, Text),
        accounts.c.currency == stakes.c.currency,
    )

"""Every column of every table of economy is changed, every row lost: the proof finds it, or need not.

One row of each kind is changed in turn, everything else is as it was; what the database itself refuses is no
doctoring.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.message import DecodeError
from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Connection,
    Engine,
    Integer,
    LargeBinary,
    Row,
    Table,
    delete,
    select,
    update,
)
from sqlalchemy.exc import DBAPIError

from services.chassis.db import migrate
from services.chassis.db.postgres import postgres_engine
from services.chassis.db.sqlite import sqlite_engine
from services.economy.store.proof import prove
from tests.support.book import TABLES
from tests.support.full_book import LATER_MS, a_full_book, unlocked
from tests.support.postgres import PostgresServer

KINDS = ("state", "kind", "outcome", "type", "cause")
"""Columns that say what a row is: one row of each is changed."""

LOST = "(row)"

_WHEN = "when: no coin follows from it"
_BANK = "a bank's own books, for development: what it says of them comes by webhooks, and those are proven"
_LOGS = "for the logs and lists of other services; what it tells of stands in the book"
_WORDS = "words of staff, which stand in the log of staff too"
UNSEEN: dict[str, str] = {
    "transfers.at_ms": "a settlement's is that of its round, a relief's is of its day; caps count only those",
    "entries.id": "numbers of their own; the order of an account's entries is proven",
    "matches.last_round_no": "of a match that is over; its stakes say themselves when they close",
    "matches.ended_at_ms": "from when on a stake or a room card is overdue",
    "stakes.last_round_no [closed]": "after which round it closed, once it has",
    "stakes.last_round_no [closing]": "while its match plays; once that is over, who still waits is found",
    "stakes.last_round_no [tombstone]": "of nothing",
    "stakes.match_id [tombstone]": "nothing was ever here",
    "stakes.seat [tombstone]": "nothing was ever here",
    "stakes.returned [tombstone]": "of nothing: 0 or not said",
    "stakes.returned [open]": "nothing is given back yet: 0 or not said",
    "stakes.returned [closing]": "nothing is given back yet: 0 or not said",
    "stakes.(row) [tombstone]": "holds nothing; who comes late after all has a stake like any other",
    "rounds.(row) [waiting]": "its audit is in AUDITS: the proof of the records misses it in the book",
    "disputes.at_ms": _WHEN,
    "decisions.request_key": "of a repeat; a round is decided once in any case",
    "decisions.at_ms [VOID]": _WHEN,
    "decisions.record [SCORING]": "kept for people: scoring's word is settled by, and that is proven",
    "decisions.record [VOID]": "kept for people: nothing is settled",
    "alerts.at_ms": _WHEN,
    "alerts.(row)": "its word is in AUDITS or ROUNDS: the proof of the records misses it in the book",
    "acknowledgements.request_key": "of a repeat; an alert is looked at once in any case",
    "acknowledgements.at_ms": _WHEN,
    "acknowledgements.(row)": "staff is shown the alert again",
    "outbox.id": "numbers of their own",
    "outbox.sent_at_ms": "whether it is sent yet: what the others do not hear, they ask for",
    **{
        f"outbox.{column} [{event}]": _LOGS
        for event in ("RoundDisputed", "DisputeResolved", "StaffActed", "TopUpReturned")
        for column in ("event_id", "type", "payload", "(row)")
    },
    "room_holds.at_ms": "from when on cards are overdue",
    "topup_orders.pay_url": "where its player pays; the provider names price and order itself",
    "topup_orders.look_at_ms": "when the provider is asked again",
    "topup_history.id": "numbers of their own, where the order of steps stays",
    "topup_history.cause": "who made a step, but for webhooks and refunds, which are proven",
    "topup_history.detail": "words about a step, but for webhooks and refunds, which are proven",
    "topup_history.at_ms": _WHEN,
    "topup_events.body": "kept for people; what was read from it is proven",
    "topup_events.at_ms": _WHEN,
    "topup_events.digest": "tells a repeat from another; of one that was acted upon kind and sum are proven",
    "topup_events.amount_fen [closed applied]": "nothing was paid",
    "topup_problems.id": "numbers of their own",
    "topup_problems.at_ms": _WHEN,
    "topup_problems.resolved_at_ms": "whether staff has looked at it, which stands in the log of staff",
    "topup_problems.resolved_by": _WORDS,
    "topup_problems.resolution": _WORDS,
    "topup_returns.request_key": "of a repeat, by the same person; each refund has one step of its order",
    "topup_returns.reason": _WORDS,
    "topup_returns.at_ms": _WHEN,
    "topup_returns.look_at_ms": "when the provider is asked again",
    "topup_returns.even_if_spent": "whether a debt was wanted; the debt itself is proven",
    "topup_returns.return_id": "the provider's name of what went back; that of a refund of ours is proven",
    "topup_debts.since_ms": _WHEN,
    "topup_waivers.request_key": "of a repeat; what was waived of a debt is proven",
    "topup_waivers.reason": _WORDS,
    "topup_waivers.at_ms": _WHEN,
    **{
        f"{name}.{what}": _BANK
        for name, table in TABLES.items()
        if name.startswith("sandbox_")
        for what in (*table.columns.keys(), LOST)
        if what != "state"
    },
}
"""What the proof need not see, by table and column, for all rows or for those of one kind; and why."""


def kind_of(table: Table, row: Row[Any]) -> str:
    """Return what a row is, in a word or a few."""
    if table.name == "entries":
        return f"{row.account.partition('/')[0]} {row.currency} {'in' if row.amount > 0 else 'out'}"
    if table.name == "accounts":
        return f"{row.id.partition('/')[0]} {row.currency}"
    if table.name == "topup_problems":
        return str(row.reason)
    return " ".join(str(getattr(row, name)).rpartition(".")[2] for name in KINDS if name in table.c)


def rows_of(connection: Connection, table: Table) -> list[Row[Any]]:
    """Return one row of each kind of a table."""
    found: dict[str, Row[Any]] = {}
    for row in connection.execute(select(table)):
        found.setdefault(kind_of(table, row), row)
    return list(found.values())


def others(column: Column[Any], was: Any) -> list[Any]:
    """Return what might stand in a column instead."""
    if isinstance(column.type, Boolean):
        return [not was]
    if isinstance(column.type, Integer | BigInteger):
        return [value for value in ((was or 0) + 1, 0, None) if value != was]
    if isinstance(column.type, LargeBinary):
        return [b"\xff" * 32]
    return [f"{was or ''}x"]


def silent(engine: Engine, table: Table, most: int) -> dict[str, list[Any]]:
    """Change at most so many rows in every way; return what the proof did not see: column → the rows."""
    unseen: dict[str, list[Any]] = defaultdict(list)
    with engine.connect() as connection:
        rows = rows_of(connection, table)
        connection.rollback()
        assert rows, f"{table.name} is empty"
        for row in rows[:most]:
            here = [column == getattr(row, column.name) for column in table.primary_key.columns]
            name = tuple(getattr(row, column.name) for column in table.primary_key.columns)
            changes: list[tuple[str, Any]] = [
                (column.name, update(table).where(*here).values({column.name: value}))
                for column in table.columns
                for value in others(column, getattr(row, column.name))
            ]
            for what, change in [*changes, (LOST, delete(table).where(*here))]:
                if not is_found(connection, table, change):
                    unseen[f"{table.name}.{what} [{kind_of(table, row)}]"].append(name)
    return unseen


def is_found(connection: Connection, table: Table, change: Any) -> bool:
    """Return whether a change is refused by the database, or found by the proof; undo it."""
    with connection.begin() as transaction:
        try:
            with unlocked(connection, table.name):
                assert connection.execute(change).rowcount == 1
        except DBAPIError:
            transaction.rollback()
            return True
        try:
            findings = prove(connection, LATER_MS).findings
        except DecodeError as error:
            raise AssertionError(f"the proof can not be told: {change}") from error
        transaction.rollback()
    return bool(findings)


@pytest.fixture(scope="module")
def sqlite_book(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    path: Path = tmp_path_factory.mktemp("doctored") / "book.db"
    migrate(f"sqlite:///{path}", "economy")
    engine = sqlite_engine(f"sqlite:///{path}")
    a_full_book(engine)
    yield engine
    engine.dispose()


@pytest.fixture(scope="module")
def postgres_book(postgres_server: PostgresServer) -> Iterator[Engine]:
    url = postgres_server.database()
    migrate(url, "economy")
    engine = postgres_engine(url, 2)
    a_full_book(engine)
    yield engine
    engine.dispose()


def unexplained(engine: Engine, name: str, most: int) -> dict[str, list[Any]]:
    """Return what of a table is not seen, and not in `UNSEEN`, by itself or for rows of its kind."""
    found = silent(engine, TABLES[name], most)
    return {what: rows for what, rows in found.items() if not {what, what.partition(" ")[0]} & set(UNSEEN)}


@pytest.mark.parametrize("name", TABLES)
def test_no_column_of_a_row_is_changed_and_no_row_lost_unseen_but_for_a_reason(
    sqlite_book: Engine, name: str
) -> None:
    assert unexplained(sqlite_book, name, 1) == {}


@pytest.mark.long
@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("kind", ["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def test_nor_of_any_kind_of_row_on_either_database(
    kind: str, name: str, request: pytest.FixtureRequest
) -> None:
    engine: Engine = request.getfixturevalue(f"{kind}_book")
    assert unexplained(engine, name, 100) == {}


@pytest.mark.long
def test_what_need_not_be_seen_is_not_seen(sqlite_book: Engine) -> None:
    unseen = {what for name in TABLES for what in silent(sqlite_book, TABLES[name], 100)}
    assert set(UNSEEN) - unseen - {what.partition(" ")[0] for what in unseen} == set(), "it is seen after all"

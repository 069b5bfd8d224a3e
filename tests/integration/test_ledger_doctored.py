"""One row of the book is changed behind its back: the proof must name it, and what is wrong with it.

`test_ledger_doctored_anywhere` changes every column there is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from sqlalchemy import Connection, Engine, select, text

from services.chassis.db import migrate
from services.chassis.db.postgres import postgres_engine
from services.chassis.db.sqlite import sqlite_engine
from services.economy.store import schema
from services.economy.store.proof import FINDINGS_MAX, Proof, prove
from services.economy.store.proof_guards import KEPT
from tests.support.book import agreed
from tests.support.full_book import LATER_MS, a_full_book, unlocked
from tests.support.postgres import PostgresServer


@dataclass(frozen=True)
class Cheat:
    """One change of one row, and what the proof must say of it."""

    table: str
    where: str
    change: str
    said: str

    def __str__(self) -> str:
        return f"{self.table}: {self.change}"


def settled(table: str) -> str:
    """Return which row is of the settlement of 0-m/1."""
    column = "id" if table == "transfers" else "transfer_id"
    return f"{column} = (SELECT transfer_id FROM rounds WHERE round_id = '0-m/1')"


ENTRY = settled("entries") + " AND account = 'stake/0-m/0'"
TRANSFER = settled("transfers")
WALLET = "id = 'wallet/p_a' AND currency = 'gold'"
ROOM = "match_id = '7-k'"
STAKE = "id = 'stake/1-n/0'"
CHEATS = [
    Cheat("accounts", WALLET, "balance = balance + 1", "account wallet/p_a gold: balance"),
    Cheat("accounts", WALLET, "owner = 'p_b'", "account wallet/p_a gold: is a wallet of 'p_b'"),
    Cheat("accounts", WALLET, "kind = 'issuer'", "account wallet/p_a gold: is a issuer of 'p_a'"),
    Cheat("accounts", WALLET, "currency = 'gem'", "account wallet/p_a gem: balance"),
    Cheat("accounts", WALLET, "id = 'wallet/p_x'", "account wallet/p_x gold: is a wallet of 'p_a'"),
    Cheat("accounts", WALLET, "kind = 'issuer', balance = -5", "account wallet/p_a gold: balance -5"),
    Cheat("accounts", STAKE, "balance = balance + 5", "account stake/1-n/0 gold: balance"),
    Cheat("accounts", STAKE, "owner = 'p_b'", "stake/1-n/0: is of p_a, its account of 'p_b'"),
    Cheat("accounts", "id = 'house/bots'", "balance = balance - 1", "account house/bots gold: balance"),
    Cheat(
        "accounts",
        "id = 'issuer' AND currency = 'gold'",
        "balance = balance + 1",
        "account issuer gold: balance",
    ),
    Cheat("entries", ENTRY, "amount = amount + 1", "entries in gold sum to 1, not 0"),
    Cheat("entries", ENTRY, "balance_after = balance_after + 1", "entry {id} of stake/0-m/0 gold: says"),
    Cheat("entries", ENTRY, "account = 'wallet/p_a'", "account stake/0-m/0 gold: balance"),
    Cheat("entries", ENTRY, "currency = 'gem'", "entries in gem sum to 60, not 0"),
    Cheat("entries", ENTRY, "owner = 'p_b'", "entry {id} of stake/0-m/0: is listed for 'p_b'"),
    Cheat("entries", ENTRY, "transfer_id = 't_x'", "transfer t_x: has entries, but is not in the book"),
    Cheat("entries", ENTRY, "id = 900000", "entry 900000 of stake/0-m/0 gold: says"),
    Cheat("transfers", TRANSFER, "id = 't_x'", "transfer t_x: has no entries"),
    Cheat("transfers", TRANSFER, "key = 'another'", "is not the one of key another"),
    Cheat("transfers", TRANSFER, "kind = 'stake_open'", "stake_open is not what was asked for"),
    Cheat("transfers", TRANSFER, "content_hash = {junk}", "settlement is not what was asked for"),
    Cheat("transfers", TRANSFER, "answer = answer + 1", "transfer {id}: answered"),
    Cheat("transfers", TRANSFER, "reference = '1-n/1'", "is not what was asked for under settlement/0-m/1"),
    Cheat("transfers", TRANSFER, "at_ms = at_ms + 1", "round 0-m/1: settled at"),
    Cheat("rounds", "round_id = '0-m/1'", "round_id = 'x/1'", "round x/1: what was said is about round 1"),
    Cheat("rounds", "round_id = '0-m/1'", "match_id = '9-z'", "round 0-m/1: what was said is about"),
    Cheat("rounds", "round_id = '0-m/1'", "round_no = 7", "round 0-m/1: what was said is about"),
    Cheat("rounds", "round_id = '0-m/1'", "state = 'waiting'", "round 0-m/1 is not settled by it"),
    Cheat("rounds", "round_id = '0-m/1'", "state = 'disputed'", "round 0-m/1: disputed or decided, but not"),
    Cheat("rounds", "round_id = '0-m/2'", "state = 'waiting_void'", "round 0-m/2: out of order"),
    Cheat("rounds", "round_id = '0-m/2'", "state = 'settled'", "round 0-m/2: "),
    Cheat("rounds", "round_id = '0-m/1'", "digest = {junk}", "round 0-m/1: what is kept of it is not what"),
    Cheat("rounds", "round_id = '0-m/1'", "payload = {junk}", "round 0-m/1: "),
    Cheat("rounds", "round_id = '0-m/1'", "payload = {other}", "round 0-m/1: what was said is about round"),
    Cheat("rounds", "round_id = '0-m/1'", "stakes_before = '[500, 500, 5]'", "round 0-m/1: coins are"),
    Cheat(
        "rounds", "round_id = '0-m/1'", "stakes_before = '[1]'", "round 0-m/1: its coins can't be computed"
    ),
    Cheat("rounds", "round_id = '0-m/1'", "coins = '[60, -60, 0]'", "round 0-m/1: coins are [60, -60, 0]"),
    Cheat("rounds", "round_id = '0-m/1'", "coins = 'junk'", "round 0-m/1: its coins can't be computed"),
    Cheat("rounds", "round_id = '0-m/1'", "transfer_id = ''", "round 0-m/1 is not settled by it"),
    Cheat("rounds", "round_id = '0-m/1'", "settled_at_ms = 5", "round 0-m/1: settled at 5"),
    Cheat("rounds", "round_id = '1-n/3'", "transfer_id = 't_x'", "round 1-n/3: waiting, but has a transfer"),
    Cheat("rounds", "round_id = '5-f/2'", "coins = '[1, 0, -1]'", "round 5-f/2: coins are [1, 0, -1]"),
    Cheat("rounds", "round_id = '3-o/1'", "state = 'settled'", "round 3-o/1: settled without an agreed"),
    Cheat("matches", "match_id = '0-m'", "next_round_no = 3", "round 0-m/3: out of order"),
    Cheat("matches", "match_id = '0-m'", "next_round_no = 9", "match 0-m: waits for round 9, but 3 are done"),
    Cheat("matches", "match_id = '0-m'", "suspended = {true}", "match 0-m: suspended without an open"),
    Cheat("matches", "match_id = '3-o'", "suspended = {false}", "match 3-o: has an open dispute, but"),
    Cheat("matches", "match_id = '0-m'", "match_id = '9-z'", "round 0-m/1: out of order"),
    Cheat(
        "stakes", "match_id = '0-m' AND seat = 0", "state = 'open'", "stake/0-m/0: open, but its coins went"
    ),
    Cheat("stakes", "match_id = '1-n' AND seat = 0", "state = 'closed'", "stake/1-n/0: closed, but holds"),
    Cheat(
        "stakes", "match_id = '1-n' AND seat = 0", "player_id = 'p_b'", "stake/1-n/0: 500 gold of p_b is not"
    ),
    Cheat("stakes", "match_id = '1-n' AND seat = 0", "buy_in = 501", "stake/1-n/0: 501 gold of p_a is not"),
    Cheat(
        "stakes", "match_id = '1-n' AND seat = 0", "currency = 'gem'", "stake/1-n/0: holds 560 gold, but no"
    ),
    Cheat("stakes", "match_id = '1-n' AND seat = 0", "seat = 9", "stake/1-n/0: holds 560 gold, but no such"),
    Cheat(
        "stakes", "match_id = '1-n' AND seat = 0", "match_id = '9-z'", "stake/1-n/0: holds 560 gold, but no"
    ),
    Cheat(
        "stakes", "match_id = '1-n' AND seat = 0", "content_hash = {junk}", "stake/1-n/0: 500 gold of p_a is"
    ),
    Cheat("stakes", "match_id = '0-m' AND seat = 0", "returned = 0", "stake/0-m/0: gave back 0"),
    Cheat(
        "stakes", "match_id = '0-m' AND seat = 0", "last_round_no = 9", "stake/0-m/0: closed after round 9"
    ),
    Cheat("stakes", "match_id = '1-n' AND seat = 2", "last_round_no = 1", "stake/1-n/2: should have closed"),
    Cheat(
        "disputes", "round_id = '3-o/1'", "round_id = '3-o/9'", "round 3-o/1: disputed or decided, but not"
    ),
    Cheat("decisions", "round_id = '2-d/1'", "outcome = 'VOID'", "round 2-d/1: "),
    Cheat("decisions", "round_id = '2-d/1'", "outcome = 'ENGINE'", "round 2-d/1: what p_anna decided is"),
    Cheat("decisions", "round_id = '2-d/1'", "settled = {other}", "round 2-d/1: "),
    Cheat(
        "decisions", "round_id = '2-d/1'", "round_id = '0-m/1'", "round 0-m/1: disputed or decided, but not"
    ),
    Cheat("room_holds", ROOM, "state = 'held'", "house/rooms/7-k: held, but kept [4, 0]"),
    Cheat("room_holds", ROOM, "state = 'held', kept = ''", "house/rooms/7-k: its match is over, it still"),
    Cheat("room_holds", ROOM, "state = 'returned'", "house/rooms/7-k: returned, but kept [4, 0]"),
    Cheat("room_holds", ROOM, "kept = '[0, 4]'", "house/rooms/7-k: p_a paid 4 and got 4 back"),
    Cheat("room_holds", ROOM, "kept = '[5, -1]'", "house/rooms/7-k: kept [5, -1] of [4, 4]"),
    Cheat("room_holds", ROOM, "held = '[5, 4]'", "house/rooms/7-k: [5, 4] of "),
    Cheat("room_holds", ROOM, 'seats = \'["p_a", "p_x"]\'', "is not what was asked for"),
    Cheat("room_holds", ROOM, "payer = 'each'", "house/rooms/7-k: [4, 4] of "),
    Cheat("room_holds", ROOM, "content_hash = {junk}", "house/rooms/7-k: [4, 4] of "),
    Cheat("room_holds", ROOM, "match_id = '7-x'", "house/rooms/7-k: cards moved, but none were asked for"),
    Cheat("room_holds", "match_id = '6-h'", "at_ms = 5", "house/rooms/6-h: its match has not ended"),
    Cheat("outbox", "event_id = 'settled:0-m/1'", "payload = {junk}", "round 0-m/1: what was told of it"),
    Cheat("outbox", "event_id = 'settled:0-m/1'", "payload = {event}", "round 0-m/1: told as"),
    Cheat("outbox", "event_id = 'settled:0-m/1'", "event_id = 'x'", "round 0-m/1: settled, but nobody was"),
]
LOST = [
    Cheat("accounts", WALLET, "", "account wallet/p_a gold: has entries, but does not exist"),
    Cheat("entries", ENTRY, "", "entries in gold sum to -60, not 0"),
    Cheat("transfers", TRANSFER, "", "has entries, but is not in the book"),
    Cheat("rounds", "round_id = '0-m/1'", "", "round 0-m/1 is not settled by it"),
    Cheat("rounds", "round_id = '0-m/2'", "", "match 0-m: waits for round 4, but 2 are done"),
    Cheat("matches", "match_id = '0-m'", "", "round 0-m/1: out of order"),
    Cheat("stakes", "match_id = '1-n' AND seat = 0", "", "stake/1-n/0: holds 560 gold, but no such stake"),
    Cheat("disputes", "round_id = '3-o/1'", "", "round 3-o/1: disputed or decided, but not among"),
    Cheat("decisions", "round_id = '2-d/1'", "", "round 2-d/1: settled"),
    Cheat("room_holds", "match_id = '6-h'", "", "house/rooms/6-h: cards moved, but none were asked for"),
    Cheat("outbox", "event_id = 'settled:0-m/1'", "", "round 0-m/1: settled, but nobody was told"),
]


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


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def book(request: pytest.FixtureRequest) -> Engine:
    engine: Engine = request.getfixturevalue(f"{request.param}_book")
    return engine


def changed(connection: Connection, cheat: Cheat) -> Proof:
    is_postgres = connection.dialect.name == "postgresql"

    def literal(value: bytes) -> str:
        return f"'\\x{value.hex()}'::bytea" if is_postgres else f"x'{value.hex()}'"

    event_of = select(schema.outbox.c.payload).where(schema.outbox.c.event_id == "settled:0-m/3")
    words = {
        "junk": literal(b"\xff" * 32),
        "other": literal(agreed("0-m", 3, points=(-6, 3, 3)).payload),
        "event": literal(bytes(connection.execute(event_of).scalar_one())),
        "true": "true" if is_postgres else "1",
        "false": "false" if is_postgres else "0",
    }
    if cheat.change:
        change = cheat.change
        for name, value in words.items():
            change = change.replace(f"{{{name}}}", value)
        statement = f"UPDATE {cheat.table} SET {change} WHERE {cheat.where}"
    else:
        statement = f"DELETE FROM {cheat.table} WHERE {cheat.where}"
    with unlocked(connection, cheat.table):
        assert connection.execute(text(statement)).rowcount == 1
    return prove(connection, LATER_MS)


def said_of(engine: Engine, cheat: Cheat) -> list[str]:
    """Return the findings of a book with this change, and leave the book as it was."""
    found: list[str] = []
    key = {"entries": "id", "transfers": "id"}.get(cheat.table)
    with engine.connect() as connection, connection.begin() as transaction:
        named = ""
        if key:
            query = text(f"SELECT {key} FROM {cheat.table} WHERE {cheat.where}")
            named = str(connection.execute(query).scalar_one())
        found.extend(changed(connection, cheat).findings)
        transaction.rollback()
    said = cheat.said.replace("{id}", named)
    assert any(said in finding for finding in found), f"{cheat}: {said!r} is not in {found}"
    return found


def test_the_book_adds_up_before_anybody_touches_it(book: Engine) -> None:
    with book.connect() as connection:
        proof = prove(connection, LATER_MS)
        assert proof.findings == ()
        assert proof.transfers > 20
        assert prove(connection, LATER_MS, since=proof.mark - 5).findings == ()


@pytest.mark.parametrize("cheat", CHEATS, ids=str)
def test_a_changed_column_is_found_and_named(book: Engine, cheat: Cheat) -> None:
    assert said_of(book, cheat)


@pytest.mark.parametrize("cheat", LOST, ids=str)
def test_a_lost_row_is_found_and_named(book: Engine, cheat: Cheat) -> None:
    assert said_of(book, cheat)


def test_coins_made_from_nothing_are_found_in_a_balanced_pair_of_entries_too(book: Engine) -> None:
    """Somebody who knows double entry: a transfer of his own, with all balances right."""
    with book.connect() as connection, connection.begin() as transaction:
        for account, owner, amount in (("issuer", "", -9), ("wallet/p_a", "p_a", 9)):
            where = f"WHERE id = '{account}' AND currency = 'gold'"
            connection.execute(text(f"UPDATE accounts SET balance = balance + {amount} {where}"))
            connection.execute(
                text(
                    "INSERT INTO entries (transfer_id, account, currency, owner, amount, balance_after) "
                    f"SELECT 't_mine', id, currency, '{owner}', {amount}, balance FROM accounts {where}"
                )
            )
        hashed = "decode('00', 'hex')" if connection.dialect.name == "postgresql" else "x'00'"
        connection.execute(
            text(
                "INSERT INTO transfers (id, key, kind, content_hash, answer, reference, at_ms) VALUES "
                f"('t_mine', 'mine', 'gift', {hashed}, 1, '', 5)"
            )
        )
        findings = prove(connection, LATER_MS).findings
        transaction.rollback()
    assert any("t_mine: gift is not what was asked for under mine" in one for one in findings), findings


@pytest.mark.parametrize("back", [3, 20])
def test_a_proof_of_what_is_new_finds_what_was_changed_in_it(book: Engine, back: int) -> None:
    with book.connect() as connection, connection.begin() as transaction:
        mark = prove(connection, LATER_MS).mark
        last = f"id = {mark - back + 1}"
        with unlocked(connection, "entries"):
            change = text(f"UPDATE entries SET balance_after = balance_after + 1 WHERE {last}")
            assert connection.execute(change).rowcount
        findings = prove(connection, LATER_MS, since=mark - back).findings
        transaction.rollback()
    assert any(finding.startswith(f"entry {mark - back + 1} of ") for finding in findings), findings


def test_a_changed_balance_of_an_old_account_shows_in_the_totals_at_once(book: Engine) -> None:
    with book.connect() as connection, connection.begin() as transaction:
        mark = prove(connection, LATER_MS).mark
        connection.execute(text(f"UPDATE accounts SET balance = balance + 7 WHERE {WALLET}"))
        findings = prove(connection, LATER_MS, since=mark).findings
        transaction.rollback()
    assert findings == ("all accounts in gold sum to 7, not 0",)


def test_a_ruined_book_is_told_in_a_bounded_number_of_lines(book: Engine) -> None:
    with book.connect() as connection, connection.begin() as transaction:
        for _ in range(FINDINGS_MAX + 5):
            connection.execute(
                text(
                    "INSERT INTO entries (transfer_id, account, currency, owner, amount, balance_after) "
                    "VALUES ('t_x', 'wallet/p_a', 'gold', 'p_a', 5, 5)"
                )
            )
        findings = prove(connection, LATER_MS).findings
        transaction.rollback()
    assert len(findings) == FINDINGS_MAX + 1
    assert findings[-1] == f"stopped after {FINDINGS_MAX} findings"


def test_guards_that_are_gone_or_switched_off_are_named(book: Engine) -> None:
    with book.connect() as connection, connection.begin() as transaction:
        if connection.dialect.name == "postgresql":
            connection.execute(text("ALTER TABLE entries DISABLE TRIGGER entries_immutable"))
            named = "entries_immutable"
        else:
            connection.execute(text("DROP TRIGGER entries_no_update"))
            named = "entries_no_update"
        since = prove(connection, LATER_MS).mark
        for findings in (prove(connection, LATER_MS).findings, prove(connection, LATER_MS, since).findings):
            assert findings == (f"table entries: its rows can be changed, its trigger {named} is gone",)
        transaction.rollback()


def test_every_trigger_that_keeps_rows_is_looked_for(book: Engine) -> None:
    query = {
        "sqlite": "SELECT DISTINCT tbl_name FROM sqlite_master WHERE type = 'trigger'",
        "postgresql": "SELECT DISTINCT relname FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid "
        "WHERE NOT tgisinternal",
    }
    with book.connect() as connection:
        assert set(connection.execute(text(query[connection.dialect.name])).scalars()) == set(KEPT)

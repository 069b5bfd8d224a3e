"""One verb over SQLite and a real PostgreSQL."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import (
    Column,
    Connection,
    Engine,
    Integer,
    MetaData,
    String,
    Table,
    bindparam,
    func,
    insert,
    select,
    text,
    update,
)
from sqlalchemy.exc import DBAPIError, IntegrityError

from services.chassis.clock import SystemClock
from services.chassis.config import ConfigError
from services.chassis.db import (
    Database,
    InlineDatabase,
    PostgresDatabase,
    SqliteDatabase,
    check_schema,
    migrate,
    postgres,
    schema_differences,
)
from services.chassis.db.inserts import upsert
from services.chassis.errors import Outage
from services.chassis.ids import SystemIds
from tests.support.postgres import PostgresServer

METADATA = MetaData()
ACCOUNTS = Table(
    "accounts",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("owner", String(20), nullable=False),
    Column("coins", Integer, nullable=False),
)
FIRST = """
import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

def upgrade():
    op.create_table(
        "accounts",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("owner", sa.String(20), nullable=False),
        sa.Column("coins", sa.Integer, nullable=False),
    )
    op.execute("INSERT INTO accounts VALUES (1, 'house', 0)")
"""
SECOND = """
import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

def upgrade():
    op.add_column("accounts", sa.Column("note", sa.String(20)))
    op.execute("UPDATE accounts SET coins = 5")
"""
BROKEN = SECOND.replace("UPDATE accounts", "UPDATE nowhere")


@pytest.fixture
def migrations(tmp_path: Path) -> Path:
    folder = tmp_path / "migrations"
    (folder / "versions").mkdir(parents=True)
    (folder / "versions" / "0001_first.py").write_text(FIRST)
    return folder


@pytest.fixture
async def bank(db: Database) -> Database:
    await db.run(METADATA.create_all)
    return db


def add(number: int, coins: int = 0) -> Callable[[Connection], int]:
    def fn(connection: Connection) -> int:
        connection.execute(insert(ACCOUNTS).values(id=number, owner="o", coins=coins))
        return number

    return fn


def count(connection: Connection) -> int:
    return int(connection.execute(select(func.count()).select_from(ACCOUNTS)).scalar_one())


async def test_what_fn_returns_is_returned_once_it_is_committed(bank: Database) -> None:
    assert await bank.run(add(1)) == 1
    assert await bank.read(count) == 1


async def test_a_row_that_is_there_stays_changes_or_is_in_the_way_as_the_insert_says(bank: Database) -> None:
    def write(how: str) -> Callable[[Connection], int | None]:
        def fn(connection: Connection) -> int | None:
            row = upsert(connection, ACCOUNTS).values(id=1, owner=how, coins=1)
            if how == "kept":
                row = row.on_conflict_do_nothing()
            elif how == "added":
                total = {"coins": ACCOUNTS.c.coins + row.excluded.coins}
                row = row.on_conflict_do_update(index_elements=["id"], set_=total)
            return connection.execute(row.returning(ACCOUNTS.c.coins)).scalar_one_or_none()

        return fn

    assert [await bank.run(write(how)) for how in ("kept", "kept", "added")] == [1, None, 2]
    with pytest.raises(IntegrityError):
        await bank.run(write("plain"))
    stored = await bank.read(lambda connection: connection.execute(select(ACCOUNTS)).all())
    assert [tuple(row) for row in stored] == [(1, "kept", 2)]


async def test_a_failing_fn_takes_back_only_its_own_changes(bank: Database) -> None:
    def half(connection: Connection) -> None:
        add(1000)(connection)
        raise ValueError("second thoughts")

    jobs = [bank.run(half) if number % 3 == 0 else bank.run(add(number)) for number in range(60)]
    results = await asyncio.gather(*jobs, return_exceptions=True)
    assert [isinstance(result, ValueError) for result in results] == [number % 3 == 0 for number in range(60)]
    assert await bank.read(count) == 40


async def test_a_failing_fn_that_is_alone_in_its_transaction_leaves_nothing(bank: Database) -> None:
    def half(connection: Connection) -> None:
        add(1000)(connection)
        raise ValueError("second thoughts")

    with pytest.raises(ValueError, match="second"):
        await bank.run(half)
    assert await bank.read(count) == 0


async def test_a_constraint_is_the_callers_and_breaks_nobody_else(bank: Database) -> None:
    results = await asyncio.gather(
        *(bank.run(add(number // 2)) for number in range(40)), return_exceptions=True
    )
    assert len([result for result in results if isinstance(result, IntegrityError)]) == 20
    assert len([result for result in results if isinstance(result, int)]) == 20
    assert await bank.read(count) == 20
    with pytest.raises(IntegrityError):
        await bank.run(add(1))
    assert await bank.run(add(999)) == 999


async def test_concurrent_changes_of_one_row_all_count(bank: Database) -> None:
    await bank.run(add(1))

    def spend(connection: Connection) -> None:
        coins = connection.execute(
            select(ACCOUNTS.c.coins).where(ACCOUNTS.c.id == 1).with_for_update()
        ).scalar_one()
        connection.execute(update(ACCOUNTS).where(ACCOUNTS.c.id == 1).values(coins=coins + 1))

    await asyncio.gather(*(bank.run(spend) for _ in range(50)))
    assert await bank.read(lambda c: c.execute(select(ACCOUNTS.c.coins)).scalar_one()) == 50


async def test_a_cancelled_caller_does_not_cut_its_transaction_short(bank: Database) -> None:
    begun, go = threading.Event(), threading.Event()

    def slow(connection: Connection) -> None:
        add(1)(connection)
        begun.set()
        assert go.wait(10)
        add(2)(connection)

    task = asyncio.ensure_future(bank.run(slow))
    await asyncio.get_running_loop().run_in_executor(None, begun.wait, 10)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    go.set()
    await bank.run(lambda connection: None)
    async with asyncio.timeout(60):
        while await bank.read(count) != 2:
            await asyncio.sleep(0.01)


@pytest.mark.postgres
async def test_who_stands_still_within_a_transaction_keeps_its_rows_from_nobody(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres, "IDLE_MS", 300)
    still = PostgresDatabase(postgres_url, SystemClock(), SystemIds(), connections=1)
    monkeypatch.undo()
    other = PostgresDatabase(postgres_url, SystemClock(), SystemIds(), connections=1)
    await other.run(METADATA.create_all)
    begun, go = threading.Event(), threading.Event()

    def stands(connection: Connection) -> None:
        add(1)(connection)
        begun.set()
        assert go.wait(60)
        add(2)(connection)

    task = asyncio.ensure_future(still.run(stands))
    await asyncio.get_running_loop().run_in_executor(None, begun.wait, 60)
    # The same row: it waits for the other transaction, and then has it.
    assert await other.run(add(1)) == 1
    go.set()
    with pytest.raises(Outage, match="idle-in-transaction"):
        await task
    assert await other.read(count) == 1
    assert await still.run(add(3)) == 3, "the next one has a fresh session"
    await still.close()
    await other.close()


async def test_readers_do_not_wait_for_a_writer_and_see_one_snapshot(bank: Database) -> None:
    await bank.run(add(1))
    begun, go = threading.Event(), threading.Event()

    def slow(connection: Connection) -> None:
        add(2)(connection)
        begun.set()
        assert go.wait(10)

    task = asyncio.ensure_future(bank.run(slow))
    await asyncio.get_running_loop().run_in_executor(None, begun.wait, 10)
    async with asyncio.timeout(60):
        assert await bank.read(count) == 1
    go.set()
    await task
    assert await bank.read(count) == 2


async def test_a_scan_is_one_snapshot_and_holds_up_neither_readers_nor_writers(bank: Database) -> None:
    begun, go = threading.Event(), threading.Event()

    def long(connection: Connection) -> tuple[int, int]:
        before = count(connection)
        begun.set()
        assert go.wait(10)
        return before, count(connection)

    task = asyncio.ensure_future(bank.scan(long))
    await asyncio.get_running_loop().run_in_executor(None, begun.wait, 10)
    async with asyncio.timeout(60):
        await bank.run(add(1))
        assert await bank.read(count) == 1
    go.set()
    assert await task == (0, 0)
    assert await bank.scan(count) == 1


async def test_a_closed_database_is_an_outage(bank: Database) -> None:
    await bank.close()
    await bank.close()
    with pytest.raises(Outage, match="closed"):
        await bank.run(count)


async def test_a_wrong_statement_is_a_defect_not_an_outage(bank: Database) -> None:
    with pytest.raises(Exception, match="nowhere") as caught:
        await bank.run(lambda connection: connection.execute(text("SELECT * FROM nowhere")))
    assert not isinstance(caught.value, Outage)
    assert await bank.run(add(1)) == 1


# SQLite alone


async def test_sqlite_is_durable_and_waiting_callers_share_a_commit(sqlite_db: SqliteDatabase) -> None:
    await sqlite_db.run(METADATA.create_all)
    pragmas = {}
    for name in ("journal_mode", "synchronous", "foreign_keys"):
        pragmas[name] = await sqlite_db.run(lambda c, name=name: c.exec_driver_sql(f"PRAGMA {name}").scalar())  # type: ignore[misc]
    assert pragmas == {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1}
    begun, go = threading.Event(), threading.Event()
    connections: list[Any] = []

    def hold(connection: Connection) -> None:
        begun.set()
        assert go.wait(10)

    def note(connection: Connection) -> None:
        connections.append(connection.get_transaction())

    holding = asyncio.ensure_future(sqlite_db.run(hold))
    await asyncio.get_running_loop().run_in_executor(None, begun.wait, 10)
    waiting = [asyncio.ensure_future(sqlite_db.run(note)) for _ in range(50)]
    await asyncio.sleep(0)
    go.set()
    await asyncio.gather(holding, *waiting)
    assert len({id(transaction) for transaction in connections}) == 1


async def test_sqlite_locked_by_another_is_an_outage(
    sqlite_db: SqliteDatabase, sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("services.chassis.db.sqlite.BUSY_MS", 50)
    await sqlite_db.run(METADATA.create_all)
    other = SqliteDatabase(sqlite_url)
    begun, go = threading.Event(), threading.Event()

    def hold(connection: Connection) -> None:
        begun.set()
        assert go.wait(10)

    holding = asyncio.ensure_future(sqlite_db.run(hold))
    await asyncio.get_running_loop().run_in_executor(None, begun.wait, 10)
    with pytest.raises(Outage, match="SQLITE_BUSY"):
        await other.run(count)
    go.set()
    await holding
    assert await other.run(count) == 0
    await other.close()


async def test_inline_runs_in_the_loops_own_thread_and_outlives_its_process(
    inline_db: InlineDatabase,
) -> None:
    threads: list[int] = []
    await inline_db.run(METADATA.create_all)
    await inline_db.run(lambda connection: threads.append(threading.get_ident()))
    await inline_db.run(add(1))
    await inline_db.close()
    assert threads == [threading.get_ident()]
    assert await inline_db.read(count) == 1
    with pytest.raises(IntegrityError):
        await inline_db.run(add(1))
    inline_db.is_up = False
    with pytest.raises(Outage):
        await inline_db.run(count)


# PostgreSQL alone


@pytest.mark.postgres
async def test_a_deadlock_is_tried_again_until_both_are_done(postgres_db: PostgresDatabase) -> None:
    await postgres_db.run(METADATA.create_all)
    await postgres_db.run(lambda c: [add(number)(c) for number in (1, 2)])
    both = threading.Barrier(2)
    tries: list[int] = []

    def cross(first: int, second: int) -> Callable[[Connection], None]:
        met = False

        def fn(connection: Connection) -> None:
            nonlocal met
            tries.append(first)
            bump = update(ACCOUNTS).values(coins=ACCOUNTS.c.coins + 1)
            connection.execute(bump.where(ACCOUNTS.c.id == first))
            if not met:
                met = True
                both.wait(10)
            connection.execute(bump.where(ACCOUNTS.c.id == second))

        return fn

    await asyncio.gather(postgres_db.run(cross(1, 2)), postgres_db.run(cross(2, 1)))
    assert len(tries) >= 3
    rows = await postgres_db.read(lambda c: c.execute(select(ACCOUNTS.c.coins)).scalars().all())
    assert list(rows) == [2, 2]


@pytest.mark.postgres
async def test_a_reader_on_postgres_can_not_write(postgres_db: PostgresDatabase) -> None:
    await postgres_db.run(METADATA.create_all)
    with pytest.raises(Exception, match="read-only"):
        await postgres_db.read(add(1))
    with pytest.raises(Exception, match="read-only"):
        await postgres_db.scan(add(1))


@pytest.mark.postgres
async def test_only_a_scan_takes_as_long_as_it_takes(postgres_db: PostgresDatabase) -> None:
    limit = text("SHOW statement_timeout")
    assert await postgres_db.read(lambda c: c.execute(limit).scalar_one()) == "10s"
    assert await postgres_db.scan(lambda c: c.execute(limit).scalar_one()) == "0"


@pytest.mark.postgres
async def test_a_server_that_goes_is_an_outage_and_one_that_comes_back_is_used_again(
    postgres_db: PostgresDatabase, postgres_server: PostgresServer
) -> None:
    await postgres_db.run(METADATA.create_all)
    postgres_server.stop()
    with pytest.raises(Outage):
        await postgres_db.run(count)
    postgres_server.start()
    assert await postgres_db.run(count) == 0


# Migrations


async def test_a_database_is_migrated_once_and_refused_while_it_is_behind(
    database_url: str, db: Database, migrations: Path
) -> None:
    with pytest.raises(ConfigError, match="is at nothing, this code needs 0001: run `paiju migrate`"):
        check_schema(database_url, "bank", migrations)
    migrate(database_url, "bank", migrations)
    migrate(database_url, "bank", migrations)
    check_schema(database_url, "bank", migrations)
    assert await db.read(count) == 1
    assert await db.run(lambda c: schema_differences(c, METADATA)) == []
    (migrations / "versions" / "0002_second.py").write_text(SECOND)
    with pytest.raises(ConfigError, match="is at 0001, this code needs 0002"):
        check_schema(database_url, "bank", migrations)
    migrate(database_url, "bank", migrations)
    check_schema(database_url, "bank", migrations)
    assert await db.read(lambda c: c.execute(select(ACCOUNTS.c.coins)).scalar_one()) == 5
    assert len(await db.run(lambda c: schema_differences(c, METADATA))) == 1


async def test_a_database_ahead_of_the_code_is_refused(
    database_url: str, db: Database, migrations: Path
) -> None:
    (migrations / "versions" / "0002_second.py").write_text(SECOND)
    migrate(database_url, "bank", migrations)
    (migrations / "versions" / "0002_second.py").unlink()
    with pytest.raises(ConfigError, match="0002"):
        check_schema(database_url, "bank", migrations)
    with pytest.raises(ConfigError, match="doesn't fit"):
        migrate(database_url, "bank", migrations)


async def test_a_migration_that_fails_leaves_nothing_of_itself(
    database_url: str, db: Database, migrations: Path
) -> None:
    migrate(database_url, "bank", migrations)
    (migrations / "versions" / "0002_second.py").write_text(BROKEN)
    with pytest.raises(Exception, match="nowhere"):
        migrate(database_url, "bank", migrations)
    assert await db.run(lambda c: schema_differences(c, METADATA)) == []
    (migrations / "versions" / "0002_second.py").write_text(SECOND)
    migrate(database_url, "bank", migrations)


async def test_two_services_may_share_a_database(database_url: str, migrations: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    (other / "versions").mkdir(parents=True)
    renamed = FIRST.replace("accounts", "others")
    (other / "versions" / "0001_first.py").write_text(renamed)
    migrate(database_url, "bank", migrations)
    migrate(database_url, "other", other)
    check_schema(database_url, "bank", migrations)
    check_schema(database_url, "other", other)


def test_an_engine_may_be_migrated_in_place(inline_db: InlineDatabase, migrations: Path) -> None:
    engine: Engine = inline_db.engine
    migrate(engine, "bank", migrations)
    check_schema(engine, "bank", migrations)
    with engine.connect() as connection:
        assert count(connection) == 1


# Reading on the loop

COINS = select(ACCOUNTS.c.owner, ACCOUNTS.c.coins).where(ACCOUNTS.c.owner == bindparam("owner"))


def give(owner: str, coins: int) -> Callable[[Connection], None]:
    """Return a transaction that gives coins to an owner who exists, or makes him."""

    def write(connection: Connection) -> None:
        mine = update(ACCOUNTS).where(ACCOUNTS.c.owner == owner).values(coins=ACCOUNTS.c.coins + coins)
        if not connection.execute(mine).rowcount:
            connection.execute(insert(ACCOUNTS), {"owner": owner, "coins": coins})

    return write


async def test_a_fetch_sees_whatever_was_committed_before_it(db: Database) -> None:
    await db.run(METADATA.create_all)
    assert list(await db.fetch(COINS, {"owner": "a"})) == []
    for number in range(1, 30):
        await db.run(give("a", 1))
        assert list(await db.fetch(COINS, {"owner": "a"})) == [("a", number)]
    await asyncio.gather(*(db.run(give("a", 1)) for _ in range(8)))
    found = await asyncio.gather(*(db.fetch(COINS, {"owner": "a"}) for _ in range(8)))
    assert [list(one) for one in found] == [[("a", 37)]] * 8


async def test_a_fetch_that_fails_says_why_and_the_next_one_works(db: Database) -> None:
    with pytest.raises(DBAPIError):
        await db.fetch(COINS, {"owner": "a"})
    await db.run(METADATA.create_all)
    assert list(await db.fetch(COINS, {"owner": "a"})) == []


async def test_a_fetch_after_the_end_is_an_outage(db: Database) -> None:
    await db.run(METADATA.create_all)
    await db.fetch(COINS, {"owner": "a"})
    await db.close()
    with pytest.raises(Outage):
        await db.fetch(COINS, {"owner": "a"})


@pytest.mark.postgres
async def test_a_fetch_finds_a_server_again_that_was_away(
    postgres_db: PostgresDatabase, postgres_server: PostgresServer
) -> None:
    await postgres_db.run(METADATA.create_all)
    await postgres_db.run(give("a", 1))
    assert list(await postgres_db.fetch(COINS, {"owner": "a"})) == [("a", 1)]
    postgres_server.stop()
    with pytest.raises(Outage):
        await postgres_db.fetch(COINS, {"owner": "a"})
    postgres_server.start()
    assert list(await postgres_db.fetch(COINS, {"owner": "a"})) == [("a", 1)]

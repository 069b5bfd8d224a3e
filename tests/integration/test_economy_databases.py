"""The book on real databases: SQLite and PostgreSQL give the same, and many callers at once break nothing."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from functools import partial
from typing import Any

import pytest
from sqlalchemy import Connection, delete, select, text, update
from sqlalchemy.exc import DatabaseError, IntegrityError

from services.chassis.clock import SystemClock
from services.chassis.db import Database, PostgresDatabase, migrate, schema_differences
from services.chassis.errors import Refusal
from services.chassis.ids import SystemIds
from services.economy.store import proof_notes, rounds, schema, stakes, wallets
from services.economy.store.proof import prove
from tests.support.book import HOUSE_FLOAT, NOW_MS, PLAYERS, agreed, voided


@pytest.fixture
async def book(database_url: str, db: Database) -> Database:
    migrate(database_url, "economy")
    return db


@pytest.fixture
async def shared(postgres_url: str) -> AsyncIterator[Database]:
    """A book on PostgreSQL with eight connections, each in a thread of its own."""
    migrate(postgres_url, "economy")
    database = PostgresDatabase(postgres_url, SystemClock(), SystemIds(), connections=8)
    yield database
    await database.close()


async def grant(db: Database, player: str, amount: int, key: str) -> int:
    posted = await db.run(partial(_grant, player, amount, key))
    return int(posted.balance_after)


def _grant(player: str, amount: int, key: str, connection: Any) -> Any:
    return wallets.grant(connection, key, "task", player, "gold", amount, "", NOW_MS)


async def open_stake(db: Database, match: str, seat: int, player: str, buy_in: int) -> int:
    return await db.run(
        lambda c: stakes.open_stake(c, match, seat, player, "gold", buy_in, HOUSE_FLOAT, NOW_MS)
    )


async def close_stake(db: Database, match: str, seat: int, last: int) -> bool:
    return (await db.run(lambda c: stakes.close_stake(c, match, seat, last, NOW_MS)))[0]


async def hear(db: Database, *batch: Any) -> rounds.Heard:
    return await db.run(lambda c: rounds.hear(c, batch, NOW_MS))


async def clean(db: Database) -> bool:
    proof = await db.read(partial(prove, now_ms=NOW_MS))
    assert proof.findings == ()
    return True


async def test_the_migrations_make_exactly_the_tables_of_the_code(book: Database) -> None:
    assert await book.run(lambda c: schema_differences(c, schema.metadata)) == []
    assert await book.run(lambda c: schema_differences(c, proof_notes.metadata)) == []


@pytest.mark.parametrize("table", ["entries", "transfers"])
async def test_what_was_written_cannot_be_changed_or_removed(book: Database, table: str) -> None:
    await grant(book, "p_a", 5, "k")
    target = schema.metadata.tables[table]
    with pytest.raises(DatabaseError, match="immutable"):
        await book.run(lambda c: c.execute(delete(target)))
    with pytest.raises(DatabaseError, match="immutable"):
        await book.run(lambda c: c.execute(update(target).values({target.columns[1].name: "x"})))
    if book.dialect == "postgresql":
        with pytest.raises(DatabaseError, match="immutable"):
            await book.run(lambda c: c.execute(text(f"TRUNCATE {table}")))


async def test_the_database_itself_refuses_a_negative_balance(book: Database) -> None:
    await grant(book, "p_a", 5, "k")
    with pytest.raises(IntegrityError):
        await book.run(lambda c: c.execute(text("UPDATE accounts SET balance = -1 WHERE id = 'wallet/p_a'")))


async def test_a_whole_match_on_a_real_database(book: Database) -> None:
    for player in ("p_a", "p_b"):
        await grant(book, player, 1_000, player)
    for seat, player in enumerate(PLAYERS):
        assert await open_stake(book, "0-m", seat, player, 500) == 500
    assert (await hear(book, agreed(number=2, points=(0, 9, -9)), agreed(number=4))).settled == 0
    assert (await hear(book, agreed(number=1, points=(40, -20, -20)), voided(number=3))).settled == 3
    assert (await hear(book, agreed(number=1, points=(40, -20, -20)))).settled == 0
    assert not await close_stake(book, "0-m", 0, 5)
    assert not await close_stake(book, "0-m", 1, 5)
    assert not await close_stake(book, "0-m", 2, 5)
    heard = await hear(book, agreed(number=5, verdict="DISPUTED"))
    assert heard.disputed == [("0-m/5", "disputed")]
    assert [row[3:] for row in await book.read(lambda c: stakes.all_stakes(c, "0-m"))] == [
        (960, "closing"),
        (360, "closing"),
        (180, "closing"),
    ]
    found = await book.read(lambda c: wallets.wallets_of(c, ["p_a"]))
    assert [money.amount for money in found["p_a"].staked] == [960]
    rows = await book.read(lambda c: wallets.entries_of(c, "p_a", "gold", 2, None))
    assert [row.amount for row in rows] == [60, 400]
    assert await clean(book)


async def test_the_reconciler_finds_what_was_tampered_with_on_every_database(book: Database) -> None:
    for player in ("p_a", "p_b"):
        await grant(book, player, 1_000, player)
    for seat, player in enumerate(PLAYERS):
        await open_stake(book, "0-m", seat, player, 500)
    await hear(book, agreed())
    assert await clean(book)
    for statement in (
        "UPDATE accounts SET balance = balance + 7 WHERE id = 'wallet/p_a'",
        "UPDATE rounds SET coins = '[1, 0, -1]'",
        "UPDATE stakes SET state = 'closed' WHERE seat = 1",
        "INSERT INTO entries (transfer_id, account, currency, owner, amount, balance_after) "
        "VALUES ('t_x', 'wallet/p_b', 'gold', 'p_b', 5, 505)",
    ):
        await book.run(partial(Connection.execute, statement=text(statement)))
    found = "\n".join((await book.read(partial(prove, now_ms=NOW_MS))).findings)
    for expected in (
        "transfer t_x: entries in gold sum to 5, not 0",
        "transfer t_x: has entries, but is not in the book",
        "account wallet/p_a gold: balance 507, entries sum to 500",
        "account wallet/p_b gold: balance 500, entries sum to 505",
        "round 0-m/1: coins are [1, 0, -1], computed again [60, -30, -30]",
        "stake/0-m/1: closed, but holds 470 gold",
    ):
        assert expected in found


@pytest.mark.postgres
async def test_eight_threads_doing_anything_at_all_conserve_every_coin(shared: Database) -> None:
    chance = random.Random(7)
    players = [f"p_{number}" for number in range(6)]
    matches = [f"0-m{number}" for number in range(6)]
    for player in players:
        await grant(shared, player, 2_000, f"start/{player}")

    async def one(number: int) -> str:
        match, seat = chance.choice(matches), chance.randrange(3)
        player = chance.choice([*players, "bot:normal"])
        won = chance.randrange(-30, 30)
        kind = chance.randrange(6)
        try:
            if kind == 0:
                await grant(shared, chance.choice(players), 10, f"g{number // 2}")
            elif kind == 1:
                await open_stake(shared, match, seat, player, 100)
            elif kind == 2:
                await close_stake(shared, match, seat, chance.randrange(4))
            elif kind == 3:
                await hear(shared, voided(match, chance.randrange(1, 6)))
            else:
                batch = [
                    agreed(chance.choice(matches), chance.randrange(1, 6), points=(won, -won, 0))
                    for _ in range(4)
                ]
                await hear(shared, *batch)
        except Refusal as refusal:
            return refusal.reason
        return ""

    reasons = await asyncio.gather(*(one(number) for number in range(400)))
    assert set(reasons) <= {"", "REQUEST_ID_REUSED", "INSUFFICIENT_FUNDS", "STAKE_CLOSED"}
    assert await clean(shared)


@pytest.mark.postgres
async def test_audits_of_the_same_rounds_heard_by_many_at_once_settle_once(shared: Database) -> None:
    for player in ("p_a", "p_b"):
        await grant(shared, player, 90_000, player)
    matches = [f"0-m{number}" for number in range(8)]
    for match in matches:
        for seat, player in enumerate(PLAYERS):
            await open_stake(shared, match, seat, player, 5_000)
    facts = [agreed(match, number) for match in matches for number in range(1, 6)] * 3
    random.Random(3).shuffle(facts)
    heard = await asyncio.gather(*(hear(shared, *facts[at : at + 6]) for at in range(0, len(facts), 6)))
    assert sum(one.settled for one in heard) == 40
    for match in matches:
        held = [row[3] for row in await shared.read(partial(stakes.all_stakes, match_id=match))]
        assert held == [5_300, 4_850, 4_850]
    count = await shared.read(lambda c: len(c.execute(select(schema.outbox.c.id)).all()))
    assert count == 40
    assert await clean(shared)


@pytest.mark.postgres
async def test_one_wallet_is_never_overdrawn_by_many_buy_ins_at_once(shared: Database) -> None:
    await grant(shared, "p_a", 1_000, "start")
    tries = [open_stake(shared, f"0-m{number}", 0, "p_a", 300) for number in range(12)]
    results = await asyncio.gather(*tries, return_exceptions=True)
    assert sum(1 for result in results if result == 300) == 3
    refused = [result for result in results if isinstance(result, Refusal)]
    assert {refusal.reason for refusal in refused} == {"INSUFFICIENT_FUNDS"}
    assert len(refused) == 9
    assert await clean(shared)


@pytest.mark.postgres
async def test_a_stake_asked_for_by_many_at_once_is_opened_once(shared: Database) -> None:
    await grant(shared, "p_a", 1_000, "start")
    assert await asyncio.gather(*(open_stake(shared, "0-m", 0, "p_a", 300) for _ in range(8))) == [300] * 8
    found = await shared.read(lambda c: wallets.wallets_of(c, ["p_a"]))
    assert found["p_a"].balances[0].amount == 700
    assert await clean(shared)


@pytest.mark.postgres
async def test_a_grant_asked_for_by_many_at_once_is_paid_once(shared: Database) -> None:
    assert await asyncio.gather(*(grant(shared, "p_a", 7, "same") for _ in range(8))) == [7] * 8
    results = await asyncio.gather(
        *(grant(shared, "p_b", amount, "other") for amount in (1, 2, 3, 4)), return_exceptions=True
    )
    assert sum(isinstance(result, int) for result in results) == 1
    assert await clean(shared)

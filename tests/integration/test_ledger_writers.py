"""Eight processes write one book at once; PostgreSQL dies in mid-batch and comes back."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest
from paiju.economy.v1.events_pb2 import RoundSettled
from sqlalchemy import Connection, event, func, select
from sqlalchemy.exc import DBAPIError

from services.chassis.clock import SystemClock
from services.chassis.db import PostgresDatabase, migrate
from services.chassis.db.port import TryAgain, translate
from services.chassis.errors import Outage, Refusal
from services.chassis.ids import SystemIds
from services.economy.core.rounds import RoundFact
from services.economy.store import rounds, schema, topup_orders
from tests.support.anything import do, draw
from tests.support.book import NOW_MS, PLAYERS, Books, agreed
from tests.support.forked import all_done, engine_of
from tests.support.postgres import PostgresServer

WRITERS = 8


class Writer(Books):
    """The operations of economy in one of several processes: what lost against another is tried again."""

    def run(self, fn: Callable[[Connection], Any]) -> Any:
        while True:
            try:
                return super().run(fn)
            except (Outage, topup_orders.Changed):
                continue  # two of one id, or two orders of one player at once: as a service, it tries again
            except DBAPIError as error:
                # On a busy machine one of eight may wait longer for SQLite's one writer than a service would.
                if not isinstance(translate(error), TryAgain) and "database is locked" not in str(error):
                    raise


def writer(url: str) -> Writer:
    return Writer(engine_of(url))


def start(url: str, gold: int, *players: str) -> Writer:
    """Make a book in which these players have gold."""
    migrate(url, "economy")
    books = writer(url)
    for player in players:
        books.grant(player, gold, f"start/{player}")
    return books


def refused(act: Callable[[], object], reason: str) -> bool:
    """Return whether it was refused; for this reason, if so."""
    found = ""
    try:
        act()
    except Refusal as refusal:
        found = refusal.reason
    assert found in ("", reason), found
    return bool(found)


def proven(books: Books) -> dict[str, int]:
    """Return all balances of gold, once the book is proven."""
    assert books.prove().findings == ()
    rows = books.run(lambda c: c.execute(select(schema.accounts)).all())
    totals = Counter[str]()
    for row in rows:
        totals[row.currency] += row.balance
        assert row.balance >= 0 or row.kind == "issuer"
    assert not any(totals.values())
    return {row.id: row.balance for row in rows if row.currency == "gold"}


def anything(url: str, seed: int, operations: int) -> None:
    """Do anything at all, as long as told; a refusal is an answer like any other, and changes nothing."""
    books, chance = writer(url), random.Random(seed)
    for _ in range(operations):
        do(books, draw(chance))


def test_eight_processes_doing_anything_at_all_conserve_every_coin(database_url: str) -> None:
    books = start(database_url, 2_000, "p_a", "p_b", "p_c")
    books.engine.dispose()
    operations = 60 if database_url.startswith("postgres") else 30
    all_done([partial(anything, database_url, seed, operations) for seed in range(WRITERS)])
    proven(books)
    told = [RoundSettled.FromString(payload).round_id for payload in books.events("RoundSettled")]
    assert len(told) == len(set(told))
    books.engine.dispose()


@pytest.mark.long
def test_what_eight_processes_are_told_at_once_is_settled_once_and_in_order(database_url: str) -> None:
    books = start(database_url, 90_000, "p_a", "p_b")
    matches = [f"0-m{number}" for number in range(6)]
    for match in matches:
        for seat, player in enumerate(PLAYERS):
            books.open(match, seat, player, 5_000)
    books.engine.dispose()

    def settle(seed: int) -> None:
        mine = writer(database_url)
        facts = [agreed(match, number) for match in matches for number in range(1, 6)]
        random.Random(seed).shuffle(facts)
        for at in range(0, len(facts), 4):
            mine.hear(*facts[at : at + 4])

    all_done([partial(settle, seed) for seed in range(WRITERS)])
    for match in matches:
        assert [one[3] for one in books.stakes(match)] == [5_300, 4_850, 4_850]
    told: dict[str, list[int]] = {}
    for payload in books.events("RoundSettled"):
        one = RoundSettled.FromString(payload)
        told.setdefault(one.match_id, []).append(one.round_no)
    assert told == {match: [1, 2, 3, 4, 5] for match in matches}
    proven(books)
    books.engine.dispose()


def test_one_balance_spent_by_eight_processes_at_once_is_spent_once(database_url: str) -> None:
    books = start(database_url, 1_000, "p_a")
    books.engine.dispose()

    def spend(number: int) -> None:
        mine, won = writer(database_url), 0
        for attempt in range(3):
            won += not refused(
                partial(mine.open, f"0-m{number}-{attempt}", 0, "p_a", 300), "INSUFFICIENT_FUNDS"
            )
        mine.grant("p_sum", 1 + won, f"won/{number}")

    all_done([partial(spend, number) for number in range(WRITERS)])
    held = proven(books)
    assert held["wallet/p_a"] == 100
    assert held["wallet/p_sum"] == WRITERS + 3, "three of twenty-four tries were paid for"
    books.engine.dispose()


@pytest.mark.long
def test_a_key_used_by_eight_processes_at_once_pays_once_and_says_the_same_to_all(database_url: str) -> None:
    books = start(database_url, 1, "p_b")
    books.engine.dispose()

    def ask(number: int) -> None:
        mine = writer(database_url)
        assert mine.grant("p_a", 7, "same") == 7
        refused(partial(mine.grant, "p_a", 100 + number, "other"), "REQUEST_ID_REUSED")
        assert mine.grant("p_a", 7, "same") == 7

    all_done([partial(ask, number) for number in range(WRITERS)])
    held = proven(books)
    assert held["wallet/p_a"] - 7 in range(100, 100 + WRITERS), "one of the eight was first"
    books.engine.dispose()


# A restart


@pytest.fixture
def server(postgres_server: PostgresServer) -> Iterator[PostgresServer]:
    """A PostgreSQL server of this test's own, which it may kill."""
    own = PostgresServer(postgres_server.binaries).start()
    yield own
    own.remove()


def facts_of(matches: list[str], number: int) -> list[RoundFact]:
    return [agreed(match, number) for match in matches]


@pytest.mark.postgres
async def test_a_restart_of_postgres_in_mid_batch_loses_nothing_and_doubles_nothing(
    server: PostgresServer,
) -> None:
    url = server.database()
    matches = [f"0-m{number}" for number in range(20)]
    books = start(url, 90_000, "p_a", "p_b")
    for match in matches:
        for seat, player in enumerate(PLAYERS):
            books.open(match, seat, player, 1_000)
    books.engine.dispose()
    db = PostgresDatabase(url, SystemClock(), SystemIds(), connections=2)
    loop = asyncio.get_running_loop()

    async def hear(batch: list[RoundFact]) -> rounds.Heard:
        return await db.run(lambda connection: rounds.hear(connection, batch, NOW_MS))

    assert (await hear(facts_of(matches, 1))).settled == 20
    statements, dies_at = 0, 0

    def before(*_: Any) -> None:
        nonlocal statements
        statements += 1
        if statements == dies_at:
            server.stop()

    event.listen(db._engine, "before_cursor_execute", before)
    for number, dies_at in enumerate((4, 7, 10), start=2):
        statements = 0
        with pytest.raises(Outage):
            await hear(facts_of(matches, number))
        assert statements >= dies_at, "the batch had begun"
        with pytest.raises(Outage):
            await hear(facts_of(matches, number))
        await loop.run_in_executor(None, server.start)
        dies_at = 0
        # The bus brings the batch again.
        assert (await hear(facts_of(matches, number))).settled == 20
        assert (await hear(facts_of(matches, number))).settled == 0
    await db.close()
    assert books.prove().findings == ()
    assert all([one[3] for one in books.stakes(match)] == [1_240, 880, 880] for match in matches)
    count = select(func.count()).select_from(schema.transfers).where(schema.transfers.c.kind == "settlement")
    assert books.run(lambda c: c.execute(count).scalar_one()) == 80
    books.engine.dispose()


@pytest.mark.postgres
@pytest.mark.long
async def test_restarts_under_load_lose_nothing_of_what_four_settle_at_once(server: PostgresServer) -> None:
    url = server.database()
    matches = [f"0-m{number}" for number in range(8)]
    books = start(url, 90_000, "p_a", "p_b")
    for match in matches:
        for seat, player in enumerate(PLAYERS):
            books.open(match, seat, player, 5_000)
    books.engine.dispose()
    clock = SystemClock()
    db = PostgresDatabase(url, clock, SystemIds(), connections=4)
    settled, outages = 0, 0
    last = 40

    async def settle(mine: list[str]) -> None:
        """Do what a consumer does: take batches in order, and take a batch again that failed."""
        nonlocal settled, outages
        for number in range(1, last + 1):
            batch = facts_of(mine, number)
            while True:
                try:
                    heard = await db.run(partial(rounds.hear, batch=batch, now_ms=NOW_MS))
                except Outage:
                    outages += 1
                    await clock.sleep(0.02)
                else:
                    settled += heard.settled
                    break

    async def trouble() -> None:
        for share in (0.1, 0.4, 0.7):
            while settled < share * last * len(matches):
                await clock.sleep(0.002)
            await asyncio.get_running_loop().run_in_executor(None, server.stop)
            await asyncio.get_running_loop().run_in_executor(None, server.start)

    async with asyncio.timeout(60), asyncio.TaskGroup() as tasks:
        tasks.create_task(trouble())
        for number in range(4):
            tasks.create_task(settle(matches[number::4]))
    assert outages >= 3
    assert settled <= last * len(matches), (
        "a commit whose answer was lost is not counted, and is not done again"
    )
    await db.close()
    assert books.prove().findings == ()
    for match in matches:
        assert [one[3] for one in books.stakes(match)] == [
            5_000 + 60 * last,
            5_000 - 30 * last,
            5_000 - 30 * last,
        ]
    told = [RoundSettled.FromString(payload).round_id for payload in books.events("RoundSettled")]
    assert len(told) == len(set(told)) == last * len(matches)
    books.engine.dispose()

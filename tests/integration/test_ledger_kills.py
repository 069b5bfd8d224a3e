"""kill -9 between any two steps: of each operation, and on the way from the bus to the book."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Iterable
from typing import Any, Literal

import pytest
from paiju.economy.v1.events_pb2 import RoundSettled
from sqlalchemy import event, select

from services.chassis import log
from services.chassis.bus import nats_pull
from services.chassis.bus.nats import NatsBus, NatsLogin
from services.chassis.bus.streams import ensure_streams
from services.chassis.clock import SystemClock
from services.chassis.db import PostgresDatabase, migrate
from services.chassis.ids import SystemIds
from services.chassis.metrics import Metrics
from services.chassis.outbox import Outbox
from services.economy.bus import AUDITS, Ears, Tellers
from services.economy.settings import EconomySettings
from services.economy.store import schema
from tests.support.book import TABLES, Books, audited, seated
from tests.support.deeds import DEEDS, Deed
from tests.support.forked import Forked, Steps, engine_of
from tests.support.nats import NatsServer
from tests.support.process import full_registry
from tests.support.written import written_by_economy

SERIALS = {"entries", "outbox", "topup_history", "topup_problems", "sandbox_deliveries"}
"""Their ids are counted up by the database, also by a transaction that is taken back."""

At = int | Literal["commit", "after"]
"""Where a process dies: before its nth statement, before it commits, or before anybody is told."""


def state(books: Books) -> dict[str, list[Any]]:
    """Return everything in the book but numbers that the database counts up."""
    found = books.dump()
    for name in SERIALS:
        at = list(TABLES[name].columns.keys()).index("id")
        found[name] = sorted((row[:at] + row[at + 1 :] for row in found[name]), key=repr)
    return {name: sorted((tuple(map(_plain, row)) for row in rows), key=repr) for name, rows in found.items()}


def _plain(value: Any) -> Any:
    return bytes(value) if isinstance(value, memoryview) else value


def killed(url: str, deed: Deed, at: At) -> int:
    """Do a deed in a process that dies at a step; return how it ended: 0 = it has no such step."""

    def work() -> None:
        mine = engine_of(url)
        steps = Steps(at if isinstance(at, int) else 0)
        if at == "commit":
            event.listen(mine, "commit", steps.die)
        else:
            event.listen(mine, "before_cursor_execute", steps.step)
        deed.act(Books(mine))
        if at == "after":
            steps.die()

    return Forked(work).wait()


def done_once(books: Books, deed: Deed, url: str, every: Iterable[At]) -> int:
    """Kill a deed at each of these steps until it is done, see that no half of it ever is; count kills."""
    deed.prepare(books)
    before, kills = state(books), 0
    books.engine.dispose()
    for at in every:
        code = killed(url, deed, at)
        if code == 0:
            break
        assert code == -9, f"{deed}: it ends by our signal or not at all"
        kills += 1
        if at != "after":
            assert state(books) == before, f"{deed}: half done when killed at {at}"
    # Nobody was told: whoever asked asks again.
    deed.act(books)
    after = state(books)
    assert after != before, f"{deed}: did nothing"
    deed.act(books)
    assert state(books) == after, f"{deed}: it came once more, and did something more"
    return kills


def test_every_deed_of_economy_is_among_those_that_are_killed() -> None:
    assert {deed.of for deed in DEEDS} == written_by_economy()


def test_a_deed_killed_at_its_commit_or_after_it_is_done_once(database_url: str) -> None:
    migrate(database_url, "economy")
    books = Books(engine_of(database_url))
    for deed in DEEDS:
        assert done_once(books, deed, database_url, ("commit", "after")) == 2, f"{deed} was not killed"
    assert books.prove().findings == ()
    books.engine.dispose()


@pytest.mark.long
def test_a_deed_killed_at_any_step_at_all_is_done_once(database_url: str) -> None:
    migrate(database_url, "economy")
    books = Books(engine_of(database_url))
    kills = 0
    for deed in DEEDS:
        kills += done_once(books, deed, database_url, itertools.count(1))
    assert kills > 5 * len(DEEDS)
    assert books.prove().findings == ()
    books.engine.dispose()


# From the bus to the book

ROUNDS = 3
EXPECTED = [("0-m", number) for number in range(1, ROUNDS + 1)]


def settling(nats_url: str, database_url: str, kill_at: int) -> Callable[[], None]:
    """Return what a process of economy does with audits: settle, acknowledge, tell, until all is told."""

    async def main() -> None:
        log.configure("critical", as_json=True)
        steps, clock, ids = Steps(kill_at), SystemClock(), SystemIds()
        bus = await NatsBus.connect(NatsLogin(nats_url), full_registry(), clock, ids, Metrics(), "economy")
        db = PostgresDatabase(database_url, clock, ids, connections=2)
        steps.watch(db._engine)
        outbox = Outbox(db, bus, clock)
        ears = Ears(db, clock, EconomySettings(), Tellers(db, bus, outbox), Metrics())
        answer, publish = nats_pull.NatsRaw.ack, bus.publish

        async def ack(raw: nats_pull.NatsRaw) -> None:
            steps.step()
            await answer(raw)
            steps.step()

        async def published(message: Any, event_id: str) -> int:
            steps.step()
            seq = await publish(message, event_id)
            steps.step()
            return seq

        setattr(nats_pull.NatsRaw, "ack", ack)  # noqa: B010 - in this process only; mypy knows no such thing
        bus.publish = published  # type: ignore[method-assign] # as above

        async def on_audits(deliveries: Any) -> None:
            steps.step()
            await ears.on_audits(deliveries)
            steps.step()

        await bus.consume(AUDITS.durable, AUDITS.types, on_audits, batch=10, linger_s=0.05)
        relay = asyncio.ensure_future(outbox.run())
        table = schema.outbox
        unsent = select(table.c.sent_at_ms).where(table.c.type == RoundSettled.DESCRIPTOR.full_name)
        while True:
            sent = (await db.read(lambda c: c.execute(unsent))).scalars().all()
            info = await bus.jetstream.consumer_info("AUDITS", AUDITS.durable)
            if len(sent) == ROUNDS and all(sent) and not (info.num_pending or info.num_ack_pending):
                break
            await asyncio.sleep(0.01)
        relay.cancel()

    return lambda: asyncio.run(main())


@pytest.mark.postgres
def test_a_settling_process_killed_at_any_step_settles_and_tells_each_round_once(
    postgres_url: str, r1: NatsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    # What a killed process held comes again soon, not after ten seconds.
    monkeypatch.setattr(nats_pull, "ACK_WAIT_S", 0.2)
    migrate(postgres_url, "economy")
    engine = engine_of(postgres_url)
    books = seated(Books(engine))
    engine.dispose()

    async def publish() -> None:
        clock, registry = SystemClock(), full_registry(consumes=(AUDITS,))
        bus = await NatsBus.connect(NatsLogin(r1.url), registry, clock, SystemIds(), Metrics(), "scoring")
        await ensure_streams(bus.jetstream, registry)
        for number in range(ROUNDS, 0, -1):
            await bus.publish(audited(number=number), f"audited:{number}")
        await bus.close()

    asyncio.run(publish())
    kills = 0
    while (code := Forked(settling(r1.url, postgres_url, kills + 1)).wait()) != 0:
        assert code == -9
        kills += 1
        held = [one[3] for one in books.stakes("0-m")]
        assert held in ([500, 500, 500], [680, 410, 410]), "the batch is settled or it is not"
        engine.dispose()
    assert kills > 15
    assert books.prove().findings == ()
    assert [one[3] for one in books.stakes("0-m")] == [680, 410, 410]

    async def told() -> list[RoundSettled]:
        registry = full_registry()
        bus = await NatsBus.connect(
            NatsLogin(r1.url), registry, SystemClock(), SystemIds(), Metrics(), "test"
        )
        subjects = ("paiju.economy.round_settled.*",)
        found = [RoundSettled.FromString(kept.payload) async for kept in bus.kept("LEDGER", subjects)]
        await bus.close()
        return found

    found = asyncio.run(told())
    assert sorted((one.match_id, one.round_no) for one in found) == EXPECTED
    engine.dispose()

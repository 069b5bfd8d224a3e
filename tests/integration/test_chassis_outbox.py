"""Events leave if, and only if, their transaction was committed."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest
from google.protobuf.message import Message
from paiju.table.v1 import events_pb2
from sqlalchemy import Connection, MetaData

from services.chassis import outbox
from services.chassis.bus import Delivery
from services.chassis.bus.broker import Faults
from services.chassis.clock import SystemClock, VirtualClock, run_virtual
from services.chassis.db import Database, InlineDatabase, schema_differences
from services.chassis.errors import Defect, Outage
from services.chassis.outbox import Outbox, outbox_table, put, waiting
from tests.support.process import MemoryProcess, MemoryWorld

METADATA = MetaData()
outbox_table(METADATA)


def finished(number: int) -> events_pb2.RoundFinished:
    return events_pb2.RoundFinished(round_id=f"m/{number}", game="paohuzi")


def stored(process: MemoryProcess) -> list[str]:
    kept = process.world.broker.streams["ROUNDS"].messages.values()
    return [events_pb2.RoundFinished.FromString(message.payload).round_id for message in kept]


class _Op:
    """As much of `alembic.op` as `create_outbox` uses."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def get_bind(self) -> Connection:
        return self._connection


@pytest.fixture
async def made(db: Database) -> Database:
    await db.run(lambda connection: outbox.create_outbox(_Op(connection)))
    return db


async def test_the_migration_makes_the_table_the_metadata_describes(made: Database) -> None:
    assert await made.run(lambda connection: schema_differences(connection, METADATA)) == []


async def test_what_is_committed_leaves_once_and_what_is_rolled_back_never(
    made: Database, process: MemoryProcess
) -> None:
    def lose(connection: Connection) -> None:
        put(connection, finished(99), "r99")
        raise ValueError("second thoughts")

    for number in range(3):
        await made.run(lambda c, n=number: put(c, finished(n), f"r{n}"))  # type: ignore[misc]
    with pytest.raises(ValueError, match="second"):
        await made.run(lose)
    box = Outbox(made, process.bus, SystemClock(), process.parts.metrics, "test")
    assert await made.read(waiting) == 3
    assert await box.relay_once() == 3
    assert await box.relay_once() == 0
    assert await made.read(waiting) == 0
    assert stored(process) == ["m/0", "m/1", "m/2"]


async def test_the_same_event_id_is_kept_once_as_it_was_first(made: Database, process: MemoryProcess) -> None:
    await made.run(lambda c: put(c, finished(1), "r"))
    await made.run(lambda c: put(c, finished(2), "r"))
    assert await Outbox(made, process.bus, SystemClock()).relay_once() == 1
    await made.run(lambda c: put(c, finished(3), "r"))
    assert await Outbox(made, process.bus, SystemClock()).relay_once() == 0
    assert stored(process) == ["m/1"]


async def test_what_could_not_be_published_stays_and_the_rest_is_marked(
    made: Database, process: MemoryProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        await made.run(lambda c, n=number: put(c, finished(n), f"r{n}"))  # type: ignore[misc]
    publish = process.bus.publish

    async def lame(message: Message, event_id: str) -> int:
        if event_id == "r1":
            raise Outage("not acknowledged")
        return await publish(message, event_id)

    monkeypatch.setattr(process.bus, "publish", lame)
    box = Outbox(made, process.bus, SystemClock())
    with pytest.raises(Outage):
        await box.relay_once()
    assert (await made.read(waiting), stored(process)) == (1, ["m/0", "m/2"])
    monkeypatch.setattr(process.bus, "publish", publish)
    assert await box.relay_once() == 1
    assert stored(process) == ["m/0", "m/2", "m/1"]


async def test_what_no_stream_keeps_can_not_be_put(made: Database) -> None:
    with pytest.raises(Defect):
        await made.run(lambda c: put(c, events_pb2.RoundSeat(), "x"))


async def test_a_poke_sends_at_once_and_a_forgotten_one_is_found(
    parts_process: MemoryProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    process, clock = parts_process, SystemClock()
    database = InlineDatabase(clock)
    await database.run(METADATA.create_all)
    heard: asyncio.Queue[str] = asyncio.Queue()
    # Whoever is heard of was poked for, as long as nobody looks by himself.
    monkeypatch.setattr(outbox, "LOOK_S", 3600)

    async def keep(deliveries: Sequence[Delivery[Message]]) -> None:
        for delivery in deliveries:
            heard.put_nowait(delivery.event_id)

    await process.bus.consume("x-box", [events_pb2.RoundFinished], keep)
    box = Outbox(database, process.bus, clock)
    process.parts.spawn("box", box.run())
    async with asyncio.timeout(60):
        while not box._poked:
            await asyncio.sleep(0)
        await database.run(lambda c: put(c, finished(1), "r1"))
        monkeypatch.setattr(outbox, "LOOK_S", 0.05)
        box.poke()
        assert await heard.get() == "r1"
        await database.run(lambda c: put(c, finished(2), "r2"))
        assert await heard.get() == "r2"


@pytest.fixture
async def parts_process(process: MemoryProcess) -> MemoryProcess:
    return process


@pytest.mark.parametrize("seed", range(10))
def test_on_a_faulty_bus_with_crashes_nothing_is_lost(seed: int) -> None:
    """Relays die at any moment, acknowledgements are lost, the broker is away for a while: every event
    arrives.
    """

    async def main(clock: VirtualClock) -> set[str]:
        faults = Faults(seed, lose_ack=0.3, lose_store=0.2, late_store=0.1)
        world = MemoryWorld(clock, seed, faults)
        database = InlineDatabase(clock)
        await database.run(METADATA.create_all)
        for life in range(6):
            process = world.process(f"p{life}")
            process.parts.spawn("box", Outbox(database, process.bus, clock).run())
            for number in range(5):
                event = finished(life * 5 + number)
                await database.run(lambda c, e=event: put(c, e, e.round_id))  # type: ignore[misc]
            world.broker.is_up = life != 3
            await clock.sleep(0.5 * life)
            process.crash()
        world.broker.is_up, faults.active = True, False
        process = world.process("last")
        process.parts.spawn("box", Outbox(database, process.bus, clock).run())
        await clock.sleep(60)
        assert await database.read(waiting) == 0
        await process.stop()
        return set(stored(process))

    assert run_virtual(main) == {f"m/{number}" for number in range(30)}

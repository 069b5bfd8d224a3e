"""The broker of the simulation fails as the real one does: one server, and a cluster of three."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import aclosing

import pytest

from services.chassis.bus.broker import Faults
from services.chassis.bus.memory import MemoryBus
from services.chassis.bus.port import Durable, FencedOff, LogEntry, Unknown
from services.chassis.clock import VirtualClock, run_virtual
from services.chassis.errors import Outage
from tests.support.process import MemoryWorld

LOG = "paiju.table.log.0"


def in_world(
    replicas: int, faults: Faults, story: Callable[[MemoryBus, MemoryWorld], Awaitable[None]]
) -> None:
    """Let a story happen on one bus of a world."""

    async def main(clock: VirtualClock) -> None:
        world = MemoryWorld(clock, faults=faults, replicas=replicas)
        process = world.process()
        await story(process.bus, world)
        process.crash()

    run_virtual(main)


async def entries(bus: MemoryBus, count: int) -> list[LogEntry]:
    """Return the first entries of the log."""
    found: list[LogEntry] = []
    async with aclosing(bus.read(LOG)) as read:
        async for entry in read:
            found.append(entry)
            if len(found) == count:
                break
    return found


def test_a_cluster_that_is_still_agreeing_says_neither_yes_nor_no() -> None:
    faults = Faults(1, late_store=1.0)

    async def story(bus: MemoryBus, world: MemoryWorld) -> None:
        first = await bus.append_once(LOG, b"first", 0, "a/1")
        assert isinstance(first, Unknown)
        faults.late_store = 0.0
        again = await bus.append_once(LOG, b"first", 0, "a/1")
        other = await bus.append_once(LOG, b"other", 0, "b/1")
        assert isinstance(again, Unknown), "the same is in flight"
        assert again.why.startswith("10158")
        assert isinstance(other, Unknown), "another writer's is in flight"
        assert other.why.startswith("10164")
        await world.clock.sleep(10)
        settled = await bus.append_once(LOG, b"whatever else", 0, "a/1")
        assert settled == Durable(1), "a cluster knows it by its id alone"
        assert (await entries(bus, 1))[0].payload == b"first"

    in_world(3, faults, story)


@pytest.mark.parametrize("replicas", [1, 3])
def test_a_repeat_of_what_is_stored_is_durable_in_either_style(replicas: int) -> None:
    async def story(bus: MemoryBus, world: MemoryWorld) -> None:
        assert await bus.append_once(LOG, b"first", 0, "a/1") == Durable(1)
        assert await bus.append_once(LOG, b"first", 0, "a/1") == Durable(1)
        assert await bus.append_once(LOG, b"other", 0, "b/1") == FencedOff(1)

    in_world(replicas, Faults(1), story)


def test_a_leader_change_keeps_or_loses_what_was_not_agreed_on() -> None:
    outcomes: set[int] = set()
    for seed in range(12):
        faults = Faults(seed, late_store=1.0)

        async def story(bus: MemoryBus, world: MemoryWorld, faults: Faults = faults) -> None:
            assert isinstance(await bus.append_once(LOG, b"first", 0, "a/1"), Unknown)
            if not world.broker.proposals:
                return  # the others have agreed within the sender's patience
            world.broker.change_leader(1.0)
            faults.late_store = 0.0
            assert await bus.append_once(LOG, b"first", 0, "a/1") == Unknown("no responders")
            with pytest.raises(Outage):
                await bus.last(LOG)
            await world.clock.sleep(1.5)
            outcomes.add(world.broker.stream("TABLE_LOG_0").last_seq)
            assert await bus.append_once(LOG, b"first", 0, "a/1") == Durable(1)

        in_world(3, faults, story)
    assert outcomes == {0, 1}


def test_only_a_deposed_leader_answers_with_an_older_message() -> None:
    faults = Faults(1, stale_last=1.0)

    async def story(bus: MemoryBus, world: MemoryWorld) -> None:
        await bus.append(LOG, b"first", 0, "a/1")
        await bus.append(LOG, b"second", 1, "a/2")
        newest = await bus.last(LOG)
        assert newest is not None
        assert newest.seq == 2
        world.broker.change_leader(0.0)
        stale = await bus.last(LOG)
        assert stale is not None
        assert stale.seq == 1
        await world.clock.sleep(3)
        newest = await bus.last(LOG)
        assert newest is not None
        assert newest.seq == 2

    in_world(3, faults, story)


def test_a_reader_of_a_replica_that_is_behind_gets_the_rest_later() -> None:
    faults = Faults(1, stale_read=0.5)

    async def story(bus: MemoryBus, world: MemoryWorld) -> None:
        for number in range(6):
            await bus.append(LOG, str(number).encode(), number, f"a/{number}")
        began = world.clock.monotonic()
        late = 0
        for _ in range(8):
            found = await entries(bus, 6)
            assert [entry.payload for entry in found] == [str(number).encode() for number in range(6)]
            late += world.clock.monotonic() > began
            began = world.clock.monotonic()
        assert 0 < late < 8

    in_world(3, faults, story)


def test_a_restart_keeps_what_is_stored_and_loses_what_is_under_way() -> None:
    faults = Faults(1, delay_s=0.5)

    async def story(bus: MemoryBus, world: MemoryWorld) -> None:
        heard: list[int] = []
        assert await bus.append(LOG, b"first", 0, "a/1") == 1
        for number in range(20):
            world.broker.carry(lambda number=number: heard.append(number))  # type: ignore[misc]
        world.broker.stop()
        assert isinstance(await bus.append_once(LOG, b"second", 1, "a/2"), Unknown)
        world.broker.start()
        await world.clock.sleep(5)
        assert heard == [], "what was on its way is gone"
        last = await bus.last(LOG)
        assert last is not None
        assert last.payload == b"first"
        assert await bus.append(LOG, b"second", 1, "a/2") == 2

    in_world(1, faults, story)


def test_a_store_whose_answer_was_under_way_in_a_restart_is_unknown() -> None:
    faults = Faults(3, delay_s=1.0)

    async def story(bus: MemoryBus, world: MemoryWorld) -> None:
        stored = asyncio.get_running_loop().create_task(bus.append_once(LOG, b"first", 0, "a/1"))
        while not world.broker.stream("TABLE_LOG_0").last_seq:
            await world.clock.sleep(0.01)
        world.broker.stop()
        world.broker.start()
        assert isinstance(await stored, Unknown)
        assert await bus.append_once(LOG, b"first", 0, "a/1") == Durable(1)

    in_world(1, faults, story)

"""The faults of the bus in memory: they bite, they come from the seed, and the promises hold under them."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence

import pytest
from google.protobuf.message import Message
from paiju.table.v1 import events_pb2

from services.chassis.bus import Delivery, Durable, Fenced, FencedOff, Unknown, subject
from services.chassis.bus.broker import Faults
from services.chassis.bus.memory import MemoryBus
from services.chassis.bus.port import NoResponders, RequestTimeout
from services.chassis.clock import VirtualClock, run_virtual
from services.chassis.errors import Outage
from tests.support.process import MemoryWorld

LOG = subject("table", "log", "0")
CMD = subject("table", "cmd", "0")


@pytest.mark.parametrize("replicas", [1, 3])
@pytest.mark.parametrize("seed", range(25))
def test_a_log_with_rivals_is_one_chain_and_holds_each_durable_batch_once(seed: int, replicas: int) -> None:
    """Four writers take a log from each other; stores and acknowledgements are lost or come seconds too
    late.
    """

    async def main(clock: VirtualClock) -> Counter[str]:
        faults = Faults(seed, lose_store=0.15, lose_ack=0.15, late_store=0.15, delay_s=0.05)
        world = MemoryWorld(clock, seed, faults, replicas=replicas)
        said_durable: list[tuple[str, int]] = []
        outcomes: Counter[str] = Counter()

        async def write(name: str) -> None:
            process = world.process(name)
            sent = 0
            for _ in range(6):
                await clock.sleep(process.parts.ids.jitter() * 8)
                entry = await process.bus.last(LOG)
                last = entry.seq if entry else 0
                try:
                    for _ in range(1 + process.parts.ids.below(8)):
                        sent += 1
                        msg_id = f"{name}/{sent}"
                        last = await process.bus.append(LOG, msg_id.encode(), last, msg_id)
                        said_durable.append((msg_id, last))
                        outcomes["durable"] += 1
                except Fenced:
                    outcomes["fenced"] += 1

        async with asyncio.TaskGroup() as tasks:
            for number in range(4):
                tasks.create_task(write(f"w{number}"))
        await clock.sleep(30)
        kept = [
            message
            for message in world.broker.streams["TABLE_LOG_0"].messages.values()
            if message.subject == LOG
        ]
        before = 0
        for message in kept:
            assert int(message.headers["Nats-Expected-Last-Subject-Sequence"]) == before, "one chain"
            before = message.seq
        in_log = Counter(message.payload.decode() for message in kept)
        assert max(in_log.values()) == 1, "nothing is stored twice"
        by_id = {message.payload.decode(): message.seq for message in kept}
        assert all(by_id.get(msg_id) == seq for msg_id, seq in said_durable), "what was said durable is there"
        return outcomes

    outcomes = run_virtual(main)
    assert outcomes["durable"] > 5


def test_the_rivals_of_these_seeds_do_fence_each_other() -> None:
    async def main(clock: VirtualClock) -> None:
        world = MemoryWorld(clock)
        one, two = world.process("one").bus, world.process("two").bus
        first = await one.append(LOG, b"1", 0, "one/1")
        await two.append(LOG, b"2", first, "two/1")
        with pytest.raises(Fenced):
            await one.append(LOG, b"3", first, "one/2")

    run_virtual(main)


def test_one_replica_refuses_a_repeat_and_three_call_it_a_duplicate_and_both_are_durable() -> None:
    async def main(clock: VirtualClock) -> None:
        for replicas in (1, 3):
            world = MemoryWorld(clock, replicas=replicas)
            bus = world.process().bus
            first = await bus.append(LOG, b"1", 0, "a/1")
            second = await bus.append(LOG, b"2", first, "a/2")
            is_stored, _ = world.broker.store("TABLE_LOG_0", LOG, b"1", {}, "a/1", expected=0)
            assert is_stored == (replicas == 3)
            assert await bus.append_once(LOG, b"2", first, "a/2") == Durable(second)

    run_virtual(main)


def test_an_append_that_was_durable_and_overtaken_is_fenced_not_repeated() -> None:
    async def main(clock: VirtualClock) -> None:
        world = MemoryWorld(clock, faults=Faults(1, lose_ack=1.0))
        one, two = world.process("one").bus, world.process("two").bus
        assert isinstance(await one.append_once(LOG, b"1", 0, "one/1"), Unknown)
        world.broker.faults.active = False
        await two.append(LOG, b"2", 1, "two/1")
        assert await one.append_once(LOG, b"1", 0, "one/1") == FencedOff(2)
        assert len(world.broker.streams["TABLE_LOG_0"].messages) == 2

    run_virtual(main)


def test_a_store_may_arrive_after_its_sender_has_died() -> None:
    async def main(clock: VirtualClock) -> int:
        world = MemoryWorld(clock, faults=Faults(1, late_store=1.0))
        process = world.process()
        task = asyncio.ensure_future(process.bus.append(LOG, b"1", 0, "a/1"))
        await clock.sleep(0.1)
        process.crash()
        task.cancel()
        assert world.broker.streams["TABLE_LOG_0"].last_seq == 0
        await clock.sleep(10)
        return world.broker.streams["TABLE_LOG_0"].last_seq

    assert run_virtual(main) == 1


@pytest.mark.parametrize(
    ("faults", "expectation"),
    [
        (Faults(5, lose_told=0.3), "fewer"),
        (Faults(5, repeat_told=0.3), "more"),
        (Faults(5, delay_s=0.5), "reordered"),
        (Faults(5, lose_told=0.9, active=False), "exact"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_core_messages_are_lost_repeated_and_reordered_when_asked(faults: Faults, expectation: str) -> None:
    async def main(clock: VirtualClock) -> list[int]:
        world = MemoryWorld(clock, faults=faults)
        sender, receiver = world.process("sender").bus, world.process("receiver").bus
        got: list[int] = []

        async def hear(payload: bytes, where: str) -> None:
            got.append(int(payload))

        await receiver.listen(CMD, hear)

        async def send(number: int) -> None:
            await sender.tell(CMD, b"%d" % number)

        async with asyncio.TaskGroup() as tasks:
            for number in range(200):
                tasks.create_task(send(number))
        await clock.sleep(100)
        return got

    got = run_virtual(main)
    assert {
        "fewer": len(got) < 190 and got == sorted(set(got)),
        "more": len(got) > 210 and set(got) == set(range(200)),
        "reordered": sorted(got) == list(range(200)) != got,
        "exact": got == list(range(200)),
    }[expectation]


def test_the_same_seed_gives_the_same_run_to_the_last_message() -> None:
    async def main(clock: VirtualClock) -> list[object]:
        faults = Faults(9, lose_store=0.1, lose_ack=0.2, lose_told=0.1, delay_s=0.2, lose_delivery_ack=0.2)
        world = MemoryWorld(clock, 9, faults)
        trace: list[object] = []
        world.broker.step = lambda bus, operation: trace.append((clock.monotonic(), bus, operation))

        async def consume(name: str) -> None:
            bus = world.process(name).bus

            async def handle(deliveries: Sequence[Delivery[Message]]) -> None:
                trace.append((name, [delivery.event_id for delivery in deliveries]))
                if world.broker.faults.happens(0.2):
                    raise Outage("sometimes")

            await bus.consume("x-trace", [events_pb2.RoundFinished], handle, batch=3)

        async def publish(name: str) -> None:
            process = world.process(name)
            for number in range(15):
                event_id = process.parts.ids.new("r")
                await process.bus.publish(events_pb2.RoundFinished(round_id=event_id, game="x"), event_id)
                await clock.sleep(process.parts.ids.jitter())
                trace.append((name, number))

        async with asyncio.TaskGroup() as tasks:
            for number in range(3):
                tasks.create_task(consume(f"c{number}"))
                tasks.create_task(publish(f"p{number}"))
        await clock.sleep(100)
        for process in world.processes:
            process.crash()
        return trace

    runs = [run_virtual(main) for _ in range(2)]
    assert len(runs[0]) > 300
    assert runs[0] == runs[1]


def test_every_fact_is_handled_at_least_once_whatever_is_lost() -> None:
    async def main(clock: VirtualClock) -> Counter[str]:
        faults = Faults(3, lose_store=0.2, lose_ack=0.2, lose_delivery_ack=0.3)
        world = MemoryWorld(clock, 3, faults)
        publisher, handled = world.process("publisher").bus, Counter[str]()

        async def consume(life: int) -> MemoryBus:
            bus = world.process(f"consumer-{life}").bus

            async def handle(deliveries: Sequence[Delivery[Message]]) -> None:
                await clock.sleep(0.2)
                handled.update(delivery.event_id for delivery in deliveries)

            await bus.consume("x-all", [events_pb2.RoundFinished], handle, batch=4)
            return bus

        for life in range(5):
            consumer = await consume(life)
            for number in range(10):
                event_id = f"r{life}.{number}"
                await publisher.publish(events_pb2.RoundFinished(round_id=event_id, game="x"), event_id)
            consumer.crash()
        await consume(99)
        await clock.sleep(300)
        return handled

    handled = run_virtual(main)
    assert len(handled) == 50
    assert max(handled.values()) > 1, "at least once, and sometimes more: handlers must be idempotent"


def test_a_broker_that_is_down_is_told_in_each_way() -> None:
    async def main(clock: VirtualClock) -> None:
        world = MemoryWorld(clock)
        bus, other = world.process("a").bus, world.process("b").bus

        async def answer(payload: bytes, where: str) -> bytes:
            return payload

        await other.serve(CMD, answer)
        bucket = await bus.bucket("shards")
        world.broker.is_up = False
        assert not bus.connected
        assert isinstance(await bus.append_once(LOG, b"1", 0, "a/1"), Unknown)
        for call in (bus.last(LOG), bucket.get("x"), bucket.put("x", b""), bus.request(CMD, b"", 1.0)):
            with pytest.raises(Outage):
                await call
        world.broker.is_up = True
        assert await bus.request(CMD, b"x", 1.0) == b"x"

    run_virtual(main)


def test_a_paused_process_does_nothing_until_it_is_resumed() -> None:
    async def main(clock: VirtualClock) -> None:
        world = MemoryWorld(clock)
        zombie, other = world.process("zombie").bus, world.process("other").bus
        handled: list[bytes] = []

        async def hear(payload: bytes, where: str) -> bytes:
            handled.append(payload)
            return b"late"

        await zombie.serve(CMD, hear)
        zombie.pause()
        with pytest.raises(RequestTimeout):
            await other.request(CMD, b"x", 1.0)
        appending = asyncio.ensure_future(zombie.append(LOG, b"1", 0, "z/1"))
        await clock.sleep(10)
        assert (handled, world.broker.streams["TABLE_LOG_0"].last_seq) == ([], 0)
        await other.append(LOG, b"2", 0, "o/1")
        zombie.resume()
        with pytest.raises(Fenced):
            await appending
        await clock.sleep(1)
        assert handled == [b"x"]

    run_virtual(main)


def test_a_crashed_process_is_heard_no_more() -> None:
    async def main(clock: VirtualClock) -> None:
        world = MemoryWorld(clock)
        dead, other = world.process("dead"), world.process("other").bus
        ended: list[str] = []

        async def hang(payload: bytes, where: str) -> bytes:
            await clock.sleep(5)
            ended.append("finished")
            return b""

        await dead.bus.serve(CMD, hang)
        asking = asyncio.ensure_future(other.request(CMD, b"", 20.0))
        await clock.sleep(1)
        dead.crash()
        with pytest.raises(NoResponders):
            await other.request(CMD, b"", 1.0)
        with pytest.raises(RequestTimeout):
            await asking
        with pytest.raises(Outage):
            await dead.bus.tell(CMD, b"")
        assert ended == []

    run_virtual(main)


def test_the_step_hook_may_crash_a_process_at_any_operation() -> None:
    async def main(clock: VirtualClock) -> None:
        world = MemoryWorld(clock)
        process = world.process("victim")
        operations: list[str] = []

        def step(bus: str, operation: str) -> None:
            operations.append(operation)
            if operation == "stored":
                process.crash()

        world.broker.step = step

        async def work() -> None:
            await process.bus.append(LOG, b"1", 0, "v/1")

        task = process.parts.spawn("work", work())
        await clock.sleep(5)
        assert task.cancelled()
        assert world.broker.streams["TABLE_LOG_0"].last_seq == 1, "stored, and its writer never knew"

    run_virtual(main)

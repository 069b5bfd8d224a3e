"""The promises of the bus: the same tests over memory and over a real NATS server."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import pytest
from google.protobuf.message import Message
from paiju.scoring.v1 import events_pb2 as scoring_events
from paiju.table.v1 import events_pb2, wire_pb2

from services.chassis.bus import (
    Conflict,
    Delivery,
    Durable,
    Fenced,
    FencedOff,
    LogEntry,
    NoResponders,
    RequestTimeout,
    subject,
    subject_of,
)
from services.chassis.bus.base import EVENT_ID, MSG_ID
from services.chassis.bus.memory import MemoryBus
from services.chassis.bus.nats import NatsBus
from services.chassis.bus.port import PAYLOAD_BYTES_MAX
from services.chassis.errors import Defect, Outage
from services.chassis.metrics import Metrics

AnyBus = MemoryBus | NatsBus
LOG = subject("table", "log", "0")
Another = Callable[[], Awaitable[AnyBus]]


def finished(number: int) -> events_pb2.RoundFinished:
    return events_pb2.RoundFinished(round_id=f"m/{number}", game="paohuzi")


@dataclass
class Heard:
    """A handler that keeps what it gets, and does with each what a test says."""

    does: Callable[[Delivery[Any]], None] = lambda delivery: None
    done: list[str] = field(default_factory=list)
    attempts: list[tuple[str, int]] = field(default_factory=list)
    batches: list[int] = field(default_factory=list)

    async def __call__(self, deliveries: Sequence[Delivery[Message]]) -> None:
        self.batches.append(len(deliveries))
        self.attempts += [(delivery.event_id, delivery.attempt) for delivery in deliveries]
        for delivery in deliveries:
            self.does(delivery)
        self.done += [delivery.event_id for delivery in deliveries]

    async def until(self, condition: Callable[[], bool], seconds: float = 60.0) -> None:
        async with asyncio.timeout(seconds):
            while not condition():
                await asyncio.sleep(0.005)


async def dead_letters(bus: AnyBus, durable: str) -> list[tuple[dict[str, str], bytes]]:
    """Return headers and payloads of what was buried for a durable consumer."""
    if isinstance(bus, MemoryBus):
        kept = bus.broker.streams["DLQ"].messages.values()
        return [
            (message.headers, message.payload) for message in kept if message.subject.endswith(f".{durable}")
        ]
    assert isinstance(bus, NatsBus)
    found = []
    state = (await bus.jetstream.stream_info("DLQ")).state
    for seq in range(1, state.last_seq + 1):
        message = await bus.jetstream.get_msg("DLQ", seq)
        found.append((dict(message.headers or {}), message.data or b""))
    return found


# Durable facts


async def test_facts_come_in_the_order_of_their_stream_with_their_ids(bus: AnyBus) -> None:
    heard = Heard()
    await bus.consume("x-one", [events_pb2.RoundFinished], heard)
    for number in range(10):
        await bus.publish(finished(number), f"r{number}")
    await heard.until(lambda: len(heard.done) == 10)
    assert heard.done == [f"r{number}" for number in range(10)]


async def test_facts_published_before_anybody_consumed_are_not_lost(bus: AnyBus) -> None:
    await bus.publish(finished(1), "r1")
    heard = Heard()
    await bus.consume("x-late", [events_pb2.RoundFinished], heard)
    await heard.until(lambda: heard.done == ["r1"])


async def test_the_same_event_id_is_stored_once(bus: AnyBus) -> None:
    first = await bus.publish(finished(1), "r1")
    assert await bus.publish(finished(1), "r1") == first
    assert await bus.publish(finished(2), "r2") == first + 1


async def test_a_batch_is_filled_and_never_larger_than_asked(bus: AnyBus) -> None:
    for number in range(25):
        await bus.publish(finished(number), f"r{number}")
    heard = Heard()
    await bus.consume("x-batch", [events_pb2.RoundFinished], heard, batch=10, linger_s=0.05)
    await heard.until(lambda: len(heard.done) == 25)
    assert max(heard.batches) == 10
    assert len(heard.batches) <= 5


async def test_only_the_types_asked_for_come_from_whichever_stream(bus: AnyBus) -> None:
    heard = Heard()
    await bus.consume("x-two", [events_pb2.RoundFinished, scoring_events.RoundAudited], heard)
    await bus.publish(events_pb2.RoundVoided(round_id="m/0", game="paohuzi"), "void")
    await bus.publish(finished(1), "finished")
    await bus.publish(scoring_events.RoundAudited(round_id="m/1", game="paohuzi"), "audited")
    await heard.until(lambda: len(heard.done) == 2)
    assert sorted(heard.done) == ["audited", "finished"]


async def test_what_is_done_does_not_come_again_after_a_restart(bus: AnyBus) -> None:
    heard, again = Heard(), Heard()
    consumer = await bus.consume("x-again", [events_pb2.RoundFinished], heard)
    await bus.publish(finished(1), "r1")
    await heard.until(lambda: heard.done == ["r1"])
    await consumer.stop()
    await consumer.stop()
    await bus.publish(finished(2), "r2")
    await bus.consume("x-again", [events_pb2.RoundFinished], again)
    await again.until(lambda: bool(again.done))
    assert again.done == ["r2"]


async def test_two_processes_under_one_name_share_the_work(bus: AnyBus, another_bus: Another) -> None:
    other = await another_bus()
    mine, theirs = Heard(), Heard()
    await bus.consume("x-shared", [events_pb2.RoundFinished], mine)
    await other.consume("x-shared", [events_pb2.RoundFinished], theirs)
    for number in range(40):
        await bus.publish(finished(number), f"r{number}")
    await mine.until(lambda: len(mine.done) + len(theirs.done) >= 40)
    assert sorted(mine.done + theirs.done) == sorted(f"r{number}" for number in range(40))
    await other.close()


async def test_two_names_each_hear_everything(bus: AnyBus) -> None:
    one, two = Heard(), Heard()
    await bus.consume("x-first", [events_pb2.RoundFinished], one)
    await bus.consume("x-second", [events_pb2.RoundFinished], two)
    await bus.publish(finished(1), "r1")
    await one.until(lambda: one.done == two.done == ["r1"])


async def test_an_outage_brings_the_delivery_again_until_it_is_over(bus: AnyBus) -> None:
    left = 3

    def fail(delivery: Delivery[Any]) -> None:
        nonlocal left
        left -= 1
        if left >= 0:
            raise Outage("the database is down")

    heard = Heard(fail)
    await bus.consume("x-outage", [events_pb2.RoundFinished], heard)
    await bus.publish(finished(1), "r1")
    await heard.until(lambda: heard.done == ["r1"])
    assert heard.attempts == [("r1", 1), ("r1", 2), ("r1", 3), ("r1", 4)]
    assert await dead_letters(bus, "x-outage") == []


@pytest.mark.usefixtures("quiet")
async def test_a_defect_goes_to_the_dlq_with_its_reason_and_the_others_are_done(bus: AnyBus) -> None:
    def choke(delivery: Delivery[Any]) -> None:
        if delivery.event_id == "r2":
            raise ValueError("no such preset")

    for number in range(5):
        await bus.publish(finished(number), f"r{number}")
    heard = Heard(choke)
    await bus.consume("x-defect", [events_pb2.RoundFinished], heard, batch=5, linger_s=0.05)
    await heard.until(lambda: set(heard.done) == {"r0", "r1", "r3", "r4"})
    async with asyncio.timeout(60):
        while not await dead_letters(bus, "x-defect"):
            await asyncio.sleep(0.01)
    ((headers, payload),) = await dead_letters(bus, "x-defect")
    assert headers["Paiju-Reason"] == "ValueError: no such preset"
    assert (headers["Paiju-Stream"], headers["Paiju-Durable"], headers[EVENT_ID]) == (
        "ROUNDS",
        "x-defect",
        "r2",
    )
    assert events_pb2.RoundFinished.FromString(payload) == finished(2)


@pytest.mark.usefixtures("quiet")
async def test_what_can_not_be_decoded_is_buried_and_does_not_block_the_rest(bus: AnyBus) -> None:
    junk = subject_of(events_pb2.RoundFinished, key="paohuzi")
    await bus._store("ROUNDS", junk, b"\xff\xff\xff", {MSG_ID: "junk"})
    await bus.publish(finished(1), "r1")
    heard = Heard()
    await bus.consume("x-junk", [events_pb2.RoundFinished], heard)
    await heard.until(lambda: heard.done == ["r1"])
    ((headers, payload),) = await dead_letters(bus, "x-junk")
    assert headers["Paiju-Reason"].startswith("DecodeError")
    assert payload == b"\xff\xff\xff"


async def test_stopping_lets_the_handler_end_what_it_holds(bus: AnyBus) -> None:
    begun, go = asyncio.Event(), asyncio.Event()
    ended: list[str] = []

    async def slow(deliveries: Sequence[Delivery[Message]]) -> None:
        begun.set()
        await go.wait()
        ended.append(deliveries[0].event_id)

    consumer = await bus.consume("x-stop", [events_pb2.RoundFinished], slow)
    await bus.publish(finished(1), "r1")
    async with asyncio.timeout(60):
        await begun.wait()
    stopping = asyncio.ensure_future(consumer.stop())
    await asyncio.sleep(0)
    go.set()
    await stopping
    assert ended == ["r1"]


async def test_what_no_stream_keeps_can_not_be_published_or_consumed(bus: AnyBus) -> None:
    with pytest.raises(Defect, match="kept by no stream"):
        await bus.publish(wire_pb2.ShardOwned(shard=1), "e1")
    with pytest.raises(Defect, match="kept by no stream"):
        await bus.consume("x-told", [wire_pb2.ShardOwned], Heard())
    with pytest.raises(Defect, match="no event"):
        await bus.publish(events_pb2.RoundSeat(), "e1")


async def test_a_message_that_is_too_large_is_a_defect_before_it_is_sent(bus: AnyBus) -> None:
    huge = events_pb2.RoundFinished(round_id="m/1", game="paohuzi", record=bytes(PAYLOAD_BYTES_MAX))
    with pytest.raises(Defect, match="bytes are more than"):
        await bus.publish(huge, "huge")
    with pytest.raises(Defect, match="bytes are more than"):
        await bus.append(LOG, bytes(PAYLOAD_BYTES_MAX + 1), 0, "huge")
    assert await bus.append(LOG, bytes(PAYLOAD_BYTES_MAX), 0, "large") == 1


# Data plane


async def test_what_is_told_comes_in_order_to_every_listener(bus: AnyBus, another_bus: Another) -> None:
    other = await another_bus()
    got: list[list[bytes]] = [[], []]

    async def first(payload: bytes, told: str) -> None:
        got[0].append(payload)

    async def second(payload: bytes, told: str) -> None:
        assert told == subject("gateway", "out", "g1")
        got[1].append(payload)

    await bus.listen(subject("gateway", "out", "g1"), first)
    await other.listen(subject("gateway", "out", "*"), second)
    for number in range(100):
        await bus.tell(subject("gateway", "out", "g1"), b"%d" % number)
    await Heard().until(lambda: len(got[0]) == len(got[1]) == 100)
    assert got[0] == got[1] == [b"%d" % number for number in range(100)]
    await other.close()


async def test_in_a_queue_group_one_gets_each(bus: AnyBus, another_bus: Another) -> None:
    other = await another_bus()
    got: list[bytes] = []

    async def hear(payload: bytes, told: str) -> None:
        got.append(payload)

    for one in (bus, bus, other):
        await one.listen(subject("chat", "say", "c1"), hear, queue="workers")
    for number in range(30):
        await bus.tell(subject("chat", "say", "c1"), b"%d" % number)
    await Heard().until(lambda: len(got) >= 30)
    await asyncio.sleep(0.05)
    assert sorted(got) == sorted(b"%d" % number for number in range(30))
    await other.close()


async def test_a_request_is_answered_and_without_a_server_fails_at_once(
    bus: AnyBus, another_bus: Another
) -> None:
    other = await another_bus()
    cmd = subject("table", "cmd", "3")

    async def shout(payload: bytes, told: str) -> bytes:
        return payload.upper()

    with pytest.raises(NoResponders):
        await bus.request(cmd, b"hello", timeout_s=30)
    serving = await other.serve(cmd, shout)
    # In a cluster the asker's server hears of a new (or gone) listener at another server a moment later.
    assert await once_listened(bus, cmd, b"hello") == b"HELLO"
    await serving.stop()
    with pytest.raises(NoResponders):
        await asked_again_and_again(bus, cmd, b"hello")
    await other.close()


async def asked_again_and_again(bus: AnyBus, cmd: str, payload: bytes) -> None:
    """Ask until nobody is there; what is on its way to one who has just gone is lost, and asked again."""
    async with asyncio.timeout(60):
        while True:
            with suppress(RequestTimeout):
                await bus.request(cmd, payload, timeout_s=1)


async def once_listened(bus: AnyBus, cmd: str, payload: bytes) -> bytes:
    """Return the answer to a request, once its server is known here."""
    async with asyncio.timeout(60):
        while True:
            try:
                return await bus.request(cmd, payload)
            except (NoResponders, RequestTimeout):
                await asyncio.sleep(0.01)


@pytest.mark.usefixtures("quiet")
async def test_silence_and_defects_of_a_server_are_a_timeout_and_it_goes_on(bus: AnyBus) -> None:
    cmd = subject("table", "cmd", "4")

    async def moody(payload: bytes, told: str) -> bytes | None:
        if payload == b"crash":
            raise ValueError("bug")
        return None if payload == b"silence" else b"ok"

    await bus.serve(cmd, moody)
    for payload in (b"silence", b"crash"):
        with pytest.raises(RequestTimeout):
            await bus.request(cmd, payload, timeout_s=0.2)
    assert await bus.request(cmd, b"hello") == b"ok"


@pytest.mark.parametrize(("at_once", "most"), [(1, 1), (4, 4)])
async def test_a_server_handles_as_many_at_once_as_it_says(bus: AnyBus, at_once: int, most: int) -> None:
    running, highest = 0, 0

    async def handle(payload: bytes, told: str) -> bytes:
        nonlocal running, highest
        running += 1
        highest = max(highest, running)
        await asyncio.sleep(0.01)
        running -= 1
        return payload

    await bus.serve(subject("table", "cmd", "5"), handle, at_once=at_once)
    requests = [bus.request(subject("table", "cmd", "5"), b"%d" % number) for number in range(12)]
    assert await asyncio.gather(*requests) == [b"%d" % number for number in range(12)]
    assert highest == most


# Logs


async def read_until(bus: AnyBus, last: int, from_seq: int = 1) -> list[LogEntry]:
    entries = []
    async with asyncio.timeout(60), aclosing(bus.read(LOG, from_seq)) as reading:
        async for entry in reading:
            entries.append(entry)
            if entry.seq >= last:
                break
    return entries


async def test_an_append_follows_the_entry_it_names(bus: AnyBus) -> None:
    assert await bus.last(LOG) is None
    first = await bus.append(LOG, b"one", 0, "a/1")
    second = await bus.append(LOG, b"two", first, "a/2")
    last = await bus.last(LOG)
    assert last is not None
    assert (last.seq, last.payload, last.msg_id, last.expected_last) == (second, b"two", "a/2", first)
    assert [(entry.payload, entry.expected_last) for entry in await read_until(bus, second)] == [
        (b"one", 0),
        (b"two", first),
    ]


async def test_logs_of_one_stream_do_not_see_each_other(bus: AnyBus) -> None:
    other = subject("table", "log", "2")
    assert bus.registry.stream_of_log(other) == bus.registry.stream_of_log(LOG)
    first = await bus.append(LOG, b"one", 0, "a/1")
    await bus.append(other, b"other", 0, "b/1")
    third = await bus.append(LOG, b"two", first, "a/2")
    assert [entry.payload for entry in await read_until(bus, third)] == [b"one", b"two"]


async def test_who_names_an_old_entry_is_fenced_and_changes_nothing(
    bus: AnyBus, another_bus: Another
) -> None:
    other = await another_bus()
    first = await bus.append(LOG, b"one", 0, "a/1")
    second = await other.append(LOG, b"taken", first, "b/1")
    with pytest.raises(Fenced) as caught:
        await bus.append(LOG, b"zombie", first, "a/2")
    assert (caught.value.expected_last, caught.value.last) == (first, second)
    assert isinstance(await bus.append_once(LOG, b"zombie", first, "a/2"), FencedOff)
    assert [entry.payload for entry in await read_until(bus, second)] == [b"one", b"taken"]
    await other.close()


async def test_the_same_bytes_sent_again_are_known_as_durable_not_as_fenced(bus: AnyBus) -> None:
    first = await bus.append(LOG, b"one", 0, "a/1")
    assert await bus.append_once(LOG, b"one", 0, "a/1") == Durable(first)
    assert await bus.append(LOG, b"one", 0, "a/1") == first
    assert [entry.payload for entry in await read_until(bus, first)] == [b"one"]


async def test_of_many_who_append_at_once_one_wins(bus: AnyBus) -> None:
    results = await asyncio.gather(
        *(bus.append(LOG, b"%d" % number, 0, f"w{number}/1") for number in range(20)), return_exceptions=True
    )
    assert len([result for result in results if isinstance(result, int)]) == 1
    assert len([result for result in results if isinstance(result, Fenced)]) == 19


async def test_a_reader_waits_for_more_and_starts_where_it_is_told(bus: AnyBus) -> None:
    first = await bus.append(LOG, b"one", 0, "a/1")
    reading = asyncio.ensure_future(read_until(bus, first + 2, from_seq=first + 1))
    await asyncio.sleep(0.05)
    second = await bus.append(LOG, b"two", first, "a/2")
    third = await bus.append(LOG, b"three", second, "a/3")
    assert third == first + 2
    assert [entry.payload for entry in await reading] == [b"two", b"three"]


async def test_a_thousand_entries_are_read_in_order(bus: AnyBus) -> None:
    last = 0
    for number in range(1200):
        last = await bus.append(LOG, b"%d" % number, last, f"a/{number}")
    entries = await read_until(bus, last)
    assert [entry.payload for entry in entries] == [b"%d" % number for number in range(1200)]
    assert all(entry.expected_last == before.seq for before, entry in pairwise(entries))


async def test_a_purge_removes_what_is_below_and_shows_in_the_next_entrys_header(bus: AnyBus) -> None:
    last = 0
    seqs = []
    for number in range(5):
        last = await bus.append(LOG, b"%d" % number, last, f"a/{number}")
        seqs.append(last)
    await bus.purge(LOG, seqs[3])
    entries = await read_until(bus, last)
    assert [entry.payload for entry in entries] == [b"3", b"4"]
    assert entries[0].expected_last == seqs[2]
    assert await bus.append(LOG, b"5", last, "a/5") > last


async def test_a_purge_can_not_remove_the_last_entry(bus: AnyBus) -> None:
    last = await bus.append(LOG, b"one", 0, "a/1")
    with pytest.raises(Defect, match="last entry"):
        await bus.purge(LOG, last + 1)
    await bus.purge(LOG, last)
    assert (await bus.last(LOG)) is not None


async def test_a_subject_that_is_no_log_is_a_defect(bus: AnyBus) -> None:
    with pytest.raises(Defect, match="not a log"):
        await bus.append(subject("table", "log", "999"), b"", 0, "a/1")


# Buckets


async def test_create_update_and_delete_go_by_compare_and_set(bus: AnyBus) -> None:
    shards = await bus.bucket("shards")
    assert await shards.get("table.1") is None
    first = await shards.create("table.1", b"a")
    with pytest.raises(Conflict):
        await shards.create("table.1", b"b")
    second = await shards.update("table.1", b"b", first)
    assert second > first
    for stale in (first, second + 100):
        with pytest.raises(Conflict):
            await shards.update("table.1", b"c", stale)
        with pytest.raises(Conflict):
            await shards.delete("table.1", stale)
    entry = await shards.get("table.1")
    assert entry is not None
    assert (entry.key, entry.value, entry.revision) == ("table.1", b"b", second)
    await shards.delete("table.1", second)
    assert await shards.get("table.1") is None
    with pytest.raises(Conflict):
        await shards.update("table.1", b"d", second)
    assert await shards.create("table.1", b"e") > second


async def test_of_many_who_create_at_once_one_wins(bus: AnyBus) -> None:
    shards = await bus.bucket("shards")
    results = await asyncio.gather(
        *(shards.create("table.7", b"%d" % number) for number in range(10)), return_exceptions=True
    )
    assert len([result for result in results if isinstance(result, int)]) == 1
    assert len([result for result in results if isinstance(result, Conflict)]) == 9


async def test_names_are_the_keys_in_one_question(bus: AnyBus) -> None:
    revoked = await bus.bucket("revoked")
    assert await revoked.names() == []
    for key in ("s_2", "s_1", "s_2"):
        await revoked.put(key, b"1")
    assert await revoked.names() == ["s_1", "s_2"]


async def test_keys_and_entries_are_the_living_ones_sorted(bus: AnyBus) -> None:
    shards = await bus.bucket("shards")
    assert await shards.keys() == []
    for key in ("b.2", "a.1", "c.3"):
        await shards.put(key, key.encode())
    await shards.delete("c.3")
    await shards.delete("never.there")
    assert await shards.keys() == ["a.1", "b.2"]
    assert [entry.value for entry in await shards.entries()] == [b"a.1", b"b.2"]


async def test_a_value_in_alive_ends_unless_it_is_put_again(bus: AnyBus) -> None:
    alive = await bus.bucket("alive")
    await alive.put("table.dies", b"")
    keys = ["table.dies", "table.lives"]
    for _ in range(5):
        await alive.put("table.lives", b"")
        await asyncio.sleep(0.7)
    async with asyncio.timeout(60):
        while "table.dies" in keys:
            await alive.put("table.lives", b"")
            keys = await alive.keys()
            assert "table.lives" in keys
    assert keys == ["table.lives"]
    assert await alive.create("table.dies", b"again") > 0


async def test_an_unknown_bucket_is_a_defect(bus: AnyBus) -> None:
    with pytest.raises(Defect, match="no bucket"):
        await bus.bucket("nowhere")


async def test_closing_twice_does_nothing(bus: AnyBus, another_bus: Another) -> None:
    other = await another_bus()
    await other.consume("x-close", [events_pb2.RoundFinished], Heard())
    await other.listen(subject("table", "x", "1"), lambda payload, told: asyncio.sleep(0))
    assert other.connected
    await other.close()
    await other.close()
    assert not other.connected
    assert isinstance(Metrics(), Metrics)

"""Every answer that an append may get, provoked on one real server (R1) and on three (R3)."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing
from typing import Any

import pytest
from google.protobuf.message import Message
from paiju.table.v1 import events_pb2

from services.chassis.bus import Delivery, Durable, Fenced, FencedOff, Registry, subject
from services.chassis.bus.base import EXPECTED, MSG_ID
from services.chassis.bus.nats import NatsBus
from services.chassis.bus.port import Conflict, Unknown
from services.chassis.bus.registry import LogSpec
from services.chassis.bus.streams import ensure_streams
from services.chassis.errors import Outage
from tests.support.nats import Admin, Broker, NatsCluster, NatsServer
from tests.support.nats_proxy import NatsProxy

LOG = subject("table", "log", "0")
STREAM = "TABLE_LOG_0"
Connect = Callable[..., Awaitable[NatsBus]]


def registry() -> Registry:
    return Registry(
        [events_pb2.RoundFinished], logs=[LogSpec("TABLE_LOG", "table")], log_shards=1, log_streams=1
    )


@pytest.fixture
async def bus(connect: Connect) -> NatsBus:
    return await connect(registry())


async def payloads(bus: NatsBus, last: int) -> list[bytes]:
    """Return what stands in the log up to a sequence."""
    found = []
    async with asyncio.timeout(60), aclosing(bus.read(LOG)) as entries:
        async for entry in entries:
            found.append(entry.payload)
            if entry.seq >= last:
                return found
    raise AssertionError("a log does not end")


async def raw(bus: NatsBus, payload: bytes, expected: int, msg_id: str) -> dict[str, Any]:
    """Send one append by hand, and return the broker's own words."""
    headers = {EXPECTED: str(expected), MSG_ID: msg_id}
    answer = await bus._client.request(LOG, payload, timeout=10, headers=headers)
    return dict(json.loads(answer.data))


async def known(bus: NatsBus, payload: bytes, expected: int, msg_id: str) -> int:
    async with asyncio.timeout(60):
        return await bus.append(LOG, payload, expected, msg_id)


# ack, duplicate, 10071


async def test_an_acknowledged_append_is_durable_and_its_repeat_too(bus: NatsBus, broker: Broker) -> None:
    assert await bus.append_once(LOG, b"one", 0, "a/1") == Durable(1)
    assert await bus.append_once(LOG, b"one", 0, "a/1") == Durable(1)
    again = await raw(bus, b"one", 0, "a/1")
    if broker.replicas == 3:
        assert again["duplicate"]
        assert again["seq"] == 1
    else:
        assert again["error"]["err_code"] == 10071, "one server looks at the expected sequence first"
    assert await payloads(bus, 1) == [b"one"]


async def test_refused_because_of_its_own_first_try_an_append_is_durable(bus: NatsBus) -> None:
    """Also on three servers, once they have forgotten the id."""
    info = await bus.jetstream.stream_info(STREAM)
    info.config.duplicate_window = 0.1
    await bus.jetstream.update_stream(info.config)
    await known(bus, b"one", 0, "a/1")
    async with asyncio.timeout(30):
        while "error" not in (answer := await raw(bus, b"one", 0, "a/1")):
            await asyncio.sleep(0.05)
    assert answer["error"]["err_code"] == 10071
    assert await bus.append_once(LOG, b"one", 0, "a/1") == Durable(1)


async def test_refused_because_of_anothers_an_append_is_fenced(bus: NatsBus, connect: Connect) -> None:
    other = await connect(registry())
    await bus.append(LOG, b"one", 0, "a/1")
    await other.append(LOG, b"taken", 1, "b/1")
    assert (await raw(bus, b"two", 1, "a/2"))["error"]["err_code"] == 10071
    assert await bus.append_once(LOG, b"two", 1, "a/2") == FencedOff(2)
    with pytest.raises(Fenced):
        await bus.append(LOG, b"two", 1, "a/2")
    assert await payloads(bus, 2) == [b"one", b"taken"]


async def test_after_a_refusal_the_last_entry_is_asked_of_the_leader(
    broker: Broker, bus: NatsBus, connect: Connect
) -> None:
    server = broker if isinstance(broker, NatsServer) else broker.servers[0]
    async with NatsProxy(server.url) as proxy:
        watched = await connect(registry(), url=proxy.url, ensure=False)
        last = 0
        for number in range(300):
            # A direct get right after an acknowledgement is stale every fortieth time on three servers.
            last = await watched.append(LOG, b"x", last, f"a/{number}")
            found = await watched.last(LOG)
            assert found is not None
            assert found.seq == last
        assert await watched.append_once(LOG, b"x", 0, "b/1") == FencedOff(last)
        await watched.close()
    assert f"$JS.API.STREAM.MSG.GET.{STREAM}" in proxy.sent
    assert not [subject_ for subject_ in proxy.sent if "DIRECT" in subject_]


# unknown, until it is known

only_r3 = pytest.mark.parametrize("broker", ["R3"], indirect=True)


async def leader_of(cluster: NatsCluster) -> NatsServer:
    async with Admin(cluster.url) as admin:
        return cluster.named(await admin.leader(STREAM))


@only_r3
async def test_while_the_first_try_or_anothers_write_is_on_its_way_nobody_knows(
    broker: NatsCluster, bus: NatsBus, connect: Connect
) -> None:
    await known(bus, b"one", 0, "a/1")
    leader = await leader_of(broker)
    a = await connect(registry(), url=leader.url, ensure=False)
    b = await connect(registry(), url=leader.url, ensure=False)
    for follower in broker.others(leader.name):
        follower.freeze()
    # Without its followers the leader can neither store nor refuse.
    first = await a.append_once(LOG, b"two", 1, "a/2")
    assert first == Unknown("no answer in time")
    assert (await raw(a, b"two", 1, "a/2"))["error"]["err_code"] == 10158
    assert (await raw(b, b"other", 1, "b/1"))["error"]["err_code"] == 10164
    again, other = await a.append_once(LOG, b"two", 1, "a/2"), await b.append_once(LOG, b"other", 1, "b/1")
    assert isinstance(again, Unknown)
    assert isinstance(other, Unknown)
    assert again.why.startswith("10158")
    assert other.why.startswith("10164")
    mine = asyncio.ensure_future(known(a, b"two", 1, "a/2"))
    theirs = asyncio.ensure_future(known(b, b"other", 1, "b/1"))
    for follower in broker.others(leader.name):
        follower.thaw()
    assert await mine == 2
    with pytest.raises(Fenced):
        await theirs
    assert await payloads(bus, 2) == [b"one", b"two"]


@only_r3
async def test_a_key_that_two_write_at_once_has_one_winner_and_the_other_knows(
    broker: NatsCluster, bus: NatsBus
) -> None:
    shards = await bus.bucket("shards")
    for number in range(20):
        results = await asyncio.gather(
            *(shards.create(f"table.{number}", b"%d" % one) for one in range(4)), return_exceptions=True
        )
        assert sorted(type(result).__name__ for result in results) == ["Conflict"] * 3 + ["int"]
    won = await shards.get("table.0")
    assert won is not None
    with pytest.raises(Conflict):
        await shards.update("table.0", b"late", won.revision - 1)


async def test_an_append_to_brokers_that_stand_still_is_known_once_they_go_on(
    broker: Broker, bus: NatsBus
) -> None:
    await known(bus, b"one", 0, "a/1")
    broker.freeze()
    appending = asyncio.ensure_future(known(bus, b"two", 1, "a/2"))
    answer = await bus.append_once(LOG, b"two", 1, "a/2")
    assert isinstance(answer, Unknown)
    assert not appending.done()
    broker.thaw()
    assert await appending == 2
    assert await payloads(bus, 2) == [b"one", b"two"]


@only_r3
async def test_a_leader_that_stands_still_is_replaced_and_contradicts_nothing_when_it_goes_on(
    broker: NatsCluster, bus: NatsBus, connect: Connect
) -> None:
    await known(bus, b"one", 0, "a/1")
    leader = await leader_of(broker)
    follower = broker.others(leader.name)[0]
    there = await connect(registry(), url=leader.url, ensure=False)
    here = await connect(registry(), url=follower.url, ensure=False)
    leader.freeze()
    lost = asyncio.ensure_future(known(there, b"zombie", 1, "z/1"))
    assert await known(here, b"two", 1, "a/2") == 2
    leader.thaw()
    with pytest.raises(Fenced):
        await lost
    last = await known(here, b"three", 2, "a/3")
    assert await payloads(there, last) == [b"one", b"two", b"three"]


async def test_without_a_leader_or_a_stream_the_outcome_is_unknown_and_then_known(
    broker: Broker, bus: NatsBus
) -> None:
    await known(bus, b"one", 0, "a/1")
    if isinstance(broker, NatsCluster):
        leader = await leader_of(broker)
        for server in broker.others(leader.name):
            server.kill()
    else:
        # Nobody answers for the subject: as while a server still recovers its streams.
        await bus.jetstream.delete_stream(STREAM)
    answer = await bus.append_once(LOG, b"two", 1, "a/2")
    assert isinstance(answer, Unknown)
    appending = asyncio.ensure_future(known(bus, b"two", 1 if broker.replicas == 3 else 0, "a/2"))
    await asyncio.sleep(0.2)
    assert not appending.done()
    if isinstance(broker, NatsCluster):
        broker.start()
        assert await appending == 2
        assert await payloads(bus, 2) == [b"one", b"two"]
    else:
        assert "no stream answers: 503" in answer.why
        await ensure_streams(bus.jetstream, bus.registry)
        assert await payloads(bus, await appending) == [b"two"]


# Lost acknowledgements, restarts, changes of leaders


async def test_a_lost_acknowledgement_loses_nothing_and_doubles_nothing(
    broker: Broker, bus: NatsBus, connect: Connect
) -> None:
    server = broker if isinstance(broker, NatsServer) else broker.servers[0]
    last = lost = 0
    async with asyncio.timeout(120), NatsProxy(server.url) as proxy:
        far = await connect(registry(), url=proxy.url, ensure=False)
        for number in range(10):
            last = await known(far, b"%d" % number, last, f"a/{number}")
            proxy.deafen()
            appending = asyncio.ensure_future(known(far, b"lost %d" % number, last, f"a/lost/{number}"))
            while (stored := await bus.last(LOG)) is None or stored.seq == last:
                await asyncio.sleep(0.01)
            lost += not appending.done()
            proxy.cut()
            last = await appending
            assert last == stored.seq
        await far.close()
    assert lost > 5, "on a busy machine some connections may be new when the answer comes"
    wanted = [said % number for number in range(10) for said in (b"%d", b"lost %d")]
    assert await payloads(bus, last) == wanted


class Ears:
    """A handler that keeps what it gets."""

    def __init__(self) -> None:
        self.rounds: dict[str, int] = {}

    async def __call__(self, deliveries: Sequence[Delivery[Message]]) -> None:
        for delivery in deliveries:
            self.rounds[delivery.event_id] = delivery.seq


@pytest.mark.parametrize(
    ("broker", "what"),
    [
        ("R1", "kill"),
        ("R1", "restart"),
        ("R3", "kill"),
        ("R3", "restart"),
        ("R3", "leader killed"),
        ("R3", "leader steps down"),
    ],
    indirect=["broker"],
)
async def test_whatever_happens_to_the_broker_logs_and_facts_are_whole(
    what: str, broker: Broker, bus: NatsBus, connect: Connect
) -> None:
    heard = Ears()
    other = await connect(registry())
    await other.consume("x-all", [events_pb2.RoundFinished], heard)
    count, last = 60, 0
    shaken = asyncio.Event()

    async def shake() -> None:
        await shaken.wait()
        if isinstance(broker, NatsCluster) and what == "leader killed":
            (await leader_of(broker)).kill()
        elif what == "leader steps down":
            async with Admin(broker.url) as admin:
                for stream in (STREAM, "ROUNDS", STREAM):
                    await admin.step_down(stream)
        else:
            broker.kill() if what == "kill" else broker.stop()
            await asyncio.to_thread(broker.start)

    async def publish() -> None:
        for number in range(count):
            fact = events_pb2.RoundFinished(round_id=f"m/{number}", game="paohuzi")
            while True:
                try:
                    await bus.publish(fact, f"r{number}")
                except Outage:
                    continue
                break

    async with asyncio.timeout(120), asyncio.TaskGroup() as tasks:
        tasks.create_task(shake())
        tasks.create_task(publish())
        for number in range(count):
            if number == count // 3:
                shaken.set()
            last = await bus.append(LOG, b"%d" % number, last, f"a/{number}")
    assert await payloads(bus, last) == [b"%d" % number for number in range(count)]
    async with asyncio.timeout(60):
        while len(heard.rounds) < count:
            await asyncio.sleep(0.05)
    state = (await bus.jetstream.stream_info("ROUNDS")).state
    assert state.messages == count
    assert sorted(heard.rounds.values()) == list(range(1, count + 1))

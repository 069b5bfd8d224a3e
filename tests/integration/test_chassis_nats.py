"""What only a real server can do: be killed, be frozen, be restarted, be three."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import aclosing
from pathlib import Path

import pytest
from google.protobuf.message import Message
from nats.aio.msg import Msg
from nats.js.api import AckPolicy, ConsumerConfig
from paiju.table.v1 import events_pb2

from services.chassis.bus import Delivery, LogEntry, Registry, subject
from services.chassis.bus.nats import NatsBus, NatsLogin
from services.chassis.bus.nats_pull import NatsPull
from services.chassis.bus.streams import ensure_streams
from services.chassis.clock import SystemClock
from services.chassis.errors import Defect, Outage
from services.chassis.ids import SystemIds
from services.chassis.metrics import Metrics
from tests.support.nats import NatsCluster, NatsServer
from tests.support.process import full_registry

LOG = subject("table", "log", "0")


async def connect(url: str, registry: Registry | None = None) -> NatsBus:
    return await NatsBus.connect(
        NatsLogin(url), registry or full_registry(), SystemClock(), SystemIds(), Metrics(), "test"
    )


@pytest.fixture
async def nats_bus(nats_server: NatsServer) -> AsyncIterator[NatsBus]:
    bus = await connect(nats_server.url)
    await ensure_streams(bus.jetstream, bus.registry)
    yield bus
    await bus.close()


async def entries(bus: NatsBus, last: int) -> list[LogEntry]:
    found = []
    async with asyncio.timeout(60), aclosing(bus.read(LOG)) as reading:
        async for entry in reading:
            found.append(entry)
            if entry.seq >= last:
                break
    return found


def finished(number: int) -> events_pb2.RoundFinished:
    return events_pb2.RoundFinished(round_id=f"m/{number}", game="paohuzi")


async def test_appends_publishes_and_consumers_go_on_after_the_server_is_killed(
    nats_bus: NatsBus, nats_server: NatsServer
) -> None:
    done: list[str] = []
    handled = asyncio.Event()

    async def keep(deliveries: Sequence[Delivery[Message]]) -> None:
        done.extend(delivery.event_id for delivery in deliveries)
        handled.set()

    await nats_bus.consume("x-kill", [events_pb2.RoundFinished], keep)
    await nats_bus.publish(finished(1), "r1")
    first = await nats_bus.append(LOG, b"one", 0, "a/1")
    reading = asyncio.ensure_future(entries(nats_bus, first + 1))
    nats_server.kill()
    appending = asyncio.ensure_future(nats_bus.append(LOG, b"two", first, "a/2"))
    publishing = asyncio.ensure_future(nats_bus.publish(finished(2), "r2"))
    await asyncio.sleep(0.5)
    assert not appending.done()
    assert not nats_bus.connected
    nats_server.start()
    async with asyncio.timeout(60):
        assert await appending == first + 1
        await publishing
        while "r2" not in done:
            handled.clear()
            await handled.wait()
    assert [entry.payload for entry in await reading] == [b"one", b"two"]
    assert nats_bus.connected


async def test_an_append_to_a_server_that_answers_too_late_is_in_the_log_once(
    nats_bus: NatsBus, nats_server: NatsServer
) -> None:
    first = await nats_bus.append(LOG, b"one", 0, "a/1")
    nats_server.freeze()
    appending = asyncio.ensure_future(nats_bus.append(LOG, b"two", first, "a/2"))
    # Longer than one try waits: the same bytes are sent at least twice before the server sees either.
    await asyncio.sleep(3.0)
    nats_server.thaw()
    async with asyncio.timeout(60):
        second = await appending
    third = await nats_bus.append(LOG, b"three", second, "a/3")
    assert [entry.payload for entry in await entries(nats_bus, third)] == [b"one", b"two", b"three"]


async def test_a_publish_without_a_server_is_an_outage_after_its_limit(
    nats_bus: NatsBus, nats_server: NatsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("services.chassis.bus.base.PUBLISH_WAIT_S", 0.5)
    nats_server.stop()
    with pytest.raises(Outage, match="not acknowledged"):
        await nats_bus.publish(finished(1), "r1")
    with pytest.raises(Outage):
        await nats_bus.last(LOG)
    nats_server.start()


async def test_a_consumer_that_is_deleted_is_made_again(nats_bus: NatsBus) -> None:
    done: list[str] = []

    async def keep(deliveries: Sequence[Delivery[Message]]) -> None:
        done.extend(delivery.event_id for delivery in deliveries)

    await nats_bus.consume("x-gone", [events_pb2.RoundFinished], keep)
    await nats_bus.publish(finished(1), "r1")
    async with asyncio.timeout(60):
        while done != ["r1"]:
            await asyncio.sleep(0.01)
        await nats_bus.jetstream.delete_consumer("ROUNDS", "x-gone")
        await nats_bus.publish(finished(2), "r2")
        while "r2" not in done:
            await asyncio.sleep(0.01)


async def test_a_consumer_that_no_server_has_heard_of_yet_is_asked_again(nats_bus: NatsBus) -> None:
    # In a cluster a consumer is made before all servers know of it: their "no responders" is not its end.
    await nats_bus.append(LOG, b"one", 0, "a/1")
    stream = nats_bus.registry.stream_of_log(LOG)
    pull = NatsPull(nats_bus._client, nats_bus.clock, stream, "late")
    unheard: list[str] = []
    take = pull._take

    async def note(message: Msg) -> None:
        unheard.append((message.headers or {}).get("Status", ""))
        await take(message)
        if len(unheard) == 2:
            await nats_bus.jetstream.add_consumer(
                stream, ConsumerConfig(name="late", ack_policy=AckPolicy.NONE, mem_storage=True)
            )

    pull._take = note  # type: ignore[method-assign]
    await pull.begin()
    try:
        [raw] = await pull.fetch(10, 0.0)
        assert raw.payload == b"one"
    finally:
        await pull.close()


async def test_what_was_fetched_and_not_handled_goes_to_another_at_once(nats_bus: NatsBus) -> None:
    other = await connect(nats_bus.url)
    begun, go = asyncio.Event(), asyncio.Event()
    done: list[str] = []

    async def slow(deliveries: Sequence[Delivery[Message]]) -> None:
        begun.set()
        await go.wait()

    async def keep(deliveries: Sequence[Delivery[Message]]) -> None:
        done.extend(delivery.event_id for delivery in deliveries)

    consumer = await other.consume("x-moved", [events_pb2.RoundFinished], slow, batch=2)
    for number in range(6):
        await nats_bus.publish(finished(number), f"r{number}")
    await begun.wait()
    stopping = asyncio.ensure_future(consumer.stop())
    await asyncio.sleep(0)
    go.set()
    await stopping
    await nats_bus.consume("x-moved", [events_pb2.RoundFinished], keep, batch=10)
    async with asyncio.timeout(60):
        while len(done) < 4:
            await asyncio.sleep(0.01)
    await other.close()


async def test_streams_are_made_once_and_shards_may_be_added_but_never_moved(nats_bus: NatsBus) -> None:
    js = nats_bus.jetstream
    assert await ensure_streams(js, nats_bus.registry) == []
    last = await nats_bus.append(LOG, b"one", 0, "a/1")
    assert await ensure_streams(js, full_registry(log_shards=8)) == ["TABLE_LOG_0", "TABLE_LOG_1"]
    with pytest.raises(Defect, match="PAIJU_LOG_STREAMS"):
        await ensure_streams(js, full_registry(log_shards=8, log_streams=4))
    larger = await connect(nats_bus.url, full_registry(log_shards=8))
    assert await larger.append(subject("table", "log", "7"), b"new", 0, "b/1") > 0
    assert await larger.append(LOG, b"two", last, "b/2") > last
    await larger.close()
    info = await js.stream_info("TABLE_LOG_0")
    assert info.config.discard == "new"
    assert (info.config.max_age or 0, info.config.max_bytes, info.config.max_msgs) == (0, -1, -1)
    rounds = await js.stream_info("ROUNDS")
    assert rounds.config.deny_purge
    assert rounds.config.deny_delete


async def test_nobody_listening_at_the_url_is_an_outage(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("services.chassis.bus.nats.CONNECT_WAIT_S", 0.3)
    with pytest.raises(Outage, match="can't be reached"):
        await connect("nats://127.0.0.1:1")


async def test_a_refused_login_is_a_defect_that_names_the_user(tmp_path: Path) -> None:
    server = NatsServer(
        tmp_path / "nats", extra='authorization { users = [ {user: "a", password: "b"} ] }'
    ).start()
    try:
        with pytest.raises(Defect, match="'nobody'"):
            await NatsBus.connect(
                NatsLogin(server.url, "nobody", "x"), full_registry(), SystemClock(), SystemIds(), Metrics()
            )
    finally:
        server.stop()


async def test_a_cluster_that_is_too_small_for_the_replicas_is_an_outage_and_then_not(tmp_path: Path) -> None:
    cluster = NatsCluster(tmp_path)
    try:
        for server in cluster.servers[:2]:
            server.start()
        bus = await connect(cluster.servers[0].url)
        with pytest.raises(Outage):
            await ensure_streams(bus.jetstream, bus.registry, replicas=3)
        cluster.start()
        async with asyncio.timeout(60):
            while True:
                try:
                    await ensure_streams(bus.jetstream, bus.registry, replicas=3)
                except Outage:
                    await asyncio.sleep(0.2)
                else:
                    break
        for stream in await bus.jetstream.streams_info():
            assert stream.config.num_replicas == 3, stream.config.name
        await bus.close()
    finally:
        cluster.stop()


async def test_a_subscription_that_is_given_up_does_not_make_the_connection_deaf(nats_bus: NatsBus) -> None:
    async def hear(payload: bytes, subject_: str) -> None:
        heard.append(payload)

    heard: list[bytes] = []
    for number in range(50):
        listening = asyncio.ensure_future(nats_bus.listen(f"paiju.gateway.given-up.{number}", hear))
        await asyncio.sleep(0)  # as far as its PING, not as far as the PONG
        listening.cancel()
        await asyncio.wait({listening})
    await nats_bus.listen("paiju.gateway.kept.x", hear)
    await nats_bus.tell("paiju.gateway.kept.x", b"still here")
    async with asyncio.timeout(60):
        while not heard:
            await asyncio.sleep(0.01)
    assert heard == [b"still here"]


@pytest.mark.parametrize("ask", ["bucket", "purge", "request"])
async def test_who_is_cancelled_together_with_the_answer_ends(
    nats_bus: NatsBus, nats_server: NatsServer, ask: str
) -> None:
    # At the end of a process: a shard that purges its log then must not go on, or nobody ever ends.
    async def answer(payload: bytes, _: str) -> bytes:
        return payload

    for number in (1, 2):
        await nats_bus.append(LOG, b"%d" % number, number - 1, f"w/{number}")
    await nats_bus.serve("paiju.test.echo", answer)
    asked: Callable[[], Awaitable[object]] = {
        "bucket": (await nats_bus.bucket("shards")).names,
        "purge": lambda: nats_bus.purge(LOG, 1),
        "request": lambda: nats_bus.request("paiju.test.echo", b"x"),
    }[ask]
    is_past = asyncio.Event()

    async def wait() -> None:
        await asked()
        is_past.set()
        await asyncio.Event().wait()

    waiting = nats_bus._client._resp_map
    for _ in range(20):
        known = set(waiting)
        task = asyncio.create_task(wait())
        while not (futures := [future for token, future in waiting.items() if token not in known]):
            await asyncio.sleep(0)
        while not futures[0].done():
            await asyncio.sleep(0)
        assert not is_past.is_set()
        task.cancel()
        async with asyncio.timeout(60):
            await asyncio.wait((task,))
        assert task.cancelled()

"""A table process is killed in mid-round and started again: the round goes on, and nothing is lost."""

from __future__ import annotations

import asyncio
import random
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import pytest
from paiju.table.v1.events_pb2 import RoundFinished

from engine import GAMES
from services.chassis.bus.nats import NatsBus, NatsLogin
from services.chassis.bus.port import Delivery
from services.chassis.bus.registry import Registry
from services.chassis.bus.streams import ensure_streams
from services.chassis.clock import SystemClock
from services.chassis.errors import Outage
from services.chassis.ids import SystemIds
from services.chassis.metrics import Metrics
from services.table.app import TABLE_LOG, WIRING
from services.table.calls import Calls, Create
from services.table.core.events import Answered, ShardReleased, decode_batch
from tests.simulation import table_process
from tests.simulation.client import Door, Player
from tests.simulation.tables import Host, spec
from tests.support.nats import Broker

TABLE = "0-restart1"
SLOW = '{"claim_pause_ms":30,"nonce_ms":300,"between_ms":100,"turn_ms":5000,"claim_ms":5000}'
LOG = "paiju.table.log.0"


def registry() -> Registry:
    return Registry(WIRING.says, WIRING.hears, [TABLE_LOG], log_shards=1, log_streams=1)


@asynccontextmanager
async def connected(server: Broker) -> AsyncIterator[NatsBus]:
    clock, ids = SystemClock(), SystemIds()
    bus = await NatsBus.connect(NatsLogin(server.url), registry(), clock, ids, Metrics(), "test")
    await ensure_streams(bus.jetstream, bus.registry, server.replicas)
    try:
        yield bus
    finally:
        await bus.close()


@contextmanager
def table_service(server: Broker, folder: Path, name: str = "table-1") -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, str(Path(table_process.__file__)), server.url, str(folder), name],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        yield process
    finally:
        process.kill()
        process.wait()


async def create(bus: NatsBus, table_id: str, *players: str, rounds: int = 1, game: str = "paohuzi") -> None:
    """Make a table as soon as its shard is served."""
    calls = Calls(bus, lambda _: None)
    async with asyncio.timeout(60):
        while True:
            try:
                await calls.about(Create(table_id, spec(*players, rounds=rounds, timing=SLOW, game=game)))
            except Outage:
                await asyncio.sleep(0.05)
            else:
                return


async def logged(bus: NatsBus, end_seq: int) -> list[Answered]:
    """Return every answer in the log."""
    found: list[Answered] = []
    async for entry in bus.read(LOG):
        found += [event for _, event in decode_batch(entry.payload) if isinstance(event, Answered)]
        if entry.seq >= end_seq:
            return found
    raise AssertionError("a log does not end")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("broker", "game"), [*(("R1", game) for game in GAMES), ("R3", "paohuzi")], indirect=["broker"]
)
async def test_a_killed_table_process_goes_on_with_the_same_round_and_loses_nothing(
    game: str, broker: Broker, tmp_path: Path
) -> None:
    async with connected(broker) as bus:
        door = await Door(bus, bus.clock).open()
        player = Player(door, "p_a", TABLE, random.Random(5))
        rounds: list[RoundFinished] = []

        async def hear(deliveries: list[Delivery[RoundFinished]]) -> None:
            rounds.extend(delivery.message for delivery in deliveries)

        await bus.consume("test-rounds", [RoundFinished], hear, batch=10)  # type: ignore[arg-type]
        with table_service(broker, tmp_path) as process:
            await create(bus, TABLE, "p_a", rounds=2, game=game)
            async with asyncio.timeout(30):
                await player.play(until=lambda at: len(at.accepted) >= 3)
            round_id = player.view.opening.round_id
            epoch, frames = player.epoch, dict(player.frames)
            process.kill()
        with table_service(broker, tmp_path):
            async with asyncio.timeout(60):
                await player.play(until=lambda at: at.epoch > epoch)
                assert player.view.opening.round_id == round_id, "another round is played"
                await player.play()
        assert frames.items() <= player.frames.items()
        last = await bus.last(LOG)
        assert last is not None
        answers = {(a.seat, a.question): a for a in await logged(bus, last.seq)}
        for given in player.accepted:
            assert answers[0, given.question].action == given.action, f"{given} was acknowledged and is lost"
        async with asyncio.timeout(60):
            while len({fact.round_id for fact in rounds}) < 2:
                await asyncio.sleep(0.05)
        for fact in rounds:
            assert all(fact == other for other in rounds if other.round_id == fact.round_id)


@pytest.mark.slow
async def test_of_two_owners_the_older_one_is_fenced_and_says_nothing_more(broker: Broker) -> None:
    async with (
        connected(broker) as old_bus,
        connected(broker) as new_bus,
        connected(broker) as bus,
    ):
        old, new = Host(old_bus, old_bus.clock, name="old"), Host(new_bus, new_bus.clock, name="new")
        shard = await old.take()
        await Calls(bus, lambda _: shard).about(Create(TABLE, spec("p_a", rounds=1, timing=SLOW)))
        door = await Door(bus, bus.clock).open()
        player = Player(door, "p_a", TABLE, random.Random(2))
        async with asyncio.timeout(60):
            await player.play(until=lambda at: len(at.accepted) >= 2)
            after = await new.take()
            assert after.epoch > shard.epoch
            await player.play()
            while not old.lost:
                await asyncio.sleep(0.01)
        assert old.lost == ["0"]
        assert shard.is_dropped
        assert player.view.match_end.cause == "all_rounds"
        await after.release()
        await old.kill()


@pytest.mark.slow
async def test_another_process_takes_over_the_tables_of_a_killed_one(broker: Broker, tmp_path: Path) -> None:
    async with connected(broker) as bus:
        door = await Door(bus, bus.clock).open()
        player = Player(door, "p_a", TABLE, random.Random(7))
        with table_service(broker, tmp_path, "table-1") as first:
            await create(bus, TABLE, "p_a")
            with table_service(broker, tmp_path, "table-2") as second:
                async with asyncio.timeout(60):
                    await player.play(until=lambda at: len(at.accepted) >= 1)
                    held = await (await bus.bucket("shards")).get("table.0")
                    assert held is not None
                    owner = first if b'"table-1"' in held.value else second
                    epoch, killed_at = player.epoch, bus.clock.monotonic()
                    owner.kill()
                    await player.play(until=lambda at: at.epoch > epoch)
                    took_s = bus.clock.monotonic() - killed_at
                    await player.play()
        assert took_s < 3.3 + 0.5 + 1.0 + 5.0, f"the takeover took {took_s:.1f} s on a busy machine"
        print(f"takeover after {took_s:.2f} s")


@pytest.mark.slow
async def test_a_table_process_that_is_asked_to_end_hands_its_shard_over_and_ends(
    broker: Broker, tmp_path: Path
) -> None:
    async with connected(broker) as bus:
        door = await Door(bus, bus.clock).open()
        player = Player(door, "p_a", TABLE, random.Random(9))
        with table_service(broker, tmp_path) as process:
            await create(bus, TABLE, "p_a")
            async with asyncio.timeout(30):
                await player.play(until=lambda at: len(at.accepted) >= 2)
            process.terminate()
            assert await asyncio.to_thread(process.wait, 15) == 0
        last = await bus.last(LOG)
        assert last is not None
        assert any(isinstance(event, ShardReleased) for _, event in decode_batch(last.payload))
        assert await (await bus.bucket("shards")).get("table.0") is None
        with table_service(broker, tmp_path, "table-2"):
            async with asyncio.timeout(60):
                await player.play()
        assert player.view.match_end.cause == "all_rounds"


@pytest.mark.slow
async def test_what_came_into_a_log_past_its_owners_neither_ends_nor_changes_a_table(broker: Broker) -> None:
    """A service that may ask the broker anything can have the answer put under a log's subject."""
    async with connected(broker) as bus, connected(broker) as other:
        host, next_host = Host(bus, bus.clock, name="one"), Host(other, other.clock, name="two")
        shard = await host.take()
        await Calls(bus, lambda _: shard).about(Create(TABLE, spec("p_a", rounds=1, timing=SLOW)))
        door = await Door(other, other.clock).open()
        player = Player(door, "p_a", TABLE, random.Random(4))
        async with asyncio.timeout(60):
            await player.play(until=lambda at: len(at.accepted) >= 2)
            before = await bus.last(LOG)
            assert before is not None
            await bus._client.publish("$JS.API.STREAM.INFO.KV_alive", b"", reply=LOG)
            while (planted := await bus.last(LOG)) is None or planted.msg_id:
                await asyncio.sleep(0.01)
            playing = asyncio.ensure_future(player.play())
            while not host.lost:
                await asyncio.sleep(0.01)
            await next_host.take()
            await playing
        assert player.view.match_end.cause == "all_rounds"
        await next_host.kill()
        await host.kill()

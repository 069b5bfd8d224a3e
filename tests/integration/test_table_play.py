"""Whole matches over the command and out subjects, in memory and on a real NATS server."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence

from google.protobuf.message import Message
from paiju.table.v1.events_pb2 import MatchFinished, RoundFinished, RoundOpened

from services.chassis.bus.memory import MemoryBus
from services.chassis.bus.nats import NatsBus
from services.chassis.bus.port import Delivery
from services.scoring.core.audit import audit
from services.table.calls import Calls, Create
from tests.simulation.client import Door, Player
from tests.simulation.tables import FAST, Host, spec

TABLE = "0-match1"
AnyBus = MemoryBus | NatsBus


async def heard(bus: AnyBus, rounds: int) -> list[Message]:
    """Return every fact of a match of so many rounds (two streams: their order means nothing)."""
    found: list[Message] = []
    done = asyncio.Event()

    async def hear(deliveries: Sequence[Delivery[Message]]) -> None:
        found.extend(delivery.message for delivery in deliveries)
        if len(found) >= 2 * rounds + 1:
            done.set()

    consumer = await bus.consume("test-facts", [RoundOpened, RoundFinished, MatchFinished], hear, batch=50)
    async with asyncio.timeout(60):
        await done.wait()
    await consumer.stop()
    return sorted(found, key=lambda fact: getattr(fact, "round_no", 99))


async def test_two_people_and_a_bot_play_a_whole_match_with_a_spectator(bus: AnyBus) -> None:
    host = Host(bus, bus.clock)
    shard = await host.take()
    calls = Calls(bus, lambda _: shard)
    await calls.about(Create(TABLE, spec("p_a", "p_b", rounds=3, timing=FAST)))
    door = await Door(bus, bus.clock).open()
    players = [Player(door, name, TABLE, random.Random(name)) for name in ("p_a", "p_b")]
    spectator = Player(door, "p_c", TABLE, random.Random(0), spectate=True)
    async with asyncio.timeout(60), asyncio.TaskGroup() as tasks:
        for player in (*players, spectator):
            tasks.create_task(player.play())

    facts = await heard(bus, rounds=3)
    opened = {fact.round_id: fact for fact in facts if isinstance(fact, RoundOpened)}
    finished = [fact for fact in facts if isinstance(fact, RoundFinished)]
    assert [fact.round_no for fact in finished] == [1, 2, 3]
    for fact in finished:
        verdict = audit(bytes(fact.record), opened[fact.round_id].commitment)
        assert verdict.agreed, verdict
        header = fact.record.decode().split("Nonces: ")[1].split("\n")[0]
        assert [nonce != "-" for nonce in header.split(",")] == [True, True, False]
    match = next(fact for fact in facts if isinstance(fact, MatchFinished))
    assert match.cause == "all_rounds"
    assert sum(match.scores) == 0
    for listener in (*players, spectator):
        assert list(listener.view.match_end.scores) == list(match.scores)
    assert not any("answer" in event or "ask" in event for event in spectator.view.play.events), (
        "a spectator reads what is private"
    )
    assert len(host.records.kept) == 3
    await shard.release()


async def test_a_shard_that_is_handed_over_goes_on_at_its_next_owner_without_a_fence(bus: AnyBus) -> None:
    first = Host(bus, bus.clock, name="first")
    shard = await first.take()
    await Calls(bus, lambda _: shard).about(Create(TABLE, spec("p_a", rounds=2, timing=FAST)))
    door = await Door(bus, bus.clock).open()
    player = Player(door, "p_a", TABLE, random.Random(1))
    async with asyncio.timeout(60):
        await player.play(until=lambda at: len(at.accepted) >= 3)
        await shard.release()
        second = Host(bus, bus.clock, name="second")
        after = await second.take()
        await player.play()
    assert after.epoch > shard.epoch
    assert player.view.match_end.cause == "all_rounds"
    assert not first.lost
    await after.release()

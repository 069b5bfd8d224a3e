"""A table that plays, and its replays: none of a round under way, and afterwards exactly what was told."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from typing import Any

import pytest
from paiju.table.v1 import replay_service_pb2 as s
from paiju.table.v1 import replay_service_pb2_grpc, table_service_pb2_grpc

from services.chassis.auth import acting_for
from services.chassis.errors import Refusal
from services.table.app import WIRING
from services.table.settings import TableSettings
from tests.integration.test_table_service import TABLE, Service, spec
from tests.simulation.client import Door, Player
from tests.support.process import MemoryWorld, full_registry


@pytest.fixture
async def service(world: MemoryWorld) -> AsyncIterator[Service]:
    world.broker.ensure(full_registry(log_shards=4, consumes=WIRING.hears))
    process = world.process("table")
    table = await WIRING.wire(TableSettings(protection=False), process.parts)
    await process.rpc.start()
    await table.start()
    stub: Any = table_service_pb2_grpc.TableServiceStub
    yield Service(world, world.process("caller").rpc.client(stub, "table"))
    await table.stop()


async def test_a_live_round_has_no_replay_and_a_finished_one_tells_what_each_seat_was_told(
    service: Service,
) -> None:
    await service.create(TABLE, spec("p_a", "p_b"))
    stub: Any = replay_service_pb2_grpc.ReplayServiceStub
    api: Any = service.world.process("reader").rpc.client(stub, "table")
    door = await Door(service.world.process("gw").bus, service.world.clock).open()
    asked = 0
    was_asked = asyncio.Event()

    class Patient(Player):
        """Plays on once somebody has asked for the round."""

        async def _act(self) -> bool:
            if self.view.phase == "playing":
                await was_asked.wait()
            return await super()._act()

    players = [Patient(door, name, TABLE, random.Random(name)) for name in ("p_a", "p_b")]
    refusals: set[str] = set()

    async def ask_until_it_ends() -> Any:
        nonlocal asked
        while True:
            is_over = players[0].view.HasField("round_end")
            with acting_for("p_a"):
                try:
                    found = await api.GetReplay(
                        s.GetReplayRequest(round_id=f"{TABLE}/1", viewer=s.VIEWER_ABOVE)
                    )
                except Refusal as refusal:
                    refusals.add(refusal.reason)
                    asked += players[0].view.phase == "playing" and not is_over
                    if asked:
                        was_asked.set()
                    await asyncio.sleep(0.005)
                    continue
            return found

    async with asyncio.timeout(30), asyncio.TaskGroup() as tasks:
        asking = tasks.create_task(ask_until_it_ends())
        for player in players:
            tasks.create_task(player.play())
    assert refusals == {"ROUND_UNKNOWN"}
    assert asked, "the round was asked for while it was played"
    replay = asking.result().replay
    for seat, player in enumerate(players):
        assert player.view.round_end.record == asking.result().record
        assert list(replay.scripts[seat].events) == list(player.view.play.events)
    assert replay.explanation_zh == players[0].view.round_end.explanation_zh

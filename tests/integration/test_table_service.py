"""The whole service behind its RPCs: who may ask for what, and how a wrong request is refused."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import AsyncIterator
from typing import Any

import pytest
from paiju.table.v1 import table_service_pb2 as s
from paiju.table.v1 import table_service_pb2_grpc

from services.chassis.auth import acting_for
from services.chassis.errors import Outage, Refusal
from services.table.app import WIRING
from services.table.settings import TableSettings
from tests.simulation.client import Door, Player
from tests.support.process import MemoryWorld, full_registry

TABLE = "0-service1"
FAST = '{"claim_pause_ms":0,"nonce_ms":200,"between_ms":0}'


def spec(*players: str, **more: Any) -> s.TableSpec:
    seated = [*players, *["bot:random"] * (3 - len(players))]
    values: dict[str, Any] = {
        "game": "paohuzi",
        "preset": "tongyi-qmt",
        "rounds": 1,
        "seats": [s.SeatSpec(player_id=player) for player in seated],
        "timing_json": FAST,
        "spectators": True,
    }
    return s.TableSpec(**(values | more))


class Service:
    """The service, and a caller of it."""

    def __init__(self, world: MemoryWorld, api: Any) -> None:
        self.world = world
        self.api = api

    async def create(self, table_id: str, made: s.TableSpec) -> s.TableSummary:
        request = s.CreateTableRequest(table_id=table_id, spec=made)
        async with asyncio.timeout(60):
            while True:
                try:
                    table: s.TableSummary = (await self.api.CreateTable(request)).table
                except Outage:
                    await asyncio.sleep(0.05)
                else:
                    return table


async def get(service: Service, table_id: str) -> s.TableSummary:
    """Return a table, as soon as its shard is served."""
    async with asyncio.timeout(60):
        while True:
            try:
                table: s.TableSummary = (
                    await service.api.GetTable(s.GetTableRequest(table_id=table_id))
                ).table
            except Outage:
                await asyncio.sleep(0.05)
            else:
                return table


@pytest.fixture
async def service(world: MemoryWorld) -> AsyncIterator[Service]:
    world.broker.ensure(full_registry(log_shards=4, consumes=WIRING.hears))
    process = world.process("table")
    table = await WIRING.wire(TableSettings(protection=False), process.parts)
    await process.rpc.start()
    await table.start()
    caller = world.process("caller")
    stub: Any = table_service_pb2_grpc.TableServiceStub
    yield Service(world, caller.rpc.client(stub, "table"))
    await table.stop()


async def play(service: Service, table_id: str, *names: str) -> list[Player]:
    bus = service.world.process("gw").bus
    door = await Door(bus, service.world.clock).open()
    players = [Player(door, name, table_id, random.Random(name)) for name in names]
    async with asyncio.timeout(30), asyncio.TaskGroup() as tasks:
        for player in players:
            tasks.create_task(player.play())
    return players


async def test_a_player_gets_the_records_of_his_own_rounds_and_of_no_others(service: Service) -> None:
    await service.create(TABLE, spec("p_a", "p_b", rounds=2))
    (player, _) = await play(service, TABLE, "p_a", "p_b")
    api = service.api
    async with asyncio.timeout(60):
        while len((await api.ListRecords(s.ListRecordsRequest(player_id="p_a"))).records) < 2:
            await asyncio.sleep(0.02)
    with acting_for("p_a"):
        listed = await api.ListRecords(s.ListRecordsRequest())
        assert [one.round_id for one in listed.records] == [f"{TABLE}/2", f"{TABLE}/1"]
        record = await api.GetRecord(s.GetRecordRequest(round_id=f"{TABLE}/2"))
        assert record.record == player.view.round_end.record
        page = await api.ListRecords(s.ListRecordsRequest(page_size=1))
        assert page.next_page_token
    with acting_for("p_c"):
        with pytest.raises(Refusal, match="ROUND_UNKNOWN"):
            await api.GetRecord(s.GetRecordRequest(round_id=f"{TABLE}/2"))
        with pytest.raises(Refusal, match="PERMISSION_DENIED"):
            await api.ListRecords(s.ListRecordsRequest(player_id="p_a"))
        assert not (await api.ListRecords(s.ListRecordsRequest())).records
    with pytest.raises(Refusal, match="ROUND_UNKNOWN"):
        await api.GetRecord(s.GetRecordRequest(round_id=f"{TABLE}/3"))


async def test_a_live_round_has_no_record(service: Service) -> None:
    await service.create(TABLE, spec("p_a", timing_json='{"turn_ms":60000,"claim_ms":60000}'))
    bus = service.world.process("gw").bus
    player = Player(await Door(bus, service.world.clock).open(), "p_a", TABLE, random.Random(1))
    async with asyncio.timeout(60):
        await player.play(until=lambda one: one.view.phase == "playing")
    with pytest.raises(Refusal, match="ROUND_UNKNOWN"), acting_for("p_a"):
        await service.api.GetRecord(s.GetRecordRequest(round_id=f"{TABLE}/1"))


async def test_a_player_finds_his_seats_at_all_shards_and_only_his_own(service: Service) -> None:
    for shard in range(4):
        await service.create(f"{shard}-seats1", spec("p_a", "p_b"))
    with acting_for("p_a"):
        found = await service.api.ListSeats(s.ListSeatsRequest())
        assert sorted(table.table_id for table in found.tables) == [f"{n}-seats1" for n in range(4)]
        with pytest.raises(Refusal, match="PERMISSION_DENIED"):
            await service.api.ListSeats(s.ListSeatsRequest(player_id="p_b"))
    assert len((await service.api.ListSeats(s.ListSeatsRequest(player_id="p_b"))).tables) == 4


async def test_a_player_cannot_make_or_close_a_table(service: Service) -> None:
    from services.chassis.auth import Principal, calling
    from services.table.api import ACCESS

    player = Principal("player", "p_a")
    for method in ("CreateTable", "CloseTable"):
        assert not player.may(ACCESS[method])
    with calling(player):
        assert player.may(ACCESS["GetTable"])


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"game": "chess"}, "UNKNOWN_GAME"),
        ({"preset": "nowhere"}, "UNKNOWN_PRESET"),
        ({"options_json": '{"colour":1}'}, "UNKNOWN_OPTION"),
        ({"options_json": '{"min_xi":0}'}, "BAD_OPTION"),
        ({"options_json": '{"min_xi":"15"}'}, "BAD_OPTION"),
        ({"options_json": '{"fee":-1}'}, "BAD_OPTION"),
        ({"options_json": '{"fee":"drei"}'}, "BAD_OPTION"),
        ({"options_json": '{"fee":5}'}, "BAD_OPTION"),
        ({"options_json": '{"fee":false}'}, "BAD_OPTION"),
        ({"options_json": "[]"}, "INVALID_ARGUMENT"),
        ({"options_json": "{"}, "INVALID_ARGUMENT"),
        ({"options_json": "[" * 5000}, "INVALID_ARGUMENT"),
        ({"options_json": '{"x":"' + "y" * 9000 + '"}'}, "INVALID_ARGUMENT"),
        ({"rounds": 0}, "INVALID_ARGUMENT"),
        ({"rounds": 65}, "INVALID_ARGUMENT"),
        ({"seats": []}, "INVALID_ARGUMENT"),
        ({"seats": [s.SeatSpec(player_id="p_a")] * 3}, "INVALID_ARGUMENT"),
        ({"seats": [s.SeatSpec(player_id=x) for x in ("p_a", "q_b", "bot:random")]}, "INVALID_ARGUMENT"),
        ({"seats": [s.SeatSpec(player_id=x) for x in ("p_a", "bot:x", "bot:random")]}, "UNKNOWN_BOT"),
        ({"stake": s.StakeSpec(currency="gem", buy_in=1, base_stake=1)}, "INVALID_ARGUMENT"),
        ({"stake": s.StakeSpec(currency="gold", buy_in=0, base_stake=1)}, "INVALID_ARGUMENT"),
        ({"stake": s.StakeSpec(currency="gold", buy_in=1, base_stake=0)}, "INVALID_ARGUMENT"),
        ({"stake": s.StakeSpec(currency="gold", buy_in=1, base_stake=1, minimum=-1)}, "INVALID_ARGUMENT"),
        ({"timing_json": '{"turn_ms":-1}'}, "INVALID_ARGUMENT"),
        ({"timing_json": '{"turn_ms":"soon"}'}, "INVALID_ARGUMENT"),
        ({"timing_json": '{"turn_ms":1.5}'}, "INVALID_ARGUMENT"),
        ({"timing_json": '{"tempo":1}'}, "INVALID_ARGUMENT"),
        ({"room_code": "12 456"}, "INVALID_ARGUMENT"),
        ({"room_code": "1" * 17}, "INVALID_ARGUMENT"),
    ],
)
async def test_a_wrong_spec_is_refused_by_name_and_makes_nothing(
    service: Service, change: dict[str, Any], reason: str
) -> None:
    made = spec("p_a", **change)
    with pytest.raises(Refusal) as checked:
        await service.api.CheckTableSpec(s.CheckTableSpecRequest(spec=made))
    assert checked.value.reason == reason
    with pytest.raises(Refusal) as created:
        await service.create(TABLE, made)
    assert (created.value.reason, created.value.details) == (reason, checked.value.details)
    if reason.startswith("UNKNOWN"):
        assert checked.value.details["known"], "the known names are listed"
    with pytest.raises(Refusal, match="TABLE_UNKNOWN"):
        await get(service, TABLE)


@pytest.mark.parametrize(
    "table_id", ["", "x", "0-", "g-abcd1", "00-abcd1", "0-ABCD1", "9-abcd1", "0-" + "x" * 60]
)
async def test_a_table_needs_an_id_of_a_shard_that_exists(service: Service, table_id: str) -> None:
    with pytest.raises(Refusal, match="INVALID_ARGUMENT"):
        await service.create(table_id, spec("p_a"))


async def test_a_checked_spec_says_its_preset_and_all_options(service: Service) -> None:
    stake = s.StakeSpec(currency="gold", buy_in=100, base_stake=5, minimum=10)
    answer = await service.api.CheckTableSpec(s.CheckTableSpecRequest(spec=spec("p_a", stake=stake)))
    options = json.loads(answer.options_json)
    assert options["base_stake"] == 5, "coins per point are an option of the rules"
    assert options["min_xi"] == 15


async def test_the_games_are_listed_as_the_engine_has_them(service: Service) -> None:
    games = (await service.api.ListGames(s.ListGamesRequest())).games
    (game,) = [one for one in games if one.game == "paohuzi"]
    assert game.seats == 3
    assert game.title_zh == "跑胡子"
    assert {"876cc", "luzhou-10xi", "bafang-yongzhou", "tongyi-qmt"} <= {one.preset for one in game.presets}
    assert all(one.title_zh not in ("", one.preset) for one in game.presets), (
        "a preset has no name for people"
    )
    assert all(one.title_zh != one.title_en for one in game.options), "an option has no Chinese name"
    assert {one.acts_in for one in game.options} == {"rules", "settlement", "display"}
    assert all(one.title_zh and one.title_en and one.type for one in game.options)
    options = json.loads(game.presets[0].options_json)
    # A fee of 0 is not spelt out: records without one read and write as before there were fees.
    assert {*options, "fee"} == {one.name for one in game.options}

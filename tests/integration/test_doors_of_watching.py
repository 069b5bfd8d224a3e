"""No door tells somebody without a seat of a match that is played earlier than watchers are shown it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import grpc
import pytest
import pytest_asyncio
from google.protobuf.descriptor_pool import Default
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from paiju.chat.v1 import chat_service_pb2 as chat
from paiju.economy.v1 import economy_service_pb2 as economy
from paiju.scoring.v1 import scoring_service_pb2 as scoring
from paiju.table.v1 import play_pb2 as p
from paiju.table.v1 import table_service_pb2 as tables
from paiju.table.v1 import watch_service_pb2 as watch
from paiju.table.v1.table_service_pb2_grpc import TableServiceStub

from services.chassis.auth import service_token
from services.chassis.clock import SystemClock
from services.gateway.core.methods import METHODS
from services.gateway.settings import GatewaySettings
from services.launch.catalog import wirings
from services.matchmaking.settings import MatchmakingSettings
from tests.support.nats import NatsServer
from tests.support.person import Person
from tests.support.real_process import SERVICE_KEY, World, running

pytestmark = pytest.mark.slow

DELAY_MS = 120_000
TIMING = '{"claim_pause_ms":20,"nonce_ms":50,"between_ms":50}'
TABLES = {
    "0-open1": {"spectators": True},
    "0-asked1": {"watch_leave": True},
    "0-shut1": {"room_code": "123456"},
}

NOT_ASKED = {
    "accounts.v1.AccountsService": (
        "CreateChallenge SignInGuest SignInPassword RefreshSession RevokeSession RevokeOtherSessions "
        "SetPassword "
        "BeginOidc FinishOidc DeleteAccount ExportMyData RemoveWayIn AddDeviceKey UpdateProfile "
        "CreateApiKey RotateApiKey ExchangeApiKey RevokeApiKey"
    ),
    "accounts.v1.ProtectionService": "SetLimits ExcludeSelf DeclareAge",
    "accounts.v1.FriendService": "InviteFriend",
    # Sums over rounds that are over: they move when one is settled.
    "progress.v1.ProgressService": "GetStatistics ListStatisticsDays",
    "progress.v1.RatingService": "GetRating ListRatings BatchGetRatings",
}
"""The first end sessions, make keys, or may be asked a few times a minute only, and know of no table. Every
other method is asked, also one that is new.
"""


class Doors:
    """What a stranger hears at every door, about one table and a person who plays there."""

    def __init__(self, stranger: Person, table_id: str, player_id: str) -> None:
        self._stranger = stranger
        self._known: Mapping[str, Any] = {
            "table_id": table_id,
            "match_id": table_id,
            "round_id": f"{table_id}/1",
            "round_no": 1,
            "event_no": 1,
            "channel": f"table/{table_id}",
            "room_code": "123456",
            "game": "paohuzi",
            "preset": "tongyi-qmt",
            "player_id": player_id,
            "to_player_id": player_id,
            "player_ids": [player_id],
            "request_id": "the same each time",
            "text": "hello",
        }

    async def asked(self) -> dict[str, bytes]:
        """Return what every method of the gateway answers, by path."""
        heard = {}
        for path, method in METHODS.items():
            service, _, name = path.partition("/")
            not_asked = NOT_ASKED.get(service.removeprefix("paiju."), "").split()
            if method.access.startswith("staff:") or name in not_asked:
                continue
            kind = Default().FindServiceByName(service).methods_by_name[name].input_type
            payload = self._filled(GetMessageClass(kind)()).SerializeToString()
            result = await self._stranger.door.call(path, payload)
            assert result.error.reason not in ("RATE_LIMITED", "SERVICE_UNAVAILABLE"), (path, result.error)
            heard[path] = result.SerializeToString(deterministic=True)
        return heard

    def _filled(self, request: Message) -> Message:
        """Return a request with all that a stranger can know of the table."""
        for field in request.DESCRIPTOR.fields:
            value = self._known.get(field.name)
            if value is None:
                continue
            if field.is_repeated:
                getattr(request, field.name).extend(value)
            else:
                setattr(request, field.name, value)
        return request


@pytest_asyncio.fixture
async def world(nats_server: NatsServer, tmp_path: Path) -> AsyncIterator[World]:
    """All services; nobody's calls are counted."""
    own = {
        "gateway": GatewaySettings(
            http_port=0, messages_burst=1e6, player_messages_burst=1e6, wrong_codes_burst=10_000
        ),
        "matchmaking": MatchmakingSettings(code_guesses_per_minute=10_000, writes_burst=1e6),
    }
    async with running(nats_server.url, tmp_path, wirings(), own) as made:
        yield made


async def person(world: World) -> Person:
    """Return somebody who has signed in."""
    made = Person(world.services["gateway"].url)  # type: ignore[attr-defined]
    await made.sign_in()
    await made.connect()
    return made


async def opened(world: World, table_id: str, player_id: str) -> None:
    """Make a table for one person and bots."""
    spec = tables.TableSpec(
        game="paohuzi",
        preset="tongyi-qmt",
        rounds=8,
        seats=[tables.SeatSpec(player_id=who) for who in (player_id, "bot:random", "bot:random")],
        timing_json=TIMING,
        watch_delay_ms=DELAY_MS,
        **TABLES[table_id],  # type: ignore[arg-type] # fields of a spec
    )
    token = service_token(SERVICE_KEY, "matchmaking", SystemClock().now_ms() // 1000)
    async with grpc.aio.insecure_channel(f"127.0.0.1:{world.rpc.port}") as channel, asyncio.timeout(60):
        while True:
            try:
                request = tables.CreateTableRequest(table_id=table_id, spec=spec)
                await TableServiceStub(channel).CreateTable(
                    request, metadata=(("authorization", f"Bearer {token}"),)
                )
            except grpc.aio.AioRpcError as error:
                if error.code() is not grpc.StatusCode.UNAVAILABLE:
                    raise
                await asyncio.sleep(0.1)
            else:
                return


async def until(condition: Any) -> None:
    async with asyncio.timeout(60):
        while not condition():
            await asyncio.sleep(0.02)


async def test_a_stranger_hears_the_same_at_every_door_whatever_happens_in_a_match(world: World) -> None:
    player, strangers = await person(world), {table_id: await person(world) for table_id in TABLES}
    live = {table_id: await sat_down(world, player, table_id) for table_id in TABLES}
    doors = {table_id: Doors(strangers[table_id], table_id, player.player_id) for table_id in TABLES}
    await until(lambda: all(table.s.phase == "playing" for table in live.values()))
    for table_id, door in doors.items():
        await strangers[table_id].wait_for_the_welcome()
        # What he asks for may change his own things, the first time.
        await door.asked()
    first = {table_id: await door.asked() for table_id, door in doors.items()}
    for table_id in TABLES:
        await player.door.command(table_id, command_id="auto", set_auto_play=p.SetAutoPlay(on=True))
        await player.call(
            "paiju.chat.v1.ChatService/PostMessage",
            chat.PostMessageRequest(request_id=table_id, channel=f"table/{table_id}", text="hi"),
            chat.PostMessageResponse,
        )
    await until(lambda: all(table.s.rounds_played >= 2 for table in live.values()))
    for table_id, door in doors.items():
        await _is_known_to_the_player(player, table_id)
        second = await door.asked()
        changed = [path for path, answer in second.items() if answer != first[table_id][path]]
        assert changed == [], [(first[table_id][path], second[path]) for path in changed]
    for table_id in TABLES:
        await _hears_nothing_on_his_connection(strangers[table_id], table_id)
    for one in (player, *strangers.values()):
        await one.close()


async def sat_down(world: World, player: Person, table_id: str) -> Any:
    """Make a table, take the person's seat, and return the table as its owner has it."""
    await opened(world, table_id, player.player_id)
    player.table_id = table_id
    await player.attach()
    await player.sit()
    return world.services["table"].owner.shard("0").tables.live[table_id]  # type: ignore[attr-defined]


async def _is_known_to_the_player(player: Person, table_id: str) -> None:
    """The same doors tell who plays there: what a stranger is not told was there to be told."""
    seen = await player.call(
        "paiju.table.v1.TableService/GetTable",
        tables.GetTableRequest(table_id=table_id),
        tables.GetTableResponse,
    )
    assert seen.table.round_no >= 2
    request = scoring.GetAuditRequest(round_id=f"{table_id}/1")
    async with asyncio.timeout(60):
        while True:
            result = await player.door.call(
                "paiju.scoring.v1.ScoringService/GetAudit", request.SerializeToString()
            )
            if not result.error.reason:
                break
            await asyncio.sleep(0.1)
    money = await player.call(
        "paiju.economy.v1.EconomyService/GetSettlement",
        economy.GetSettlementRequest(round_id=f"{table_id}/1"),
        economy.GetSettlementResponse,
    )
    assert money.state


async def _hears_nothing_on_his_connection(stranger: Person, table_id: str) -> None:
    """Attaching gives him an empty table at most, and the chat of the table is not his."""
    stranger.door.heard.clear()
    for attach in (p.Attach(), p.Attach(spectate=True), p.Attach(number=500, epoch=1, spectate=True)):
        await stranger.door.command(table_id, attach=attach)
    await stranger.door.ping()
    for response in stranger.door.heard:
        assert not response.HasField("notice"), response
        assert not response.HasField("table_frames"), "frames younger than the delay"
        if response.HasField("table_snapshot"):
            view = p.TableView.FromString(response.table_snapshot.view)
            assert (view.number, view.round_no, view.phase) == (0, 0, "seating")
            assert not any(seat.score or seat.auto_play for seat in view.seats)
    listed = await stranger.call(
        "paiju.table.v1.WatchService/ListLiveTables",
        watch.ListLiveTablesRequest(),
        watch.ListLiveTablesResponse,
    )
    assert [table.round_no for table in listed.tables] == [0] * len(listed.tables)

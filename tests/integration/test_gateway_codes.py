"""Codes of rooms guessed by force, by many guests of one address; and those who guess nothing."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import aiohttp
import grpc
import pytest
import pytest_asyncio
from paiju.gateway.v1.gateway_service_pb2 import CallError, CallResult
from paiju.matchmaking.v1 import matchmaking_service_pb2 as pb
from paiju.matchmaking.v1 import matchmaking_service_pb2_grpc

from services.chassis import auth
from services.chassis.config import ServiceSettings
from services.chassis.errors import Refusal
from services.chassis.run import Parts, Service, Wiring
from services.gateway.app import WIRING
from services.gateway.core.methods import CODED, METHODS
from services.gateway.settings import GatewaySettings
from services.matchmaking.app import WIRING as MATCHMAKING
from services.matchmaking.settings import MatchmakingSettings
from tests.integration.test_gateway_play import Unoffered
from tests.support.nats import NatsServer
from tests.support.play_client import GrpcClient, WebSocketClient
from tests.support.real_process import World, running

SERVICE = "paiju.matchmaking.v1.MatchmakingService"
ROOM = "123456"
BURST = 20
SLOW = 0.001
"""So many wrong codes a second: none more while a test runs, on whatever machine."""
DOORS = ("http", "websocket", "grpc")

Ask = Callable[[str, str, Any], Awaitable[CallError]]
"""Asks as this player, by this method, with this request."""


class Rooms(Unoffered):
    """One room, which is opened by who asks for one; counts who asks."""

    def __init__(self) -> None:
        self.asked = 0

    async def GetRoom(self, request: pb.GetRoomRequest, context: Any) -> pb.GetRoomResponse:  # noqa: N802 - gRPC's name
        self.asked += 1
        await asyncio.sleep(0)
        if request.room_code != ROOM:
            raise Refusal("ROOM_UNKNOWN")
        return pb.GetRoomResponse(room=pb.Room(room_code=ROOM))

    async def JoinRoom(self, request: pb.JoinRoomRequest, context: Any) -> pb.JoinRoomResponse:  # noqa: N802 - gRPC's name
        self.asked += 1
        if request.room_code != ROOM:
            raise Refusal("ROOM_UNKNOWN")
        raise Refusal("ROOM_FULL")

    async def CreateRoom(self, request: pb.CreateRoomRequest, context: Any) -> pb.CreateRoomResponse:  # noqa: N802 - gRPC's name
        return pb.CreateRoomResponse(room=pb.Room(room_code=ROOM))

    async def LeaveRoom(self, request: pb.LeaveRoomRequest, context: Any) -> pb.LeaveRoomResponse:  # noqa: N802 - gRPC's name
        return pb.LeaveRoomResponse()


class Peer:
    name = "matchmaking"

    async def start(self) -> None: ...

    async def stop(self) -> None: ...


@pytest.fixture
def rooms() -> Rooms:
    return Rooms()


@pytest_asyncio.fixture
async def world(
    nats_server: NatsServer, tmp_path: Path, rooms: Rooms, request: pytest.FixtureRequest
) -> AsyncIterator[World]:
    async def wire(settings: ServiceSettings, parts: Parts) -> Service:
        names = matchmaking_service_pb2_grpc.MatchmakingServiceServicer.__dict__
        access: dict[str, auth.Access] = {name: "player" for name in names if name[0].isupper()}
        add = matchmaking_service_pb2_grpc.add_MatchmakingServiceServicer_to_server
        parts.rpc.serve("matchmaking", add, rooms, access)
        return Peer()

    peer = Wiring("matchmaking", wire, ServiceSettings, has_database=False)
    given = {"address_requests_burst": 10_000, "wrong_codes_per_s": SLOW}
    own = GatewaySettings(http_port=0, **given | getattr(request, "param", {}))
    async with running(nats_server.url, tmp_path, [peer, WIRING], {"gateway": own}) as made:
        yield made


def url(world: World) -> str:
    return str(world.services["gateway"].url)  # type: ignore[attr-defined]


def typed(world: World, answer: str) -> float:
    registry = world.parts.metrics.registry
    return registry.get_sample_value("paiju_gateway_room_codes_total", {"answer": answer}) or 0.0


async def over_http(world: World, player: str, method: str, request: Any, **headers: str) -> CallError:
    headers["Authorization"] = f"Bearer {world.tokens.token(player)}"
    async with (
        aiohttp.ClientSession(headers=headers) as http,
        http.post(f"{url(world)}call/{SERVICE}/{method}", data=request.SerializeToString()) as answer,
    ):
        return CallResult.FromString(await answer.read()).error


def door(world: World, name: str) -> Ask:
    """Return how to ask through a door, each time on a connection of its own."""

    async def asked(player: str, method: str, what: Any) -> CallError:
        if name == "http":
            return await over_http(world, player, method, what)
        client = (
            await WebSocketClient.connect(url(world))
            if name == "websocket"
            else GrpcClient(f"127.0.0.1:{world.rpc.port}")
        )
        try:
            await client.hello(world.tokens.token(player))
            return (await client.call(f"{SERVICE}/{method}", what.SerializeToString())).error
        finally:
            await client.close()

    return asked


async def guess(ask: Ask, numbers: range) -> list[str]:
    """Let as many guests guess wrong, one code each; return the reasons."""
    said = []
    for n in numbers:
        kind = (pb.GetRoomRequest, pb.JoinRoomRequest)[n % 2]
        request = kind(room_code=f"{900_000 + n}")
        said.append((await ask(f"p_guest{n}", kind.__name__.removesuffix("Request"), request)).reason)
    return said


async def test_guests_of_one_address_have_so_many_wrong_codes_together_whatever_door_they_take(
    world: World, rooms: Rooms
) -> None:
    doors = {name: door(world, name) for name in DOORS}
    said: list[str] = []
    for n, ask in enumerate(doors.values()):
        said += await guess(ask, range(n * 7, n * 7 + 7))
    assert said == ["ROOM_UNKNOWN"] * BURST + ["RATE_LIMITED"]
    for n, (name, ask) in enumerate(doors.items()):
        assert await guess(ask, range(100 + n, 101 + n)) == ["RATE_LIMITED"], name
        # A right code tells no more than a wrong one, and is looked up as little.
        refusal = await ask("p_late", "GetRoom", pb.GetRoomRequest(room_code=ROOM))
        assert refusal.reason == "RATE_LIMITED", name
        assert 0 < int(refusal.details["retry_ms"]) <= 1000 / SLOW + 1
        # What says nothing of codes goes on.
        assert not (await ask("p_late", "LeaveRoom", pb.LeaveRoomRequest(room_code=ROOM))).reason
    assert rooms.asked == BURST
    assert (typed(world, "unknown"), typed(world, "refused"), typed(world, "known")) == (BURST, 7, 0)


async def test_codes_guessed_all_at_once_are_no_more(world: World, rooms: Rooms) -> None:
    # The way to matchmaking is open.
    await over_http(world, "p_first", "LeaveRoom", pb.LeaveRoomRequest(room_code=ROOM))
    said = await asyncio.gather(
        *(
            over_http(world, f"p_guest{n}", "GetRoom", pb.GetRoomRequest(room_code=f"{900_000 + n}"))
            for n in range(60)
        )
    )
    assert rooms.asked == BURST
    assert [one.reason for one in said].count("RATE_LIMITED") == 60 - BURST


async def test_who_types_right_codes_is_not_held_up(world: World) -> None:
    said = []
    for name in DOORS:
        ask = door(world, name)
        for n in range(10):
            said += [
                (await ask(f"p_{name}{n}", "GetRoom", pb.GetRoomRequest(room_code=ROOM))).reason,
                (await ask(f"p_j{name}{n}", "JoinRoom", pb.JoinRoomRequest(room_code=ROOM))).reason,
            ]
    assert said == ["", "ROOM_FULL"] * 30
    assert typed(world, "known") == 60


async def test_a_whole_dormitory_may_come_at_once(world: World, rooms: Rooms) -> None:
    await over_http(world, "p_first", "LeaveRoom", pb.LeaveRoomRequest(room_code=ROOM))
    request = pb.GetRoomRequest(room_code=ROOM)
    said = await asyncio.gather(*(over_http(world, f"p_{n}", "GetRoom", request) for n in range(60)))
    assert {one.reason for one in said} == {""}
    assert rooms.asked == 60


async def test_who_was_shown_a_room_goes_on_while_a_neighbour_guesses(world: World) -> None:
    ask = door(world, "http")
    look = pb.GetRoomRequest(room_code=ROOM)
    assert not (await ask("p_owner", "CreateRoom", pb.CreateRoomRequest(request_id="r1"))).reason
    assert not (await ask("p_friend", "GetRoom", look)).reason
    await guess(ask, range(BURST + 1))
    for player, reason in (("p_owner", ""), ("p_friend", ""), ("p_other", "RATE_LIMITED")):
        assert (await ask(player, "GetRoom", look)).reason == reason
    # He was shown one room, and not all others.
    assert (await ask("p_owner", "GetRoom", pb.GetRoomRequest(room_code="999999"))).reason == "RATE_LIMITED"


@pytest.mark.parametrize("world", [{"trusted_proxies": 1, "wrong_codes_burst": 2}], indirect=True)
async def test_addresses_are_counted_as_for_other_limits(world: World) -> None:
    async def from_there(address: str) -> str:
        request = pb.GetRoomRequest(room_code="900000")
        error = await over_http(world, "p_ann", "GetRoom", request, **{"X-Forwarded-For": address})
        return error.reason

    home = ["2001:db8:1:2::1", "2001:db8:1:2:ffff::9", "2001:db8:1:2::3"]
    assert [await from_there(one) for one in home] == ["ROOM_UNKNOWN"] * 2 + ["RATE_LIMITED"]
    # What a client writes before the proxy does is not believed.
    assert await from_there(f"203.0.113.9, {home[0]}") == "RATE_LIMITED"
    assert [await from_there(one) for one in ("2001:db8:1:3::1", "203.0.113.9")] == ["ROOM_UNKNOWN"] * 2


@pytest.mark.parametrize("world", [{"wrong_codes_burst": 1, "wrong_codes_per_s": 5}], indirect=True)
async def test_after_the_time_that_was_named_there_is_another(world: World) -> None:
    ask = door(world, "http")
    await guess(ask, range(1))
    refusal = await ask("p_late", "GetRoom", pb.GetRoomRequest(room_code="900000"))
    if refusal.reason == "RATE_LIMITED":  # a slow machine may have waited long enough already
        await world.parts.clock.sleep(int(refusal.details["retry_ms"]) / 1000)
        refusal = await ask("p_late", "GetRoom", pb.GetRoomRequest(room_code="900000"))
    assert refusal.reason == "ROOM_UNKNOWN"


def test_an_address_has_twenty_wrong_codes_and_six_a_minute() -> None:
    for settings in (GatewaySettings(), MatchmakingSettings()):
        assert (settings.wrong_codes_burst, settings.wrong_codes_per_s) == (BURST, 0.1)


def test_every_method_that_takes_a_code_is_counted() -> None:
    methods = pb.DESCRIPTOR.services_by_name["MatchmakingService"].methods
    takes = {f"{SERVICE}/{one.name}" for one in methods if "room_code" in one.input_type.fields_by_name}
    assert takes - {f"{SERVICE}/LeaveRoom"} == CODED
    assert {path for path, method in METHODS.items() if method.has_code} == CODED


async def test_who_calls_matchmaking_by_himself_has_no_more(nats_server: NatsServer, tmp_path: Path) -> None:
    own = {"matchmaking": MatchmakingSettings(protection=False, wrong_codes_per_s=SLOW)}
    async with (
        running(nats_server.url, tmp_path, [MATCHMAKING], own) as world,
        grpc.aio.insecure_channel(f"127.0.0.1:{world.rpc.port}") as channel,
    ):
        stub: Any = matchmaking_service_pb2_grpc.MatchmakingServiceStub(channel)
        said = []
        for n in range(BURST + 3):
            mine = (("authorization", f"Bearer {world.tokens.token(f'p_guest{n}')}"),)
            try:
                await stub.GetRoom(pb.GetRoomRequest(room_code=f"{900_000 + n}"), metadata=mine)
            except grpc.aio.AioRpcError as error:
                said.append((error.details() or "").partition(":")[0])
        assert said == ["ROOM_UNKNOWN"] * BURST + ["RATE_LIMITED"] * 3

"""Watching through real services and a real broker: one ear for all, late, and nobody at his own table."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import grpc
import pytest
import pytest_asyncio
from paiju.gateway.v1.gateway_service_pb2 import PlayResponse
from paiju.table.v1 import play_pb2 as p
from paiju.table.v1 import table_service_pb2 as tables
from paiju.table.v1 import watch_service_pb2 as w
from paiju.table.v1.table_service_pb2_grpc import TableServiceStub
from paiju.table.v1.watch_service_pb2_grpc import WatchServiceStub

from services.chassis.auth import service_token
from services.chassis.clock import SystemClock
from services.gateway.bus import feeds
from services.gateway.settings import GatewaySettings
from services.launch.catalog import wirings
from services.table.settings import TableSettings
from tests.simulation.client import TableFold
from tests.support.nats import NatsServer
from tests.support.play_client import PlayClient, WebSocketClient
from tests.support.real_process import SERVICE_KEY, World, running
from tests.support.table_owner import until

TABLE, LATE = "0-watchedhere", "0-watchedlate"
BOTS = '{"claim_pause_ms":60,"nonce_ms":100,"between_ms":200}'
DELAY_MS = 1_500
VIEWERS = 20


class Viewer:
    """Somebody who watches, with the fold of what he was shown."""

    def __init__(self, client: PlayClient, player_id: str) -> None:
        self.client = client
        self.player_id = player_id
        self.fold = TableFold()
        self.frames: dict[int, bytes] = {}
        self.late_ms: list[int] = []
        self.views = 0
        self.viewers = 0
        self.detached = ""
        self._read = 0

    async def watch(self, table_id: str, number: int = 0) -> str:
        attach = p.Attach(spectate=True, number=number)
        answer = await self.client.ask(table=p.TableCommand(table_id=table_id, attach=attach))
        return answer.command_answer.reason or answer.refused.reason

    def read(self) -> Viewer:
        """Take what has come, and see that no frame is missing and none comes twice."""
        heard = list(self.client.heard)
        for response in heard[self._read :]:
            self._take(response)
        self._read = len(heard)
        return self

    @property
    def view(self) -> p.TableView:
        """What he sees."""
        return self.fold.view

    def _take(self, response: PlayResponse) -> None:
        if response.HasField("table_snapshot"):
            self.views += 1
            self.fold.start(p.TableView.FromString(response.table_snapshot.view))
        for raw in response.table_frames.frames:
            frame = p.Frame.FromString(raw)
            assert frame.number == self.fold.view.number + 1, "a frame is missing, or came twice"
            self.frames[frame.number] = raw
            self.late_ms.append(SystemClock().now_ms() - frame.at_ms)
            self.fold.add(frame)
        if response.HasField("table_watching"):
            self.viewers = response.table_watching.viewers
        self.detached = response.table_detached.reason or self.detached


@pytest_asyncio.fixture
async def world(nats_server: NatsServer, tmp_path: Path) -> AsyncIterator[World]:
    """A gateway and a table service."""
    given = {
        "gateway": GatewaySettings(http_port=0, messages_burst=500, player_messages_burst=500),
        "table": TableSettings(protection=False),
    }
    async with running(nats_server.url, tmp_path, wirings(["table", "gateway"]), given) as made:
        yield made


Connect = Callable[[str], Awaitable[Viewer]]


@pytest_asyncio.fixture
async def connect(world: World) -> AsyncIterator[Connect]:
    made: list[Viewer] = []

    async def make(player: str) -> Viewer:
        client = await WebSocketClient.connect(world.services["gateway"].url)  # type: ignore[attr-defined]
        await client.hello(world.tokens.token(player))
        made.append(Viewer(client, player))
        return made[-1]

    yield make
    for viewer in made:
        await viewer.client.close()


async def create(world: World, table_id: str, *players: str, **more: Any) -> None:
    """Make a table, as soon as its shard is served."""
    spec = tables.TableSpec(
        game="paohuzi",
        preset="tongyi-qmt",
        rounds=8,
        seats=[tables.SeatSpec(player_id=player) for player in players],
        timing_json=BOTS,
        **{"spectators": True, **more},
    )
    token = service_token(SERVICE_KEY, "matchmaking", SystemClock().now_ms() // 1000)
    async with grpc.aio.insecure_channel(f"127.0.0.1:{world.rpc.port}") as channel, asyncio.timeout(60):
        while True:
            try:
                request = tables.CreateTableRequest(table_id=table_id, spec=spec)
                metadata = (("authorization", f"Bearer {token}"),)
                await TableServiceStub(channel).CreateTable(request, metadata=metadata)
            except grpc.aio.AioRpcError as error:
                if error.code() is not grpc.StatusCode.UNAVAILABLE:
                    raise
                await asyncio.sleep(0.1)
            else:
                return


async def test_all_who_watch_see_the_same_through_one_session_of_their_gateway(
    world: World, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feeds, "FRAMES_MAX", 12)
    await create(world, TABLE, "bot:random", "bot:random", "bot:random")
    watchers = [await connect(f"p_v{number}") for number in range(VIEWERS)]
    for viewer in watchers[: VIEWERS // 2]:
        assert await viewer.watch(TABLE) == ""
    await until(lambda: len(watchers[0].read().view.play.events) > 20 and len(watchers[0].frames) > 25, 30)
    for viewer in watchers[VIEWERS // 2 :]:
        assert await viewer.watch(TABLE) == ""
    await until(lambda: watchers[0].read().viewers == VIEWERS, 30)
    owner = world.services["table"].owner.shard("0")  # type: ignore[attr-defined]
    assert [(session.session, session.seat) for session in owner.sessions] == [(feeds.SESSION, -1)]
    assert owner.watchers.watched() == {TABLE: VIEWERS}
    target = watchers[0].read().view.number + 10
    await until(lambda: all(viewer.read().view.number >= target for viewer in watchers), 30)
    for viewer in watchers:
        assert viewer.views >= 1
        common = viewer.frames.keys() & watchers[0].frames.keys()
        assert len(common) >= 10
        assert all(viewer.frames[number] == watchers[0].frames[number] for number in common)
        assert not any(" ask " in event for event in viewer.fold.view.play.events)
    # Who comes back with a number gets what he lacks, and no view.
    monkeypatch.setattr(feeds, "FRAMES_MAX", 100_000)
    back = watchers[1]
    at = watchers[0].read().view.number
    await until(lambda: back.read().view.number > at, 30)
    await back.client.command(TABLE, detach=p.Detach())
    back.read()
    seen, views = back.fold.view.number, back.views
    assert await back.watch(TABLE, seen) == ""
    await until(lambda: back.read().view.number > seen, 30)
    assert back.views == views


async def test_a_person_with_a_seat_may_not_watch_it_whatever_the_session(
    world: World, connect: Connect
) -> None:
    await create(world, TABLE, "p_ann", "bot:random", "bot:random")
    seat, second, stranger = await connect("p_ann"), await connect("p_ann"), await connect("p_eve")
    assert not (await seat.client.command(TABLE, attach=p.Attach())).reason
    assert await second.watch(TABLE) == "SEATED_HERE"
    assert await stranger.watch(TABLE) == ""
    assert await second.watch(TABLE) == "SEATED_HERE", "also where others watch already"
    assert await seat.watch(TABLE) == "SEATED_HERE"
    await second.client.ping()
    assert not any(
        response.HasField(kind)
        for response in second.client.heard
        for kind in ("table_snapshot", "table_frames", "table_watching")
    )
    await until(lambda: seat.read().viewers == 1, 10)
    await stranger.client.close()
    await until(lambda: seat.read().viewers == 0, 10)


async def test_a_delayed_table_shows_an_empty_one_first_and_then_everything_late(
    world: World, connect: Connect
) -> None:
    await create(world, LATE, "bot:random", "bot:random", "bot:random", watch_delay_ms=DELAY_MS)
    early = await connect("p_early")
    assert await early.watch(LATE) == ""
    assert not early.read().view.play.events
    await until(lambda: len(early.read().view.play.events) > 15, 30)
    late = await connect("p_late")
    assert await late.watch(LATE) == ""
    await until(lambda: len(late.read().frames) > 15 and len(early.read().frames) > 25, 30)
    for viewer in (early, late):
        assert min(viewer.late_ms) >= DELAY_MS - 20
    stub = WatchServiceStub(grpc.aio.insecure_channel(f"127.0.0.1:{world.rpc.port}"))
    metadata = (("authorization", f"Bearer {world.tokens.token('p_late')}"),)
    (listed,) = (await stub.ListLiveTables(w.ListLiveTablesRequest(), metadata=metadata)).tables
    assert (listed.table_id, listed.delay_ms, listed.is_room) == (LATE, DELAY_MS, False)
    shown = late.read().view
    like = w.LikePlayRequest(table_id=LATE, round_no=shown.round_no, event_no=len(shown.play.events))
    for _ in range(2):
        assert (await stub.LikePlay(like, metadata=metadata)).likes == 1, "a person likes a play once"
    round_id = f"{LATE}/{like.round_no}"
    (play,) = (await stub.ListLikedPlays(w.ListLikedPlaysRequest(round_id=round_id), metadata=metadata)).plays
    assert (play.event_no, play.likes, play.mine) == (like.event_no, 1, True)
    (mine,) = (await stub.ListMyLikes(w.ListMyLikesRequest(), metadata=metadata)).likes
    assert (mine.round_id, mine.event_no) == (round_id, like.event_no)
    for token in ("1", "1.2", "a.b.c", "1.2.'", "-1.2.0-m/1", "1.2.0-m/1\n"):
        with pytest.raises(grpc.RpcError, match=r"INVALID_ARGUMENT|page_token"):
            await stub.ListMyLikes(w.ListMyLikesRequest(page_token=token), metadata=metadata)
    after = w.ListLikedPlaysRequest(round_id=round_id, page_size=1, page_token=str(like.event_no))
    rest = await stub.ListLikedPlays(after, metadata=metadata)
    assert not rest.plays
    assert not rest.next_page_token

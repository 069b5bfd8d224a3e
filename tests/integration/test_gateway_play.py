"""Playing through both doors of the gateway, on real NATS, HTTP and gRPC."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from paiju.accounts.v1.events_pb2 import SessionRevoked
from paiju.accounts.v1.friend_service_pb2 import FriendNotice
from paiju.chat.v1.chat_service_pb2 import ChatMessage, MessagePosted
from paiju.economy.v1.economy_service_pb2 import GetWalletResponse, Money
from paiju.gateway.v1.gateway_service_pb2 import Call, Hello, Notice, Ping, PlayRequest
from paiju.matchmaking.v1 import matchmaking_service_pb2_grpc
from paiju.matchmaking.v1.matchmaking_service_pb2 import (
    Hall,
    ListHallsRequest,
    ListHallsResponse,
    Room,
)
from paiju.table.v1.play_pb2 import Act, Attach, Detach, Ready, TableCommand, TableView
from paiju.table.v1.wire_pb2 import Out

from services.chassis import auth
from services.chassis.bus import subject_of
from services.chassis.bus.registry import REVOKED
from services.chassis.config import ServiceSettings
from services.chassis.errors import Refusal
from services.chassis.revocations import REFRESH_S
from services.chassis.run import Parts, Service, Wiring
from services.gateway.app import WIRING
from services.gateway.core.framing import leading_number
from services.gateway.settings import GatewaySettings
from tests.support.nats import NatsServer
from tests.support.play_client import Ended, GrpcClient, PlayClient, WebSocketClient
from tests.support.real_process import World, running
from tests.support.table_owner import TableOwner, until

TABLE = "0-abcdefghjkmnpqrstvwx"
LIST_HALLS = "paiju.matchmaking.v1.MatchmakingService/ListHalls"


class Unoffered:
    """A servicer without methods of its own; a double defines those its test needs."""

    def __getattr__(self, name: str) -> Any:
        if not name[0].isupper():
            raise AttributeError(name)
        return self._unoffered

    async def _unoffered(self, request: Any, context: Any) -> Any:
        raise AssertionError("not offered by this double")


class Halls(Unoffered):
    """A peer behind the call proxy: says who called; refuses, breaks or hangs on demand."""

    async def ListHalls(self, request: Any, context: Any) -> Any:  # noqa: N802 - gRPC's name
        if request.game == "refuse":
            raise Refusal("COINS_TOO_FEW", entry_min=3000, coins=12, advice_zh="", advice_en="")
        if request.game == "break":
            raise KeyError("a secret of the service")
        if request.game == "hang":
            await asyncio.sleep(60)
        address = dict(context.invocation_metadata())["x-paiju-client-address"]
        return ListHallsResponse(halls=[Hall(hall_id=auth.player(), title_en=address)])


class Peer:
    name = "matchmaking"

    async def start(self) -> None: ...

    async def stop(self) -> None: ...


async def wire_peer(settings: ServiceSettings, parts: Parts) -> Service:
    names = matchmaking_service_pb2_grpc.MatchmakingServiceServicer.__dict__
    access: dict[str, auth.Access] = {name: "player" for name in names if name[0].isupper()}
    add = matchmaking_service_pb2_grpc.add_MatchmakingServiceServicer_to_server
    parts.rpc.serve("matchmaking", add, Halls(), access)
    return Peer()


PEER = Wiring("matchmaking", wire_peer, ServiceSettings, has_database=False)
Connect = Callable[..., Awaitable[PlayClient]]


@pytest.fixture(scope="module")
def nats(tmp_path_factory: pytest.TempPathFactory) -> Any:
    server = NatsServer(tmp_path_factory.mktemp("nats")).start()
    yield server
    server.stop()


@pytest_asyncio.fixture
async def world(nats: NatsServer, tmp_path: Path, request: pytest.FixtureRequest) -> AsyncIterator[World]:
    own = GatewaySettings(http_port=0, **getattr(request, "param", {}))
    async with running(nats.url, tmp_path, [PEER, WIRING], {"gateway": own}) as made:
        yield made


@pytest_asyncio.fixture(params=["websocket", "grpc"])
async def connect(world: World, request: pytest.FixtureRequest) -> AsyncIterator[Connect]:
    clients: list[PlayClient] = []

    async def make(player: str = "", **token: Any) -> PlayClient:
        client: PlayClient
        if request.param == "websocket":
            client = await WebSocketClient.connect(world.services["gateway"].url)  # type: ignore[attr-defined]
        else:
            client = GrpcClient(f"127.0.0.1:{world.rpc.port}")
        clients.append(client)
        if player:
            welcome = await client.hello(world.tokens.token(player, **token))
            assert welcome.welcome.player_id == player, welcome
        return client

    yield make
    for client in clients:
        await client.close()


@pytest_asyncio.fixture
async def owner(world: World) -> AsyncIterator[TableOwner]:
    made = await TableOwner(world.parts.bus).start()
    yield made
    await made.stop()


class TestHello:
    async def test_a_good_token_is_welcomed_with_its_end(self, connect: Connect, world: World) -> None:
        client = await connect()
        welcome = (await client.hello(world.tokens.token("p_ann", seconds=100))).welcome
        assert welcome.player_id == "p_ann"
        assert 95_000 < welcome.token_expires_at_ms - welcome.now_ms <= 100_000

    async def test_whoever_speaks_before_hello_is_told_and_shown_out(self, connect: Connect) -> None:
        client = await connect()
        assert (await client.ask(ping=Ping())).refused.reason == "HELLO_REQUIRED"
        assert await client.wait_end() == "BAD_MESSAGE"

    @pytest.mark.parametrize(
        ("token", "reason", "goodbye"),
        [
            ("", "TOKEN_INVALID", "TOKEN_EXPIRED"),
            ("nonsense", "TOKEN_INVALID", "TOKEN_EXPIRED"),
            ("x" * 9000, "TOKEN_INVALID", "TOKEN_EXPIRED"),
            ("expired", "TOKEN_EXPIRED", "TOKEN_EXPIRED"),
            ("service", "TOKEN_INVALID", "TOKEN_EXPIRED"),
        ],
    )
    async def test_a_bad_token_is_refused_with_its_reason(
        self, connect: Connect, world: World, token: str, reason: str, goodbye: str
    ) -> None:
        if token == "expired":
            token = world.tokens.token("p_ann", seconds=-5)
        elif token == "service":
            token = auth.service_token(
                world.parts.settings.service_key.get_secret_value(),
                "chat",
                world.parts.clock.now_ms() // 1000,
            )
        client = await connect()
        assert (await client.hello(token)).refused.reason == reason
        assert await client.wait_end() == goodbye

    async def test_a_connection_ends_with_its_token(self, connect: Connect) -> None:
        # Ends of tokens are whole seconds: it lasts one to two.
        client = await connect("p_ann", seconds=2)
        assert await client.wait_end() == "TOKEN_EXPIRED"

    async def test_a_fresh_token_extends_it(self, connect: Connect, world: World) -> None:
        client = await connect("p_ann", seconds=4)
        assert (await client.hello(world.tokens.token("p_ann"))).welcome.player_id == "p_ann"
        await asyncio.sleep(4.1)
        assert await client.ping() == 7

    async def test_a_second_player_on_one_connection_is_refused_and_the_first_goes_on(
        self, connect: Connect, world: World
    ) -> None:
        client = await connect("p_ann")
        assert (await client.hello(world.tokens.token("p_bob"))).refused.reason == "PLAYER_MISMATCH"
        assert (await client.call(LIST_HALLS)).error.reason == ""

    async def test_a_revoked_login_is_closed_within_a_second_and_its_token_refused(
        self, connect: Connect, world: World
    ) -> None:
        one, two = world.parts.ids.new("ses"), world.parts.ids.new("ses")
        client, other = await connect("p_ann", sid=one), await connect("p_ann", sid=two)
        await world.parts.bus.tell(
            subject_of(SessionRevoked, key="p_ann"),
            SessionRevoked(player_id="p_ann", session_id=one).SerializeToString(),
        )
        assert await client.wait_end(1.0) == "SESSION_REVOKED"
        assert await other.ping() == 7
        again = await connect()
        assert (await again.hello(world.tokens.token("p_ann", sid=one))).refused.reason == "SESSION_REVOKED"
        assert await again.wait_end() == "SESSION_REVOKED"

    async def test_a_login_revoked_before_the_gateway_was_there_is_refused(
        self, connect: Connect, world: World
    ) -> None:
        login = world.parts.ids.new("ses")
        await (await world.parts.bus.bucket(REVOKED.name)).put(login, b"1")
        await world.parts.clock.sleep(REFRESH_S)
        door = await connect()
        refused = await door.hello(world.tokens.token("p_ann", sid=login))
        assert refused.refused.reason == "SESSION_REVOKED"
        assert await door.wait_end() == "SESSION_REVOKED"


class TestCalls:
    async def test_a_call_reaches_the_service_in_the_name_of_the_player(self, connect: Connect) -> None:
        client = await connect("p_ann")
        result = await client.call(LIST_HALLS, ListHallsRequest(game="paohuzi").SerializeToString())
        hall = ListHallsResponse.FromString(result.payload).halls[0]
        assert hall.hall_id == "p_ann"
        assert "127.0.0.1" in hall.title_en

    async def test_a_refusal_comes_back_with_reason_texts_and_details(self, connect: Connect) -> None:
        client = await connect("p_ann")
        error = (await client.call(LIST_HALLS, ListHallsRequest(game="refuse").SerializeToString())).error
        assert (error.reason, error.details["entry_min"]) == ("COINS_TOO_FEW", "3000")
        assert "3000" in error.message_zh

    async def test_a_defect_says_nothing_of_its_inside(self, connect: Connect) -> None:
        client = await connect("p_ann")
        result = await client.call(LIST_HALLS, ListHallsRequest(game="break").SerializeToString())
        assert result.error.reason == "INTERNAL"
        assert "secret" not in str(result)

    async def test_a_service_that_hangs_is_given_up_and_the_connection_goes_on(
        self, connect: Connect
    ) -> None:
        client = await connect("p_ann")
        hanging = asyncio.create_task(
            client.call(LIST_HALLS, ListHallsRequest(game="hang").SerializeToString())
        )
        assert await client.ping() == 7
        assert (await hanging).error.reason == "SERVICE_UNAVAILABLE"

    @pytest.mark.parametrize(
        "method",
        [
            "",
            "x",
            "paiju.economy.v1.EconomyService/OpenStake",
            "paiju.table.v1.TableService/CreateTable",
            "paiju.matchmaking.v1.MatchmakingService/ListHalls/",
            "/paiju.matchmaking.v1.MatchmakingService/ListHalls",
        ],
    )
    async def test_what_is_not_on_the_list_cannot_be_called(self, connect: Connect, method: str) -> None:
        client = await connect("p_ann")
        assert (await client.call(method)).error.reason == "METHOD_UNKNOWN"

    async def test_a_malformed_request_never_reaches_the_service(self, connect: Connect) -> None:
        client = await connect("p_ann")
        assert (await client.call(LIST_HALLS, b"\xff\xff\xff")).error.reason == "BAD_MESSAGE"

    @pytest.mark.parametrize("world", [{"calls_at_once_max": 2}], indirect=True)
    async def test_too_many_calls_at_once_are_refused(self, connect: Connect) -> None:
        client = await connect("p_ann")
        hang = ListHallsRequest(game="hang").SerializeToString()
        hanging = [asyncio.create_task(client.call(LIST_HALLS, hang)) for _ in range(2)]
        await client.ping()
        refused = await client.ask(call={"method": LIST_HALLS})
        assert refused.refused.reason == "TOO_MANY_CALLS"
        await asyncio.gather(*hanging)


class TestTable:
    async def test_attach_gives_a_view_and_then_frames_in_order(
        self, connect: Connect, owner: TableOwner
    ) -> None:
        client = await connect("p_ann")
        await owner.show(TABLE, "p_ann")
        assert (await client.command(TABLE, attach=Attach())).reason == ""
        snapshot = (await client.wait_for(lambda r: r.HasField("table_snapshot"))).table_snapshot
        assert TableView.FromString(snapshot.view).number == 1
        assert snapshot.epoch == owner.epoch
        for question in range(5):
            assert (await client.command(TABLE, act=Act(question=question))).number == question + 2
        assert [leading_number(f) for f in await client.frames(5)] == [2, 3, 4, 5, 6]
        assert all(c.player_id == "p_ann" for c in owner.commands)

    async def test_who_comes_back_with_a_number_gets_the_gap(
        self, connect: Connect, owner: TableOwner
    ) -> None:
        client = await connect("p_ann")
        for _ in range(5):
            await owner.show(TABLE, "p_ann")
        await client.command(TABLE, attach=Attach(epoch=owner.epoch, number=3))
        assert [leading_number(f) for f in await client.frames(2)] == [4, 5]

    async def test_a_lost_frame_is_noticed_and_fetched(self, connect: Connect, owner: TableOwner) -> None:
        client = await connect("p_ann")
        await owner.show(TABLE, "p_ann")
        await client.command(TABLE, attach=Attach())
        owner.lose_frames = 1
        await owner.show(TABLE, "p_ann")
        await owner.show(TABLE, "p_ann")
        assert [leading_number(f) for f in await client.frames(2)] == [2, 3]

    async def test_a_lost_last_frame_is_noticed_by_the_heartbeat(
        self, connect: Connect, owner: TableOwner
    ) -> None:
        client = await connect("p_ann")
        await owner.show(TABLE, "p_ann")
        await client.command(TABLE, attach=Attach())
        owner.lose_frames = 1
        await owner.show(TABLE, "p_ann")
        await owner.beat()
        assert [leading_number(f) for f in await client.frames(1)] == [2]

    async def test_commands_wait_for_an_owner_and_none_is_lost(self, connect: Connect, world: World) -> None:
        client = await connect("p_ann")
        attached = asyncio.create_task(client.command(TABLE, attach=Attach()))
        acted = [asyncio.create_task(client.command(TABLE, act=Act(question=n))) for n in range(3)]
        await asyncio.sleep(0.2)
        owner = await TableOwner(world.parts.bus).start()
        assert [a.reason for a in await asyncio.gather(attached, *acted)] == [""] * 4
        assert owner.count("act") == 3
        await owner.stop()

    async def test_a_new_epoch_attaches_and_sends_again(self, connect: Connect, owner: TableOwner) -> None:
        client = await connect("p_ann")
        await client.command(TABLE, attach=Attach())
        await client.command(TABLE, act=Act(question=1))
        await client.frames(1)
        owner.is_mute = True
        waiting = asyncio.create_task(client.command(TABLE, act=Act(question=2)))
        await until(lambda: owner.count("act") == 2)
        await owner.stop()
        owner.lose_frames = 1
        await owner.show(TABLE, "p_ann")
        owner.is_mute = False
        await owner.start()
        assert (await waiting).reason == ""
        assert [leading_number(f) for f in await client.frames(2)] == [2, 3]
        again = [c for c in owner.commands if c.command.HasField("attach")][-1]
        assert (again.command.attach.number, again.player_id) == (1, "p_ann")

    async def test_what_a_fenced_owner_still_says_is_dropped(
        self, connect: Connect, owner: TableOwner
    ) -> None:
        client = await connect("p_ann")
        await client.command(TABLE, attach=Attach())
        seat = owner.seats[TABLE, "p_ann"]
        await owner.show(TABLE, "p_ann")
        stale = Out(table_id=TABLE, session=seat.session, frame=seat.frames[0])
        await client.frames(1)
        await owner.send(
            seat.gateway, Out(table_id=TABLE, session=seat.session, frame=b"\x08\x02evil"), epoch=1
        )
        await owner.send(seat.gateway, stale)
        await owner.show(TABLE, "p_ann")
        assert await client.frames(1) == [seat.frames[1]]

    async def test_an_answer_that_does_not_come_is_asked_for_again_after_a_second(
        self, connect: Connect, owner: TableOwner
    ) -> None:
        client = await connect("p_ann")
        owner.is_mute = True
        waiting = asyncio.create_task(client.command(TABLE, act=Act(question=1)))
        await until(lambda: owner.count("act") == 1)
        owner.is_mute = False
        assert (await waiting).reason == ""
        assert owner.count("act") == 2

    async def test_the_newest_connection_of_a_player_wins(self, connect: Connect, owner: TableOwner) -> None:
        first, second = await connect("p_ann"), await connect("p_ann")
        await first.command(TABLE, attach=Attach())
        await second.command(TABLE, attach=Attach())
        detached = (await first.wait_for(lambda r: r.HasField("table_detached"))).table_detached
        assert (detached.table_id, detached.reason) == (TABLE, "REPLACED")
        await owner.show(TABLE, "p_ann")
        assert len(await second.frames(1)) == 1
        assert not any(r.HasField("table_frames") for r in first.heard)

    async def test_watching_ones_own_table_from_elsewhere_does_not_unseat(
        self, connect: Connect, owner: TableOwner
    ) -> None:
        player, watcher = await connect("p_ann"), await connect("p_ann")
        await player.command(TABLE, attach=Attach())
        await watcher.command(TABLE, attach=Attach(spectate=True))
        await player.ping()
        assert not any(r.HasField("table_detached") for r in player.heard)

    async def test_the_end_of_a_connection_detaches_it_and_not_its_successor(
        self, connect: Connect, owner: TableOwner
    ) -> None:
        first, second = await connect("p_ann"), await connect("p_ann")
        await first.command(TABLE, attach=Attach())
        await second.command(TABLE, attach=Attach())
        await first.close()
        await second.close()
        await until(lambda: owner.seats[TABLE, "p_ann"].session == "")

    async def test_a_refused_attach_leaves_nothing_behind(self, connect: Connect, owner: TableOwner) -> None:
        client = await connect("p_ann")
        owner.refuse_attach = "PERMISSION_DENIED"
        assert (await client.command(TABLE, attach=Attach())).reason == "PERMISSION_DENIED"
        await owner.stop()
        await owner.start()
        assert (await client.command(TABLE, ready=Ready())).reason == ""
        assert owner.count("attach") == 1

    async def test_after_detach_nothing_comes(self, connect: Connect, owner: TableOwner) -> None:
        client = await connect("p_ann")
        await client.command(TABLE, attach=Attach())
        await client.command(TABLE, detach=Detach())
        await owner.show(TABLE, "p_ann")
        await client.ping()
        assert not any(r.HasField("table_frames") for r in client.heard)

    @pytest.mark.parametrize(
        ("table_id", "reason"),
        [("", "INVALID_ARGUMENT"), ("x.y", "INVALID_ARGUMENT"), ("ff-abcdefgh", "NOT_FOUND")],
    )
    async def test_a_table_id_that_cannot_be_is_refused(
        self, connect: Connect, table_id: str, reason: str
    ) -> None:
        client = await connect("p_ann")
        assert (await client.ask(table={"table_id": table_id, "ready": {}})).refused.reason == reason

    @pytest.mark.parametrize("world", [{"tables_per_session_max": 2}], indirect=True)
    async def test_a_session_listens_to_so_many_tables_at_most(
        self, connect: Connect, owner: TableOwner
    ) -> None:
        client = await connect("p_ann")
        for n in range(2):
            await client.command(f"0-table{n}", attach=Attach())
        answer = await client.ask(table={"table_id": "0-table9", "attach": {}})
        assert answer.refused.reason == "TOO_MANY_TABLES"


class TestNotices:
    async def test_a_notice_reaches_every_connection_of_its_player_and_no_other(
        self, connect: Connect, world: World
    ) -> None:
        ann, again, bob = await connect("p_ann"), await connect("p_ann"), await connect("p_bob")
        notice = Notice(wallet=GetWalletResponse(balances=[Money(currency="gold", amount=5)]))
        await world.parts.bus.tell(subject_of(Notice, key="p_ann"), notice.SerializeToString())
        for client in (ann, again):
            assert (await client.wait_for(lambda r: r.HasField("notice"))).notice == notice
        await bob.ping()
        assert not any(r.HasField("notice") for r in bob.heard)

    async def test_chat_reaches_those_at_the_table_and_no_spectator(
        self, connect: Connect, world: World, owner: TableOwner
    ) -> None:
        ann, bob, eve = await connect("p_ann"), await connect("p_bob"), await connect("p_eve")
        await ann.command(TABLE, attach=Attach())
        await bob.command(TABLE, attach=Attach())
        await eve.command(TABLE, attach=Attach(spectate=True))
        message = ChatMessage(message_id="m1", channel=f"table/{TABLE}", player_id="p_bob", text="你好")
        posted = MessagePosted(message=message, channel=message.channel)
        await world.parts.bus.tell(subject_of(posted), posted.SerializeToString())
        for client in (ann, bob):
            assert (await client.wait_for(lambda r: r.HasField("notice"))).notice.chat == message
        await eve.ping()
        assert not any(r.HasField("notice") for r in eve.heard)


class TestPrograms:
    """A key does over this door what it does over HTTP: each thing by its scope."""

    async def test_one_that_may_not_play_is_welcome_and_is_told_of_what_it_may_not_do(
        self, connect: Connect, world: World, owner: TableOwner
    ) -> None:
        client = await connect("p_ann", kind="integrator", scopes=["records.read"])
        for body in (
            {"attach": Attach()},
            {"attach": Attach(spectate=True)},
            {"act": Act(question=1)},
            {"detach": Detach()},
        ):
            answer = await client.ask(table=TableCommand(table_id=TABLE, **body))
            assert answer.refused.reason == "SCOPE_MISSING"
            assert dict(answer.refused.details) == {"scope": "play"}
        assert not owner.seats
        # The services look at the scopes of each call, as over HTTP.
        refusal = (await client.call(LIST_HALLS)).error
        assert (refusal.reason, dict(refusal.details)) == ("SCOPE_MISSING", {"scope": "play"})
        assert await client.ping() == 7

    async def test_it_is_told_unasked_what_its_scopes_let_it_ask(
        self, connect: Connect, world: World
    ) -> None:
        reader = await connect("p_ann", kind="integrator", scopes=["wallet.read"])
        person = await connect("p_ann")
        wallet = Notice(wallet=GetWalletResponse())
        for notice in (Notice(friend=FriendNotice()), Notice(room=Room()), wallet):
            await world.parts.bus.tell(subject_of(Notice, key="p_ann"), notice.SerializeToString())
        await person.wait_for(lambda r: r.notice.HasField("wallet"))
        await reader.wait_for(lambda r: r.notice.HasField("wallet"))
        assert sum(r.HasField("notice") for r in person.heard) == 2
        assert not any(r.HasField("notice") for r in reader.heard)

    async def test_one_that_plays_is_not_taken_over_by_one_that_may_not(
        self, connect: Connect, world: World, owner: TableOwner
    ) -> None:
        client = await connect("p_ann", kind="integrator", scopes=["play"])
        assert not (await client.command(TABLE, attach=Attach())).reason
        narrow = world.tokens.token("p_ann", kind="integrator", scopes=["profile"])
        assert (await client.hello(narrow)).refused.reason == "SCOPE_MISSING"
        assert not (await client.command(TABLE, act=Act(question=1))).reason


class TestLimits:
    async def test_a_message_that_is_too_large_ends_the_connection(self, connect: Connect) -> None:
        client = await connect("p_ann")
        await client.send(PlayRequest(id=5, hello=Hello(client="x" * 17_000)))
        assert await client.wait_end() == "MESSAGE_TOO_LARGE"

    async def test_a_call_that_is_too_large_is_refused_by_itself(self, connect: Connect) -> None:
        client = await connect("p_ann")
        for size in (17_000, 65_000):
            answer = await client.ask(call=Call(method=LIST_HALLS, payload=b"x" * size))
            assert answer.refused.reason == "MESSAGE_TOO_LARGE"
            assert dict(answer.refused.details) == {"most": "16384"}
        assert ListHallsResponse.FromString((await client.call(LIST_HALLS)).payload).halls

    @pytest.mark.parametrize("world", [{"messages_per_s": 0.001, "messages_burst": 9}], indirect=True)
    async def test_it_counts_as_the_messages_that_would_fill_it(self, connect: Connect) -> None:
        client = await connect("p_ann")
        large = Call(method=LIST_HALLS, payload=b"x" * 60_000)
        reasons = [(await client.ask(call=large)).refused.reason for _ in range(3)]
        # One of nine was hello.
        assert reasons == ["MESSAGE_TOO_LARGE"] * 2 + ["RATE_LIMITED"]

    async def test_one_that_is_far_too_large_ends_the_connection(self, connect: Connect) -> None:
        client = await connect("p_ann")
        await client.send(PlayRequest(id=5, call=Call(method=LIST_HALLS, payload=b"x" * 70_000)))
        # The WebSocket does not even read it.
        assert await client.wait_end() == ("MESSAGE_TOO_LARGE" if isinstance(client, GrpcClient) else "")

    @pytest.mark.parametrize("world", [{"messages_per_s": 1, "messages_burst": 5}], indirect=True)
    async def test_too_many_messages_are_refused_and_a_flood_ends_the_connection(
        self, connect: Connect
    ) -> None:
        client = await connect("p_ann")
        for n in range(100):
            await client.send(PlayRequest(id=1000 + n, ping=Ping()))
        assert (await client.wait_for(lambda r: r.HasField("refused"))).refused.reason == "RATE_LIMITED"
        assert await client.wait_end() == "TOO_MANY_REQUESTS"

    @pytest.mark.parametrize("world", [{"idle_s": 2.0}], indirect=True)
    async def test_a_silent_connection_ends(self, connect: Connect, world: World) -> None:
        client = await connect("p_ann")
        clock = world.parts.clock
        until = clock.monotonic() + 2.5
        while clock.monotonic() < until:
            await client.ping()
            await asyncio.sleep(0.05)
        assert await client.wait_end() == "IDLE"

    @pytest.mark.parametrize("world", [{"hello_s": 0.2}], indirect=True)
    async def test_a_connection_without_hello_ends(self, connect: Connect) -> None:
        client = await connect()
        if isinstance(client, GrpcClient):
            await client.send(PlayRequest())  # a stream begins with its first message
            assert await client.wait_end() in {"IDLE", "BAD_MESSAGE"}
        else:
            assert await client.wait_end() == "IDLE"

    @pytest.mark.parametrize("world", [{"connections_per_player_max": 2}], indirect=True)
    async def test_the_oldest_of_too_many_connections_is_replaced(self, connect: Connect) -> None:
        first, second = await connect("p_ann"), await connect("p_ann")
        third = await connect("p_ann")
        assert await first.wait_end() == "REPLACED"
        assert await second.ping() == await third.ping() == 7


class TestDrain:
    async def test_everybody_is_told_and_the_tables_too(self, nats: NatsServer, tmp_path: Path) -> None:
        own = GatewaySettings(http_port=0)
        async with running(nats.url, tmp_path, [PEER, WIRING], {"gateway": own}) as world:
            owner = await TableOwner(world.parts.bus).start()
            client = await WebSocketClient.connect(world.services["gateway"].url)  # type: ignore[attr-defined]
            await client.hello(world.tokens.token("p_ann"))
            await client.command(TABLE, attach=Attach())
            await world.services["gateway"].stop()
            assert await client.wait_end() == "SHUTTING_DOWN"
            assert owner.seats[TABLE, "p_ann"].session == ""
            with pytest.raises(Exception, match=r"Cannot connect|refused"):
                await WebSocketClient.connect(world.services["gateway"].url)  # type: ignore[attr-defined]
            with pytest.raises(Ended):
                await client.wait_for(lambda r: False)
            await client.close()
            await owner.stop()
            world.process._started.clear()

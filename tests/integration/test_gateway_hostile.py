"""Clients that send junk, read nothing, or are dead: bounded, ended with a reason, and back without a gap."""

from __future__ import annotations

import asyncio
import contextlib
import io
import os
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path
from typing import Any

import aiohttp
import grpc
import pytest
import pytest_asyncio
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from paiju.gateway.v1.gateway_service_pb2 import Call, Goodbye, Hello, Ping, PlayRequest, PlayResponse
from paiju.table.v1.play_pb2 import Act, Attach, Frame, Play, RevealNonce, Sit, TableCommand, TableView
from paiju.table.v1.wire_pb2 import Out

from services.chassis import log
from services.chassis.rpc.methods import CALLER_RATE
from services.gateway.app import WIRING
from services.gateway.settings import GatewaySettings
from tests.support.nats import NatsServer
from tests.support.play_client import WebSocketClient
from tests.support.real_process import World, running
from tests.support.table_owner import Seat, TableOwner, until

TABLE = "0-abcdefghjkmnpqrstvwx"
WAIT_S = 60.0
EXAMPLES = int(os.environ.get("PAIJU_FUZZ_EXAMPLES", "60"))

REASONS = {"BAD_MESSAGE", "MESSAGE_TOO_LARGE", "TOO_MANY_REQUESTS", "REPLACED"}
"""Why a connection may end for what its client said."""


@pytest_asyncio.fixture
async def world(
    nats_server: NatsServer, tmp_path: Path, request: pytest.FixtureRequest
) -> AsyncIterator[World]:
    own = GatewaySettings(http_port=0, **getattr(request, "param", {}))
    async with running(nats_server.url, tmp_path, [WIRING], {"gateway": own}) as made:
        yield made


@pytest_asyncio.fixture
async def owner(world: World) -> AsyncIterator[TableOwner]:
    made = await TableOwner(world.parts.bus).start()
    yield made
    await made.stop()


def url(world: World) -> str:
    return str(world.services["gateway"].url)  # type: ignore[attr-defined]


def count(world: World, name: str, **labels: str) -> float:
    return world.parts.metrics.registry.get_sample_value(f"paiju_gateway_{name}", labels) or 0.0


def small_socket(info: Any) -> socket.socket:
    """Return a socket that holds little of what its owner doesn't read."""
    made = socket.socket(info[0], info[1], info[2])
    made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    return made


class TestSlowReaders:
    @pytest.mark.parametrize("world", [{"queue_bytes_max": 256 * 1024}], indirect=True)
    async def test_one_who_does_not_read_is_cut_off_and_comes_back_to_every_frame(
        self, world: World, owner: TableOwner
    ) -> None:
        token = world.tokens.token("p_slow")
        connector = aiohttp.TCPConnector(socket_factory=small_socket)
        async with aiohttp.ClientSession(connector=connector) as http:
            door = await http.ws_connect(f"{url(world)}play", max_msg_size=0)
            await door.send_bytes(PlayRequest(id=1, hello=Hello(access_token=token)).SerializeToString())
            attach = TableCommand(table_id=TABLE, attach=Attach())
            await door.send_bytes(PlayRequest(id=2, table=attach).SerializeToString())
            seat = owner.seats.setdefault((TABLE, "p_slow"), Seat())
            await until(lambda: bool(seat.session), WAIT_S)
            number = 0
            closed = partial(count, world, "sessions_closed_total", reason="TOO_SLOW")
            while not closed() and number < 5_000:
                await self._show(owner, seat, number + 1)
                number += 1
                await asyncio.sleep(0)
            await until(lambda: closed() == 1, WAIT_S)
            assert number < 5_000, "what waits for one client is bounded"
            read = await self._read(door)
        assert read == list(range(1, len(read) + 1))
        assert len(read) < number
        await until(lambda: not seat.session, WAIT_S)

        again = await WebSocketClient.connect(url(world))
        await again.hello(token)
        await again.command(TABLE, attach=Attach(epoch=owner.epoch, number=len(read)))
        shown = await again.wait_for(lambda r: r.HasField("table_snapshot"), WAIT_S)
        assert TableView.FromString(shown.table_snapshot.view).number == number
        await self._show(owner, seat, number + 1)
        assert Frame.FromString((await again.frames(1, WAIT_S))[0]).number == number + 1
        await again.close()

    async def _show(self, owner: TableOwner, seat: Seat, number: int) -> None:
        frame = Frame(number=number, play=Play(events=["x" * 12_000]))
        seat.frames.append(frame.SerializeToString())
        if seat.session:
            await owner.send(seat.gateway, Out(table_id=TABLE, session=seat.session, frame=seat.frames[-1]))

    async def _read(self, door: aiohttp.ClientWebSocketResponse) -> list[int]:
        numbers = []
        while (message := await door.receive()).type is aiohttp.WSMsgType.BINARY:
            response = PlayResponse.FromString(message.data)
            numbers += [Frame.FromString(raw).number for raw in response.table_frames.frames]
        return numbers


class TestDeadSockets:
    """A half-open connection: the other end is gone, and TCP has not noticed."""

    @pytest.mark.parametrize("world", [{"probe_s": 0.3, "probe_answer_s": 0.5}], indirect=True)
    async def test_one_that_does_not_answer_pings_is_ended_and_its_seat_is_free(
        self, world: World, owner: TableOwner
    ) -> None:
        async with aiohttp.ClientSession() as http:
            door = await http.ws_connect(f"{url(world)}play", autoping=False, autoclose=False)
            hello = PlayRequest(id=1, hello=Hello(access_token=world.tokens.token("p_dead")))
            await door.send_bytes(hello.SerializeToString())
            attach = TableCommand(table_id=TABLE, attach=Attach())
            await door.send_bytes(PlayRequest(id=2, table=attach).SerializeToString())
            await until(lambda: bool(owner.seats.get((TABLE, "p_dead"), Seat()).session), WAIT_S)
            await until(lambda: count(world, "sessions_closed_total", reason="IDLE") == 1, WAIT_S)
            await until(lambda: not owner.seats[TABLE, "p_dead"].session, WAIT_S)
            kinds = [message.type async for message in door]
        assert aiohttp.WSMsgType.PING in kinds

    @pytest.mark.parametrize("world", [{"probe_s": 0.3, "probe_answer_s": 4}], indirect=True)
    async def test_one_that_answers_may_be_silent_for_as_long_as_others(self, world: World) -> None:
        client = await WebSocketClient.connect(url(world))
        await client.hello(world.tokens.token("p_ann"))
        # The client library answers pings by itself, as a browser does.
        await asyncio.sleep(5)
        assert not client.ended
        assert await client.ping() == 7
        await client.close()


class TestGoodbyes:
    async def test_those_sent_away_at_the_end_are_told_different_times_to_come_back(
        self, world: World
    ) -> None:
        clients = [await WebSocketClient.connect(url(world)) for _ in range(40)]
        await world.services["gateway"].hub.stop()  # type: ignore[attr-defined]
        waits = []
        for client in clients:
            assert await client.wait_end(WAIT_S) == "SHUTTING_DOWN"
            waits.append(client.heard[-1].goodbye.retry_after_ms)
            await client.close()
        # Two hundred come back in a second: forty within 200 ms.
        assert max(waits) <= 200
        assert max(waits) > 100
        assert len(set(waits)) > 20

    @pytest.mark.parametrize("world", [{"messages_per_s": 1, "messages_burst": 5}], indirect=True)
    async def test_who_floods_is_told_to_stay_away_for_a_while(self, world: World) -> None:
        client = await WebSocketClient.connect(url(world))
        await client.hello(world.tokens.token("p_ann"))
        for _ in range(100):
            await client.send(PlayRequest(ping=Ping()))
        assert await client.wait_end(WAIT_S) == "TOO_MANY_REQUESTS"
        assert client.heard[-1].goodbye == Goodbye(reason="TOO_MANY_REQUESTS", retry_after_ms=5_000)
        await client.close()

    @pytest.mark.parametrize(
        ("world", "status", "wait_s"),
        [
            ({"connections_per_address_max": 1}, 503, 5),
            ({"address_requests_per_s": 0.25, "address_requests_burst": 1}, 429, 4),
        ],
        indirect=["world"],
    )
    async def test_who_finds_the_door_shut_is_told_when_to_knock_again(
        self, world: World, status: int, wait_s: int
    ) -> None:
        client = await WebSocketClient.connect(url(world))
        with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
            await WebSocketClient.connect(url(world))
        assert refused.value.status == status
        assert refused.value.headers is not None
        assert 0 < int(refused.value.headers["Retry-After"]) <= wait_s
        await client.close()


def short(text: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        text, st.sampled_from(["", TABLE, "0-nosuchtable", "ffff-abcd", "0-*", "\0", "../..", "牌"])
    )


words = short(st.text(max_size=40))
numbers = st.one_of(st.integers(0, 2**64 - 1), st.sampled_from([0, 1, 2**31, 2**63, 2**64 - 1]))
bodies: st.SearchStrategy[dict[str, Any]] = st.one_of(
    st.builds(
        lambda e, n, s: {"attach": Attach(epoch=e, number=n, spectate=s)}, numbers, numbers, st.booleans()
    ),
    st.builds(lambda r, q, a: {"act": Act(round_id=r, question=q, action=a)}, words, numbers, words),
    st.builds(lambda n: {"sit": Sit(nonce_head=n)}, st.binary(max_size=64)),
    st.builds(lambda r, n: {"reveal_nonce": RevealNonce(round_id=r, nonce=n)}, words, st.binary(max_size=64)),
    st.just({}),
)
commands = st.builds(lambda t, c, b: TableCommand(table_id=t, command_id=c, **b), words, words, bodies)
requests = st.one_of(
    st.builds(lambda i, c: PlayRequest(id=i, table=c), numbers, commands),
    st.builds(lambda i, m, b: PlayRequest(id=i, call=Call(method=m, payload=b)), numbers, words, st.binary()),
    st.builds(lambda i, t: PlayRequest(id=i, hello=Hello(access_token=t)), numbers, words),
    st.builds(lambda i: PlayRequest(id=i), numbers),
)


@st.composite
def messages(draw: st.DrawFn) -> bytes:
    """Return bytes that may be a message, were one, or never will be."""
    data = bytearray(draw(requests).SerializeToString())
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, len(data)))
        match draw(st.sampled_from(["cut", "flip", "put", "twice"])):
            case "cut":
                del data[at:]
            case "flip" if at < len(data):
                data[at] ^= draw(st.integers(1, 255))
            case "put":
                data[at:at] = draw(st.binary(max_size=8))
            case "twice":
                data += data[:at]
    return bytes(data) if draw(st.integers(0, 4)) else draw(st.binary(max_size=200))


@pytest.fixture
def logged() -> Iterator[io.StringIO]:
    """What is logged from now on."""
    out = io.StringIO()
    log.configure("warning", as_json=True, stream=out)
    yield out
    log.configure("warning", as_json=True)


class Fuzzed:
    """A gateway with a player who minds his own business, and hostile connections one after the other."""

    async def start(self, nats_url: str, folder: Path) -> None:
        self._open = AsyncExitStack()
        # The good one plays faster than people do.
        own = GatewaySettings(
            http_port=0, address_requests_burst=10**6, messages_burst=10**6, player_messages_burst=10**6
        )
        self.world = await self._open.enter_async_context(
            running(nats_url, folder, [WIRING], {"gateway": own})
        )
        self.owner = await TableOwner(self.world.parts.bus).start()
        self.good = await WebSocketClient.connect(url(self.world))
        await self.good.hello(self.world.tokens.token("p_good"))
        await self.good.command(TABLE, attach=Attach())
        self._http = await self._open.enter_async_context(aiohttp.ClientSession())
        address = f"127.0.0.1:{self.world.rpc.port}"
        self._channel = await self._open.enter_async_context(grpc.aio.insecure_channel(address))
        self._acts = 0

    async def stop(self) -> None:
        await self.good.close()
        await self.owner.stop()
        await self._open.aclose()

    def _hello(self) -> bytes:
        token = self.world.tokens.token("p_evil")
        return PlayRequest(id=1, hello=Hello(access_token=token)).SerializeToString()

    async def websocket(self, said: list[bytes]) -> list[PlayResponse]:
        """Say all that, then a ping; return what came back, up to its answer or the end."""
        heard = []
        async with self._http.ws_connect(f"{url(self.world)}play") as door:
            with contextlib.suppress(ConnectionError):  # it has ended us already
                for data in (self._hello(), *said, PlayRequest(ping=Ping(at_ms=9)).SerializeToString()):
                    await door.send_bytes(data)
            async with asyncio.timeout(WAIT_S):
                while (message := await door.receive()).type is aiohttp.WSMsgType.BINARY:
                    heard.append(PlayResponse.FromString(message.data))
                    if heard[-1].pong.at_ms == 9:
                        break
        return heard

    async def grpc(self, said: list[bytes]) -> list[PlayResponse]:
        """The same over a stream.

        A write on a stream that the other end has closed fails, and then the library says INTERNAL of the
        whole stream, on its own account: what was sent to us before can be read all the same.
        """
        play: Any = self._channel.stream_stream("/paiju.gateway.v1.GatewayService/Play")
        call = play()
        was_cut = False

        async def write() -> None:
            nonlocal was_cut
            try:
                for data in (self._hello(), *said, PlayRequest(ping=Ping(at_ms=9)).SerializeToString()):
                    await call.write(data)
                await call.done_writing()
            except (grpc.aio.AioRpcError, asyncio.InvalidStateError):
                was_cut = True

        heard: list[PlayResponse] = []
        code = grpc.StatusCode.OK
        async with asyncio.timeout(WAIT_S), asyncio.TaskGroup() as group:
            group.create_task(write())
            try:
                async for one in call:
                    heard.append(PlayResponse.FromString(one))  # noqa: PERF401 - kept also when it breaks off
            except grpc.aio.AioRpcError as error:
                code = error.code()
        assert code is grpc.StatusCode.OK or (was_cut and code is grpc.StatusCode.INTERNAL), code
        return heard

    async def check(self, heard: list[PlayResponse]) -> None:
        """The hostile one was answered or shown out with a reason, and the good one plays on."""
        assert heard[0].welcome.player_id == "p_evil"
        last = heard[-1]
        assert last.pong.at_ms == 9 or last.goodbye.reason in REASONS, heard
        self._acts += 1
        answer = await self.good.command(TABLE, act=Act(question=self._acts))
        assert not answer.reason
        assert len(await self.good.frames(1)) == 1


async def test_who_writes_on_after_the_end_hears_why_it_ended(
    nats_server: NatsServer, tmp_path: Path
) -> None:
    fuzzed = Fuzzed()
    await fuzzed.start(nats_server.url, tmp_path)
    for _ in range(20):
        heard = await fuzzed.grpc([b"\xff", *[PlayRequest(ping=Ping(at_ms=3)).SerializeToString()] * 200])
        assert heard[-1].goodbye.reason == "BAD_MESSAGE"
        await fuzzed.check(heard)
    await fuzzed.stop()


@pytest.mark.parametrize("door", ["websocket", "grpc"])
def test_no_bytes_disturb_anybody_but_their_sender(
    nats_server: NatsServer, tmp_path: Path, door: str, logged: io.StringIO
) -> None:
    fuzzed = Fuzzed()
    # One address may open so many streams; more would try nothing but that limit.
    most = min(EXAMPLES, int(CALLER_RATE.burst) - 10) if door == "grpc" else EXAMPLES
    with asyncio.Runner() as runner:
        runner.run(fuzzed.start(nats_server.url, tmp_path))

        @settings(
            max_examples=most, deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow]
        )
        @given(st.lists(messages(), min_size=1, max_size=5))
        def attack(said: list[bytes]) -> None:
            async def once() -> None:
                await fuzzed.check(await getattr(fuzzed, door)(said))

            runner.run(once())

        try:
            attack()
        finally:
            runner.run(fuzzed.stop())
    assert '"level":"error"' not in logged.getvalue()

"""The gateway over HTTP: single calls, the page, origins, and what a careless or hostile client may try."""

from __future__ import annotations

import asyncio
import contextlib
import io
import re
import socket
from collections.abc import AsyncIterator, Iterator
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from xml.etree import ElementTree

import aiohttp
import grpc
import pytest
import pytest_asyncio
import segno
from paiju.economy.v1.economy_service_pb2 import GetWalletResponse, Money
from paiju.gateway.v1.gateway_service_pb2 import CallResult, Hello, Notice, PlayRequest, PlayResponse
from paiju.matchmaking.v1.matchmaking_service_pb2 import ListHallsRequest, ListHallsResponse
from paiju.table.v1 import table_service_pb2_grpc
from paiju.table.v1.table_service_pb2 import ListGamesResponse
from yarl import URL

from services.chassis import auth, log
from services.chassis.bus import subject_of
from services.chassis.config import ServiceSettings
from services.chassis.run import Parts, Service, Wiring
from services.gateway.app import WIRING
from services.gateway.doors import body as doors_body
from services.gateway.settings import GatewaySettings
from tests.integration.test_gateway_play import LIST_HALLS, PEER, Unoffered
from tests.support.nats import NatsServer
from tests.support.play_client import GrpcClient, WebSocketClient
from tests.support.real_process import World, running
from tests.support.table_owner import until

LIST_GAMES = "paiju.table.v1.TableService/ListGames"


class Games(Unoffered):
    async def ListGames(self, request: Any, context: Any) -> Any:  # noqa: N802 - gRPC's name
        return ListGamesResponse(games=[])


class Tables:
    name = "table"

    async def start(self) -> None: ...

    async def stop(self) -> None: ...


async def wire_tables(settings: ServiceSettings, parts: Parts) -> Service:
    names = table_service_pb2_grpc.TableServiceServicer.__dict__
    access: dict[str, auth.Access] = {name: "public" for name in names if name[0].isupper()}
    parts.rpc.serve("table", table_service_pb2_grpc.add_TableServiceServicer_to_server, Games(), access)
    return Tables()


TABLES = Wiring("table", wire_tables, ServiceSettings, has_database=False)


@pytest_asyncio.fixture
async def gateway(
    nats_server: NatsServer, tmp_path: Path, request: pytest.FixtureRequest
) -> AsyncIterator[World]:
    own = GatewaySettings(http_port=0, **getattr(request, "param", {}))
    async with running(nats_server.url, tmp_path, [PEER, TABLES, WIRING], {"gateway": own}) as made:
        yield made


@pytest.fixture
def url(gateway: World) -> str:
    return str(gateway.services["gateway"].url)  # type: ignore[attr-defined]


@pytest_asyncio.fixture
async def http() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession(auto_decompress=True) as session:
        yield session


@pytest.fixture
def logged() -> Iterator[io.StringIO]:
    """What is logged from now on."""
    out = io.StringIO()
    log.configure("warning", as_json=True, stream=out)
    yield out
    log.configure("warning", as_json=True)


async def post(http: aiohttp.ClientSession, url: str, method: str, body: bytes = b"", **headers: str) -> Any:
    async with http.post(f"{url}call/{method}", data=body, headers=headers) as response:
        assert response.content_type == "application/x-protobuf"
        return response.status, CallResult.FromString(await response.read())


async def raw(url: str, sent: bytes) -> bytes:
    """Send bytes on a connection of their own and return all that comes back until the server closes it."""
    host = urlsplit(url)
    reader, writer = await asyncio.open_connection(host.hostname, host.port)
    try:
        writer.write(sent)
        async with asyncio.timeout(60):
            return await reader.read()
    finally:
        writer.close()


class TestSilence:
    @pytest.mark.parametrize("gateway", [{"head_s": 0.5}], indirect=True)
    @pytest.mark.parametrize("sent", [b"", b"GET", b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n"])
    async def test_a_connection_that_does_not_finish_a_request_is_closed(self, url: str, sent: bytes) -> None:
        assert await raw(url, sent) == b""

    @pytest.mark.parametrize("gateway", [{"head_s": 2.0}], indirect=True)
    async def test_so_is_one_that_began_a_second_request_and_drips(self, url: str) -> None:
        host = urlsplit(url)
        reader, writer = await asyncio.open_connection(host.hostname, host.port)
        writer.write(b"GET /nothing HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        await reader.readuntil(b"not found")

        async def drip() -> None:
            for byte in b"GET /nothing HTTP/1.1\r\nHost: 127.0.0.1\r\n":
                writer.write(bytes([byte]))
                await asyncio.sleep(0.2)

        dripping = asyncio.create_task(drip())
        async with asyncio.timeout(60):
            with contextlib.suppress(ConnectionError):
                assert await reader.read() == b""
        dripping.cancel()
        writer.close()

    @pytest.mark.parametrize("gateway", [{"head_s": 2.0}], indirect=True)
    async def test_a_websocket_and_a_kept_connection_may_be_silent_for_longer(
        self, url: str, http: aiohttp.ClientSession, gateway: World
    ) -> None:
        client = await WebSocketClient.connect(url)
        await client.hello(gateway.tokens.token("p_ann"))
        host = urlsplit(url)
        reader, writer = await asyncio.open_connection(host.hostname, host.port)
        request = b"GET /nothing HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
        writer.write(request)
        await reader.readuntil(b"not found")
        await gateway.parts.clock.sleep(2.5)
        writer.write(request)
        await reader.readuntil(b"not found")
        writer.close()
        assert await client.ping() == 7
        await client.close()

    @pytest.mark.parametrize("gateway", [{"strangers_per_address_max": 3}], indirect=True)
    async def test_one_address_has_so_many_connections_that_say_nothing(
        self, url: str, http: aiohttp.ClientSession
    ) -> None:
        host = urlsplit(url)
        silent = [await asyncio.open_connection(host.hostname, host.port) for _ in range(3)]
        with pytest.raises(aiohttp.ClientError):
            await post(http, url, LIST_GAMES)
        for _, writer in silent:
            writer.close()
        async with asyncio.timeout(60):
            while True:
                try:
                    status, _ = await post(http, url, LIST_GAMES)
                except aiohttp.ClientError:
                    continue
                break
        assert status == 200

    @pytest.mark.parametrize("gateway", [{"strangers_per_address_max": 2}], indirect=True)
    async def test_one_address_has_so_many_sessions_that_have_not_said_hello(
        self, url: str, gateway: World
    ) -> None:
        known = [await WebSocketClient.connect(url) for _ in range(2)]
        with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
            await WebSocketClient.connect(url)
        assert refused.value.status == 503
        for client in known:
            await client.hello(gateway.tokens.token("p_ann"))
        third = await WebSocketClient.connect(url)
        for client in (*known, third):
            await client.close()

    @pytest.mark.parametrize(
        "sent", [b"\x16\x03\x01\x02\x00\x01\xfc\x03\x03\r\n\r\n", b"GET / HTTP/1.1\r\nno colon\r\n\r\n"]
    )
    async def test_junk_is_answered_and_leaves_no_error_in_the_log(
        self, url: str, sent: bytes, logged: io.StringIO
    ) -> None:
        assert (await raw(url, sent)).split(b" ")[1] == b"400"
        assert logged.getvalue() == ""


class TestHosts:
    @pytest.mark.parametrize("path", ["", "play", f"call/{LIST_GAMES}"])
    async def test_a_loopback_door_is_not_reached_by_another_name(
        self, http: aiohttp.ClientSession, url: str, path: str
    ) -> None:
        """DNS rebinding: the page of evil.example asks its own name, which now points here."""
        headers = {"Host": "evil.example", "Origin": "http://evil.example"}
        async with http.get(url + path, headers=headers) as response:
            assert (response.status, await response.text()) == (421, "HOST_NOT_ALLOWED")

    @pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1", "127.0.0.1", "[::1]:8080", "127.0.0.2"])
    async def test_it_is_reached_by_every_name_of_the_loopback(
        self, http: aiohttp.ClientSession, url: str, host: str
    ) -> None:
        async with http.get(url, headers={"Host": host}) as response:
            assert response.status == 200

    @pytest.mark.parametrize("gateway", [{"allowed_hosts": ("play.example",)}], indirect=True)
    @pytest.mark.parametrize(("host", "status"), [("play.example:80", 200), ("evil.example", 421)])
    async def test_names_can_be_listed(
        self, http: aiohttp.ClientSession, url: str, host: str, status: int
    ) -> None:
        async with http.get(url, headers={"Host": host}) as response:
            assert response.status == status


class TestCall:
    async def test_a_public_method_needs_no_token(self, http: aiohttp.ClientSession, url: str) -> None:
        status, result = await post(http, url, LIST_GAMES)
        assert (status, result.error.reason) == (200, "")
        assert ListGamesResponse.FromString(result.payload) == ListGamesResponse()

    async def test_another_needs_one_and_gets_the_player(
        self, http: aiohttp.ClientSession, url: str, gateway: World
    ) -> None:
        status, result = await post(http, url, LIST_HALLS)
        assert (status, result.error.reason) == (401, "UNAUTHENTICATED")
        bearer = f"Bearer {gateway.tokens.token('p_ann')}"
        status, result = await post(http, url, LIST_HALLS, Authorization=bearer)
        assert status == 200
        assert ListHallsResponse.FromString(result.payload).halls[0].hall_id == "p_ann"

    @pytest.mark.parametrize("header", ["Basic abc", "Bearer", "Bearer x.y.z", "nonsense"])
    async def test_a_bad_token_is_refused(self, http: aiohttp.ClientSession, url: str, header: str) -> None:
        status, result = await post(http, url, LIST_HALLS, Authorization=header)
        assert (status, result.error.reason) == (401, "TOKEN_INVALID")

    async def test_mistakes_have_reasons(self, http: aiohttp.ClientSession, url: str, gateway: World) -> None:
        bearer = {"Authorization": f"Bearer {gateway.tokens.token('p_ann')}"}
        cases = [
            ("paiju.table.v1.TableService/CreateTable", b"", 404, "METHOD_UNKNOWN"),
            ("etc/passwd", b"", 404, "METHOD_UNKNOWN"),
            (LIST_HALLS, b"\xff", 400, "BAD_MESSAGE"),
            (LIST_HALLS, b"x" * 17_000, 413, "MESSAGE_TOO_LARGE"),
            (LIST_HALLS, ListHallsRequest(game="refuse").SerializeToString(), 409, "COINS_TOO_FEW"),
            (LIST_HALLS, ListHallsRequest(game="break").SerializeToString(), 500, "INTERNAL"),
        ]
        for method, body, status, reason in cases:
            got = await post(http, url, method, body, **bearer)
            assert (got[0], got[1].error.reason) == (status, reason), method

    async def test_a_body_without_a_length_is_bounded_too(
        self, http: aiohttp.ClientSession, url: str
    ) -> None:
        async def chunks() -> AsyncIterator[bytes]:
            for _ in range(40):
                yield b"x" * 1000

        async with http.post(f"{url}call/{LIST_GAMES}", data=chunks()) as response:
            assert CallResult.FromString(await response.read()).error.reason == "MESSAGE_TOO_LARGE"

    async def test_a_body_that_does_not_come_is_the_callers_delay_and_not_a_services(
        self, url: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(doors_body, "BODY_WAIT_S", 0.2)
        for path in (f"/call/{LIST_GAMES}", "/hooks/pay/sandbox"):
            reader, writer = await asyncio.open_connection(urlsplit(url).hostname, urlsplit(url).port)
            head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9\r\n\r\n"
            writer.write(head.encode() + b"half")
            async with asyncio.timeout(60):
                said = await reader.readuntil(b"BODY_TOO_SLOW")
            writer.close()
            assert said.split(b" ")[1] == b"408", path

    async def test_a_body_that_is_not_packed_as_it_says_is_the_callers_mistake(
        self, http: aiohttp.ClientSession, url: str
    ) -> None:
        for packing in ("gzip", "deflate"):
            headers = {"Content-Encoding": packing}
            async with http.post(f"{url}call/{LIST_GAMES}", data=b"abc", headers=headers) as response:
                assert response.status == 400
                assert CallResult.FromString(await response.read()).error.reason == "BAD_MESSAGE"

    async def test_a_body_that_is_not_framed_as_it_says_is_the_callers_mistake(self, url: str) -> None:
        head = f"POST /call/{LIST_GAMES} HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n"
        said = await raw(url, head.encode() + b"zz\r\nabc\r\n")
        assert said.split(b" ")[1] == b"400"

    async def test_another_web_site_may_not_call(self, http: aiohttp.ClientSession, url: str) -> None:
        status, result = await post(http, url, LIST_GAMES, Origin="https://evil.example")
        assert (status, result.error.reason) == (403, "ORIGIN_NOT_ALLOWED")
        assert (await post(http, url, LIST_GAMES, Origin=url.rstrip("/")))[0] == 200

    async def test_one_address_may_not_call_without_end(self, http: aiohttp.ClientSession, url: str) -> None:
        results = await asyncio.gather(*(post(http, url, LIST_GAMES) for _ in range(100)))
        reasons = {result.error.reason for _, result in results}
        assert reasons == {"", "RATE_LIMITED"}


class TestOrigin:
    async def test_the_websocket_is_for_this_site_and_those_listed(self, url: str) -> None:
        with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
            await WebSocketClient.connect(url, Origin="https://evil.example")
        assert refused.value.status == 403
        await (await WebSocketClient.connect(url, Origin=url.rstrip("/"))).close()

    @pytest.mark.parametrize("gateway", [{"allowed_origins": ("https://play.example",)}], indirect=True)
    async def test_a_listed_site_may_connect(self, url: str) -> None:
        await (await WebSocketClient.connect(url, Origin="https://play.example")).close()
        for origin in ("https://play.example.evil.example", "null", ""):
            with pytest.raises(aiohttp.WSServerHandshakeError):
                await WebSocketClient.connect(url, Origin=origin)

    async def test_an_ordinary_request_for_play_is_told_so(
        self, http: aiohttp.ClientSession, url: str
    ) -> None:
        async with http.get(f"{url}play") as response:
            assert response.status == 426


class TestWebSocket:
    async def test_compression_is_off_even_when_offered(self, http: aiohttp.ClientSession, url: str) -> None:
        async with http.ws_connect(f"{url}play", compress=15) as connection:
            assert not connection.compress

    async def test_text_and_junk_are_answered_and_end_the_connection(
        self, http: aiohttp.ClientSession, url: str
    ) -> None:
        for said in ("hello", b"\xff\xff\xff"):
            async with http.ws_connect(f"{url}play") as connection:
                await (connection.send_str(said) if isinstance(said, str) else connection.send_bytes(said))
                heard = [PlayResponse.FromString(m.data) async for m in connection]
                assert [r.refused.reason or r.goodbye.reason for r in heard] == ["BAD_MESSAGE", "BAD_MESSAGE"]

    async def test_pings_of_the_websocket_itself_are_answered_and_counted(
        self, http: aiohttp.ClientSession, url: str
    ) -> None:
        async with http.ws_connect(f"{url}play", autoping=False) as connection:
            await connection.ping(b"x")
            answer = await connection.receive()
            assert (answer.type, answer.data) == (aiohttp.WSMsgType.PONG, b"x")
            for _ in range(2000):
                await connection.ping()
            heard = [m async for m in connection if m.type is aiohttp.WSMsgType.BINARY]
            assert PlayResponse.FromString(heard[-1].data).goodbye.reason == "TOO_MANY_REQUESTS"

    async def test_what_is_far_too_large_is_not_read(self, http: aiohttp.ClientSession, url: str) -> None:
        async with http.ws_connect(f"{url}play") as connection:
            await connection.send_bytes(b"x" * 300_000)
            await connection.receive()
            assert connection.close_code == 1009

    async def test_one_broken_client_disturbs_no_other(self, url: str, gateway: World) -> None:
        good = await WebSocketClient.connect(url)
        await good.hello(gateway.tokens.token("p_ann"))
        for junk in (b"", b"GET / HTTP/1.1\r\n\r\n", b"\x00" * 100):
            _, writer = await asyncio.open_connection("127.0.0.1", int(url.rsplit(":", 1)[1].rstrip("/")))
            writer.write(
                b"GET /play HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n" + junk
            )
            await writer.drain()
            writer.close()
        assert await good.ping() == 7
        await good.close()
        await until(
            lambda: (
                gateway.parts.metrics.registry.get_sample_value(
                    "paiju_gateway_connections", {"door": "websocket"}
                )
                == 0
            )
        )

    @pytest.mark.parametrize("gateway", [{"queue_items_max": 64}], indirect=True)
    async def test_a_client_that_does_not_read_is_cut_and_costs_a_bounded_amount(
        self, url: str, gateway: World
    ) -> None:

        port = int(url.rsplit(":", 1)[1].rstrip("/"))
        raw = socket.socket()
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        raw.connect(("127.0.0.1", port))
        reader, writer = await asyncio.open_connection(sock=raw, limit=1)
        writer.write(
            b"GET /play HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        )
        hello = PlayRequest(
            id=1, hello=Hello(access_token=gateway.tokens.token("p_slow"))
        ).SerializeToString()
        header = b"\x82\xfe" + len(hello).to_bytes(2, "big") + b"\0\0\0\0"
        writer.write(header + hello)
        registry = gateway.parts.metrics.registry
        await until(lambda: registry.get_sample_value("paiju_gateway_messages_received_total") == 1)
        notice = Notice(wallet=GetWalletResponse(balances=[Money(currency="x" * 60_000)])).SerializeToString()
        closed = {"reason": "TOO_SLOW"}
        for _ in range(400):
            await gateway.parts.bus.tell(subject_of(Notice, key="p_slow"), notice)
            await asyncio.sleep(0.001)
            if registry.get_sample_value("paiju_gateway_sessions_closed_total", closed):
                break
        await until(lambda: registry.get_sample_value("paiju_gateway_sessions_closed_total", closed) == 1)
        assert registry.get_sample_value("paiju_gateway_connections", {"door": "websocket"}) == 0
        writer.close()
        del reader

    @pytest.mark.parametrize(
        "gateway", [{"address_requests_per_s": 0.001, "address_requests_burst": 3}], indirect=True
    )
    async def test_one_address_knocks_only_so_often(self, http: aiohttp.ClientSession, url: str) -> None:
        await (await WebSocketClient.connect(url)).close()
        assert (await post(http, url, LIST_GAMES))[0] == 200
        assert (await post(http, url, LIST_HALLS, Authorization="Bearer x.y.z"))[0] == 401
        status, result = await post(http, url, LIST_HALLS, Authorization="Bearer x.y.z")
        assert (status, result.error.reason) == (429, "RATE_LIMITED")
        with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
            await WebSocketClient.connect(url)
        assert refused.value.status == 429

    async def test_a_stream_of_junk_is_told_so_and_is_no_crash(
        self, gateway: World, logged: io.StringIO
    ) -> None:
        async with grpc.aio.insecure_channel(f"127.0.0.1:{gateway.rpc.port}") as channel:
            play: Any = channel.stream_stream("/paiju.gateway.v1.GatewayService/Play")
            call = play(iter([b"\xff\xff"]))
            said = [PlayResponse.FromString(one).goodbye.reason async for one in call]
        assert said == ["BAD_MESSAGE"]
        assert "error" not in logged.getvalue()

    async def test_a_stream_that_breaks_off_is_forgotten(self, gateway: World) -> None:
        connections = partial(
            gateway.parts.metrics.registry.get_sample_value, "paiju_gateway_connections", {"door": "grpc"}
        )
        client = GrpcClient(f"127.0.0.1:{gateway.rpc.port}")
        await client.hello(gateway.tokens.token("p_ann"))
        assert connections() == 1
        await client.cut()
        await until(lambda: connections() == 0)

    @pytest.mark.parametrize("gateway", [{"connections_per_address_max": 2}], indirect=True)
    async def test_one_address_has_so_many_connections(self, url: str) -> None:
        held = [await WebSocketClient.connect(url) for _ in range(2)]
        with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
            await WebSocketClient.connect(url)
        assert refused.value.status == 503
        for client in held:
            await client.close()
        await (await WebSocketClient.connect(url)).close()


class TestFiles:
    async def test_files_come_with_type_etag_and_a_strict_policy(
        self, http: aiohttp.ClientSession, url: str
    ) -> None:
        async with http.get(f"{url}fairdeal.mjs") as response:
            assert response.status == 200
            assert response.content_type == "text/javascript"
            etag = response.headers["ETag"]
            assert "default-src 'none'" in response.headers["Content-Security-Policy"]
            assert response.headers["X-Content-Type-Options"] == "nosniff"
            assert b"export" in await response.read()
        async with http.get(f"{url}fairdeal.mjs", headers={"If-None-Match": etag}) as response:
            assert response.status == 304

    @pytest.mark.parametrize(
        "path",
        [
            "app.py",
            "../app.py",
            "%2e%2e/app.py",
            "..%2fapp.py",
            "//etc/passwd",
            "tools/page_protos.py",
            "js",
            "js/",
            ".git/config",
            "fairdeal.mjs%00.html",
            "\\..\\app.py",
        ],
    )
    async def test_nothing_else_can_be_had(self, http: aiohttp.ClientSession, url: str, path: str) -> None:
        async with http.get(URL(url + path, encoded=True)) as response:
            assert response.status == 404
            assert await response.text() == "not found"

    async def test_other_verbs_are_refused(self, http: aiohttp.ClientSession, url: str) -> None:
        async with http.post(url) as response:
            assert response.status == 405
        async with http.get(f"{url}call/{LIST_GAMES}") as response:
            assert response.status == 404


class TestQrCodes:
    """The link of a friends' room as a picture; what it says is held against the same code drawn apart."""

    @staticmethod
    def drawn(link: str) -> list[str]:
        """Return the rows of the code of a link, one character a module."""
        return [
            "".join("#" if dark else "." for dark in row) for row in segno.make_qr(link, error="q").matrix
        ]

    @staticmethod
    def seen(svg: bytes) -> list[str]:
        """Return the rows that a picture shows: its dark path, stroke by stroke."""
        root = ElementTree.fromstring(svg)
        size = int(root.attrib["viewBox"].split()[2])
        field = [["."] * size for _ in range(size)]
        path = next(one for one in root.iter() if "stroke" in one.attrib)
        x, y = 0.0, 0.0
        for verb, numbers in re.findall(r"([Mmh])([-\d. ]+)", path.attrib["d"]):
            given = [float(number) for number in numbers.split()]
            if verb == "h":
                for column in range(int(x), int(x + given[0])):
                    field[int(y)][column] = "#"
                x += given[0]
            else:
                x, y = (given[0], given[1]) if verb == "M" else (x + given[0], y + given[1])
        return ["".join(row[2:-2]) for row in field[2:-2]]

    async def test_a_rooms_code_leads_to_the_room_at_the_address_we_were_reached_by(
        self, url: str, http: aiohttp.ClientSession
    ) -> None:
        host = urlsplit(url).netloc
        for query, scheme in (("", "http"), ("?https", "https")):
            async with http.get(f"{url}qr/room/048213.svg{query}") as response:
                assert (response.status, response.content_type) == (200, "image/svg+xml")
                assert "default-src 'none'" in response.headers["Content-Security-Policy"]
                assert self.seen(await response.read()) == self.drawn(f"{scheme}://{host}/#/room/048213")

    @pytest.mark.parametrize("path", ["12345.svg", "1234567.svg", "12345a.svg", "123456.png", "%3Cb%3E.svg"])
    async def test_nothing_but_six_digits_is_drawn(
        self, url: str, http: aiohttp.ClientSession, path: str
    ) -> None:
        async with http.get(URL(f"{url}qr/room/{path}", encoded=True)) as response:
            assert response.status == 404

    async def test_a_name_that_is_not_ours_is_not_drawn(self, url: str, http: aiohttp.ClientSession) -> None:
        async with http.get(f"{url}qr/room/123456.svg", headers={"Host": "evil.example"}) as response:
            assert response.status == 421

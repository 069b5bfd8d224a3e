"""Records that are brought to a real gateway: as large as a record may be, and no larger."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import urlsplit

import aiohttp
import pytest_asyncio
from paiju.gateway.v1.gateway_service_pb2 import CallResult
from paiju.table.v1.replay_service_pb2 import CheckRecordRequest, CheckRecordResponse

from services.gateway.settings import GatewaySettings
from services.launch.catalog import wirings
from services.table.replays import RECORD_BYTES_MAX
from services.table.settings import TableSettings
from tests.integration.test_gateway_http import post
from tests.support.finished import PlayedMatch
from tests.support.nats import NatsServer
from tests.support.real_process import World, running

CHECK_RECORD = "paiju.table.v1.ReplayService/CheckRecord"
LIST_GAMES = "paiju.table.v1.TableService/ListGames"


@pytest_asyncio.fixture
async def world(nats_server: NatsServer, tmp_path: Path) -> AsyncIterator[World]:
    given = {"gateway": GatewaySettings(http_port=0), "table": TableSettings(protection=False)}
    async with running(nats_server.url, tmp_path, wirings(["table", "gateway"]), given) as made:
        yield made


async def test_a_record_comes_through_the_gateway_whole_and_a_hundred_megabytes_do_not(world: World) -> None:
    url = str(world.services["gateway"].url)  # type: ignore[attr-defined]
    token = world.tokens.token("p_ann")
    bearer = {"Authorization": f"Bearer {token}"}

    def brought(data: bytes) -> bytes:
        return CheckRecordRequest(record=data).SerializeToString()

    async with aiohttp.ClientSession() as http:
        status, result = await post(
            http, url, CHECK_RECORD, brought(PlayedMatch().round()[1].record), **bearer
        )
        assert status == 200
        assert CheckRecordResponse.FromString(result.payload).replay.steps
        for size, reason in (
            (RECORD_BYTES_MAX, "RECORD_MALFORMED"),
            (RECORD_BYTES_MAX + 1, "RECORD_TOO_LARGE"),
            (RECORD_BYTES_MAX + 8_000, "MESSAGE_TOO_LARGE"),
        ):
            status, result = await post(http, url, CHECK_RECORD, brought(b"x" * size), **bearer)
            assert result.error.reason == reason
            assert (status == 413) == reason.endswith("_TOO_LARGE")
        # What is no record may be no longer than before, and nor may anything of a stranger.
        for method, header in ((LIST_GAMES, bearer), (CHECK_RECORD, {})):
            _, result = await post(http, url, method, brought(b"x" * 17_000), **header)
            assert result.error.reason == "MESSAGE_TOO_LARGE"
    # Not one byte of it is sent, and the answer is there: it was refused by its length alone.
    head = f"POST /call/{CHECK_RECORD} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n"
    status_line, refusal = await answered(url, f"{head}Content-Length: 100000000\r\n\r\n".encode())
    assert status_line.startswith(b"HTTP/1.1 413")
    assert refusal.error.reason == "MESSAGE_TOO_LARGE"


async def answered(url: str, sent: bytes) -> tuple[bytes, CallResult]:
    """Send bytes on a connection of their own and return the answer's first line and body."""
    host = urlsplit(url)
    reader, writer = await asyncio.open_connection(host.hostname, host.port)
    try:
        writer.write(sent)
        async with asyncio.timeout(60):
            head = await reader.readuntil(b"\r\n\r\n")
            length = int(re.findall(rb"(?i)content-length: (\d+)", head)[0])
            return head, CallResult.FromString(await reader.readexactly(length))
    finally:
        writer.close()

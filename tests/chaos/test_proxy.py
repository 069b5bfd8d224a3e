"""The way to a server can be cut, held and healed."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator

import pytest

from tests.chaos.proxy import Proxy

LIMIT_S = 20.0


@pytest.fixture
async def proxy() -> AsyncIterator[Proxy]:
    """The way to a server that says everything back."""

    async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while data := await reader.read(1024):
                writer.write(data)
                await writer.drain()
        writer.close()

    server = await asyncio.start_server(echo, "127.0.0.1", 0)
    made = Proxy(server.sockets[0].getsockname()[1])
    await made.start()
    yield made
    await made.stop()
    server.close()


async def test_what_is_said_arrives_and_the_answer_comes_back(proxy: Proxy) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", proxy.port)
    writer.write(b"hello")
    async with asyncio.timeout(LIMIT_S):
        assert await reader.readexactly(5) == b"hello"
    writer.close()


async def test_a_held_way_is_silent_and_tells_everything_once_it_heals(proxy: Proxy) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", proxy.port)
    writer.write(b"before ")
    async with asyncio.timeout(LIMIT_S):
        assert await reader.readexactly(7) == b"before "
    proxy.hold()
    writer.write(b"meanwhile ")
    late_reader, late_writer = await asyncio.open_connection("127.0.0.1", proxy.port)
    late_writer.write(b"late")
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.3):
            await reader.readexactly(1)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.3):
            await late_reader.readexactly(1)
    proxy.heal()
    writer.write(b"after")
    async with asyncio.timeout(LIMIT_S):
        assert await reader.readexactly(15) == b"meanwhile after"
        assert await late_reader.readexactly(4) == b"late"
    writer.close()
    late_writer.close()


async def test_a_cut_way_resets_who_is_on_it_and_refuses_who_comes_until_it_heals(proxy: Proxy) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", proxy.port)
    writer.write(b"x")
    async with asyncio.timeout(LIMIT_S):
        await reader.readexactly(1)
        proxy.cut()
        with pytest.raises((ConnectionError, asyncio.IncompleteReadError)):
            await reader.readexactly(1)
        with contextlib.suppress(ConnectionError):
            refused, _ = await asyncio.open_connection("127.0.0.1", proxy.port)
            with pytest.raises((ConnectionError, asyncio.IncompleteReadError)):
                await refused.readexactly(1)
        proxy.heal()
        again, healed = await asyncio.open_connection("127.0.0.1", proxy.port)
        healed.write(b"y")
        assert await again.readexactly(1) == b"y"
    healed.close()

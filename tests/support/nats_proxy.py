"""A wire between a client and a broker that can be cut, and that can lose what the broker answers."""

from __future__ import annotations

import asyncio
import re
from urllib.parse import urlsplit

_OTHERS = re.compile(rb'"connect_urls":\[[^]]*\],?')
"""Where else the cluster can be reached: a client that learns it would come back past this wire."""
_SENT = re.compile(rb"(?:^|\n)H?PUB ([^ \r\n]+)")


class NatsProxy:
    """Passes everything on between clients and one server.

    Args:
        url: Of the server.
    """

    def __init__(self, url: str) -> None:
        self._target = urlsplit(url)
        self._server: asyncio.Server | None = None
        self._wires: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._deaf: set[asyncio.StreamWriter] = set()
        self.sent: list[str] = []
        """Subjects of what clients have published."""

    async def __aenter__(self) -> NatsProxy:
        self._server = await asyncio.start_server(self._take, "127.0.0.1", 0)
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        self.cut()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    @property
    def url(self) -> str:
        assert self._server is not None
        return f"nats://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    def deafen(self) -> None:
        """Lose what the server says on the connections of now; they are useless afterwards: `cut` them."""
        self._deaf |= self._wires

    def cut(self) -> None:
        """End every connection; new ones are passed on whole."""
        for wire in list(self._wires):
            wire.transport.abort()

    async def _take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there = await asyncio.open_connection(self._target.hostname, self._target.port)
        self._wires |= {writer, there[1]}
        for pump in (self._pump(reader, there[1], is_client=True), self._pump(there[0], writer)):
            task = asyncio.ensure_future(pump)
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _pump(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, is_client: bool = False
    ) -> None:
        try:
            while data := await reader.read(65_536):
                if is_client:
                    self.sent += [subject.decode() for subject in _SENT.findall(data)]
                elif writer in self._deaf:
                    continue
                elif b"connect_urls" in data:
                    data = _OTHERS.sub(b"", data)
                writer.write(data)
                await writer.drain()
        except OSError:
            pass
        finally:
            self._wires.discard(writer)
            self._deaf.discard(writer)
            writer.transport.abort()

"""The way from one process to a server, which can be cut, held, and healed: a network partition in small.

*Cut*: connections are reset and new ones refused, as by a firewall that rejects. *Held*: everything that is
sent is kept on the way, and new connections are taken and hear nothing, as on a half-open path; once healed,
what was kept arrives, late, as the packets of a real network do.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import struct

CHUNK_BYTES = 64 * 1024


class Proxy:
    """See the module. `start`, then connect to `port`.

    Args:
        target: The port on the loopback that it leads to.
    """

    def __init__(self, target: int) -> None:
        self.port = 0
        self._target = target
        self._server: asyncio.Server | None = None
        self._is_cut = False
        self._open = asyncio.Event()
        self._open.set()
        self._ways: dict[asyncio.Task[None], tuple[asyncio.StreamWriter, ...]] = {}

    async def start(self) -> None:
        """Listen on a free port."""
        self._server = await asyncio.start_server(self._arrived, "127.0.0.1", 0)
        self.port = int(self._server.sockets[0].getsockname()[1])

    def cut(self) -> None:
        """Reset all connections and refuse new ones until `heal`."""
        self._is_cut = True
        self._open.set()
        for task, writers in list(self._ways.items()):
            for writer in writers:
                _reset(writer)
            task.cancel()

    def hold(self) -> None:
        """Keep everything on its way until `heal`."""
        self._open.clear()

    def heal(self) -> None:
        """Let everything through again."""
        self._is_cut = False
        self._open.set()

    async def stop(self) -> None:
        """End it."""
        self.cut()
        if self._server is not None:
            self._server.close()
        if self._ways:
            await asyncio.wait(list(self._ways), timeout=5)

    async def _arrived(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._ways[task] = (writer,)
        try:
            if self._is_cut:
                return
            await self._open.wait()
            there, back = await asyncio.open_connection("127.0.0.1", self._target)
            self._ways[task] = (writer, back)
            async with asyncio.TaskGroup() as ways:
                ways.create_task(self._carry(reader, back))
                ways.create_task(self._carry(there, writer))
        except* (OSError, asyncio.CancelledError, _Ended):
            pass
        finally:
            for end in self._ways.pop(task):
                _reset(end)

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(CHUNK_BYTES):
            # What comes after it waits in the buffers of both ends, until the sender's own are full.
            await self._open.wait()
            writer.write(data)
            await writer.drain()
        await self._open.wait()
        raise _Ended


class _Ended(Exception):
    """One side has closed."""


def _reset(writer: asyncio.StreamWriter) -> None:
    """End a connection with a reset."""
    with contextlib.suppress(OSError, AttributeError):
        raw: socket.socket = writer.get_extra_info("socket")
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()

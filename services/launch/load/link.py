"""One connection with answers put to their questions; everything else goes to a listener."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from google.protobuf.message import Message
from paiju.gateway.v1.gateway_service_pb2 import Call, Ping, PlayRequest, PlayResponse
from paiju.table.v1.play_pb2 import CommandAnswer, TableCommand

from services.chassis.clock import Clock
from services.launch.load.wires import Lost, M, Refused, Wire, taken

ANSWER_S_MAX = 15.0
"""The gateway answers everything within 10 seconds, if only with a refusal."""


class Link:
    """See the module. `run` reads until the connection is over.

    Args:
        wire: The connection.
        clock: Measures waiting.
        hear: Takes what nobody asked for.
        pause_s: Waited before each message is read: a slow reader.
    """

    def __init__(
        self, wire: Wire, clock: Clock, hear: Callable[[PlayResponse], None], pause_s: float = 0.0
    ) -> None:
        self._wire = wire
        self._clock = clock
        self._hear = hear
        self._pause_s = pause_s
        self._waiting: dict[int, asyncio.Future[PlayResponse]] = {}
        self._asked_at: dict[int, float] = {}
        """When each of them was asked, the oldest first. A timer each would cost as much as the question."""
        self._next_id = 1
        self.goodbye = ""
        """The reason the platform gave for the end; empty = none."""
        self.retry_after_s = 0.0
        """How long the platform wants us to stay away."""
        self.is_over = False
        self.said_at = clock.monotonic()
        """When we last said anything."""

    async def run(self) -> None:
        """Read until the connection is over; then whoever waits for an answer gets `Lost`."""
        try:
            while (response := await self._wire.receive()) is not None:
                waiting = self._waiting.pop(response.reply_to, None) if response.reply_to else None
                if waiting is not None and not waiting.done():
                    waiting.set_result(response)
                elif response.HasField("goodbye"):
                    self.goodbye = response.goodbye.reason
                    self.retry_after_s = response.goodbye.retry_after_ms / 1000
                else:
                    self._hear(response)
                if self._pause_s:
                    await self._clock.sleep(self._pause_s)
        finally:
            self._end()

    async def ask(self, **body: Any) -> PlayResponse:
        """Send a message and return its answer.

        Raises:
            Lost: The connection ended first, or nobody answered.
            Refused: The gateway refused it.
        """
        if self.is_over:
            raise Lost("CLOSED")
        request_id = self._next_id
        self._next_id += 1
        answer: asyncio.Future[PlayResponse] = asyncio.get_running_loop().create_future()
        self._waiting[request_id] = answer
        self.said_at = self._asked_at[request_id] = self._clock.monotonic()
        try:
            await self._wire.send(PlayRequest(id=request_id, **body))
            response = await answer
        finally:
            self._waiting.pop(request_id, None)
            self._asked_at.pop(request_id, None)
        if response.HasField("refused"):
            raise Refused(response.refused.reason)
        return response

    def give_up_old(self) -> None:
        """Tell those who have waited too long that there is no answer; called every few seconds."""
        now = self._clock.monotonic()
        for request_id, asked_at in list(self._asked_at.items()):
            if now - asked_at < ANSWER_S_MAX:
                return
            waiting = self._waiting.get(request_id)
            if waiting is not None and not waiting.done():
                waiting.set_exception(Lost("NO_ANSWER"))

    async def command(self, table_id: str, command_id: str = "", **body: Any) -> CommandAnswer:
        """Send a command to a table.

        Raises:
            Lost, Refused: As `ask`; what the table itself says is in the answer.
        """
        command = TableCommand(table_id=table_id, command_id=command_id, **body)
        return (await self.ask(table=command)).command_answer

    async def call(self, method: str, request: Message, response: type[M]) -> M:
        """Call a service.

        Raises:
            Lost, Refused: As `ask`.
        """
        asked = await self.ask(call=Call(method=method, payload=request.SerializeToString()))
        return taken(asked.call_result, response)

    async def ping(self) -> None:
        """Say that we are still there.

        Raises:
            Lost, Refused: As `ask`.
        """
        await self.ask(ping=Ping(at_ms=self._clock.now_ms()))

    async def close(self) -> None:
        """End it in order."""
        await self._wire.close()
        self._end()

    async def cut(self) -> None:
        """End it without a word."""
        await self._wire.cut()
        self._end()

    def _end(self) -> None:
        self.is_over = True
        for waiting in self._waiting.values():
            if not waiting.done():
                waiting.set_exception(Lost(self.goodbye or "CLOSED"))
        self._waiting.clear()

"""A connection between a client and a gateway: a pipe of bytes in place of the WebSocket, the rest real."""

from __future__ import annotations

import asyncio
import random
from collections import deque
from collections.abc import Callable
from typing import Protocol

from services.chassis.clock import VirtualClock
from services.gateway.hub import Hub
from services.gateway.session import Session
from tests.simulation.processes import Process

LATENCY_S_MAX = 0.05


class End(Protocol):
    """The client's side."""

    def hear(self, pipe: Pipe, payload: bytes) -> None:
        """Take a message of the gateway."""

    def lost(self, pipe: Pipe) -> None:
        """Learn that the connection is over."""


class Gateway:
    """A gateway's sessions, without the HTTP server in front of them."""

    name = "gateway"

    def __init__(self, hub: Hub, process: Process) -> None:
        self.hub = hub
        self.process = process
        self.pipes: list[Pipe] = []
        process.on_death.append(self._died)

    async def start(self) -> None:
        """Hear the bus."""
        await self.hub.tables.start()
        await self.hub.start()

    async def stop(self) -> None:
        """Say goodbye to every client, and leave the tables."""
        await self.hub.stop()
        await self.hub.tables.stop()

    def _died(self) -> None:
        for pipe in list(self.pipes):
            pipe.cut()


class Pipe:
    """See the module. Messages of one direction keep their order, as on TCP.

    Raises:
        Refusal: The gateway takes no connection now.
    """

    def __init__(self, gateway: Gateway, client: End, address: str, rng: random.Random) -> None:
        self.gateway = gateway
        self.client: End | None = client
        self._clock: VirtualClock = gateway.process.commons.clock
        self._rng = rng
        self._up: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._sent: deque[bytes] = deque()
        self._answered: deque[Callable[[], None]] = deque()
        self._up_at = self._down_at = 0.0
        self._tasks: list[asyncio.Task[None]] = []
        self.session: Session | None = gateway.hub.open("websocket", address, lambda: None)
        self.is_silent = False
        gateway.pipes.append(self)
        loop = asyncio.get_running_loop()
        self._tasks.append(loop.create_task(self._serve(self.session)))

    # The client's side

    def send(self, payload: bytes) -> None:
        """Send a message to the gateway; lost if the pipe is."""
        if self.session is None or self.is_silent:
            return
        self._up_at = self._at(self._up_at)
        self._sent.append(payload)
        # Timers of one moment fire in any order; what they carry is taken in order.
        self._clock.call_at(self._up_at, lambda: self._up.put_nowait(self._sent.popleft()))

    def leave(self) -> None:
        """Close it from the client's side."""
        self.client = None
        self._end_gateway_side()

    # Faults

    def cut(self) -> None:
        """Break: both sides learn of it."""
        self._end_gateway_side()
        self._end_client_side()

    def silence(self) -> None:
        """Carry nothing any more, and let nobody learn of it: a half-open connection."""
        self.is_silent = True

    # Between

    def _at(self, last: float) -> float:
        return max(last, self._clock.monotonic() + self._rng.random() * LATENCY_S_MAX)

    def _end_gateway_side(self) -> None:
        if self.session is not None:
            self.session = None
            self._up.put_nowait(None)

    def _end_client_side(self) -> None:
        if self.is_silent:
            return
        client, self.client = self.client, None
        if client is not None:
            client.lost(self)

    def _later(self, call: Callable[[], None]) -> None:
        self._down_at = self._at(self._down_at)
        self._answered.append(call)
        self._clock.call_at(self._down_at, lambda: self._answered.popleft()())

    def _deliver(self, payload: bytes) -> None:
        if self.client is not None and not self.is_silent:
            self.client.hear(self, payload)

    # The gateway's side, as its door does it

    async def _serve(self, session: Session) -> None:
        process = self.gateway.process
        writer = asyncio.get_running_loop().create_task(self._write(session))
        try:
            while (payload := await self._up.get()) is not None:
                await process.clock.gate()
                if process.is_dead:
                    break
                await session.receive(payload)
            await process.clock.gate()
            if not process.is_dead:
                await session.end()
                await asyncio.wait([writer])
        finally:
            writer.cancel()
            if self in self.gateway.pipes:
                self.gateway.pipes.remove(self)

    async def _write(self, session: Session) -> None:
        process = self.gateway.process
        while responses := await session.outgoing():
            await process.clock.gate()
            if process.is_dead:
                return
            for response in responses:
                payload = response.SerializeToString()
                self._later(lambda payload=payload: self._deliver(payload))  # type: ignore[misc]
        self._later(self._goodbye_said)

    def _goodbye_said(self) -> None:
        self._end_gateway_side()
        self._end_client_side()

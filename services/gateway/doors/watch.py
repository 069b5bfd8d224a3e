"""What the HTTP server leaves out: silent connections are closed, and junk is one quiet line in the log."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Any, Final, cast

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError

from services.chassis import log
from services.chassis.addresses import counted
from services.chassis.clock import Clock, Timer

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

KEEP_ALIVE_S: Final = 75.0
"""How long a connection may be silent between two requests."""

_log = log.get(service="gateway")


class Guard(asyncio.Protocol):
    """One connection: hands everything on to the HTTP server, and cuts it when the head of a request does not
    come in time.
    """

    def __init__(self, watch: Watch, inner: web.RequestHandler) -> None:
        self._watch = watch
        self._inner = inner
        self._transport: asyncio.Transport | None = None
        self._timer: Timer | None = None
        self._counter = watch.silent
        self.network = ""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """See `asyncio.Protocol`."""
        self._transport = cast(asyncio.Transport, transport)
        self._inner.connection_made(transport)
        peer = transport.get_extra_info("peername")
        if self._watch.enter(self, counted(peer[0]) if isinstance(peer, tuple) else ""):
            self._wait(self._watch.head_s, self._watch.silent)
        else:
            self._transport.abort()

    def data_received(self, data: bytes) -> None:
        """See `asyncio.Protocol`."""
        if self._timer is not None and self._counter is self._watch.kept:
            self._wait(self._watch.head_s, self._watch.silent)
        self._inner.data_received(data)

    def eof_received(self) -> bool | None:
        """See `asyncio.Protocol`."""
        self._inner.eof_received()
        return None

    def pause_writing(self) -> None:
        """See `asyncio.Protocol`."""
        self._inner.pause_writing()

    def resume_writing(self) -> None:
        """See `asyncio.Protocol`."""
        self._inner.resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        """See `asyncio.Protocol`."""
        self._stop_waiting()
        self._watch.leave(self, self._inner)
        self._inner.connection_lost(exc)

    def begin(self) -> None:
        """A whole head has come."""
        self._stop_waiting()

    def end(self) -> None:
        """Its answer was made; another may follow."""
        self._wait(KEEP_ALIVE_S, self._watch.kept)

    def _wait(self, seconds: float, counter: Counter[str]) -> None:
        self._stop_waiting()
        self._counter = counter
        counter[self.network] += 1
        clock = self._watch.clock
        self._timer = clock.call_at(clock.monotonic() + seconds, self._cut)

    def _stop_waiting(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
            self._counter[self.network] -= 1
            if not self._counter[self.network]:
                del self._counter[self.network]

    def _cut(self) -> None:
        if self._transport is not None:
            self._transport.abort()


class Watch:
    """All connections over HTTP of this process.

    Args:
        clock: Measures their silence.
        head_s: How long a client may take to send the head of a request.
        silent_max: How many connections of one address may owe a request, and how many are kept for another;
            0 = any number.
    """

    def __init__(self, clock: Clock, head_s: float, silent_max: int) -> None:
        self.clock = clock
        self.head_s = head_s
        self.silent: Counter[str] = Counter()
        """Connections that owe a request, or the rest of its head, by network."""
        self.kept: Counter[str] = Counter()
        """Connections between two requests, by network."""
        self._silent_max = silent_max
        self._guards: dict[object, Guard] = {}

    def factory(self, server: web.Server) -> Callable[[], Guard]:
        """Return what makes the protocol of each new connection."""

        def make() -> Guard:
            inner = server()
            guard = self._guards[inner] = Guard(self, inner)
            return guard

        return make

    def enter(self, guard: Guard, network: str) -> bool:
        """Return whether a new connection may stay."""
        guard.network = network
        return not self._silent_max or self.silent[network] < self._silent_max

    def leave(self, guard: Guard, inner: object) -> None:
        """A connection has ended."""
        self._guards.pop(inner, None)

    @web.middleware
    async def middleware(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Tell a connection's guard of its requests."""
        guard = self._guards.get(request.protocol)
        if guard is None:
            return await handler(request)
        guard.begin()
        try:
            response = await handler(request)
            if self._silent_max and self.kept[guard.network] >= self._silent_max:
                response.force_close()
            return response
        finally:
            if request.protocol in self._guards:
                guard.end()


class JunkLog(logging.Logger):
    """Where the HTTP server reports: what clients get wrong is one line at debug, what we do is an error."""

    def __init__(self) -> None:
        super().__init__("gateway-http")

    def exception(self, msg: object, *args: object, exc_info: Any = True, **more: Any) -> None:
        """Report a failed request."""
        if isinstance(exc_info, HttpProcessingError | web.RequestPayloadError):
            _log.debug("request_unreadable", why=str(exc_info).partition("\n")[0][:200])
        elif isinstance(exc_info, ConnectionError):
            _log.debug("client_left", why=str(exc_info)[:200])
        else:
            _log.error("request_broke", exc_info=exc_info)

    def debug(self, msg: object, *args: object, **more: Any) -> None:
        """Leave out what is a client's own affair."""

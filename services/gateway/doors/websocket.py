"""`/play`: a session over a WebSocket, one binary message each way per protobuf message."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Final

from aiohttp import WSCloseCode, WSMsgType, web

from services.chassis.clock import Timer
from services.chassis.errors import Refusal
from services.gateway.core.methods import READ_BYTES_MAX
from services.gateway.doors.origin import address_of, is_origin_allowed
from services.gateway.hub import Hub
from services.gateway.session import Session

CLOSE_WAIT_S = 2.0
"""How long a client may take to read its goodbye; then the connection is cut."""

BUSY_RETRY_S = 5
"""Who finds the house full is asked to come back after so long."""

CLOSE_CODES: Final = {
    "MESSAGE_TOO_LARGE": WSCloseCode.MESSAGE_TOO_BIG,
    "BAD_MESSAGE": WSCloseCode.INVALID_TEXT,
    "SHUTTING_DOWN": WSCloseCode.GOING_AWAY,
}
"""Others close with 1008, policy violation."""


class WebSocketDoor:
    """The handler of `/play`."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub

    async def play(self, request: web.Request) -> web.StreamResponse:
        """Serve one connection until it ends."""
        settings = self._hub.settings
        if not is_origin_allowed(request, settings.allowed_origins):
            raise web.HTTPForbidden(text="ORIGIN_NOT_ALLOWED")
        socket = web.WebSocketResponse(
            timeout=CLOSE_WAIT_S, compress=False, max_msg_size=READ_BYTES_MAX, autoping=False
        )
        if not socket.can_prepare(request).ok:
            raise web.HTTPUpgradeRequired(text="this is a WebSocket")
        cutter = _Cutter(self._hub, request)
        try:
            address = address_of(request, settings.trusted_proxies)
            probe = _Probe(self._hub, socket)
            session = self._hub.open("websocket", address, cutter.arm, probe.send)
        except Refusal as refusal:
            raise _turned_away(refusal) from None
        probe.session = session
        try:
            await socket.prepare(request)
            writer = self._hub.keep(session, _write(socket, session))
            await _read(socket, session)
            await session.end()
            await asyncio.wait([writer])
        finally:
            await session.end()
            cutter.cancel()
        return socket


async def _read(socket: web.WebSocketResponse, session: Session) -> None:
    async for message in socket:
        if message.type is WSMsgType.BINARY:
            await session.receive(message.data)
        elif message.type is WSMsgType.PING:
            if session.count_control():
                await socket.pong(message.data)
        elif message.type is WSMsgType.PONG:
            session.count_control(is_answer=True)
        else:
            session.misunderstood()


async def _write(socket: web.WebSocketResponse, session: Session) -> None:
    try:
        while responses := await session.outgoing():
            for response in responses:
                await socket.send_bytes(response.SerializeToString())
        code = CLOSE_CODES.get(session.close_reason, WSCloseCode.POLICY_VIOLATION)
        await socket.close(code=code, message=session.close_reason.encode())
    except ConnectionError:
        await session.end()  # the client is gone; the reader ends by itself


def _turned_away(refusal: Refusal) -> web.HTTPException:
    """Return the answer to who may not come in now, with the seconds after which to try again."""
    is_rate = refusal.reason == "RATE_LIMITED"
    seconds = -(-int(refusal.details["retry_ms"]) // 1000) if is_rate else BUSY_RETRY_S
    status = web.HTTPTooManyRequests if is_rate else web.HTTPServiceUnavailable
    return status(text=refusal.reason, headers={"Retry-After": str(max(1, seconds))})


class _Probe:
    """Pings a client that has been silent."""

    def __init__(self, hub: Hub, socket: web.WebSocketResponse) -> None:
        self._hub = hub
        self._socket = socket
        self.session: Session | None = None

    def send(self) -> None:
        """Send one, without waiting."""
        if self.session is not None:
            self._hub.keep(self.session, self._ping())

    async def _ping(self) -> None:
        with suppress(ConnectionError):  # the reader notices
            await self._socket.ping()


class _Cutter:
    """Cuts the connection of a closed session whose client does not read."""

    def __init__(self, hub: Hub, request: web.Request) -> None:
        self._hub = hub
        self._request = request
        self._timer: Timer | None = None

    def arm(self) -> None:
        """The session has closed itself: its client has `CLOSE_WAIT_S`."""
        clock = self._hub.clock
        self._timer = clock.call_at(clock.monotonic() + CLOSE_WAIT_S, self._cut)

    def cancel(self) -> None:
        """The connection has ended."""
        if self._timer is not None:
            self._timer.cancel()

    def _cut(self) -> None:
        if self._request.transport is not None:
            self._request.transport.abort()

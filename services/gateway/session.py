"""One connection of a player, whichever door it came through."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from google.protobuf.message import DecodeError
from paiju.gateway.v1.gateway_service_pb2 import (
    Call,
    Goodbye,
    Hello,
    PlayRequest,
    PlayResponse,
    Pong,
    Welcome,
)

from services.chassis import log
from services.chassis.clock import Timer
from services.chassis.errors import Outage, Refusal
from services.chassis.limits import Rate, TokenBucket
from services.gateway.calls import Caller
from services.gateway.core.methods import MESSAGE_BYTES_MAX, READ_BYTES_MAX
from services.gateway.core.outgoing import Limits, Outgoing
from services.gateway.core.refusals import refused
from services.gateway.core.scopes import PLAY
from services.gateway.tokens import SignedIn

if TYPE_CHECKING:
    from services.gateway.hub import Hub

FLOOD_FACTOR = 10
"""A connection whose refused messages fill this many bursts is closed."""
FLOOD_PAUSE_MS = 5_000
"""Who was closed for a flood is asked to stay away so long."""
LATE_S_MAX = 1.0
"""A timer that is later says more of this process than of a silent client."""
MESSAGE_OVERHEAD_BYTES = 64
"""What a queued message costs besides its content."""
REVOKED_CALL_S = 0.3
"""How long a revoked connection may wait for the answer of a call under way; it must end within a second."""

_log = log.get(service="gateway")


class Session:
    """What a connection may do and what it owes; the door carries the messages.

    The door calls `receive` for each message, sends what `outgoing` returns until that is empty, and calls
    `end` at last. When the session closes itself, its last message is a `Goodbye`, `outgoing` ends after it,
    and `when_closed` is called at once.
    """

    def __init__(
        self,
        hub: Hub,
        session_id: str,
        door: str,
        address: str,
        when_closed: Callable[[], object],
        probe: Callable[[], object] | None = None,
    ) -> None:
        self.session_id = session_id
        self.door = door
        self.address = address
        self.who: SignedIn | None = None
        self.close_reason = ""
        self._hub = hub
        self._clock = hub.clock
        self._when_closed = when_closed
        self._probe = probe
        self._probed_at: float | None = None
        settings = hub.settings
        self._queue = Outgoing(Limits(settings.queue_items_max, settings.queue_bytes_max))
        self._poked = asyncio.Event()
        self._has_ended = False
        self._is_finished = False
        self._opened_at = self._heard_at = self._alive_at = self._clock.monotonic()
        rate = Rate(settings.messages_per_s, settings.messages_burst)
        self._messages = TokenBucket(rate, self._clock)
        self._floods = TokenBucket(Rate(rate.per_s, rate.burst * FLOOD_FACTOR), self._clock)
        self._calls_at_once = 0
        self._is_revoked = False
        self._last_call: Timer | None = None
        self._expiry: Timer | None = None
        self._look_at(self._opened_at + settings.hello_s)

    @property
    def player_id(self) -> str:
        """Who it is; empty before `hello`."""
        return self.who.player_id if self.who else ""

    @property
    def is_closed(self) -> bool:
        """Whether a goodbye was said, or the door has ended."""
        return bool(self.close_reason) or self._has_ended

    # Out

    def send(self, response: PlayResponse, *, is_droppable: bool = False) -> None:
        """See `Listener.send`."""
        if self.is_closed:
            return
        size = response.ByteSize() + MESSAGE_OVERHEAD_BYTES
        if not self._queue.put(response, size, is_droppable=is_droppable):
            self.close("TOO_SLOW")
        self._poked.set()

    def send_frame(self, table_id: str, epoch: int, frame: bytes) -> None:
        """See `Listener.send_frame`."""
        if self.is_closed:
            return
        if not self._queue.put_frame(table_id, epoch, frame):
            self.close("TOO_SLOW")
        self._poked.set()

    def close(self, reason: str, retry_after_ms: int = 0) -> None:
        """Say goodbye for this reason; what it is too late for is not said any more. Twice does nothing."""
        if self.is_closed:
            return
        if reason == "TOO_SLOW":
            self._queue.clear()
        self.close_reason = reason
        goodbye = PlayResponse(goodbye=Goodbye(reason=reason, retry_after_ms=retry_after_ms))
        if not self._queue.put(goodbye, 0):
            self._queue.clear()
            self._queue.put(goodbye, 0)
        self._poked.set()
        self._when_closed()

    def revoke(self) -> None:
        """Close because the sign-in was revoked: at once, or as soon as the calls under way have answered.

        The call that revoked it may be this connection's own, and is to be answered.
        """
        self._is_revoked = True
        if not self._calls_at_once:
            self.close("SESSION_REVOKED")
        elif self._last_call is None:
            self._last_call = self._clock.call_at(
                self._clock.monotonic() + REVOKED_CALL_S, lambda: self.close("SESSION_REVOKED")
            )

    async def outgoing(self) -> list[PlayResponse]:
        """Return what has to be sent, in order, waiting for the first; empty = the connection is over."""
        while not (self._queue or self.is_closed or (self._is_finished and not self._calls_at_once)):
            self._poked.clear()
            await self._poked.wait()
        return self._queue.take()

    def finish(self) -> None:
        """The client has said its last word: calls under way are answered, what is queued is sent; then it is
        over.
        """
        self._is_finished = True
        self._poked.set()

    # In

    async def receive(self, payload: bytes) -> None:
        """Handle one message of the client; what is wrong with it is answered, never raised."""
        try:
            request = PlayRequest.FromString(payload)
        except DecodeError:
            if len(payload) > MESSAGE_BYTES_MAX:
                self.close("MESSAGE_TOO_LARGE")
            else:
                self.misunderstood()
            return
        await self.handle(request, len(payload))

    def count_control(self, *, is_answer: bool = False) -> bool:
        """Count a ping or pong of the door itself, a sign of life; False = it came too often.

        An answer to our own ping shows that somebody is there, and not that he still wants anything.
        """
        self._alive_at = self._clock.monotonic()
        if not is_answer:
            self._heard_at = self._alive_at
        try:
            self._count()
        except Refusal:
            return False
        return True

    def misunderstood(self) -> None:
        """Answer what cannot be read, and say goodbye: what follows cannot be trusted to mean anything."""
        self.send(refused(0, Refusal("BAD_MESSAGE")))
        self.close("BAD_MESSAGE")

    async def handle(self, request: PlayRequest, size: int = 0) -> None:
        """Handle one message that could be read, of so many bytes (0 = surely not too many)."""
        self._heard_at = self._alive_at = self._clock.monotonic()
        self._hub.received.inc()
        if self.is_closed or self._is_revoked:
            return
        try:
            if size > MESSAGE_BYTES_MAX:
                self._too_large(request, size)
            self._count()
            await self._dispatch(request)
        except Refusal as refusal:
            self.send(refused(request.id, refusal))
        except Outage as outage:
            _log.warning("request_failed", session=self.session_id, why=str(outage)[:200])
            self.send(refused(request.id, Refusal("SERVICE_UNAVAILABLE")))

    async def end(self) -> None:
        """Forget everything of this connection; the door has closed it, or lost it."""
        if self._has_ended:
            return
        self._has_ended = True
        self._poked.set()
        self._idle.cancel()
        for timer in (self._expiry, self._last_call):
            if timer is not None:
                timer.cancel()
        self._queue.clear()
        await self._hub.left(self)
        if self.who is not None:
            _log.info(
                "session_closed",
                session=self.session_id,
                player_id=self.player_id,
                reason=self.close_reason or "LEFT",
                seconds=round(self._clock.monotonic() - self._opened_at),
                chat_dropped=self._queue.dropped,
            )

    def _count(self, messages: int = 1) -> None:
        try:
            for _ in range(messages):
                self._messages.take()
                if self.who is not None:
                    self._hub.player_limits.take(self.player_id)
        except Refusal:
            if not self._floods.allow():
                self.close("TOO_MANY_REQUESTS", FLOOD_PAUSE_MS)
            raise

    def _too_large(self, request: PlayRequest, size: int) -> None:
        """Refuse a call that is too large, by itself; for anything else so large the connection ends.

        Raises:
            Refusal: MESSAGE_TOO_LARGE; RATE_LIMITED: it counts as the messages that would fill it.
        """
        if size > READ_BYTES_MAX or self.who is None or request.WhichOneof("body") != "call":
            self.close("MESSAGE_TOO_LARGE")
        else:
            self._count(-(-size // MESSAGE_BYTES_MAX))
        raise Refusal("MESSAGE_TOO_LARGE", most=MESSAGE_BYTES_MAX)

    async def _dispatch(self, request: PlayRequest) -> None:
        kind = request.WhichOneof("body")
        if kind == "hello":
            await self._hello(request.id, request.hello)
        elif kind is None:
            raise Refusal("BAD_MESSAGE")
        elif self.who is None:
            self.send(refused(request.id, Refusal("HELLO_REQUIRED")))
            self.close("BAD_MESSAGE")
        elif kind == "table":
            if not self.who.may(PLAY):
                raise Refusal("SCOPE_MISSING", scope=PLAY)
            await self._hub.command(self, request.id, request.table)
        elif kind == "call":
            self._call(request.id, request.call)
        else:
            pong = Pong(at_ms=request.ping.at_ms, now_ms=self._clock.now_ms())
            self.send(PlayResponse(reply_to=request.id, pong=pong))

    async def _hello(self, reply_to: int, hello: Hello) -> None:
        try:
            who = await self._hub.sign_in(hello.access_token)
        except Refusal as refusal:
            self.send(refused(reply_to, refusal))
            if self.who is None:
                # Whatever is wrong with a token, its owner needs another one.
                self.close("SESSION_REVOKED" if refusal.reason == "SESSION_REVOKED" else "TOKEN_EXPIRED")
            return
        if self.who is not None and self.who.player_id != who.player_id:
            raise Refusal("PLAYER_MISMATCH")
        if self.who is not None and self.who.may(PLAY) and not who.may(PLAY):
            # It may be listening to tables.
            raise Refusal("SCOPE_MISSING", scope=PLAY)
        is_first = self.who is None
        self.who = who
        self._expire_at(who.expires_at_ms)
        if is_first:
            await self._hub.welcome(self)
            self._idle.cancel()
            self._look_at(self._clock.monotonic())
            _log.info(
                "session_opened",
                session=self.session_id,
                player_id=who.player_id,
                door=self.door,
                client=hello.client[:64],
            )
        self.send(
            PlayResponse(
                reply_to=reply_to,
                welcome=Welcome(
                    player_id=who.player_id,
                    session=self.session_id,
                    token_expires_at_ms=who.expires_at_ms,
                    now_ms=self._clock.now_ms(),
                ),
            )
        )

    def _call(self, reply_to: int, call: Call) -> None:
        most = self._hub.settings.calls_at_once_max
        if self._calls_at_once >= most:
            raise Refusal("TOO_MANY_CALLS", most=most)
        self._calls_at_once += 1
        self._hub.keep(self, self._make_call(reply_to, call))

    async def _make_call(self, reply_to: int, call: Call) -> None:
        try:
            assert self.who is not None, "calls come after hello"
            caller = Caller.of(self.who, self.address)
            result = await self._hub.calls.call(caller, call.method, call.payload)
        finally:
            self._calls_at_once -= 1
            self._poked.set()
        self.send(PlayResponse(reply_to=reply_to, call_result=result))
        if self._is_revoked and not self._calls_at_once:
            self.close("SESSION_REVOKED")

    # Timers

    def _expire_at(self, at_ms: int) -> None:
        if self._expiry is not None:
            self._expiry.cancel()
        left_s = (at_ms - self._clock.now_ms()) / 1000
        self._expiry = self._clock.call_at(
            self._clock.monotonic() + max(0.0, left_s), lambda: self.close("TOKEN_EXPIRED")
        )

    def _look_at(self, due: float) -> None:
        self._look_due = due
        self._idle: Timer = self._clock.call_at(due, self._look_idle)

    def _look_idle(self) -> None:
        if self.is_closed:
            return
        if self._clock.monotonic() - self._look_due > LATE_S_MAX:
            # We stood still ourselves: what the client has said meanwhile is still to be read.
            self._look_at(self._clock.monotonic() + LATE_S_MAX)
            return
        if self.who is None:
            self.close("IDLE")
            return
        now, settings = self._clock.monotonic(), self._hub.settings
        is_dead = self._probed_at is not None and self._alive_at < self._probed_at
        if is_dead or self._heard_at + settings.idle_s <= now:
            self.close("IDLE")
            return
        self._probed_at = None
        due = self._heard_at + settings.idle_s
        if self._probe is not None and self._alive_at + settings.probe_s <= now:
            self._probe()
            self._probed_at = now
            due = min(due, now + settings.probe_answer_s)
        elif self._probe is not None:
            due = min(due, self._alive_at + settings.probe_s)
        self._look_at(due)

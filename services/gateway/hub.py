"""All sessions of this process, and what reaches them from outside."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from google.protobuf.message import DecodeError, Message
from paiju.chat.v1.chat_service_pb2 import MessagePosted
from paiju.gateway.v1.gateway_service_pb2 import Notice, PlayResponse
from paiju.table.v1.play_pb2 import TableCommand

from services.chassis import log
from services.chassis.addresses import counted
from services.chassis.bus import subject_of
from services.chassis.errors import Refusal
from services.chassis.limits import Rate, RateLimits
from services.chassis.run import Parts
from services.gateway.bus.presence import Presence
from services.gateway.bus.revocations import RevocationEars
from services.gateway.bus.tables import Tables
from services.gateway.bus.topics import Topics
from services.gateway.calls import Calls
from services.gateway.core.leftovers import Leftovers
from services.gateway.core.scopes import hears
from services.gateway.session import Session
from services.gateway.settings import GatewaySettings
from services.gateway.tokens import SignedIn, signed_in

CHANNEL = "table/"
"""A chat channel is this and a table's id."""

HEARD_BYTES_MAX = 64 * 1024
"""A notice or a word of the chat; what is larger would fill a client's queue by itself."""

RETURNS_PER_S = 200
RETURN_MS_MAX = 10_000
"""Who is sent away because this process ends is told when to come back: so many a second, and none later."""

M = TypeVar("M", bound=Message)

_log = log.get(service="gateway")


class Hub:
    """See the module."""

    def __init__(self, settings: GatewaySettings, parts: Parts, calls: Calls, tables: Tables):
        self.settings = settings
        self.clock = parts.clock
        self.calls = calls
        self.tables = tables
        self.is_draining = False
        self.player_limits = RateLimits(
            Rate(settings.player_messages_per_s, settings.player_messages_burst), parts.clock
        )
        self._address_limits = RateLimits(
            Rate(settings.address_requests_per_s, settings.address_requests_burst), parts.clock
        )
        self._parts = parts
        self._sessions: dict[str, Session] = {}
        self._by_player: dict[str, dict[str, Session]] = {}
        self._by_address: Counter[str] = Counter()
        self._strangers: dict[str, set[str]] = {}
        self._chat_of: dict[str, dict[str, None]] = {}
        self._notices = Topics(parts.bus, self._hear_notice)
        self._chat = Topics(parts.bus, self._hear_chat)
        self._revocations = RevocationEars(parts.bus, parts.verifier.revocations, self._revoked)
        self._tasks: set[asyncio.Task[None]] = set()
        self.leftovers = Leftovers()
        self.presence = Presence(parts.bus, parts.clock, parts.incarnation)
        metrics = parts.metrics
        self.received = metrics.counter("gateway_messages_received", "Messages of clients")
        self._closed = metrics.counter("gateway_sessions_closed", "Sessions ended, by reason", ["reason"])
        self._connections = metrics.gauge("gateway_connections", "Open connections", ["door"])

    async def start(self) -> None:
        """Hear revocations."""
        await self._revocations.start()

    async def stop(self) -> None:
        """Say goodbye to all, give them `drain_s` to read it, and hear nothing more."""
        self.is_draining = True
        spread_ms = min(RETURN_MS_MAX, 1000 * len(self._sessions) // RETURNS_PER_S)
        for session in list(self._sessions.values()):
            session.close("SHUTTING_DOWN", int(self._parts.ids.jitter() * spread_ms))
        try:
            async with self.clock.timeout(self.settings.drain_s):
                while self._sessions:
                    await self.clock.sleep(0.02)
        except TimeoutError:
            _log.info("sessions_left_at_drain", sessions=len(self._sessions))
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._notices.stop()
        await self._chat.stop()
        await self._revocations.stop()

    # Sessions

    def open(
        self,
        door: str,
        address: str,
        when_closed: Callable[[], object],
        probe: Callable[[], object] | None = None,
    ) -> Session:
        """Return a new session; `probe` asks its client whether he is there, where the door can.

        Raises:
            Refusal: SHUTTING_DOWN, RATE_LIMITED, TOO_MANY_CALLS (connections, here or from this address).
        """
        self.check_address(address)
        network = counted(address)
        for open_now, most in (
            (len(self._sessions), self.settings.connections_max),
            (self._by_address[network], self.settings.connections_per_address_max),
            (len(self._strangers.get(network, ())), self.settings.strangers_per_address_max),
        ):
            if open_now >= most:
                raise Refusal("TOO_MANY_CALLS", most=most)
        session = Session(self, self._parts.ids.new("s"), door, address, when_closed, probe)
        self._sessions[session.session_id] = session
        self.leftovers.opened(self.clock.monotonic())
        self._by_address[network] += 1
        self._strangers.setdefault(network, set()).add(session.session_id)
        self._connections.labels(door).inc()
        return session

    def check_address(self, address: str) -> None:
        """Let a new connection, or a single call, in from an address.

        Raises:
            Refusal: SHUTTING_DOWN, RATE_LIMITED.
        """
        if self.is_draining:
            raise Refusal("SHUTTING_DOWN")
        self._address_limits.take(counted(address))

    def keep(self, session: Session, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Run a task of a session. If it breaks, that is logged and ends this session, and no other."""
        task = asyncio.get_running_loop().create_task(self._guarded(session, work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _guarded(self, session: Session, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        except Exception:  # noqa: BLE001 - the edge: one connection breaks, the rest goes on
            _log.exception("session_broke", session=session.session_id)
            session.close("BAD_MESSAGE")

    async def welcome(self, session: Session) -> None:
        """A session has said who it is: hear what is for its player."""
        self._known(session)
        mine = self._by_player.setdefault(session.player_id, {})
        while len(mine) >= self.settings.connections_per_player_max:
            oldest = mine.pop(next(iter(mine)))
            oldest.close("REPLACED")
        mine[session.session_id] = session
        self._note_presence(session.player_id)
        await self._notices.join(subject_of(Notice, key=session.player_id), session.session_id)

    async def left(self, session: Session) -> None:
        """A session has ended."""
        if self._sessions.pop(session.session_id, None) is None:
            return
        self.leftovers.ended()
        self._known(session)
        network = counted(session.address)
        self._by_address[network] -= 1
        if not self._by_address[network]:
            del self._by_address[network]
        self._connections.labels(session.door).dec()
        self._closed.labels(session.close_reason or "LEFT").inc()
        self.tables.close(session.session_id)
        if session.who is None:
            return
        mine = self._by_player.get(session.player_id, {})
        mine.pop(session.session_id, None)
        if not mine:
            self._by_player.pop(session.player_id, None)
        self._note_presence(session.player_id)
        await self._notices.leave(subject_of(Notice, key=session.player_id), session.session_id)
        for table_id in self._chat_of.pop(session.session_id, {}):
            await self._chat.leave(_chat_subject(table_id), session.session_id)

    def _note_presence(self, player_id: str) -> None:
        """Who connects as himself is here; a program that acts for him is not he."""
        sessions = self._by_player.get(player_id, {}).values()
        is_here = any(one.who is not None and one.who.scopes is None for one in sessions)
        self.presence.note(player_id, is_here=is_here)

    def _known(self, session: Session) -> None:
        """A session is no stranger any more: it has said who it is, or ended."""
        network = counted(session.address)
        strangers = self._strangers.get(network, set())
        strangers.discard(session.session_id)
        if not strangers:
            self._strangers.pop(network, None)

    async def command(self, session: Session, reply_to: int, command: TableCommand) -> None:
        """Pass a table command on.

        Raises:
            Refusal: As `Tables.submit`.
        """
        self.tables.submit(session, reply_to, command)
        kind = command.WhichOneof("body")
        if kind == "attach" and not command.attach.spectate:
            await self._hear_chat_of(session, command.table_id)
        elif kind == "detach":
            await self._hush_chat_of(session, command.table_id)

    # Chat: heard from the first `attach` on; what is delivered is decided message by message

    async def _hear_chat_of(self, session: Session, table_id: str) -> None:
        heard = self._chat_of.setdefault(session.session_id, {})
        for other in list(heard):
            if not self.tables.is_attached(session.session_id, other):
                await self._hush_chat_of(session, other)
        heard[table_id] = None
        await self._chat.join(_chat_subject(table_id), session.session_id)

    async def _hush_chat_of(self, session: Session, table_id: str) -> None:
        if self._chat_of.get(session.session_id, {}).pop(table_id, ...) is None:
            await self._chat.leave(_chat_subject(table_id), session.session_id)

    async def _hear_chat(self, payload: bytes, subject: str) -> None:
        posted = _read(MessagePosted, payload, subject)
        if posted is None:
            return
        response = PlayResponse(notice=Notice(chat=posted.message))
        for listener in self.tables.players_at(posted.channel.removeprefix(CHANNEL)):
            listener.send(response, is_droppable=True)

    # From the bus

    async def _hear_notice(self, payload: bytes, subject: str) -> None:
        notice = _read(Notice, payload, subject)
        if notice is None:
            return
        response = PlayResponse(notice=notice)
        for session in list(self._by_player.get(subject.rsplit(".", 1)[-1], {}).values()):
            if session.who is not None and hears(session.who.scopes, notice):
                session.send(response)

    def _revoked(self, player_id: str, login: str) -> None:
        for session in list(self._by_player.get(player_id, {}).values()):
            if session.who is not None and session.who.login == login:
                session.revoke()

    async def sign_in(self, token: str) -> SignedIn:
        """Return who a token names.

        Raises:
            Refusal: TOKEN_INVALID, TOKEN_EXPIRED, SESSION_REVOKED.
            Outage: The public keys, or what is revoked, can't be had.
        """
        return await signed_in(self._parts.verifier, token)


def _read(kind: type[M], payload: bytes, subject: str) -> M | None:
    """Return a message of the bus; None = it is too large to be looked at, or none of this kind."""
    try:
        if len(payload) <= HEARD_BYTES_MAX:
            return kind.FromString(payload)
    except DecodeError:
        pass
    _log.error("message_unreadable", subject=subject, bytes=len(payload))
    return None


def _chat_subject(table_id: str) -> str:
    return subject_of(MessagePosted, key=CHANNEL + table_id)

"""One who is signed in and stays connected, whatever happens to the connection."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Final, TypeVar

from google.protobuf.message import Message
from paiju.gateway.v1.gateway_service_pb2 import Hello, PlayResponse
from paiju.matchmaking.v1.matchmaking_service_pb2 import Room, Ticket

from services.launch.load.account import Account
from services.launch.load.chance import Stream
from services.launch.load.link import Link
from services.launch.load.wires import GrpcWire, Lost, M, Refused, WebSocketWire, Wire
from services.launch.load.world import World

if TYPE_CHECKING:
    from services.launch.load.sitting import Sitting

T = TypeVar("T")

AGAIN: Final = frozenset(
    {
        "SERVICE_UNAVAILABLE",
        "TABLE_UNAVAILABLE",
        "DEADLINE_EXCEEDED",
        "SHARD_BUSY",
        "SHUTTING_DOWN",
        "PROTECTION_UNAVAILABLE",
        "RATE_LIMITED",
        "TOO_MANY_CALLS",
        "UNKNOWN_QUESTION",
    }
)
"""Refusals that end by themselves; a new owner of a table may not know a question yet."""

SIGN_IN_AGAIN: Final = frozenset({"TOKEN_EXPIRED", "TOKEN_INVALID", "SESSION_REVOKED", "UNAUTHENTICATED"})

FIRST_WAIT_S: Final = 0.1
WAIT_S_MAX: Final = 5.0
PING_S: Final = 15.0


class GaveUp(Exception):
    """Something did not work for so long that a person would have left; the text says what."""


class Left(GaveUp):
    """The client has gone; what it still had to say is not said any more."""


class Client:
    """See the module.

    Args:
        world: What all share.
        name: Names the streams of chance that are this client's own.
        source: The address to connect from; empty = any.
        door: `websocket` or `grpc`.
        is_slow: Reads slower than it is told.
    """

    def __init__(self, world: World, name: str, source: str, door: str, *, is_slow: bool = False) -> None:
        self.world = world
        self.figures = world.figures
        self.clock = world.clock
        self.is_slow = is_slow
        self.account = Account(self._next_url, source, world.clock)
        self.sitting: Sitting | None = None
        self.ticket = Ticket()
        self.room = Room()
        """Ticket and room as we were last told."""
        self.told = asyncio.Event()
        """Something was told of a ticket or a room."""
        self.door = door
        self._source = source
        self._chance = Stream(world.order.seed, "network", name)
        self._gateway = self._chance.randrange(len(world.order.urls)) if world.order.others else 0
        self._link: Link | None = None
        self._greeting: Link | None = None
        """The newest connection, greeted or not."""
        self._linked = asyncio.Event()
        self._return_at = 0.0
        self._linked_at = 0.0
        self._keeper: asyncio.Task[Any] | None = None
        self._is_leaving = False

    def time(self, name: str, seconds: float) -> None:
        """Take a duration; those of slow readers are their own."""
        if not self.is_slow:
            self.figures.time(name, seconds)

    def was_linked(self, since: float) -> bool:
        """Return whether the connection has been up since then: times over a break are the break's."""
        return self._linked.is_set() and self._linked_at <= since

    # Coming and going

    async def come(self) -> None:
        """Sign in and connect.

        Raises:
            GaveUp: It did not work.
        """
        await self.trying("sign_in", self.account.sign_in)
        self._keeper = self.world.spawn(self._keep())
        await self.link()

    async def go(self) -> None:
        """Close the connection; twice does nothing more."""
        self._is_leaving = True
        link, self._link = self._link, None
        if self._keeper is not None:
            self._keeper.cancel()
        if link is not None:
            await link.close()

    async def drop(self, spread_s: float) -> None:
        """Lose the connection without a word, and come back within `spread_s`."""
        if self._link is not None and self._linked.is_set() and not self._is_leaving:
            self._return_at = self.clock.monotonic() + self._chance.uniform() * spread_s
            self.figures.count("drops")
            await self._link.cut()

    async def look_after(self) -> None:
        """Say that we are there, where nothing was said lately; renew tokens that end soon."""
        if self._greeting is not None:
            self._greeting.give_up_old()
        link = self._link
        if link is None or not self._linked.is_set():
            return
        try:
            if self.clock.now_ms() > self.account.renew_at_ms:
                await self.account.refresh()
                await link.ask(hello=self._hello())
                self.figures.count("tokens_renewed")
            elif self.clock.monotonic() - link.said_at > PING_S:
                await link.ping()
        except (Lost, Refused) as problem:
            self.figures.retries[f"keep_alive:{problem}"] += 1

    # Saying

    async def link(self, seconds: float | None = None) -> Link:
        """Return the connection, waiting for it.

        Raises:
            GaveUp: There is none for too long.
            Left: The client has gone.
        """
        if self._is_leaving:
            raise Left("left")
        if self._link is not None and self._linked.is_set():
            return self._link
        try:
            async with self.clock.timeout(seconds or self.world.order.patience_s):
                await self._linked.wait()
        except TimeoutError:
            raise GaveUp("connect") from None
        if self._link is None:
            raise Left("left")
        return self._link

    async def trying(
        self,
        what: str,
        work: Callable[[], Awaitable[T]],
        seconds: float | None = None,
        also: frozenset[str] = frozenset(),
    ) -> T:
        """Do something until it works; `also` are more reasons to try again.

        Raises:
            GaveUp: It did not, for so long.
            Refused: For a reason that does not end by itself.
        """
        until, tries = self.clock.monotonic() + (seconds or self.world.order.patience_s), 0
        while True:
            try:
                return await work()
            except Lost as lost:
                reason = f"{what}:{lost}"
            except Refused as refused:
                if str(refused) not in AGAIN | also:
                    raise
                reason = f"{what}:{refused}"
            if self.clock.monotonic() > until:
                raise GaveUp(reason)
            self.figures.retries[reason] += 1
            await self.clock.sleep(self._wait_s(tries))
            tries += 1

    async def call(
        self, method: str, request: Message, response: type[M], also: frozenset[str] = frozenset()
    ) -> M:
        """Call a service until it answers; `also` as in `trying`.

        Raises:
            GaveUp, Refused: As `trying`.
        """

        async def once() -> M:
            link = await self.link()
            return await link.call(method, request, response)

        return await self.trying(method.rpartition("/")[2], once, also=also)

    async def command(self, what: str, table_id: str, command_id: str = "", **body: Any) -> None:
        """Send a command to a table until it is answered, and taken.

        Raises:
            GaveUp, Refused: As `trying`.
        """

        async def once() -> None:
            link = await self.link()
            answer = await link.command(table_id, command_id, **body)
            if answer.reason:
                raise Refused(answer.reason)

        await self.trying(what, once)

    # The connection

    async def _keep(self) -> None:
        due, tries, was_connected, why = self.clock.monotonic(), 0, False, ""
        while not self._is_leaving:
            try:
                wire = await self._open()
            except Lost as lost:
                self.figures.retries[f"connect:{lost}"] += 1
                await self.clock.sleep(self._wait_s(tries))
                tries += 1
                continue
            pause_s = self.world.order.slow_ms / 1000 if self.is_slow else 0.0
            link = self._greeting = Link(wire, self.clock, self._hear, pause_s)
            reader = self.world.spawn(link.run())
            try:
                await self._greet(link)
                if was_connected:
                    self.figures.count("reconnects")
                    away_s = self.clock.monotonic() - due
                    self.time("resume", away_s)
                    self.world.tape.note("back", 0, ms=round(away_s * 1000), why=why)
                was_connected, tries = True, 0
                self._link = link
                self._linked_at = self.clock.monotonic()
                self._linked.set()
                self.world.connected += 1
                try:
                    await asyncio.wait([reader])
                finally:
                    self.world.connected -= 1
                    self._linked.clear()
            except (Lost, Refused) as problem:
                self.figures.retries[f"hello:{problem}"] += 1
                await self._renew(str(problem))
                await self.clock.sleep(self._wait_s(tries))
                tries += 1
            finally:
                await link.cut()
                await asyncio.wait([reader])
            is_ours = self._return_at > 0
            why = link.goodbye or ("DROPPED_BY_US" if is_ours else "LOST")
            self.figures.goodbyes[why] += 1
            due = self._return_at if is_ours else self.clock.monotonic() + link.retry_after_s
            self._return_at = 0.0
            await self.clock.sleep(due - self.clock.monotonic())

    async def _open(self) -> Wire:
        if self.door == "grpc":
            return GrpcWire(self.world.channel(self._next_gateway()))
        return await WebSocketWire.open(self._next_url(), self._source)

    def _next_gateway(self) -> int:
        """Return the gateway to turn to now: another one each time; nobody waits for one that is gone."""
        self._gateway = (self._gateway + 1) % len(self.world.order.urls)
        return self._gateway

    def _next_url(self) -> str:
        return self.world.order.urls[self._next_gateway()]

    async def _greet(self, link: Link) -> None:
        """Say who we are, and be shown what we missed."""
        await link.ask(hello=self._hello())
        sitting = self.sitting
        if sitting is None:
            return
        jumps = sitting.transcript.jumps
        for tries in range(50):
            answer = await link.command(sitting.table_id, attach=sitting.attach())
            sitting.transcript.ask_from(None)
            if not answer.reason:
                break
            if answer.reason not in AGAIN:
                self.figures.refusals[f"attach:{answer.reason}"] += 1
                return
            self.figures.retries[f"attach:{answer.reason}"] += 1
            await self.clock.sleep(self._wait_s(tries))
        how = "gap" if sitting.transcript.jumps == jumps else "view"
        self.figures.count(f"resumed_by_{how}")
        # One in four also asks for the whole view, to hold it against what the frames add up to.
        if self._chance.randrange(4) == 0:
            await link.command(sitting.table_id, attach=sitting.attach(from_nothing=True))

    async def _renew(self, reason: str) -> None:
        if reason not in SIGN_IN_AGAIN:
            return
        try:
            await self.account.sign_in()
        except (Lost, Refused) as problem:
            self.figures.retries[f"sign_in:{problem}"] += 1

    def _hello(self) -> Hello:
        return Hello(access_token=self.account.access_token, language="zh-CN", client="paiju-load/1")

    def _wait_s(self, tries: int) -> float:
        """Return how long to wait before another try: doubling, bounded, with jitter, as the page does."""
        ceiling = min(WAIT_S_MAX, FIRST_WAIT_S * 2.0 ** min(tries, 16))
        return ceiling * (0.5 + 0.5 * self._chance.uniform())

    def _hear(self, response: PlayResponse) -> None:
        sitting = self.sitting
        kind = response.WhichOneof("body")
        if kind == "table_frames":
            if sitting is not None and response.table_frames.table_id == sitting.table_id:
                sitting.frames(response.table_frames.epoch, response.table_frames.frames)
        elif kind == "table_snapshot":
            if sitting is not None and response.table_snapshot.table_id == sitting.table_id:
                sitting.view(response.table_snapshot.epoch, response.table_snapshot.view)
        elif kind == "table_detached":
            if sitting is not None and response.table_detached.table_id == sitting.table_id:
                sitting.detached(response.table_detached.reason)
        elif kind == "notice":
            told = response.notice.WhichOneof("body")
            if told == "ticket":
                self.ticket = response.notice.ticket
            elif told == "room":
                self.room = response.notice.room
            self.told.set()
        elif kind == "refused":
            self.figures.errors[f"refused:{response.refused.reason}"] += 1

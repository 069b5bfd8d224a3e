"""The bus on NATS: nats-py, wrapped once."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from dataclasses import dataclass

from nats.aio.msg import Msg
from nats.errors import Error as NatsError
from nats.errors import NoRespondersError
from nats.errors import TimeoutError as NatsTimeoutError
from nats.js import JetStreamContext
from nats.js.errors import NotFoundError

from services.chassis import log
from services.chassis.bus.base import EXPECTED, MSG_ID, BaseBus, Pull, StoreAnswer
from services.chassis.bus.consumer import DurableConsumer
from services.chassis.bus.inbox import Inbox
from services.chassis.bus.nats_bucket import NatsBucket
from services.chassis.bus.nats_client import PatientClient, is_from_a_stream, is_inbox
from services.chassis.bus.nats_pull import NatsPull, open_durable, open_reader
from services.chassis.bus.nats_store import NatsStore
from services.chassis.bus.port import (
    Bucket,
    KeptFact,
    LogEntry,
    NoResponders,
    RequestTimeout,
    ServeHandler,
    Subscription,
    TellHandler,
)
from services.chassis.bus.registry import Registry, replay_subject
from services.chassis.clock import Clock
from services.chassis.errors import Defect, Outage
from services.chassis.ids import Ids
from services.chassis.metrics import Metrics
from services.chassis.shield import shielded

API_WAIT_S = 5.0
CONNECT_WAIT_S = 30.0


@dataclass(frozen=True)
class NatsLogin:
    """Where the servers are, and as whom to log in."""

    url: str
    """Several separated by commas."""
    user: str = ""
    password: str = ""
    inbox_prefix: str = "_INBOX"
    """A service's own, `_INBOX_economy`: its permissions let nobody else listen there."""
    tls: ssl.SSLContext | None = None


class NatsBus(BaseBus):
    """One process's connection to NATS. Made by `NatsBus.connect`."""

    def __init__(self, registry: Registry, clock: Clock, ids: Ids, metrics: Metrics) -> None:
        super().__init__(registry, clock, ids, metrics)
        self._client = PatientClient()
        self._js: JetStreamContext = self._client.jetstream(timeout=API_WAIT_S)
        self._inboxes: list[Inbox[Msg]] = []
        self._stores = NatsStore(self._client, clock)
        self._pulls: set[NatsPull] = set()
        self._closed = False
        self._settling: asyncio.Task[None] | None = None
        self._settles_next: asyncio.Task[None] | None = None
        self.url = ""
        """Where it has connected to."""
        self._dropped = metrics.counter("bus_dropped", "Core messages dropped by a full inbox")
        self._forged = metrics.counter("bus_forged", "Messages dropped: of a stream, or to answer elsewhere")
        self._reconnects = metrics.counter("bus_reconnects", "Times the connection to NATS came back")
        self._up = metrics.gauge("bus_connected", "1 while connected to NATS")

    @classmethod
    async def connect(
        cls, login: NatsLogin, registry: Registry, clock: Clock, ids: Ids, metrics: Metrics, name: str = ""
    ) -> NatsBus:
        """Return a connected bus.

        Raises:
            Outage: No server within `CONNECT_WAIT_S`.
            Defect: The login is refused.
        """
        bus = cls(registry, clock, ids, metrics)
        bus.url = login.url
        await bus._connect(login, name)
        return bus

    @property
    def connected(self) -> bool:
        """See `port.Bus.connected`."""
        return bool(self._client.is_connected)

    @property
    def jetstream(self) -> JetStreamContext:
        """For `streams.ensure_streams` only."""
        return self._js

    async def close(self) -> None:
        """See `port.Bus.close`."""
        if self._closed:
            return
        await self._end_consumers()
        for inbox in list(self._inboxes):
            await inbox.stop()
        self._closed = True
        await self.keeper.end()
        try:
            await self._client.flush(timeout=2)
            await self._client.close()
        except (NatsError, OSError) as error:
            log.get().warning("bus_closed_uncleanly", why=repr(error))

    async def _connect(self, login: NatsLogin, name: str) -> None:
        refused: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        async def on_error(error: Exception) -> None:
            log.get().warning("bus_error", why=repr(error))
            if "authorization violation" in str(error).lower() and not refused.done():
                refused.set_result(None)

        async def on_down() -> None:
            self._up.set(0)
            self._stores.down()

        async def on_up() -> None:
            self._up.set(1)
            self._reconnects.inc()
            self._stores.up()
            for pull in list(self._pulls):
                pull.ask_again()

        options: dict[str, object] = {
            "servers": [part.strip() for part in login.url.split(",")],
            "name": name or None,
            "inbox_prefix": login.inbox_prefix,
            "error_cb": on_error,
            "disconnected_cb": on_down,
            "reconnected_cb": on_up,
            # A jitter of our own: nats-py waits as long each time, so that all processes come back at one
            # moment.
            "reconnect_time_wait": 0.05 + 0.15 * self.ids.jitter(),
            "max_reconnect_attempts": -1,
            "ping_interval": 5,
            "max_outstanding_pings": 2,
            "connect_timeout": 2,
            "pending_size": 16 * 1024 * 1024,
        }
        if login.user:
            options |= {"user": login.user, "password": login.password}
        if login.tls is not None:
            options["tls"] = login.tls
        # nats-py tries a refused login for ever, and tells only the error callback.
        connecting = asyncio.ensure_future(self._client.connect(**options))  # type: ignore[arg-type]  # of many types
        try:
            async with self.clock.timeout(CONNECT_WAIT_S):
                await asyncio.wait({connecting, refused}, return_when=asyncio.FIRST_COMPLETED)
            if refused.done():
                raise Defect(f"NATS refuses the login {login.user!r}")
            connecting.result()
        except (TimeoutError, NatsError, OSError) as error:
            raise Outage(f"NATS can't be reached at {login.url}: {error!r}") from error
        finally:
            connecting.cancel()
        await self._stores.begin()
        self._up.set(1)

    # Streams

    async def _store(self, stream: str, subject: str, payload: bytes, headers: dict[str, str]) -> StoreAnswer:
        return await self._stores.store(stream, subject, payload, headers)

    async def _last(self, stream: str, subject: str) -> LogEntry | None:
        try:
            # Not a direct get: that may be answered by a replica that is behind.
            found = await self._js.get_msg(stream, subject=subject, direct=False)
        except NotFoundError:
            return None
        except (NatsError, OSError) as error:
            raise Outage(f"the last message of {subject} can't be read: {error!r}") from error
        headers = found.headers or {}
        at_ms = int(found.time.timestamp() * 1000) if found.time is not None else 0
        assert found.seq is not None
        return LogEntry(
            found.seq, found.data or b"", _writer_of(headers), int(headers.get(EXPECTED, 0)), at_ms
        )

    async def _read(self, stream: str, subject: str, from_seq: int) -> AsyncGenerator[LogEntry, None]:
        seq = max(from_seq, 1)
        failures = 0
        while True:
            pull: NatsPull | None = None
            try:
                name = self.ids.new("read", "-")
                pull = await open_reader(self._client, self._js, self.clock, stream, (subject,), seq, name)
                self._pulls.add(pull)
                while True:
                    for raw in await pull.fetch(500, 0.0):
                        failures = 0
                        seq = raw.seq + 1
                        headers = raw.headers
                        yield LogEntry(
                            raw.seq,
                            raw.payload,
                            _writer_of(headers),
                            int(headers.get(EXPECTED, 0)),
                            raw.at_ms,
                        )
            except Outage as outage:
                log.get().warning("read_interrupted", subject=subject, seq=seq, why=str(outage))
                await self.pause_before_retry(failures)
                failures += 1
            finally:
                if pull is not None:
                    self._pulls.discard(pull)
                    await pull.close()

    async def kept(
        self, stream: str, subjects: Sequence[str], from_seq: int = 1
    ) -> AsyncGenerator[KeptFact, None]:
        """See `port.Bus.kept`."""
        # Asked of the stream's leader: in a cluster the reader's server may be a moment behind it.
        lasts = [await self._last(stream, subject) for subject in subjects]
        last_seq = max((last.seq for last in lasts if last is not None), default=0)
        name = self.ids.new("read", "-")
        pull = await open_reader(self._client, self._js, self.clock, stream, subjects, from_seq, name)
        left = pull.unhandled
        seq = from_seq - 1
        self._pulls.add(pull)
        try:
            while left > 0 or seq < last_seq:
                raws = await pull.fetch(500, 0.0)
                if not raws:
                    raise Outage(f"{stream} can't be read to its end: {left} messages did not come")
                for raw in raws:
                    yield KeptFact(raw.seq, raw.subject, raw.payload, raw.headers, raw.at_ms)
                seq = raws[-1].seq
                left = min(left - len(raws), raws[-1].waiting)
        finally:
            self._pulls.discard(pull)
            await pull.close()

    async def _offer_replays(self, consumer: DurableConsumer) -> None:
        async def offer() -> None:
            subject, failures = replay_subject(consumer.durable), 0
            while consumer.replays is None:
                try:
                    consumer.replays = await self.serve(subject, consumer.replay, queue=consumer.durable)
                except Outage as outage:
                    log.get().warning("replays_not_offered", subject=subject, why=str(outage))
                    await self.pause_before_retry(failures)
                    failures += 1

        # A service starts whether or not the broker is there.
        self.keeper.keep(offer(), f"replays-{consumer.durable}")

    async def _purge(self, stream: str, subject: str, below_seq: int) -> None:
        last = await self._last(stream, subject)
        if last is None or last.seq < below_seq:
            raise Defect(f"purging {subject} below {below_seq} would remove its last entry")
        try:
            await self._js.purge_stream(stream, seq=below_seq, subject=subject)
        except (NatsError, OSError) as error:
            raise Outage(f"{subject} can't be purged: {error!r}") from error

    async def open_pull(self, stream: str, durable: str, subjects: Sequence[str]) -> Pull:
        """See `base.BaseBus.open_pull`."""
        pull = await open_durable(self._client, self._js, self.clock, stream, durable, subjects)
        self._pulls.add(pull)
        pull.on_close = lambda: self._pulls.discard(pull)
        return pull

    # Core

    async def tell(self, subject: str, payload: bytes) -> None:
        """See `port.Bus.tell`."""
        try:
            await self._client.publish(subject, payload)
        except (NatsError, OSError) as error:
            raise Outage(f"{subject} can't be told: {error!r}") from error

    async def listen(self, subject: str, handler: TellHandler, queue: str = "") -> Subscription:
        """See `port.Bus.listen`."""

        async def handle(message: Msg) -> None:
            await handler(message.data, message.subject)

        return await self._hear(subject, queue, handle, 1)

    async def request(self, subject: str, payload: bytes, timeout_s: float = 5.0) -> bytes:
        """See `port.Bus.request`."""
        try:
            return bytes((await self._client.request(subject, payload, timeout=timeout_s)).data)
        except NoRespondersError as error:
            raise NoResponders(subject) from error
        except NatsTimeoutError as error:
            raise RequestTimeout(subject) from error
        except (NatsError, OSError) as error:
            raise Outage(f"{subject} can't be asked: {error!r}") from error

    async def serve(
        self, subject: str, handler: ServeHandler, queue: str = "", at_once: int = 1
    ) -> Subscription:
        """See `port.Bus.serve`."""

        async def handle(message: Msg) -> None:
            answer = await handler(message.data, message.subject)
            if answer is None or not message.reply:
                return
            if not is_inbox(message.reply):
                # Who asks names where the answer goes, and we may say more than he: nobody shall speak
                # through us, to a log of ours or in our name.
                self._forged.inc()
                log.get().error("answer_refused", heard=subject, reply=message.reply[:64])
                return
            await self.tell(message.reply, answer)

        return await self._hear(subject, queue, handle, at_once)

    async def _hear(
        self, pattern: str, queue: str, handle: Callable[[Msg], Awaitable[None]], workers: int
    ) -> Subscription:
        async def leave() -> None:
            if inbox in self._inboxes:
                self._inboxes.remove(inbox)
            try:
                await subscription.unsubscribe()
                await self._settle()
            except (Outage, NatsError, OSError) as error:
                log.get().warning("unsubscribe_failed", subject=pattern, why=repr(error))

        async def arrived(message: Msg) -> None:
            if is_from_a_stream(message):
                # The server lets a pull name any subject as where its deliveries go, also one that the
                # puller may not publish to: nobody shall speak for a peer that way.
                self._forged.inc()
                log.get().error("message_forged", heard=pattern, subject=message.subject)
                return
            inbox.put(message)

        inbox: Inbox[Msg] = Inbox(self.keeper, handle, workers, pattern, self._dropped.inc, leave)
        self._inboxes.append(inbox)
        try:
            subscription = await self._client.subscribe(pattern, queue=queue, cb=arrived)
            await self._settle()
        except (Outage, TimeoutError, NatsError, OSError) as error:
            raise Outage(f"{pattern} can't be heard: {error!r}") from error
        return inbox

    async def _settle(self) -> None:
        """Return once the server knows of every command so far, before anybody is told that we listen.

        All who wait at a time share one exchange with the server: a thousand clients that come back at once
        are a thousand subscriptions, and need not be two thousand exchanges. One that is under way may have
        begun before our command, so it is the one after it that is waited for.
        """
        if self._settles_next is None:
            self._settles_next = asyncio.get_running_loop().create_task(self._settle_after(self._settling))
        await shielded(self._settles_next, "subscription")

    async def _settle_after(self, before: asyncio.Task[None] | None) -> None:
        """Twice, because nats-py writes its PING past the commands that still wait for its flusher."""
        if before is not None:
            await asyncio.wait([before])
        self._settling, self._settles_next = self._settles_next, None
        try:
            await self._client.flush(timeout=2)
            await self._client.flush(timeout=2)
        except (TimeoutError, NatsError, OSError) as error:
            raise Outage(f"the broker does not answer: {error!r}") from error

    # Buckets

    async def bucket(self, name: str) -> Bucket:
        """See `port.Bus.bucket`."""
        if name not in self.registry.buckets:
            raise Defect(f"there is no bucket {name} in the registry")
        return NatsBucket(self._js, name, self.clock, self.ids)


def _writer_of(headers: dict[str, str]) -> str:
    """Return the id of an append; empty for what came into a log's subject in any other way."""
    return headers.get(MSG_ID, "") if EXPECTED in headers else ""

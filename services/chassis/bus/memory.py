"""The bus in memory: the same promises as `NatsBus`, on a `MemoryBroker`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence

from services.chassis.bus.base import (
    EXPECTED,
    MSG_ID,
    BaseBus,
    Pull,
    StoreAnswer,
    Stored,
    WrongLast,
)
from services.chassis.bus.broker import (
    Kept,
    Listener,
    MemoryBroker,
    MemoryDurable,
    MemoryStream,
    matches,
)
from services.chassis.bus.consumer import DurableConsumer
from services.chassis.bus.inbox import Inbox
from services.chassis.bus.memory_parts import FETCH_WAIT_S, STORE_WAIT_S, MemoryBucket, MemoryPull
from services.chassis.bus.port import (
    Bucket,
    KeptFact,
    LogEntry,
    NoResponders,
    RequestTimeout,
    ServeHandler,
    Subscription,
    TellHandler,
    Unknown,
)
from services.chassis.bus.registry import Registry, replay_subject
from services.chassis.clock import Clock
from services.chassis.errors import Defect, Outage
from services.chassis.ids import Ids
from services.chassis.metrics import Metrics

LATE_S_MAX = 8.0
SLOW_S_MAX = 0.5
BEHIND_S_MAX = 1.5

Arrived = tuple[bytes, str, "asyncio.Future[bytes] | None"]


class MemoryBus(BaseBus):
    """One process's connection to a `MemoryBroker`."""

    def __init__(
        self,
        broker: MemoryBroker,
        registry: Registry,
        clock: Clock,
        ids: Ids,
        metrics: Metrics,
        name: str = "",
    ) -> None:
        super().__init__(registry, clock, ids, metrics)
        self.broker = broker
        self.name = name
        self._inboxes: dict[Listener, Inbox[Arrived]] = {}
        self._closed = False
        self._resumed: asyncio.Event | None = None
        self._dropped = metrics.counter("bus_dropped", "Core messages dropped by a full inbox")

    @property
    def connected(self) -> bool:
        """See `port.Bus.connected`."""
        return self.broker.is_up and not self._closed

    # Faults of this process

    def pause(self) -> None:
        """Stop as by SIGSTOP: nothing is sent or handled until `resume`; what arrives waits."""
        self._resumed = self._resumed or asyncio.Event()

    def resume(self) -> None:
        """Go on after `pause`."""
        if self._resumed is not None:
            self._resumed.set()
            self._resumed = None

    def crash(self) -> None:
        """End as by SIGKILL: no handler ends what it began, nothing is acknowledged, nothing more is sent."""
        self._closed = True
        for listener in list(self._inboxes):
            self.broker.unhear(listener)
        self._inboxes.clear()
        self.keeper.cancel()

    async def close(self) -> None:
        """See `port.Bus.close`."""
        if self._closed:
            return
        await self._end_consumers()
        for inbox in list(self._inboxes.values()):
            await inbox.stop()
        self._closed = True
        await self.keeper.end()

    async def step(self, operation: str) -> None:
        """Be at a point where a process may be stopped, or others may run."""
        while self._resumed is not None:
            await self._resumed.wait()
        self.broker.step(self.name, operation)
        await self.clock.sleep(self.broker.faults.delay())
        if self._closed:
            raise Outage("the bus is closed")

    async def reach(self, operation: str) -> None:
        """Be at a point that needs the broker."""
        await self.step(operation)
        if not self.broker.is_up:
            raise Outage("the broker is down")

    # Streams

    async def _store(self, stream: str, subject: str, payload: bytes, headers: dict[str, str]) -> StoreAnswer:
        await self.step("store")
        broker, faults = self.broker, self.broker.faults
        connection, term = broker.connection, broker.term
        expected = headers.get(EXPECTED)
        msg_id = headers.get(MSG_ID, "")
        answer: list[tuple[bool, int]] = []

        def arrive() -> None:
            number = int(expected) if expected is not None else None
            answer.append(broker.store(stream, subject, payload, headers, msg_id, number))

        if not broker.is_up:
            return await self._no_answer()
        if faults.happens(faults.lose_store, "append not stored"):
            return await self._no_answer()
        if broker.replicas > 1:
            if not broker.has_leader:
                return Unknown("no responders")
            if expected is not None and (why := broker.conflict(subject, msg_id)):
                faults.counts["append refused as in flight"] += 1
                return Unknown(why)
        if faults.happens(faults.late_store, "append timed out, stored later"):
            self._store_late(subject, msg_id, arrive)
            return await self._no_answer()
        if broker.replicas > 1 and faults.happens(faults.slow_store, "append slow"):
            broker.propose(subject, msg_id, arrive, slow_s := faults.up_to(SLOW_S_MAX))
            await self.clock.sleep(slow_s)
            await self.clock.sleep(0)
        else:
            arrive()
        await self.step("stored")
        if connection != broker.connection:
            return Unknown("the connection broke")
        if not answer or term != broker.term or faults.happens(faults.lose_ack, "ack lost"):
            return await self._no_answer()
        is_stored, seq = answer[0]
        return Stored(seq) if is_stored else WrongLast()

    def _store_late(self, subject: str, msg_id: str, arrive: Callable[[], None]) -> None:
        broker = self.broker
        late_s = LATE_S_MAX * self.ids.jitter()
        if broker.replicas > 1:
            broker.propose(subject, msg_id, arrive, late_s)
            return
        connection = broker.connection

        def arrived() -> None:
            if broker.connection == connection:
                arrive()

        broker.clock.call_at(broker.clock.monotonic() + late_s, arrived)

    async def _no_answer(self) -> Unknown:
        await self.clock.sleep(STORE_WAIT_S)
        return Unknown("no answer")

    async def _last(self, stream: str, subject: str) -> LogEntry | None:
        await self.reach("last")
        broker = self.broker
        if broker.replicas > 1 and not broker.has_leader:
            raise Outage("no leader answers")
        held = broker.stream(stream)
        seq = held.lasts.get(subject, 0)
        if broker.replicas > 1 and broker.is_deposed_speaking:
            older = next((old for old in reversed(held.messages) if old < seq), 0)
            is_same = older in held.messages and held.messages[older].subject == subject
            if is_same and broker.faults.happens(broker.faults.stale_last, "stale last message"):
                seq = older
        return _entry(held.messages[seq]) if seq in held.messages else None

    async def _read(self, stream: str, subject: str, from_seq: int) -> AsyncGenerator[LogEntry, None]:
        held, faults = self.broker.stream(stream), self.broker.faults
        seq = max(from_seq, 1)
        while True:
            await self.reach("read")
            if seq < min(held.messages, default=seq):
                seq = min(held.messages)
            behind = 0
            may_lag = self.broker.replicas > 1 and seq <= held.last_seq
            if may_lag and faults.happens(faults.stale_read, "stale read"):
                behind = 1 + faults.below(held.last_seq - seq + 1)
            while seq <= held.last_seq - behind:
                kept = held.messages.get(seq)
                seq += 1
                if kept is not None and kept.subject == subject:
                    yield _entry(kept)
            if behind:
                await self.clock.sleep(faults.up_to(BEHIND_S_MAX))
            else:
                await self._wait_for_more(held, seq)

    async def kept(
        self, stream: str, subjects: Sequence[str], from_seq: int = 1
    ) -> AsyncGenerator[KeptFact, None]:
        """See `port.Bus.kept`."""
        await self.reach("read")
        for kept in list(self.broker.stream(stream).messages.values()):
            if kept.seq >= from_seq and any(matches(pattern, kept.subject) for pattern in subjects):
                yield KeptFact(kept.seq, kept.subject, kept.payload, kept.headers, kept.at_ms)

    async def _offer_replays(self, consumer: DurableConsumer) -> None:
        # No step: nobody waits for this, so no process is stopped at it.
        async def handle(arrived: Arrived) -> None:
            payload, told, answer = arrived
            result = await consumer.replay(payload, told)
            if answer is not None and not answer.done():
                answer.set_result(result)

        subject = replay_subject(consumer.durable)
        consumer.replays = self._inbox_of(subject, consumer.durable, handle, 1)

    async def _wait_for_more(self, stream: MemoryStream, seq: int) -> None:
        if seq <= stream.last_seq:
            return
        waiter = asyncio.get_running_loop().create_future()
        stream.waiters.append(waiter)
        try:
            async with self.clock.timeout(FETCH_WAIT_S):
                await waiter
        except TimeoutError:
            return

    async def _purge(self, stream: str, subject: str, below_seq: int) -> None:
        await self.reach("purge")
        held = self.broker.stream(stream)
        if held.lasts.get(subject, 0) < below_seq:
            raise Defect(f"purging {subject} below {below_seq} would remove its last entry")
        gone = [seq for seq, kept in held.messages.items() if kept.subject == subject and seq < below_seq]
        for seq in gone:
            del held.messages[seq]
        self.broker.purges += bool(gone)
        await self.step("purged")

    async def open_pull(self, stream: str, durable: str, subjects: Sequence[str]) -> Pull:
        """See `base.BaseBus.open_pull`."""
        await self.reach("open")
        held = self.broker.stream(stream)
        state = held.durables.setdefault(durable, MemoryDurable(tuple(subjects)))
        if state.subjects != tuple(subjects):
            raise Defect(f"consumer {durable} of {stream} hears {state.subjects}, not {tuple(subjects)}")
        return MemoryPull(self, held, state)

    # Core

    async def tell(self, subject: str, payload: bytes) -> None:
        """See `port.Bus.tell`."""
        await self.step("tell")
        for listener in self.broker.route(subject):
            self._carry(listener, payload, subject, None)

    async def listen(self, subject: str, handler: TellHandler, queue: str = "") -> Subscription:
        """See `port.Bus.listen`."""

        async def handle(arrived: Arrived) -> None:
            await self.step("handle")
            await handler(arrived[0], arrived[1])

        return await self._hear(subject, queue, handle, 1)

    async def request(self, subject: str, payload: bytes, timeout_s: float = 5.0) -> bytes:
        """See `port.Bus.request`."""
        await self.step("request")
        heard = self.broker.route(subject)
        if self.broker.is_up and not heard:
            raise NoResponders(subject)
        answer: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        for listener in heard:
            self._carry(listener, payload, subject, answer)
        try:
            async with self.clock.timeout(timeout_s):
                result = await answer
        except TimeoutError:
            raise RequestTimeout(subject) from None
        await self.step("requested")
        return result

    async def serve(
        self, subject: str, handler: ServeHandler, queue: str = "", at_once: int = 1
    ) -> Subscription:
        """See `port.Bus.serve`."""

        async def handle(arrived: Arrived) -> None:
            await self.step("handle")
            payload, told, answer = arrived
            result = await handler(payload, told)
            if result is None or answer is None:
                return
            await self.step("answer")

            def arrive() -> None:
                if not answer.done():
                    answer.set_result(result)

            self.broker.carry(arrive)

        return await self._hear(subject, queue, handle, at_once)

    def _carry(
        self, listener: Listener, payload: bytes, subject: str, answer: asyncio.Future[bytes] | None
    ) -> None:
        self.broker.carry(lambda: listener.deliver(payload, subject, answer))

    async def _hear(
        self, pattern: str, queue: str, handle: Callable[[Arrived], Awaitable[None]], workers: int
    ) -> Subscription:
        await self.step("subscribe")
        return self._inbox_of(pattern, queue, handle, workers)

    def _inbox_of(
        self, pattern: str, queue: str, handle: Callable[[Arrived], Awaitable[None]], workers: int
    ) -> Subscription:
        async def leave() -> None:
            self.broker.unhear(listener)
            self._inboxes.pop(listener, None)

        inbox: Inbox[Arrived] = Inbox(
            self.keeper, handle, workers, f"{self.name}:{pattern}", self._dropped.inc, leave
        )
        listener = Listener(pattern, queue, lambda *arrived: inbox.put(arrived))
        self._inboxes[listener] = inbox
        self.broker.hear(listener)
        return inbox

    # Buckets

    async def bucket(self, name: str) -> Bucket:
        """See `port.Bus.bucket`."""
        if name not in self.broker.buckets:
            raise Defect(f"there is no bucket {name}")
        return MemoryBucket(self, name)


def _entry(kept: Kept) -> LogEntry:
    headers = kept.headers
    return LogEntry(
        kept.seq, kept.payload, headers.get(MSG_ID, ""), int(headers.get(EXPECTED, 0)), kept.at_ms
    )

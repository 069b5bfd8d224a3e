"""The bus in memory: the same promises as `NatsBus`, on a `MemoryBroker`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

from services.chassis.bus.base import (
    ACK_WAIT_S,
    EXPECTED,
    MSG_ID,
    BaseBus,
    Pull,
    Raw,
    StoreAnswer,
    Stored,
    WrongLast,
)
from services.chassis.bus.broker import Kept, Listener, MemoryBroker, MemoryCell, MemoryDurable, MemoryStream
from services.chassis.bus.inbox import Inbox
from services.chassis.bus.port import (
    Bucket,
    Conflict,
    KvEntry,
    LogEntry,
    NoResponders,
    RequestTimeout,
    ServeHandler,
    Subscription,
    TellHandler,
    Unknown,
)
from services.chassis.bus.registry import Registry
from services.chassis.clock import Clock
from services.chassis.errors import Defect, Outage
from services.chassis.ids import Ids
from services.chassis.metrics import Metrics

STORE_WAIT_S = 2.0
FETCH_WAIT_S = 5.0
LATE_S_MAX = 8.0

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

    async def _step(self, operation: str) -> None:
        """Be at a point where a process may be stopped, or others may run."""
        while self._resumed is not None:
            await self._resumed.wait()
        self.broker.step(self.name, operation)
        await self.clock.sleep(self.broker.faults.delay())
        if self._closed:
            raise Outage("the bus is closed")

    async def _reach(self, operation: str) -> None:
        await self._step(operation)
        if not self.broker.is_up:
            raise Outage("the broker is down")

    # Streams

    async def _store(self, stream: str, subject: str, payload: bytes, headers: dict[str, str]) -> StoreAnswer:
        await self._step("store")
        broker, faults = self.broker, self.broker.faults
        expected = headers.get(EXPECTED)

        def arrive() -> tuple[bool, int]:
            return broker.store(
                stream,
                subject,
                payload,
                headers,
                headers.get(MSG_ID, ""),
                int(expected) if expected is not None else None,
            )

        if not broker.is_up or faults.happens(faults.lose_store):
            return await self._no_answer()
        if faults.happens(faults.late_store):
            broker.clock.call_at(broker.clock.monotonic() + LATE_S_MAX * self.ids.jitter(), arrive)
            return await self._no_answer()
        is_stored, seq = arrive()
        await self._step("stored")
        if faults.happens(faults.lose_ack):
            return await self._no_answer()
        return Stored(seq) if is_stored else WrongLast()

    async def _no_answer(self) -> Unknown:
        await self.clock.sleep(STORE_WAIT_S)
        return Unknown("no answer")

    async def _last(self, stream: str, subject: str) -> LogEntry | None:
        await self._reach("last")
        held = self.broker.stream(stream)
        seq = held.lasts.get(subject, 0)
        return _entry(held.messages[seq]) if seq in held.messages else None

    async def _read(self, stream: str, subject: str, from_seq: int) -> AsyncIterator[LogEntry]:
        held = self.broker.stream(stream)
        seq = max(from_seq, 1)
        while True:
            await self._reach("read")
            if seq < min(held.messages, default=seq):
                seq = min(held.messages)
            while seq <= held.last_seq:
                kept = held.messages.get(seq)
                seq += 1
                if kept is not None and kept.subject == subject:
                    yield _entry(kept)
            await self._wait_for_more(held, seq)

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
        await self._reach("purge")
        held = self.broker.stream(stream)
        if held.lasts.get(subject, 0) < below_seq:
            raise Defect(f"purging {subject} below {below_seq} would remove its last entry")
        gone = [seq for seq, kept in held.messages.items() if kept.subject == subject and seq < below_seq]
        for seq in gone:
            del held.messages[seq]
        await self._step("purged")

    async def _open(self, stream: str, durable: str, subjects: Sequence[str]) -> Pull:
        await self._reach("open")
        held = self.broker.stream(stream)
        state = held.durables.setdefault(durable, MemoryDurable(tuple(subjects)))
        if state.subjects != tuple(subjects):
            raise Defect(f"consumer {durable} of {stream} hears {state.subjects}, not {tuple(subjects)}")
        return _MemoryPull(self, held, state)

    # Core

    async def tell(self, subject: str, payload: bytes) -> None:
        """See `port.Bus.tell`."""
        await self._step("tell")
        for listener in self.broker.route(subject):
            self._carry(listener, payload, subject, None)

    async def listen(self, subject: str, handler: TellHandler, queue: str = "") -> Subscription:
        """See `port.Bus.listen`."""

        async def handle(arrived: Arrived) -> None:
            await self._step("handle")
            await handler(arrived[0], arrived[1])

        return await self._hear(subject, queue, handle, 1)

    async def request(self, subject: str, payload: bytes, timeout_s: float = 5.0) -> bytes:
        """See `port.Bus.request`."""
        await self._step("request")
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
        await self._step("requested")
        return result

    async def serve(
        self, subject: str, handler: ServeHandler, queue: str = "", at_once: int = 1
    ) -> Subscription:
        """See `port.Bus.serve`."""

        async def handle(arrived: Arrived) -> None:
            await self._step("handle")
            payload, told, answer = arrived
            result = await handler(payload, told)
            if result is None or answer is None:
                return
            await self._step("answer")

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
        await self._step("subscribe")

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
        return _MemoryBucket(self, name)


def _entry(kept: Kept) -> LogEntry:
    headers = kept.headers
    return LogEntry(
        kept.seq, kept.payload, headers.get(MSG_ID, ""), int(headers.get(EXPECTED, 0)), kept.at_ms
    )


class _MemoryRaw:
    def __init__(self, pull: _MemoryPull, kept: Kept, attempt: int) -> None:
        self._pull = pull
        self.payload = kept.payload
        self.headers = kept.headers
        self.subject = kept.subject
        self.seq = kept.seq
        self.attempt = attempt
        self.at_ms = kept.at_ms

    async def ack(self) -> None:
        await self._pull.settle(self.seq)

    async def nak(self, delay_s: float) -> None:
        await self._pull.settle(self.seq, again_in_s=delay_s)

    async def term(self) -> None:
        await self._pull.settle(self.seq)


class _MemoryPull:
    def __init__(self, bus: MemoryBus, stream: MemoryStream, state: MemoryDurable) -> None:
        self._bus = bus
        self._stream = stream
        self._state = state

    async def fetch(self, batch: int, linger_s: float) -> Sequence[Raw]:
        bus = self._bus
        await bus._reach("fetch")
        taken = self._take(batch)
        if not taken:
            await self._wait(FETCH_WAIT_S)
            taken = self._take(batch)
        if taken and linger_s and len(taken) < batch:
            await bus.clock.sleep(linger_s)
            taken += self._take(batch - len(taken))
        return taken

    async def close(self) -> None:
        return

    async def settle(self, seq: int, again_in_s: float | None = None) -> None:
        bus = self._bus
        await bus._reach("acknowledge")
        if bus.broker.faults.happens(bus.broker.faults.lose_delivery_ack):
            return
        if again_in_s is None:
            self._state.due.pop(seq, None)
            self._state.attempts.pop(seq, None)
        elif seq in self._state.due:
            self._state.due[seq] = bus.broker.clock.monotonic() + again_in_s

    def _take(self, batch: int) -> list[Raw]:
        broker = self._bus.broker
        again_at = broker.clock.monotonic() + ACK_WAIT_S
        kepts = broker.next_for(self._stream, self._state, batch, again_at)
        return [_MemoryRaw(self, kept, self._state.attempts[kept.seq]) for kept in kepts]

    async def _wait(self, seconds: float) -> None:
        now = self._bus.broker.clock.monotonic()
        first_due = min(self._state.due.values(), default=now + seconds)
        waiter = asyncio.get_running_loop().create_future()
        self._stream.waiters.append(waiter)
        try:
            async with self._bus.clock.timeout(max(0.0, min(seconds, first_due - now))):
                await waiter
        except TimeoutError:
            return


class _MemoryBucket:
    def __init__(self, bus: MemoryBus, name: str) -> None:
        self._bus = bus
        self._state = bus.broker.buckets[name]

    async def get(self, key: str) -> KvEntry | None:
        await self._bus._reach("get")
        cell = self._living(key)
        return KvEntry(key, cell.value, cell.revision) if cell else None

    async def put(self, key: str, value: bytes) -> int:
        await self._bus._reach("put")
        return await self._set(key, value)

    async def create(self, key: str, value: bytes) -> int:
        await self._bus._reach("create")
        if self._living(key):
            raise Conflict(key)
        return await self._set(key, value)

    async def update(self, key: str, value: bytes, revision: int) -> int:
        await self._bus._reach("update")
        cell = self._living(key)
        if cell is None or cell.revision != revision:
            raise Conflict(key)
        return await self._set(key, value)

    async def delete(self, key: str, revision: int | None = None) -> None:
        await self._bus._reach("delete")
        cell = self._living(key)
        if revision is not None and (cell is None or cell.revision != revision):
            raise Conflict(key)
        self._state.cells.pop(key, None)
        self._state.revision += 1
        await self._done()

    async def keys(self) -> list[str]:
        await self._bus._reach("keys")
        return sorted(key for key in list(self._state.cells) if self._living(key))

    async def entries(self) -> list[KvEntry]:
        await self._bus._reach("entries")
        living = [(key, self._living(key)) for key in sorted(self._state.cells)]
        return [KvEntry(key, cell.value, cell.revision) for key, cell in living if cell]

    def _living(self, key: str) -> MemoryCell | None:
        cell = self._state.cells.get(key)
        if cell is not None and cell.expires_at <= self._bus.broker.clock.monotonic():
            del self._state.cells[key]
            return None
        return cell

    async def _set(self, key: str, value: bytes) -> int:
        self._state.revision += 1
        ttl_s = self._state.spec.ttl_s
        expires_at = self._bus.broker.clock.monotonic() + ttl_s if ttl_s else float("inf")
        self._state.cells[key] = MemoryCell(value, self._state.revision, expires_at)
        revision = self._state.revision
        await self._done()
        return revision

    async def _done(self) -> None:
        await self._bus._step("written")
        faults = self._bus.broker.faults
        if faults.happens(faults.lose_ack):
            await self._bus.clock.sleep(STORE_WAIT_S)
            raise Outage("no answer")

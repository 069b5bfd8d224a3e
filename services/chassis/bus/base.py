"""What the bus promises beyond what carries it: retries until known, batches, defects to the `DLQ`.

`NatsBus` and `MemoryBus` give the primitives; the promises are kept here, once.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from google.protobuf.message import DecodeError, Message

from services.chassis import log
from services.chassis.bus.port import (
    PAYLOAD_BYTES_MAX,
    PUBLISH_WAIT_S,
    AppendAnswer,
    Consumer,
    Delivery,
    Durable,
    Fenced,
    FencedOff,
    Handler,
    LogEntry,
    Unknown,
)
from services.chassis.bus.registry import DLQ, ROOT, Registry, event_of, subject_of, subjects_by_stream
from services.chassis.clock import Clock
from services.chassis.errors import Defect, Outage
from services.chassis.ids import Ids
from services.chassis.metrics import Metrics

MSG_ID = "Nats-Msg-Id"
EXPECTED = "Nats-Expected-Last-Subject-Sequence"
EVENT_ID = "Paiju-Event-Id"
TYPE = "Paiju-Type"

RETRY_S = (0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
"""Waits between tries; the last one repeats. Each is shortened or lengthened by up to half."""

ACK_WAIT_S = 60.0
"""A delivery that nobody has answered by then is given to another."""

NAK_S_MAX = 30.0
IN_FLIGHT_MAX = 1000
"""Deliveries of one durable consumer that may be out at a time, over all processes."""


@dataclass(frozen=True, slots=True)
class Stored:
    """The stream has it (a duplicate is had already)."""

    seq: int


@dataclass(frozen=True, slots=True)
class WrongLast:
    """The stream refused it: the subject's last message is another than expected."""


StoreAnswer = Stored | WrongLast | Unknown


class Raw(Protocol):
    """A delivery as it comes from the stream."""

    payload: bytes
    headers: dict[str, str]
    subject: str
    seq: int
    attempt: int
    at_ms: int

    async def ack(self) -> None:
        """Say that it is done."""

    async def nak(self, delay_s: float) -> None:
        """Ask for it again after `delay_s`."""

    async def term(self) -> None:
        """Say that it is never to come again."""


class Pull(Protocol):
    """An open durable pull consumer of one stream."""

    async def fetch(self, batch: int, linger_s: float) -> Sequence[Raw]:
        """Wait for at least one delivery (some seconds, else return none); raise `Outage` when broken."""

    async def close(self) -> None:
        """Give back what was not fetched."""


class Keeper:
    """Holds the tasks of a bus, so that none is lost; a crash of one is told to the process."""

    def __init__(self) -> None:
        self.on_crash: Callable[[BaseException], None] | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    def keep(self, coro: Coroutine[Any, Any, None], name: str) -> asyncio.Task[None]:
        """Run a coroutine as a task."""
        task = asyncio.get_running_loop().create_task(coro, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._done)
        return task

    def cancel(self) -> None:
        """End all tasks, waiting for none."""
        for task in list(self._tasks):
            task.cancel()

    async def end(self) -> None:
        """End all tasks, and wait for their end."""
        tasks = [task for task in self._tasks if task is not asyncio.current_task()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.get().error("bus_task_crashed", task=task.get_name(), exc_info=error)
            if self.on_crash is not None:
                self.on_crash(error)


class BaseBus(ABC):
    """The promises of `port.Bus` over the primitives of one carrier."""

    def __init__(self, registry: Registry, clock: Clock, ids: Ids, metrics: Metrics) -> None:
        self.registry = registry
        self.clock = clock
        self.ids = ids
        self.keeper = Keeper()
        self._consumers: list[_Consumer] = []
        labels = ["durable", "result"]
        self._consumed = metrics.counter(
            "bus_deliveries", "Deliveries handled, by what became of them", labels
        )
        self._published = metrics.counter("bus_published", "Facts stored", ["type"])
        self._resent = metrics.counter("bus_resent", "Stores sent again because the outcome was unknown")

    # Primitives

    @abstractmethod
    async def _store(self, stream: str, subject: str, payload: bytes, headers: dict[str, str]) -> StoreAnswer:
        """Send once and say what is known; never raise for the world's failures."""

    @abstractmethod
    async def _last(self, stream: str, subject: str) -> LogEntry | None:
        """Return the last message of a subject from the stream's leader, or raise `Outage`."""

    @abstractmethod
    async def _open(self, stream: str, durable: str, subjects: Sequence[str]) -> Pull:
        """Open a durable pull consumer, making it if need be, or raise `Outage`."""

    @abstractmethod
    def _read(self, stream: str, subject: str, from_seq: int) -> AsyncIterator[LogEntry]: ...

    @abstractmethod
    async def _purge(self, stream: str, subject: str, below_seq: int) -> None: ...

    # Promises

    async def publish(self, message: Message, event_id: str) -> int:
        """See `port.Bus.publish`."""
        event = event_of(message)
        if not event.stream:
            raise Defect(f"{event.name} is kept by no stream: tell it")
        payload = message.SerializeToString()
        _check_size(payload, event.name)
        headers = {MSG_ID: event_id, EVENT_ID: event_id, TYPE: event.name}
        async with _Within(self.clock, PUBLISH_WAIT_S, f"{event.name} was not acknowledged"):
            seq = await self._store_until_known(event.stream, subject_of(message), payload, headers)
        self._published.labels(event.name).inc()
        return seq

    async def append(self, subject: str, payload: bytes, expected_last: int, msg_id: str) -> int:
        """See `port.Bus.append`."""
        tries = 0
        while True:
            answer = await self.append_once(subject, payload, expected_last, msg_id)
            if isinstance(answer, Durable):
                return answer.seq
            if isinstance(answer, FencedOff):
                raise Fenced(subject, expected_last, answer.last)
            self._resent.inc()
            self._complain(tries, subject, answer.why)
            await self._pause(tries)
            tries += 1

    async def append_once(
        self, subject: str, payload: bytes, expected_last: int, msg_id: str
    ) -> AppendAnswer:
        """See `port.Bus.append_once`."""
        _check_size(payload, subject)
        stream = self.registry.stream_of_log(subject)
        headers = {MSG_ID: msg_id, EXPECTED: str(expected_last)}
        answer = await self._store(stream, subject, payload, headers)
        if isinstance(answer, Stored):
            return Durable(answer.seq)
        if isinstance(answer, Unknown):
            return answer
        try:
            last = await self._last(stream, subject)
        except Outage as outage:
            return Unknown(f"refused, and the last entry can't be read: {outage}")
        if last is not None and last.msg_id == msg_id:
            return Durable(last.seq)
        found = last.seq if last is not None else 0
        if found == expected_last:
            # Refused, and yet the last entry meets the expectation: leaders changed in between. Ask again.
            return Unknown("refused, though the last entry is the expected one")
        return FencedOff(found)

    async def last(self, subject: str) -> LogEntry | None:
        """See `port.Bus.last`."""
        return await self._last(self.registry.stream_of_log(subject), subject)

    def read(self, subject: str, from_seq: int = 1) -> AsyncIterator[LogEntry]:
        """See `port.Bus.read`."""
        return self._read(self.registry.stream_of_log(subject), subject, from_seq)

    async def purge(self, subject: str, below_seq: int) -> None:
        """See `port.Bus.purge`."""
        await self._purge(self.registry.stream_of_log(subject), subject, below_seq)

    async def consume(
        self,
        durable: str,
        types: Sequence[type[Message]],
        handler: Handler,
        batch: int = 1,
        linger_s: float = 0.0,
    ) -> Consumer:
        """See `port.Bus.consume`."""
        classes = {f"{event_of(cls).prefix}": cls for cls in types}
        consumer = _Consumer(self, durable, classes, handler, min(batch, IN_FLIGHT_MAX), linger_s)
        for stream, subjects in subjects_by_stream(types).items():
            consumer.begin(stream, subjects)
        self._consumers.append(consumer)
        return consumer

    async def _end_consumers(self) -> None:
        for consumer in list(self._consumers):
            await consumer.stop()

    async def _store_until_known(
        self, stream: str, subject: str, payload: bytes, headers: dict[str, str]
    ) -> int:
        tries = 0
        while True:
            answer = await self._store(stream, subject, payload, headers)
            if isinstance(answer, Stored):
                return answer.seq
            assert isinstance(answer, Unknown), "only a log's append expects a sequence"
            self._resent.inc()
            self._complain(tries, subject, answer.why)
            await self._pause(tries)
            tries += 1

    def _complain(self, tries: int, subject: str, why: str) -> None:
        """Say now and then that the outcome of a store isn't known yet: it may never be, if something is
        set up wrongly.
        """
        if tries in (1, 5) or tries % 30 == 29:
            log.get().warning("store_sent_again", subject=subject, tries=tries + 1, why=why)

    async def _pause(self, tries: int) -> None:
        await self.clock.sleep(RETRY_S[min(tries, len(RETRY_S) - 1)] * (0.5 + self.ids.jitter()))


class _Consumer:
    """One durable name over the streams of its types; one loop per stream."""

    def __init__(
        self,
        bus: BaseBus,
        durable: str,
        classes: dict[str, type[Message]],
        handler: Handler,
        batch: int,
        linger_s: float,
    ) -> None:
        self._bus = bus
        self._durable = durable
        self._classes = classes
        self._handler = handler
        self._batch = batch
        self._linger_s = linger_s
        self._tasks: list[asyncio.Task[None]] = []
        self._idle = asyncio.Event()
        self._busy = 0
        self._stopping = False

    def begin(self, stream: str, subjects: Sequence[str]) -> None:
        name = f"consume-{self._durable}-{stream}"
        self._tasks.append(self._bus.keeper.keep(self._loop(stream, subjects), name))

    async def stop(self) -> None:
        """See `port.Consumer.stop`."""
        self._stopping = True
        while self._busy:
            self._idle.clear()
            await self._idle.wait()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self in self._bus._consumers:
            self._bus._consumers.remove(self)

    async def _loop(self, stream: str, subjects: Sequence[str]) -> None:
        failures = 0
        while not self._stopping:
            pull: Pull | None = None
            try:
                pull = await self._bus._open(stream, self._durable, subjects)
                while not self._stopping:
                    raws = await pull.fetch(self._batch, self._linger_s)
                    failures = 0
                    if raws and not self._stopping:
                        await self._take(stream, raws)
            except Outage as outage:
                log.get().warning(
                    "consumer_interrupted", durable=self._durable, stream=stream, why=str(outage)
                )
                await self._bus._pause(failures)
                failures += 1
            finally:
                if pull is not None:
                    await pull.close()

    async def _take(self, stream: str, raws: Sequence[Raw]) -> None:
        self._busy += 1
        try:
            pairs: list[tuple[Raw, Delivery[Message]]] = []
            for raw in raws:
                try:
                    pairs.append((raw, self._decode(raw)))
                except (DecodeError, Defect) as error:
                    await self._bury(stream, raw, error)
            if pairs:
                await self._handle(stream, pairs)
        finally:
            self._busy -= 1
            self._idle.set()

    def _decode(self, raw: Raw) -> Delivery[Message]:
        cls = self._classes.get(raw.subject.rpartition(".")[0])
        if cls is None:
            raise Defect(f"{raw.subject} is no subject of {self._durable}")
        event_id = raw.headers.get(EVENT_ID) or raw.headers.get(MSG_ID, "")
        return Delivery(cls.FromString(raw.payload), event_id, raw.seq, raw.subject, raw.attempt, raw.at_ms)

    async def _handle(self, stream: str, pairs: Sequence[tuple[Raw, Delivery[Message]]]) -> None:
        try:
            await self._handler([delivery for _, delivery in pairs])
        except Outage as outage:
            longest = max(raw.attempt for raw, _ in pairs)
            delay_s = min(NAK_S_MAX, 0.1 * 2 ** min(longest, 10)) * (0.5 + self._bus.ids.jitter() / 2)
            log.get().warning(
                "deliveries_postponed",
                durable=self._durable,
                count=len(pairs),
                delay_s=delay_s,
                why=str(outage),
            )
            self._count("postponed", len(pairs))
            await self._settle(raw.nak(delay_s) for raw, _ in pairs)
        except Exception as error:  # noqa: BLE001 - whatever else a handler raises is a defect, and goes to the DLQ
            if len(pairs) > 1:
                for pair in pairs:
                    await self._handle(stream, [pair])
            else:
                await self._bury(stream, pairs[0][0], error)
        else:
            self._count("done", len(pairs))
            await self._settle(raw.ack() for raw, _ in pairs)

    async def _settle(self, answers: Any) -> None:
        for answer in answers:
            await _quietly(answer)

    async def _bury(self, stream: str, raw: Raw, error: Exception) -> None:
        """Write a defect to the `DLQ`, and only when it is there say that the delivery is over."""
        log.get().error(
            "delivery_failed",
            durable=self._durable,
            stream=stream,
            seq=raw.seq,
            subject=raw.subject,
            exc_info=error,
        )
        headers = {
            MSG_ID: f"{self._durable}/{stream}/{raw.seq}",
            "Paiju-Reason": f"{type(error).__name__}: {error}".replace("\r", " ").replace("\n", " ")[:500],
            "Paiju-Durable": self._durable,
            "Paiju-Stream": stream,
            "Paiju-Seq": str(raw.seq),
            "Paiju-Subject": raw.subject,
            EVENT_ID: raw.headers.get(EVENT_ID, ""),
        }
        await self._bus._store_until_known(DLQ, f"{ROOT}.dlq.{self._durable}", raw.payload, headers)
        self._count("defect", 1)
        await _quietly(raw.term())

    def _count(self, result: str, n: int) -> None:
        self._bus._consumed.labels(self._durable, result).inc(n)


async def _quietly(answer: Awaitable[None]) -> None:
    """Send an acknowledgement; a lost one only means that the delivery comes again."""
    try:
        await answer
    except Outage as outage:
        log.get().warning("acknowledgement_lost", why=str(outage))


def _check_size(payload: bytes, what: str) -> None:
    if len(payload) > PAYLOAD_BYTES_MAX:
        raise Defect(f"{what}: {len(payload)} bytes are more than {PAYLOAD_BYTES_MAX}")


class _Within:
    """Turn the clock's timeout into an outage."""

    def __init__(self, clock: Clock, seconds: float, what: str) -> None:
        self._timeout = clock.timeout(seconds)
        self._what = what

    async def __aenter__(self) -> None:
        await self._timeout.__aenter__()

    async def __aexit__(self, kind: Any, error: Any, trace: Any) -> None:
        try:
            await self._timeout.__aexit__(kind, error, trace)
        except TimeoutError:
            raise Outage(self._what) from None

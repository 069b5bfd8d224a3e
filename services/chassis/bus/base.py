"""What the bus promises beyond what carries it: stores that are sent again until they are known.

`NatsBus` and `MemoryBus` give the primitives; the promises are kept here, once.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Sequence
from typing import Any

from google.protobuf.message import Message

from services.chassis import log
from services.chassis.bus.carrier import (
    ACK_WAIT_S,
    EVENT_ID,
    EXPECTED,
    IN_FLIGHT_MAX,
    MSG_ID,
    RETRY_S,
    TYPE,
    Keeper,
    Pull,
    Raw,
    StoreAnswer,
    Stored,
    WrongLast,
)
from services.chassis.bus.consumer import DurableConsumer
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
    KeptFact,
    LogEntry,
    Unknown,
)
from services.chassis.bus.registry import Registry, event_of, subject_of, subjects_by_stream
from services.chassis.clock import Clock
from services.chassis.errors import Defect, Outage
from services.chassis.ids import Ids
from services.chassis.metrics import Metrics

__all__ = [
    "ACK_WAIT_S",
    "EVENT_ID",
    "EXPECTED",
    "IN_FLIGHT_MAX",
    "MSG_ID",
    "BaseBus",
    "Keeper",
    "Pull",
    "Raw",
    "StoreAnswer",
    "Stored",
    "WrongLast",
]


class BaseBus(ABC):
    """The promises of `port.Bus` over the primitives of one carrier."""

    def __init__(self, registry: Registry, clock: Clock, ids: Ids, metrics: Metrics) -> None:
        self.registry = registry
        self.clock = clock
        self.ids = ids
        self.keeper = Keeper()
        self.consumers: list[DurableConsumer] = []
        labels = ["durable", "result"]
        self.deliveries = metrics.counter(
            "bus_deliveries", "Deliveries handled, by what became of them", labels
        )
        self.lag = metrics.gauge(
            "bus_lag", "Facts stored and not yet handed to a consumer", ["durable", "stream"]
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
    async def open_pull(self, stream: str, durable: str, subjects: Sequence[str]) -> Pull:
        """Open a durable pull consumer, making it if need be, or raise `Outage`."""

    @abstractmethod
    def _read(self, stream: str, subject: str, from_seq: int) -> AsyncGenerator[LogEntry, None]: ...

    @abstractmethod
    def kept(self, stream: str, subjects: Sequence[str], from_seq: int = 1) -> AsyncGenerator[KeptFact, None]:
        """See `port.Bus.kept`."""

    @abstractmethod
    async def _offer_replays(self, consumer: DurableConsumer) -> None:
        """Begin to serve `registry.replay_subject` by `consumer.replay`, without waiting for the broker."""

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
            seq = await self.store_until_known(event.stream, subject_of(message), payload, headers)
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
            await self.pause_before_retry(tries)
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

    def read(self, subject: str, from_seq: int = 1) -> AsyncGenerator[LogEntry, None]:
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
        consumer = DurableConsumer(self, durable, classes, handler, min(batch, IN_FLIGHT_MAX), linger_s)
        for stream, subjects in subjects_by_stream(types).items():
            consumer.begin(stream, subjects)
        self.consumers.append(consumer)
        await self._offer_replays(consumer)
        return consumer

    async def sweep(
        self, durable: str, types: Sequence[type[Message]], handler: Handler, batch: int = 1
    ) -> None:
        """See `port.Bus.sweep`."""
        failed: list[Outage] = []

        async def remember(deliveries: Sequence[Delivery[Message]]) -> None:
            if failed:
                raise failed[0]
            try:
                await handler(deliveries)
            except Outage as outage:
                failed.append(outage)
                raise

        classes = {f"{event_of(cls).prefix}": cls for cls in types}
        consumer = DurableConsumer(self, durable, classes, remember, min(batch, IN_FLIGHT_MAX), 0.0)
        for stream, subjects in subjects_by_stream(types).items():
            await consumer.sweep(stream, subjects)
            if failed:
                raise failed[0]

    async def _end_consumers(self) -> None:
        for consumer in list(self.consumers):
            await consumer.stop()

    async def store_until_known(
        self, stream: str, subject: str, payload: bytes, headers: dict[str, str]
    ) -> int:
        """Store a fact: send it again until the stream has answered."""
        tries = 0
        while True:
            answer = await self._store(stream, subject, payload, headers)
            if isinstance(answer, Stored):
                return answer.seq
            assert isinstance(answer, Unknown), "only a log's append expects a sequence"
            self._resent.inc()
            self._complain(tries, subject, answer.why)
            await self.pause_before_retry(tries)
            tries += 1

    def _complain(self, tries: int, subject: str, why: str) -> None:
        """Say now and then that the outcome of a store isn't known yet: it may never be, if something is
        set up wrongly.
        """
        if tries in (1, 5) or tries % 30 == 29:
            log.get().warning("store_sent_again", subject=subject, tries=tries + 1, why=why)

    async def pause_before_retry(self, tries: int) -> None:
        """Wait before a next try, longer each time, each process a little differently."""
        await self.clock.sleep(RETRY_S[min(tries, len(RETRY_S) - 1)] * (0.5 + self.ids.jitter()))


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

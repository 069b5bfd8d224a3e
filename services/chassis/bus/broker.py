"""A broker in memory: streams, durable consumers, buckets and core subjects, with seeded faults.

One broker serves several buses, as one NATS server serves several processes. It answers as NATS 2.15 does,
for one replica (`replicas=1`: the expected sequence is checked first) and for three (duplicates by id first).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from services.chassis.bus.registry import BucketSpec, Registry
from services.chassis.clock import Clock
from services.chassis.errors import Defect
from services.chassis.ids import SeededIds

DEDUPE_S = 120.0


@dataclass
class Faults:
    """How often the world fails, as probabilities of one event; all draws come from one seed."""

    seed: int
    lose_store: float = 0.0
    """A store request never arrives."""
    late_store: float = 0.0
    """It arrives, but seconds after the sender has lost patience (and maybe sent again, or died)."""
    lose_ack: float = 0.0
    """It is done, and the answer is lost."""
    lose_told: float = 0.0
    """A core message (also a request or its answer) is lost."""
    repeat_told: float = 0.0
    """A core message arrives twice."""
    delay_s: float = 0.0
    """Core messages, requests and answers take from 0 to so long; later ones may overtake."""
    lose_delivery_ack: float = 0.0
    """A consumer's acknowledgement is lost: the delivery comes again."""
    active: bool = True
    """Set it to False to let the world heal."""

    def __post_init__(self) -> None:
        self._ids = SeededIds(self.seed)

    def happens(self, probability: float) -> bool:
        """Draw once."""
        return self.active and probability > 0 and self._ids.jitter() < probability

    def delay(self) -> float:
        """Draw how long a message takes."""
        return self._ids.jitter() * self.delay_s if self.active and self.delay_s else 0.0


@dataclass(slots=True)
class Kept:
    """A message in a stream."""

    seq: int
    subject: str
    payload: bytes
    headers: dict[str, str]
    at_ms: int


@dataclass
class MemoryStream:
    """One stream: messages by sequence, and the ids of the last two minutes."""

    name: str
    subjects: tuple[str, ...]
    max_age_s: float = 0.0
    messages: dict[int, Kept] = field(default_factory=dict)
    last_seq: int = 0
    ids: dict[str, tuple[int, float]] = field(default_factory=dict)
    lasts: dict[str, int] = field(default_factory=dict)
    durables: dict[str, MemoryDurable] = field(default_factory=dict)
    waiters: list[asyncio.Future[None]] = field(default_factory=list)

    def wake(self) -> None:
        """Let all who wait for a message look again."""
        waiters, self.waiters = self.waiters, []
        for waiter in waiters:
            if not waiter.done():
                waiter.set_result(None)


@dataclass
class MemoryDurable:
    """How far a durable consumer is: what is next, what is out, what comes again."""

    subjects: tuple[str, ...]
    next_seq: int = 1
    attempts: dict[int, int] = field(default_factory=dict)
    due: dict[int, float] = field(default_factory=dict)
    """Deliveries out: sequence → when they come again unless answered."""


@dataclass
class MemoryCell:
    """One key of a bucket."""

    value: bytes
    revision: int
    expires_at: float


@dataclass
class MemoryBucketState:
    """One bucket."""

    spec: BucketSpec
    revision: int = 0
    cells: dict[str, MemoryCell] = field(default_factory=dict)


@dataclass(eq=False)
class Listener:
    """Somebody who listens to a subject on some bus."""

    pattern: str
    queue: str
    deliver: Callable[[bytes, str, asyncio.Future[bytes] | None], None]
    """(payload, subject, where to put the answer to a request)"""


class MemoryBroker:
    """See the module. Make one, and a `MemoryBus` on it per simulated process."""

    def __init__(
        self, registry: Registry, clock: Clock, replicas: int = 1, faults: Faults | None = None
    ) -> None:
        self.clock = clock
        self.replicas = replicas
        self.faults = faults or Faults(0, active=False)
        self.streams: dict[str, MemoryStream] = {}
        self.buckets: dict[str, MemoryBucketState] = {}
        self.listeners: list[Listener] = []
        self.is_up = True
        """Set it to False to stop the broker: stores are unknown, reads are outages, core messages are
        lost.
        """
        self.step: Callable[[str, str], None] = lambda bus, operation: None
        """Called with (name of the bus, operation) before and after each operation: a simulation may crash
        a process here.
        """
        self._turn = 0
        self.ensure(registry)

    def ensure(self, registry: Registry) -> None:
        """Make the streams and buckets of a registry that aren't there."""
        for spec in registry.streams:
            stream = self.streams.setdefault(
                spec.name, MemoryStream(spec.name, spec.subjects, spec.max_age_s)
            )
            stream.subjects = tuple(sorted({*stream.subjects, *spec.subjects}))
        for bucket in registry.buckets.values():
            self.buckets.setdefault(bucket.name, MemoryBucketState(bucket))

    # Streams

    def stream(self, name: str) -> MemoryStream:
        """Return a stream, without what has grown too old."""
        stream = self.streams.get(name)
        if stream is None:
            raise Defect(f"there is no stream {name}")
        if stream.max_age_s:
            oldest = self.clock.now_ms() - stream.max_age_s * 1000
            for seq in [seq for seq, kept in stream.messages.items() if kept.at_ms < oldest]:
                del stream.messages[seq]
        return stream

    def store(
        self,
        name: str,
        subject: str,
        payload: bytes,
        headers: dict[str, str],
        msg_id: str,
        expected: int | None,
    ) -> tuple[bool, int]:
        """Store a message; return (True, its sequence), or (False, the subject's last sequence) if that
        wasn't expected.
        """
        stream = self.stream(name)
        if not any(matches(pattern, subject) for pattern in stream.subjects):
            raise Defect(f"stream {name} has no subject {subject}")
        now = self.clock.monotonic()
        before = stream.ids.get(msg_id)
        is_duplicate = before is not None and now - before[1] < DEDUPE_S
        last = stream.lasts.get(subject, 0)
        if is_duplicate and self.replicas > 1:
            assert before is not None
            return True, before[0]
        if expected is not None and expected != last:
            return False, last
        if is_duplicate:
            assert before is not None
            return True, before[0]
        stream.last_seq += 1
        seq = stream.last_seq
        stream.messages[seq] = Kept(seq, subject, payload, dict(headers), self.clock.now_ms())
        stream.lasts[subject] = seq
        if msg_id:
            stream.ids[msg_id] = (seq, now)
        stream.wake()
        return True, seq

    def next_for(
        self, stream: MemoryStream, durable: MemoryDurable, batch: int, again_at: float
    ) -> list[Kept]:
        """Hand out at most `batch` messages: what is due again first, then what is new."""
        now = self.clock.monotonic()
        again = sorted(seq for seq, due in durable.due.items() if due <= now)[:batch]
        taken: list[Kept] = []
        for seq in again:
            kept = stream.messages.get(seq)
            if kept is None:
                del durable.due[seq]
            else:
                taken.append(kept)
        while len(taken) < batch and durable.next_seq <= stream.last_seq:
            kept = stream.messages.get(durable.next_seq)
            durable.next_seq += 1
            if kept is not None and any(matches(pattern, kept.subject) for pattern in durable.subjects):
                taken.append(kept)
        for kept in taken:
            durable.due[kept.seq] = again_at
            durable.attempts[kept.seq] = durable.attempts.get(kept.seq, 0) + 1
        return taken

    # Core

    def hear(self, listener: Listener) -> None:
        """Add a listener."""
        self.listeners.append(listener)

    def unhear(self, listener: Listener) -> None:
        """Remove a listener."""
        if listener in self.listeners:
            self.listeners.remove(listener)

    def route(self, subject: str) -> list[Listener]:
        """Return who gets a message: everyone without a queue, and one of each queue in turn."""
        heard = [listener for listener in self.listeners if matches(listener.pattern, subject)]
        chosen = [listener for listener in heard if not listener.queue]
        queues: dict[str, list[Listener]] = {}
        for listener in heard:
            if listener.queue:
                queues.setdefault(listener.queue, []).append(listener)
        for group in queues.values():
            self._turn += 1
            chosen.append(group[self._turn % len(group)])
        return chosen

    def carry(self, arrive: Callable[[], None]) -> None:
        """Let a core message arrive: maybe late, twice, or never."""
        if not self.is_up or self.faults.happens(self.faults.lose_told):
            return
        for _ in range(1 + self.faults.happens(self.faults.repeat_told)):
            delay = self.faults.delay()
            if delay:
                self.clock.call_at(self.clock.monotonic() + delay, arrive)
            else:
                arrive()


def matches(pattern: str, subject: str) -> bool:
    """Return whether a subject fits a NATS pattern (`*` one part, `>` the rest)."""
    if pattern == subject:
        return True
    want, have = pattern.split("."), subject.split(".")
    for number, part in enumerate(want):
        if part == ">":
            return len(have) > number
        if number >= len(have) or part not in ("*", have[number]):
            return False
    return len(want) == len(have)

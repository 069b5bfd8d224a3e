"""A broker in memory: streams, durable consumers, buckets and core subjects, with seeded faults.

One broker serves several buses, as one NATS server serves several processes. It answers as NATS 2.15 does,
for one replica (`replicas=1`: the expected sequence is checked first) and for three (duplicates by id first,
whatever the content; a store is proposed by a leader, and may be lost or kept when the leader changes).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from services.chassis.bus.broker_faults import Faults
from services.chassis.bus.registry import BucketSpec, Registry
from services.chassis.clock import Clock, Timer
from services.chassis.errors import Defect

__all__ = ["Faults", "MemoryBroker"]

DEDUPE_S = 120.0

LATE_TOLD_S_MAX = 3.0
DEPOSED_S = 2.0
"""So long after an election the old leader may still answer for the newest message."""


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


@dataclass(eq=False)
class Proposal:
    """Three replicas: a store that the leader has taken and the others have not agreed to yet."""

    subject: str
    msg_id: str
    commit: Callable[[], None]
    timer: Timer
    is_dropped: bool = False


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
        self.connection = 0
        """Counts restarts: what was under way between the broker and its clients is lost with each."""
        self.term = 0
        """Counts leaders (three replicas)."""
        self.purges = 0
        """How often something was purged."""
        self.proposals: list[Proposal] = []
        self.leader_at = 0.0
        """Three replicas: until then nobody leads, and stores have no one to answer them."""
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

    # Three replicas

    @property
    def has_leader(self) -> bool:
        """Whether somebody answers stores."""
        return self.is_up and self.clock.monotonic() >= self.leader_at

    @property
    def is_deposed_speaking(self) -> bool:
        """Whether a leader that was deposed may still answer."""
        return bool(self.term) and self.clock.monotonic() < self.leader_at + DEPOSED_S

    def propose(self, subject: str, msg_id: str, commit: Callable[[], None], after_s: float) -> Proposal:
        """Commit a store after a while, unless the leader changes first and it is lost."""

        def agreed() -> None:
            self.proposals.remove(made)
            commit()

        timer = self.clock.call_at(self.clock.monotonic() + after_s, agreed)
        made = Proposal(subject, msg_id, commit, timer)
        self.proposals.append(made)
        return made

    def conflict(self, subject: str, msg_id: str) -> str:
        """Say why a store can't be taken now: another of its subject, or itself, is still being agreed on."""
        for proposal in self.proposals:
            if proposal.subject == subject:
                return "10158 the same is in flight" if proposal.msg_id == msg_id else "10164 in flight"
        return ""

    def change_leader(self, election_s: float) -> None:
        """Elect another leader: whatever was being agreed on is stored, or lost for ever."""
        self.term += 1
        self.leader_at = self.clock.monotonic() + election_s
        proposals, self.proposals = self.proposals, []
        for proposal in proposals:
            proposal.timer.cancel()
            if self.faults.below(2):
                self.faults.counts["append kept by a leader change"] += 1
                proposal.commit()
            else:
                self.faults.counts["append lost by a leader change"] += 1
                proposal.is_dropped = True

    def stop(self) -> None:
        """Die as by SIGKILL: all that is acknowledged is kept, what is under way is not."""
        self.is_up = False
        self.connection += 1
        if self.proposals:
            self.change_leader(0.0)

    def start(self) -> None:
        """Serve again."""
        self.is_up = True

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
        faults = self.faults
        if not self.is_up or faults.happens(faults.lose_told, "message dropped"):
            return
        for _ in range(1 + faults.happens(faults.repeat_told, "message doubled")):
            delay = faults.delay()
            if faults.happens(faults.late_told, "message delayed"):
                delay += faults.up_to(LATE_TOLD_S_MAX)
            if delay:
                self._later(delay, arrive)
            else:
                arrive()

    def _later(self, delay: float, arrive: Callable[[], None]) -> None:
        connection = self.connection

        def arrived() -> None:
            if self.connection == connection:
                arrive()

        self.clock.call_at(self.clock.monotonic() + delay, arrived)


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

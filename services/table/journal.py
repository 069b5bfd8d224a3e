"""The log of one shard, as its owner writes it: group commit, and nothing leaves before it is durable.

One append is in flight; what is staged meanwhile goes into the next. Whatever depends on staged events is
held and released, in order, once they are acknowledged. `Fenced` ends it in silence.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from typing import Protocol

from services.chassis.bus.port import Bus, Fenced
from services.chassis.clock import Clock
from services.chassis.metrics import Metrics
from services.table.core.events import ENTRY_BYTES, Answered, AnyEvent, encode_event, join_batch

BATCH_BYTES_MAX = 200 * 1024
"""At 1 MiB with headers the server would close the connection; a batch stays far below."""

BATCH_EVENTS_MAX = 512
STAGED_MAX = 20_000
"""More than this waiting for the log: commands are left unanswered, and the gateway sends them again."""

EVENTS_BUCKETS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 64, 128, 256, 512)
"""Of the histogram of events per append; checkpoints are no events."""

STALL_S = 2.0
"""An append that takes longer was an outage: nobody's time runs out in it."""

Release = Callable[[], None]
Entry = tuple[str, AnyEvent]
Encoded = tuple[str, AnyEvent, bytes]
"""Table, event, and the event as it will stand in the log."""


class Seq(Protocol):
    """What is told about acknowledged batches."""

    def __call__(self, seq: int, entries: Sequence[Entry]) -> None:
        """A batch is in the log under this sequence."""


class Writer:
    """Names the messages of one incarnation of a process; no name is used twice."""

    def __init__(self, incarnation: str) -> None:
        self._incarnation = incarnation
        self._count = 0

    def next_id(self) -> str:
        """Return the next message id."""
        self._count += 1
        return f"{self._incarnation}/{self._count}"

    def wrote(self, msg_id: str) -> bool:
        """Say whether a message is of this incarnation."""
        return msg_id.startswith(f"{self._incarnation}/")


class Journal:
    """Appends for one owner of one shard.

    Args:
        bus: Where the log is.
        clock: For measuring stalls.
        metrics: Of the process.
        subject: The log.
        writer: Incarnation of the process: the first part of each message id.
        last: Sequence of the last message, which this owner has written.
        on_durable: Told about each acknowledged batch, before what rests on it is released.
        more: Further events to be appended with a batch of so many bytes left (checkpoints).
    """

    def __init__(
        self,
        bus: Bus,
        clock: Clock,
        metrics: Metrics,
        subject: str,
        writer: Writer,
        last: int,
        on_durable: Seq,
        more: Callable[[int], Sequence[Encoded]],
    ) -> None:
        self._bus = bus
        self._clock = clock
        self._subject = subject
        self._writer = writer
        self.last = last
        self._on_durable = on_durable
        self._more = more
        self._staged: deque[Encoded] = deque()
        self._held: deque[tuple[int, Release]] = deque()
        self.applied = 0
        """Events staged so far."""
        self.durable = 0
        """Of these, how many the log has acknowledged."""
        self.in_flight_id = ""
        self._sent_at = 0.0
        self._work = asyncio.Event()
        self._quiet = asyncio.Event()
        self._quiet.set()
        self.on_stall: Callable[[], None] = lambda: None
        """Called when an append took longer than `STALL_S`, once it is through."""
        self._appends = metrics.counter("table_appends", "Messages appended to shard logs")
        self._events = metrics.counter("table_events", "Events appended to shard logs")
        self._answers = metrics.counter("table_answers", "Answers of seats appended to shard logs")
        self._bytes = metrics.counter("table_append_bytes", "Bytes appended to shard logs")
        self._checkpoints = metrics.counter("table_checkpoints", "Checkpoints of tables in shard logs")
        self._seconds = metrics.histogram("table_append_seconds", "From append to acknowledgement")
        self._per_append = metrics.histogram(
            "table_events_per_append", "Events that one append commits", buckets=EVENTS_BUCKETS
        )

    @property
    def is_full(self) -> bool:
        """Too much waits for the log."""
        return len(self._staged) >= STAGED_MAX

    @property
    def is_stalled(self) -> bool:
        """The append in flight takes long: nobody's time may run out now."""
        return bool(self.in_flight_id) and self._clock.monotonic() - self._sent_at > STALL_S

    def stage(self, table_id: str, event: AnyEvent) -> None:
        """Append an event with the next batch."""
        self._staged.append((table_id, event, encode_event(event)))
        self.applied += 1
        self._quiet.clear()
        self._work.set()

    def hold(self, release: Release) -> None:
        """Call this once all that is staged so far is durable, after what was held before."""
        if self.durable >= self.applied and not self._held:
            release()
        else:
            self._held.append((self.applied, release))

    async def quiet(self) -> None:
        """Return once nothing is staged or in flight."""
        await self._quiet.wait()

    async def run(self) -> None:
        """Append until cancelled.

        Raises:
            Fenced: Another owner has appended: drop the shard, say nothing.
        """
        while True:
            await self._work.wait()
            self._work.clear()
            while self._staged:
                await self._append()
            self._quiet.set()

    async def _append(self) -> None:
        entries: list[Entry] = []
        encoded: list[tuple[str, bytes]] = []
        size = 0
        staged = self._staged
        while staged and len(entries) < BATCH_EVENTS_MAX:
            table_id, event, raw = staged[0]
            size += len(raw) + ENTRY_BYTES
            if entries and size > BATCH_BYTES_MAX:
                break
            staged.popleft()
            entries.append((table_id, event))
            encoded.append((table_id, raw))
        count = len(entries)
        if not staged:
            # A checkpoint is of the state after everything staged, so it may only come last.
            for table_id, event, raw in self._more(BATCH_BYTES_MAX - size):
                entries.append((table_id, event))
                encoded.append((table_id, raw))
        payload = join_batch(encoded)
        self.in_flight_id = self._writer.next_id()
        self._sent_at = self._clock.monotonic()
        self.last = await self._bus.append(self._subject, payload, self.last, self.in_flight_id)
        self.in_flight_id = ""
        took = self._clock.monotonic() - self._sent_at
        self.durable += count
        self._appends.inc()
        self._events.inc(count)
        self._bytes.inc(len(payload))
        self._checkpoints.inc(len(entries) - count)
        self._per_append.observe(count)
        self._answers.inc(sum([type(event) is Answered for _, event in entries]))
        self._seconds.observe(took)
        if took > STALL_S:
            self.on_stall()
        self._on_durable(self.last, entries)
        while self._held and self._held[0][0] <= self.durable:
            self._held.popleft()[1]()

    async def is_owner(self) -> bool:
        """Say whether nobody else has appended, as the log's leader sees it.

        Raises:
            Outage: It can't be asked now.
        """
        last = await self._bus.last(self._subject)
        return last is not None and self._writer.wrote(last.msg_id)


__all__ = ["BATCH_BYTES_MAX", "Encoded", "Entry", "Fenced", "Journal", "Writer"]

"""The way to the owner of one shard: batches of commands, repeated until answered or too old."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from google.protobuf.message import DecodeError
from paiju.table.v1.wire_pb2 import CommandBatchReply

from services.chassis.bus import Bus, NoResponders, subject
from services.chassis.clock import Clock
from services.chassis.errors import Outage
from services.chassis.ids import Ids
from services.gateway.core.framing import embedded
from services.gateway.core.waiting import SILENCE_S, Waiting, WaitingCommands

BACKOFF_S_MIN = 0.02
BACKOFF_S_MAX = 0.5
BEAT_S = 0.8
"""A shard that has sessions of ours hears from us so often; after 6 s without they count as gone there."""

BEATS = b"\x18\x01"
"""`CommandBatch.beats`, true, as protobuf writes it."""

WAITING_MAX = 20_000
"""Commands that may wait for one shard."""


@dataclass(frozen=True)
class Way:
    """What a link is made of."""

    bus: Bus
    clock: Clock
    ids: Ids
    gateway: str
    """The name that answers come to."""
    heard_epoch: Callable[[int, int], object]
    """Called with (shard, epoch) for each receipt."""
    gave_up: Callable[[int], object]
    """Called with the tag of each command that grew too old."""


class ShardLink:
    """Sends what is added. One request is in flight at a time; what comes meanwhile is the next batch."""

    def __init__(self, shard: int, way: Way) -> None:
        self.shard = shard
        self._way = way
        self._subject = subject("table", "cmd", format(shard, "x"))
        self._head = embedded(1, way.gateway.encode())
        self._waiting = WaitingCommands(WAITING_MAX)
        self._poked = asyncio.Event()
        self._failures = 0
        self._said_at = float("-inf")
        self._owes_beat = False
        self._in_flight: asyncio.Timeout | None = None
        """Ends the wait for the request that is under way."""

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, tag: int, command: bytes) -> bool:
        """Take a serialised `Command`; False = too many wait already."""
        is_taken = self._waiting.add(tag, command, self._way.clock.monotonic())
        self._poked.set()
        return is_taken

    def forget(self, tag: int) -> None:
        """Say that a command is answered."""
        self._waiting.forget(tag)

    def beat(self) -> None:
        """Say that we are there, unless something was said just now."""
        if self._way.clock.monotonic() - self._said_at >= BEAT_S:
            self._owes_beat = True
            self._poked.set()

    def resend_all(self) -> None:
        """Send everything again, now: another owner serves the shard.

        What is in flight to the old one may never be answered, so nobody waits for it.
        """
        self._waiting.resend_all()
        self._failures = 0
        self._poked.set()
        if self._in_flight is not None:
            self._in_flight.reschedule(0.0)

    def give_up_old(self) -> None:
        """Give up the commands that are too old, also while a request is in flight."""
        for waiting in self._waiting.expired(self._way.clock.monotonic()):
            self._way.gave_up(waiting.tag)

    async def run(self) -> None:
        """Send until cancelled."""
        while True:
            await self._until_due()
            self.give_up_old()
            batch = self._waiting.take(self._way.clock.monotonic())
            if batch or self._owes_beat:
                await self._send(batch)

    async def _until_due(self) -> None:
        self._poked.clear()
        due = 0.0 if self._owes_beat else self._waiting.next_at()
        if due is None:
            await self._poked.wait()
            return
        pause = due - self._way.clock.monotonic()
        if pause > 0:
            try:
                async with self._way.clock.timeout(pause):
                    await self._poked.wait()
            except TimeoutError:
                return

    async def _send(self, batch: list[Waiting]) -> None:
        payload = self._head + b"".join(embedded(2, waiting.payload) for waiting in batch) + BEATS
        self._owes_beat = False
        self._said_at = self._way.clock.monotonic()
        try:
            async with self._way.clock.timeout(None) as self._in_flight:
                answer = await self._way.bus.request(self._subject, payload, timeout_s=SILENCE_S)
            epoch = CommandBatchReply.FromString(answer).epoch
        except TimeoutError:
            # Cut short by a new owner.
            self._in_flight = None
            return
        except (Outage, DecodeError) as problem:
            self._in_flight = None
            self._waiting.not_sent(batch)
            await self._back_off(problem)
        else:
            self._in_flight = None
            self._failures = 0
            self._way.heard_epoch(self.shard, epoch)

    async def _back_off(self, problem: Exception) -> None:
        """Wait before the next try, ever longer, cut short by a new owner. Silence was a wait already."""
        self._failures += 1
        if not isinstance(problem, NoResponders) and self._failures == 1:
            return
        pause = min(BACKOFF_S_MAX, BACKOFF_S_MIN * 2 ** min(self._failures, 10))
        failures = self._failures
        until = self._way.clock.monotonic() + pause * (0.5 + self._way.ids.jitter())
        while (left := until - self._way.clock.monotonic()) > 0 and self._failures == failures:
            self._poked.clear()
            try:
                async with self._way.clock.timeout(left):
                    await self._poked.wait()
            except TimeoutError:
                break
        self._poked.set()

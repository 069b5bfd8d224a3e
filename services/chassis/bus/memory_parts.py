"""Pulls and buckets of the bus in memory."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from services.chassis.bus.broker import Kept, MemoryCell, MemoryDurable, MemoryStream, matches
from services.chassis.bus.carrier import ACK_WAIT_S, Raw
from services.chassis.bus.port import Conflict, KvEntry
from services.chassis.errors import Outage

if TYPE_CHECKING:
    from services.chassis.bus.memory import MemoryBus

STORE_WAIT_S = 2.0
FETCH_WAIT_S = 5.0


class MemoryRaw:
    """One delivery."""

    def __init__(self, pull: MemoryPull, kept: Kept, attempt: int) -> None:
        self._pull = pull
        self.payload = kept.payload
        self.headers = kept.headers
        self.subject = kept.subject
        self.seq = kept.seq
        self.attempt = attempt
        self.at_ms = kept.at_ms
        self.waiting = pull.waiting_behind(kept.seq)

    async def ack(self) -> None:
        """See `carrier.Raw.ack`."""
        await self._pull.settle(self.seq)

    async def nak(self, delay_s: float) -> None:
        """See `carrier.Raw.nak`."""
        await self._pull.settle(self.seq, again_in_s=delay_s)

    async def term(self) -> None:
        """See `carrier.Raw.term`."""
        await self._pull.settle(self.seq)


class MemoryPull:
    """An open durable consumer."""

    def __init__(self, bus: MemoryBus, stream: MemoryStream, state: MemoryDurable) -> None:
        self._bus = bus
        self._stream = stream
        self._state = state
        self.unhandled = self.waiting_behind(state.next_seq - 1) + len(state.due)

    async def fetch(self, batch: int, linger_s: float) -> Sequence[Raw]:
        """See `carrier.Pull.fetch`."""
        bus = self._bus
        await bus.reach("fetch")
        taken = self._take(batch)
        if not taken:
            await self._wait(FETCH_WAIT_S)
            taken = self._take(batch)
        if taken and linger_s and len(taken) < batch:
            await bus.clock.sleep(linger_s)
            taken += self._take(batch - len(taken))
        return taken

    async def close(self) -> None:
        """Do nothing: a delivery that was not answered comes again by itself."""
        return

    def waiting_behind(self, seq: int) -> int:
        """Return how many messages of this consumer are stored behind one."""
        return sum(
            1
            for other, kept in self._stream.messages.items()
            if other > seq and any(matches(pattern, kept.subject) for pattern in self._state.subjects)
        )

    async def settle(self, seq: int, again_in_s: float | None = None) -> None:
        """Take an answer to a delivery: over, or again later."""
        bus = self._bus
        await bus.reach("acknowledge")
        if bus.broker.faults.happens(bus.broker.faults.lose_delivery_ack, "delivery ack lost"):
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
        return [MemoryRaw(self, kept, self._state.attempts[kept.seq]) for kept in kepts]

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


class MemoryBucket:
    """See `port.Bucket`."""

    def __init__(self, bus: MemoryBus, name: str) -> None:
        self._bus = bus
        self._state = bus.broker.buckets[name]

    async def get(self, key: str) -> KvEntry | None:
        """See `port.Bucket.get`."""
        await self._bus.reach("get")
        cell = self._living(key)
        return KvEntry(key, cell.value, cell.revision) if cell else None

    async def put(self, key: str, value: bytes) -> int:
        """See `port.Bucket.put`."""
        await self._reach("put")
        return await self._set(key, value)

    async def create(self, key: str, value: bytes, gone_at: int = 0) -> int:
        """See `port.Bucket.create`."""
        await self._reach("create")
        if self._living(key):
            raise Conflict(key)
        return await self._set(key, value)

    async def update(self, key: str, value: bytes, revision: int) -> int:
        """See `port.Bucket.update`."""
        await self._reach("update")
        cell = self._living(key)
        if cell is None or cell.revision != revision:
            raise Conflict(key)
        return await self._set(key, value)

    async def delete(self, key: str, revision: int | None = None) -> int:
        """See `port.Bucket.delete`."""
        await self._reach("delete")
        cell = self._living(key)
        if revision is not None and (cell is None or cell.revision != revision):
            raise Conflict(key)
        self._state.cells.pop(key, None)
        self._state.revision += 1
        gone_at = self._state.revision
        await self._done()
        return gone_at

    async def keys(self) -> list[str]:
        """See `port.Bucket.keys`."""
        await self._bus.reach("keys")
        return sorted(key for key in list(self._state.cells) if self._living(key))

    async def entries(self) -> list[KvEntry]:
        """See `port.Bucket.entries`."""
        await self._bus.reach("entries")
        living = [(key, self._living(key)) for key in sorted(self._state.cells)]
        return [KvEntry(key, cell.value, cell.revision) for key, cell in living if cell]

    async def names(self) -> list[str]:
        """See `port.Bucket.names`."""
        return await self.keys()

    async def _reach(self, operation: str) -> None:
        """Be at a point that needs somebody who takes writes."""
        await self._bus.reach(operation)
        broker = self._bus.broker
        if broker.replicas > 1 and not broker.has_leader:
            raise Outage("no leader answers")
        if broker.faults.happens(broker.faults.lose_write, "bucket write lost"):
            await self._bus.clock.sleep(STORE_WAIT_S)
            raise Outage("no answer")

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
        await self._bus.step("written")
        faults = self._bus.broker.faults
        if faults.happens(faults.lose_ack, "bucket ack lost"):
            await self._bus.clock.sleep(STORE_WAIT_S)
            raise Outage("no answer")

"""Limits on rates and queues."""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

from services.chassis.clock import Clock
from services.chassis.errors import Refusal

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Rate:
    """So many a second in the long run, so many at once."""

    per_s: float
    burst: float


class TokenBucket:
    """Allows `rate.burst` at once and refills with `rate.per_s`."""

    __slots__ = ("_at", "_clock", "_left", "rate")

    def __init__(self, rate: Rate, clock: Clock) -> None:
        self.rate = rate
        self._clock = clock
        self._left = rate.burst
        self._at = clock.monotonic()

    def allow(self, n: float = 1.0) -> bool:
        """Take `n` and return True, or take nothing and return False."""
        self._refill()
        if n > self._left:
            return False
        self._left -= n
        return True

    def wait_s(self, n: float = 1.0) -> float:
        """Return in how many seconds `allow(n)` will be true (0 = now; infinity if `n` is above the
        burst).
        """
        self._refill()
        if n <= self._left:
            return 0.0
        if n > self.rate.burst or self.rate.per_s <= 0:
            return float("inf")
        return (n - self._left) / self.rate.per_s

    def take(self, n: float = 1.0) -> None:
        """Take `n`.

        Raises:
            Refusal: RATE_LIMITED, with `retry_ms`.
        """
        if not self.allow(n):
            wait = self.wait_s(n)
            raise Refusal("RATE_LIMITED", retry_ms=-1 if wait == float("inf") else int(wait * 1000) + 1)

    def _refill(self) -> None:
        now = self._clock.monotonic()
        self._left = min(self.rate.burst, self._left + (now - self._at) * self.rate.per_s)
        self._at = now


class RateLimits:
    """One bucket per key; the keys used least recently are forgotten beyond `keys_max`."""

    def __init__(self, rate: Rate, clock: Clock, keys_max: int = 100_000) -> None:
        self._rate = rate
        self._clock = clock
        self._keys_max = keys_max
        self._buckets: OrderedDict[Hashable, TokenBucket] = OrderedDict()

    def take(self, key: Hashable, n: float = 1.0) -> None:
        """Take `n` from the bucket of `key`.

        Raises:
            Refusal: RATE_LIMITED, with `retry_ms`.
        """
        bucket = self._buckets.get(key)
        if bucket is None:
            bucket = self._buckets[key] = TokenBucket(self._rate, self._clock)
            if len(self._buckets) > self._keys_max:
                self._buckets.popitem(last=False)
        else:
            self._buckets.move_to_end(key)
        bucket.take(n)


class QueueClosed(Exception):
    """The queue was closed, by its owner or because it was full under the policy `close`."""


Overflow = Literal["drop_oldest", "drop_newest", "close"]


class BoundedQueue(Generic[T]):
    """A queue for one reader with a limit, and a policy for what comes beyond it.

    `drop_oldest` and `drop_newest` lose items and count them in `dropped`; `close` ends the queue: what is
    in it can still be read, then `QueueClosed`.
    """

    def __init__(self, items_max: int, overflow: Overflow) -> None:
        self._items: deque[T] = deque()
        self._max = items_max
        self._overflow = overflow
        self._closed = False
        self._waiter: asyncio.Future[None] | None = None
        self.dropped = 0

    def __len__(self) -> int:
        return len(self._items)

    @property
    def closed(self) -> bool:
        """Whether nothing more can be put."""
        return self._closed

    def put(self, item: T) -> bool:
        """Add an item, never waiting; return whether it (and all others) is kept."""
        if self._closed:
            return False
        kept = True
        if len(self._items) >= self._max:
            kept = False
            self.dropped += 1
            if self._overflow == "close":
                self.close()
                return False
            if self._overflow == "drop_newest":
                return False
            self._items.popleft()
        self._items.append(item)
        self._wake()
        return kept

    async def get(self) -> T:
        """Return the oldest item, waiting for one.

        Raises:
            QueueClosed: Closed, and empty.
        """
        while not self._items:
            if self._closed:
                raise QueueClosed
            assert self._waiter is None or self._waiter.done(), "one reader per queue"
            self._waiter = asyncio.get_running_loop().create_future()
            await self._waiter
        return self._items.popleft()

    async def get_many(self, items_max: int) -> list[T]:
        """Return what is there, at least one item and at most `items_max`, waiting for the first.

        Raises:
            QueueClosed: Closed, and empty.
        """
        items = [await self.get()]
        while self._items and len(items) < items_max:
            items.append(self._items.popleft())
        return items

    def close(self) -> None:
        """End the queue; what is in it can still be read."""
        self._closed = True
        self._wake()

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

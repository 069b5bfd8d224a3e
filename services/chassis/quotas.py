"""How often programs may call with an API key: one count for all processes, in the bucket `quotas`.

A process takes calls from the count in portions, by compare-and-set, and spends them by itself: a call costs
nothing but now and then. What a process has taken and not spent when it dies is lost to its owner, at most a
portion; never are more calls let through than were granted.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from services.chassis.bus.port import Bucket, Bus, Conflict
from services.chassis.bus.registry import QUOTAS
from services.chassis.clock import Clock
from services.chassis.errors import Refusal
from services.chassis.principals import Quota

PORTIONS = 20
"""A process takes a twentieth of a quota at a time."""
TRIES_MAX = 50
KEYS_MAX = 10_000
"""Keys whose portions a process remembers."""

BucketSource = Callable[[], Awaitable[Bucket]]


@dataclass(frozen=True, slots=True)
class Window:
    """A span of time that calls are counted in."""

    name: str
    ms: int


MINUTE = Window("minute", 60_000)
DAY = Window("day", 86_400_000)


@dataclass(slots=True)
class _Portion:
    """What this process holds of one key's calls in one window."""

    number: int = -1
    """The window, counted from 1970."""
    left: int = 0
    is_spent: bool = False
    """Nothing is left in the count of this window."""
    taking: asyncio.Lock = field(default_factory=asyncio.Lock)


class Quotas:
    """Counts calls. Without a bucket it counts this process's alone."""

    def __init__(self, clock: Clock, source: BucketSource | None = None) -> None:
        self._clock = clock
        self._source = source
        self._portions: OrderedDict[tuple[str, str], _Portion] = OrderedDict()

    async def take(self, quota: Quota) -> None:
        """Count one call.

        Raises:
            Refusal: QUOTA_EXCEEDED, with `retry_ms`: this minute's or this day's calls are used up.
            Outage: The count can't be reached.
        """
        for window, limit in ((MINUTE, quota.per_minute), (DAY, quota.per_day)):
            await self._take(quota.key_id, window, limit)

    async def _take(self, key_id: str, window: Window, limit: int) -> None:
        portion = self._portion(key_id, window)
        async with portion.taking:
            number = self._clock.now_ms() // window.ms
            if number > portion.number:
                portion.number, portion.left, portion.is_spent = number, 0, False
            if not portion.left and not portion.is_spent:
                await self._refill(portion, key_id, window, limit)
            if not portion.left:
                retry_ms = (portion.number + 1) * window.ms - self._clock.now_ms()
                raise Refusal("QUOTA_EXCEEDED", window=window.name, retry_ms=max(1, retry_ms))
            portion.left -= 1

    async def _refill(self, portion: _Portion, key_id: str, window: Window, limit: int) -> None:
        wanted = max(1, limit // PORTIONS)
        if self._source is None:
            portion.left, portion.is_spent = limit, True
            return
        bucket, name = await self._source(), f"{key_id}_{window.name}"
        for _ in range(TRIES_MAX):
            entry = await bucket.get(name)
            number, used = _read(entry.value) if entry is not None else (-1, 0)
            if number < portion.number:
                number, used = portion.number, 0
            # Another machine's clock may be ahead: its window counts.
            granted = min(wanted, limit - used)
            if granted > 0:
                value = f"{number}:{used + granted}".encode()
                try:
                    if entry is None:
                        await bucket.create(name, value)
                    else:
                        await bucket.update(name, value, entry.revision)
                except Conflict:
                    continue
            portion.number, portion.left, portion.is_spent = number, max(0, granted), granted <= 0
            return
        raise Refusal("RATE_LIMITED", retry_ms=100)

    def _portion(self, key_id: str, window: Window) -> _Portion:
        name = (key_id, window.name)
        portion = self._portions.get(name)
        if portion is None:
            portion = self._portions[name] = _Portion()
            if len(self._portions) > KEYS_MAX:
                self._portions.popitem(last=False)
        else:
            self._portions.move_to_end(name)
        return portion


def quotas_on_bus(bus: Bus, clock: Clock) -> Quotas:
    """Return quotas that all processes of the bus count together."""

    async def bucket() -> Bucket:
        return await bus.bucket(QUOTAS.name)

    return Quotas(clock, bucket)


def _read(value: bytes) -> tuple[int, int]:
    number, _, used = value.decode().partition(":")
    return int(number), int(used)

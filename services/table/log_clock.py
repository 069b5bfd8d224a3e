"""The time of a shard's log, which never goes back, whatever the clocks of its owners do."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

from services.chassis.clock import Clock, Timer


class LogClock:
    """The process's clock, moved forward to where the log's time is: its last owner's may have been ahead.

    Without this, a shard whose new owner's clock is an hour behind would stand still for an hour.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._ahead_ms = 0

    def follow(self, at: int) -> None:
        """Be no earlier than a time of the log."""
        self._ahead_ms = max(self._ahead_ms, at - self._clock.now_ms())

    def now_ms(self) -> int:
        """See `Clock.now_ms`."""
        return self._clock.now_ms() + self._ahead_ms

    def monotonic(self) -> float:
        """See `Clock.monotonic`."""
        return self._clock.monotonic()

    async def sleep(self, seconds: float) -> None:
        """See `Clock.sleep`."""
        await self._clock.sleep(seconds)

    def timeout(self, seconds: float | None) -> AbstractAsyncContextManager[Any]:
        """See `Clock.timeout`."""
        return self._clock.timeout(seconds)

    def call_at(self, when: float, callback: Callable[[], object]) -> Timer:
        """See `Clock.call_at`."""
        return self._clock.call_at(when, callback)

"""Where finished rounds are played again: in one thread, off the loop that serves the tables.

A round of any game takes a few milliseconds (bench/bench_replay.py), and the rules bound it: whatever is
brought, nothing is played beyond the first answer that is refused. So a thread does; processes, as the bots
that search have them (`minds.py`), would cost each their memory.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from services.chassis.clock import Clock, SystemClock
from services.chassis.errors import Refusal

T = TypeVar("T")

WAITING_MAX = 32
"""Rounds that may be asked for at once; one more is refused."""

WAIT_S = 2.0
"""Nobody waits longer; at a few milliseconds each, it takes a machine that stands still."""


class Reading:
    """Runs pure functions one after another; on any clock but the system's in line."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._thread = ThreadPoolExecutor(1, "table-replays") if isinstance(clock, SystemClock) else None
        self._waiting = 0

    async def run(self, work: Callable[[], T]) -> T:
        """Return `work()`; what it raises is raised here.

        Raises:
            Refusal: REPLAYS_BUSY: too many are waiting, or it took too long.
        """
        if self._thread is None:
            return work()
        if self._waiting >= WAITING_MAX:
            raise Refusal("REPLAYS_BUSY")
        self._waiting += 1
        try:
            async with self._clock.timeout(WAIT_S):
                return await asyncio.get_running_loop().run_in_executor(self._thread, work)
        except TimeoutError:
            raise Refusal("REPLAYS_BUSY") from None
        finally:
            self._waiting -= 1

    def close(self) -> None:
        """Begin nothing any more."""
        if self._thread is not None:
            self._thread.shutdown(wait=False, cancel_futures=True)

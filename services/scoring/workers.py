"""Where audits are computed: off the event loop in earnest, on it in simulation."""

from __future__ import annotations

import asyncio
import multiprocessing
from collections.abc import Callable
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from typing import TypeVar

from services.chassis.clock import Clock, SystemClock

T = TypeVar("T")


class Workers:
    """Runs pure functions: one thread (audits never race each other), some processes, or the loop itself.

    Args:
        processes: 0 = one thread.
        clock: On any other than the system's clock everything runs in line: threads have no place there.
    """

    def __init__(self, processes: int, clock: Clock) -> None:
        self._executor: Executor | None = None
        if not isinstance(clock, SystemClock):
            return
        if processes:
            spawn = multiprocessing.get_context("spawn")
            self._executor = ProcessPoolExecutor(processes, mp_context=spawn)
        else:
            self._executor = ThreadPoolExecutor(1, "scoring")

    async def run(self, fn: Callable[..., T], *args: object) -> T:
        """Return `fn(*args)`; what it raises is raised here."""
        if self._executor is None:
            return fn(*args)
        return await asyncio.get_running_loop().run_in_executor(self._executor, fn, *args)

    def close(self) -> None:
        """Let what runs end, and end."""
        if self._executor is not None:
            self._executor.shutdown(wait=True, cancel_futures=True)

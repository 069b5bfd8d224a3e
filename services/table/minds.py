"""Where bots think that need long: in processes of their own, never on the loop that serves the tables.

A bot is a pure function of its seat's view and a seed, so which process is asked, and when, decides nothing
but how soon the answer is there. A seat whose bot is late, or whose processes died, plays as a quick bot
would (`core/duties.py`). On any clock but the system's there are no processes: a simulation thinks in line,
under its seed.
"""

from __future__ import annotations

import asyncio
import ctypes
import multiprocessing
import os
import signal
import sys
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any, Final

from engine import GAMES
from engine.search import Chance
from services.chassis import log
from services.chassis.clock import Clock
from services.chassis.metrics import Metrics

ASKED_PER_PROCESS_MAX: Final = 6
"""Questions that may be with a process; whoever comes later plays quickly at once. At 0.3 s for each, the
last one is answered before it is given up (`LATE_MS`): what waits longer would be thought of in vain."""

AGAIN_AFTER_S: Final = 10.0
"""Processes that died are started again no sooner."""

_PR_SET_PDEATHSIG: Final = 1
"""linux/prctl.h"""

Done = Callable[[str], None]
"""Called with the action, or with nothing if there is none to be had."""

_log = log.get(service="table")


class Minds:
    """See the module.

    Args:
        processes: How many; 0 = think in line.
        clock: Time; see the module.
        metrics: Counts answers by how they ended.
    """

    def __init__(self, processes: int, clock: Clock, metrics: Metrics) -> None:
        self._processes = processes
        self._clock = clock
        self._pool: ProcessPoolExecutor | None = None
        self._broken_at: float | None = None
        self._asked = 0
        answers = metrics.counter("table_slow_bots", "Questions to bots that think long", ["outcome"])
        self._answered, self._refused, self._failed = (
            answers.labels(outcome) for outcome in ("answered", "busy", "failed")
        )

    def ask(self, game: str, bot: str, view: Any, seed: int, done: Done) -> None:
        """Let a bot think; `done` is called on this loop, once, perhaps before this returns."""
        pool = self._ready() if self._asked < self._processes * ASKED_PER_PROCESS_MAX else None
        if pool is None:
            self._refused.inc()
            done("")
            return
        loop = asyncio.get_running_loop()
        try:
            future = pool.submit(_think, game, bot, view, seed)
        except (BrokenProcessPool, RuntimeError) as error:
            self._break(pool, error)
            done("")
            return
        self._asked += 1

        def tell(thought: Future[str]) -> None:
            # Called by a thread of the pool; a loop that has ended needs no answer.
            if not loop.is_closed():
                loop.call_soon_threadsafe(self._take, pool, thought, done)

        future.add_done_callback(tell)

    def close(self) -> None:
        """End the processes; nobody waits for what they think."""
        pool, self._pool, self._processes = self._pool, None, 0
        if pool is not None:
            pool.shutdown(wait=False, cancel_futures=True)

    def _take(self, pool: ProcessPoolExecutor, thought: Future[str], done: Done) -> None:
        self._asked -= 1
        error = None if thought.cancelled() else thought.exception()
        if isinstance(error, BrokenProcessPool):
            self._break(pool, error)
        elif error is not None:
            _log.error("bot_failed", exc_info=error)
        if thought.cancelled() or error is not None:
            self._failed.inc()
            done("")
        else:
            self._answered.inc()
            done(thought.result())

    def _ready(self) -> ProcessPoolExecutor | None:
        if self._pool is not None:
            return self._pool
        now = self._clock.monotonic()
        if not self._processes or (self._broken_at is not None and now - self._broken_at < AGAIN_AFTER_S):
            return None
        # Spawned, not forked: a copy of a process that serves would hold its sockets.
        self._pool = ProcessPoolExecutor(
            self._processes,
            mp_context=multiprocessing.get_context("spawn"),
            initializer=_begin,
            initargs=(os.getpid(),),
        )
        return self._pool

    def _break(self, pool: ProcessPoolExecutor, error: BaseException) -> None:
        if self._pool is not pool:
            return
        _log.error("bots_died", why=str(error))
        self._pool = None
        self._broken_at = self._clock.monotonic()
        pool.shutdown(wait=False, cancel_futures=True)


def _begin(parent: int) -> None:
    """Make a process of the pool one that dies with its parent, and gives way to it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        sys.exit("the parent died first")
    os.nice(5)


def _think(game: str, bot: str, view: Any, seed: int) -> str:
    return GAMES[game].bots[bot](view, Chance(seed))

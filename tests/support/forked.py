"""Processes that share a real database with a test, and are killed at a chosen step of their work."""

from __future__ import annotations

import os
import signal
import traceback
from collections.abc import Callable, Sequence
from typing import Any

from sqlalchemy import Engine, event

from services.chassis.db.postgres import postgres_engine
from services.chassis.db.sqlite import sqlite_engine


def engine_of(url: str) -> Engine:
    """Return an engine of this process's own, as a service opens it."""
    return sqlite_engine(url) if url.startswith("sqlite") else postgres_engine(url, 1)


class Forked:
    """A copy of this process that does one thing; by fork, since it starts in milliseconds.

    It must open what it uses by itself: connections and threads of the test are not its own.
    """

    def __init__(self, work: Callable[[], object]) -> None:
        self.pid = os.fork()
        if self.pid == 0:
            code = 1
            try:
                work()
                code = 0
            except BaseException:  # noqa: BLE001 - it is printed, and the exit code tells the test
                traceback.print_exc()
            finally:
                os._exit(code)

    def wait(self) -> int:
        """Return how it ended: its exit code, or minus the signal that killed it."""
        _, status = os.waitpid(self.pid, 0)
        return os.waitstatus_to_exitcode(status)


def all_done(works: Sequence[Callable[[], object]]) -> None:
    """Do several things at once, each in a process, and see that all of them ended well."""
    running = [Forked(work) for work in works]
    codes = [one.wait() for one in running]
    assert codes == [0] * len(works), f"the processes ended with {codes}; their errors are above"


class Steps:
    """Kills this process by SIGKILL before its nth step; a step is whatever calls `step`."""

    def __init__(self, kill_at: int) -> None:
        self.kill_at = kill_at
        self.seen = 0

    def step(self, *_: Any, **__: Any) -> None:
        """Be at a point where the process may die."""
        self.seen += 1
        if self.seen == self.kill_at:
            self.die()

    def die(self, *_: Any, **__: Any) -> None:
        """Die here and now."""
        os.kill(os.getpid(), signal.SIGKILL)

    def watch(self, engine: Engine) -> None:
        """Count each statement and each commit as a step."""
        event.listen(engine, "before_cursor_execute", self.step)
        event.listen(engine, "commit", self.step)

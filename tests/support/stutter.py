"""A machine that stands still now and then: a plugin for pytest (`make test-stutter`).

Threads, sockets, whole event loops and child processes pause at random, for up to 0.8 s. A test that assumes
an order of two things that nothing orders, or that a machine is never late, is likely to fail here.
"""

from __future__ import annotations

import asyncio
import os
import random
import signal
import threading
import time
from asyncio import base_events, selector_events
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

LOOP_PAUSES = 0.0006
"""Of so many callbacks of a loop, one comes late, and all after it; times the rate."""
LOOP_S_MAX = 0.35
THREAD_PAUSES = 0.12
"""Of so many results that a thread hands to a loop, one comes late."""
THREAD_S_MAX = 0.15
SOCKET_PAUSES = 0.01
"""Of so many looks at a socket, one comes late, and others overtake it."""
SOCKET_S_MAX = 0.3
CHILD_EVERY_S = 4.0
"""Some child process is stopped and goes on again, about so often."""
CHILD_S_MAX = 0.8


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    group = parser.getgroup("stutter")
    group.addoption("--stutter-seed", type=int, default=1, help="which pauses there are")
    group.addoption("--stutter-rate", type=float, default=1.0, help="how many there are")


def pytest_configure(config: pytest.Config) -> None:
    """Begin, in the processes that run tests."""
    if hasattr(config, "workerinput") or not config.getoption("numprocesses", None):
        worker = os.environ.get("PYTEST_XDIST_WORKER", "")
        Stutter(f"{config.getoption('--stutter-seed')} {worker}", config.getoption("--stutter-rate")).begin()


class Stutter:
    """Pauses of one process and its children.

    Args:
        seed: Which; the moments they fall into are the machine's all the same.
        rate: How many, 1 = as above.
    """

    def __init__(self, seed: str, rate: float) -> None:
        self._rng = random.Random(seed)
        self._rate = rate

    def begin(self) -> None:
        """Pause from now on, until the process ends."""
        self._slow_loops()
        self._slow_threads()
        self._slow_sockets()
        threading.Thread(target=self._stop_children, daemon=True).start()

    def _is_due(self, share: float) -> bool:
        return self._rng.random() < share * self._rate

    def _length(self, longest_s: float) -> float:
        # Most are short.
        return longest_s * self._rng.random() ** 2

    def _slow_loops(self) -> None:
        run = asyncio.Handle._run

        def late(handle: asyncio.Handle) -> None:
            if self._is_due(LOOP_PAUSES):
                time.sleep(self._length(LOOP_S_MAX))
            run(handle)

        asyncio.Handle._run = late  # type: ignore[method-assign, assignment]

    def _slow_threads(self) -> None:
        hand_over = base_events.BaseEventLoop.call_soon_threadsafe

        def late(loop: Any, *arguments: Any, **options: Any) -> asyncio.Handle:
            if loop._thread_id != threading.get_ident() and self._is_due(THREAD_PAUSES):
                time.sleep(self._length(THREAD_S_MAX))
            return hand_over(loop, *arguments, **options)

        base_events.BaseEventLoop.call_soon_threadsafe = late  # type: ignore[method-assign, assignment]

    def _slow_sockets(self) -> None:
        transport: Any = selector_events._SelectorSocketTransport  # type: ignore[attr-defined]
        read = transport._read_ready

        def again(socket: Any) -> None:
            if not socket._closing and socket._paused:
                with suppress(RuntimeError):
                    socket.resume_reading()

        def late(socket: Any) -> None:
            if socket._paused or socket._closing or not self._is_due(SOCKET_PAUSES):
                read(socket)
            else:
                socket.pause_reading()
                socket._loop.call_later(self._length(SOCKET_S_MAX), again, socket)

        transport._read_ready = late

    def _stop_children(self) -> None:
        while True:
            time.sleep(0.5 + self._rng.random() * CHILD_EVERY_S / self._rate)
            running = _running_children()
            if running:
                pid = self._rng.choice(running)
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGSTOP)
                    time.sleep(self._length(CHILD_S_MAX))
                    os.kill(pid, signal.SIGCONT)


def _running_children() -> list[int]:
    """Return the processes below this one that nobody has stopped; none where there is no /proc."""
    children: dict[int, list[tuple[int, str]]] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            state, parent = (folder / "stat").read_text().rpartition(")")[2].split()[:2]
            children.setdefault(int(parent), []).append((int(folder.name), state))
    found: list[int] = []
    below = [os.getpid()]
    while below:
        for pid, state in children.get(below.pop(), ()):
            below.append(pid)
            if state in "SR":
                found.append(pid)
    return found

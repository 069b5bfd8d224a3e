"""Time as a parameter: the system's clock, and a virtual one whose hours pass in milliseconds.

This is the only module of the services that reads a clock or sleeps.
"""

from __future__ import annotations

import asyncio
import contextvars
import selectors
import time
from collections.abc import Callable, Coroutine
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol, TypeVar

T = TypeVar("T")


class Timer(Protocol):
    """A call that is still to come."""

    def cancel(self) -> None:
        """Take the call back; doing it twice, or too late, does nothing."""


class Clock(Protocol):
    """What the services know of time."""

    def now_ms(self) -> int:
        """Return Unix time in milliseconds (UTC); may jump, for records and deadlines that others read."""

    def monotonic(self) -> float:
        """Return seconds since some moment; never goes back, for measuring."""

    async def sleep(self, seconds: float) -> None:
        """Return after `seconds` (at once, but not before others had their turn, if 0 or less)."""

    def timeout(self, seconds: float | None) -> AbstractAsyncContextManager[Any]:
        """Return a context manager that ends its body with `TimeoutError` after `seconds` (never if None)."""

    def call_at(self, when: float, callback: Callable[[], object]) -> Timer:
        """Call `callback` in the running loop once `monotonic()` has reached `when`."""


class SystemClock:
    """The clock of the machine."""

    def now_ms(self) -> int:
        """See `Clock.now_ms`."""
        return time.time_ns() // 1_000_000

    def monotonic(self) -> float:
        """See `Clock.monotonic`."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """See `Clock.sleep`."""
        await asyncio.sleep(seconds)

    def timeout(self, seconds: float | None) -> AbstractAsyncContextManager[Any]:
        """See `Clock.timeout`."""
        return asyncio.timeout(seconds)

    def call_at(self, when: float, callback: Callable[[], object]) -> Timer:
        """See `Clock.call_at`."""
        return asyncio.get_running_loop().call_later(max(0.0, when - time.monotonic()), callback)


class VirtualClock:
    """The clock of a `VirtualEventLoop`: stands still while anything can run, then jumps to the next timer.

    Args:
        start_ms: Unix time at the loop's start.
        skew_ms: Added to `now_ms` only: the wall clock of one simulated machine among several.
    """

    def __init__(self, start_ms: int = 1_790_000_000_000, skew_ms: int = 0) -> None:
        self._start_ms = start_ms
        self.skew_ms = skew_ms

    def now_ms(self) -> int:
        """See `Clock.now_ms`."""
        return self._start_ms + self.skew_ms + int(self.monotonic() * 1000)

    def monotonic(self) -> float:
        """See `Clock.monotonic`."""
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualEventLoop), "a virtual clock runs on a virtual loop only"
        return loop.time()

    async def sleep(self, seconds: float) -> None:
        """See `Clock.sleep`."""
        await asyncio.sleep(seconds)

    def timeout(self, seconds: float | None) -> AbstractAsyncContextManager[Any]:
        """See `Clock.timeout`."""
        return asyncio.timeout(seconds)

    def call_at(self, when: float, callback: Callable[[], object]) -> Timer:
        """See `Clock.call_at`."""
        return asyncio.get_running_loop().call_at(when, callback)


class Stuck(RuntimeError):
    """Every task of a virtual loop waits and no timer is left: nothing can ever happen again."""


class _JumpingSelector(selectors.DefaultSelector):
    """A selector that lets virtual time pass instead of waiting."""

    loop: VirtualEventLoop

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        if ready:
            return ready
        if timeout is None:
            raise Stuck("every task waits, and no timer is left")
        if timeout > 0:
            self.loop.jump(timeout)
        return []


class _NumberedTask(asyncio.Task[Any]):
    """A task whose hash is its number, so that the sets inside asyncio iterate in one order in every run."""

    __slots__ = ("number",)
    number: int

    def __new__(cls, *args: Any, number: int, **kwargs: Any) -> _NumberedTask:
        task = super().__new__(cls)
        task.number = number
        return task

    def __init__(self, *args: Any, number: int, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)

    def __hash__(self) -> int:
        return self.number


class _NumberedFuture(asyncio.Future[Any]):
    number = 0

    def __hash__(self) -> int:
        return self.number


class VirtualEventLoop(asyncio.SelectorEventLoop):
    """An asyncio loop whose time jumps to the next timer when idle; the same program runs the same way
    each time.

    Threads and sockets don't belong on it: their moments aren't its own.
    """

    def __init__(self) -> None:
        selector = _JumpingSelector()
        selector.loop = self
        self._virtual_now = 0.0
        self._made = 0
        super().__init__(selector)
        self.set_task_factory(self._make_task)

    def time(self) -> float:
        """Return virtual seconds since the loop was made."""
        return self._virtual_now

    def jump(self, seconds: float) -> None:
        """Let `seconds` pass at once."""
        self._virtual_now += seconds

    def create_future(self) -> asyncio.Future[Any]:
        """Return a future with a number of its own."""
        future = _NumberedFuture(loop=self)
        self._made += 1
        future.number = self._made
        return future

    def _make_task(
        self,
        loop: asyncio.AbstractEventLoop,
        coro: Any,
        *,
        name: str | None = None,
        context: contextvars.Context | None = None,
    ) -> asyncio.Task[Any]:
        self._made += 1
        number = self._made
        return _NumberedTask(coro, loop=loop, name=name or f"task-{number}", context=context, number=number)


def run_virtual(
    main: Callable[[VirtualClock], Coroutine[Any, Any, T]] | Coroutine[Any, Any, T],
    start_ms: int = 1_790_000_000_000,
) -> T:
    """Run a coroutine (or a function of the clock that makes one) on a virtual loop, and return its result.

    Raises:
        Stuck: Everything waits for something that can't come.
    """
    with asyncio.Runner(loop_factory=VirtualEventLoop) as runner:
        if isinstance(main, Coroutine):
            return runner.run(main)
        return runner.run(main(VirtualClock(start_ms)))

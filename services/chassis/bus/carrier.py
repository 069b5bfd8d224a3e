"""What one carrier of the bus must give: stores, pulls, and tasks that are kept."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from services.chassis import log
from services.chassis.bus.port import Unknown

MSG_ID = "Nats-Msg-Id"
EXPECTED = "Nats-Expected-Last-Subject-Sequence"
EVENT_ID = "Paiju-Event-Id"
TYPE = "Paiju-Type"

RETRY_S = (0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
"""Waits between tries; the last one repeats. Each is shortened or lengthened by up to half."""

ACK_WAIT_S = 10.0
"""A delivery that nobody has answered by then is given to another: what a killed process held waits so long,
and a round at a coin table with it. A handler that is merely slow does its work twice, which all bear."""

NAK_S_MAX = 30.0
IN_FLIGHT_MAX = 1000
"""Deliveries of one durable consumer that may be out at a time, over all processes."""


@dataclass(frozen=True, slots=True)
class Stored:
    """The stream has it (a duplicate is had already)."""

    seq: int


@dataclass(frozen=True, slots=True)
class WrongLast:
    """The stream refused it: the subject's last message is another than expected."""


StoreAnswer = Stored | WrongLast | Unknown


class Raw(Protocol):
    """A delivery as it comes from the stream."""

    payload: bytes
    headers: dict[str, str]
    subject: str
    seq: int
    attempt: int
    at_ms: int
    waiting: int
    """How many messages of the consumer are stored behind this one."""

    async def ack(self) -> None:
        """Say that it is done."""

    async def nak(self, delay_s: float) -> None:
        """Ask for it again after `delay_s`."""

    async def term(self) -> None:
        """Say that it is never to come again."""


class Pull(Protocol):
    """An open durable pull consumer of one stream."""

    unhandled: int
    """How many messages were stored and not yet acknowledged when it was opened."""

    async def fetch(self, batch: int, linger_s: float) -> Sequence[Raw]:
        """Wait for at least one delivery (some seconds, else return none); raise `Outage` when broken."""

    async def close(self) -> None:
        """Give back what was not fetched."""


class Keeper:
    """Holds the tasks of a bus, so that none is lost; a crash of one is told to the process."""

    def __init__(self) -> None:
        self.on_crash: Callable[[BaseException], None] | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    def keep(self, coro: Coroutine[Any, Any, None], name: str) -> asyncio.Task[None]:
        """Run a coroutine as a task."""
        task = asyncio.get_running_loop().create_task(coro, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._done)
        return task

    def cancel(self) -> None:
        """End all tasks, waiting for none."""
        for task in list(self._tasks):
            task.cancel()

    async def end(self) -> None:
        """End all tasks, and wait for their end."""
        tasks = [task for task in self._tasks if task is not asyncio.current_task()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.get().error("bus_task_crashed", task=task.get_name(), exc_info=error)
            if self.on_crash is not None:
                self.on_crash(error)

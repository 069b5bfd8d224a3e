"""What has arrived for one core subscription, and the workers that handle it."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

from services.chassis import log
from services.chassis.bus.base import Keeper
from services.chassis.errors import Outage

T = TypeVar("T")

INBOX_MAX = 65_536
"""A subscriber that is further behind loses what comes, and counts it: a slow consumer."""


class Inbox(Generic[T]):
    """A bounded queue with its workers; one worker keeps the order."""

    def __init__(
        self,
        keeper: Keeper,
        handle: Callable[[T], Awaitable[None]],
        workers: int,
        name: str,
        on_drop: Callable[[], object],
        leave: Callable[[], Awaitable[None]],
    ) -> None:
        self._handle = handle
        self._name = name
        self._on_drop = on_drop
        self._leave = leave
        self._items: deque[T] = deque()
        self._waiters: deque[asyncio.Future[None]] = deque()
        self._ending = False
        self._tasks = [keeper.keep(self._work(), f"{name}-{number}") for number in range(workers)]

    def put(self, item: T) -> None:
        """Add what has arrived, never waiting."""
        if self._ending or len(self._items) >= INBOX_MAX:
            self._on_drop()
            return
        self._items.append(item)
        while self._waiters:
            waiter = self._waiters.popleft()
            if not waiter.done():
                waiter.set_result(None)
                break

    async def stop(self) -> None:
        """Unsubscribe, handle what has arrived, and return."""
        if self._ending:
            return
        await self._leave()
        self._ending = True
        for waiter in self._waiters:
            if not waiter.done():
                waiter.set_result(None)
        mine = asyncio.current_task()
        await asyncio.gather(*(task for task in self._tasks if task is not mine), return_exceptions=True)

    async def _work(self) -> None:
        while True:
            while not self._items:
                if self._ending:
                    return
                waiter = asyncio.get_running_loop().create_future()
                self._waiters.append(waiter)
                await waiter
            item = self._items.popleft()
            try:
                await self._handle(item)
            except Outage as outage:
                log.get().warning("message_dropped", subscription=self._name, why=str(outage))
            except Exception as error:  # noqa: BLE001 - the edge: a defect of one message doesn't end the subscription
                log.get().error("message_failed", subscription=self._name, exc_info=error)

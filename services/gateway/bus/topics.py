"""Subjects that are heard while some session wants them: one subscription each, however many sessions."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from services.chassis.bus import Bus, Subscription
from services.chassis.shield import shielded

Heard = Callable[[bytes, str], Awaitable[None]]


@dataclass
class _Topic:
    wanted_by: set[str] = field(default_factory=set)
    subscription: Subscription | None = None
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


class Topics:
    """All subjects of one kind (`handler` gets what is said on any of them)."""

    def __init__(self, bus: Bus, handler: Heard) -> None:
        self._bus = bus
        self._handler = handler
        self._topics: dict[str, _Topic] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def __len__(self) -> int:
        return len(self._topics)

    async def join(self, subject: str, session: str) -> None:
        """Hear a subject for a session; returns once it is heard. Twice does nothing more."""
        topic = self._topics.setdefault(subject, _Topic())
        topic.wanted_by.add(session)
        await self._settled(subject, topic)

    async def leave(self, subject: str, session: str) -> None:
        """Hear it no more for this session."""
        topic = self._topics.get(subject)
        if topic is not None:
            topic.wanted_by.discard(session)
            await self._settled(subject, topic)

    async def stop(self) -> None:
        """Hear nothing more."""
        for subject, topic in list(self._topics.items()):
            topic.wanted_by.clear()
            await self._settled(subject, topic)

    async def _settled(self, subject: str, topic: _Topic) -> None:
        """Make the subscription what is wanted. A session that ends meanwhile doesn't cut it short: half a
        subscription could neither be used nor taken back.
        """
        task = asyncio.get_running_loop().create_task(self._settle(subject, topic))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        await shielded(task, subject)

    async def _settle(self, subject: str, topic: _Topic) -> None:
        async with topic.lock:
            if not topic.wanted_by:
                if topic.subscription is not None:
                    await topic.subscription.stop()
                    topic.subscription = None
                if not topic.wanted_by and self._topics.get(subject) is topic:
                    del self._topics[subject]
            if topic.wanted_by and topic.subscription is None:
                topic.subscription = await self._bus.listen(subject, self._handler)

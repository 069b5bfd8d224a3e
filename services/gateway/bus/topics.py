"""Subjects that are heard while some session wants them: one subscription each, however many sessions."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from services.chassis.bus import Bus, Subscription

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

    def __len__(self) -> int:
        return len(self._topics)

    async def join(self, subject: str, session: str) -> None:
        """Hear a subject for a session; returns once it is heard. Twice does nothing more."""
        topic = self._topics.setdefault(subject, _Topic())
        topic.wanted_by.add(session)
        async with topic.lock:
            if topic.subscription is None and topic.wanted_by:
                topic.subscription = await self._bus.listen(subject, self._handler)

    async def leave(self, subject: str, session: str) -> None:
        """Hear it no more for this session."""
        topic = self._topics.get(subject)
        if topic is None:
            return
        topic.wanted_by.discard(session)
        async with topic.lock:
            if topic.wanted_by:
                return
            if topic.subscription is not None:
                await topic.subscription.stop()
                topic.subscription = None
            if self._topics.get(subject) is topic and not topic.wanted_by:
                del self._topics[subject]

    async def stop(self) -> None:
        """Hear nothing more."""
        for subject, topic in list(self._topics.items()):
            for session in list(topic.wanted_by):
                await self.leave(subject, session)

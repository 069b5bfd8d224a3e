"""Subjects are heard exactly while somebody wants them."""

from __future__ import annotations

import asyncio
import random

import pytest

from services.chassis.bus import Bus
from services.gateway.bus.topics import Topics

SUBJECT = "paiju.test.topic.1"


class Ear:
    def __init__(self, bus: Bus) -> None:
        self.heard: list[bytes] = []
        self.bus = bus
        self.topics = Topics(bus, self.hear)

    async def hear(self, payload: bytes, subject: str) -> None:
        self.heard.append(payload)

    async def hears(self) -> int:
        """Return how often one message is heard."""
        before = len(self.heard)
        mark = Topics(self.bus, self.hear)
        await self.bus.tell(SUBJECT, b"x")
        await mark.join("paiju.test.topic.mark", "mark")
        await self.bus.tell("paiju.test.topic.mark", b"mark")
        async with asyncio.timeout(60):
            while b"mark" not in self.heard[before:]:
                await asyncio.sleep(0.002)
        await mark.stop()
        return self.heard[before:].count(b"x")


async def test_many_sessions_share_one_subscription_and_the_last_one_ends_it(bus: Bus) -> None:
    ear = Ear(bus)
    for session in "abc":
        await ear.topics.join(SUBJECT, session)
    assert await ear.hears() == 1
    await ear.topics.leave(SUBJECT, "a")
    await ear.topics.leave(SUBJECT, "a")
    await ear.topics.leave(SUBJECT, "b")
    assert await ear.hears() == 1
    await ear.topics.leave(SUBJECT, "c")
    assert await ear.hears() == 0
    assert len(ear.topics) == 0


async def test_a_session_that_ends_while_joining_harms_neither_others_nor_the_bus(bus: Bus) -> None:
    ear = Ear(bus)
    for n in range(20):
        joining = asyncio.create_task(ear.topics.join(f"{SUBJECT}{n}", "a"))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        joining.cancel()
        with pytest.raises(asyncio.CancelledError):
            await joining
    await ear.topics.join(SUBJECT, "b")
    assert await ear.hears() == 1
    await ear.topics.stop()


@pytest.mark.parametrize("seed", range(5))
async def test_whatever_comes_at_once_it_ends_as_wanted(bus: Bus, seed: int) -> None:
    ear, chance = Ear(bus), random.Random(seed)
    wanted: set[str] = set()
    calls = []
    for _ in range(40):
        session = chance.choice("abc")
        if session in wanted:
            wanted.discard(session)
            calls.append(ear.topics.leave(SUBJECT, session))
        else:
            wanted.add(session)
            calls.append(ear.topics.join(SUBJECT, session))
    await asyncio.gather(*calls)
    assert await ear.hears() == bool(wanted)
    assert len(ear.topics) == bool(wanted)
    await ear.topics.stop()
    assert await ear.hears() == 0

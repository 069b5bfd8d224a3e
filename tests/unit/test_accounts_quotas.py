"""Quotas of API keys: one count, whichever process is called."""

from __future__ import annotations

import asyncio

import pytest

from services.chassis.auth import Quota
from services.chassis.clock import VirtualClock, run_virtual
from services.chassis.errors import Refusal
from services.chassis.quotas import PORTIONS, Quotas, quotas_on_bus
from tests.support.process import MemoryWorld

KEY = Quota("k_1", per_minute=60, per_day=150)


def counters(clock: VirtualClock, count: int) -> list[Quotas]:
    """Return the counters of several processes of one world."""
    world = MemoryWorld(clock)
    return [quotas_on_bus(world.process().bus, clock) for _ in range(count)]


async def let_through(quotas: list[Quotas], calls: int, quota: Quota = KEY) -> tuple[int, list[Refusal]]:
    """Make calls at all processes at once; return how many were let through, and the refusals."""
    tries = [quotas[number % len(quotas)].take(quota) for number in range(calls)]
    results = await asyncio.gather(*tries, return_exceptions=True)
    refused = [one for one in results if isinstance(one, Refusal)]
    assert all(one is None or isinstance(one, Refusal) for one in results)
    return sum(one is None for one in results), refused


def test_several_processes_let_through_as_many_as_one_quota_allows() -> None:
    async def main(clock: VirtualClock) -> None:
        passed, refused = await let_through(counters(clock, 3), 100)
        assert passed == KEY.per_minute
        assert {one.reason for one in refused} == {"QUOTA_EXCEEDED"}
        assert {one.details["window"] for one in refused} == {"minute"}
        assert all(0 < int(one.details["retry_ms"]) <= 60_000 for one in refused)

    run_virtual(main)


def test_the_next_minute_begins_anew_until_the_day_is_used_up() -> None:
    async def main(clock: VirtualClock) -> None:
        quotas = counters(clock, 2)
        passed: list[int] = []
        days: list[Refusal] = []
        for _ in range(5):
            through, refused = await let_through(quotas, 80)
            passed.append(through)
            days.extend(one for one in refused if one.details["window"] == "day")
            await clock.sleep(60)
        # The calls of the minute that the day refuses are used up with it.
        assert sum(passed) <= KEY.per_day
        assert sum(passed) >= KEY.per_day - 2 * (KEY.per_day // PORTIONS)
        assert passed[0] == passed[1] == KEY.per_minute
        assert passed[-1] == 0
        assert all(int(one.details["retry_ms"]) > 60_000 for one in days)
        await clock.sleep(86_400)
        assert (await let_through(quotas, 10))[0] == 10

    run_virtual(main)


def test_a_process_that_starts_anew_does_not_begin_anew() -> None:
    async def main(clock: VirtualClock) -> None:
        world = MemoryWorld(clock)
        first = quotas_on_bus(world.process().bus, clock)
        passed, _ = await let_through([first], 50)
        again = quotas_on_bus(world.process().bus, clock)
        more, _ = await let_through([again], 50)
        portion = KEY.per_minute // PORTIONS
        assert KEY.per_minute - portion <= passed + more <= KEY.per_minute

    run_virtual(main)


def test_keys_do_not_count_for_each_other() -> None:
    async def main(clock: VirtualClock) -> None:
        quotas = counters(clock, 1)
        assert (await let_through(quotas, 100))[0] == 60
        other = Quota("k_2", per_minute=5, per_day=5)
        assert (await let_through(quotas, 100, other))[0] == 5

    run_virtual(main)


def test_a_clock_that_is_ahead_does_not_grant_a_minute_twice() -> None:
    """Another machine has begun the next minute already: what it counted stands."""

    async def main(clock: VirtualClock) -> None:
        world = MemoryWorld(clock)
        bus = world.process().bus
        ahead = clock.now_ms() // 60_000 + 1
        bucket = await bus.bucket("quotas")
        await bucket.put("k_1_minute", f"{ahead}:{KEY.per_minute}".encode())
        with pytest.raises(Refusal, match="QUOTA_EXCEEDED"):
            await quotas_on_bus(bus, clock).take(KEY)

    run_virtual(main)


def test_without_a_bus_a_process_counts_alone() -> None:
    async def main(clock: VirtualClock) -> None:
        assert (await let_through([Quotas(clock)], 100))[0] == KEY.per_minute

    run_virtual(main)

"""Rates and queues."""

from __future__ import annotations

import asyncio

import pytest

from services.chassis.clock import VirtualClock, run_virtual
from services.chassis.errors import Refusal
from services.chassis.limits import BoundedQueue, Overflow, QueueClosed, Rate, RateLimits, TokenBucket


def test_a_bucket_allows_its_burst_and_then_its_rate() -> None:
    async def main(clock: VirtualClock) -> None:
        bucket = TokenBucket(Rate(per_s=2, burst=3), clock)
        assert [bucket.allow() for _ in range(4)] == [True, True, True, False]
        assert bucket.wait_s() == pytest.approx(0.5)
        with pytest.raises(Refusal) as caught:
            bucket.take()
        assert (caught.value.reason, caught.value.details["retry_ms"]) == ("RATE_LIMITED", 501)
        await clock.sleep(0.5)
        bucket.take()
        assert not bucket.allow()
        await clock.sleep(1000)
        assert [bucket.allow() for _ in range(4)] == [True, True, True, False]
        assert bucket.wait_s(100) == float("inf")

    run_virtual(main)


def test_keys_do_not_share_and_the_oldest_is_forgotten() -> None:
    async def main(clock: VirtualClock) -> None:
        limits = RateLimits(Rate(per_s=0.001, burst=1), clock, keys_max=2)
        limits.take("a")
        limits.take("b")
        with pytest.raises(Refusal):
            limits.take("a")
        limits.take("c")
        limits.take("b")

    run_virtual(main)


@pytest.mark.parametrize(
    ("overflow", "kept", "closed"),
    [("drop_oldest", [2, 3, 4], False), ("drop_newest", [0, 1, 2], False), ("close", [0, 1, 2], True)],
)
def test_a_full_queue_does_what_its_policy_says(overflow: Overflow, kept: list[int], closed: bool) -> None:
    async def main(clock: VirtualClock) -> None:
        queue: BoundedQueue[int] = BoundedQueue(3, overflow)
        results = [queue.put(number) for number in range(5)]
        assert results == [True, True, True, False, False]
        assert queue.closed == closed
        assert queue.dropped == (1 if closed else 2)
        assert await queue.get_many(10) == kept
        queue.close()
        with pytest.raises(QueueClosed):
            await queue.get()
        assert not queue.put(9)

    run_virtual(main)


def test_a_reader_waits_for_the_first_and_is_woken_by_closing() -> None:
    async def main(clock: VirtualClock) -> None:
        queue: BoundedQueue[int] = BoundedQueue(3, "close")
        reading = asyncio.ensure_future(queue.get())
        await clock.sleep(1)
        queue.put(7)
        assert await reading == 7
        reading = asyncio.ensure_future(queue.get())
        await clock.sleep(1)
        queue.close()
        with pytest.raises(QueueClosed):
            await reading

    run_virtual(main)

"""Rates and queues."""

from __future__ import annotations

import asyncio
import contextlib

import pytest

from services.chassis.clock import VirtualClock, run_virtual
from services.chassis.errors import Refusal
from services.chassis.guesses import WAIT_S, Guesses
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


class TestGuesses:
    RATE = Rate(per_s=0.1, burst=3)

    async def guess(self, guesses: Guesses, clock: VirtualClock, right: bool, seconds: float = 0.1) -> str:
        try:
            async with guesses.one("here") as guess:
                await clock.sleep(seconds)
                if not right:
                    guess.wrong()
        except Refusal as refusal:
            return refusal.reason
        return "right" if right else "wrong"

    def test_of_wrong_ones_made_at_once_no_more_are_answered_than_of_those_one_by_one(self) -> None:
        async def main(clock: VirtualClock) -> None:
            guesses = Guesses(self.RATE, clock)
            said = await asyncio.gather(*(self.guess(guesses, clock, False) for _ in range(50)))
            assert (said.count("wrong"), said.count("RATE_LIMITED")) == (3, 47)
            assert await self.guess(guesses, clock, True) == "RATE_LIMITED"
            await clock.sleep(10)
            said = await asyncio.gather(*(self.guess(guesses, clock, False) for _ in range(50)))
            assert (said.count("wrong"), said.count("RATE_LIMITED")) == (1, 49)
            async with guesses.one("elsewhere"):
                pass

        run_virtual(main)

    def test_right_ones_made_at_once_are_all_answered(self) -> None:
        async def main(clock: VirtualClock) -> None:
            guesses = Guesses(self.RATE, clock)
            await self.guess(guesses, clock, False)
            said = await asyncio.gather(*(self.guess(guesses, clock, True, 0.01) for _ in range(200)))
            assert set(said) == {"right"}

        run_virtual(main)

    def test_who_gives_up_waiting_holds_up_nobody_and_no_guess_waits_for_ever(self) -> None:
        async def main(clock: VirtualClock) -> None:
            guesses = Guesses(Rate(per_s=0.001, burst=1), clock)
            slow = asyncio.create_task(self.guess(guesses, clock, True, WAIT_S + 1))
            await clock.sleep(0)
            waiting = [asyncio.create_task(self.guess(guesses, clock, True)) for _ in range(3)]
            await clock.sleep(0.1)
            waiting[0].cancel()
            slow.cancel()
            assert await asyncio.gather(*waiting[1:]) == ["right", "right"]
            slow = asyncio.create_task(self.guess(guesses, clock, True, WAIT_S + 1))
            await clock.sleep(0)
            assert await self.guess(guesses, clock, True) == "DEADLINE_EXCEEDED"
            assert await slow == "right"
            with pytest.raises(KeyError):
                async with guesses.one("here"):
                    raise KeyError
            assert await self.guess(guesses, clock, False) == "wrong"

        run_virtual(main)

    def test_the_keys_used_least_recently_are_forgotten(self) -> None:
        async def main(clock: VirtualClock) -> None:
            guesses = Guesses(Rate(per_s=0.001, burst=1), clock, keys_max=2)
            assert await self.guess(guesses, clock, False) == "wrong"
            for key in ("a", "here", "b"):
                with contextlib.suppress(Refusal):
                    async with guesses.one(key):
                        pass
            assert await self.guess(guesses, clock, False) == "RATE_LIMITED"

        run_virtual(main)

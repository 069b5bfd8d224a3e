"""Time as a parameter."""

from __future__ import annotations

import asyncio

import pytest

from services.chassis.clock import Stuck, SystemClock, VirtualClock, VirtualEventLoop, run_virtual
from services.chassis.ids import SeededIds, SystemIds


def test_an_hour_of_timers_passes_at_once_and_in_order() -> None:
    order: list[int] = []

    async def main(clock: VirtualClock) -> tuple[float, int]:
        async def wait(minutes: int) -> None:
            await clock.sleep(minutes * 60)
            order.append(minutes)

        async with asyncio.TaskGroup() as tasks:
            for minutes in (60, 5, 30, 1):
                tasks.create_task(wait(minutes))
        return clock.monotonic(), clock.now_ms()

    before = SystemClock().monotonic()
    assert run_virtual(main, start_ms=1000) == (3600.0, 3_601_000)
    assert order == [1, 5, 30, 60]
    assert SystemClock().monotonic() - before < 5


def test_virtual_time_stands_still_while_anything_can_run() -> None:
    async def main(clock: VirtualClock) -> float:
        for _ in range(1000):
            await clock.sleep(0)
        return clock.monotonic()

    assert run_virtual(main) == 0.0


def test_a_timeout_ends_its_body_at_its_moment() -> None:
    async def main(clock: VirtualClock) -> float:
        with pytest.raises(TimeoutError):
            async with clock.timeout(2.5):
                await clock.sleep(100)
        async with clock.timeout(None):
            await clock.sleep(100)
        return clock.monotonic()

    assert run_virtual(main) == 102.5


def test_a_call_may_be_taken_back() -> None:
    async def main(clock: VirtualClock) -> list[str]:
        called: list[str] = []
        clock.call_at(5.0, lambda: called.append("five"))
        timer = clock.call_at(3.0, lambda: called.append("three"))
        timer.cancel()
        timer.cancel()
        await clock.sleep(10)
        return called

    assert run_virtual(main) == ["five"]


def test_waiting_for_nothing_is_told_instead_of_hanging() -> None:
    async def main(clock: VirtualClock) -> None:
        await asyncio.Event().wait()

    with pytest.raises(Stuck):
        run_virtual(main)


def test_skew_moves_the_wall_clock_only() -> None:
    async def main(clock: VirtualClock) -> tuple[int, float]:
        late = VirtualClock(start_ms=0, skew_ms=250)
        return late.now_ms(), late.monotonic()

    assert run_virtual(main) == (250, 0.0)


def test_sets_of_tasks_iterate_in_the_same_order_in_every_run() -> None:
    async def main(clock: VirtualClock) -> list[str]:
        ended: list[str] = []

        async def wait(name: str) -> None:
            try:
                await clock.sleep(1000)
            finally:
                ended.append(name)

        async def group() -> None:
            async with asyncio.TaskGroup() as tasks:
                for number in range(40):
                    tasks.create_task(wait(f"t{number}"))
                await clock.sleep(1)
                raise ValueError("ends the group")

        with pytest.raises(ExceptionGroup):
            await group()
        return ended

    runs = [run_virtual(main) for _ in range(3)]
    assert runs[0] == runs[1] == runs[2]
    assert len(runs[0]) == 40


def test_a_virtual_clock_on_another_loop_is_a_defect() -> None:
    async def main() -> None:
        VirtualClock().now_ms()

    with pytest.raises(AssertionError, match="virtual loop"):
        asyncio.run(main())
    assert issubclass(VirtualEventLoop, asyncio.SelectorEventLoop)


def test_the_system_clock_sleeps_calls_and_times_out() -> None:
    async def main() -> list[str]:
        clock, called = SystemClock(), []
        clock.call_at(clock.monotonic() + 0.01, lambda: called.append("timer"))
        start = clock.monotonic()
        await clock.sleep(0.03)
        assert clock.monotonic() - start >= 0.029
        with pytest.raises(TimeoutError):
            async with clock.timeout(0.01):
                await clock.sleep(5)
        assert abs(clock.now_ms() - SystemClock().now_ms()) < 5000
        return called

    assert asyncio.run(main()) == ["timer"]


def test_the_same_seed_gives_the_same_names_and_another_gives_others() -> None:
    def draw(ids: SeededIds) -> list[object]:
        return [ids.new("p"), ids.token(4), ids.below(1000), ids.jitter()]

    assert draw(SeededIds(1)) == draw(SeededIds(1)) != draw(SeededIds(2))


@pytest.mark.parametrize("ids", [SystemIds(), SeededIds(3)])
def test_names_have_their_prefix_and_fit_every_rule_for_names(ids: SystemIds | SeededIds) -> None:
    name = ids.new("p")
    assert name.startswith("p_")
    assert len(name) == 22
    assert set(name[2:]) <= set("0123456789abcdefghjkmnpqrstvwxyz")
    assert ids.new("3", "-").startswith("3-")
    assert len(ids.new()) == 20
    assert len({ids.new() for _ in range(1000)}) == 1000
    assert len(ids.token(32)) == 32
    assert {ids.below(3) for _ in range(200)} == {0, 1, 2}
    assert all(0 <= ids.jitter() < 1 for _ in range(100))

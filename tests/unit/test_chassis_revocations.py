"""What a verifier knows of ended sessions, in virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from services.chassis.clock import VirtualClock, run_virtual
from services.chassis.errors import Outage, Refusal
from services.chassis.revocations import LIST_WAIT_S, REFRESH_S, STALE_S_MAX, Revocations


class Source:
    def __init__(self) -> None:
        self.revoked: list[str] = []
        self.asked = 0
        self.is_away = False
        self.hangs = False

    async def read(self) -> list[str]:
        self.asked += 1
        if self.hangs:
            await asyncio.Event().wait()
        if self.is_away:
            raise Outage("away")
        return self.revoked


def scene(run: Callable[[VirtualClock, Source, Revocations], Awaitable[None]]) -> None:
    async def main(clock: VirtualClock) -> None:
        source = Source()
        await run(clock, source, Revocations(source.read, clock))

    run_virtual(main)


async def is_refused(revocations: Revocations, session_id: str) -> bool:
    try:
        await revocations.check(session_id)
    except Refusal as refusal:
        return refusal.reason == "SESSION_REVOKED"
    return False


def test_a_revocation_elsewhere_is_known_half_a_second_later() -> None:
    async def run(clock: VirtualClock, source: Source, revocations: Revocations) -> None:
        assert not await is_refused(revocations, "s_1")
        source.revoked = ["s_1"]
        await clock.sleep(REFRESH_S)
        assert await is_refused(revocations, "s_1")
        assert not await is_refused(revocations, "s_2")

    scene(run)


def test_what_is_noted_here_counts_at_once_and_stays_when_the_list_does_not_have_it() -> None:
    async def run(clock: VirtualClock, source: Source, revocations: Revocations) -> None:
        assert not await is_refused(revocations, "s_1")
        revocations.note("s_1")
        assert await is_refused(revocations, "s_1")
        await clock.sleep(REFRESH_S)
        assert not await is_refused(revocations, "s_2")
        assert await is_refused(revocations, "s_1")

    scene(run)


def test_any_number_of_checks_ask_once_each_half_second() -> None:
    async def run(clock: VirtualClock, source: Source, revocations: Revocations) -> None:
        for _ in range(4):
            await asyncio.gather(*(revocations.check(f"s_{number}") for number in range(50)))
        assert source.asked == 1
        await clock.sleep(REFRESH_S)
        await revocations.check("s_1")
        assert source.asked == 2

    scene(run)


@pytest.mark.parametrize("how", ["away", "hangs"])
def test_while_the_bus_does_not_answer_the_last_list_counts_for_a_while_and_then_nobody_is_let_in(
    how: str,
) -> None:
    async def run(clock: VirtualClock, source: Source, revocations: Revocations) -> None:
        source.revoked = ["s_1"]
        await revocations.check("s_2")
        source.is_away, source.hangs = how == "away", how == "hangs"
        await clock.sleep(STALE_S_MAX - LIST_WAIT_S)
        await revocations.check("s_2")
        assert await is_refused(revocations, "s_1")
        await clock.sleep(2 * LIST_WAIT_S)
        with pytest.raises(Outage):
            await revocations.check("s_2")
        source.is_away = source.hangs = False
        await clock.sleep(REFRESH_S)
        await revocations.check("s_2")

    scene(run)


def test_a_process_that_never_read_the_list_lets_nobody_in() -> None:
    async def run(clock: VirtualClock, source: Source, revocations: Revocations) -> None:
        source.is_away = True
        with pytest.raises(Outage):
            await revocations.check("s_1")

    scene(run)

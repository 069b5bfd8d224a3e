"""Gateways tell who is with them, accounts remembers it; on the virtual clock."""

from __future__ import annotations

import asyncio

from paiju.gateway.v1.gateway_service_pb2 import PeopleHere

from services.accounts.presence import SILENT_S, Presence
from services.chassis.bus import subject_of
from services.chassis.clock import VirtualClock, run_virtual
from services.gateway.bus.presence import PEOPLE_MAX, REPEAT_S
from services.gateway.bus.presence import Presence as Teller
from tests.support.process import MemoryWorld


def test_changes_are_told_within_a_second_and_everybody_again_each_half_minute() -> None:
    async def scene(clock: VirtualClock) -> None:
        bus = MemoryWorld(clock).process("gateway").bus
        heard = Presence(bus, clock)
        await heard.start()
        said: list[PeopleHere] = []

        async def count(payload: bytes, subject: str) -> None:
            said.append(PeopleHere.FromString(payload))

        await bus.listen(subject_of(PeopleHere, key="*"), count)
        teller = Teller(bus, clock, "gw")
        task = asyncio.get_running_loop().create_task(teller.run())
        crowd = [f"p_{number:04}" for number in range(PEOPLE_MAX + 1)]
        for one in crowd:
            teller.note(one, is_here=True)
            teller.note(one, is_here=True)
        await clock.sleep(1.5)
        assert heard.here(crowd) == crowd
        assert [len(one.here) for one in said] == [PEOPLE_MAX, 1]
        # Who loads the page anew is not told to have gone.
        teller.note(crowd[0], is_here=False)
        teller.note(crowd[0], is_here=True)
        teller.note(crowd[1], is_here=False)
        await clock.sleep(1.5)
        assert [(list(one.here), list(one.gone)) for one in said[2:]] == [([], [crowd[1]])]
        assert heard.here(crowd[:3]) == [crowd[0], crowd[2]]
        await clock.sleep(4 * REPEAT_S)
        assert heard.here(crowd[:3]) == [crowd[0], crowd[2]]
        assert sum(len(one.here) for one in said) >= 4 * PEOPLE_MAX
        # The process is killed: nobody says that its people have gone.
        task.cancel()
        await clock.sleep(SILENT_S + REPEAT_S)
        assert heard.here(crowd) == []

    run_virtual(scene)


def test_a_gateway_that_ends_takes_its_people_along_and_junk_changes_nothing() -> None:
    async def scene(clock: VirtualClock) -> None:
        bus = MemoryWorld(clock).process("gateway").bus
        heard = Presence(bus, clock)
        await heard.start()
        teller = Teller(bus, clock, "gw")
        teller.note("p_one", is_here=True)
        task = asyncio.get_running_loop().create_task(teller.run())
        await clock.sleep(1.5)
        await bus.tell(subject_of(PeopleHere, key="gw"), b"\xff" * 9)
        await bus.tell(subject_of(PeopleHere, key="gw"), b"\x12\x01x" * 50_000)
        await clock.sleep(0.1)
        assert heard.here(["p_one", "x"]) == ["p_one"]
        await teller.farewell()
        await clock.sleep(0.1)
        assert heard.here(["p_one"]) == []
        task.cancel()

    run_virtual(scene)

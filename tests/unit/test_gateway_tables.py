"""The data plane in virtual time: what happens when owners are slow, silent, forgetful or gone."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest
from paiju.gateway.v1.gateway_service_pb2 import PlayResponse
from paiju.table.v1.play_pb2 import Act, Attach, Detach, Frame, Ready, TableCommand
from paiju.table.v1.wire_pb2 import Detached, Out

from services.chassis.bus import subject as named
from services.chassis.clock import VirtualClock, run_virtual
from services.chassis.errors import Refusal
from services.gateway.bus.tables import COMMANDS_PER_SESSION_MAX, Tables
from services.gateway.core.attachment import SILENCE_S
from services.gateway.core.framing import leading_number
from tests.support.process import MemoryWorld
from tests.support.table_owner import TableOwner

TABLE = "0-table1"


class Ear:
    """A session that only listens."""

    def __init__(self, session_id: str, player_id: str) -> None:
        self.session_id = session_id
        self.player_id = player_id
        self.heard: list[PlayResponse] = []
        self.frames: list[int] = []

    def send(self, response: PlayResponse, *, is_droppable: bool = False) -> None:
        self.heard.append(response)

    def send_frame(self, table_id: str, epoch: int, frame: bytes) -> None:
        self.frames.append(leading_number(frame))

    def answers(self) -> dict[int, str]:
        return {r.reply_to: r.command_answer.reason for r in self.heard if r.HasField("command_answer")}


class Scene:
    def __init__(self, clock: VirtualClock) -> None:
        self.clock = clock
        self.world = MemoryWorld(clock)
        self.gateway = self.world.process("gateway")
        self.owner = TableOwner(self.world.process("table").bus)
        self.tables = Tables(self.gateway.parts, "gw", shards=4, tables_per_session_max=4)
        self.ann = Ear("s_ann", "p_ann")
        self._id = 0

    def say(self, ear: Ear | None = None, table_id: str = TABLE, **body: object) -> int:
        self._id += 1
        command = TableCommand(table_id=table_id, command_id=f"c{self._id}", **body)  # type: ignore[arg-type] # one of the bodies
        self.tables.submit(ear or self.ann, self._id, command)
        return self._id

    async def beats(self, seconds: int) -> None:
        for _ in range(seconds):
            await self.clock.sleep(1)
            await self.owner.beat()


def play(scene: Callable[[Scene], Awaitable[None]]) -> None:
    async def main(clock: VirtualClock) -> None:
        made = Scene(clock)
        await made.tables.start()
        await scene(made)
        for process in made.world.processes:
            await process.stop()

    run_virtual(main)


def test_what_was_on_its_way_to_an_owner_that_is_gone_keeps_nothing_waiting() -> None:
    async def scene(s: Scene) -> None:
        await s.owner.start()
        s.say(attach=Attach())
        await s.clock.sleep(0.1)
        s.owner.is_silent = True
        asked = s.say(act=Act(question=1))
        await s.clock.sleep(0.1)
        await s.owner.stop()
        s.owner.is_silent = False
        await s.owner.start()
        await s.clock.sleep(0.05)
        assert s.ann.answers()[asked] == ""

    play(scene)


def test_a_command_that_nobody_takes_is_given_up_after_ten_seconds_and_said_so() -> None:
    async def scene(s: Scene) -> None:
        asked = s.say(ready=Ready())
        await s.clock.sleep(9.9)
        assert s.ann.answers() == {}
        await s.clock.sleep(0.7)
        assert s.ann.answers() == {asked: "TABLE_UNAVAILABLE"}
        await s.owner.start()
        await s.clock.sleep(5)
        assert s.owner.commands == []

    play(scene)


def test_while_nobody_serves_a_shard_it_is_asked_for_with_growing_pauses() -> None:
    async def scene(s: Scene) -> None:
        asked = 0
        request = s.gateway.bus.request

        async def count(subject: str, payload: bytes, timeout_s: float = 5.0) -> bytes:
            nonlocal asked
            asked += 1
            return await request(subject, payload, timeout_s)

        s.gateway.bus.request = count  # type: ignore[method-assign] # counts, and passes on
        s.say(ready=Ready())
        await s.clock.sleep(9)
        assert 12 <= asked <= 60
        await s.owner.start()
        await s.clock.sleep(0.8)
        assert s.ann.answers() == {1: ""}

    play(scene)


def test_a_session_has_so_many_commands_waiting_at_most() -> None:
    async def scene(s: Scene) -> None:
        for _ in range(COMMANDS_PER_SESSION_MAX):
            s.say(ready=Ready())
        with pytest.raises(Refusal, match="TOO_MANY_CALLS"):
            s.say(ready=Ready())
        s.say(Ear("s_bob", "p_bob"), ready=Ready())
        await s.owner.start()
        await s.clock.sleep(2)
        s.say(ready=Ready())

    play(scene)


def test_commands_of_many_sessions_travel_in_few_batches() -> None:
    async def scene(s: Scene) -> None:
        await s.owner.start()
        for number in range(200):
            s.say(Ear(f"s_{number}", f"p_{number}"), act=Act(question=1))
        await s.clock.sleep(1)
        assert s.owner.count("act") == 200
        assert s.owner.batches <= 3

    play(scene)


def test_a_session_that_its_owner_forgot_is_attached_again() -> None:
    async def scene(s: Scene) -> None:
        await s.owner.start()
        s.say(attach=Attach())
        await s.beats(3)
        seat = s.owner.seats[TABLE, "p_ann"]
        seat.session = ""
        await s.owner.show(TABLE, "p_ann")
        await s.clock.sleep(SILENCE_S + 2)
        assert seat.session == "s_ann"
        await s.owner.show(TABLE, "p_ann")
        await s.clock.sleep(1)
        assert s.ann.frames[-1] == 2

    play(scene)


def test_what_an_owner_of_before_still_says_is_not_passed_on() -> None:
    async def scene(s: Scene) -> None:
        await s.owner.start()
        s.say(attach=Attach())
        await s.clock.sleep(1)
        old = s.owner.epoch
        await s.owner.stop()
        await s.owner.start()
        await s.clock.sleep(1)
        number = len(s.owner.seats[TABLE, "p_ann"].frames) + 1
        shown = Frame(number=number).SerializeToString()
        gone = Detached(reason="REPLACED")
        outs = [
            Out(session="s_ann", table_id=TABLE, frame=shown),
            Out(session="s_ann", table_id=TABLE, detached=gone),
        ]
        heard, frames = len(s.ann.heard), list(s.ann.frames)
        await s.owner.send("gw", *outs, epoch=old)
        await s.clock.sleep(0.1)
        assert (len(s.ann.heard), s.ann.frames) == (heard, frames)
        await s.owner.send("gw", *outs)
        await s.clock.sleep(0.1)
        assert s.ann.frames == [*frames, number]
        assert s.ann.heard[-1].table_detached.reason == "REPLACED"

    play(scene)


def test_an_owner_that_still_speaks_to_a_departed_session_is_told() -> None:
    async def scene(s: Scene) -> None:
        await s.owner.start()
        s.say(attach=Attach())
        await s.clock.sleep(1)
        seat = s.owner.seats[TABLE, "p_ann"]
        s.tables.close("s_ann")
        await s.clock.sleep(1)
        seat.session = "s_ann"  # as if the detach had got lost
        await s.owner.beat()
        await s.clock.sleep(1)
        assert seat.session == ""

    play(scene)


def test_a_session_that_its_table_sends_away_hears_why_and_nothing_more() -> None:
    async def scene(s: Scene) -> None:
        await s.owner.start()
        s.say(attach=Attach())
        await s.clock.sleep(1)
        gone = Out(table_id=TABLE, session="s_ann", detached=Detached(reason="TABLE_CLOSED"))
        await s.owner.send("gw", gone, gone)
        await s.owner.show(TABLE, "p_ann")
        await s.clock.sleep(1)
        detached = [r.table_detached.reason for r in s.ann.heard if r.HasField("table_detached")]
        assert detached == ["TABLE_CLOSED"]
        assert s.ann.frames == []
        assert not s.tables.is_attached("s_ann", TABLE)

    play(scene)


def test_junk_on_the_bus_harms_nobody() -> None:
    async def scene(s: Scene) -> None:
        await s.owner.start()
        bus = s.owner.bus
        for junk in (b"", b"\xff\xff", b"\x0a\x05abc"):
            await bus.tell(named("gateway", "out", "gw"), junk)
            await bus.tell(named("table", "shard_owned", "0"), junk)
        await s.owner.send("gw", Out(), Out(table_id="x", session="y", frame=b"\xff"))
        s.say(attach=Attach())
        await s.clock.sleep(2)
        assert s.ann.answers() == {1: ""}

    play(scene)


def test_detaching_twice_and_from_nowhere_is_answered() -> None:
    async def scene(s: Scene) -> None:
        await s.owner.start()
        s.say(attach=Attach())
        s.say(detach=Detach())
        s.say(detach=Detach())
        s.say(detach=Detach(), table_id="0-elsewhere")
        await s.clock.sleep(1)
        assert s.ann.answers() == {1: "", 2: "", 3: "", 4: ""}
        s.tables.close("s_ann")
        s.tables.close("s_ann")
        s.tables.close("s_nobody")

    play(scene)

"""Several gateways before a real table, in virtual time: the newest connection wins, the dead are missed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest
from paiju.gateway.v1.gateway_service_pb2 import PlayResponse
from paiju.table.v1.play_pb2 import Attach, Frame, SeatState, SetAutoPlay, TableCommand, TableView

from services.chassis.clock import VirtualClock, run_virtual
from services.gateway.bus.tables import Tables
from services.gateway.core.framing import leading_number
from services.table.calls import Calls, Create
from services.table.gateways import SILENT_BEATS_MAX
from services.table.shard import Shard
from tests.simulation.tables import Host, spec
from tests.support.process import MemoryProcess, MemoryWorld

TABLE = "0-table1"
TIMING = '{"claim_pause_ms":0,"nonce_ms":300,"turn_ms":600000,"claim_ms":600000,"seat_ms":600000}'


class Connection:
    """One connection of a player to one gateway."""

    def __init__(self, tables: Tables, session_id: str, player_id: str) -> None:
        self.tables = tables
        self.session_id = session_id
        self.player_id = player_id
        self.epoch = 0
        self.number = 0
        self.seats: list[SeatState] = []
        self.detached: list[str] = []
        self.answers: dict[int, str] = {}
        self._id = 0

    def say(self, **body: object) -> int:
        self._id += 1
        command = TableCommand(table_id=TABLE, command_id=f"{self.session_id}-{self._id}", **body)  # type: ignore[arg-type] # one of the bodies
        self.tables.submit(self, self._id, command)
        return self._id

    def attach(self) -> int:
        return self.say(attach=Attach(epoch=self.epoch, number=self.number))

    @property
    def is_attached(self) -> bool:
        return self.tables.is_attached(self.session_id, TABLE)

    def send(self, response: PlayResponse, *, is_droppable: bool = False) -> None:
        if response.HasField("table_detached"):
            self.detached.append(response.table_detached.reason)
        elif response.HasField("command_answer"):
            self.answers[response.reply_to] = response.command_answer.reason
        elif response.HasField("table_snapshot"):
            view = TableView.FromString(response.table_snapshot.view)
            self.epoch, self.number = response.table_snapshot.epoch, view.number
            self.seats = list(view.seats)

    def send_frame(self, table_id: str, epoch: int, frame: bytes) -> None:
        assert leading_number(frame) == self.number + 1, "a frame is missing, or came twice"
        self.number, self.epoch = self.number + 1, epoch
        shown = Frame.FromString(frame)
        if shown.HasField("seats_changed"):
            self.seats = list(shown.seats_changed.seats)


class Scene:
    """One shard with one table of two people and a bot, and gateways."""

    def __init__(self, clock: VirtualClock, seed: int) -> None:
        self.clock = clock
        self.seed = seed
        self.world = MemoryWorld(clock, seed)
        self.hosts = 0
        self.host: Host
        self.shard: Shard
        self.attaches = 0
        self._sessions = 0

    async def take(self) -> None:
        """Let another process own the shard, as after a crash."""
        self.hosts += 1
        name = f"host{self.hosts}"
        self.host = Host(self.world.process(name).bus, self.clock, name=name)
        self.shard = await self.host.take()
        if self.hosts == 1:
            shard = self.shard
            await Calls(self.host.bus, lambda _: shard).about(
                Create(TABLE, spec("p_ann", "p_bob", timing=TIMING))
            )

    async def gateway(self, name: str) -> tuple[MemoryProcess, Tables]:
        process = self.world.process(name)
        tables = Tables(process.parts, name, shards=4, tables_per_session_max=4)
        await tables.start()
        return process, tables

    def connect(self, tables: Tables, player_id: str) -> Connection:
        self._sessions += 1
        return Connection(tables, f"s{self._sessions}", player_id)

    def lose_detached(self) -> None:
        """Whoever is replaced is not told: the word is lost on the way."""
        out = self.shard._out  # what the bus would do to it
        out.detached = lambda *_: None  # type: ignore[method-assign] # the loss

    def hear_again(self) -> None:
        del self.shard._out.detached

    @property
    def session_at_ann(self) -> str:
        at = self.shard.sessions.at_seat(TABLE, 0)
        return at.session if at is not None else ""


def play(scene: Callable[[Scene], Awaitable[None]], seed: int = 0) -> None:
    async def main(clock: VirtualClock) -> None:
        made = Scene(clock, seed)
        await made.take()
        await scene(made)
        await made.host.kill()
        for process in made.world.processes:
            await process.stop()

    run_virtual(main)


def test_a_connection_at_another_gateway_takes_the_seat_and_the_older_one_is_told() -> None:
    async def scene(at: Scene) -> None:
        _, one = await at.gateway("gw-one")
        _, two = await at.gateway("gw-two")
        older, newer = at.connect(one, "p_ann"), at.connect(two, "p_ann")
        older.attach()
        await at.clock.sleep(1)
        newer.attach()
        await at.clock.sleep(1)
        assert (older.detached, newer.detached) == (["REPLACED"], [])
        assert (older.is_attached, newer.is_attached) == (False, True)
        newer.say(set_auto_play=SetAutoPlay(on=True))
        await at.clock.sleep(1)
        assert newer.number > older.number

    play(scene)


@pytest.mark.parametrize("loses_for_s", [5, 60])
def test_two_gateways_do_not_fight_over_a_seat_when_the_word_that_one_was_replaced_is_lost(
    loses_for_s: int,
) -> None:
    async def scene(at: Scene) -> None:
        _, one = await at.gateway("gw-one")
        _, two = await at.gateway("gw-two")
        older, newer = at.connect(one, "p_ann"), at.connect(two, "p_ann")
        older.attach()
        await at.clock.sleep(1)
        at.lose_detached()
        newer.attach()
        for _ in range(loses_for_s):
            # The older one hears no heartbeat and asks again after 4 s; the seat never moves.
            await at.clock.sleep(1)
            assert at.session_at_ann == newer.session_id
        at.hear_again()
        await at.clock.sleep(10)
        assert (older.detached, older.is_attached) == (["REPLACED"], False)
        assert (newer.detached, newer.is_attached) == ([], True)
        for seat in newer.seats[:1]:
            assert seat.online

    play(scene)


@pytest.mark.parametrize("seed", range(6))
def test_the_newest_connection_stays_the_newest_under_a_new_owner(seed: int) -> None:
    async def scene(at: Scene) -> None:
        gateways = [await at.gateway(name) for name in ("gw-one", "gw-two")]
        older = at.connect(gateways[seed % 2][1], "p_ann")
        newer = at.connect(gateways[1 - seed % 2][1], "p_ann")
        older.attach()
        await at.clock.sleep(1)
        at.lose_detached()
        newer.attach()
        await at.clock.sleep(1)
        # Both gateways believe that they have the seat, and both attach at the next owner.
        await at.host.kill()
        await at.take()
        await at.clock.sleep(1 + seed)
        await at.clock.sleep(10)
        assert (older.detached, older.is_attached) == (["REPLACED"], False)
        assert (newer.detached, newer.is_attached) == ([], True)
        assert at.session_at_ann == newer.session_id
        # And a connection that comes now is newer than both.
        newest = at.connect(gateways[0][1], "p_ann")
        newest.attach()
        await at.clock.sleep(1)
        assert at.session_at_ann == newest.session_id
        assert newer.detached == ["REPLACED"]

    play(scene, seed)


def test_an_attach_that_is_sent_again_is_as_old_as_when_it_was_first_said() -> None:
    async def scene(at: Scene) -> None:
        _, one = await at.gateway("gw-one")
        _, two = await at.gateway("gw-two")
        older, newer = at.connect(one, "p_ann"), at.connect(two, "p_ann")
        out = at.shard._out
        out.answer = lambda *_: None  # type: ignore[method-assign] # the answer is lost
        older.attach()
        await at.clock.sleep(0.2)
        del out.answer
        newer.attach()
        await at.clock.sleep(5)
        assert at.session_at_ann == newer.session_id
        assert (older.detached, newer.detached) == (["REPLACED"], [])

    play(scene)


def test_the_players_of_a_gateway_that_died_without_a_word_are_missed_and_come_back_through_another() -> None:
    async def scene(at: Scene) -> None:
        dying, one = await at.gateway("gw-one")
        _, two = await at.gateway("gw-two")
        ann, bob = at.connect(one, "p_ann"), at.connect(two, "p_bob")
        ann.attach()
        bob.attach()
        await at.clock.sleep(30)
        assert [seat.online for seat in bob.seats[:2]] == [True, True], (
            "who says nothing for long is still there"
        )
        dying.crash()
        await at.clock.sleep(SILENT_BEATS_MAX + 3)
        assert [seat.online for seat in bob.seats[:2]] == [False, True]
        again = at.connect(two, "p_ann")
        again.epoch, again.number = ann.epoch, ann.number
        again.attach()
        await at.clock.sleep(1)
        assert [seat.online for seat in bob.seats[:2]] == [True, True]
        assert again.number >= bob.number - 1 > ann.number, "he has the frames that he missed"

    play(scene)


def test_nobody_is_missed_because_the_broker_was_away() -> None:
    async def scene(at: Scene) -> None:
        _, one = await at.gateway("gw-one")
        ann, bob = at.connect(one, "p_ann"), at.connect(one, "p_bob")
        ann.attach()
        bob.attach()
        await at.clock.sleep(3)
        number = bob.number
        for _ in range(3):
            at.world.broker.stop()
            await at.clock.sleep(20)
            at.world.broker.start()
            await at.clock.sleep(4)
        await at.clock.sleep(20)
        assert bob.number == number, "nothing happened at the table"
        assert [seat.online for seat in bob.seats[:2]] == [True, True]

    play(scene)

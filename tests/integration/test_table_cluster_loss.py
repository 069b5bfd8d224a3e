"""A shard log that has lost its end: an older copy of the store, between two runs and under a running owner."""

from __future__ import annotations

import asyncio
import copy
import json
import random
import shutil
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from paiju.table.v1.events_pb2 import MatchFinished, RoundOpened, RoundVoided
from paiju.table.v1.play_pb2 import Frame, SetAutoPlay

from services.chassis.bus.broker import MemoryBroker
from services.chassis.bus.memory import MemoryBus
from services.chassis.bus.registry import event_of
from services.chassis.clock import Clock, VirtualClock, run_virtual
from services.chassis.db import InlineDatabase, migrate
from services.chassis.errors import Outage
from services.chassis.ids import SeededIds
from services.chassis.metrics import Metrics
from services.gateway.app import Gateway
from services.gateway.settings import GatewaySettings
from services.launch.catalog import wirings
from services.matchmaking.core.halls import parse_halls
from services.matchmaking.settings import HALLS, MatchmakingSettings
from services.table.calls import Calls, Create
from services.table.core.events import ShardCut, Stake, decode_batch
from services.table.marks import SKIP, Mark, MarkStore
from services.table.shard import Shard
from tests.simulation.client import Door, Player
from tests.simulation.tables import Host, MemoryBank, spec
from tests.support.nats import NatsServer
from tests.support.person import Person
from tests.support.process import full_registry
from tests.support.real_process import Tokens, World, running

TABLE = "0-cutcutcut"
STAKE = Stake("gold", 100, 1, 10)
HOUR_MS = 3_600_000
SLOW = '{"claim_pause_ms":700,"nonce_ms":300,"between_ms":0,"turn_ms":8000,"claim_ms":8000}'


class Away:
    """Marks whose database can be away."""

    def __init__(self, store: MarkStore) -> None:
        self._store = store
        self.is_away = False

    async def get(self, shard: str) -> Mark | None:
        self._check()
        return await self._store.get(shard)

    async def put(self, shard: str, mark: Mark) -> None:
        self._check()
        await self._store.put(shard, mark)

    def _check(self) -> None:
        if self.is_away:
            raise Outage("the database is away")


class Jumping:
    """A clock whose wall time is set by hand; what it measures is not."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.by_ms = 0

    def now_ms(self) -> int:
        return self._clock.now_ms() + self.by_ms

    def __getattr__(self, name: str) -> Any:
        return getattr(self._clock, name)


class Room:
    """A broker in memory, owners that come and go, and a player at one table."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.registry = full_registry(log_shards=1, log_streams=1)
        self.broker = MemoryBroker(self.registry, clock)
        database = InlineDatabase(clock)
        migrate(database.engine, "table")
        self.marks = Away(MarkStore(database))
        self.bank = MemoryBank()
        self.hosts: list[Host] = []
        self.shard: Shard
        self.door: Door
        self.player: Player

    def bus(self, name: str) -> MemoryBus:
        return MemoryBus(self.broker, self.registry, self.clock, SeededIds(name), Metrics(), name)

    async def start(self, name: str) -> Any:
        host = Host(self.bus(name), self.clock, bank=self.bank, name=name, grace_ms=5_000)
        host.means = replace(host.means, marks=self.marks)
        self.hosts.append(host)
        self.shard = await host.take()
        return self.shard

    async def sit(self) -> None:
        self.door = await Door(self.bus("gw"), self.clock).open()
        self.player = Player(self.door, "p_a", TABLE, random.Random(3))

    def copy(self) -> Any:
        """Return the log as it is now."""
        held = self.broker.stream("TABLE_LOG_0")
        return copy.deepcopy((held.messages, held.last_seq, held.ids, held.lasts))

    def restore(self, older: Any) -> None:
        held = self.broker.stream("TABLE_LOG_0")
        held.messages, held.last_seq, held.ids, held.lasts = copy.deepcopy(older)

    def said(self, cls: type[Any]) -> list[Any]:
        event = event_of(cls)
        kept = self.broker.stream(event.stream).messages.values()
        return [cls.FromString(one.payload) for one in kept if one.subject.startswith(event.prefix)]


def in_a_room(test: Callable[[Room], Any]) -> None:
    async def main(clock: VirtualClock) -> None:
        async with clock.timeout(600):
            await test(Room(clock))

    run_virtual(main)


async def play_and_copy(room: Room, more: int, stake: Stake | None = STAKE) -> tuple[Any, int]:
    """Play a while, copy the log, and play on; return the copy and the epoch of the owner."""
    shard = await room.start("one")
    await room.sit()
    call = Create(TABLE, spec("p_a", rounds=4, stake=stake))
    await Calls(room.bus("mm"), lambda _: shard).about(call)
    await room.player.play(until=lambda at: len(at.accepted) >= 3)
    older = room.copy()
    await room.player.play(until=lambda at: len(at.accepted) >= 3 + more)
    await room.clock.sleep(1.5)  # the mark is a second old at most
    return older, shard.epoch


async def ends_void(room: Room, name: str, epoch: int) -> None:
    """Check that a new owner ends the match void, without contradicting what the player has seen."""
    player, seen = room.player, dict(room.player.frames)
    last = max(seen)
    shard = await room.start(name)
    assert shard.epoch > epoch, "a gateway would not listen to a lower epoch"
    await player.play()
    assert player.view.match_end.cause == "voided"
    assert seen.items() <= player.frames.items()
    new = [number for number in player.frames if number not in seen]
    assert player.last > SKIP
    assert all(number > last for number in new), "a number that was shown is never used again"
    async with room.clock.timeout(30):
        while not room.said(MatchFinished) or room.bank.open.keys() != room.bank.closed.keys():
            await room.clock.sleep(0.1)


@pytest.mark.parametrize(("more", "stake"), [(1, STAKE), (30, None)])
def test_a_match_whose_log_lost_its_end_is_void_and_its_stakes_go_back(
    more: int, stake: Stake | None
) -> None:
    """The lost part is some answers, or several rounds."""

    async def test(room: Room) -> None:
        older, epoch = await play_and_copy(room, more, stake)
        assert len(room.bank.open) == (3 if stake else 0)
        opened = {fact.round_no for fact in room.said(RoundOpened)}
        await room.hosts[0].kill()
        room.restore(older)
        await ends_void(room, "two", epoch)
        voided = {fact.round_no for fact in room.said(RoundVoided)}
        ended = {fact.last_round_no for fact in room.said(MatchFinished)}
        (last,) = ended
        assert {last, last + 1} <= voided, "what may have been opened in the lost part is void too"
        assert last in opened

    in_a_room(test)


def test_the_lost_part_may_hold_the_owner_himself_and_later_owners_find_nothing_lost() -> None:
    async def test(room: Room) -> None:
        await room.start("none")
        await room.hosts[0].kill()
        empty = room.copy()
        await play_and_copy(room, 1)
        for number in range(3):
            # So often taken that the lost epoch is far above what the older log will give.
            await room.hosts[-1].kill()
            await room.start(f"again {number}")
            await room.player.play(until=lambda at: at.is_attached)
            await room.clock.sleep(1.5)
        epoch = room.player.epoch
        await room.hosts[-1].kill()
        room.restore(empty)
        shard = await room.start("two")
        assert shard.epoch > epoch
        assert TABLE not in shard.tables.live
        await room.clock.sleep(3)
        await room.hosts[-1].kill()
        after = await room.start("three")
        assert after.epoch > shard.epoch
        cuts = [
            event
            for entry in room.broker.stream("TABLE_LOG_0").messages.values()
            for _, event in decode_batch(entry.payload)
            if isinstance(event, ShardCut)
        ]
        assert len(cuts) == 1

    in_a_room(test)


def test_without_its_database_a_shard_is_served_and_compared_later() -> None:
    async def test(room: Room) -> None:
        older, epoch = await play_and_copy(room, 2)
        await room.hosts[0].kill()
        room.restore(older)
        room.marks.is_away = True
        shard = await room.start("two")
        await room.clock.sleep(5)
        assert not shard.is_dropped
        room.marks.is_away = False
        await room.clock.sleep(3)
        assert shard.is_dropped, "it sees now that it must be taken anew"
        assert room.hosts[-1].lost == ["0"]
        await ends_void(room, "three", epoch)

    in_a_room(test)


def test_a_log_that_is_whole_is_never_taken_for_cut() -> None:
    async def test(room: Room) -> None:
        _, epoch = await play_and_copy(room, 5, None)
        for number in range(4):
            if number % 2:
                await room.hosts[-1].kill()
            else:
                await room.shard.release()
            await room.start(f"next-{number}")
            assert room.shard.epoch > epoch
            epoch = room.shard.epoch
        await room.player.play()
        assert room.player.view.match_end.cause in ("all_rounds", "stake_short")
        assert room.player.last < SKIP

    in_a_room(test)


def is_on_turn(player: Player) -> bool:
    """Say whether only this player may move: no other's answer can end his question."""
    play = player.view.play
    return bool(play.HasField("question") and play.turn_seat == player.view.seat)


async def take_over_again(player: Player, number_of: int) -> None:
    """After a time-out the table plays for the seat, until it says otherwise."""
    await player.attach()
    answer = await player.say(f"auto {number_of} {player.last}", set_auto_play=SetAutoPlay(on=False))
    assert not answer.reason
    await player.play(until=lambda at: is_on_turn(at) or at.view.phase == "finished")


def test_clocks_that_jump_neither_end_waits_early_nor_stop_a_table() -> None:
    """The clock of the next owner is an hour ahead, then that of the one after it an hour behind."""

    async def main(clock: VirtualClock) -> None:
        room = Room(clock)
        async with clock.timeout(3_600):
            await room.start("one")
            await room.sit()
            call = Create(TABLE, spec("p_a", rounds=8, timing=SLOW))
            await Calls(room.bus("mm"), lambda _: room.shard).about(call)
            await room.player.play(until=is_on_turn)
            for skew_ms in (HOUR_MS, -HOUR_MS, 0, HOUR_MS):
                await room.hosts[-1].kill()
                room.clock = VirtualClock(skew_ms=skew_ms)
                before, question = clock.monotonic(), room.player.view.play.question.number
                await room.start(f"skew {len(room.hosts)}")
                table = room.shard.tables.live[TABLE]
                await clock.sleep(4.0)
                assert table.questions[0] is not None, "after a takeover there is grace, whatever the clocks say"
                assert table.questions[0].number == question
                async with clock.timeout(20):
                    # Nobody answers: the time runs out, and the table plays on for the seat.
                    while table.questions[0] is not None and table.questions[0].number == question:
                        await clock.sleep(0.1)
                assert 4.9 < clock.monotonic() - before < 12
                await take_over_again(room.player, number_of=skew_ms)
            await room.player.play()
        assert room.player.view.match_end.cause == "all_rounds"

    run_virtual(main)


def test_a_clock_that_jumps_under_a_running_table_changes_nothing() -> None:
    async def main(clock: VirtualClock) -> None:
        jumping = Jumping(clock)
        room = Room(jumping)
        async with clock.timeout(3_600):
            await room.start("one")
            await room.sit()
            await Calls(room.bus("mm"), lambda _: room.shard).about(
                Create(TABLE, spec("p_a", rounds=8, timing=SLOW))
            )
            await room.player.play(until=is_on_turn)
            table = room.shard.tables.live[TABLE]
            for by_ms in (HOUR_MS, -2 * HOUR_MS, HOUR_MS):
                question = table.questions[0]
                assert question is not None
                at, asked = table.s.at, clock.monotonic()
                jumping.by_ms += by_ms
                await clock.sleep(2.0)
                assert table.questions[0] is question
                async with clock.timeout(20):
                    while table.questions[0] is question:
                        await clock.sleep(0.1)
                assert clock.monotonic() - asked < 12
                assert at < table.s.at < at + 15_000, "the log's time goes as time goes"
                await take_over_again(room.player, number_of=by_ms)
            await room.player.play()
        assert room.player.view.match_end.cause == "all_rounds"

    run_virtual(main)

"""A shard log that has lost its end: an older store between two runs, and under a running owner."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from paiju.table.v1.events_pb2 import MatchFinished, RoundOpened, RoundVoided

from services.chassis.bus.carrier import StoreAnswer
from services.chassis.bus.memory import MemoryBus
from services.chassis.bus.port import Unknown
from services.chassis.clock import VirtualClock, run_virtual
from services.table.calls import Calls, Create
from services.table.core.events import ShardCut, ShardStalled, Stake, decode_batch
from services.table.marks import SKIP
from services.table.shard import STUCK_S
from tests.simulation.tables import spec
from tests.support.table_room import STAKE, TABLE, Room


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


def test_an_owner_whose_log_is_put_back_under_him_is_fenced_and_the_next_one_ends_the_match() -> None:
    async def test(room: Room) -> None:
        older, epoch = await play_and_copy(room, 2)
        room.restore(older)
        playing = asyncio.ensure_future(room.player.play())
        async with room.clock.timeout(60):
            while not room.hosts[0].lost:
                await room.clock.sleep(0.1)
        playing.cancel()
        await asyncio.wait({playing})
        await ends_void(room, "two", epoch)

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


def test_a_shard_whose_log_stays_out_of_reach_is_given_back_unless_the_whole_broker_is() -> None:
    async def test(room: Room) -> None:
        shard = await room.start("one")
        failed: list[str] = []
        shard._on_failed = lambda at: failed.append(at.name)
        room.broker.is_up = False
        shard.journal.stage("", ShardStalled(shard.tables.now(), 0))
        await room.clock.sleep(3 * STUCK_S)
        assert not shard.is_dropped, "nobody else reaches anything either"
        room.broker.is_up = True
        await shard.done()

        async def unknown(*_: object) -> StoreAnswer:
            await room.clock.sleep(1)
            return Unknown("no leader")

        assert isinstance(room.hosts[0].bus, MemoryBus)
        room.hosts[0].bus._store = unknown  # type: ignore[method-assign, assignment]  # the log's stream alone is gone
        shard.journal.stage("", ShardStalled(shard.tables.now(), 0))
        await room.clock.sleep(STUCK_S - 10)
        assert not shard.is_dropped
        await room.clock.sleep(20)
        assert shard.is_dropped
        assert failed == ["0"]

    in_a_room(test)

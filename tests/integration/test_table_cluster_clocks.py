"""Clocks of table processes that jump, by an hour forth and back."""

from __future__ import annotations

from paiju.table.v1.play_pb2 import SetAutoPlay

from services.chassis.clock import VirtualClock, run_virtual
from services.table.calls import Calls, Create
from services.table.core.state import OpenQuestion
from tests.simulation.client import Player
from tests.simulation.tables import spec
from tests.support.table_room import TABLE, Jumping, Room

HOUR_MS = 3_600_000
SLOW = '{"claim_pause_ms":700,"nonce_ms":300,"between_ms":0,"turn_ms":8000,"claim_ms":8000}'


def number_of(question: OpenQuestion | None) -> int:
    """Return the number of a question, 0 if there is none."""
    return question.number if question is not None else 0


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
                assert number_of(table.questions[0]) == question, "there is grace"
                async with clock.timeout(20):
                    # Nobody answers: the time runs out, and the table plays on for the seat.
                    while number_of(table.questions[0]) == question:
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

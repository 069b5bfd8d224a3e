"""托管 begins after so many misses in a row: what counts, who sees it, what ends it. On a virtual clock."""

from __future__ import annotations

import random

import pytest
from msgspec.structs import replace
from paiju.table.v1 import play_pb2 as p

from engine import GAMES
from services.chassis.errors import Refusal
from services.table.calls import Create
from services.table.core import events as e
from services.table.core.spec import fingerprint_of
from services.table.core.table import Table
from services.table.core.turns import is_turn
from tests.simulation.client import Player
from tests.simulation.tables import spec
from tests.unit.test_table_shard import TABLE, Lab, lab

TIMING = '{"claim_pause_ms":0,"nonce_ms":100,"between_ms":1000,"turn_ms":3000,"claim_ms":3000,"misses":%d}'
GAME = "doudizhu"
"""All its questions but doubling are turns: what is missed there is seen."""


class Absent(Player):
    """Listens, and answers nothing by itself."""

    idle_s = 600.0
    waited_for = 0

    @property
    def mine(self) -> p.SeatState:
        return self.view.seats[self.view.seat]

    async def sit(self) -> None:
        await self.attach()
        assert not (await self.say("sit", sit=p.Sit())).reason

    async def act(self) -> str:
        question = self.view.play.question
        act = p.Act(round_id=self.view.play.round_id, question=question.number, action=question.actions[0])
        return (await self.say(act=act)).reason


async def seated(at: Lab, misses: int, *people: str, game: str = GAME) -> list[Absent]:
    await at.calls().about(Create(TABLE, spec(*people, rounds=8, timing=TIMING % misses, game=game)))
    door = await at.door()
    players = [Absent(door, name, TABLE, random.Random(name)) for name in people]
    for player in players:
        await player.sit()
    return players


def missed(at: Lab) -> list[e.Answered]:
    return [event for event in at.events(e.Answered) if event.cause == "timeout"]


async def cards_are_played(at: Lab, player: Absent) -> None:
    """Answer until cards are played: from here on all is known to all, until the next round."""
    while player.view.phase != "playing" or not any(
        text.startswith("play ") for text in player.view.play.events
    ):
        if player.view.play.HasField("question") and not player.view.play.question.misses:
            await player.act()
        await at.clock.sleep(0.05)


async def next_turn(at: Lab, player: Absent) -> p.Question:
    """Wait for a turn of this player that was not waited for before."""
    await at.until(
        lambda: (
            player.view.play.HasField("question")
            and player.view.play.question.number > player.waited_for
            and is_turn(player.view.game, player.view.play.question.actions)
        ),
        300,
    )
    player.waited_for = player.view.play.question.number
    return player.view.play.question


@lab
async def test_misses_below_the_limit_are_played_for_and_counted_and_then_auto_play_begins(at: Lab) -> None:
    await at.host().take()
    player, other = await seated(at, 3, "p_a", "p_b")
    seen: list[int] = []
    while len(missed(at)) < 12 and not player.mine.auto_play:
        await at.clock.sleep(0.05)
        count = player.mine.misses
        assert other.view.seats[player.view.seat] == player.mine or other.last != player.last
        if not seen or seen[-1] != count:
            seen.append(count)
    assert seen[:3] == [0, 1, 2], "everybody sees what was missed of turns"
    assert player.mine.auto_play
    assert player.mine.misses == 0
    of_seat = [event for event in missed(at) if event.seat == player.view.seat]
    assert len(of_seat) == 3, "each was answered for, and the third was the last one waited for"
    assert '"misses":3' in player.view.timing_json


@lab
async def test_an_own_answer_begins_the_count_anew(at: Lab) -> None:
    await at.host().take()
    (player,) = await seated(at, 2, "p_a")
    await cards_are_played(at, player)
    for _ in range(3):
        question = await next_turn(at, player)
        assert question.misses == 0
        await at.clock.sleep(3.2)
        assert (player.mine.misses, player.mine.auto_play) == (1, False)
        question = await next_turn(at, player)
        assert question.misses == 1, "the seat is told so with its next question"
        assert not await player.act()
        await at.clock.sleep(0.5)
        assert (player.mine.misses, player.mine.auto_play) == (0, False)
    assert len([event for event in at.events(e.Answered) if event.cause == "auto"]) == 0


@lab
async def test_who_comes_back_at_will_has_all_his_misses_before_him_again(at: Lab) -> None:
    await at.host().take()
    (player,) = await seated(at, 2, "p_a")
    await at.until(lambda: player.mine.auto_play, 200)
    assert not (await player.say("back", set_auto_play=p.SetAutoPlay(on=False))).reason
    await next_turn(at, player)
    await at.clock.sleep(3.2)
    assert (player.mine.misses, player.mine.auto_play) == (1, False)
    for on in (True, False):
        assert not (await player.say(f"switch-{on}", set_auto_play=p.SetAutoPlay(on=on))).reason
        assert (player.mine.misses, player.mine.auto_play) == (0, on)


@lab
async def test_misses_outlive_their_owner(at: Lab) -> None:
    first = at.host("first")
    await first.take()
    (player,) = await seated(at, 3, "p_a")
    await cards_are_played(at, player)
    for _ in range(2):
        await next_turn(at, player)
        await at.clock.sleep(3.2)
    assert player.mine.misses == 2
    await first.kill()
    await at.host("second").take()
    await player.attach()
    player.check_view(player.view)
    assert (player.mine.misses, player.mine.auto_play) == (2, False)
    await at.until(lambda: player.mine.auto_play, 60)
    assert len([event for event in missed(at) if event.seat == player.view.seat]) == 3


@lab
async def test_what_others_do_not_know_of_counts_and_is_not_shown(at: Lab) -> None:
    """In 跑胡子 a seat that answers nothing is asked for claims only: of those nobody else is told."""
    await at.host().take()
    player, other = await seated(at, 3, "p_a", "p_b", game="paohuzi")
    hidden = 0
    told: set[int] = set()
    while not player.mine.auto_play:
        question = player.view.play.question
        if player.view.play.HasField("question"):
            told.add(question.misses)
            hidden += not is_turn("paohuzi", question.actions)
        await at.clock.sleep(0.05)
        turns = [
            event
            for event in missed(at)
            if event.seat == player.view.seat and event.action.startswith("discard")
        ]
        assert other.view.seats[player.view.seat].misses <= len(turns)
    assert hidden
    assert told == {0, 1, 2}, "the seat itself is told of all"
    assert len([event for event in missed(at) if event.seat == player.view.seat]) == 3


@lab
async def test_none_and_one_are_as_it_always_was(at: Lab) -> None:
    await at.host().take()
    for misses in (0, 1):
        table_id = f"0-misses{misses}"
        await at.calls().about(Create(table_id, spec("p_a", rounds=4, timing=TIMING % misses, game=GAME)))
        player = Absent(await at.door(), "p_a", table_id, random.Random(1), session=f"s{misses}")
        await player.sit()
        await next_turn(at, player)
        await at.clock.sleep(3.2)
        assert (player.mine.misses, player.mine.auto_play) == (0, True)


def test_a_log_without_misses_folds_as_before() -> None:
    """What was written before there were misses names none: the first one switches 托管 on."""
    made = spec("p_a", timing=TIMING % 0, game=GAME)
    old = e.decode_batch(e.encode_batch([("0-x", e.TableCreated(1, made, fingerprint_of(made)))]))[0][1]
    assert isinstance(old, e.TableCreated)
    assert old.spec.misses == 0
    table = Table.create("0-x", old, GAMES)
    assert [seat.misses for seat in table.s.seats] == [0, 0, 0]
    without = spec("p_a", timing=TIMING.replace(',"misses":%d', ""), game=GAME)
    assert fingerprint_of(without) == fingerprint_of(made), "saying nothing and saying 0 are one request"
    assert fingerprint_of(replace(made, misses=2)) != fingerprint_of(made)


@pytest.mark.parametrize("value", ["-1", "11", '"2"', "true", "1.5", "null"])
def test_misses_that_are_no_count_are_refused(value: str) -> None:
    with pytest.raises(Refusal, match="INVALID_ARGUMENT"):
        spec("p_a", timing=f'{{"misses":{value}}}')

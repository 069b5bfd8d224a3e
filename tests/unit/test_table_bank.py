"""Turn time, the time bank and the one extension of a match, on a virtual clock."""

from __future__ import annotations

import random

import pytest
from paiju.table.v1 import play_pb2 as p

from services.chassis.errors import Refusal
from services.table.calls import Create
from services.table.core import events as e
from services.table.core.turns import is_turn
from tests.simulation.client import Player
from tests.simulation.tables import spec
from tests.unit.test_table_shard import TABLE, Lab, lab

TURN_MS, BANK_MS, EXTEND_MS = 5_000, 8_000, 6_000
TIMING = (
    '{"claim_pause_ms":0,"nonce_ms":300,"between_ms":2000,"turn_ms":5000,"claim_ms":4000,'
    '"bank_ms":8000,"extend_ms":6000}'
)


async def seated(at: Lab, *people: str, rounds: int = 4) -> list[Player]:
    """Return players at a table with a bank, sitting."""
    await at.calls().about(Create(TABLE, spec(*people, rounds=rounds, timing=TIMING)))
    door = await at.door()
    return [Player(door, name, TABLE, random.Random(name)) for name in people]


async def my_turn(player: Player) -> p.Question:
    """Play until it is this player's turn, and return the question."""
    await player.play(
        until=lambda one: (
            one.view.play.HasField("question") and is_turn("paohuzi", one.view.play.question.actions)
        )
    )
    return player.view.play.question


async def act(player: Player, question: p.Question) -> p.CommandAnswer:
    act = p.Act(round_id=player.view.play.round_id, question=question.number, action=question.actions[-1])
    return await player.say(act=act)


def mine(player: Player) -> p.SeatState:
    return player.view.seats[player.view.seat]


@lab
async def test_who_needs_longer_than_his_turn_pays_from_his_bank_and_plays_on(at: Lab) -> None:
    await at.host().take()
    (player,) = await seated(at, "p_a")
    question = await my_turn(player)
    assert (mine(player).bank_ms, mine(player).extensions) == (BANK_MS, 1)
    now = at.clock.now_ms()
    assert abs(question.deadline_at_ms - (now + TURN_MS + BANK_MS)) < 100
    await at.clock.sleep((TURN_MS + 3_000) / 1000)
    assert not (await act(player, question)).reason
    await at.clock.sleep(0.5)
    assert not mine(player).auto_play
    assert BANK_MS - 3_200 <= mine(player).bank_ms <= BANK_MS - 3_000
    left = mine(player).bank_ms
    question = await my_turn(player)
    assert abs(question.deadline_at_ms - (at.clock.now_ms() + TURN_MS + left)) < 100
    await at.clock.sleep(1)
    await act(player, question)
    await at.clock.sleep(0.5)
    assert mine(player).bank_ms == left, "a turn in time costs nothing"


@lab
async def test_a_bank_that_is_used_up_ends_in_auto_play_and_an_answer_ends_that(at: Lab) -> None:
    await at.host().take()
    (player,) = await seated(at, "p_a")
    question = await my_turn(player)
    await at.clock.sleep((question.deadline_at_ms - at.clock.now_ms()) / 1000 - 0.2)
    assert not mine(player).auto_play
    await at.clock.sleep(0.4)
    assert mine(player).auto_play
    assert mine(player).bank_ms == 0
    assert [event.cause for event in at.events(e.Answered)].count("timeout") == 1
    assert not (await player.say("back", set_auto_play=p.SetAutoPlay(on=False))).reason
    question = await my_turn(player)
    assert not mine(player).auto_play
    assert question.deadline_at_ms <= at.clock.now_ms() + TURN_MS


@lab
async def test_a_turn_is_extended_once_in_a_match_and_everybody_sees_the_clock(at: Lab) -> None:
    await at.host().take()
    players = await seated(at, "p_a", "p_b")
    other = players[1]
    async with at.clock.timeout(100):
        await at.until(lambda: True)
        for one in players:
            await one.attach()
            await one.say("sit", sit=p.Sit())
        player = None
        while player is None:
            await at.clock.sleep(0.05)
            for one, foe in ((players[0], players[1]), (players[1], players[0])):
                if one.view.play.HasField("question"):
                    if is_turn("paohuzi", one.view.play.question.actions):
                        player, other = one, foe
                    else:
                        await act(one, one.view.play.question)
    question = player.view.play.question
    before = question.deadline_at_ms
    round_id = player.view.play.round_id
    extend = p.Extend(round_id=round_id, question=question.number)
    for wrong in (
        p.Extend(round_id=round_id, question=question.number + 1),
        p.Extend(round_id=f"{TABLE}/2", question=question.number),
    ):
        assert (
            await player.say(f"w{wrong.question}{wrong.round_id}", extend=wrong)
        ).reason == "QUESTION_CLOSED"
    assert (await other.say("x", extend=extend)).reason == "QUESTION_CLOSED", "not his turn"
    for _ in range(2):
        assert not (await player.say("more", extend=extend)).reason, "a repeat gets the first answer"
    assert (await player.say("again", extend=extend)).reason == "NO_EXTENSION"
    await at.clock.sleep(0.2)
    assert player.view.play.question.number == question.number
    assert player.view.play.question.actions == question.actions
    for one in (player, other):
        assert one.view.play.turn_deadline_at_ms == before + EXTEND_MS
        assert one.view.seats[player.view.seat].extensions == 0
    assert player.view.play.question.deadline_at_ms == before + EXTEND_MS
    await at.clock.sleep((before + EXTEND_MS - at.clock.now_ms() - BANK_MS + 1_000) / 1000)
    assert not (await act(player, player.view.play.question)).reason
    await at.clock.sleep(0.5)
    assert BANK_MS - 1_200 <= mine(player).bank_ms <= BANK_MS - 1_000
    assert len(at.events(e.Extended)) == 1


@lab
async def test_banks_outlive_their_owner_and_an_outage_costs_nobody_time(at: Lab) -> None:
    first = at.host("first")
    await first.take()
    (player,) = await seated(at, "p_a")
    question = await my_turn(player)
    await at.clock.sleep((TURN_MS + 2_000) / 1000)
    await act(player, question)
    await at.clock.sleep(0.5)
    left = mine(player).bank_ms
    question = await my_turn(player)
    await at.clock.sleep(TURN_MS / 1000 - 0.1)
    await first.kill()
    await at.clock.sleep(3)
    await at.host("second").take()
    await player.attach()
    player.check_view(player.view)
    assert mine(player).bank_ms == left
    assert player.view.play.question.number == question.number
    assert not (await act(player, question)).reason
    await at.clock.sleep(0.5)
    assert mine(player).bank_ms == left


@pytest.mark.parametrize("value", ["-1", "3600001", '"60"', "true", "1.5", "null"])
def test_a_bank_that_is_no_time_is_refused(value: str) -> None:
    for name in ("bank_ms", "extend_ms"):
        with pytest.raises(Refusal, match="INVALID_ARGUMENT"):
            spec("p_a", timing=f'{{"{name}":{value}}}')

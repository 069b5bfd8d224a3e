"""Who leaves a friends' room in mid-match is played for, pays, and may come back; a vote ends it early."""

from __future__ import annotations

import pytest

from services.table.core import commands as c
from services.table.core import events as e
from services.table.core.match import is_gone
from tests.simulation.script import Script
from tests.simulation.tables import spec

QUICK = '{"claim_pause_ms":700,"turn_ms":3000,"claim_ms":2000,"between_ms":500,"nonce_ms":400,"vote_ms":2000}'


def playing(*people: str, room_code: str = "123456", rounds: int = 3, seed: int = 3) -> Script:
    """Return a table in its first round."""
    script = Script(spec(*people, rounds=rounds, timing=QUICK, room_code=room_code), seed, noise=0)
    while script.table.s.phase != "playing":
        script.step()
    return script


def to_round(script: Script, number: int) -> None:
    while not (script.table.s.phase == "playing" and script.table.round.no == number):
        assert script.table.s.phase != "finished", script.table.s.cause
        script.step()


def test_a_match_of_friends_goes_on_without_who_has_left_and_he_pays() -> None:
    script = playing("p_a", "p_b")
    script.command(0, c.Leave(), "bye")
    assert script.table.s.board.seats[0].left
    script.run()
    state = script.table.s
    assert (state.cause, state.rounds_played) == ("all_rounds", 3)
    assert sum(state.scores) == 0
    own = [event for event in script.events if isinstance(event, e.Answered) and event.seat == 0]
    after = script.events.index(next(event for event in script.events if isinstance(event, e.Left)))
    assert {event.cause for event in own if script.events.index(event) > after} == {"auto"}


def test_who_has_left_may_come_back_and_plays_for_himself() -> None:
    script = playing("p_a", "p_b")
    script.command(0, c.Leave(), "bye")
    to_round(script, 2)
    assert script.command(0, c.AutoPlay(True), "on") == c.Again("")
    assert script.table.s.seats[0].left
    script.command(0, c.AutoPlay(False), "back")
    seat = script.table.s.seats[0]
    assert (seat.left, seat.auto_play) == (False, False)
    assert not script.table.s.board.seats[0].left
    script.run()
    assert script.table.s.cause == "all_rounds"


def test_once_nobody_is_there_the_match_ends() -> None:
    script = playing("p_a", "p_b")
    script.command(0, c.Leave(), "bye a")
    to_round(script, 2)
    script.command(1, c.Leave(), "bye b")
    script.run()
    assert (script.table.s.cause, script.table.s.rounds_played) == ("left", 2)


def test_between_two_rounds_too() -> None:
    script = playing("p_a")
    while script.table.s.phase != "between":
        script.step()
    script.command(0, c.Leave(), "bye")
    assert (script.table.s.phase, script.table.s.cause) == ("finished", "left")


def test_those_who_stay_may_end_it_by_their_votes_alone() -> None:
    script = playing("p_a", "p_b", "p_c")
    script.command(0, c.Leave(), "bye")
    assert script.command(0, c.Vote(True), "v") == c.Refused("PLAYER_LEFT")
    script.command(1, c.Vote(True), "v1")
    assert not script.table.s.is_dissolved
    script.command(2, c.Vote(True), "v2")
    script.run()
    assert script.table.s.cause == "dissolved"


@pytest.mark.parametrize("room_code", ["", "123456"])
def test_who_may_not_play_on_is_gone_for_good_wherever_he_plays(room_code: str) -> None:
    script = playing("p_a", "p_b", room_code=room_code)
    script.command(0, c.Leave(), "bye")
    while script.table.s.phase == "playing":
        script.step()
    if room_code:
        assert not is_gone(script.table.s, script.table.s.seats[0])
        script.apply(e.SentAway(script.now, 0, "TIME_OVER", 0, ""))
    assert is_gone(script.table.s, script.table.s.seats[0])
    assert script.command(0, c.AutoPlay(False), "back") == c.Refused(
        "PLAYER_LEFT" if script.table.s.phase != "finished" else "MATCH_OVER"
    )
    script.run()
    assert script.table.s.cause == "left"


def test_in_a_hall_leaving_ends_the_match_after_the_round() -> None:
    script = playing("p_a", "p_b", room_code="")
    script.command(0, c.Leave(), "bye")
    assert script.command(0, c.AutoPlay(False), "back") == c.Refused("PLAYER_LEFT")
    script.run()
    assert (script.table.s.cause, script.table.s.rounds_played) == ("left", 1)


def test_a_table_of_bots_alone_is_left_by_nobody() -> None:
    script = playing()
    script.run()
    assert script.table.s.cause == "all_rounds"

"""What a load test's clients check: faults planted into a real round are found, nothing else is."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from paiju.table.v1.play_pb2 import (
    Frame,
    MatchEnd,
    NonceSeen,
    Paused,
    Play,
    Question,
    Resumed,
    RoundOpening,
    RoundSettlement,
    SeatsChanged,
    SeatState,
    TableView,
    VoteChanged,
)

from engine import GAMES
from services.launch.load.audit import Auditor
from services.launch.load.fold import TableFold
from services.launch.load.transcript import Transcript
from tests.simulation.client import TableFold as SlowFold
from tests.support.told import ROUND, SPECTATOR, Told, told


def mistakes(made: Told, epochs: Callable[[int], int] = lambda _: 7) -> list[str]:
    """Return the kinds of what a transcript finds wrong."""
    found: list[str] = []
    transcript = Transcript("0-table", lambda kind, _: found.append(kind), Auditor())
    transcript.view(7, made.view.SerializeToString())
    answers = list(made.answers)
    for frame in made.frames:
        if frame.HasField("round_end"):
            # Acknowledgements may come in any order.
            for question, action in reversed(answers):
                transcript.accepted(ROUND, question, action)
        transcript.frames(epochs(frame.number), [frame.SerializeToString()])
    return found


def plays(made: Told, word: str) -> Frame:
    """Return the first frame with an event that begins so."""
    return next(f for f in made.frames if any(text.startswith(word) for text in f.play.events))


@pytest.mark.parametrize("game", GAMES)
def test_a_round_that_is_told_right_has_no_mistake(game: str) -> None:
    for seat in (*range(GAMES[game].seats), SPECTATOR):
        assert mistakes(told(game, seat)) == []


def test_a_frame_left_out_is_a_gap() -> None:
    made = told("paohuzi", 1)
    del made.frames[5]
    assert "gap" in mistakes(made)


def test_a_frame_that_comes_twice_is_found() -> None:
    made = told("paohuzi", 1)
    made.frames.insert(6, made.frames[5])
    assert mistakes(made) == ["repeated"]


def test_a_frame_that_was_under_way_when_we_asked_for_it_may_come_twice_and_no_other_may() -> None:
    made = told("paohuzi", 1)
    raw = [frame.SerializeToString() for frame in made.frames]
    found: list[str] = []
    transcript = Transcript("0-table", lambda kind, _: found.append(kind), None)
    transcript.view(7, made.view.SerializeToString())
    transcript.frames(7, raw[:5])
    transcript.ask_from(made.frames[2].number)
    transcript.frames(7, raw[3:6])
    assert found == []
    transcript.frames(7, raw[2:3])
    assert found == ["repeated"]
    transcript.ask_from(None)
    transcript.frames(7, raw[4:5])
    assert found == ["repeated"] * 2


def test_two_frames_with_one_number_contradict_each_other() -> None:
    made = told("paohuzi", 1)
    other = Frame()
    other.CopyFrom(made.frames[5])
    other.at_ms += 1
    made.frames.insert(6, other)
    assert mistakes(made) == ["contradiction"]


def test_a_frame_of_an_old_owner_is_found() -> None:
    assert mistakes(told("paohuzi", 1), lambda number: 6 if number == 9 else 7) == ["epoch"]
    assert mistakes(told("paohuzi", 1), lambda number: 8 if number > 9 else 7) == []


@pytest.mark.parametrize("game", GAMES)
def test_the_hand_of_another_seat_is_a_leak(game: str) -> None:
    made, others = told(game, 1), told(game, 0)
    frame = next(f for f in made.frames if any("?" in text for text in f.play.events))
    at = next(n for n, text in enumerate(frame.play.events) if "?" in text)
    frame.play.events[at] = others.frames[made.frames.index(frame)].play.events[at]
    assert mistakes(made) == ["leak"]


def test_the_question_of_another_seat_is_a_leak_at_once() -> None:
    made = told("doudizhu", 1)
    del made.frames[-1]  # no record is needed to see it
    plays(made, "bid").play.events.append("ask 2 bid 0 | bid 1")
    assert mistakes(made) == ["leak"]


def test_a_spectator_who_hears_an_answer_is_told_too_much() -> None:
    made = told("kawuxing", SPECTATOR)
    made.frames[3].play.events.append("answer 0 pass")
    assert "leak" in mistakes(made)


def test_an_event_that_the_record_tells_otherwise_is_found() -> None:
    made = told("paohuzi", 2)
    frame = plays(made, "discard")
    at = next(n for n, text in enumerate(frame.play.events) if text.startswith("discard"))
    frame.play.events[at] = "discard 0 s1" if frame.play.events[at] != "discard 0 s1" else "discard 0 s2"
    assert mistakes(made) == ["events"]


def test_an_acknowledged_answer_that_the_record_lacks_is_lost() -> None:
    made = told("doudizhu", 0)
    made.answers.append((10_000, "play BR"))
    assert mistakes(made) == ["lost"]


@pytest.mark.parametrize("is_moot", [True, False])
def test_an_answer_that_came_after_the_claim_was_decided_is_in_no_record_and_the_frame_says_so(
    is_moot: bool,
) -> None:
    made = told("doudizhu", 0)
    asked = Play(round_id=ROUND, question=Question(number=10_000, actions=["pass"]))
    closed = Play(round_id=ROUND) if is_moot else asked
    end = next(at for at, frame in enumerate(made.frames) if frame.HasField("round_end"))
    made.frames[end:end] = [Frame(play=asked), Frame(play=closed)]
    for number, frame in enumerate(made.frames[end:], made.frames[end - 1].number + 1):
        frame.number = number
    made.answers.append((10_000, "pass"))
    assert mistakes(made) == ([] if is_moot else ["lost"])


def test_a_question_that_takes_two_answers_is_found() -> None:
    made = told("doudizhu", 0)
    question, _ = made.answers[-1]
    made.answers.append((question, "play BR"))
    assert "answered" in mistakes(made)


def test_a_question_unlike_its_event_is_found() -> None:
    made = told("doudizhu", 0)
    plays(made, "ask 0 ").play.question.actions.append("bid 9")
    assert mistakes(made) == ["question"]


def test_question_numbers_that_fall_are_found() -> None:
    made = told("doudizhu", 0)
    asked = [frame for frame in made.frames if frame.play.HasField("question")]
    asked[2].play.question.number = asked[0].play.question.number
    assert "question" in mistakes(made)


def test_another_seed_than_the_promised_one_is_found() -> None:
    made = told("paohuzi", 0)
    made.frames[0].round_opening.commitment = bytes(32)
    assert mistakes(made) == ["seed"]


def test_a_record_that_is_none_is_found() -> None:
    made = told("paohuzi", 0)
    made.frames[-1].round_end.record = b"nonsense"
    assert mistakes(made) == ["record"]


def test_two_listeners_with_two_records_are_found() -> None:
    one, two = told("paohuzi", 0), told("paohuzi", 1)
    two.frames[-1].round_end.record = one.frames[-1].round_end.record.replace(b"Started: 1", b"Started: 2")
    auditor, found = Auditor(), list[str]()
    for made in (one, two):
        transcript = Transcript("0-table", lambda kind, _: found.append(kind), auditor)
        transcript.view(7, made.view.SerializeToString())
        transcript.frames(7, [frame.SerializeToString() for frame in made.frames])
    assert found == ["record"]


@pytest.mark.parametrize("plant", [False, True])
def test_a_view_after_a_reconnect_must_be_the_fold(plant: bool) -> None:
    made = told("paohuzi", 1)
    found: list[str] = []
    transcript = Transcript("0-table", lambda kind, _: found.append(kind), None)
    transcript.view(7, made.view.SerializeToString())
    transcript.frames(7, [frame.SerializeToString() for frame in made.frames[:9]])
    slow = SlowFold(made.view)
    for frame in made.frames[:9]:
        slow.add(frame)
    if plant:
        slow.view.play.events[2] += "s1"
    transcript.view(7, slow.view.SerializeToString())
    assert found == (["view"] if plant else [])
    assert transcript.checked_views == 1


def test_a_view_that_goes_back_is_found_and_one_that_goes_on_is_taken() -> None:
    made = told("paohuzi", 1)
    found: list[str] = []
    transcript = Transcript("0-table", lambda kind, _: found.append(kind), None)
    transcript.view(7, made.view.SerializeToString())
    ahead = TableView(number=40, table_id="0-table", game="paohuzi", seat=1, phase="playing")
    transcript.view(7, ahead.SerializeToString())
    assert (found, transcript.jumps, transcript.number) == ([], 1, 40)
    transcript.view(7, made.view.SerializeToString())
    assert found == ["view"]


def test_the_fold_of_every_kind_of_frame_equals_the_one_the_simulation_checks_tables_with() -> None:
    made = told("kawuxing", 2)
    seats = [SeatState(seat=0, player_id="p_1", taken=True), SeatState(seat=1, player_id="bot:easy")]
    made.frames[1:1] = [
        Frame(nonce_seen=NonceSeen(seat=0, nonce=b"n" * 32)),
        Frame(seats_changed=SeatsChanged(seats=seats)),
    ]
    asked = Question(number=4, actions=["pass"], deadline_at_ms=900)
    made.frames[-1:-1] = [
        Frame(play=Play(round_id=ROUND, question=asked, turn_seat=2, turn_deadline_at_ms=900)),
        Frame(at_ms=2000, resumed=Resumed(grace_ms=5000)),
        Frame(vote_changed=VoteChanged(agreed=[1], until_ms=77)),
        Frame(paused=Paused(reason="SETTLEMENT_PENDING")),
    ]
    made.frames += [
        Frame(round_settlement=RoundSettlement(round_id="0-table/9", verdict="VOIDED", settled=True)),
        Frame(round_settlement=RoundSettlement(round_id=ROUND, verdict="AGREED", settled=True)),
        Frame(paused=Paused()),
        Frame(vote_changed=VoteChanged()),
        Frame(match_end=MatchEnd(cause="all_rounds", rounds_played=1)),
        Frame(round_opening=RoundOpening(round_id="0-table/2", dealer=1)),
    ]
    fold, slow = TableFold(made.view), SlowFold(made.view)
    for number, frame in enumerate(made.frames, made.view.number + 1):
        frame.number = number
        fold.add(frame)
        slow.add(frame)
        assert fold.view() == slow.view, frame

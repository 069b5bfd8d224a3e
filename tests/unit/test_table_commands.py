"""What a seat may ask of its table: each refusal has its reason, and changes nothing."""

from __future__ import annotations

import pytest

from services.table.core import commands as c
from services.table.core import events as e
from services.table.core import frames as f
from services.table.core.events import Stake
from tests.simulation.script import START, Script, observables
from tests.simulation.tables import spec

QUICK = '{"claim_pause_ms":700,"turn_ms":3000,"claim_ms":2000,"between_ms":500,"nonce_ms":400,"vote_ms":2000}'
STAKE = Stake("gold", 1000, 1, 10)


def refused(script: Script, seat: int, command: c.Command, command_id: str = "x") -> str:
    """Return the reason of a refusal, having checked that nothing has changed."""
    before = observables(script.table)
    decision = script.command(seat, command, command_id)
    assert observables(script.table) == before
    assert isinstance(decision, c.Refused), decision
    return decision.reason


def seated(*people: str, stake: Stake | None = None, seed: int = 3, rounds: int = 2) -> Script:
    """Return a table where everybody sits and the first round is announced."""
    script = Script(spec(*people, rounds=rounds, timing=QUICK, stake=stake), seed, noise=0)
    for number in range(len(people)):
        script.command(number, c.Sit(script.chains[number][0]), f"sit{number}")
    while script.table.s.phase == "seating" and script.pay():
        pass
    assert script.pay(), "the round is announced"
    return script


def playing(*people: str, seed: int = 3) -> Script:
    """Return a table where the cards are dealt and seat 0 is asked something that it has been shown."""
    script = seated(*people, seed=seed)
    for number in range(len(people)):
        script.command(number, c.Reveal(script.table.round_id, script.chains[number][1]), f"n{number}")
    for _ in range(500):
        question = script.table.questions[0]
        if question is not None and question.shown_at <= script.now:
            return script
        script.rng.seed(_)
        for number in range(1, len(people)):
            other = script.table.questions[number]
            if other is not None and other.shown_at <= script.now:
                action = "pass" if "pass" in other.actions else other.actions[0]
                script.command(number, c.Act(script.table.round_id, other.number, action))
        step(script)
    raise AssertionError("seat 0 is never asked")


def step(script: Script) -> None:
    from services.table.core.duties import due_event, next_due

    script.pass_time(next_due(script.table))
    event = due_event(script.table, script.now, script.chance)
    if event is not None:
        script.apply(event)


def question_of(script: Script) -> f.Question:
    listener = script.table.s.listeners[0]
    assert listener is not None
    assert listener.question is not None
    return listener.question


def test_somebody_without_a_seat_is_refused_whatever_he_asks() -> None:
    script = playing("p_a")
    before = observables(script.table)
    for command in (c.Sit(b""), c.Ready(), c.Leave(), c.Vote(True), c.Act("0-script1/1", 1, "pass")):
        decision = c.decide(script.table, "p_stranger", "x", command, script.now, script.table.version)
        assert decision == c.Refused("NOT_SEATED")
    assert observables(script.table) == before


def test_a_bot_cannot_be_spoken_for() -> None:
    script = playing("p_a")
    decision = c.decide(script.table, "bot:random", "x", c.Leave(), script.now, script.table.version)
    assert decision == c.Refused("NOT_SEATED")


@pytest.mark.parametrize("command_id", ["", "x" * 65])
def test_a_command_needs_an_id_of_at_most_64_characters(command_id: str) -> None:
    script = playing("p_a")
    decision = c.decide(script.table, "p_a", command_id, c.Leave(), script.now, script.table.version)
    assert decision == c.Refused("INVALID_ARGUMENT", "command_id")


def test_the_same_command_again_gets_the_first_answer_and_another_under_its_id_is_refused() -> None:
    script = playing("p_a", "p_b")
    assert isinstance(script.command(0, c.AutoPlay(True), "auto"), c.Do)
    assert isinstance(script.command(0, c.AutoPlay(False), "manual"), c.Do)
    assert script.command(0, c.AutoPlay(True), "auto") == c.Again("")
    assert not script.table.s.seats[0].auto_play, "a repeat does nothing"
    assert refused(script, 0, c.AutoPlay(False), "auto") == "COMMAND_ID_REUSED"
    assert isinstance(script.command(1, c.AutoPlay(True), "auto"), c.Do), "ids are each player's own"


def test_a_refused_command_stays_refused_when_it_comes_again_later() -> None:
    script = playing("p_a")
    assert refused(script, 0, c.Ready(), "ready") == "WRONG_PHASE"
    while script.table.s.phase != "between":
        script.step()
    assert script.command(0, c.Ready(), "ready") == c.Again("WRONG_PHASE")
    assert isinstance(script.command(0, c.Ready(), "ready again"), c.Do)


def test_an_answer_given_twice_gets_the_first_answer_and_another_one_is_refused() -> None:
    script = playing("p_a", "p_b", "p_c")
    question = question_of(script)
    act = c.Act(script.table.round_id, question.number, question.actions[0])
    assert isinstance(script.command(0, act), c.Do)
    assert script.command(0, act) == c.Again("")
    other = c.Act(script.table.round_id, question.number, question.actions[-1])
    assert refused(script, 0, other) == "ALREADY_ANSWERED"
    answers = [event for event in script.events if isinstance(event, e.Answered) and event.seat == 0]
    assert len([a for a in answers if a.question == question.number]) == 1


def test_an_answer_that_came_too_late_is_not_taken_for_the_tables_own() -> None:
    script = playing("p_a")
    question = question_of(script)
    script.pass_time(question.deadline)
    while script.table.questions[0] is not None and script.table.questions[0].number == question.number:
        step(script)
    answered = next(
        event
        for event in reversed(script.events)
        if isinstance(event, e.Answered) and event.seat == 0 and event.question == question.number
    )
    assert answered.cause == "timeout"
    assert script.table.s.seats[0].auto_play
    act = c.Act(script.table.round_id, question.number, answered.action)
    assert refused(script, 0, act) == "ALREADY_ANSWERED"


@pytest.mark.parametrize(
    ("action", "reason"),
    [
        ("", "ACTION_MALFORMED"),
        ("discard", "ACTION_MALFORMED"),
        ("discard s11", "ACTION_MALFORMED"),
        ("DISCARD s1", "ACTION_MALFORMED"),
        ("吃", "ACTION_MALFORMED"),
        ("discard s1; drop table", "ACTION_MALFORMED"),
        ("x" * 257, "MESSAGE_TOO_LARGE"),
        ("\x00" * 40, "ACTION_MALFORMED"),
    ],
)
def test_text_that_is_no_action_is_refused(action: str, reason: str) -> None:
    script = playing("p_a")
    question = question_of(script)
    assert refused(script, 0, c.Act(script.table.round_id, question.number, action)) == reason


def test_an_action_that_the_rules_do_not_offer_is_refused() -> None:
    script = playing("p_a")
    question = question_of(script)
    for action in ("hu", "peng", "pass", *(f"discard {card}" for card in ("s1", "s5", "b10"))):
        if action not in question.actions:
            assert (
                refused(script, 0, c.Act(script.table.round_id, question.number, action)) == "ILLEGAL_ACTION"
            )


@pytest.mark.parametrize(
    "round_id", ["", "1", "0-script1", "0-other1/1", "0-script1/x", "0-script1/1.0", "0-script1/٣"]
)
def test_an_answer_names_a_round_of_this_table(round_id: str) -> None:
    script = playing("p_a")
    question = question_of(script)
    assert refused(script, 0, c.Act(round_id, question.number, question.actions[0])) == "INVALID_ARGUMENT"


def test_an_answer_to_a_question_that_nobody_has_heard_of_is_neither_taken_nor_refused() -> None:
    script = playing("p_a")
    question = question_of(script)
    action = question.actions[0]
    before = observables(script.table)
    assert script.command(0, c.Act(script.table.round_id, question.number + 1, action)) == c.Behind()
    assert script.command(0, c.Act("0-script1/2", question.number, action)) == c.Behind()
    assert observables(script.table) == before


def test_a_question_is_unknown_before_it_is_shown_and_before_it_is_durable() -> None:
    for seed in range(40):
        script = seated("p_a", "p_b", "p_c", seed=seed)
        for number in range(3):
            script.command(number, c.Reveal(script.table.round_id, script.chains[number][1]), f"n{number}")
        for _ in range(40):
            hidden = next((q for q in script.table.questions if q and q.shown_at > script.now), None)
            if hidden is not None:
                break
            step(script)
        else:
            continue
        seat = script.table.questions.index(hidden)
        act = c.Act(script.table.round_id, hidden.number, hidden.actions[0])
        assert script.command(seat, act) == c.Behind()
        for round_id in ("0-script1/0", "0-script1/1", "0-script1/99", "0-script1/01", "1-other/1"):
            hidden_answer, absent_answer = (
                script.command(seat, c.Act(round_id, number, "pass"))
                for number in (hidden.number, hidden.number + 50)
            )
            assert hidden_answer == absent_answer, round_id
        script.pass_time(hidden.shown_at)
        player = script.table.s.seats[seat].player
        undurable = c.decide(script.table, player, "", act, script.now, hidden.version - 1)
        assert undurable == c.Behind()
        assert isinstance(script.command(seat, act), c.Do)
        return
    raise AssertionError("no question was ever asked ahead of its time")


@pytest.mark.parametrize("name", ["0-script1/0", "0-script1/01", "0-script1/", "0-script1", "0-script2/1"])
def test_a_round_has_one_name(name: str) -> None:
    script = playing("p_a")
    question = question_of(script)
    assert refused(script, 0, c.Act(name, question.number, question.actions[0])) == "INVALID_ARGUMENT"


def test_a_repeat_that_names_another_round_is_no_repeat() -> None:
    script = playing("p_a")
    question = question_of(script)
    act = c.Act(script.table.round_id, question.number, question.actions[0])
    assert isinstance(script.command(0, act), c.Do)
    assert script.command(0, act) == c.Again("")
    assert script.command(0, c.Act("0-script1/99", act.question, act.action)) == c.Behind()


def test_a_question_of_an_earlier_round_is_closed() -> None:
    script = playing("p_a")
    first = question_of(script).number
    while script.table.round.no == 1 and script.step():
        pass
    for _ in range(30):
        script.step()
    assert refused(script, 0, c.Act("0-script1/1", max(1, first - 1), "pass")) in (
        "QUESTION_CLOSED",
        "ALREADY_ANSWERED",
    )


def test_a_withdrawn_question_takes_an_answer_until_what_withdrew_it_is_shown() -> None:
    """A refusal would tell that the others have answered, before anybody can see it."""
    for seed in range(300):
        script = playing("p_a", "p_b", "p_c", seed=seed)
        for _ in range(60):
            asked = [q for q in script.table.questions if q is not None and q.shown_at <= script.now]
            if len(asked) > 1:
                break
            for number, question in enumerate(script.table.questions):
                if question is not None and question.shown_at <= script.now:
                    action = "pass" if "pass" in question.actions else question.actions[0]
                    script.command(number, c.Act(script.table.round_id, question.number, action))
            if script.table.s.phase != "playing":
                break
            step(script)
        open_now = {n: q for n, q in enumerate(script.table.questions) if q and q.shown_at <= script.now}
        if script.table.s.phase != "playing" or len(open_now) < 2:
            continue
        for number, question in open_now.items():
            if "hu" in question.actions or "peng" in question.actions:
                action = "hu" if "hu" in question.actions else "peng"
                script.command(number, c.Act(script.table.round_id, question.number, action))
                break
        else:
            continue
        rest = [n for n, q in enumerate(script.table.withdrawn) if q is not None]
        if not rest:
            continue
        late = script.table.withdrawn[rest[0]]
        assert late is not None
        answers = len(script.table.answers)
        act = c.Act(script.table.round_id, late.number, late.actions[0])
        assert isinstance(script.command(rest[0], act), c.Do)
        assert len(script.table.answers) == answers, "a moot answer is not played"
        assert script.command(rest[0], act) == c.Again("")
        return
    raise AssertionError("no claim was ever decided while another seat was still asked")


def test_sitting_needs_an_offered_seat_and_a_chain_of_32_bytes() -> None:
    script = Script(spec("p_a", "p_b", timing=QUICK), 1, noise=0)
    assert refused(script, 0, c.Sit(b"short")) == "INVALID_ARGUMENT"
    assert isinstance(script.command(0, c.Sit(b""), "sit"), c.Do)
    assert refused(script, 0, c.Sit(b""), "sit2") == "ALREADY_SEATED"
    assert script.table.s.phase == "seating"


def test_at_a_coin_table_sitting_is_answered_once_the_stake_is_open_or_refused() -> None:
    script = Script(spec("p_a", "p_b", timing=QUICK, stake=STAKE), 1, noise=0)
    decision = script.command(0, c.Sit(b""), "sit")
    assert isinstance(decision, c.Do)
    assert decision.later
    assert script.command(0, c.Sit(b""), "sit") == c.Wait()
    assert refused(script, 0, c.Sit(b""), "other") == "SEAT_PENDING"
    assert not script.done
    script.apply(e.SitRefused(script.now, 0, "INSUFFICIENT_FUNDS"))
    assert [(done.seat, done.command_id, done.reason) for done in script.done] == [
        (0, "sit", "INSUFFICIENT_FUNDS")
    ]
    assert script.command(0, c.Sit(b""), "sit") == c.Again("INSUFFICIENT_FUNDS")
    script.command(0, c.Sit(b""), "again")
    script.apply(e.SeatTaken(script.now, 0, 1000))
    assert script.done[-1].reason == ""
    assert script.table.s.board.seats[0].stake == 1000


def test_nonces_are_taken_only_from_the_chain_once_and_in_time() -> None:
    script = seated("p_a", "p_b")
    round_id = script.table.round_id
    right = script.chains[0][1]
    assert refused(script, 0, c.Reveal("0-script1/2", right), "a") == "NONCE_NOT_DUE"
    assert refused(script, 0, c.Reveal(round_id, script.chains[0][2]), "b") == "NONCE_WRONG"
    assert refused(script, 0, c.Reveal(round_id, b""), "c") == "NONCE_WRONG"
    assert isinstance(script.command(0, c.Reveal(round_id, right), "d"), c.Do)
    assert script.command(0, c.Reveal(round_id, right), "e") == c.Again("")
    assert script.table.s.phase == "opening"
    script.pass_time(script.table.round.nonces_until)
    step(script)
    assert script.table.s.phase == "playing"
    assert refused(script, 1, c.Reveal(round_id, script.chains[1][1]), "f") == "NONCE_TOO_LATE"
    seen = [frame.body for frame in script.frames(0) if isinstance(frame.body, f.NonceSeen)]
    assert seen == [f.NonceSeen(0, right), f.NonceSeen(1, b"")]
    assert not script.table.s.board.seats[1].gives_nonces


def test_a_dissolve_vote_needs_everyone_and_silence_agrees() -> None:
    script = playing("p_a", "p_b", "p_c")
    assert refused(script, 0, c.Vote(False), "a") == "NO_VOTE"
    script.command(0, c.Vote(True), "b")
    assert refused(script, 0, c.Vote(False), "c") == "ALREADY_VOTED"
    script.command(1, c.Vote(False), "d")
    assert script.table.s.vote_until == 0
    assert not script.table.s.is_dissolved
    script.command(1, c.Vote(True), "e")
    until = script.table.s.vote_until
    assert until == script.now + 2000
    script.command(0, c.Vote(True), "f")
    assert script.table.s.phase == "playing"
    while script.now < until:
        script.pass_time(min(until, script.now + 300))
        step(script)
    assert script.table.s.cause == "dissolved"
    assert any(isinstance(event, e.RoundVoided) for event in script.events), "no coins: the round is void"
    script.pass_time(script.now + 10_000)
    verdicts = [frame.body.verdict for frame in script.frames(0) if isinstance(frame.body, f.Settlement)]
    assert verdicts == ["VOIDED"]


def test_at_a_coin_table_a_dissolved_match_plays_its_round_to_the_end() -> None:
    script = Script(spec("p_a", timing=QUICK, stake=STAKE, rounds=3), 4, noise=0)
    while script.table.s.phase != "playing":
        script.step()
    script.command(0, c.Vote(True), "v")
    assert script.table.s.is_dissolved
    assert script.table.s.phase == "playing"
    script.run()
    assert script.table.s.cause == "dissolved"
    assert script.table.s.rounds_played == 1
    assert not any(isinstance(event, e.RoundVoided) for event in script.events)


def test_who_leaves_is_played_for_and_ends_the_match_after_the_round() -> None:
    script = playing("p_a", "p_b")
    script.command(0, c.Leave(), "bye")
    assert script.command(0, c.Leave(), "bye bye") == c.Again("")
    assert refused(script, 0, c.AutoPlay(False), "x") == "PLAYER_LEFT"
    assert script.table.s.board.seats[0].left
    script.run()
    assert script.table.s.cause == "left"
    assert script.table.s.rounds_played == 1


def test_after_the_match_everything_is_refused() -> None:
    script = playing("p_a").run()
    for command in (c.Ready(), c.Leave(), c.Vote(True), c.AutoPlay(True), c.Sit(b"")):
        assert refused(script, 0, command, type(command).__name__) == "MATCH_OVER"
    assert script.now > START

"""The record of a round reads back exactly, and what is wrong with one is named by line or action."""

import contextlib
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine import GAMES
from engine.arena import play_round, shuffled
from engine.errors import BadRecordAction, BadRecordLine, RecordError
from engine.record import (
    RECORD_CHARS_MAX,
    Record,
    RecordedAction,
    format_record,
    full_result,
    parse_record,
    replay,
)

SAMPLE = Path(__file__).parents[1] / "vectors" / "paohuzi_record.txt"


def make(seed: int = 1) -> tuple[Record, list[str]]:
    """Return the record of a round of bots, and its wall."""
    game: Any = GAMES["paohuzi"]
    rules = game.ruleset("tongyi-qmt")
    rng = random.Random(seed)
    wall = shuffled(game.deck(), rng)
    done = play_round(game, rules, wall, 2, [game.bots["normal"]] * 3, rng)
    record = Record(
        round_id="3-k2v9x1/4",
        game="paohuzi",
        preset=rules.title,
        options=rules.as_json(),
        seats=("p_81f2", "p_9a30", "bot:normal"),
        dealer=2,
        draws_in_row=0,
        commitment="5f" * 32,
        seed="9c" * 32,
        nonces=("77" * 32, "-", "-"),
        started_ms=1_790_000_000_000,
        actions=tuple(
            RecordedAction(seat, action, 10 * at) for at, (seat, action) in enumerate(done.actions)
        ),
        result=full_result("paohuzi", rules, 2, 0, done.outcome),
    )
    return record, wall


RECORD, WALL = make()
TEXT = format_record(RECORD)
LINES = TEXT.split("\n")


def test_a_record_has_the_shape_of_its_document() -> None:
    assert LINES[0] == "Paiju-Record: 1"
    assert LINES[11] == "Started: 1790000000000"
    assert LINES[12] == LINES[-3] == ""
    assert LINES[13].startswith("2 discard ")
    assert LINES[-2].startswith('Result: {"card":')
    assert TEXT.endswith("}\n")
    assert "  " not in TEXT


def test_a_record_written_elsewhere_reads_back_to_the_byte() -> None:
    text = SAMPLE.read_text(encoding="utf-8")
    assert format_record(parse_record(text)) == text


def test_names_are_written_as_themselves() -> None:
    record = replace(RECORD, result={**RECORD.result, "names": {"对对胡": 4}})
    assert '"names":{"对对胡":4}' in format_record(record)
    assert parse_record(format_record(record)) == record


@pytest.mark.parametrize("cause", ["", "bot", "timeout", "auto"])
def test_the_cause_of_an_action_reads_back(cause: str) -> None:
    record = replace(RECORD, actions=(RecordedAction(1, "chi s7s8s9 s9b9b9", 4021, cause),))
    assert parse_record(format_record(record)) == record


@pytest.mark.parametrize("line", range(1, 13))
def test_a_missing_header_is_named_by_its_line(line: int) -> None:
    lines = LINES[: line - 1] + LINES[line:]
    with pytest.raises(BadRecordLine) as refused:
        parse_record("\n".join(lines))
    assert refused.value.line == line


@pytest.mark.parametrize(
    ("line", "text"),
    [
        (1, "Paiju-Record: 2"),
        (2, "Round: 3-k2v9x1"),
        (2, "Round: 3-k2v9x1/0"),
        (2, "Round: 3-k2v9x1/04"),
        (3, "Game: mahjong"),
        (4, "Preset: tongyi-qmt"),
        (5, "Options: {}"),
        (5, LINES[4].replace(":1,", ": 1,", 1)),
        (5, LINES[4].replace('"min_xi":15', '"min_xi":16')),
        (6, "Seats: p_81f2 p_9a30"),
        (6, "Seats: p_81f2  p_9a30 bot:normal"),
        (6, "Seats: alice p_9a30 bot:normal"),
        (7, "Dealer: 3"),
        (7, "Dealer: 02"),
        (8, "Draws-In-Row: -1"),
        (9, "Commitment: " + "5F" * 32),
        (10, "Seed: " + "9c" * 31),
        (11, "Nonces: -,-"),
        (11, "Nonces: -,-,7"),
        (12, "Started: soon"),
        (12, "Started:1790000000000"),
        (12, " Started: 1790000000000"),
        (13, " "),
        (14, "3 pass @0"),
        (14, "2 discard s9"),
        (14, "2 discard s9 @-1"),
        (14, "2 discard s9 @07"),
        (14, "2 discard s9 @1 someone"),
        (14, "discard s9 @1"),
        (len(LINES) - 1, "Result: {"),
        (len(LINES) - 1, "Result: []"),
        (len(LINES) - 1, 'Result: {"points": [0,0,0]}'),
        (len(LINES) - 1, "Results: {}"),
        (len(LINES), "more"),
    ],
)
def test_the_first_wrong_line_is_named(line: int, text: str) -> None:
    lines = list(LINES)
    lines[line - 1] = text
    with pytest.raises(BadRecordLine) as refused:
        parse_record("\n".join(lines))
    assert refused.value.line == line


@pytest.mark.parametrize("end", [0, 20, 300, len(TEXT) - 1])
def test_a_cut_record_is_refused(end: int) -> None:
    with pytest.raises(BadRecordLine):
        parse_record(TEXT[:end])


@pytest.mark.parametrize(
    "text", [None, b"Paiju-Record: 1", 7, "x" * (RECORD_CHARS_MAX + 1), TEXT.replace("\n", "\r\n")]
)
def test_what_is_no_text_of_a_record_is_refused(text: Any) -> None:
    with pytest.raises(BadRecordLine) as refused:
        parse_record(text)
    assert refused.value.line == 1


def test_a_replay_ends_where_the_round_ended() -> None:
    outcome: Any = replay(RECORD, WALL).outcome()
    assert full_result("paohuzi", RECORD.rules(), 2, 0, outcome) == RECORD.result


def wrong_at(index: int, **change: Any) -> Record:
    actions = list(RECORD.actions)
    actions[index] = replace(actions[index], **change)
    return replace(RECORD, actions=tuple(actions))


@pytest.mark.parametrize(
    "change",
    [{"action": "nonsense"}, {"action": "discard b1 "}, {"action": "chi s9s8s7"}, {"action": "hu"}],
)
def test_a_replay_names_the_first_wrong_action(change: dict[str, Any]) -> None:
    with pytest.raises(BadRecordAction) as refused:
        replay(wrong_at(0, **change), WALL)
    assert (refused.value.index, refused.value.seat) == (0, 2)


def test_a_replay_names_an_action_of_a_seat_that_is_not_asked() -> None:
    at = next(
        index for index, step in enumerate(RECORD.actions) if step.action.startswith("discard") and index
    )
    with pytest.raises(BadRecordAction) as refused:
        replay(wrong_at(at, seat=(RECORD.actions[at].seat + 1) % 3), WALL)
    assert refused.value.index == at


def test_a_replay_refuses_actions_after_the_end() -> None:
    longer = replace(RECORD, actions=(*RECORD.actions, RecordedAction(0, "pass", 0)))
    with pytest.raises(BadRecordAction) as refused:
        replay(longer, WALL)
    assert refused.value.index == len(RECORD.actions)


def test_random_damage_never_raises_anything_else() -> None:
    rng = random.Random(7)
    for _ in range(2_000):
        at = rng.randrange(len(TEXT))
        damaged = (
            TEXT[:at] + rng.choice(["", "x", "\n", " ", "0", "七", "\x00"]) + TEXT[at + rng.randrange(3) :]
        )
        with contextlib.suppress(RecordError):
            replay(parse_record(damaged), WALL)

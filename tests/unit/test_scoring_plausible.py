"""Scoring disputes records that cannot have happened, and names the field."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

import pytest

from engine import GAMES
from services.launch.arena import play_round
from services.scoring.core.audit import audit_alone

Melds = list[list[str]]


def record_of(*, end: str = "hu", how: str = "", seats: str = "p_a p_b bot:normal") -> str:
    """Return the record of a round that ended so, with people and a bot in its seats."""
    rules = GAMES["paohuzi"].ruleset("876cc")
    record = None
    for number in range(400):
        rng = random.Random(number)
        record, _ = play_round(
            GAMES["paohuzi"], rules, ("normal",) * 3, f"q-{number}/2", rng.randbytes(32), 0, 0
        )
        if record is not None and record.result["end"] == end and (not how or record.result["how"] == how):
            break
    assert record is not None
    text = record.text.replace("Seats: bot:normal bot:normal bot:normal", f"Seats: {seats}")
    lines = text.split("\n")
    people = [str(at) for at, name in enumerate(seats.split(" ")) if not name.startswith("bot:")]
    return "\n".join(
        line.removesuffix(" bot") if line[:1] in people and line[1:2] == " " else line for line in lines
    )


def action_line(text: str, seat: str = "") -> str:
    """Return the second action of a record, or the first one of a seat."""
    lines = [line for line in text.split("\n") if line[:2] in ("0 ", "1 ", "2 ")]
    return next(line for line in lines if line.startswith(seat)) if seat else lines[1]


def disputed(text: str) -> list[str]:
    """Return the fields that scoring disputes."""
    return [one.field for one in audit_alone(text.encode()).differences]


def with_melds(text: str, change: Callable[[Melds], Melds]) -> str:
    head, _, result = text.rpartition("Result: ")
    given: dict[str, Any] = json.loads(result)
    given["melds"] = change(given["melds"])
    return f"{head}Result: {json.dumps(given, sort_keys=True, separators=(',', ':'), ensure_ascii=False)}\n"


RIGHT = record_of()


def test_records_of_people_and_bots_are_agreed() -> None:
    for text in (RIGHT, record_of(end="draw"), record_of(how="wall")):
        assert disputed(text) == []


def test_times_never_go_back() -> None:
    line = action_line(RIGHT)
    assert " @1" in line
    assert disputed(RIGHT.replace(line, line.replace(" @1", " @5"))) == ["action 3 time"]


def test_equal_times_are_possible() -> None:
    line = action_line(RIGHT)
    assert disputed(RIGHT.replace(line, line.replace(" @1", " @2"))) == []


def test_no_answer_comes_more_than_seven_days_after_the_deal() -> None:
    lines = RIGHT.split("\n")
    at = lines.index("", 13) - 1
    answer, _, rest = lines[at].partition(" @")
    cause = " bot" if rest.endswith(" bot") else ""
    week = 7 * 24 * 3600 * 1000
    for late, fields in ((week, []), (week + 1, [f"action {at - 12} time"])):
        assert disputed("\n".join([*lines[:at], f"{answer} @{late}{cause}", *lines[at + 1 :]])) == fields


@pytest.mark.parametrize("cause", [" bot", " timeout", " auto", ""])
def test_bots_answer_as_bots_and_people_never_do(cause: str) -> None:
    person = action_line(RIGHT, "0 ")
    fields = disputed(RIGHT.replace(person, person + cause))
    assert [field.split(" ")[2] for field in fields] == (["cause"] if cause == " bot" else [])
    bot = action_line(RIGHT, "2 ")
    fields = disputed(RIGHT.replace(bot, bot.removesuffix(" bot") + cause))
    assert [field.split(" ")[2] for field in fields] == ([] if cause == " bot" else ["cause"])


def test_a_player_sits_in_one_seat() -> None:
    assert disputed(RIGHT.replace("p_a p_b", "p_a p_a")) == ["seats"]
    assert disputed(record_of(seats="bot:normal p_b bot:normal")) == []


def test_a_round_started_at_some_time() -> None:
    started = next(line for line in RIGHT.split("\n") if line.startswith("Started: "))
    assert disputed(RIGHT.replace(started, "Started: 0")) == ["started"]


WRONG: dict[str, Callable[[Melds], Melds]] = {
    "none": lambda melds: [],
    "one is missing": lambda melds: melds[1:],
    "one is there twice": lambda melds: [*melds[:-1], melds[0]],
    "another card": lambda melds: [["peng", "s1", "s1", "s1"], *melds[1:]],
    "a kind that is none": lambda melds: [["kong", *melds[0][1:]], *melds[1:]],
    "cards that are none": lambda melds: [[melds[0][0], "s11", "s11", "s11"], *melds[1:]],
    "cards that make no meld": lambda melds: [["chi", "s1", "s1", "b2"], *melds[1:]],
    "without cards": lambda melds: [["kan"], *melds[1:]],
    "all in one": lambda melds: [["chi", *[card for _, *cards in melds for card in cards]]],
}


@pytest.mark.parametrize("wrong", WRONG)
def test_the_melds_shown_are_those_of_the_winner(wrong: str) -> None:
    assert disputed(with_melds(RIGHT, WRONG[wrong])) == ["melds"]


def test_the_huxi_of_the_melds_add_up() -> None:
    """A 碰 called a 偎 holds the same cards and is worth more."""
    worth = {"peng": "wei", "wei": "peng", "kan": "peng", "ti": "pao", "pao": "ti"}
    melds = next(
        at for at, meld in enumerate(json.loads(RIGHT.rpartition("Result: ")[2])["melds"]) if meld[0] in worth
    )

    def renamed(given: Melds) -> Melds:
        kind, *cards = given[melds]
        return [*given[:melds], [worth[kind], *cards], *given[melds + 1 :]]

    [difference] = audit_alone(with_melds(RIGHT, renamed).encode()).differences
    assert difference.field == "melds"
    assert "息 together" in difference.ours


def test_another_right_reading_is_agreed() -> None:
    """A 坎 and a 偎 are worth the same."""
    other = {"kan": "wei", "wei": "kan"}
    melds = json.loads(RIGHT.rpartition("Result: ")[2])["melds"]
    assert any(meld[0] in other for meld in melds)
    assert (
        disputed(with_melds(RIGHT, lambda given: [[other.get(kind, kind), *cards] for kind, *cards in given]))
        == []
    )


def test_the_order_of_melds_and_of_their_cards_says_nothing() -> None:
    assert (
        disputed(with_melds(RIGHT, lambda melds: [[kind, *cards[::-1]] for kind, *cards in melds[::-1]]))
        == []
    )


def test_a_draw_shows_no_melds() -> None:
    shown = with_melds(record_of(end="draw"), lambda _: [["kan", "s1", "s1", "s1"]])
    assert disputed(shown) == ["melds"]

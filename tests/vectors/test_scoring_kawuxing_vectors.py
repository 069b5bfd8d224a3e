"""Every worked example of 卡五星 runs through scoring's own code, and a wrong one is noticed."""

import copy
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from services.launch.vectors import JUDGES
from services.scoring.core.vectors import run_case

HERE = Path(__file__).parent
FILES = ("kawuxing.jsonl", "kawuxing_flow.jsonl", "more_kawuxing.jsonl")

CASES: list[dict[str, Any]] = [
    json.loads(line) for name in FILES for line in (HERE / name).read_text("utf-8").splitlines()
]
FLOWS = [case for case in CASES if case.get("kind") == "flow"]
PLAIN = [case for case in CASES if case.get("kind") != "flow"]


def _named(cases: list[dict[str, Any]]) -> list[Any]:
    return [pytest.param(case, id=case["id"]) for case in cases]


@pytest.mark.parametrize("case", _named(CASES))
def test_scoring_agrees_with_the_worked_example(case: dict[str, Any]) -> None:
    assert run_case(case) == []


def test_both_sides_agree_with_the_examples_of_scoring() -> None:
    cases = [case for case in CASES if case["id"].startswith("skwx-")]
    wrong = [(case["id"], name, judge(case)) for case in cases for name, judge in JUDGES["kawuxing"]]
    assert [each for each in wrong if each[2]] == []
    assert {name for _, name, _ in wrong} == {"engine", "scoring"}


def test_the_examples_cover_every_op_and_no_id_stands_twice() -> None:
    ops = {"waits", "score", "settle", "multi", "kongs", "huangzhuang", "kou"}
    assert {case["op"] for case in PLAIN} == ops
    assert max(Counter(case["id"] for case in CASES).values()) == 1
    assert sum(case["id"].startswith("skwx-") for case in CASES) >= 100


def _other(value: Any) -> Any:
    """Return another value of the same kind."""
    match value:
        case bool():
            return not value
        case int():
            return value + 1
        case []:
            return ["pass"]
        case [*most, int(last)]:
            return [*most, last + 1]
        case [*most, _]:
            return most
        case dict():
            return {**value, "poem": 2}
        case str():
            return f"{value} p1" if value[:1] in "mpsz" else f"{value}x"
        case None:
            return 1
    raise AssertionError(value)


@pytest.mark.parametrize("case", _named(PLAIN))
def test_an_example_with_another_expectation_fails(case: dict[str, Any]) -> None:
    for name, value in case["expect"].items():
        assert run_case({**case, "expect": {**case["expect"], name: _other(value)}}) != [], name


@pytest.mark.parametrize("case", _named(FLOWS))
def test_a_flow_with_another_expectation_fails(case: dict[str, Any]) -> None:
    for number, check in enumerate(case["expect"].get("after") or []):
        for name, value in check.items():
            if name == "step":
                continue
            wrong = copy.deepcopy(case)
            by_seat = isinstance(value, dict)
            other = {seat: _other(each) for seat, each in value.items()} if by_seat else _other(value)
            wrong["expect"]["after"][number][name] = other
            assert run_case(wrong) != [], (number, name)
    for name, value in (case["expect"].get("end") or {}).items():
        wrong = copy.deepcopy(case)
        by_seat = isinstance(value, dict)
        other = {seat: _other(each) for seat, each in value.items()} if by_seat else _other(value)
        wrong["expect"]["end"][name] = other
        assert run_case(wrong) != [], name


@pytest.mark.parametrize("case", _named(FLOWS))
def test_a_flow_whose_steps_are_refused_or_taken_otherwise_fails(case: dict[str, Any]) -> None:
    for number, step in enumerate(case["script"]):
        if step.get("if_asked"):
            continue
        wrong = copy.deepcopy(case)
        wrong["script"][number]["refused"] = not step.get("refused", False)
        assert run_case(wrong) != [], number
    ended = case["expect"].get("end") is not None
    assert run_case({**case, "expect": {"end": None if ended else {}}}) != []


def _score(hand: str, **more: Any) -> dict[str, Any]:
    given = {"hand": hand, "melds": [], "win": "p5", "how": "discard"}
    return {"game": "kwx", "op": "score", "input": given, "expect": {"win": False}, **more}


@pytest.mark.parametrize(
    "case",
    [
        {"game": "kwx"},
        {"game": "kwx", "op": "poem", "input": {}, "expect": {}},
        _score("p123 p46 s789 s111 z55"),
        _score("p0"),
        _score("h1"),
        _score("p123", expect={"colour": 3}),
        _score("p123", options={"no": 1}),
        _score("p123", options={"cap": -1}),
        _score("p123", preset="poker"),
        _score("p123", input={"hand": "p1", "melds": [], "win": "p9x", "how": "zimo"}),
        _score("p123", input={"hand": "p1", "melds": [], "win": "p1", "how": "zimo", "shoe": 1}),
        {"game": "kwx", "op": "settle", "input": {}, "expect": {}},
        {"game": "kwx", "kind": "flow", "start": {"deal": "p1 p2", "dealer": 0}, "script": [], "expect": {}},
        {"game": "chess", "op": "score", "input": {}, "expect": {}},
    ],
)
def test_an_example_that_cannot_be_run_fails(case: dict[str, Any]) -> None:
    assert run_case(case) != []

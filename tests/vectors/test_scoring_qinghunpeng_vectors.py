"""Every worked example of 清混碰 runs through both sides, and a wrong one is noticed."""

import copy
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from services.launch.vectors import JUDGES
from services.scoring.core.qinghunpeng.tiles import kinds_of
from services.scoring.core.qinghunpeng.vectors import OPS
from services.scoring.core.vectors import run_case

HERE = Path(__file__).parent
FILES = (
    "qinghunpeng.jsonl",
    "qinghunpeng_flow.jsonl",
    "more_qinghunpeng.jsonl",
    "scoring_qinghunpeng.jsonl",
    "scoring_qinghunpeng_flow.jsonl",
)

CASES: list[dict[str, Any]] = [
    json.loads(line) for name in FILES for line in (HERE / name).read_text("utf-8").splitlines()
]
FLOWS = [case for case in CASES if case.get("kind") == "flow"]
PLAIN = [case for case in CASES if case.get("kind") != "flow"]


def _named(cases: list[dict[str, Any]]) -> list[Any]:
    return [pytest.param(case, id=case["id"]) for case in cases]


@pytest.mark.parametrize("case", _named(CASES))
def test_both_sides_agree_with_the_worked_example(case: dict[str, Any]) -> None:
    assert {name: judge(case) for name, judge in JUDGES["qinghunpeng"]} == {"engine": [], "scoring": []}


def test_the_examples_cover_every_op_and_no_id_stands_twice() -> None:
    assert {case["op"] for case in PLAIN} == set(OPS)
    assert max(Counter(case["id"] for case in CASES).values()) == 1
    assert sum(case["id"].startswith("sqhp-") for case in CASES) >= 190


def test_the_hands_of_the_examples_hold_thirteen_tiles() -> None:
    for case in PLAIN:
        if case["id"].startswith("sqhp-") and case["op"] == "score":
            given = case["input"]
            assert len(kinds_of(given["hand"])) + 3 * len(given["melds"]) == 13, case["id"]


def _other(value: Any) -> Any:
    """Return another value of the same kind."""
    match value:
        case bool():
            return not value
        case int():
            return value + 1
        case None:
            return 1
        case str():
            return value + "x" if value and not value.startswith(("m", "p", "s", "z")) else "m1"
        case []:
            return ["pass"]
        case [*most, int(last)]:
            return [*most, last + 1]
        case [*most, _]:
            return most
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


def _score(hand: Any = "m123123456789 z1", **more: Any) -> dict[str, Any]:
    given = {"hand": hand, "win": "z1", "how": "zimo", "melds": [], "flowers": 0}
    return {"game": "qhp", "op": "score", "input": given, "expect": {"win": True}, **more}


def test_the_example_that_the_wrong_ones_are_made_of_is_right() -> None:
    assert run_case(_score()) == []


@pytest.mark.parametrize(
    "case",
    [
        {"game": "qhp"},
        {"game": "qhp", "op": "poem", "input": {}, "expect": {}},
        _score("m0123123456789 z1"),
        _score("x1"),
        _score(7),
        _score("m123123456789"),
        _score("m123123456789 f1"),
        _score(options={"no": 1}),
        _score(options={"lezi": 0}),
        _score(options={"extra_can_start": ["poem"]}),
        _score(preset="876cc"),
        _score(expect={"colour": 1}),
        _score(input={**_score()["input"], "river": ""}),
        _score(input={**_score()["input"], "ctx": {"moon": True}}),
        _score(input={**_score()["input"], "ctx": {"repl": "pong"}}),
        _score(input={**_score()["input"], "how": "luck"}),
        {"game": "qhp", "op": "bahua", "input": {"flowers": 8, "stage": "late"}, "expect": {"win": False}},
        {"game": "qhp", "kind": "flow", "start": {"dealer": 0, "deal": "m1"}, "script": [], "expect": {}},
        {"game": "qhp", "kind": "flow", "start": {}, "script": [], "expect": {}},
    ],
)
def test_an_example_that_cannot_be_run_fails(case: dict[str, Any]) -> None:
    assert run_case(case) != []


def test_a_step_is_left_out_if_its_seat_owes_no_answer() -> None:
    case = copy.deepcopy(next(case for case in FLOWS if case["id"] == "qhp-f40"))
    stray = {"seat": 2, "act": "pass"}
    script = [case["script"][0], stray, *case["script"][1:]]
    assert run_case({**case, "script": script}) != []
    script[1] = {**stray, "if_asked": True}
    assert run_case({**case, "script": script}) == []

"""Every worked example of 斗地主 runs through scoring's own code, and a wrong one is noticed."""

import copy
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from services.scoring.core.doudizhu.vectors import OPS
from services.scoring.core.vectors import run_case

HERE = Path(__file__).parent
FILES = ("doudizhu.jsonl", "doudizhu_flow.jsonl", "more_doudizhu.jsonl")

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


def test_the_examples_cover_every_op_and_no_id_stands_twice() -> None:
    assert {case["op"] for case in PLAIN} == set(OPS)
    assert max(Counter(case["id"] for case in CASES).values()) == 1
    assert sum(case["id"].startswith("sddz-") for case in CASES) >= 140


def _other(value: Any) -> Any:
    """Return another value of the same kind."""
    match value:
        case bool():
            return not value
        case int():
            return value + 1
        case []:
            return ["play"]
        case [*most, int(last)]:
            return [*most, last + 1]
        case [*most, _]:
            return most
        case str():
            return value[:-1] or "2"
        case None:
            return 1
    raise AssertionError(value)


@pytest.mark.parametrize("case", _named(PLAIN))
def test_an_example_with_another_expectation_fails(case: dict[str, Any]) -> None:
    for name, value in case["expect"].items():
        wrong = [["solo", 1, "3"]] if (name, value) == ("types", []) else _other(value)
        if name == "error":
            wrong = "bid must exceed 7"
        assert run_case({**case, "expect": {**case["expect"], name: wrong}}) != [], name


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
        wrong["expect"]["end"][name] = _other(value)
        assert run_case(wrong) != [], name


@pytest.mark.parametrize("case", _named(FLOWS))
def test_a_flow_whose_steps_are_refused_or_taken_otherwise_fails(case: dict[str, Any]) -> None:
    for number, step in enumerate(case["script"]):
        wrong = copy.deepcopy(case)
        wrong["script"][number]["refused"] = not step.get("refused", False)
        assert run_case(wrong) != [], number
    ended = case["expect"].get("end") is not None
    assert run_case({**case, "expect": {"end": None if ended else {}}}) != []


def _classify(cards: Any, **more: Any) -> dict[str, Any]:
    return {"game": "ddz", "op": "classify", "input": {"cards": cards}, "expect": {"types": []}, **more}


@pytest.mark.parametrize(
    "case",
    [
        {"game": "ddz"},
        {"game": "ddz", "op": "poem", "input": {}, "expect": {}},
        _classify("3x"),
        _classify("33333", expect={"types": [["bomb", 1, "3"]]}),
        _classify("RR", expect={"types": [["pair", 1, "R"]]}),
        _classify(3),
        _classify("345", options={"no": 1}),
        _classify("345", options={"spring": 4}),
        _classify("345", preset="poker"),
        _classify("345", input={"cards": "345", "table": "3"}),
        _classify("345", expect={"colour": 3}),
        {"game": "ddz", "op": "settle", "input": {}, "expect": {}},
        {"game": "ddz", "op": "bid", "input": {"start": 0, "bids": [1]}, "expect": {"landlord": 0}},
        {"game": "ddz", "op": "beats", "input": {"new": "3", "old": "34"}, "expect": {"beats": True}},
        {
            "game": "ddz",
            "kind": "flow",
            "start": {"hands": ["3", "4"], "first": 0},
            "script": [],
            "expect": {},
        },
    ],
)
def test_an_example_that_cannot_be_run_fails(case: dict[str, Any]) -> None:
    assert run_case(case) != []


@pytest.mark.parametrize("cards", ["33333", "RR", "BB", "BBRR", ""])
def test_cards_that_the_deck_does_not_hold_are_no_play(cards: str) -> None:
    assert run_case(_classify(cards)) == []
    beats = {"game": "ddz", "op": "beats", "input": {"new": cards, "old": "3"}, "expect": {"beats": False}}
    assert run_case(beats) == []


def test_a_step_is_left_out_if_its_seat_owes_no_answer() -> None:
    case = copy.deepcopy(next(case for case in FLOWS if case["id"] == "ddz-f16"))
    stray = {"seat": 2, "act": "pass"}
    assert run_case({**case, "script": [*case["script"], stray]}) != []
    assert run_case({**case, "script": [*case["script"], {**stray, "if_asked": True}]}) == []

"""The engine agrees with every worked example of 斗地主, and the runner notices when an example is wrong."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from engine.doudizhu.vectors import run_case

HERE = Path(__file__).parent


def cases(file: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (HERE / file).read_text(encoding="utf-8").splitlines() if line]


OPS = cases("doudizhu.jsonl")
FLOWS = cases("doudizhu_flow.jsonl")
CASES = OPS + FLOWS
MORE = cases("more_doudizhu.jsonl")


@pytest.mark.parametrize("case", CASES + MORE, ids=[case["id"] for case in CASES + MORE])
def test_the_engine_agrees(case: dict[str, Any]) -> None:
    assert run_case(case) == []


def changed(value: Any) -> Any:
    """Return something else of the same kind."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, list):
        return value[:-1] if value else ["pass"]
    return f"{value}x" if isinstance(value, str) else "春天"


@pytest.mark.parametrize("case", OPS, ids=[case["id"] for case in OPS])
def test_a_wrong_expectation_is_noticed(case: dict[str, Any]) -> None:
    for key, value in case["expect"].items():
        if key == "error":
            continue  # that there is one counts, not its words
        wrong = copy.deepcopy(case)
        wrong["expect"][key] = [["solo", 1, "3"]] if key == "types" and not value else changed(value)
        assert run_case(wrong) != [], key


def wrong_flows(case: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """Return copies of a flow, each with one thing wrong."""
    found = []
    for at, step in enumerate(case["script"]):
        wrong = copy.deepcopy(case)
        wrong["script"][at]["refused"] = not step.get("refused")
        found.append((f"step {at + 1}", wrong))
    for at, check in enumerate(case["expect"].get("after") or ()):
        for key, value in check.items():
            if key == "step":
                continue
            wrong = copy.deepcopy(case)
            checked = wrong["expect"]["after"][at]
            if key == "hand":
                checked[key] = {seat: cards[1:] for seat, cards in value.items()}
            elif isinstance(value, dict):
                checked[key] = {seat: changed(offers) for seat, offers in value.items()}
            else:
                checked[key] = changed(value)
            found.append((f"check {at} {key}", wrong))
    for key, value in (case["expect"].get("end") or {}).items():
        wrong = copy.deepcopy(case)
        wrong["expect"]["end"][key] = changed(value)
        found.append((f"end {key}", wrong))
    return found


@pytest.mark.parametrize("case", FLOWS, ids=[case["id"] for case in FLOWS])
def test_a_flow_that_goes_otherwise_is_noticed(case: dict[str, Any]) -> None:
    for where, wrong in wrong_flows(case):
        assert run_case(wrong) != [], where


@pytest.mark.parametrize(
    "case",
    [
        {},
        {"op": "poem", "expect": {}},
        {"op": "classify", "input": {}, "expect": {"types": []}},
        {"kind": "flow", "start": {"hands": ["3x", "4", "5"], "landlord": 0, "turn": 0}, "script": []},
        {"op": "classify", "input": {"cards": "3"}, "options": {"no": 1}, "expect": {"types": []}},
        {"kind": "flow", "start": {"hands": ["3", "4", "5"], "landlord": 0, "turn": 0}, "script": []},
        {"op": "classify", "input": {"cards": "3"}, "expect": {"kinds": []}},
    ],
)
def test_an_example_that_cannot_be_read_disagrees(case: dict[str, Any]) -> None:
    assert run_case(case) != []

"""The engine agrees with every worked example of 卡五星, and the runner notices when an example is wrong."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from engine.kawuxing.vectors import run_case

HERE = Path(__file__).parent


def cases(*files: str) -> list[dict[str, Any]]:
    texts = [(HERE / file).read_text(encoding="utf-8") for file in files]
    return [json.loads(line) for text in texts for line in text.splitlines() if line]


CASES = cases("kawuxing.jsonl", "kawuxing_flow.jsonl")
MORE = cases("more_kawuxing.jsonl")
FLOWS = [case for case in CASES if case.get("kind") == "flow"]
SINGLE = [case for case in CASES if case.get("kind") != "flow"]


def by_id(chosen: list[dict[str, Any]]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("case", chosen, ids=[case["id"] for case in chosen])


@by_id(CASES + MORE)
def test_the_engine_agrees(case: dict[str, Any]) -> None:
    assert run_case(case) == []


def changed(value: Any) -> Any:
    """Return something else of the same kind."""
    if value is None:
        return 0
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, list):
        return value[:-1] if value else ["p1"]
    if isinstance(value, dict):
        return {key: changed(inner) for key, inner in value.items()} if value else {"0": 1}
    return f"{value}x"


@by_id(SINGLE)
def test_a_wrong_expectation_is_noticed(case: dict[str, Any]) -> None:
    for key, value in case["expect"].items():
        wrong = copy.deepcopy(case)
        wrong["expect"][key] = changed(value)
        assert run_case(wrong) != [], key


@by_id(FLOWS)
def test_a_wrong_check_is_noticed(case: dict[str, Any]) -> None:
    for at, check in enumerate(case["expect"]["after"]):
        for key, value in check.items():
            if key == "step":
                continue
            wrong = copy.deepcopy(case)
            wrong["expect"]["after"][at][key] = changed(value)
            assert run_case(wrong) != [], (at, key)
    for key, value in case["expect"].get("end", {}).items():
        wrong = copy.deepcopy(case)
        wrong["expect"]["end"][key] = changed(value)
        assert run_case(wrong) != [], key


@by_id(FLOWS)
def test_a_wrong_step_is_noticed(case: dict[str, Any]) -> None:
    for at, step in enumerate(case["script"]):
        if step.get("if_asked"):
            continue
        wrong = copy.deepcopy(case)
        wrong["script"][at]["refused"] = not step.get("refused")
        assert run_case(wrong) != [], at


@pytest.mark.parametrize(
    "case",
    [
        {},
        {"op": "poem"},
        {"op": "waits", "input": {}, "expect": {}},
        {"op": "waits", "input": {"hand": "p0"}, "expect": {}},
        {"op": "score", "input": {"hand": "p1", "win": "p1"}, "expect": {"win": False}, "options": {"x": 1}},
        {"kind": "flow", "start": {}, "script": [], "expect": {}},
    ],
)
def test_an_example_that_cannot_be_read_disagrees(case: dict[str, Any]) -> None:
    assert run_case(case) != []

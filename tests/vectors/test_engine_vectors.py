"""The engine agrees with every worked example, and the runner notices when an example is wrong."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from engine.paohuzi.vectors import run_case

HERE = Path(__file__).parent
CASES: list[dict[str, Any]] = [
    json.loads(line)
    for file in ("paohuzi.jsonl", "more_paohuzi.jsonl")
    for line in (HERE / file).read_text(encoding="utf-8").splitlines()
    if line
]


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_the_engine_agrees(case: dict[str, Any]) -> None:
    assert run_case(case) == []


def changed(value: Any) -> Any:
    """Return something else of the same kind."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, list):
        return value[:-1] if value else ["s1"]
    if isinstance(value, dict):
        return {} if value else {"0": {"s1": 15}}
    return f"{value}x"


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_a_wrong_expectation_is_noticed(case: dict[str, Any]) -> None:
    for key, value in case["expect"].items():
        wrong = copy.deepcopy(case)
        if isinstance(value, dict) and "can_hu" in value:
            for inner in value:
                wrong["expect"] = {key: {**value, inner: changed(value[inner])}}
                assert run_case(wrong) != [], (key, inner)
        else:
            wrong["expect"][key] = changed(value)
            assert run_case(wrong) != [], key


@pytest.mark.parametrize(
    "case",
    [{}, {"kind": "poem"}, {"kind": "eat", "input": {}}, {"kind": "score", "input": {"concealed": ["s11"]}}],
)
def test_an_example_that_cannot_be_read_disagrees(case: dict[str, Any]) -> None:
    assert run_case(case) != []

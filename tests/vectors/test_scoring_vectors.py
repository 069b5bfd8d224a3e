"""Every worked example runs through scoring's own code."""

import json
from pathlib import Path
from typing import Any

import pytest

from services.scoring.core.examples import KINDS
from services.scoring.core.vectors import run_case

HERE = Path(__file__).parent
FILES = ("paohuzi.jsonl", "more_paohuzi.jsonl")


def _cases() -> list[Any]:
    return [
        pytest.param(json.loads(line), id=f"{name.removesuffix('.jsonl')}-{json.loads(line)['id']}")
        for name in FILES
        if (HERE / name).exists()
        for line in (HERE / name).read_text("utf-8").splitlines()
    ]


@pytest.mark.parametrize("case", _cases())
def test_scoring_agrees_with_the_worked_example(case: dict[str, Any]) -> None:
    assert run_case(case) == []


def test_the_examples_cover_every_kind_and_no_id_stands_twice() -> None:
    cases = [case.values[0] for case in _cases()]
    assert {case["kind"] for case in cases} == set(KINDS)
    ids = [case["id"] for case in cases]
    assert len(ids) == len(set(ids)) >= 102


def _altered(value: Any) -> Any:
    match value:
        case bool():
            return not value
        case int():
            return value + 1
        case list():
            return [*value, [["s1"]]]
        case dict():
            return {**value, "9": {"peng": [], "chi": []}}
    return value


@pytest.mark.parametrize("case", _cases())
def test_an_example_with_another_expectation_fails(case: dict[str, Any]) -> None:
    """A runner that compared nothing would pass the examples; each expected value must count."""
    keyed = case["kind"] in {"score", "hu"}
    for variant, expected in case["expect"].items() if keyed else [("", case["expect"])]:
        for name, value in expected.items():
            wrong = {**expected, name: _altered(value)}
            changed = {**case, "expect": {variant: wrong} if keyed else wrong}
            assert any(f"{name}: expected" in line for line in run_case(changed)), name


def test_an_unknown_expectation_or_kind_is_a_failure() -> None:
    case = {"kind": "eat", "input": {"concealed": [], "card": "s1"}, "expect": {"sets": [], "colour": 3}}
    assert run_case(case) == ["eat colour: expected 3, but nobody computes it"]
    assert run_case({**case, "input": {"concealed": ["x1"], "card": "s1"}})[0].startswith("cannot be run: ")
    assert run_case({"kind": "poker"}) == ["no kind 'poker': there are score, hu, eat, flow"]

"""A worked example that is none is said to be none, and does not pass for one that holds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine import GAMES
from services.launch.exampleform import SEATS, faults
from services.launch.exits import NO, Stop
from services.launch.vectors import run

VECTORS = Path(__file__).parents[1] / "vectors"
HAND = {"hand": "p123 p46 s789 s111 z55", "melds": [], "win": "p5"}


def _won(**changes: object) -> dict[str, Any]:
    given = {**HAND, "how": "discard", "w": 0, "from": 1, "liang": [False, True, False], **changes}
    return {"op": "settle", "input": given, "expect": {"win": True}}


def test_the_form_knows_the_seats_of_every_game() -> None:
    assert {name: game.seats for name, game in GAMES.items()} == SEATS


def test_an_example_of_every_kind_is_one() -> None:
    assert faults("kawuxing", _won()) == []
    assert faults("kawuxing", _won(note="seen at a table", konged=[0], forced=True)) == []


@pytest.mark.parametrize(
    ("game", "case", "said"),
    [
        ("kawuxing", _won(how="teleport"), "input.how is one of"),
        ("kawuxing", _won(w=3), "input.w is a seat, 0 to 2, not 3"),
        ("kawuxing", _won(w=True), "input.w is a seat"),
        ("kawuxing", {**_won(), "input": {**_won()["input"], "from": 0}}, "seat 0 cannot win from itself"),
        ("kawuxing", _won(liang=[True]), "for each of the 3 seats"),
        ("kawuxing", _won(melds=7), "input.melds is a list"),
        ("kawuxing", {"op": "score", "input": {"win": "p5"}, "expect": {"win": True}}, "has no hand"),
        ("kawuxing", {"op": "score", "input": HAND, "expect": {}}, "it expects nothing"),
        (
            "kawuxing",
            {"op": "kongs", "input": {"events": [{"t": "an", "by": -1}]}, "expect": {"delta": []}},
            "events 1.by",
        ),
        (
            "kawuxing",
            {"op": "kongs", "input": {"events": ["an"]}, "expect": {"delta": []}},
            "events 1 is an object",
        ),
        ("qinghunpeng", {"op": "bahua", "input": {"flowers": 9}, "expect": {"win": True}}, "from 0 to 8"),
        (
            "doudizhu",
            {"op": "settle", "input": {"landlord": 7}, "expect": {"delta": []}},
            "input.landlord is a seat",
        ),
        (
            "doudizhu",
            {"op": "classify", "input": {"cards": 3}, "expect": {"types": []}},
            "input.cards is a text",
        ),
        (
            "paohuzi",
            {"kind": "eat", "input": {"concealed": [], "card": "s1", "filler": -1}, "expect": {"sets": []}},
            "count",
        ),
        (
            "paohuzi",
            {"kind": "flow", "input": {"event": {"seat": 5}}, "expect": {"trace": []}},
            "event.seat is a seat",
        ),
        (
            "kawuxing",
            {"kind": "flow", "start": {"hands": []}, "script": [], "expect": {"after": []}},
            "no melds, rivers",
        ),
        (
            "doudizhu",
            {"kind": "flow", "start": {"hands": ["3"]}, "script": [], "expect": {"after": []}},
            "the 3 seats",
        ),
        (
            "doudizhu",
            {"kind": "flow", "start": {"hands": ["3"] * 3}, "script": [{}], "expect": {"end": {}}},
            "`script`",
        ),
        (
            "qinghunpeng",
            {
                "kind": "flow",
                "start": {"deal": ""},
                "script": [{"seat": 4, "act": "hu"}],
                "expect": {"end": {}},
            },
            "step 1.seat is a seat, 0 to 3",
        ),
    ],
)
def test_what_is_odd_about_an_example_is_said(game: str, case: dict[str, Any], said: str) -> None:
    assert any(said in sentence for sentence in faults(game, case)), faults(game, case)


def test_every_example_of_the_project_is_one() -> None:
    names = {"kwx": "kawuxing", "qhp": "qinghunpeng", "ddz": "doudizhu"}
    odd = []
    for file in sorted(VECTORS.glob("*.jsonl")):
        for line in file.read_text("utf-8").splitlines():
            case = json.loads(line)
            odd += [
                (case["id"], sentence) for sentence in faults(names.get(case.get("game"), "paohuzi"), case)
            ]
    assert odd == []


def test_a_misspelt_example_fails_and_says_why(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "kawuxing.jsonl"
    file.write_text(json.dumps({"id": "x", **_won(how="zimmo")}) + "\n", "utf-8")
    with pytest.raises(Stop) as stopped:
        run([file])
    assert stopped.value.code == NO
    assert "x: no example: input.how is one of zimo" in capsys.readouterr().out

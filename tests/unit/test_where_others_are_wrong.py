"""What public implementations of these games get wrong, each with its right value, from both minds."""

from __future__ import annotations

from typing import Any

import pytest

from services.launch.vectors import JUDGES

PENG = [{"t": "peng", "tile": tile} for tile in ("z5", "z6", "z7")]


MIDDLE = {"win": True, "fans": {"卡五星": 2}, "fan": 2}
PLAIN = {"win": True, "fans": {"平胡": 1}, "fan": 1}
LEADS = "3 33 333 3333 333345 333346 333347 333356 333357 333367 3334 3335 3336 3337 34567 4 5 6 7"
UNWORTHY = [["chi", *cards] for cards in (("b4", "b5", "b6"), ("s4", "s5", "s6"), ("s7", "s8", "s9"))]
UNWORTHY.append(["chi", "b8", "b9", "b10"])


def ddz(op: str, expect: Any, options: dict[str, bool] | None = None, **given: Any) -> dict[str, Any]:
    """Return a worked example of 斗地主."""
    return {"id": op, "game": "ddz", "op": op, "input": given, "expect": expect, "options": options or {}}


def kwx(op: str, expect: dict[str, Any], **given: Any) -> dict[str, Any]:
    """Return a worked example of 卡五星."""
    return {"id": op, "game": "kwx", "op": op, "input": {"melds": [], **given}, "expect": expect}


def types(*found: list[Any]) -> dict[str, Any]:
    return {"types": list(found)}


CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "a chain may be headed by a rank held four times": (
        "doudizhu",
        ddz(
            "plays",
            {"plays": LEADS.split()},
            hand="33334567",
        ),
    ),
    "no bomb beats the rocket": ("doudizhu", ddz("beats", {"beats": False}, new="2222", old="BR")),
    "four with two singles": ("doudizhu", ddz("classify", types(["four_two_solo", 1, "3"]), cards="333345")),
    "four with two pairs": ("doudizhu", ddz("classify", types(["four_two_pair", 1, "3"]), cards="33334455")),
    "four with two is no bomb": ("doudizhu", ddz("beats", {"beats": False}, new="333345", old="AA")),
    "both jokers are no kickers": ("doudizhu", ddz("classify", types(), cards="333444BR")),
    "both jokers are kickers by option": (
        "doudizhu",
        ddz("classify", types(["plane_solo", 2, "3"]), {"rocket_as_kickers": True}, cards="333444BR"),
    ),
    "four equal cards are no kickers": ("doudizhu", ddz("classify", types(), cards="3334445556666A")),
    "four equal cards are kickers by option": (
        "doudizhu",
        ddz(
            "classify",
            types(["plane_solo", 4, "3"]),
            {"bomb_in_kickers": True},
            cards="3334445556668888",
        ),
    ),
    "a trio among the wings of a plane": (
        "doudizhu",
        ddz("classify", types(["plane_solo", 3, "3"]), cards="333444555777"),
    ),
    "the pair inside a triplet": (
        "kawuxing",
        kwx(
            "score",
            PLAIN,
            hand="p1112345 s789 z666",
            win="p3",
            how="zimo",
        ),
    ),
    "no wait on a fifth own copy": (
        "kawuxing",
        kwx("waits", {"waits": [], "kawuxing": [], "du": False}, hand="p1111", melds=PENG),
    ),
    "卡五星 with the five in the middle": (
        "kawuxing",
        kwx(
            "score",
            {"win": True, "fans": {"卡五星": 2}, "fan": 2},
            hand="p123 p46 s789 s111 z55",
            win="p5",
            how="zimo",
        ),
    ),
    "no 卡五星 with the five at an end": (
        "kawuxing",
        kwx(
            "score",
            PLAIN,
            hand="p123 p67 s789 s111 z55",
            win="p5",
            how="zimo",
        ),
    ),
    "小三元 with the pair of the third dragon": (
        "kawuxing",
        kwx(
            "score",
            {"win": True, "fans": {"小三元": 4}, "fan": 4},
            hand="z7 p123 s456",
            melds=PENG[:2],
            win="z7",
            how="discard",
        ),
    ),
    "no 小三元 with another pair": (
        "kawuxing",
        kwx(
            "score",
            PLAIN,
            hand="p9 p123 s456",
            melds=PENG[:2],
            win="p9",
            how="discard",
        ),
    ),
    "an exposed meld of another suit ends 清一色": (
        "kawuxing",
        kwx(
            "score",
            PLAIN,
            hand="p123 p567 p789 p3",
            melds=[{"t": "peng", "tile": "s4"}],
            win="p3",
            how="discard",
        ),
    ),
    "an exposed meld of the same suit belongs to 清一色": (
        "kawuxing",
        kwx(
            "score",
            {"win": True, "fans": {"清一色": 4}, "fan": 4},
            hand="p123 p567 p789 p3",
            melds=[{"t": "peng", "tile": "p4"}],
            win="p3",
            how="discard",
        ),
    ),
    "a later partition wins where the first is below the minimum": (
        "paohuzi",
        {
            "kind": "hu",
            "id": "later",
            "title": "three 绞 are 0 息, 壹贰叁 twice and 一二三 are 15",
            "input": {
                "concealed": ["b1", "s1", "b2", "b2", "s2", "b3", "b3", "s3"],
                "exposed": UNWORTHY,
                "win": {"card": "b1", "source": "other"},
            },
            "expect": {"876cc": {"can_hu": True, "xi": 15}},
        },
    ),
}


@pytest.mark.parametrize("what", CASES)
def test_both_minds_have_the_right_value(what: str) -> None:
    game, case = CASES[what]
    judges = JUDGES[game]
    assert [name for name, _ in judges] == ["engine", "scoring"]
    for name, judge in judges:
        assert judge(case) == [], name

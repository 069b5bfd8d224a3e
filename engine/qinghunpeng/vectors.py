"""Runs worked examples through the engine and says where they disagree.

The examples are data in one JSON object a line; ``run_case`` takes one object and returns every disagreement
as one sentence. An example that cannot be set up disagrees, it does not raise. The flow of a round is in
``flow_vectors.py``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from engine.errors import Refusal
from engine.mahjong.flowers import FLOWERS
from engine.mahjong.tiles import COPIES, ONE, make_hand, parse_tile
from engine.qinghunpeng.flow_vectors import in_any_order, melds_of, rules_of, run_flow, tiles_of_groups
from engine.qinghunpeng.patterns import GANGKAI, QIANGGANG, ZIMO, Moment, Win, best_win, eight_flowers
from engine.qinghunpeng.rules import RuleSet
from engine.qinghunpeng.settle import points_of, win_payments

_HAND: Final = 13
"""Tiles of a hand without the winning one, each meld counted as three."""


def run_case(case: Mapping[str, Any]) -> list[str]:
    """Return every way in which the engine disagrees with a worked example; empty if it agrees."""
    try:
        if case.get("kind") == "flow":
            return run_flow(case)
        op = _OPS.get(case.get("op", ""))
        if op is None:
            return [f"unknown op {case.get('op')!r}"]
        got = op(rules_of(case), case["input"])
        return [
            f"{key}: expected {value!r}, got {got.get(key)!r}"
            for key, value in case["expect"].items()
            if key not in got or in_any_order(key, got[key]) != in_any_order(key, value)
        ]
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, AssertionError) as error:
        return [f"the example cannot be read: {type(error).__name__} {error}"]
    except Refusal as error:
        return [f"the engine refuses the example: {error}"]


def _win(rules: RuleSet, given: Mapping[str, Any]) -> Win | None:
    """Return the win of a hand of 13 and a tile, ``None`` if it may not win or cannot be held."""
    hand, melds = tiles_of_groups(given["hand"]), melds_of(given.get("melds") or ())
    tile = parse_tile(given["win"])
    if max(hand, default=0) >= len(ONE):
        return None  # a flower is never in a hand
    owned = [*hand, tile, *[at for meld in melds for at in meld.tiles]]
    if max([owned.count(at) for at in owned]) > COPIES or len(hand) + 3 * len(melds) != _HAND:
        return None
    held = make_hand(hand) + ONE[tile]
    return best_win(rules, held, melds, tile, given.get("flowers", 0), _moment(rules, given))


def _moment(rules: RuleSet, given: Mapping[str, Any]) -> Moment:
    how, context = given.get("how", "discard"), given.get("ctx") or {}
    replaced = context.get("repl", "kong" if how == "gangkai" else "")
    gangkai = replaced == "kong" or (replaced == "flower" and rules.gangkai_flower)
    first = "tian" if context.get("tian") else "di" if context.get("di") else ""
    last = bool(context.get("last") or context.get("haidi"))
    return Moment(ZIMO if how == "gangkai" else how, gangkai, last, first)


def _score(rules: RuleSet, given: Mapping[str, Any]) -> dict[str, Any]:
    win = _win(rules, given)
    if win is None:
        return {"win": False}
    names = [name for name, _ in win.names]
    how = given.get("how", "discard")
    if GANGKAI in names:
        how = "gangkai"
    return _paid(win, given, how, given.get("from", given.get("w", 0)))


def _bahua(rules: RuleSet, given: Mapping[str, Any]) -> dict[str, Any]:
    opening = given.get("stage", "opening") == "opening"
    fires = rules.bahua == "anytime" or (rules.bahua == "opening" and opening)
    if given["flowers"] < len(FLOWERS) or not fires:
        return {"win": False}
    return _paid(eight_flowers(rules, 1), given, "bahua", given.get("w", 0))


def _paid(win: Win, given: Mapping[str, Any], how: str, source: int) -> dict[str, Any]:
    """Return what an example may expect of a win."""
    seat = given.get("w", 0 if how != QIANGGANG or source else 1)
    payments = win_payments(((seat, win),), how, source, (tuple(given.get("bound") or ()),))
    return {
        "win": True,
        "patterns": [name for name, _ in win.names],
        "points": win.points,
        "flowers": win.flowers,
        "delta": list(points_of(payments)),
    }


_OPS: Final = {"score": _score, "bahua": _bahua}

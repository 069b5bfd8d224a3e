"""Runs worked examples through the engine and says where they disagree.

The examples are data in one JSON object a line; ``run_case`` takes one object and returns every disagreement
as one sentence. An example that cannot be set up disagrees, it does not raise. The flow of a round is in
``flow_vectors.py``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from engine.doudizhu.actions import CALL, NO_CALL, NO_ROB, ROB
from engine.doudizhu.cards import RANKS, parse_cards
from engine.doudizhu.flow_vectors import plays_shown, rules_of, run_flow
from engine.doudizhu.plays import book_of
from engine.doudizhu.position import Position
from engine.doudizhu.readings import ROCKETS, Reading, best_over
from engine.doudizhu.rules import wings_of
from engine.doudizhu.scoring import DRAW, settle
from engine.doudizhu.setup import before_bidding
from engine.errors import BadNotation, IllegalAction, NotAsked, Refusal

_ACTS: Final = {"叫": CALL, "不叫": NO_CALL, "抢": ROB, "不抢": NO_ROB}


def run_case(case: Mapping[str, Any]) -> list[str]:
    """Return every way in which the engine disagrees with a worked example; empty if it agrees."""
    try:
        if case.get("kind") == "flow":
            return run_flow(case)
        op = _OPS.get(case.get("op", ""))
        if op is None:
            return [f"unknown op {case.get('op')!r}"]
        return _differences(case["expect"], op(case))
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        return [f"the example cannot be read: {type(error).__name__} {error}"]
    except Refusal as error:
        return [f"the engine refuses the example: {error}"]


def _differences(expected: Mapping[str, Any], got: Mapping[str, Any]) -> list[str]:
    found = []
    for key, value in expected.items():
        if key not in got or _comparable(key, value) != _comparable(key, got[key]):
            found.append(f"{key}: expected {value!r}, got {got.get(key)!r}")
    return found


def _comparable(key: str, value: Any) -> Any:
    """Return what is compared of a value: of readings which come, and which first; a rocket has no rank."""
    if key == "types":
        types = [[kind, *([] if kind == ROCKETS else rest)] for kind, *rest in value]
        return [types[:1], sorted(types)]
    if key == "plays":
        return sorted(["".join(sorted(play)) for play in value])
    if key == "error":
        return bool(value)
    return value


def _classify(case: Mapping[str, Any]) -> dict[str, Any]:
    readings = _readings(case, case["input"]["cards"])
    return {"types": [[reading.type, reading.length, RANKS[reading.rank]] for reading in readings]}


def _readings(case: Mapping[str, Any], text: str) -> tuple[Reading, ...]:
    """Return the readings of cards; what no deck holds is not played either."""
    try:
        cards = parse_cards("".join(text.split()))
    except BadNotation:
        return ()
    return book_of(wings_of(rules_of(case))).readings(cards)


def _beats(case: Mapping[str, Any]) -> dict[str, Any]:
    given = case["input"]
    old, new = _readings(case, given["old"]), _readings(case, given["new"])
    if given.get("old_as") or given.get("as"):
        old = tuple(reading for reading in old if reading.type == (given.get("old_as") or given["as"]))
    if not old:
        raise ValueError(f"{given['old']} is no play")
    return {"beats": best_over(new, old[0]) is not None}


def _plays(case: Mapping[str, Any]) -> dict[str, Any]:
    given = case["input"]
    book = book_of(wings_of(rules_of(case)))
    hand = parse_cards("".join(given["hand"].split()))
    over = given.get("table") or given.get("over") or given.get("old")
    plays = book.follows(hand, book.readings(parse_cards(over))[0]) if over else book.leads(hand)
    return {"plays": plays_shown(plays)}


def _bid(case: Mapping[str, Any]) -> dict[str, Any]:
    given = case["input"]
    position = _auction(case, "score")
    for bid in given["bids"]:
        if position.phase != "bid":
            break
        try:
            position.apply(position.turn, f"bid {bid}")
        except IllegalAction:
            return {"error": f"bid must exceed {position.bid}"}
    return _auctioned(position, "score", position.bid)


def _qiang(case: Mapping[str, Any]) -> dict[str, Any]:
    position = _auction(case, "qiang")
    for seat, act in case["input"]["acts"]:
        if position.phase not in ("bid", "rob"):
            break
        try:
            position.apply(seat, _ACTS.get(act, act))
        except (IllegalAction, NotAsked) as error:
            return {"error": str(error)}
    return _auctioned(position, "mult", 2**position.robs)


def _auction(case: Mapping[str, Any], bid: str) -> Position:
    rules = rules_of(case, {"bid": bid})
    given = case["input"]
    redeals = given.get("redeals", given.get("draws_in_row", 0))
    return before_bidding(rules, (0, 0, 0), 0, given.get("start", 0), redeals)


def _auctioned(position: Position, key: str, value: int) -> dict[str, Any]:
    outcome = position.outcome()
    if outcome is not None and outcome.end == DRAW:
        return {"redeal": True}
    if position.landlord < 0:
        return {"pending": True}
    return {"landlord": position.landlord, key: value}


def _settle(case: Mapping[str, Any]) -> dict[str, Any]:
    given = case["input"]
    factor = given.get("mult", given.get("qiang", 1))
    outcome = settle(
        rules_of(case),
        landlord=given["landlord"],
        winner=given["winner"],
        bid=given.get("score", given.get("bid", 1)),
        plays=given["plays"],
        robs=factor.bit_length() - 1,
        bombs=given.get("bombs", 0),
        rockets=given.get("rockets", 0),
        double=given.get("double") or (1, 1, 1),
    )
    base = given.get("base", 1)
    return {
        "spring": outcome.spring or None,
        "delta": [base * points for points in outcome.points],
        "points": [base * points for points in outcome.points],
        "multiplier": outcome.fan,
    }


_OPS: Final = {
    "classify": _classify,
    "beats": _beats,
    "plays": _plays,
    "bid": _bid,
    "qiang": _qiang,
    "settle": _settle,
}

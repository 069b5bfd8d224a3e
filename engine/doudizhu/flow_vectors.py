"""Runs worked examples of the flow of a round: a position, a script, what must be true in between."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from engine.doudizhu.cards import format_cards, parse_cards
from engine.doudizhu.position import Position
from engine.doudizhu.presets import preset
from engine.doudizhu.rules import RuleSet
from engine.doudizhu.scoring import DRAW, multiplier
from engine.doudizhu.setup import before_bidding, in_play
from engine.doudizhu.state import DOUBLING, OVER
from engine.doudizhu.tables import AS, PLAY
from engine.errors import ActionRefused, BadNotation

_SEATS = (0, 1, 2)


def rules_of(case: Mapping[str, Any], more: Mapping[str, Any] | None = None) -> RuleSet:
    """Return the classic rules with the options of an example, spelt as the rule set spells them."""
    given = {**(more or {}), **(case.get("options") or {})}
    if "linear" in given:
        given["scoring"] = "linear" if given.pop("linear") else "multiply"
    if given.get("double") in (True, False):
        given["double"] = "on" if given["double"] else "off"
    for name in ("bomb_cap", "redeal_limit"):
        if given.get(name) in (0, "none", "off"):
            given[name] = None
    return preset(case.get("preset", "classic"), given)


def plays_shown(actions: Iterable[str]) -> list[str]:
    """Return the cards of every play among some actions, sorted, each once."""
    plays = {action[len(PLAY) :].split(" ")[0] for action in actions if action.startswith(PLAY)}
    return sorted(plays)


def run_flow(case: Mapping[str, Any]) -> list[str]:
    """Return every way in which a round does not go as the example says."""
    position = _start(case)
    expect = case["expect"]
    checks: dict[int, list[Mapping[str, Any]]] = {}
    for check in expect.get("after") or ():
        checks.setdefault(check["step"], []).append(check)
    found = _checked(position, checks.get(0, ()), 0)
    for number, step in enumerate(case["script"], 1):
        found += _stepped(position, step, number)
        found += _checked(position, checks.get(number, ()), number)
    return found + _ended(position, expect.get("end"))


def _start(case: Mapping[str, Any]) -> Position:
    rules, start = rules_of(case), case["start"]
    hands = [parse_cards(hand) for hand in start["hands"]]
    if "landlord" not in start:
        redeals = start.get("redeals", start.get("draws_in_row", 0))
        return before_bidding(rules, hands, parse_cards(start["bottom"]), start["first"], redeals)
    return in_play(
        rules,
        hands,
        start["landlord"],
        start["turn"],
        bid=start.get("bid", 1),
        robs=start.get("mult", 1).bit_length() - 1,
        plays=start.get("plays") or (0, 0, 0),
        bombs=start.get("bombs", 0),
        rockets=start.get("rockets", 0),
        double=start.get("double") or (0, 0, 0),
    )


def _action(position: Position, step: Mapping[str, Any]) -> str:
    """Return the action of a step in the one form the engine takes."""
    act = step["act"]
    if act == "bid":
        return f"bid {step['value']}"
    if act == "double":
        return f"double {step['x']}"
    if act != "play":
        return str(act)
    try:
        cards = parse_cards(step["cards"])
    except BadNotation:
        return PLAY + str(step["cards"])
    text, named = PLAY + format_cards(cards), step.get("as")
    if not named:
        return text
    readings = position.book.readings(cards)
    meant = position.book.is_play(cards, "", position.over)
    # A name that only says what is meant anyway is left out; another one must be a reading of a lead.
    if meant is not None and meant.type == named:
        return text
    return text + AS + str(named) if any(reading.type == named for reading in readings) else ""


def _stepped(position: Position, step: Mapping[str, Any], number: int) -> list[str]:
    seat = step["seat"]
    if step.get("if_asked") and seat not in position.to_act():
        return []
    before = _snapshot(position)
    try:
        position.apply(seat, _action(position, step))
    except ActionRefused as refused:
        if not step.get("refused"):
            return [f"step {number}: refused: {refused}"]
        return [] if _snapshot(position) == before else [f"step {number}: a refusal changed something"]
    return [f"step {number}: was not refused"] if step.get("refused") else []


def _snapshot(position: Position) -> tuple[Any, ...]:
    readers = (*_SEATS, None)
    return (position.to_act(), [position.view(reader) for reader in readers], position.outcome())


def _offers(position: Position, seat: int) -> list[str]:
    legal = position.legal_actions(seat)
    offers = [action for action in legal if not action.startswith(PLAY)]
    return sorted([*offers, *(["play"] if plays_shown(legal) else [])])


def _checked(position: Position, checks: Iterable[Mapping[str, Any]], number: int) -> list[str]:
    found = []
    for check in checks:
        for key, expected in check.items():
            if key == "step":
                continue
            got = _value(position, key, expected)
            wanted = _normal(key, expected)
            if got != wanted:
                found.append(f"after step {number}: {key}: expected {wanted!r}, got {got!r}")
    return found


def _normal(key: str, expected: Any) -> Any:
    if key in ("offers", "may_play"):
        sort_cards = key == "may_play"
        return {
            seat: sorted([format_cards(parse_cards(one)) if sort_cards else one for one in values])
            for seat, values in expected.items()
        }
    if key == "hand":
        return {seat: format_cards(parse_cards(cards)) if cards else "" for seat, cards in expected.items()}
    return sorted(expected) if key == "asked" else expected


def _value(position: Position, key: str, expected: Any) -> Any:
    """Return what is true of a check's key, for the seats the check names."""
    if key == "offers":
        return {seat: _offers(position, int(seat)) for seat in expected}
    if key == "may_play":
        return {seat: plays_shown(position.legal_actions(int(seat))) for seat in expected}
    if key == "hand":
        return {seat: format_cards(position.hands[int(seat)]) for seat in expected}
    if key == "asked":
        return list(position.to_act())
    if key == "turn":
        return None if position.phase in (DOUBLING, OVER) else position.turn
    if key == "landlord":
        return position.landlord if position.landlord >= 0 else None
    if key == "multiplier":
        return multiplier(position.rules, position.robs, position.bombs, position.rockets)
    if key == "ended":
        return position.outcome() is not None
    return f"there is no check {key}"


def _ended(position: Position, expected: Mapping[str, Any] | None) -> list[str]:
    outcome = position.outcome()
    if expected is None:
        return [] if outcome is None else ["the round has ended"]
    if outcome is None:
        return ["the round has not ended"]
    if outcome.end == DRAW:
        got: dict[str, Any] = {"redeal": True, "points": list(outcome.points)}
    else:
        got = {
            "redeal": False,
            "winner": outcome.last,
            "landlord": outcome.landlord,
            "spring": outcome.spring or None,
            "points": list(outcome.points),
            "multiplier": outcome.fan,
            "bombs": outcome.bombs,
            "rockets": outcome.rockets,
        }
    return [
        f"end: {key}: expected {value!r}, got {got.get(key)!r}"
        for key, value in expected.items()
        if key not in got or got[key] != value
    ]

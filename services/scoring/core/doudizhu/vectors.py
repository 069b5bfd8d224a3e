"""Worked examples of 斗地主, run through scoring's own code."""

from collections.abc import Callable, Generator, Mapping
from typing import Any, Final

from services.scoring.core.doudizhu import course, payment, plays
from services.scoring.core.doudizhu.cards import SEATS, BadCards, TooManyCards, counts_of
from services.scoring.core.doudizhu.flow import robs_of, run_flow
from services.scoring.core.doudizhu.readings import Reading, as_follow, as_lead, readings
from services.scoring.core.doudizhu.rules import Options, preset_named, with_overrides
from services.scoring.core.rules import BadOptions

NAMES: Final = ("ddz", "doudizhu")
"""What an example may call the game."""

Case = Mapping[str, Any]

_ROCKET: Final = "rocket"
_EXCEED: Final = "bid must exceed"
_CALLS: Final = {"叫": "call", "不叫": "no_call", "抢": "rob", "不抢": "no_rob"}


class BadExample(Exception):
    """An example asks for something that nobody computes."""


def run_case(case: Case) -> list[str]:
    """Return what a worked example expects and scoring says otherwise; empty if all agree."""
    try:
        if case.get("kind") == "flow":
            return run_flow(case, options_of(case))
        op = str(case.get("op"))
        if op not in OPS:
            return [f"no op {op!r}: there are {', '.join(OPS)}, and kind flow"]
        return _differences(op, case["expect"], OPS[op](case["input"], options_of(case)))
    except (
        AttributeError,
        BadCards,
        BadExample,
        BadOptions,
        IndexError,
        KeyError,
        TypeError,
        ValueError,
    ) as bad:
        return [f"cannot be run: {type(bad).__name__}: {bad}"]


def options_of(case: Case) -> Options:
    """Return the rule set of an example: a preset and what differs from it.

    Raises:
        BadOptions: There is no such preset, option or value.
    """
    changes = dict(case.get("options") or {})
    if "linear" in changes:
        changes["scoring"] = "linear" if changes.pop("linear") else "multiply"
    if isinstance(changes.get("double"), bool):
        changes["double"] = "on" if changes["double"] else "off"
    for name in ("bomb_cap", "redeal_limit"):
        if name in changes and changes[name] in (0, "none", "off"):
            changes[name] = None
    return with_overrides(preset_named(case.get("preset", "classic")), changes)


def _differences(where: str, expected: Mapping[str, Any], got: Mapping[str, Any]) -> list[str]:
    wrong = []
    for name, value in expected.items():
        if name not in got:
            wrong.append(f"{where} {name}: expected {value!r}, but there is none")
        elif name == "error" and not (value.startswith(_EXCEED) and got[name].startswith(_EXCEED)):
            continue  # that there is one counts, not its words; only what must be exceeded does
        elif _comparable(name, got[name]) != _comparable(name, value):
            wrong.append(f"{where} {name}: expected {value!r}, got {got[name]!r}")
    return wrong


def _comparable(name: str, value: Any) -> Any:
    """Return what counts of a value.

    Of plays which they are; of readings the first and the order within a type; a rocket has no rank.
    """
    if name == "plays":
        return sorted("".join(sorted(cards)) for cards in value)
    if name == "types":
        kinds = [[kind] if kind == _ROCKET else [kind, *rest] for kind, *rest in value]
        return [kinds[:1], sorted(kinds, key=lambda reading: str(reading[0]))]
    return value


def _taken(given: Mapping[str, Any], *known: str) -> None:
    odd = sorted(set(given) - set(known))
    if odd:
        raise BadExample(f"unknown input: {', '.join(odd)}")


def _readings(cards: str, options: Options) -> tuple[Reading, ...]:
    """Return the readings of a word; cards that the deck does not hold, five 3s, have none."""
    try:
        return readings(counts_of("".join(cards.split())), options)
    except TooManyCards:
        return ()


def _classify(given: Mapping[str, Any], options: Options) -> dict[str, Any]:
    _taken(given, "cards")
    return {"types": [reading.written() for reading in _readings(given["cards"], options)]}


def _beats(given: Mapping[str, Any], options: Options) -> dict[str, Any]:
    _taken(given, "new", "old", "old_as")
    old = as_lead(_readings(given["old"], options), given.get("old_as", ""))
    if old is None:
        raise BadExample(f"nothing lies there: {given['old']!r} is no such play")
    return {"beats": as_follow(_readings(given["new"], options), old) is not None}


def _plays(given: Mapping[str, Any], options: Options) -> dict[str, Any]:
    _taken(given, "hand", "over", "table", "old")
    lying = given.get("over") or given.get("table") or given.get("old") or ""
    over = as_lead(_readings(lying, options))
    texts = plays.legal(counts_of("".join(given["hand"].split())), over, options)
    return {"plays": [text.removeprefix("play ") for text in texts if " as " not in text]}


def _auction(
    given: Mapping[str, Any], options: Options, answers: list[tuple[int | None, str]]
) -> dict[str, Any]:
    """Drive an auction; an answer without a seat is that of whoever is asked."""
    table = course.Table(
        options=options,
        first=given.get("start", 0),
        hands=[counts_of("")] * SEATS,
        bottom=counts_of(""),
        draws_in_row=given.get("redeals", 0),
    )
    steps: Generator[course.Questions, course.Answer, int] = course.auction(table)
    given_answers = 0
    try:
        asked = next(steps)
        for named, answer in answers:
            given_answers += 1
            [(seat, question)] = asked.items()
            if named not in (None, seat):
                return {"error": f"seat {named} is not asked, seat {seat} is"}
            if answer not in question:
                is_bid = answer.startswith("bid") and answer != "bid 0"
                return {"error": f"{_EXCEED} {table.bid}" if is_bid else question.refusal(answer)}
            asked = steps.send((seat, answer))
    except StopIteration as done:
        found: dict[str, Any] = {"redeal": done.value < 0}
        if done.value >= 0:
            found |= {"landlord": done.value, "score": table.bid, "mult": 2**table.robs}
        # Turns after the end are left out, unless the example is about them.
        return found | ({"error": "the auction is over"} if given_answers < len(answers) else {})
    return {"error": "the auction is not over"}


def _bid(given: Mapping[str, Any], options: Options) -> dict[str, Any]:
    _taken(given, "start", "bids", "redeals")
    chosen = with_overrides(options, {"bid": "score"})
    return _auction(given, chosen, [(None, f"bid {value}") for value in given["bids"]])


def _qiang(given: Mapping[str, Any], options: Options) -> dict[str, Any]:
    _taken(given, "start", "acts", "redeals")
    chosen = with_overrides(options, {"bid": "qiang"})
    return _auction(given, chosen, [(seat, _CALLS.get(act, act)) for seat, act in given["acts"]])


def _settle(given: Mapping[str, Any], options: Options) -> dict[str, Any]:
    known = ("landlord", "winner", "score", "bid", "plays", "bombs", "rockets", "double")
    _taken(given, *known, "mult", "qiang", "robs", "base")
    factor = given.get("mult", given.get("qiang"))
    won = payment.Won(
        landlord=given["landlord"],
        last=given["winner"],
        bid=given.get("score", given.get("bid", 1)),
        robs=given.get("robs", 0) if factor is None else robs_of(factor),
        bombs=given.get("bombs", 0),
        rockets=given.get("rockets", 0),
        plays=tuple(given["plays"]),
        double=tuple(given.get("double") or (1,) * SEATS),
    )
    delta = [points * given.get("base", 1) for points in won.points(options)]
    return {"spring": won.spring or None, "delta": delta, "fan": won.fan(options)}


OPS: Final[Mapping[str, Callable[[Mapping[str, Any], Options], dict[str, Any]]]] = {
    "classify": _classify,
    "beats": _beats,
    "plays": _plays,
    "bid": _bid,
    "qiang": _qiang,
    "settle": _settle,
}

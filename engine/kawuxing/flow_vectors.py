"""Runs worked examples of the flow of a round: a position, a script of steps, what is true in between."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from engine.errors import ActionRefused, BadNotation
from engine.kawuxing.actions import DISCARDED, PLAIN, liang, split_liang
from engine.kawuxing.deal import deal_position
from engine.kawuxing.game import Kawuxing
from engine.kawuxing.melds import Laid
from engine.kawuxing.outcome import Outcome
from engine.kawuxing.position import Position
from engine.kawuxing.presets import preset
from engine.kawuxing.rules import RuleSet
from engine.kawuxing.setup import SeatSetup, set_up
from engine.kawuxing.state import TURN
from engine.mahjong.tiles import TILE_TEXTS, format_tiles, hand_tiles, parse_tile, tiles_of_mask

_GAME: Final = Kawuxing()
_SEATS: Final = (0, 1, 2)
_GROUP: Final = re.compile(r"([mpsz])([1-9]+)")

_TABLE: Final = {
    "七对": "fan_qidui",
    "龙七对": "fan_long",
    "双龙七对": "fan_shuanglong",
    "超龙七对": "fan_chaolong",
    "碰碰胡": "fan_pengpenghu",
    "卡五星": "fan_kawuxing",
    "独卡五星": "du_bonus",
    "明四归一": "fan_ming",
    "暗四归一": "fan_an",
    "小三元": "fan_xiaosanyuan",
    "大三元": "fan_dasanyuan",
    "清一色": "fan_qingyise",
    "手抓一": "fan_shouzhuayi",
    "杠上开花": "fan_gangkai",
    "杠上炮": "fan_gangpao",
    "抢杠胡": "fan_qianggang",
}
"""Names in a ``table`` of an example and the options they stand for."""

_SPELLINGS: Final = {
    ("reveal_doubles_loser", True): "all",
    ("reveal_doubles_loser", False): "off",
    ("chain", "exp"): "exponential",
    ("chain", "double"): "exponential",
    ("cap", None): 0,
}
"""Values examples may write in another way."""


def rules_of(case: Mapping[str, Any]) -> RuleSet:
    """Return the default rules with the options of an example."""
    given: dict[str, Any] = {}
    for name, value in (case.get("options") or {}).items():
        if name == "table":
            given.update({_TABLE[label]: fan for label, fan in value.items()})
        elif isinstance(value, bool | str) or value is None:
            given[name] = _SPELLINGS.get((name, value), value)
        else:
            given[name] = value
    return preset(case.get("preset", "seed004"), given)


def tiles_of_groups(text: str) -> list[int]:
    """Return the tiles of groups such as ``p123 z55``.

    Raises:
        BadNotation: A group is none, or a digit no tile.
    """
    tiles: list[int] = []
    for group in text.split():
        match = _GROUP.fullmatch(group)
        if match is None:
            raise BadNotation("a group of tiles", text)
        tiles += [parse_tile(match[1] + digit) for digit in match[2]]
    return tiles


def melds_of(given: Iterable[Mapping[str, Any]]) -> tuple[Laid, ...]:
    """Return the melds of an example."""
    return tuple([Laid(meld["t"], parse_tile(meld["tile"])) for meld in given])


def run_flow(case: Mapping[str, Any]) -> list[str]:
    """Return every way in which a round does not go as the example says."""
    position = _start(rules_of(case), case["start"])
    expect = case["expect"]
    checks: dict[int, list[Mapping[str, Any]]] = {}
    for check in expect.get("after") or ():
        checks.setdefault(check["step"], []).append(check)
    found = _checked(position, checks.pop(0, ()), 0)
    for number, step in enumerate(case["script"], 1):
        found += _stepped(position, step, number)
        found += _checked(position, checks.pop(number, ()), number)
    found += [f"there is no step {number} to check after" for number in checks]
    return found + _ended(position, expect.get("end"))


def _start(rules: RuleSet, start: Mapping[str, Any]) -> Position:
    if "deal" in start:
        tiles = [parse_tile(text) for text in start["deal"].split()]
        return deal_position(rules, tiles, start["dealer"])
    seats = [
        SeatSetup(tiles_of_groups(hand), melds_of(melds), [parse_tile(text) for text in river.split()])
        for hand, melds, river in zip(
            start["hands"],
            start.get("melds") or ((), (), ()),
            start.get("rivers") or ("", "", ""),
            strict=True,
        )
    ]
    revealed = {
        one["seat"]: [parse_tile(text) for text in one.get("kou") or ()]
        for one in start.get("revealed") or ()
    }
    drawn = start.get("drawn")
    return set_up(
        rules,
        seats,
        start["turn"],
        dealer=start.get("dealer", 0),
        wall=[parse_tile(text) for text in (start.get("wall") or "").split()],
        drawn=parse_tile(drawn) if drawn else -1,
        after=start.get("after", "draw"),
        revealed=revealed,
        konged=start.get("konged") or (),
        points=start.get("points") or (0, 0, 0),
        chain=start.get("kong_chain", 0),
    )


def _action(step: Mapping[str, Any]) -> str:
    """Return the action of a step in the one form the engine takes."""
    act = step["act"]
    if act == "discard":
        return f"discard {step['tile']}"
    if act == "gang":
        return f"gang {step['kind']} {step['tile']}"
    if act == "liang":
        return liang(parse_tile(step["tile"]), [parse_tile(text) for text in step.get("kou") or ()])
    return str(act)


def _stepped(position: Position, step: Mapping[str, Any], number: int) -> list[str]:
    seat = step["seat"]
    if step.get("if_asked") and seat not in position.to_act():
        return []
    before = _snapshot(position)
    try:
        position.apply(seat, _action(step))
    except ActionRefused as refused:
        if not step.get("refused"):
            return [f"step {number}: refused: {refused}"]
        return [] if _snapshot(position) == before else [f"step {number}: a refusal changed something"]
    return [f"step {number}: was not refused"] if step.get("refused") else []


def _snapshot(position: Position) -> tuple[Any, ...]:
    return (position.to_act(), [position.view(reader) for reader in (*_SEATS, None)], position.outcome())


def _offers(position: Position, seat: int) -> list[str]:
    offers = set()
    for action in position.legal_actions(seat):
        if action in DISCARDED:
            offers.add("discard")
        else:
            offers.add(action if action in PLAIN else "liang")
    return sorted(offers)


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
    if key in ("offers", "may_discard", "may_liang", "melds"):
        return {seat: sorted(values) for seat, values in expected.items()}
    if key == "hand":
        return {seat: _sorted(cards) for seat, cards in expected.items()}
    if key == "shown":
        return {
            seat: None
            if shown is None
            else {
                name: _sorted(value) if name == "tiles" else sorted(value) if name == "waits" else value
                for name, value in shown.items()
            }
            for seat, shown in expected.items()
        }
    return sorted(expected) if key == "asked" else expected


def _sorted(groups: str) -> str:
    return format_tiles(sorted(tiles_of_groups(groups)))


def _value(position: Position, key: str, expected: Any) -> Any:
    """Return what is true of a check's key, for the seats the check names."""
    by_seat = _BY_SEAT.get(key)
    if by_seat is not None:
        return {seat: by_seat(position, int(seat)) for seat in expected}
    if key == "asked":
        return list(position.to_act())
    if key == "turn":
        return position.turn if position.phase == TURN else None
    if key == "points":
        return list(position.points)
    if key == "wall":
        return position.wall_left()
    if key == "ended":
        return position.outcome() is not None
    return f"there is no check {key}"


def _may_discard(position: Position, seat: int) -> list[str]:
    legal = position.legal_actions(seat)
    return sorted([TILE_TEXTS[DISCARDED[action]] for action in legal if action in DISCARDED])


def _may_liang(position: Position, seat: int) -> list[str]:
    legal = position.legal_actions(seat)
    return sorted({TILE_TEXTS[split_liang(action)[0]] for action in legal if action not in PLAIN})


def _shown(position: Position, seat: int) -> Any:
    """Return what another seat sees of a revealed hand."""
    seen = position.view((seat + 1) % 3).revealed[seat]
    if seen is None:
        return None
    return {
        "tiles": format_tiles(hand_tiles(seen.shown)),
        "waits": [TILE_TEXTS[tile] for tile in tiles_of_mask(seen.waits)],
        "hidden": 3 * seen.hidden,
    }


def _in_hand(position: Position, seat: int) -> str:
    return format_tiles(hand_tiles(position.hands[seat]))


def _laid(position: Position, seat: int) -> list[str]:
    return sorted([f"{meld.kind} {TILE_TEXTS[meld.tile]}" for meld in position.melds[seat]])


_BY_SEAT: Final[Mapping[str, Callable[[Position, int], Any]]] = {
    "offers": _offers,
    "may_discard": _may_discard,
    "may_liang": _may_liang,
    "shown": _shown,
    "hand": _in_hand,
    "melds": _laid,
}


def _ended(position: Position, expected: Mapping[str, Any] | None) -> list[str]:
    outcome = position.outcome()
    if expected is None:
        return [] if outcome is None else ["the round has ended"]
    if outcome is None:
        return ["the round has not ended"]
    got = _end_fields(position, outcome)
    return [
        f"end: {key}: expected {value!r}, got {got.get(key)!r}"
        for key, value in expected.items()
        if key not in got or got[key] != value
    ]


def _end_fields(position: Position, outcome: Outcome) -> dict[str, Any]:
    result = outcome.result()
    return {
        "winners": list(outcome.winners),
        "how": outcome.how,
        "from": outcome.source if outcome.wins else None,
        "fan": {str(seat): win.fan for seat, win in outcome.wins},
        "fans": {str(seat): dict(win.names) for seat, win in outcome.wins},
        "points": list(outcome.points),
        "next_dealer": _GAME.succession(position.rules, position.dealer, 0, result)[0],
    }

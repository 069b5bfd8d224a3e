"""Runs worked examples of the flow of a round: a position, a script of steps, what is true in between."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from engine.errors import ActionRefused, BadNotation
from engine.mahjong.flowers import any_tile, join
from engine.mahjong.tiles import TILE_TEXTS, hand_tiles, parse_tile
from engine.qinghunpeng.actions import DISCARDED
from engine.qinghunpeng.deal import deal_position
from engine.qinghunpeng.game import Qinghunpeng
from engine.qinghunpeng.melds import Laid
from engine.qinghunpeng.outcome import Outcome
from engine.qinghunpeng.position import Position
from engine.qinghunpeng.presets import preset
from engine.qinghunpeng.rules import RuleSet
from engine.qinghunpeng.setup import SeatSetup, set_up
from engine.qinghunpeng.state import TURN

_GAME: Final = Qinghunpeng()
_SEATS: Final = (0, 1, 2, 3)
_GROUP: Final = re.compile(r"([mpszf])([1-9]+)")

_FIXED: Final = {
    "混碰": "fixed_hunpeng",
    "清一色": "fixed_qingyise",
    "清碰": "fixed_qingpeng",
    "乱风向": "fixed_luanfengxiang",
    "字碰": "fixed_zipeng",
    "八花": "fixed_bahua",
    "天胡": "fixed_tianhu",
    "地胡": "fixed_dihu",
    "大吊车": "floor_dadiaoche",
    "杠开": "floor_gangkai",
    "抢杠": "floor_qianggang",
    "海底": "floor_haidi",
}
"""Names in ``fixed`` and ``floor`` of an example and the options they stand for."""

_FLOORS: Final = ("大吊车", "杠开", "抢杠", "海底")
_STARTS: Final = {
    (): "none",
    ("大吊车",): "dadiaoche",
    ("杠开",): "gangkai",
    ("大吊车", "杠开"): "both",
}
_SEED: Final = "seed000"
"""The default profile, which examples may call ``seed``."""
_LE: Final = 10
"""Examples give points, options give 勒."""


def rules_of(case: Mapping[str, Any]) -> RuleSet:
    """Return the default rules with the options of an example, some of which may be lists of names.

    Raises:
        BadNotation: A list or table that no options stand for.
    """
    given: dict[str, Any] = {}
    for name, value in (case.get("options") or {}).items():
        if name == "extra_can_start" and not isinstance(value, str):
            given[name] = _STARTS[tuple(sorted(value))]
        elif name == "fixed":
            given.update({_option(pattern): _le(points) for pattern, points in value.items()})
        elif name == "floor":
            worth = value if isinstance(value, Mapping) else dict.fromkeys(value, _LE)
            lifted = {_option(extra): _le(points) for extra, points in worth.items()}
            given.update({_FIXED[extra]: 0 for extra in _FLOORS} | lifted)
        else:
            given[name] = 0 if name == "cap" and value is None else value
    title = case.get("preset", _SEED)
    return preset(_SEED if title == "seed" else title, given)


def _option(name: str) -> str:
    """Return the option that a name of ``fixed`` or ``floor`` stands for."""
    if name not in _FIXED:
        raise BadNotation(f"a name with a value of its own ({', '.join(_FIXED)})", name)
    return _FIXED[name]


def _le(points: int) -> int:
    """Return points as 勒."""
    if points % _LE:
        raise BadNotation("points that are whole 勒", points)
    return points // _LE


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
        tiles += [any_tile(match[1] + digit) for digit in match[2]]
    return tiles


def melds_of(given: Iterable[Mapping[str, Any]]) -> tuple[Laid, ...]:
    """Return the melds of an example; whose discards they took is given with ``from``, if it matters."""
    return tuple([Laid(meld["t"], parse_tile(meld["tile"]), meld.get("from", -1)) for meld in given])


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
        tiles = [any_tile(text) for text in start["deal"].split()]
        return deal_position(rules, tiles, start["dealer"], start.get("draws_in_row", 0))
    empty = ("", "", "", "")
    seats = [
        SeatSetup(
            tiles_of_groups(hand),
            melds_of(melds),
            [parse_tile(text) for text in river.split()],
            tiles_of_groups(flowers),
        )
        for hand, melds, river, flowers in zip(
            start["hands"],
            start.get("melds") or ((), (), (), ()),
            start.get("rivers") or empty,
            start.get("flowers") or empty,
            strict=True,
        )
    ]
    drawn = start.get("drawn")
    return set_up(
        rules,
        seats,
        start["turn"],
        dealer=start.get("dealer", 0),
        wall=[any_tile(text) for text in (start.get("wall") or "").split()],
        drawn=parse_tile(drawn) if drawn else -1,
        after=_AFTER.get(start.get("after", "draw"), start.get("after", "draw")),
        times=start.get("times", 1),
    )


_AFTER: Final = {"pong": "claim", "peng": "claim", "chow": "claim", "chi": "claim"}
"""How examples say that a seat came to act, and how the engine does."""


def _action(step: Mapping[str, Any]) -> str:
    """Return the action of a step in the one form the engine takes."""
    act = step["act"]
    if act == "discard":
        return f"discard {step['tile']}"
    if act == "gang":
        return f"gang {step['kind']} {step['tile']}"
    if act == "chi":
        return f"chi {step['tile']}"
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
    legal = position.legal_actions(seat)
    return sorted({"discard" if action in DISCARDED else action for action in legal})


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
    if key in ("offers", "may_discard", "melds"):
        return {seat: sorted(values) for seat, values in expected.items()}
    if key == "hand":
        return {seat: _sorted(cards) for seat, cards in expected.items()}
    return sorted(expected) if key == "asked" else expected


def _sorted(groups: str) -> str:
    return join(sorted(tiles_of_groups(groups)))


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
        return list(position.view(None).points)
    if key == "wall":
        return position.wall_left()
    if key == "ended":
        return position.outcome() is not None
    return f"there is no check {key}"


def _may_discard(position: Position, seat: int) -> list[str]:
    legal = position.legal_actions(seat)
    return sorted([TILE_TEXTS[DISCARDED[action]] for action in legal if action in DISCARDED])


def _in_hand(position: Position, seat: int) -> str:
    return join((*hand_tiles(position.hands[seat]), *position.kept[seat]))


def _laid(position: Position, seat: int) -> list[str]:
    return sorted([f"{meld.kind} {TILE_TEXTS[meld.tile]}" for meld in position.melds[seat]])


def _flower_count(position: Position, seat: int) -> int:
    return len(position.flowers[seat])


_BY_SEAT: Final[Mapping[str, Callable[[Position, int], Any]]] = {
    "offers": _offers,
    "may_discard": _may_discard,
    "hand": _in_hand,
    "melds": _laid,
    "flowers": _flower_count,
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
        if key not in got or in_any_order(key, got[key]) != in_any_order(key, value)
    ]


def in_any_order(key: str, value: Any) -> Any:
    """Return what an example may expect so that the order of names does not count."""
    if key != "patterns":
        return value
    if isinstance(value, Mapping):
        return {seat: sorted(names) for seat, names in value.items()}
    return sorted(value)


def _end_fields(position: Position, outcome: Outcome) -> dict[str, Any]:
    result = outcome.result()
    return {
        "winners": list(outcome.winners),
        "how": outcome.how,
        "from": outcome.source if outcome.wins else None,
        "score": {str(seat): win.points for seat, win in outcome.wins},
        "patterns": {str(seat): [name for name, _ in win.names] for seat, win in outcome.wins},
        "points": list(outcome.points),
        "next_dealer": _GAME.succession(position.rules, position.dealer, 0, result)[0],
    }

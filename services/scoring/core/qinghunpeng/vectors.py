"""Worked examples of 清混碰, run through scoring's own code."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from services.scoring.core.hand import BadHand
from services.scoring.core.qinghunpeng import hand, payment
from services.scoring.core.qinghunpeng.flow import run_flow
from services.scoring.core.qinghunpeng.rules import Options, preset_named, with_overrides
from services.scoring.core.qinghunpeng.table import Ending
from services.scoring.core.qinghunpeng.tiles import TEXTS, BadTiles, kinds_of
from services.scoring.core.qinghunpeng.worth import Win, eight_flowers
from services.scoring.core.rules import BadOptions

Case = Mapping[str, Any]

_ROWS: Final = {
    "混碰": "fixed_hunpeng",
    "清一色": "fixed_qingyise",
    "清碰": "fixed_qingpeng",
    "乱风向": "fixed_luanfengxiang",
    "字碰": "fixed_zipeng",
    "八花": "fixed_bahua",
    "天胡": "fixed_tianhu",
    "地胡": "fixed_dihu",
}
POINTS_OF_LEI: Final = 10
"""Examples give the points of the rules' table; options count 勒."""
SEED: Final = "seed000"
"""The default profile, which examples may call `seed`."""
_FLOORS: Final = {
    "大吊车": "floor_dadiaoche",
    "杠开": "floor_gangkai",
    "抢杠": "floor_qianggang",
    "海底": "floor_haidi",
}
_STARTS: Final[Mapping[frozenset[str], str]] = {
    frozenset(): "none",
    frozenset({"大吊车"}): "dadiaoche",
    frozenset({"杠开"}): "gangkai",
    frozenset({"大吊车", "杠开"}): "both",
}


class BadExample(Exception):
    """An example asks for something that nobody computes."""


def run_case(case: Case) -> list[str]:
    """Return what a worked example expects and scoring says otherwise; empty if all agree."""
    try:
        options = options_of(case)
        if case.get("kind") == "flow":
            return run_flow(case, options)
        if case.get("op") not in OPS:
            return [f"no op {case.get('op')!r}: there are {', '.join(OPS)}, and kind flow"]
        return _compared(case["expect"], OPS[case["op"]](case["input"], options))
    except (BadExample, BadHand, BadOptions, BadTiles) as bad:
        return [f"cannot be run: {bad}"]
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as bad:
        return [f"cannot be run: {type(bad).__name__}: {bad}"]


def options_of(case: Case) -> Options:
    """Return the rule set of an example: a preset and what differs from it, lists of names spelt our way.

    Raises:
        BadOptions: There is no such preset, option or value.
    """
    given = dict(case.get("options") or {})
    if isinstance(given.get("extra_can_start"), list):
        given["extra_can_start"] = _STARTS.get(frozenset(given["extra_can_start"]), "?")
    if isinstance(given.get("floor"), list | dict):
        lifted = given.pop("floor")
        odd = [name for name in lifted if name not in _FLOORS]
        if odd:
            raise BadExample(f"no extra {odd[0]!r} has a floor; there are {', '.join(_FLOORS)}")
        worth = lifted if isinstance(lifted, dict) else dict.fromkeys(lifted, POINTS_OF_LEI)
        given |= {option: _lei(worth.get(name, 0)) for name, option in _FLOORS.items()}
    if isinstance(given.get("fixed"), dict):
        for name, points in given.pop("fixed").items():
            if name not in _ROWS:
                raise BadExample(f"no row {name!r} is fixed; there are {', '.join(_ROWS)}")
            given[_ROWS[name]] = _lei(points)
    if given.get("cap", 0) is None:
        given["cap"] = 0
    title = case.get("preset", SEED)
    return with_overrides(preset_named(SEED if title == "seed" else title), given)


def _lei(points: int) -> int:
    """Return points of the rules' table as 勒."""
    if points % POINTS_OF_LEI:
        raise BadExample(f"rows and floors are whole 勒 of {POINTS_OF_LEI} points, not {points}")
    return points // POINTS_OF_LEI


def _compared(expected: Mapping[str, Any], got: Mapping[str, Any]) -> list[str]:
    wrong = []
    for name, value in expected.items():
        if name not in got:
            wrong.append(f"{name}: expected {value!r}, but there is none")
        elif (sorted(value) if name == "patterns" else value) != got[name]:
            wrong.append(f"{name}: expected {value!r}, got {got[name]!r}")
    return wrong


def _known(given: Mapping[str, Any], *names: str) -> None:
    odd = sorted(given.keys() - set(names))
    if odd:
        raise BadExample(f"unknown input: {', '.join(odd)}")


def _found(win: Win | None, how: str, given: Mapping[str, Any]) -> dict[str, Any]:
    if win is None:
        return {"win": False, "patterns": [], "points": 0}
    found: dict[str, Any] = {
        "win": True,
        "patterns": sorted(win.names),
        "points": win.points,
        "flowers": win.flowers,
    }
    if "w" in given:
        ending = Ending(how, {given["w"]: win}, given.get("from", given["w"]))
        found["delta"] = list(payment.points_by_seat(ending, [given.get("bound", ())]))
    return found


def _score(given: Mapping[str, Any], options: Options) -> dict[str, Any]:
    _known(given, "hand", "win", "how", "melds", "flowers", "ctx", "w", "from", "bound")
    moment = given.get("ctx") or {}
    _known(moment, "repl", "tian", "di", "last", "haidi", "times")
    how = source = given.get("how", "discard")
    if moment.get("repl"):
        source = {"kong": "gangkai", "flower": "flower"}[moment["repl"]]
    asked = hand.Hand(
        concealed=[TEXTS[kind] for kind in kinds_of(given["hand"])],
        melds=[hand.meld_of(meld["t"], meld["tile"]) for meld in given.get("melds") or []],
        won=given["win"],
        flowers=given.get("flowers", 0),
        moment=hand.SOURCES[source]._replace(
            heaven=bool(moment.get("tian")),
            earth=bool(moment.get("di")),
            last=bool(moment.get("last") or moment.get("haidi")),
            times=moment.get("times", 1),
        ),
    )
    try:
        win = hand.win_of(asked, options)
    except hand.BadCount:
        # An example may say that such a hand does not win.
        win = None
    return _found(win, how, given)


def _bahua(given: Mapping[str, Any], options: Options) -> dict[str, Any]:
    _known(given, "flowers", "stage", "w", "times", "bound")
    whens = {"opening": ("opening", "anytime"), "midgame": ("anytime",)}[given.get("stage", "opening")]
    wins = given["flowers"] == 8 and options.bahua in whens
    win = eight_flowers(options, given.get("times", 1)) if wins else None
    return _found(win, "bahua", given)


OPS: Final[Mapping[str, Callable[[Mapping[str, Any], Options], dict[str, Any]]]] = {
    "score": _score,
    "bahua": _bahua,
}
"""What an example may ask."""

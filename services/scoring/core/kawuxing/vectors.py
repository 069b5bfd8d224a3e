"""Worked examples of 卡五星, run through scoring's own code."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from services.scoring.core.kawuxing import course, names, shapes
from services.scoring.core.kawuxing.flow import BadStart, hand_of, melds_of, run_flow
from services.scoring.core.kawuxing.melds import laid, waits_of
from services.scoring.core.kawuxing.names import KAWUXING, Moment
from services.scoring.core.kawuxing.payment import Purse
from services.scoring.core.kawuxing.rules import Options, preset_named, with_overrides
from services.scoring.core.kawuxing.table import Reveal, Seat, Table, succession
from services.scoring.core.kawuxing.tiles import (
    COPIES,
    KINDS,
    NAMES,
    SEATS,
    BadTiles,
    kind_named,
    kinds_in_play,
    kinds_of_groups,
)
from services.scoring.core.rules import BadOptions

Case = Mapping[str, Any]

_TABLE: Final = {
    "七对": "fan_qidui",
    "龙七对": "fan_long",
    "双龙七对": "fan_shuanglong",
    "超龙七对": "fan_chaolong",
}
"""What an example may give 七对 as."""


_WON: Final = ("win", "how", "from", "liang", "order", "piao", "konged", "forced")
"""What an example may say of a win, whoever has won."""


class BadExample(Exception):
    """An example asks for something that nobody computes."""


def run_case(case: Case) -> list[str]:
    """Return what a worked example expects and scoring says otherwise; empty if all agree."""
    try:
        options = options_of(case)
        if case.get("kind") == "flow":
            return run_flow(case, options)
        op = str(case.get("op"))
        if op not in OPS:
            return [f"no op {op!r}: there are {', '.join(OPS)}, and kind flow"]
        return _differences(op, case["expect"], OPS[op](case["input"], options))
    except (
        BadExample,
        BadOptions,
        BadStart,
        BadTiles,
        AttributeError,
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
    for name, worth in dict(changes.pop("table", {})).items():
        changes[_TABLE[name]] = worth
    return with_overrides(preset_named(case.get("preset", "seed004")), changes)


def _differences(where: str, expected: Mapping[str, Any], got: Mapping[str, Any]) -> list[str]:
    wrong = []
    for name, value in expected.items():
        if name not in got:
            wrong.append(f"{where} {name}: expected {value!r}, but there is none")
        elif got[name] != value:
            wrong.append(f"{where} {name}: expected {value!r}, got {got[name]!r}")
    return wrong


def _taken(given: Mapping[str, Any], *known: str) -> None:
    odd = sorted(set(given) - set(known))
    if odd:
        raise BadExample(f"unknown input: {', '.join(odd)}")


def _waits(given: Mapping[str, Any], options: Options) -> dict[str, Any]:
    _taken(given, "hand", "melds")
    hand, melds = hand_of(given["hand"]), melds_of(given.get("melds") or [])
    waits = waits_of(hand, melds, kinds_in_play(options.suits))
    won = {kind: names.best_win(hand, melds, kind, Moment(how="discard"), options) for kind in waits}
    return {
        "waits": [NAMES[kind] for kind in waits],
        "kawuxing": [NAMES[kind] for kind, win in won.items() if win and KAWUXING in win.names],
        "du": any(win.du for win in won.values() if win),
    }


def _score(given: Mapping[str, Any], options: Options) -> dict[str, Any]:
    _taken(given, "hand", "melds", "win", "how", "last", "tianhu", "dihu")
    moment = Moment(
        how=given["how"],
        last=given.get("last", False),
        tianhu=given.get("tianhu", False),
        dihu=given.get("dihu", False),
    )
    hand, melds, kind = hand_of(given["hand"]), melds_of(given.get("melds") or []), kind_named(given["win"])
    # No hand of the game at all is still a fair question: it does not win.
    held = [own + out for own, out in zip(hand, laid(melds), strict=True)]
    known = waits_of(hand, melds, kinds_in_play(options.suits)) if max(held) <= COPIES else ()
    win = names.best_win(hand, melds, kind, moment, options) if kind in known else None
    if win is None:
        return {"win": False}
    return {"win": True, "fans": win.names, "fan": win.fan, "kan": win.kan, "du": win.du}


def _table(given: Mapping[str, Any], options: Options) -> Table:
    """Return a table at which some seats hold hands and some have revealed."""
    order = given.get("order") or [seat for seat, is_out in enumerate(given["liang"]) if is_out]
    seats = [Seat([0] * KINDS) for _ in range(SEATS)]
    for seat in order:
        seats[seat].reveal = Reveal((), ())
    for seat in given.get("konged") or []:
        seats[seat].has_konged = True
    purse = Purse(options, options.base, revealed=list(order), piao=list(given.get("piao") or [0] * SEATS))
    wall = kinds_of_groups(given.get("wall") or "z567")
    return Table(options, given.get("dealer", 0), 0, purse, seats, wall, is_disturbed=True, discards=9)


def _settle(given: Mapping[str, Any], options: Options) -> dict[str, Any]:
    _taken(given, *_WON, "hand", "melds", "w", "wall")
    winner = {name: given[name] for name in ("w", "hand", "melds") if name in given}
    konged = [given["w"]] if given.get("konged") else []
    found = _won({**given, "konged": konged}, options, [winner])
    kind = kind_named(given["win"])
    moment = Moment(how=given["how"])
    melds = melds_of(given.get("melds") or [])
    best = names.best_win(hand_of(given["hand"]), melds, kind, moment, options)
    return {**found, "win": bool(found["winners"]), "fan": best.fan if best else 0}


def _multi(given: Mapping[str, Any], options: Options) -> dict[str, Any]:
    _taken(given, *_WON, "winners", "dealer")
    return _won(given, options, given["winners"])


def _won(given: Mapping[str, Any], options: Options, winners: list[Any]) -> dict[str, Any]:
    """Let everybody win who may, and settle."""
    table = _table(given, options)
    kind, how = kind_named(given["win"]), given["how"]
    giver = None if how in names.SELF_DRAWN else given["from"]
    wins = {}
    for each in winners:
        seat = table.seats[each["w"]]
        seat.hand, seat.melds = hand_of(each["hand"]), melds_of(each.get("melds") or [])
        win = table.win_of(each["w"], kind, how, giver)
        if win is not None:
            wins[each["w"]] = win
    if not wins:
        return {"winners": [], "delta": [0] * SEATS, "next_dealer": table.dealer}
    if giver is None:
        [(winner, win)] = wins.items()
        table.won_self(winner, win, how)
    else:
        table.won_from(giver, how, wins, forced=given.get("forced", False))
    return {
        "winners": sorted(wins),
        "delta": table.purse.points(),
        "next_dealer": succession(table)[0],
    }


def _kongs(given: Mapping[str, Any], options: Options) -> dict[str, Any]:
    """Book kongs that follow each other in one chain, until a break."""
    _taken(given, "events")
    purse = Purse(options, options.base)
    for event in given["events"]:
        if event["t"] == "break":
            purse.chain = 0
        else:
            purse.pay_kong(event["by"], event["t"], event.get("from", event["by"]))
    return {"delta": purse.points()}


def _huangzhuang(given: Mapping[str, Any], options: Options) -> dict[str, Any]:
    _taken(given, "players", "first")
    players = given["players"]
    revealed = [seat for seat, each in enumerate(players) if each["liang"]]
    revealed.sort(key=lambda seat: seat != given["first"])
    seats = [Seat(hand_of(each["hand"]), melds_of(each.get("melds") or [])) for each in players]
    for seat in revealed:
        seats[seat].reveal = Reveal((), ())
    table = Table(options, 0, 0, Purse(options, options.base, revealed=revealed), seats, [])
    assert table.draw(0) is None, "the wall is empty"
    assert table.ending is not None, "that is the end"
    return {"delta": table.purse.points(), "waiting": list(table.ending.waiting)}


def _kou(given: Mapping[str, Any], options: Options) -> dict[str, Any]:
    _taken(given, "hand", "melds", "kou")
    table = _table({"liang": [False] * SEATS}, options)
    table.seats[0].hand, table.seats[0].melds = hand_of(given["hand"]), melds_of(given["melds"])
    wanted = tuple(sorted(kind_named(name) for name in given["kou"]))
    return {"ok": wanted in course.hidden_sets(table, 0)}


def _shape(given: Mapping[str, Any], options: Options) -> dict[str, Any]:
    _taken(given, "tiles")
    tiles = hand_of(given["tiles"])
    return {"readings": len(set(shapes.partings(tiles))), "pairs": shapes.is_seven_pairs(tiles)}


OPS: Final[Mapping[str, Callable[[Mapping[str, Any], Options], dict[str, Any]]]] = {
    "waits": _waits,
    "score": _score,
    "settle": _settle,
    "multi": _multi,
    "kongs": _kongs,
    "huangzhuang": _huangzhuang,
    "kou": _kou,
    "shape": _shape,
}

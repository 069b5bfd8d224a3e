"""Worked examples of 卡五星, run through scoring's own code."""

import dataclasses
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from services.scoring.core.kawuxing import course, names, shapes
from services.scoring.core.kawuxing.flow import BadStart, hand_of, melds_of, run_flow
from services.scoring.core.kawuxing.melds import Meld, laid, waits_of
from services.scoring.core.kawuxing.names import KAWUXING, Moment
from services.scoring.core.kawuxing.payment import Purse
from services.scoring.core.kawuxing.rules import Options, preset_named, with_overrides
from services.scoring.core.kawuxing.table import Reveal, Seat, Table, succession
from services.scoring.core.kawuxing.tiles import (
    COPIES,
    HAND_TILES,
    KINDS,
    NAMES,
    SEATS,
    BadTiles,
    Counts,
    counted,
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
    "碰碰胡": "fan_pengpenghu",
    "卡五星": "fan_kawuxing",
    "独卡五星": "du_bonus",
    "明四归一": "fan_ming",
    "暗四归一": "fan_an",
    "小三元": "fan_xiaosanyuan",
    "大三元": "fan_dasanyuan",
    "清一色": "fan_qingyise",
    "手抓一": "fan_shouzhuayi",
    "门清": "fan_menqing",
    "天胡": "fan_tianhu",
    "地胡": "fan_dihu",
    "海底捞": "fan_haidi",
    "海底炮": "fan_haidi",
    "杠上开花": "fan_gangkai",
    "杠上炮": "fan_gangpao",
    "抢杠胡": "fan_qianggang",
}
"""What an example may give a name as, and the option that is."""

_SPELLINGS: Final[Mapping[tuple[str, object], object]] = {
    ("reveal_doubles_loser", True): "all",
    ("reveal_doubles_loser", False): "off",
    ("chain", "exp"): "exponential",
    ("chain", "double"): "exponential",
    ("cap", None): 0,
}
"""Values that examples may write in another way."""

_OTHER_TILE: Final = re.compile(r"z[1-4]|f[1-8]")
"""A tile of other games: whoever holds one holds no hand of this game."""

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
    changes: dict[str, Any] = {}
    for option, value in (case.get("options") or {}).items():
        if option != "table":
            simple = value is None or isinstance(value, bool | str)
            changes[option] = _SPELLINGS.get((option, value), value) if simple else value
            continue
        unknown = [name for name in value if name not in _TABLE]
        if unknown:
            raise BadExample(f"no name {unknown[0]!r} has a value of its own; there are {', '.join(_TABLE)}")
        changes |= {_TABLE[name]: worth for name, worth in value.items()}
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


def _hand(given: Mapping[str, Any], options: Options) -> tuple[Counts, list[Meld]] | None:
    """Return a hand of thirteen and its melds, or nothing: what is no hand of the game does not win."""
    text = given["hand"]
    groups = text.split() if isinstance(text, str) else text
    tiles = [group[:1] + digit for group in groups for digit in group[1:]]
    if any(_OTHER_TILE.fullmatch(tile) for tile in (*tiles, given.get("win", ""))):
        return None
    if "win" in given:
        kind_named(given["win"])  # a text that is no tile at all is no question
    hand, melds = hand_of(text), melds_of(given.get("melds") or [])
    held = [own + out for own, out in zip(hand, laid(melds), strict=True)]
    known = kinds_in_play(options.suits)
    if max(held) > COPIES or any(count and kind not in known for kind, count in enumerate(held)):
        return None
    return (hand, melds) if sum(hand) + 3 * len(melds) == HAND_TILES else None


def _best(given: Mapping[str, Any], moment: Moment, options: Options) -> names.Win | None:
    """Return what a hand wins with the tile an example gives it, before 起胡."""
    held = _hand(given, options)
    if held is None:
        return None
    hand, melds = held
    kind = kind_named(given["win"])
    known = waits_of(hand, melds, kinds_in_play(options.suits))
    return names.best_win(hand, melds, kind, moment, options) if kind in known else None


def _waits(given: Mapping[str, Any], options: Options) -> dict[str, Any]:
    _taken(given, "hand", "melds")
    hand, melds = _hand(given, options) or (counted(()), [])
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
        how=given.get("how", "discard"),
        last=given.get("last", False),
        tianhu=given.get("tianhu", False),
        dihu=given.get("dihu", False),
    )
    win = _best(given, moment, options)
    if win is None:
        return {"win": False}
    return {"win": True, "fans": win.names, "fan": win.fan, "kan": win.kan, "du": win.du}


def _table(given: Mapping[str, Any], options: Options) -> Table:
    """Return a table at which some seats have revealed; a wall that is not given is not looked at."""
    wall = kinds_of_groups(given.get("wall") or "z567")
    if not given.get("wall"):
        options = dataclasses.replace(options, mai_ma="off")  # no example knows what would be turned
    shown = given.get("liang") or [False] * SEATS
    order = given.get("order") or [seat for seat, is_out in enumerate(shown) if is_out]
    seats = [Seat([0] * KINDS) for _ in range(SEATS)]
    for seat in order:
        seats[seat].reveal = Reveal((), ())
    purse = Purse(options, options.base, revealed=list(order), piao=list(given.get("piao") or [0] * SEATS))
    return Table(options, given.get("dealer", 0), 0, purse, seats, wall, is_disturbed=True, discards=9)


def _settle(given: Mapping[str, Any], options: Options) -> dict[str, Any]:
    _taken(given, *_WON, "hand", "melds", "w", "wall")
    found = _won(given, options, [given])
    best = _best(given, Moment(how=given.get("how", "discard")), options)
    if best is None:
        return {"win": False}
    known = {"fan": best.fan, "fans": best.names}
    return {**found, **known, "win": True} if found["winners"] else {**known, "win": False}


def _multi(given: Mapping[str, Any], options: Options) -> dict[str, Any]:
    _taken(given, *_WON, "winners", "dealer")
    return _won(given, options, given["winners"])


def _has_konged(winner: Mapping[str, Any], given: Mapping[str, Any], melds: list[Meld]) -> bool:
    """Say whether a winner has konged: as the example says, else by his melds."""
    said = winner.get("konged", given.get("konged"))
    if said is None:
        return any(meld.is_kong for meld in melds)
    if isinstance(said, bool):
        return said
    seat = winner["w"]
    return bool(said[seat]) if any(isinstance(each, bool) for each in said) else seat in said


def _won(given: Mapping[str, Any], options: Options, winners: list[Any]) -> dict[str, Any]:
    """Let everybody win who may, and settle."""
    table = _table(given, options)
    how = given.get("how", "discard")
    giver = None if how in names.SELF_DRAWN else given["from"]
    wins = {}
    for each in winners:
        held = _hand({**each, "win": given["win"]}, options)
        if held is None:
            continue
        seat = table.seats[each["w"]]
        seat.hand, seat.melds = held
        seat.has_konged = _has_konged(each, given, seat.melds)
        kind = kind_named(given["win"])
        if kind not in waits_of(seat.hand, seat.melds, kinds_in_play(options.suits)):
            continue
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
    """Book kongs that follow each other; a chain is one seat's, or goes on to the 直杠 on its discard."""
    _taken(given, "events")
    purse = Purse(options, options.base)
    last = None
    for event in given["events"]:
        if event["t"] == "break" or event.get("robbed"):
            purse.chain, last = 0, None
            continue
        if last != (event["from"] if event["t"] == "ming" else event["by"]):
            purse.chain = 0
        if options.chain_requires_drawn and event["t"] == "an" and event.get("drawn") is False:
            purse.chain = 0
        purse.pay_kong(event["by"], event["t"], event.get("from", event["by"]))
        last = event["by"]
    return {"delta": purse.points()}


def _huangzhuang(given: Mapping[str, Any], options: Options) -> dict[str, Any]:
    _taken(given, "players", "first")
    players = given["players"]
    revealed = [seat for seat, each in enumerate(players) if each.get("liang")]
    revealed.sort(key=lambda seat: seat != given.get("first"))
    seats = [Seat(*(_hand(each, options) or (counted(()), []))) for each in players]
    for seat in revealed:
        seats[seat].reveal = Reveal((), ())
    table = Table(options, 0, 0, Purse(options, options.base, revealed=revealed), seats, [])
    assert table.draw(0) is None, "the wall is empty"
    assert table.ending is not None, "that is the end"
    return {"delta": table.purse.points(), "waiting": list(table.ending.waiting)}


def _kou(given: Mapping[str, Any], options: Options) -> dict[str, Any]:
    _taken(given, "hand", "melds", "kou")
    table = _table({"liang": [False] * SEATS}, options)
    table.seats[0].hand, table.seats[0].melds = _hand(given, options) or (counted(()), [])
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

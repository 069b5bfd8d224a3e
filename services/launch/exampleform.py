"""What is wrong with the form of a worked example, before anybody computes it.

A judge that looks only at what it needs would pass an example whose `how` is misspelt or whose seat is at no
table, and the example would prove nothing. So the form is looked at first, and what is odd is one sentence.
Keys that nobody knows are left alone: an example may carry notes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, TypeGuard

SEATS: Final[Mapping[str, int]] = {"paohuzi": 3, "doudizhu": 3, "kawuxing": 3, "qinghunpeng": 4}
"""By game, how many sit at its table."""

HOW: Final = ("zimo", "discard", "gangkai", "gangpao", "qianggang")
"""How a tile may have been won, in an example of the tile games."""
FROM_ANOTHER: Final = ("discard", "gangpao", "qianggang")
FLOWERS: Final = 8
CARDS: Final = 21
"""The most cards a seat of 跑胡子 holds, and so the most that an example may fill in."""

NEEDS: Final[Mapping[tuple[str, str], tuple[str, ...]]] = {
    ("kawuxing", "waits"): ("hand",),
    ("kawuxing", "score"): ("hand", "win"),
    ("kawuxing", "settle"): ("hand", "win", "w"),
    ("kawuxing", "multi"): ("win", "from", "winners"),
    ("kawuxing", "kongs"): ("events",),
    ("kawuxing", "huangzhuang"): ("players",),
    ("kawuxing", "kou"): ("hand", "kou"),
    ("qinghunpeng", "score"): ("hand", "win"),
    ("qinghunpeng", "bahua"): ("flowers",),
    ("doudizhu", "classify"): ("cards",),
    ("doudizhu", "beats"): ("new", "old"),
    ("doudizhu", "plays"): ("hand",),
    ("doudizhu", "bid"): ("bids",),
    ("doudizhu", "qiang"): ("acts",),
    ("doudizhu", "settle"): ("landlord", "winner", "plays"),
    ("paohuzi", "eat"): ("concealed", "card"),
    ("paohuzi", "score"): ("concealed", "win"),
    ("paohuzi", "hu"): ("concealed", "win"),
    ("paohuzi", "flow"): (),
}
"""By game and kind of question, what it cannot be asked without."""

LISTS: Final = (
    "melds",
    "winners",
    "events",
    "players",
    "kou",
    "bids",
    "acts",
    "plays",
    "concealed",
    "exposed",
)
TEXTS: Final = ("win", "cards", "new", "old")
SEAT_KEYS: Final = (
    "w",
    "from",
    "by",
    "seat",
    "landlord",
    "winner",
    "start",
    "dealer",
    "first",
    "turn",
    "first_dealer",
)
COUNTS: Final = (
    "filler",
    "deficit",
    "bombs",
    "rockets",
    "redeals",
    "draws_in_row",
    "bid",
    "score",
    "mult",
    "qiang",
)


def faults(game: str, case: Mapping[str, Any]) -> list[str]:
    """Return a sentence for everything that makes an example of a game no example; empty if it is one."""
    return list(_faults(game, case))


def _faults(game: str, case: Mapping[str, Any]) -> Iterator[str]:
    expected = case.get("expect")
    if not isinstance(expected, Mapping) or not expected:
        yield "it expects nothing: `expect` is an object with something in it"
    if case.get("kind") == "flow" and game != "paohuzi":
        yield from _flow(game, case)
        return
    given = case.get("input")
    if not isinstance(given, Mapping):
        yield "there is no `input`"
        return
    question = str(case.get("kind") if game == "paohuzi" else case.get("op"))
    missing = [key for key in NEEDS.get((game, question), ()) if key not in given]
    if missing:
        yield f"`input` has no {', '.join(missing)}"
    yield from _values(game, given, "input")
    yield from _won(game, given)


def _flow(game: str, case: Mapping[str, Any]) -> Iterator[str]:
    start, script = case.get("start"), case.get("script")
    if not isinstance(start, Mapping):
        yield "there is no `start`"
    else:
        yield from _start(game, start)
    if not _is_list(script) or not all(isinstance(step, Mapping) and "act" in step for step in script or ()):
        yield "`script` is a list of steps, each with an `act`"
        return
    for number, step in enumerate(script or (), 1):
        yield from _values(game, {"seat": step.get("seat")}, f"step {number}")


def _start(game: str, start: Mapping[str, Any]) -> Iterator[str]:
    """Look at a position: a deal has all tiles in order, and of what is laid out all seats have something."""
    if "deal" not in start:
        needed = ("hands",) if game == "doudizhu" else ("hands", "melds", "rivers", "wall", "turn")
        missing = [key for key in needed if key not in start]
        if missing:
            yield f"`start` is neither a deal nor a position: it has no {', '.join(missing)}"
        for key in ("hands", "melds", "rivers"):
            value = start.get(key)
            if value is not None and not (_is_list(value) and len(value) == SEATS[game]):
                yield f"start.{key} has something for each of the {SEATS[game]} seats"
    yield from _values(game, {key: start[key] for key in start if key in SEAT_KEYS}, "start")


def _values(game: str, given: Mapping[str, Any], where: str) -> Iterator[str]:
    """Look at every value whose key says what it must be, and at what lies inside lists."""
    for key, value in given.items():
        if key in SEAT_KEYS and value is not None and not _is_number(value, 0, SEATS[game] - 1):
            yield f"{where}.{key} is a seat, 0 to {SEATS[game] - 1}, not {value!r}"
        elif key in COUNTS and not _is_number(value, 0, CARDS if key == "filler" else 1_000):
            yield f"{where}.{key} is a count, not {value!r}"
        elif key == "flowers" and not _is_number(value, 0, FLOWERS):
            yield f"{where}.flowers is a number from 0 to {FLOWERS}, not {value!r}"
        elif key in LISTS and value is not None and not _is_list(value):
            yield f"{where}.{key} is a list, not {value!r}"
        elif key in TEXTS and game != "paohuzi" and not isinstance(value, str):
            yield f"{where}.{key} is a text, not {value!r}"
        elif key == "liang" and where == "input" and not _are_flags(value, SEATS[game]):
            yield f"{where}.liang says true or false for each of the {SEATS[game]} seats, not {value!r}"
        elif key in ("winners", "events", "players"):
            for number, each in enumerate(value, 1):
                if isinstance(each, Mapping):
                    yield from _values(game, each, f"{key} {number}")
                else:
                    yield f"{key} {number} is an object, not {each!r}"
        elif key == "event" and isinstance(value, Mapping):
            yield from _values(game, value, "event")


def _won(game: str, given: Mapping[str, Any]) -> Iterator[str]:
    how = given.get("how", "discard")
    if game not in ("kawuxing", "qinghunpeng") or "win" not in given:
        return
    if how not in HOW:
        yield f"input.how is one of {', '.join(HOW)}, not {how!r}"
    winners = given.get("winners")
    seats = (
        [each.get("w") for each in winners if isinstance(each, Mapping)]
        if _is_list(winners)
        else [given.get("w")]
    )
    if how in FROM_ANOTHER and given.get("from") is not None and given["from"] in seats:
        yield f"seat {given['from']} cannot win from itself"


def _is_list(value: object) -> TypeGuard[Sequence[Any]]:
    return isinstance(value, Sequence) and not isinstance(value, str)


def _is_number(value: object, low: int, high: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high


def _are_flags(value: object, count: int) -> bool:
    return value is None or (
        _is_list(value) and len(value) == count and all(each in (0, 1) for each in value)
    )

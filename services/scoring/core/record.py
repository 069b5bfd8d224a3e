"""The text of a round, read strictly (docs/record-format.md)."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from services.scoring.core.doudizhu import result as doudizhu_result
from services.scoring.core.doudizhu import rules as doudizhu_rules
from services.scoring.core.rules import BadOptions, Options, options_of_record
from services.scoring.core.table import SEATS

RECORD_BYTES_MAX: Final = 256 * 1024
ROUND_ID_CHARS_MAX: Final = 200
NUMBER_DIGITS_MAX: Final = 18

_ROUND: Final = re.compile(r"[^\s/]+/([1-9][0-9]*)")
_SEAT: Final = re.compile(r"p_[A-Za-z0-9_-]+|bot:[A-Za-z0-9_.:-]+")
_HEX: Final = re.compile(r"[0-9a-f]{64}")
_NUMBER: Final = re.compile(r"0|[1-9][0-9]*")
_CARD: Final = r"[sb](?:10|[1-9])"
_ANSWERS: Final = {
    "paohuzi": rf"discard {_CARD}|chi(?: (?:{_CARD}){{3}}){{1,3}}|peng|hu|pass",
    "doudizhu": doudizhu_result.ACTION,
}
"""By game, what a seat may have answered."""
GAMES: Final = tuple(_ANSWERS)
"""Games whose records can be audited."""
_ACTIONS: Final = {
    game: re.compile(rf"([0-{SEATS - 1}]) ({answers}) @(0|[1-9][0-9]*)(?: (bot|timeout|auto))?")
    for game, answers in _ANSWERS.items()
}


class BadRecord(Exception):
    """A record is not what the format says, at one line."""

    def __init__(self, line: int, why: str) -> None:
        super().__init__(f"line {line}: {why}")
        self.line = line
        self.why = why


@dataclass(frozen=True, slots=True)
class Action:
    """One answer of a seat."""

    line: int
    seat: int
    text: str
    at_ms: int
    cause: str
    """`bot`, `timeout`, `auto` or empty."""


@dataclass(frozen=True, slots=True)
class Result:
    """What the engine says of the end; docs/record-format.md explains each."""

    end: str
    winners: tuple[int, ...]
    how: str
    from_seat: int
    card: str
    points: tuple[int, ...]
    huxi: int
    deng: int
    zimo_bonus: int
    names: dict[str, int]
    fan: int
    dealer_next: int
    draws_in_row_next: int


@dataclass(frozen=True, slots=True)
class Record:
    """A round as its record tells it."""

    round_id: str
    round_no: int
    game: str
    preset: str
    options: Options | doudizhu_rules.Options
    seats: tuple[str, ...]
    dealer: int
    draws_in_row: int
    commitment: bytes
    seed: bytes
    nonces: tuple[bytes | None, ...]
    started_ms: int
    actions: tuple[Action, ...]
    result: Result | doudizhu_result.Result
    melds: tuple[tuple[str, ...], ...]
    """The winning reading the record shows: kind, then cards; empty in games without melds."""

    @property
    def match_id(self) -> str:
        """The match this round belongs to."""
        return self.round_id.rpartition("/")[0]


_HEADERS: Final = (
    "Paiju-Record",
    "Round",
    "Game",
    "Preset",
    "Options",
    "Seats",
    "Dealer",
    "Draws-In-Row",
    "Commitment",
    "Seed",
    "Nonces",
    "Started",
)


def parse_record(data: bytes) -> Record:
    """Return what a record says.

    Raises:
        BadRecord: It departs from docs/record-format.md; the line and the reason are named.
    """
    lines = _lines(data)
    values: dict[str, tuple[int, str]] = {}
    for number, name in enumerate(_HEADERS, start=1):
        line = lines[number - 1] if number <= len(lines) else ""
        if not line.startswith(f"{name}: "):
            raise BadRecord(number, f"expected the header {name}")
        values[name] = (number, line[len(name) + 2 :])
    game = _game(*values["Game"])
    at = len(_HEADERS)
    _empty(lines, at)
    actions: list[Action] = []
    at += 1
    while at < len(lines) and lines[at]:
        actions.append(_action(game, at + 1, lines[at]))
        at += 1
    _empty(lines, at)
    if at + 1 >= len(lines) or not lines[at + 1].startswith("Result: "):
        raise BadRecord(at + 2, "expected the Result")
    if at + 2 != len(lines):
        raise BadRecord(at + 3, "nothing may follow the Result")
    given = _object(at + 2, lines[at + 1].removeprefix("Result: "))
    result = _doudizhu_result(at + 2, given) if game == "doudizhu" else _result(at + 2, given)
    melds = tuple(tuple(meld) for meld in given["melds"]) if isinstance(result, Result) else ()
    return _record(values, tuple(actions), result, melds)


def _lines(data: bytes) -> list[str]:
    if len(data) > RECORD_BYTES_MAX:
        raise BadRecord(1, f"more than {RECORD_BYTES_MAX} bytes")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as bad:
        raise BadRecord(data.count(b"\n", 0, bad.start) + 1, "not UTF-8") from None
    lines = text.split("\n")
    if lines.pop():
        raise BadRecord(len(lines) + 1, "the last line does not end")
    return lines


def _empty(lines: list[str], at: int) -> None:
    if at >= len(lines) or lines[at]:
        raise BadRecord(at + 1, "expected an empty line")


def _game(number: int, value: str) -> str:
    if value not in _ANSWERS:
        raise BadRecord(number, f"Game cannot be {value[:80]!r}")
    return value


def _action(game: str, number: int, line: str) -> Action:
    found = _ACTIONS[game].fullmatch(line)
    if not found or len(found[3]) > NUMBER_DIGITS_MAX:
        raise BadRecord(number, f"no action: {line[:80]!r}")
    return Action(number, int(found[1]), found[2], int(found[3]), found[4] or "")


def _record(
    values: dict[str, tuple[int, str]],
    actions: tuple[Action, ...],
    result: Result | doudizhu_result.Result,
    melds: tuple[tuple[str, ...], ...],
) -> Record:
    def text(name: str, pattern: re.Pattern[str]) -> str:
        number, value = values[name]
        if not pattern.fullmatch(value):
            raise BadRecord(number, f"{name} cannot be {value[:80]!r}")
        return value

    def number(name: str, below: int | None = None) -> int:
        value = text(name, _NUMBER)
        if len(value) > NUMBER_DIGITS_MAX or (below is not None and int(value) >= below):
            raise BadRecord(values[name][0], f"{name} is out of range")
        return int(value)

    text("Paiju-Record", re.compile("1"))
    round_id = text("Round", _ROUND)
    round_no = round_id.rpartition("/")[2]
    if len(round_id) > ROUND_ID_CHARS_MAX or len(round_no) > NUMBER_DIGITS_MAX:
        raise BadRecord(values["Round"][0], "Round is too long")
    game, preset = values["Game"][1], values["Preset"][1]
    options = _options(game, *values["Options"], preset)
    return Record(
        round_id=round_id,
        round_no=int(round_no),
        game=game,
        preset=preset,
        options=options,
        seats=tuple(_split(values, "Seats", " ", _SEAT)),
        dealer=number("Dealer", SEATS),
        draws_in_row=number("Draws-In-Row", _draws_below(options)),
        commitment=bytes.fromhex(text("Commitment", _HEX)),
        seed=bytes.fromhex(text("Seed", _HEX)),
        nonces=tuple(
            None if nonce == "-" else bytes.fromhex(nonce)
            for nonce in _split(values, "Nonces", ",", re.compile(f"{_HEX.pattern}|-"))
        ),
        started_ms=number("Started"),
        actions=actions,
        result=result,
        melds=melds,
    )


def _options(game: str, number: int, text: str, preset: str) -> Options | doudizhu_rules.Options:
    try:
        if game == "doudizhu":
            return doudizhu_rules.options_of_record(text, preset)
        return options_of_record(text, preset)
    except BadOptions as bad:
        raise BadRecord(number, str(bad)) from None


def _draws_below(options: Options | doudizhu_rules.Options) -> int | None:
    """Return what the draws in a row stay below; 斗地主 counts its redeals without limit."""
    return options.huangzhuang_change_after if isinstance(options, Options) else None


def _split(values: dict[str, tuple[int, str]], name: str, by: str, each: re.Pattern[str]) -> list[str]:
    number, value = values[name]
    parts = value.split(by)
    if len(parts) != SEATS or not all(each.fullmatch(part) for part in parts):
        raise BadRecord(number, f"{name} are {SEATS}, each written as the format says")
    return parts


def _int_in(least: int, most: int | None = None) -> Callable[[Any], bool]:
    return lambda value: type(value) is int and least <= value and (most is None or value <= most)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


_RESULT: Final[dict[str, Callable[[Any], bool]]] = {
    "end": lambda value: value in ("hu", "draw"),
    "winners": lambda value: isinstance(value, list) and all(map(_int_in(0, SEATS - 1), value)),
    "how": lambda value: value in ("zimo", "wall", "liang", "santi", "discard", ""),
    "from": _int_in(-1, SEATS - 1),
    "card": lambda value: _is_text(value) and (not value or re.fullmatch(_CARD, value) is not None),
    "points": lambda value: (
        isinstance(value, list) and len(value) == SEATS and all(type(v) is int for v in value)
    ),
    "huxi": _int_in(0),
    "deng": _int_in(0),
    "zimo_bonus": _int_in(0),
    "names": lambda value: isinstance(value, dict) and all(type(v) is int for v in value.values()),
    "fan": _int_in(0),
    "melds": lambda value: (
        isinstance(value, list)
        and all(isinstance(meld, list) and len(meld) >= 1 and all(map(_is_text, meld)) for meld in value)
    ),
    "dealer_next": _int_in(0, SEATS - 1),
    "draws_in_row_next": _int_in(0),
}


def _object(number: int, text: str) -> dict[str, Any]:
    try:
        given = json.loads(text)
        canonical = json.dumps(given, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    except (ValueError, RecursionError):
        raise BadRecord(number, "the Result is not JSON") from None
    if not isinstance(given, dict) or canonical != text:
        raise BadRecord(number, "the Result is not canonical JSON: an object, keys sorted, no spaces")
    return given


def _doudizhu_result(number: int, given: dict[str, Any]) -> doudizhu_result.Result:
    try:
        return doudizhu_result.result_of(given)
    except doudizhu_result.BadResult as bad:
        raise BadRecord(number, f"the Result: {bad}") from None


def _result(number: int, given: dict[str, Any]) -> Result:
    if set(given) != set(_RESULT):
        odd = sorted(set(given) ^ set(_RESULT))
        raise BadRecord(number, f"the Result has wrong or missing keys: {', '.join(odd)[:200]}")
    for name, is_right in _RESULT.items():
        if not is_right(given[name]):
            raise BadRecord(number, f"the Result's {name} is no such thing")
    return Result(
        end=given["end"],
        winners=tuple(given["winners"]),
        how=given["how"],
        from_seat=given["from"],
        card=given["card"],
        points=tuple(given["points"]),
        huxi=given["huxi"],
        deng=given["deng"],
        zimo_bonus=given["zimo_bonus"],
        names=given["names"],
        fan=given["fan"],
        dealer_next=given["dealer_next"],
        draws_in_row_next=given["draws_in_row_next"],
    )

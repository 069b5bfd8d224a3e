"""The text of a round, read strictly (docs/record-format.md)."""

import json
import re
from dataclasses import dataclass
from typing import Any, Final

from services.scoring.core import games
from services.scoring.core.game import BadResult, Game, Melds, RoundResult, RuleOptions
from services.scoring.core.rules import BadOptions

RECORD_BYTES_MAX: Final = 256 * 1024
ROUND_ID_CHARS_MAX: Final = 200
NUMBER_DIGITS_MAX: Final = 18

_ROUND: Final = re.compile(r"[^\s/]+/([1-9][0-9]*)")
_SEAT: Final = re.compile(r"p_[A-Za-z0-9_-]+|bot:[A-Za-z0-9_.:-]+")
_HEX: Final = re.compile(r"[0-9a-f]{64}")
_NUMBER: Final = re.compile(r"0|[1-9][0-9]*")

GAMES: Final = tuple(games.GAMES)
"""Games whose records can be audited."""
_ACTIONS: Final = {
    name: re.compile(rf"([0-{game.seats - 1}]) ({game.actions}) @(0|[1-9][0-9]*)(?: (bot|timeout|auto))?")
    for name, game in games.GAMES.items()
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
class Record:
    """A round as its record tells it."""

    round_id: str
    round_no: int
    game: str
    preset: str
    options: RuleOptions
    seats: tuple[str, ...]
    dealer: int
    draws_in_row: int
    commitment: bytes
    seed: bytes
    nonces: tuple[bytes | None, ...]
    started_ms: int
    actions: tuple[Action, ...]
    result: RoundResult
    melds: Melds
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
        actions.append(_action(game.name, at + 1, lines[at]))
        at += 1
    _empty(lines, at)
    if at + 1 >= len(lines) or not lines[at + 1].startswith("Result: "):
        raise BadRecord(at + 2, "expected the Result")
    if at + 2 != len(lines):
        raise BadRecord(at + 3, "nothing may follow the Result")
    given = _object(at + 2, lines[at + 1].removeprefix("Result: "))
    try:
        result, melds = game.result_of(given)
    except BadResult as bad:
        raise BadRecord(at + 2, f"the Result: {bad}") from None
    return _record(game, values, tuple(actions), result, melds)


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


def _game(number: int, value: str) -> Game:
    if value not in games.GAMES:
        raise BadRecord(number, f"Game cannot be {value[:80]!r}")
    return games.GAMES[value]


def _action(game: str, number: int, line: str) -> Action:
    found = _ACTIONS[game].fullmatch(line)
    if not found or len(found[3]) > NUMBER_DIGITS_MAX:
        raise BadRecord(number, f"no action: {line[:80]!r}")
    return Action(number, int(found[1]), found[2], int(found[3]), found[4] or "")


def _record(
    game: Game,
    values: dict[str, tuple[int, str]],
    actions: tuple[Action, ...],
    result: RoundResult,
    melds: Melds,
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
    preset = values["Preset"][1]
    options = _options(game, *values["Options"], preset)
    return Record(
        round_id=round_id,
        round_no=int(round_no),
        game=game.name,
        preset=preset,
        options=options,
        seats=tuple(_split(values, "Seats", game.seats, " ", _SEAT)),
        dealer=number("Dealer", game.seats),
        draws_in_row=number("Draws-In-Row", game.draws_below(options)),
        commitment=bytes.fromhex(text("Commitment", _HEX)),
        seed=bytes.fromhex(text("Seed", _HEX)),
        nonces=tuple(
            None if nonce == "-" else bytes.fromhex(nonce)
            for nonce in _split(values, "Nonces", game.seats, ",", re.compile(f"{_HEX.pattern}|-"))
        ),
        started_ms=number("Started"),
        actions=actions,
        result=result,
        melds=melds,
    )


def _options(game: Game, number: int, text: str, preset: str) -> RuleOptions:
    try:
        options: RuleOptions = game.options_of_record(text, preset)
    except BadOptions as bad:
        raise BadRecord(number, str(bad)) from None
    return options


def _split(
    values: dict[str, tuple[int, str]], name: str, seats: int, by: str, each: re.Pattern[str]
) -> list[str]:
    number, value = values[name]
    parts = value.split(by)
    if len(parts) != seats or not all(each.fullmatch(part) for part in parts):
        raise BadRecord(number, f"{name} are {seats}, each written as the format says")
    return parts


def _object(number: int, text: str) -> dict[str, Any]:
    try:
        given = json.loads(text)
        canonical = json.dumps(given, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    except (ValueError, RecursionError):
        raise BadRecord(number, "the Result is not JSON") from None
    if not isinstance(given, dict) or canonical != text:
        raise BadRecord(number, "the Result is not canonical JSON: an object, keys sorted, no spaces")
    return given

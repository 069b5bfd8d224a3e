"""The record of a round as text, both ways, and its replay (docs/record-format.md)."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from engine.errors import BadRecordAction, BadRecordLine, Refusal
from engine.face import Position
from engine.registry import GAMES

VERSION: Final = "1"
HEADERS: Final = (
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
CAUSES: Final = ("", "bot", "timeout", "auto")
RECORD_CHARS_MAX: Final = 262_144
"""A longer text is not read."""

_ROUND = re.compile(r"([0-9A-Za-z_-]{1,64})/([1-9][0-9]{0,8})")
_HEX64 = re.compile(r"[0-9a-f]{64}")
_PLAYER = re.compile(r"p_[0-9A-Za-z_-]{1,64}|bot:[0-9a-z_-]{1,32}")
_PRESET = re.compile(r"([0-9a-z][0-9a-z-]{0,63})@(0|[1-9][0-9]{0,8})")
_NATURAL = re.compile(r"0|[1-9][0-9]{0,15}")
_ACTION = re.compile(r"([0-9]) ([^@\n]{1,200}) @(0|[1-9][0-9]{0,15})(?: (bot|timeout|auto))?")


@dataclass(frozen=True, slots=True)
class RecordedAction:
    """One answer, as it was accepted."""

    seat: int
    action: str
    at_ms: int
    """Milliseconds since the deal."""
    cause: str = ""
    """``bot``, ``timeout``, ``auto``, or empty for the seat itself."""

    @property
    def text(self) -> str:
        """The line of the record."""
        return f"{self.seat} {self.action} @{self.at_ms}" + (f" {self.cause}" if self.cause else "")


@dataclass(frozen=True, slots=True)
class Record:
    """A round in full."""

    round_id: str
    """``<match_id>/<round_no>``."""
    game: str
    preset: str
    """``<preset>@<version>``."""
    options: str
    """All options as canonical JSON."""
    seats: tuple[str, ...]
    """``p_…`` or ``bot:<name>``, seat 0 first."""
    dealer: int
    draws_in_row: int
    commitment: str
    seed: str
    nonces: tuple[str, ...]
    """By seat; ``-`` where none was given."""
    started_ms: int
    """Unix milliseconds of the deal."""
    actions: tuple[RecordedAction, ...]
    result: Mapping[str, Any]

    @property
    def text(self) -> str:
        """The record as text; equal records have equal text."""
        return format_record(self)

    def rules(self) -> Any:
        """Return the rule set of the round.

        Raises:
            Refusal: The game or an option is unknown, or a value cannot be.
        """
        return GAMES[self.game].ruleset_from(self.preset, self.options)


def canonical_json(value: Mapping[str, Any]) -> str:
    """Return a JSON object with sorted keys and without spaces."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def format_record(record: Record) -> str:
    """Return the text of a record."""
    values = (
        VERSION,
        record.round_id,
        record.game,
        record.preset,
        record.options,
        " ".join(record.seats),
        str(record.dealer),
        str(record.draws_in_row),
        record.commitment,
        record.seed,
        ",".join(record.nonces),
        str(record.started_ms),
    )
    lines = [f"{name}: {value}" for name, value in zip(HEADERS, values, strict=True)]
    lines += [
        "",
        *[action.text for action in record.actions],
        "",
        f"Result: {canonical_json(record.result)}",
        "",
    ]
    return "\n".join(lines)


def parse_record(text: object) -> Record:
    """Return the record a text stands for.

    Raises:
        BadRecordLine: Names the first line that is not exactly as docs/record-format.md says.
    """
    return _Reader(text).read()


class _Reader:
    """Reads a record line by line."""

    def __init__(self, text: object) -> None:
        if not isinstance(text, str) or len(text) > RECORD_CHARS_MAX:
            raise BadRecordLine(1, f"a record is text of at most {RECORD_CHARS_MAX} characters")
        self._lines = text.split("\n")

    def read(self) -> Record:
        lines = self._lines
        values = [self._header(at, name) for at, name in enumerate(HEADERS)]
        (
            version,
            round_id,
            game_name,
            preset,
            options,
            seats,
            dealer,
            draws,
            commitment,
            seed,
            nonces,
            started,
        ) = values
        self._need(version == VERSION, 0, f"the version must be {VERSION}")
        self._need(bool(_ROUND.fullmatch(round_id)), 1, "the round must be <match_id>/<round_no>")
        self._need(game_name in GAMES, 2, f"unknown game {game_name!r:.40}; known: {', '.join(GAMES)}")
        game = GAMES[game_name]
        self._need(bool(_PRESET.fullmatch(preset)), 3, "the preset must be <preset>@<version>")
        try:
            game.ruleset_from(preset, options)
        except Refusal as error:
            raise BadRecordLine(5, str(error)) from error
        players = tuple(seats.split(" "))
        self._need(
            len(players) == game.seats and all(_PLAYER.fullmatch(player) for player in players),
            5,
            f"there must be {game.seats} seats, each p_… or bot:…",
        )
        self._need(dealer in [str(seat) for seat in range(game.seats)], 6, "the dealer must be a seat")
        self._need(bool(_NATURAL.fullmatch(draws)), 7, "the draws in a row must be a number")
        self._need(bool(_HEX64.fullmatch(commitment)), 8, "the commitment must be 64 lower-case hex digits")
        self._need(bool(_HEX64.fullmatch(seed)), 9, "the seed must be 64 lower-case hex digits")
        given = tuple(nonces.split(","))
        self._need(
            len(given) == game.seats and all(nonce == "-" or _HEX64.fullmatch(nonce) for nonce in given),
            10,
            "there must be a nonce or - for each seat",
        )
        self._need(bool(_NATURAL.fullmatch(started)), 11, "the start must be Unix milliseconds")
        at = len(HEADERS)
        self._need(self._line(at) == "", at, "an empty line must follow the headers")
        at += 1
        actions = []
        while self._line(at) != "":
            actions.append(self._action(at, game.seats))
            at += 1
        at += 1
        name, _, value = self._line(at).partition(": ")
        self._need(name == "Result", at, "the result must follow the actions and an empty line")
        result = self._result(at, value)
        self._need(lines[at + 1 :] == [""], at + 1, "the record must end after its result, with a line end")
        return Record(
            round_id=round_id,
            game=game_name,
            preset=preset,
            options=options,
            seats=players,
            dealer=int(dealer),
            draws_in_row=int(draws),
            commitment=commitment,
            seed=seed,
            nonces=given,
            started_ms=int(started),
            actions=tuple(actions),
            result=result,
        )

    def _line(self, at: int) -> str:
        self._need(at < len(self._lines), at, "the record ends too early")
        return self._lines[at]

    def _need(self, good: bool, at: int, why: str) -> None:
        if not good:
            raise BadRecordLine(at + 1, why)

    def _header(self, at: int, name: str) -> str:
        found, separator, value = self._line(at).partition(": ")
        self._need(found == name and separator != "" and value != "", at, f"expected the header {name}")
        return value

    def _action(self, at: int, seats: int) -> RecordedAction:
        match = _ACTION.fullmatch(self._line(at))
        if match is None or int(match[1]) >= seats:
            raise BadRecordLine(at + 1, "expected <seat> <action> @<ms>[ <cause>]")
        return RecordedAction(int(match[1]), match[2], int(match[3]), match[4] or "")

    def _result(self, at: int, value: str) -> dict[str, Any]:
        try:
            result = json.loads(value)
            is_canonical = isinstance(result, dict) and canonical_json(result) == value
        except (ValueError, RecursionError) as error:
            raise BadRecordLine(at + 1, "the result is no JSON") from error
        if not is_canonical:
            raise BadRecordLine(at + 1, "the result must be a canonical JSON object")
        found: dict[str, Any] = result
        return found


def replay(record: Record, wall: Sequence[str]) -> Position:
    """Play a record again on its shuffled deck and return the position it ends in.

    The deck follows from the seed and the nonces (docs/fair-deal.md), which is the caller's business.

    Raises:
        BadRecordAction: Names the first action that is no action or that the rules refuse.
        Refusal: The rules or the deal cannot be.
    """
    game = GAMES[record.game]
    position = game.deal(record.rules(), wall, record.dealer, record.draws_in_row)
    for index, line in enumerate(record.actions):
        try:
            action = game.parse_action(line.action)
            if action != line.action:
                raise BadRecordAction(index, line.seat, line.action, f"must be written {action!r}")
            position.apply(line.seat, action)
        except BadRecordAction:
            raise
        except Refusal as error:
            raise BadRecordAction(index, line.seat, line.action, str(error)) from error
    return position


def full_result(game_name: str, rules: Any, dealer: int, draws_in_row: int, outcome: Any) -> dict[str, Any]:
    """Return the Result of a round with the succession, as it stands in its record."""
    result = dict(outcome.result())
    result["dealer_next"], result["draws_in_row_next"] = GAMES[game_name].succession(
        rules, dealer, draws_in_row, result
    )
    return result

"""`paiju replay`: a recorded round, step by step, by the engine."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from engine import GAMES, Refusal, fair_deal
from engine.face import Event, Game
from engine.record import Record, canonical_json, full_result, parse_record
from services.launch.exits import NO, USAGE, Stop
from services.launch.records import read

HIDDEN = "?"
"""Stands in event texts for what their reader may not know."""

_OPTIONS = re.compile(r" \{[^}]*\} ")
"""The rule set inside a `deal` event, which the record's headers hold already."""


def run(path: Path, seat: int | None) -> None:
    """Print a round as it was played.

    Args:
        path: Where the record is.
        seat: Print only what this seat could see; everything if None.

    Raises:
        Stop: No record, or no such seat (`USAGE`); an action is refused, or the end is another (`NO`).
    """
    try:
        record = parse_record(read(path).decode("utf-8"))
    except (Refusal, UnicodeDecodeError) as error:
        raise Stop(USAGE, f"{path} is no record: {error}") from error
    game = GAMES[record.game]
    if seat is not None and seat not in range(game.seats):
        raise Stop(USAGE, f"{record.game} has seats 0 to {game.seats - 1}")
    readers = range(game.seats) if seat is None else (seat,)
    print(f"round {record.round_id}, {record.game} {record.preset}")
    for number, player in enumerate(record.seats):
        print(f"seat {number}: {player}{' (deals)' if number == record.dealer else ''}")
    _play(game, record, readers)


def _play(game: Game, record: Record, readers: Sequence[int]) -> None:
    rules = record.rules()
    position = game.deal(rules, wall_of(game, record), record.dealer, record.draws_in_row)
    _print(position.opening_events(), readers)
    for number, line in enumerate(record.actions, 1):
        cause = f", {line.cause}" if line.cause else ""
        # Another seat's answer is its secret until an event shows it.
        said = f"seat {line.seat} {line.action}" if line.seat in readers else "…"
        print(f"{number}. {said}  ({line.at_ms / 1000:.3f} s{cause})")
        try:
            events = position.apply(line.seat, game.parse_action(line.action))
        except Refusal as refusal:
            raise Stop(NO, f"action {number}: seat {line.seat} {line.action}: {refusal}") from refusal
        _print(events, readers)
    outcome = position.outcome()
    if outcome is None:
        asked = ", ".join(map(str, position.to_act()))
        raise Stop(NO, f"the record ends after action {len(record.actions)} while seat {asked} is asked")
    for explained in game.explain(rules, outcome):
        print(f"{explained.text}: {explained.value} ({explained.rule})")
    ended = full_result(game.name, rules, record.dealer, record.draws_in_row, outcome)
    print("points: " + ", ".join(f"seat {at} {points:+d}" for at, points in enumerate(ended["points"])))
    wrong = sorted(
        key
        for key in ended.keys() | record.result.keys()
        if _written(ended, key) != _written(record.result, key)
    )
    if wrong:
        found, recorded = ended.get(wrong[0]), record.result.get(wrong[0])
        raise Stop(NO, f"the round does not end as recorded: {wrong[0]} is {found!r}, not {recorded!r}")


def _written(result: Mapping[str, Any], key: str) -> str:
    """Return one entry as a record has it: 1, 1.0 and true are equal, and only one of them is right."""
    return canonical_json({key: result[key]}) if key in result else ""


def wall_of(game: Game, record: Record) -> list[str]:
    """Return the shuffled deck of a record, from its seed and nonces."""
    nonces = [b"" if nonce == "-" else bytes.fromhex(nonce) for nonce in record.nonces]
    deck = game.deck()
    order = fair_deal.wall_order(bytes.fromhex(record.seed), record.round_id, nonces, len(deck))
    return [deck[place] for place in order]


def _print(events: Iterable[Event], readers: Sequence[int]) -> None:
    for event in events:
        texts = dict.fromkeys(text for reader in readers if (text := event.text_for(reader)) is not None)
        # Where one reader sees all of it, the others' covered version says nothing more.
        for text in [text for text in texts if HIDDEN not in text] or texts:
            print(f"    {_OPTIONS.sub(' ', text)}")

"""`paiju replay`: a recorded round, step by step, by the engine."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from engine import GAMES, Refusal
from engine.errors import BadRecordAction
from engine.face import Event
from engine.record import Record, parse_record
from engine.replay import RecordEndsOtherwise, RecordUnfinished, Walk
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
    _play(record, readers)


def _play(record: Record, readers: Sequence[int]) -> None:
    walk = Walk(record)
    try:
        for number, moment in enumerate(walk.moments()):
            if (line := moment.answer) is not None:
                cause = f", {line.cause}" if line.cause else ""
                # Another seat's answer is its secret until an event shows it.
                said = f"seat {line.seat} {line.action}" if line.seat in readers else "…"
                print(f"{number}. {said}  ({line.at_ms / 1000:.3f} s{cause})")
            _print(moment.events, readers)
        ended = walk.result()
        for explained in walk.game.explain(walk.rules, walk.position.outcome()):
            print(f"{explained.text}: {explained.value} ({explained.rule})")
        print("points: " + ", ".join(f"seat {at} {points:+d}" for at, points in enumerate(ended["points"])))
        walk.check_result()
    except BadRecordAction as refused:
        where = f"action {refused.index + 1}: seat {refused.seat} {refused.action}"
        raise Stop(NO, f"{where}: {refused.why}") from refused
    except (RecordUnfinished, RecordEndsOtherwise) as wrong:
        raise Stop(NO, str(wrong)) from wrong


def _print(events: Iterable[Event], readers: Sequence[int]) -> None:
    for event in events:
        texts = dict.fromkeys(text for reader in readers if (text := event.text_for(reader)) is not None)
        # Where one reader sees all of it, the others' covered version says nothing more.
        for text in [text for text in texts if HIDDEN not in text] or texts:
            print(f"    {_OPTIONS.sub(' ', text)}")

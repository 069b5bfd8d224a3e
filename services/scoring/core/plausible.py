"""Whether a record can have happened at all: times, causes and seats. (Melds: each game's own.)

The rules do not speak of these. Whoever writes records must tell them right all the same: people and programs
read them.
"""

from collections.abc import Iterator
from typing import Final

from services.scoring.core.game import Doubt
from services.scoring.core.record import Record

ROUND_MS_MAX: Final = 7 * 24 * 3600 * 1000
"""No answer comes later after the deal than seven days."""


def doubts(record: Record) -> Iterator[Doubt]:
    """Yield what of a record cannot have happened, of each kind the first."""
    if record.started_ms == 0:
        yield "started", "0", "a time after 1970"
    people = [seat for seat in record.seats if not seat.startswith("bot:")]
    twice = next((seat for seat in people if people.count(seat) > 1), None)
    if twice is not None:
        yield "seats", " ".join(record.seats), f"{twice} can sit in one seat only"
    yield from _of_times(record)
    yield from _of_causes(record)


def _of_times(record: Record) -> Iterator[Doubt]:
    before = 0
    for number, action in enumerate(record.actions, start=1):
        if action.at_ms < before:
            yield f"action {number} time", str(action.at_ms), f"not before {before}, the action before it"
            return
        if action.at_ms > ROUND_MS_MAX:
            yield f"action {number} time", str(action.at_ms), f"at most {ROUND_MS_MAX} after the deal"
            return
        before = action.at_ms


def _of_causes(record: Record) -> Iterator[Doubt]:
    for number, action in enumerate(record.actions, start=1):
        is_bot = record.seats[action.seat].startswith("bot:")
        if is_bot != (action.cause == "bot"):
            why = "bot, it is one" if is_bot else "not bot, it is a person's seat"
            yield f"action {number} cause", action.cause or "none", f"seat {action.seat} needs {why}"
            return

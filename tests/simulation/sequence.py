"""What may follow in the log of a table: no event comes before what it rests on."""

from __future__ import annotations

from services.table.core import events as e
from services.table.core.table import Table
from tests.simulation.client import Violation


def judge_sequence(table: Table, event: e.AnyEvent, granted_ms: int) -> None:
    """Hold an event against the table as its log has made it so far.

    Args:
        table: Before the event.
        event: The next one of its log.
        granted_ms: Before this nothing that a seat may still do is missed, as the log has granted.

    Raises:
        Violation: Something is missing.
    """
    state = table.s
    match event:
        case e.RoundOpened():
            if not all(seat.taken for seat in state.seats):
                raise Violation(f"{state.table_id}/{event.round_no} is opened before all have sat down")
            if state.owed and any(owed.key.startswith("stake/") for owed in state.owed):
                raise Violation(f"{state.table_id}/{event.round_no} is opened before all stakes are")
        case e.Dealt():
            round_ = table.round
            due = zip(round_.due, round_.nonces, strict=True)
            missing = tuple(seat for seat, (is_due, nonce) in enumerate(due) if is_due and not nonce)
            if event.missing != missing:
                raise Violation(
                    f"{table.round_id} is dealt without {event.missing}, and {missing} is missing"
                )
            if missing and event.at < max(round_.nonces_until, granted_ms):
                raise Violation(f"{table.round_id} is dealt before {missing} had to reveal")
        case e.VoteEnded(agreed=True):
            if not all(state.votes.values()):
                raise Violation(f"{state.table_id} is ended by a vote, against {state.votes}")
        case e.MatchEnded(cause="dissolved"):
            if not state.is_dissolved:
                raise Violation(f"{state.table_id} is ended by a vote that there was not")
        case _:
            pass

"""What table hears: the audit and the settlement of its rounds, noted in the log of their table."""

from __future__ import annotations

from collections.abc import Sequence

from google.protobuf.message import Message
from paiju.economy.v1.dispute_events_pb2 import OUTCOME_VOID, DisputeResolved, Outcome, RoundDisputed
from paiju.economy.v1.events_pb2 import RoundSettled
from paiju.scoring.v1.events_pb2 import VERDICT_AGREED, RoundAudited

from services.chassis import log
from services.chassis.bus.port import Delivery
from services.chassis.errors import Outage, Refusal
from services.chassis.run import Consumes
from services.table.calls import Calls, Note
from services.table.core import events as e

SETTLEMENTS = Consumes("table-settlements", (RoundAudited, RoundSettled))
DISPUTES = Consumes("table-disputes", (RoundDisputed, DisputeResolved))

_log = log.get(service="table")


class Ears:
    """Routes what it hears to the owner of the table; done once it is in the table's log."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    async def on_settlements(self, deliveries: Sequence[Delivery[Message]]) -> None:
        """Note audits, settlements, disputes and decisions; the same again does nothing.

        Raises:
            Outage: An owner can't be reached: all of them again, later.
        """
        missed: Outage | None = None
        for delivery in deliveries:
            note = _note_of(delivery.message)
            if note is None:
                continue
            try:
                await self._calls.about(note)
            except Refusal as refusal:
                _log.error("note_refused", table_id=note.table_id, reason=refusal.reason)
            except Outage as outage:
                # The tables of other shards need not wait for this one.
                missed = outage
        if missed is not None:
            raise missed


def _note_of(message: Message) -> Note | None:
    """Return what a table notes of a fact; None: another fact tells it more."""
    if isinstance(message, RoundAudited):
        is_agreed = message.verdict == VERDICT_AGREED
        return Note(message.table_id, e.Audited(0, message.round_no, is_agreed, message.auditor))
    if isinstance(message, RoundDisputed):
        return Note(
            message.table_id, e.Audited(0, message.round_no, is_agreed=False, auditor="paiju-economy")
        )
    if isinstance(message, DisputeResolved):
        if message.outcome != OUTCOME_VOID:
            return None
        return Note(message.table_id, e.Settled(0, message.round_no, (), (), "VOID"))
    assert isinstance(message, RoundSettled), "four types are heard"
    outcome = Outcome.Name(message.decided).removeprefix("OUTCOME_") if message.decided else ""
    if not message.for_coins:
        return Note(message.table_id, e.Settled(0, message.round_no, (), (), outcome))
    coins = tuple(seat.coins for seat in message.seats)
    stakes = tuple(seat.stake_after for seat in message.seats)
    fees = tuple(seat.fee for seat in message.seats) if any(seat.fee for seat in message.seats) else ()
    return Note(message.table_id, e.Settled(0, message.round_no, coins, stakes, outcome, fees))

"""Messages of the bus as facts of the core, and back."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

from paiju.economy.v1 import events_pb2
from paiju.economy.v1.dispute_events_pb2 import Outcome
from paiju.scoring.v1 import events_pb2 as scoring_events
from paiju.table.v1 import events_pb2 as table_events
from sqlalchemy import Connection

from services.chassis.errors import Defect
from services.economy.core.caps import CapInputs, fees, terms_of
from services.economy.core.rounds import RoundFact, SeatFact
from services.economy.store import schema
from services.economy.store.bulk import insert_rows

DECIDED = "decided: "
"""Before the outcome, the auditor of a round that a person decided."""


def from_audited(message: scoring_events.RoundAudited) -> RoundFact:
    """Return the fact that an audit states.

    Raises:
        Defect: Its names don't fit each other, or it has no verdict.
    """
    _check_names(message.round_id, message.match_id, message.round_no)
    if message.verdict == scoring_events.VERDICT_UNSPECIFIED:
        raise Defect(f"audit of {message.round_id} without a verdict")
    agreed = message.verdict == scoring_events.VERDICT_AGREED
    return RoundFact(
        round_id=message.round_id,
        match_id=message.match_id,
        round_no=message.round_no,
        kind="agreed" if agreed else "disputed",
        digest=_digest(message),
        payload=message.SerializeToString(deterministic=True),
        seats=tuple(
            SeatFact(seat.seat, seat.player_id, seat.points, seat.is_bot, seat.won) for seat in message.seats
        ),
        for_coins=message.for_coins,
        settlement_json=message.settlement_json,
        from_seat=message.from_seat,
    )


def from_voided(message: table_events.RoundVoided) -> RoundFact:
    """Return the fact that a round was voided.

    Raises:
        Defect: Its names don't fit each other.
    """
    _check_names(message.round_id, message.match_id, message.round_no)
    return RoundFact(
        round_id=message.round_id,
        match_id=message.match_id,
        round_no=message.round_no,
        kind="void",
        digest=hashlib.sha256(b"void").digest(),
        payload=message.SerializeToString(deterministic=True),
    )


def from_stored(state: str, payload: bytes) -> RoundFact:
    """Return the fact that a row of `rounds` was made from."""
    if state in ("waiting_void", "voided"):
        return from_voided(table_events.RoundVoided.FromString(payload))
    return from_audited(scoring_events.RoundAudited.FromString(payload))


def round_settled(
    fact: RoundFact, stakes: Sequence[int], coins: Sequence[int], transfer_id: str, now_ms: int
) -> events_pb2.RoundSettled:
    """Return the event that tells of a settlement, with everything the coins were computed from."""
    audit = scoring_events.RoundAudited.FromString(fact.payload)
    by_seat = sorted(fact.seats, key=lambda seat: seat.seat)
    points = tuple(seat.points for seat in by_seat)
    inputs = CapInputs.under(terms_of(fact.settlement_json), points, tuple(stakes), fact.from_seat)
    paid = fees(inputs)
    return events_pb2.RoundSettled(
        round_id=fact.round_id,
        match_id=fact.match_id,
        round_no=fact.round_no,
        table_id=audit.table_id,
        game=audit.game,
        preset=audit.preset,
        seats=[
            events_pb2.SettledSeat(
                seat=seat.seat,
                player_id=seat.player_id,
                is_bot=seat.is_bot,
                points=seat.points,
                coins=coins[seat.seat],
                stake_before=stakes[seat.seat],
                stake_after=stakes[seat.seat] - paid[seat.seat] + coins[seat.seat],
                won=seat.won,
                fee=paid[seat.seat],
            )
            for seat in by_seat
        ],
        for_coins=fact.for_coins,
        cap_inputs_json=inputs.as_json(),
        transfer_id=transfer_id,
        ended_at_ms=audit.ended_at_ms,
        settled_at_ms=now_ms,
        end=audit.end,
        how=audit.how,
        huxi=audit.huxi,
        fan=audit.fan,
        names_json=audit.names_json,
        from_seat=audit.from_seat,
        decided=_decided(audit.auditor),
    )


def _decided(auditor: str) -> Outcome.ValueType:
    outcome = auditor.removeprefix(DECIDED) if auditor.startswith(DECIDED) else "UNSPECIFIED"
    return Outcome.Value(f"OUTCOME_{outcome}")


def announce(connection: Connection, events: Iterable[events_pb2.RoundSettled]) -> None:
    """Put settlements into the outbox of this transaction, all in one statement."""
    rows: list[dict[str, object]] = [
        {
            "event_id": f"settled:{event.round_id}",
            "type": event.DESCRIPTOR.full_name,
            "payload": event.SerializeToString(),
        }
        for event in events
    ]
    insert_rows(connection, schema.outbox, rows, or_keep=True)


def _digest(message: scoring_events.RoundAudited) -> bytes:
    """Name the result of an audit: everything but who audited and in which words it differed."""
    result = scoring_events.RoundAudited()
    result.CopyFrom(message)
    result.ClearField("auditor")
    result.ClearField("differences")
    return hashlib.sha256(b"audit" + result.SerializeToString(deterministic=True)).digest()


def _check_names(round_id: str, match_id: str, round_no: int) -> None:
    if round_no < 1 or not match_id or round_id != f"{match_id}/{round_no}":
        raise Defect(f"round {round_id!r} is not round {round_no} of match {match_id!r}")

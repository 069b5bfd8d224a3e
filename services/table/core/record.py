"""The record of a round as the table writes it (docs/record-format.md)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from engine.record import Record, RecordedAction, format_record
from services.table.core.events import Answered
from services.table.core.state import Round, State


def write_record(
    state: State, round_: Round, answers: Iterable[Answered], result: Mapping[str, Any]
) -> bytes:
    """Return the record of the round in play, which has ended with this result."""
    spec = state.spec
    record = Record(
        round_id=f"{state.table_id}/{round_.no}",
        game=spec.game,
        preset=spec.label,
        options=spec.options,
        seats=spec.players,
        dealer=round_.dealer,
        draws_in_row=round_.draws_in_row,
        commitment=round_.commitment.hex(),
        seed=round_.seed.hex(),
        nonces=tuple(nonce.hex() or "-" for nonce in round_.nonces),
        started_ms=round_.started,
        actions=tuple(
            RecordedAction(answer.seat, answer.action, answer.at - round_.started, answer.cause)
            for answer in answers
        ),
        result=result,
    )
    return format_record(record).encode()

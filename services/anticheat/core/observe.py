"""How the people of a round answered, read off its record by playing it again."""

from __future__ import annotations

from dataclasses import dataclass, field

from engine import GAMES, fair_deal
from engine.record import Record, parse_record
from services.anticheat.core.counts import PlayerCounts


@dataclass(slots=True)
class _Seat:
    actions: int = 0
    timeouts: int = 0
    hu_declined: int = 0
    answer_ms: list[int] = field(default_factory=list)


def observe(record_bytes: bytes) -> list[PlayerCounts]:
    """Return what a finished round adds to the figures of its people, in seat order; bots are left out.

    An answer counts as a person's own when the record names no cause. Its time runs from the answer that
    opened the question, or from the deal.

    Args:
        record_bytes: The record (docs/record-format.md).

    Raises:
        Refusal: The text is no record, or its rules are unknown, or an answer was not legal.
        UnicodeDecodeError: The bytes are no UTF-8.
    """
    record = parse_record(record_bytes.decode())
    seats = _walk(record)
    return [
        PlayerCounts(
            player_id,
            actions=seat.actions,
            timeouts=seat.timeouts,
            hu_declined=seat.hu_declined,
            answer_ms=tuple(seat.answer_ms),
        )
        for player_id, seat in zip(record.seats, seats, strict=True)
        if not player_id.startswith("bot:")
    ]


def _walk(record: Record) -> list[_Seat]:
    game = GAMES[record.game]
    deck = game.deck()
    nonces = [b"" if nonce == "-" else bytes.fromhex(nonce) for nonce in record.nonces]
    order = fair_deal.wall_order(bytes.fromhex(record.seed), record.round_id, nonces, len(deck))
    wall = [deck[at] for at in order]
    position = game.deal(record.rules(), wall, record.dealer, record.draws_in_row)
    seats = [_Seat() for _ in record.seats]
    asked_at = dict.fromkeys(position.to_act(), 0)
    for answer in record.actions:
        seat = seats[answer.seat]
        if answer.cause == "timeout":
            seat.timeouts += 1
        elif not answer.cause:
            seat.actions += 1
            seat.answer_ms.append(answer.at_ms - asked_at.get(answer.seat, answer.at_ms))
            if answer.action != "hu" and "hu" in position.legal_actions(answer.seat):
                seat.hu_declined += 1
        position.apply(answer.seat, answer.action)
        asked_at.pop(answer.seat, None)
        asked = position.to_act()
        asked_at = {s: asked_at.get(s, answer.at_ms) for s in asked}
    return seats

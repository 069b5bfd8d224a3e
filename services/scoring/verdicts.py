"""From facts of the bus to the core's verdict, and from the verdict to the fact that scoring publishes."""

from __future__ import annotations

import json
from dataclasses import dataclass

from paiju.scoring.v1 import events_pb2 as pb
from paiju.table.v1.events_pb2 import RoundFinished

from services.scoring.core import audit as core
from services.scoring.core import deal
from services.scoring.core.record import BadRecord, Record, parse_record
from services.scoring.store import Audit, Links, Opening

DIFFERENCE_CHARACTERS_MAX = 500
SKEW_MS_MAX = 10_000
"""Owners of a table may change in a round, and their clocks differ by some seconds."""


INT32_MAX = 2**31 - 1
POINTS_MAX = 2**63 - 1
"""What a message can say. Options that let every name be worth a thousand reach beyond."""


@dataclass(frozen=True, slots=True)
class Question:
    """Everything a verdict depends on: plain values, so that another process can find it."""

    finished: RoundFinished
    finished_at_ms: int
    """When the stream had it."""
    opening: Opening | None
    before: Audit | None
    """The audit of the round before in the match, if there is one."""


def judge(question: Question) -> Audit:
    """Return the audit of a finished round."""
    finished, opening = question.finished, question.opening
    record = _read(finished.record)
    heard = core.Heard(
        before_first_action=_was_in_time(question, record),
        dealer=question.before.dealer_next if question.before else None,
        draws_in_row=question.before.draws_in_row_next if question.before else None,
        links=_links_before(question, record),
    )
    verdict = core.audit(finished.record, opening.commitment if opening else None, heard)
    envelope = _envelope(finished, record)
    message = as_message(verdict)
    message.round_id, message.match_id = finished.round_id, finished.match_id
    message.round_no, message.table_id = finished.round_no, finished.table_id
    message.game, message.preset = finished.game, finished.preset
    message.for_coins, message.room_code = finished.for_coins, finished.room_code
    message.ended_at_ms = finished.ended_at_ms
    if envelope:
        message.verdict = pb.VERDICT_DISPUTED
        message.differences.extend(envelope)
    result = verdict.figures.result if verdict.figures else None
    agreed = message.verdict == pb.VERDICT_AGREED
    return Audit(
        message,
        result.dealer_next if result and agreed else None,
        result.draws_in_row_next if result and agreed else None,
        record.nonces if record and agreed else None,
    )


def as_message(verdict: core.Verdict) -> pb.RoundAudited:
    """Return a verdict as a message, with what the record itself says of the round."""
    message = pb.RoundAudited(
        verdict=pb.VERDICT_AGREED if verdict.agreed else pb.VERDICT_DISPUTED,
        differences=[_difference(each.field, each.engine, each.ours) for each in verdict.differences],
        auditor=verdict.version,
        record_sha256=verdict.record_sha256,
        nonces_given=verdict.nonces_given,
        from_seat=-1,
    )
    record = verdict.record
    if record is None:
        return message
    message.round_id, message.match_id, message.round_no = (
        record.round_id,
        record.match_id,
        min(record.round_no, INT32_MAX),
    )
    message.game, message.preset = record.game, record.preset
    message.settlement_json = _settlement(record)
    if verdict.figures is None:
        return message
    result = verdict.figures.result
    if max(map(abs, result.points)) > POINTS_MAX:
        # Nothing may be settled by figures that cannot be told.
        message.verdict = pb.VERDICT_DISPUTED
        message.differences.append(_difference("points", str(result.points), "more than can be settled"))
        return message
    message.seats.extend(
        pb.AuditedSeat(
            seat=seat,
            player_id=player_id,
            points=result.points[seat],
            is_bot=player_id.startswith("bot:"),
            won=seat in result.winners,
        )
        for seat, player_id in enumerate(record.seats)
    )
    message.end, message.how, message.from_seat = result.end, result.how, result.from_seat
    message.huxi, message.fan = result.huxi, min(result.fan, INT32_MAX)
    message.names_json = json.dumps(result.names, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    return message


def _settlement(record: Record) -> str:
    """Return what the coins of a round depend on besides its points; without a fee as before there were fees,
    for a second audit of a round says the very same.
    """
    options = record.options
    told: dict[str, int | bool] = {
        "base_stake": options.base_stake,
        "win_cap_by_balance": options.win_cap_by_balance,
    }
    if options.fee:
        told["fee"] = options.fee
    return json.dumps(told, separators=(",", ":"))


def _read(record: bytes) -> Record | None:
    try:
        return parse_record(record)
    except BadRecord:
        return None


def _was_in_time(question: Question, record: Record | None) -> bool:
    """Return whether the commitment can have been out before the first action.

    Both moments are the broker's, so no two clocks are compared: the round's facts must lie at least as far
    apart as its first and last action.
    """
    if question.opening is None or record is None or not record.actions:
        return True
    played_ms = record.actions[-1].at_ms - record.actions[0].at_ms
    return question.finished_at_ms - question.opening.stored_at_ms + SKEW_MS_MAX >= played_ms


def _links_before(question: Question, record: Record | None) -> Links | None:
    """Return the last link of each seat's nonce chain before this round; None: nothing is known of them.

    From the round before, if that was followed. Else (the first round, or one after a voided one) a nonce
    must lead to the head given at sitting down, in at most as many steps as rounds were opened.
    """
    opening, before = question.opening, question.before
    if before is not None and before.links is not None:
        return before.links
    if opening is None or record is None or len(opening.nonce_heads) != len(record.nonces):
        return None
    links: list[bytes | None] = []
    for head, nonce in zip(opening.nonce_heads, record.nonces, strict=True):
        link = head or None
        if head and nonce is not None and record.round_no > 1:
            link = _link_on_the_way(head, nonce, record.round_no) or head
        links.append(link)
    return tuple(links)


def _link_on_the_way(head: bytes, nonce: bytes, steps_max: int) -> bytes | None:
    first = link = deal.next_link(nonce)
    for _ in range(steps_max):
        if link == head:
            return first
        link = deal.next_link(link)
    return None


def _envelope(finished: RoundFinished, record: Record | None) -> list[pb.Difference]:
    """Return where the fact says other than the record it carries."""
    if record is None:
        return []
    pairs = (
        ("round_id", finished.round_id, record.round_id),
        ("match_id", finished.match_id, record.match_id),
        ("round_no", str(finished.round_no), str(record.round_no)),
        ("game", finished.game, record.game),
        ("preset", finished.preset, record.preset),
        ("players", " ".join(seat.player_id for seat in finished.seats), " ".join(record.seats)),
    )
    return [_difference(name, said, read) for name, said, read in pairs if said != read]


def _difference(name: str, engine: str, scoring: str) -> pb.Difference:
    most = DIFFERENCE_CHARACTERS_MAX
    return pb.Difference(field=name[:most], engine=engine[:most], scoring=scoring[:most])

"""A person's word about a disputed round: written once, with the coins it moves and the facts that say so."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from paiju.economy.v1 import dispute_events_pb2 as events
from paiju.economy.v1.staff_events_pb2 import StaffActed
from paiju.scoring.v1.events_pb2 import VERDICT_AGREED, AuditedSeat, RoundAudited
from sqlalchemy import Connection, Row, or_, select

from services.chassis import outbox
from services.chassis.auth import Staff
from services.chassis.errors import Refusal
from services.economy.core.disputes import Outcome, Word
from services.economy.core.money import content_hash
from services.economy.core.rounds import RoundFact
from services.economy.store import disputes, facts, schema
from services.economy.store.bulk import insert_new
from services.economy.store.matches import hold_matches
from services.economy.store.rounds import Heard, decide


@dataclass(frozen=True, slots=True)
class Decision:
    """What somebody of the staff wants done."""

    round_id: str
    outcome: Outcome
    reason: str
    staff: Staff
    request_id: str
    engine: Word | str = "no_record"
    """What the engine says; a text: why that can't be told."""
    record: bytes = b""
    """The record that was judged, if it could be had; kept with the decision."""

    @property
    def request_key(self) -> str:
        """Under which a repeat is known."""
        return f"{self.staff.staff_id}/{self.request_id}"

    @property
    def content_hash(self) -> bytes:
        """Names what a repeat must have in common with the first."""
        return content_hash(self.round_id, self.outcome, self.reason)


@dataclass(frozen=True, slots=True)
class Look:
    """What somebody of the staff says of an alert."""

    round_id: str
    kind: str
    digest: bytes
    reason: str
    staff: Staff
    request_id: str

    @property
    def request_key(self) -> str:
        """Under which a repeat is known."""
        return f"{self.staff.staff_id}/{self.request_id}"

    @property
    def content_hash(self) -> bytes:
        """Names what a repeat must have in common with the first."""
        return content_hash(self.round_id, self.kind, self.digest.hex(), self.reason)


def resolve(connection: Connection, decision: Decision, now_ms: int) -> tuple[Row[Any], Heard | None]:
    """Decide a disputed round, and settle it and what waited behind it, in one transaction.

    Returns:
        The dispute as it is now, and what it came to; None: a repeat, nothing moved this time.

    Raises:
        Refusal: DISPUTE_UNKNOWN. DISPUTE_RESOLVED: somebody else was first. REQUEST_ID_REUSED.
            DISPUTE_OUT_OF_TURN: an earlier round of the match comes first. DISPUTE_SIDE_UNUSABLE: this side's
            word can't be settled.
    """
    found = disputes.one_dispute(connection, decision.round_id)
    if found is None:
        raise Refusal("DISPUTE_UNKNOWN", round_id=decision.round_id)
    match = hold_matches(connection, [found.match_id])[found.match_id]
    if _is_repeat(connection, schema.decisions, schema.decisions.c.round_id == decision.round_id, decision):
        return found, None
    if found.round_no != match.next_round_no:
        raise Refusal("DISPUTE_OUT_OF_TURN", first=f"{found.match_id}/{match.next_round_no}")
    audit = RoundAudited.FromString(found.payload)
    settled = settled_as(audit, decision.outcome, decision.engine)
    if isinstance(settled, str):
        raise Refusal("DISPUTE_SIDE_UNUSABLE", why=settled)
    heard = decide(connection, match, as_fact(found.match_id, found.round_no, settled), now_ms)
    for round_id, cause in heard.disputed:
        if round_id == decision.round_id:
            raise Refusal("DISPUTE_SIDE_UNUSABLE", why=cause)
    row = {
        "round_id": decision.round_id,
        "outcome": decision.outcome,
        "reason": decision.reason,
        "staff_id": decision.staff.staff_id,
        "request_key": decision.request_key,
        "content_hash": decision.content_hash,
        "settled": settled.SerializeToString(deterministic=True) if settled else b"",
        "record": decision.record,
        "at_ms": now_ms,
    }
    insert_new(connection, schema.decisions, row)
    now = disputes.one_dispute(connection, decision.round_id)
    assert now is not None, "it was there before"
    _tell(connection, decision, audit, now, is_suspended=match.suspended)
    return now, heard


def acknowledge(connection: Connection, look: Look, now_ms: int) -> tuple[Row[Any], bool]:
    """Note that an alert was looked at.

    Returns:
        The alert as it is now, and whether this was news (False: a repeat).

    Raises:
        Refusal: ALERT_UNKNOWN. ALERT_ACKNOWLEDGED: somebody else was first. REQUEST_ID_REUSED.
    """
    if disputes.one_alert(connection, look.round_id, look.kind, look.digest) is None:
        raise Refusal("ALERT_UNKNOWN")
    hold_matches(connection, [look.round_id.rpartition("/")[0]])
    table = schema.acknowledgements
    same = (table.c.round_id == look.round_id) & (table.c.kind == look.kind) & (table.c.digest == look.digest)
    is_repeat = _is_repeat(connection, table, same, look)
    if not is_repeat:
        row = {
            "round_id": look.round_id,
            "kind": look.kind,
            "digest": look.digest,
            "reason": look.reason,
            "staff_id": look.staff.staff_id,
            "request_key": look.request_key,
            "content_hash": look.content_hash,
            "at_ms": now_ms,
        }
        insert_new(connection, table, row)
        detail = {"kind": look.kind, "digest": look.digest.hex()}
        _note(connection, look.staff, "acknowledge_alert", look.round_id, look.reason, detail, now_ms)
    alert = disputes.one_alert(connection, look.round_id, look.kind, look.digest)
    assert alert is not None, "it was there before"
    return alert, not is_repeat


def settled_as(audit: RoundAudited, outcome: Outcome, engine: Word | str) -> RoundAudited | str | None:
    """Return what a round is settled by when it is decided so; None: nothing moves; a text: why it can't be.

    The auditor's message with the figures of the side that was found right, and no differences.
    """
    if outcome == "VOID":
        return None
    settled = RoundAudited()
    settled.CopyFrom(audit)
    settled.verdict = VERDICT_AGREED
    settled.auditor = f"{facts.DECIDED}{outcome}"
    settled.ClearField("differences")
    if not audit.settlement_json:
        return "settlement_options_bad"
    if outcome == "SCORING":
        return settled if audit.seats else "no_figures"
    if isinstance(engine, str):
        return engine
    settled.ClearField("seats")
    settled.seats.extend(
        AuditedSeat(
            seat=seat,
            player_id=player,
            points=points,
            is_bot=player.startswith("bot:"),
            won=seat in engine.winners,
        )
        for seat, (player, points) in enumerate(zip(engine.players, engine.points, strict=True))
    )
    settled.end, settled.how, settled.from_seat = engine.end, engine.how, engine.from_seat
    settled.huxi, settled.fan = engine.huxi, engine.fan
    settled.names_json = json.dumps(
        dict(engine.names), ensure_ascii=False, separators=(",", ":"), sort_keys=True
    )
    return settled


def as_fact(match_id: str, round_no: int, settled: RoundAudited | None) -> RoundFact:
    """Return what was decided as a fact that rounds are done by."""
    if settled is None:
        return RoundFact(f"{match_id}/{round_no}", match_id, round_no, "void", digest=b"", payload=b"")
    return facts.from_audited(settled)


def _is_repeat(connection: Connection, table: Any, same_subject: Any, asked: Decision | Look) -> bool:
    """Return whether this very request was done before.

    Raises:
        Refusal: It was, with other content; or another request was first.
    """
    rows: Sequence[Row[Any]] = connection.execute(
        select(table).where(or_(same_subject, table.c.request_key == asked.request_key))
    ).all()
    for row in rows:
        if row.request_key == asked.request_key:
            if row.content_hash != asked.content_hash:
                raise Refusal("REQUEST_ID_REUSED")
            return True
    if rows and isinstance(asked, Decision):
        raise Refusal("DISPUTE_RESOLVED", outcome=rows[0].outcome, by=rows[0].staff_id)
    if rows:
        raise Refusal("ALERT_ACKNOWLEDGED", by=rows[0].staff_id)
    return False


def _tell(
    connection: Connection, decision: Decision, audit: RoundAudited, now: Row[Any], *, is_suspended: bool
) -> None:
    """Put what was decided into the outbox of this transaction; the settlement is there already."""
    resolved = events.DisputeResolved(
        round_id=now.round_id,
        match_id=now.match_id,
        round_no=now.round_no,
        table_id=audit.table_id,
        game=audit.game,
        outcome=events.Outcome.Value(f"OUTCOME_{decision.outcome}"),
        for_coins=audit.for_coins,
        still_suspended=is_suspended,
        at_ms=now.decided_at_ms,
    )
    outbox.put(connection, resolved, f"dispute_resolved:{now.round_id}")
    detail = {"outcome": decision.outcome, "coins": json.loads(now.coins), "transfer_id": now.transfer_id}
    reason, at_ms = decision.reason, now.decided_at_ms
    _note(connection, decision.staff, "resolve_dispute", now.round_id, reason, detail, at_ms)


def _note(
    connection: Connection,
    staff: Staff,
    action: str,
    subject: str,
    reason: str,
    detail: Mapping[str, object],
    at_ms: int,
) -> None:
    acted = StaffActed(
        staff_id=staff.staff_id,
        role=staff.role,
        action=action,
        subject=subject,
        reason=reason,
        detail_json=json.dumps(detail, ensure_ascii=False, separators=(",", ":"), sort_keys=True),
        at_ms=at_ms,
    )
    key = content_hash(action, subject, detail).hex()[:32]
    outbox.put(connection, acted, f"staff:{action}:{key}")

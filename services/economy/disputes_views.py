"""Disputes and alerts as staff and players see them: rows and evidence in, messages out."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from paiju.economy.v1 import dispute_service_pb2 as pb
from paiju.economy.v1.dispute_events_pb2 import Outcome
from paiju.economy.v1.economy_service_pb2 import Money
from paiju.scoring.v1.events_pb2 import VERDICT_AGREED, RoundAudited
from paiju.table.v1.events_pb2 import RoundVoided
from sqlalchemy import Row

from services.economy.core import caps
from services.economy.core.disputes import Word, concerns_the_deal, deal_of, engine_word
from services.economy.core.rounds import HeldStake, cap_inputs
from services.economy.disputes_evidence import Evidence
from services.economy.store import facts
from services.economy.store.decisions import settled_as
from services.economy.store.disputes import Rows

FIELDS_MAX = 20
"""Differences named in a list."""

COMPARED = (
    "end", "how", "from_seat", "huxi", "fan", "names_json", "settlement_json", "for_coins", "nonces_given",
    "record_sha256",
)  # fmt: skip
"""Fields of an audit that are told where two of them differ."""

StakeRow = tuple[int, str, str, int, str]
"""Seat, player, currency, coins, state; as `stakes.all_stakes` gives them."""


def summary(row: Row[Any], rounds: Rows, held: Mapping[str, int]) -> pb.DisputeSummary:
    """Return a dispute as in lists.

    Args:
        row: Of `disputes.list_disputes`.
        rounds: The rounds of its match.
        held: What lies in the stakes of its match, by currency.
    """
    audit = RoundAudited.FromString(row.payload)
    is_open = row.outcome is None
    blocked = is_open and row.next_round_no < row.round_no
    waits = [one for one in rounds if one.round_no > row.round_no and one.state not in ("settled", "voided")]
    return pb.DisputeSummary(
        round_id=row.round_id,
        match_id=row.match_id,
        round_no=row.round_no,
        table_id=audit.table_id,
        game=audit.game,
        preset=audit.preset,
        for_coins=audit.for_coins,
        cause=row.cause,
        fields=list(dict.fromkeys(one.field for one in audit.differences))[:FIELDS_MAX],
        at_ms=row.at_ms,
        outcome=Outcome.Value("OUTCOME_UNSPECIFIED" if is_open else f"OUTCOME_{row.outcome}"),
        resolved_by=row.staff_id or "",
        reason=row.reason or "",
        resolved_at_ms=row.decided_at_ms or 0,
        held=[Money(currency=currency, amount=amount) for currency, amount in held.items()],
        waiting_rounds=len(waits),
        blocked_by=f"{row.match_id}/{row.next_round_no}" if blocked else "",
    )


def whole(
    row: Row[Any],
    rounds: Rows,
    held: Mapping[str, int],
    stakes: Sequence[StakeRow],
    alerts: Rows,
    evidence: Evidence,
) -> pb.Dispute:
    """Return a dispute with all that is known of it."""
    audit = RoundAudited.FromString(row.payload)
    record = evidence.record
    word = engine_word(record, row.round_id, audit.record_sha256)
    dispute = pb.Dispute(
        summary=summary(row, rounds, held),
        seats=_seats(audit, word, stakes),
        engine=_engine_side(word, evidence),
        scoring=_scoring_side(audit, evidence),
        differences=audit.differences,
        record=record,
        record_sha256=audit.record_sha256,
        record_is_the_one_judged=bool(record) and word != "record_changed",
        deal=_deal(audit, evidence),
        rounds=[_round(one) for one in rounds],
        alerts=[alert(one) for one in alerts],
        auditor=audit.auditor,
        settlement_json=audit.settlement_json,
        room_code=audit.room_code,
        ended_at_ms=audit.ended_at_ms,
    )
    if row.outcome is None:
        _say_what_would_move(dispute.engine, settled_as(audit, "ENGINE", word), stakes)
        _say_what_would_move(dispute.scoring, settled_as(audit, "SCORING", word), stakes)
    parts = {
        "record": bool(record),
        "engine": evidence.engine is not None,
        "scoring": evidence.again is not None,
        "deal": evidence.audit is not None,
    }
    dispute.missing.extend(name for name, is_there in parts.items() if not is_there)
    return dispute


def sha256_of(payload: bytes) -> bytes:
    """Return the hash of the record that an audit judged."""
    return RoundAudited.FromString(payload).record_sha256


def moved(row: Row[Any]) -> tuple[list[int], str]:
    """Return the coins by seat of a decided round, and the transfer; nothing for a void."""
    return (json.loads(row.coins), row.transfer_id) if row.state == "settled" else ([], "")


def alert(row: Row[Any]) -> pb.Alert:
    """Return an alert: what was said first, and what contradicts it."""
    return pb.Alert(
        alert_id=alert_id(row),
        round_id=row.round_id,
        kind=row.kind,
        round_state={"waiting_void": "voided"}.get(row.state, row.state),
        says=_in_short(row.payload, row.first_payload),
        first_says=_in_short(row.first_payload, row.payload),
        at_ms=row.at_ms,
        acknowledged_by=row.staff_id or "",
        reason=row.reason or "",
        acknowledged_at_ms=row.seen_at_ms or 0,
    )


def alert_id(row: Row[Any]) -> str:
    """Return the name of an alert."""
    return f"{row.kind}:{bytes(row.digest).hex()}:{row.round_id}"


def held_stake(row: Row[Any]) -> pb.HeldStake:
    """Return a stake that waits."""
    return pb.HeldStake(
        match_id=row.match_id,
        seat=row.seat,
        money=Money(currency=row.currency, amount=row.balance),
        round_id=f"{row.match_id}/{row.no}",
        since_ms=row.since_ms,
        is_closing=row.state == "closing",
    )


def decided_round(row: Row[Any]) -> pb.DecidedRound:
    """Return a decision as a player of the round sees it."""
    coins = json.loads(row.coins)
    return pb.DecidedRound(
        round_id=row.round_id,
        outcome=Outcome.Value(f"OUTCOME_{row.outcome}"),
        at_ms=row.at_ms,
        coins=coins[row.seat] if row.seat < len(coins) else 0,
    )


def _in_short(payload: bytes, other: bytes) -> str:
    """Return what was said of a round in one line, with what the other word has otherwise."""
    audit, beside = RoundAudited.FromString(payload), RoundAudited.FromString(other)
    # Both kinds of words begin with the same fields; only an audit has a verdict.
    if not audit.verdict:
        return f"VOID {RoundVoided.FromString(payload).reason}"
    agreed = audit.verdict == VERDICT_AGREED
    fields = list(dict.fromkeys(one.field for one in audit.differences))[:FIELDS_MAX]
    words = ["AGREED" if agreed else f"DISPUTED {', '.join(fields)}"]
    if audit.seats:
        words.append(str([seat.points for seat in audit.seats]).replace(" ", ""))
    if beside.verdict:
        words += [
            f"{name}={_short(getattr(audit, name))}"
            for name in COMPARED
            if getattr(audit, name) != getattr(beside, name)
        ]
    return "; ".join(words)


def _short(value: object) -> str:
    return value.hex()[:16] if isinstance(value, bytes) else str(value)[:100]


def _seats(audit: RoundAudited, word: Word | str, stakes: Sequence[StakeRow]) -> list[pb.DisputedSeat]:
    players = {seat.seat: seat.player_id for seat in audit.seats}
    if isinstance(word, Word):
        players = dict(enumerate(word.players)) | players
    held = {seat: (player, currency, amount, state) for seat, player, currency, amount, state in stakes}
    seats = []
    for seat in sorted(players.keys() | held.keys()):
        owner, currency, amount, state = held.get(seat, ("", "", 0, ""))
        player_id = players.get(seat, owner)
        seats.append(
            pb.DisputedSeat(
                seat=seat,
                player_id=player_id,
                is_bot=player_id.startswith("bot:"),
                currency=currency,
                stake=amount,
                stake_state=state,
            )
        )
    return seats


def _engine_side(word: Word | str, evidence: Evidence) -> pb.DisputedSide:
    side = pb.DisputedSide(from_seat=-1)
    if isinstance(word, str):
        side.unusable = word
    else:
        side = pb.DisputedSide(
            is_usable=True,
            points=word.points,
            winners=word.winners,
            end=word.end,
            how=word.how,
            from_seat=word.from_seat,
            huxi=word.huxi,
            fan=word.fan,
            names_json=json.dumps(
                dict(word.names), ensure_ascii=False, separators=(",", ":"), sort_keys=True
            ),
        )
    said = evidence.engine
    if said is not None:
        side.explanation_zh.extend(said.explanation_zh)
        side.explanation_en.extend(said.explanation_en)
        if said.refusal or said.result_json:
            side.again = "refuses" if said.refusal else "same" if said.is_same else "other"
    return side


def _scoring_side(audit: RoundAudited, evidence: Evidence) -> pb.DisputedSide:
    side = pb.DisputedSide(
        is_usable=bool(audit.seats),
        unusable="" if audit.seats else "no_figures",
        points=[seat.points for seat in audit.seats],
        winners=[seat.seat for seat in audit.seats if seat.won],
        end=audit.end,
        how=audit.how,
        from_seat=audit.from_seat,
        huxi=audit.huxi,
        fan=audit.fan,
        names_json=audit.names_json,
    )
    said = evidence.again
    if said is not None:
        side.explanation_zh.extend(said.explanation_zh)
        side.explanation_en.extend(said.explanation_en)
        if not said.audit.seats:
            side.again = "refuses"
        else:
            side.again = "same" if _figures(said.audit) == _figures(audit) else "other"
    return side


def _figures(audit: RoundAudited) -> tuple[object, ...]:
    points = tuple((seat.seat, seat.points, seat.won) for seat in audit.seats)
    return points, audit.end, audit.how, audit.from_seat, audit.huxi, audit.fan, audit.names_json


def _say_what_would_move(
    side: pb.DisputedSide, settled: RoundAudited | str | None, stakes: Sequence[StakeRow]
) -> None:
    """Work out the coins that deciding for a side would move, or say why it can't be settled so."""
    if settled is None:
        return
    problem: caps.CapInputs | str = settled if isinstance(settled, str) else ""
    if isinstance(settled, RoundAudited):
        held = [
            HeldStake(seat, player, currency, amount)
            for seat, player, currency, amount, state in stakes
            if state in ("open", "closing")
        ]
        fact = facts.from_audited(settled)
        problem = cap_inputs(fact, held if fact.for_coins else [])
        if isinstance(problem, caps.CapInputs):
            side.coins.extend(caps.settle(problem) if fact.for_coins else (0,) * len(problem.points))
            return
    side.is_usable, side.unusable = False, str(problem)


def _deal(audit: RoundAudited, evidence: Evidence) -> pb.DealCheck:
    fields = [one.field for one in audit.differences if concerns_the_deal(one.field)]
    check = pb.DealCheck(fields=fields)
    if evidence.audit is not None:
        check.commitment_heard = evidence.audit.commitment
    said = deal_of(evidence.record)
    if said is not None:
        check.commitment, check.seed = said.commitment, said.seed
        check.nonces.extend(said.nonces)
    is_read = all(one.field != "record" for one in audit.differences)
    is_heard = check.commitment == check.commitment_heard.hex() != ""
    check.is_kept = is_heard and is_read and not fields
    return check


def _round(row: Row[Any]) -> pb.RoundOfMatch:
    state = {"waiting_void": "voided"}.get(row.state, row.state)
    return pb.RoundOfMatch(round_no=row.round_no, state=state, coins=json.loads(row.coins))

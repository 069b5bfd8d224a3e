"""RPCs about disputed rounds: for staff who decide, and for players whose stakes wait."""

from __future__ import annotations

import re
from typing import Any

from paiju.economy.v1 import dispute_service_pb2 as pb
from paiju.economy.v1 import dispute_service_pb2_grpc
from paiju.economy.v1.dispute_events_pb2 import Outcome
from sqlalchemy import Connection, Row

from services.chassis import auth, log
from services.chassis.access import reason_of
from services.chassis.auth import AccessTable
from services.chassis.clock import Clock
from services.chassis.db import Database
from services.chassis.errors import Outage, Refusal
from services.chassis.metrics import Metrics
from services.economy import disputes_views as views
from services.economy.bus import Ears
from services.economy.core.disputes import OUTCOMES, engine_word
from services.economy.core.money import split_round_id
from services.economy.disputes_evidence import Witnesses
from services.economy.store import decisions, disputes, stakes
from services.economy.store.disputes import Position
from services.economy.store.rounds import Heard

ACCESS: AccessTable = {
    "ListDisputes": "staff:disputes",
    "GetDispute": "staff:disputes",
    "ResolveDispute": "staff:disputes",
    "ListAlerts": "staff:disputes",
    "AcknowledgeAlert": "staff:disputes",
    "ListHeldStakes": "player",
}

PAGE_SIZE = 20
PAGE_SIZE_MAX = 100
REQUEST_ID_CHARACTERS_MAX = 200
DECIDED_MAX = 20
ROUND_ID_CHARACTERS_MAX = 110

_PLAYER_ID = re.compile(r"p_[A-Za-z0-9_-]{1,64}")
_TOKEN = re.compile(r"([0-9]{1,15})~([A-Za-z0-9_.:/-]{1,200})")
_ALERT_KEY = re.compile(r".+:[0-9a-f]{64}")
_ALERT_ID = re.compile(r"([a-z_]{1,40}):([0-9a-f]{64}):(.{1,110})")

Context = Any


class DisputeApi(dispute_service_pb2_grpc.DisputeServiceServicer):
    """The servicer."""

    def __init__(
        self, db: Database, clock: Clock, ears: Ears, witnesses: Witnesses, metrics: Metrics
    ) -> None:
        self._db = db
        self._clock = clock
        self._ears = ears
        self._witnesses = witnesses
        self._log = log.get(service="economy")
        self._decided = metrics.counter(
            "economy_disputes_resolved", "Disputes decided by people", ["outcome"]
        )

    async def ListDisputes(  # noqa: N802 - the proto names it
        self, request: pb.ListDisputesRequest, context: Context
    ) -> pb.ListDisputesResponse:
        """Disputed rounds, newest first."""
        is_open = _which(request.state, "resolved")
        size, before = _page(request.page_size, request.page_token)

        def read(connection: Connection) -> tuple[list[pb.DisputeSummary], Row[Any] | None, int]:
            rows = disputes.list_disputes(connection, is_open, size + 1, before)
            listed = _summaries(connection, rows[:size])
            return listed, rows[size - 1] if len(rows) > size else None, disputes.count_open(connection)[0]

        listed, last, count = await self._db.read(read)
        token = f"{last.at_ms}~{last.round_id}" if last is not None else ""
        return pb.ListDisputesResponse(disputes=listed, next_page_token=token, open=count)

    async def GetDispute(  # noqa: N802 - the proto names it
        self, request: pb.GetDisputeRequest, context: Context
    ) -> pb.GetDisputeResponse:
        """One disputed round, whole."""
        round_id = _round_id(request.round_id)
        kept = await self._db.read(lambda connection: disputes.record_kept(connection, round_id))
        evidence = await self._witnesses.hear_all(round_id, kept)

        def read(connection: Connection) -> pb.Dispute:
            row = _known(connection, round_id)
            match_id = row.match_id
            return views.whole(
                row,
                disputes.rounds_of(connection, [match_id]),
                disputes.held_in(connection, [match_id]).get(match_id, {}),
                stakes.all_stakes(connection, match_id),
                disputes.list_alerts(connection, None, PAGE_SIZE_MAX, None, round_id),
                evidence,
            )

        return pb.GetDisputeResponse(dispute=await self._db.read(read))

    async def ResolveDispute(  # noqa: N802 - the proto names it
        self, request: pb.ResolveDisputeRequest, context: Context
    ) -> pb.ResolveDisputeResponse:
        """Decide a disputed round."""
        staff, round_id = auth.staff("disputes"), _round_id(request.round_id)
        outcome = next((one for one in OUTCOMES if Outcome.Value(f"OUTCOME_{one}") == request.outcome), None)
        if outcome is None:
            raise Refusal("INVALID_ARGUMENT", field="outcome")
        request_id, reason = _request_id(request.request_id), reason_of(request.reason)
        audit = await self._db.read(lambda connection: _known(connection, round_id).payload)
        record = await self._record(round_id, is_needed=outcome == "ENGINE")
        decision = decisions.Decision(
            round_id,
            outcome,
            reason,
            staff,
            request_id,
            engine_word(record, round_id, views.sha256_of(audit)),
            record,
        )
        now_ms = self._clock.now_ms()

        def write(connection: Connection) -> tuple[Row[Any], Heard | None, pb.DisputeSummary]:
            row, heard = decisions.resolve(connection, decision, now_ms)
            return row, heard, _summaries(connection, [row])[0]

        row, heard, summary = await self._db.run(write)
        if heard is not None:
            self._decided.labels(outcome.lower()).inc()
            self._log.warning("dispute_resolved", round_id=round_id, outcome=outcome, staff_id=staff.staff_id)
            await self._ears.tell(heard)
            await self._ears.count_open()
        coins, transfer_id = views.moved(row)
        return pb.ResolveDisputeResponse(summary=summary, coins=coins, transfer_id=transfer_id)

    async def ListAlerts(  # noqa: N802 - the proto names it
        self, request: pb.ListAlertsRequest, context: Context
    ) -> pb.ListAlertsResponse:
        """Contradictions, newest first."""
        is_open = _which(request.state, "acknowledged")
        size, before = _page(request.page_size, request.page_token)
        if before is not None and not _ALERT_KEY.fullmatch(before.key):
            raise Refusal("INVALID_ARGUMENT", field="page_token")
        rows, count = await self._db.read(
            lambda connection: (
                disputes.list_alerts(connection, is_open, size + 1, before),
                disputes.count_open(connection)[1],
            )
        )
        response = pb.ListAlertsResponse(alerts=[views.alert(row) for row in rows[:size]], open=count)
        if len(rows) > size:
            last = rows[size - 1]
            response.next_page_token = f"{last.at_ms}~{last.round_id}:{bytes(last.digest).hex()}"
        return response

    async def AcknowledgeAlert(  # noqa: N802 - the proto names it
        self, request: pb.AcknowledgeAlertRequest, context: Context
    ) -> pb.AcknowledgeAlertResponse:
        """Say that an alert was looked at."""
        named = _ALERT_ID.fullmatch(request.alert_id)
        if named is None:
            raise Refusal("INVALID_ARGUMENT", field="alert_id")
        kind, digest, round_id = named.groups()
        look = decisions.Look(
            _round_id(round_id),
            kind,
            bytes.fromhex(digest),
            reason_of(request.reason),
            auth.staff("disputes"),
            _request_id(request.request_id),
        )
        now_ms = self._clock.now_ms()
        row, is_new = await self._db.run(lambda connection: decisions.acknowledge(connection, look, now_ms))
        if is_new:
            await self._ears.tell(Heard())
            await self._ears.count_open()
        return pb.AcknowledgeAlertResponse(alert=views.alert(row))

    async def ListHeldStakes(  # noqa: N802 - the proto names it
        self, request: pb.ListHeldStakesRequest, context: Context
    ) -> pb.ListHeldStakesResponse:
        """A player's stakes that wait, and the last decisions about his rounds."""
        player_id = _whose(request.player_id)
        held, decided = await self._db.read(
            lambda connection: (
                disputes.held_of(connection, player_id),
                disputes.decided_of(connection, player_id, DECIDED_MAX),
            )
        )
        return pb.ListHeldStakesResponse(
            held=[views.held_stake(row) for row in held],
            decided=[views.decided_round(row) for row in decided],
        )

    async def _record(self, round_id: str, *, is_needed: bool) -> bytes:
        """Return the record that is kept with a decision.

        Raises:
            Outage: The tables can't be asked, and the decision rests on it.
        """
        try:
            return await self._witnesses.record(round_id)
        except Outage:
            if is_needed:
                raise
            return b""


def _summaries(connection: Connection, rows: disputes.Rows) -> list[pb.DisputeSummary]:
    match_ids = {row.match_id for row in rows}
    rounds, held = disputes.rounds_of(connection, match_ids), disputes.held_in(connection, match_ids)
    return [
        views.summary(
            row, [one for one in rounds if one.match_id == row.match_id], held.get(row.match_id, {})
        )
        for row in rows
    ]


def _known(connection: Connection, round_id: str) -> Row[Any]:
    row = disputes.one_dispute(connection, round_id)
    if row is None:
        raise Refusal("DISPUTE_UNKNOWN", round_id=round_id)
    return row


def _which(state: str, closed: str) -> bool | None:
    """Return whether only open ones are asked for (True), only closed ones (False), or all (None)."""
    known: dict[str, bool | None] = {"": None, "open": True, closed: False}
    if state not in known:
        raise Refusal("INVALID_ARGUMENT", field="state")
    return known[state]


def _page(page_size: int, page_token: str) -> tuple[int, Position | None]:
    if not 0 <= page_size <= PAGE_SIZE_MAX:
        raise Refusal("INVALID_ARGUMENT", field="page_size")
    if not page_token:
        return page_size or PAGE_SIZE, None
    found = _TOKEN.fullmatch(page_token)
    if found is None:
        raise Refusal("INVALID_ARGUMENT", field="page_token")
    return page_size or PAGE_SIZE, Position(int(found.group(1)), found.group(2))


def _round_id(round_id: str) -> str:
    if len(round_id) > ROUND_ID_CHARACTERS_MAX or "\x00" in round_id:
        raise Refusal("INVALID_ARGUMENT", field="round_id")
    split_round_id(round_id)
    return round_id


def _request_id(request_id: str) -> str:
    if not 1 <= len(request_id) <= REQUEST_ID_CHARACTERS_MAX or "\x00" in request_id:
        raise Refusal("INVALID_ARGUMENT", field="request_id")
    return request_id


def _whose(player_id: str) -> str:
    """Return whose stakes are asked for; players may only ask for their own."""
    caller = auth.current()
    if caller.player_id:
        if player_id not in ("", caller.player_id):
            raise Refusal("PERMISSION_DENIED")
        return caller.player_id
    if not _PLAYER_ID.fullmatch(player_id):
        raise Refusal("INVALID_ARGUMENT", field="player_id")
    return player_id

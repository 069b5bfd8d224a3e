"""Scoring as a service, as small as can be: its core, a consumer, a memory that outlives its process."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from paiju.scoring.v1.events_pb2 import (
    VERDICT_AGREED,
    VERDICT_DISPUTED,
    AuditedSeat,
    Difference,
    RoundAudited,
)
from paiju.table.v1.events_pb2 import RoundFinished, RoundOpened

from services.chassis.bus.port import Delivery
from services.chassis.config import ServiceSettings
from services.chassis.errors import Outage
from services.chassis.run import Consumes, Parts, Service, Wiring
from services.scoring.core.audit import Verdict, audit

ROUNDS = Consumes("scoring", (RoundOpened, RoundFinished))


class Auditor:
    """Audits every finished round against the commitment heard when it opened."""

    name = "scoring"

    def __init__(self, parts: Parts, commitments: dict[str, bytes]) -> None:
        self._parts = parts
        self._commitments = commitments

    async def start(self) -> None:
        await self._parts.bus.consume(ROUNDS.durable, ROUNDS.types, self._hear, batch=20)

    async def stop(self) -> None:
        return

    async def _hear(self, deliveries: Sequence[Delivery[Any]]) -> None:
        for delivery in deliveries:
            message = delivery.message
            if isinstance(message, RoundOpened):
                self._commitments[message.round_id] = message.commitment
                continue
            if message.round_id not in self._commitments:
                raise Outage("its opening has not been heard yet")
            verdict = audit(bytes(message.record), self._commitments[message.round_id])
            await self._parts.bus.publish(audited(message, verdict), f"audit:{message.round_id}")


def audited(fact: RoundFinished, verdict: Verdict) -> RoundAudited:
    """Return what is said of a round."""
    head, result_line = bytes(fact.record).decode().rsplit("\nResult: ", 1)
    result = json.loads(result_line)
    options = json.loads(head.split("\nOptions: ")[1].split("\n")[0])
    return RoundAudited(
        round_id=fact.round_id,
        match_id=fact.match_id,
        round_no=fact.round_no,
        table_id=fact.table_id,
        game=fact.game,
        preset=fact.preset,
        verdict=VERDICT_AGREED if verdict.agreed else VERDICT_DISPUTED,
        seats=[
            AuditedSeat(
                seat=seat.seat,
                player_id=seat.player_id,
                is_bot=seat.is_bot,
                points=result["points"][seat.seat],
                won=seat.seat in result["winners"],
            )
            for seat in fact.seats
        ],
        for_coins=fact.for_coins,
        settlement_json=json.dumps({name: options[name] for name in ("base_stake", "win_cap_by_balance")}),
        huxi=result["huxi"],
        fan=result["fan"],
        names_json=json.dumps(result["names"]),
        end=result["end"],
        how=result["how"],
        differences=[
            Difference(field=one.field, engine=one.engine, scoring=one.ours) for one in verdict.differences
        ],
        auditor=verdict.version,
        record_sha256=verdict.record_sha256,
        ended_at_ms=fact.ended_at_ms,
        room_code=fact.room_code,
        from_seat=result["from"],
    )


def wiring() -> Wiring:
    """Return the wiring of an auditor whose memory outlives its processes."""
    commitments: dict[str, bytes] = {}

    async def wire(settings: ServiceSettings, parts: Parts) -> Service:
        return Auditor(parts, commitments)

    return Wiring("scoring", wire, ServiceSettings, says=(RoundAudited,), hears=(ROUNDS,), has_database=False)

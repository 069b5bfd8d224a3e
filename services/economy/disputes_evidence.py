"""What others know of a disputed round: its record and the engine from the tables, scoring's own word."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from dataclasses import dataclass
from typing import TypeVar

from paiju.scoring.v1 import scoring_service_pb2 as scoring
from paiju.scoring.v1 import scoring_service_pb2_grpc
from paiju.table.v1 import evidence_service_pb2 as table
from paiju.table.v1 import evidence_service_pb2_grpc

from services.chassis import log
from services.chassis.errors import Outage, Refusal
from services.chassis.rpc import Rpc

T = TypeVar("T")

ASK_S = 3.0
"""Replaying or auditing a round takes milliseconds; a process that is busy some more."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What could be had; None: it could not, now."""

    engine: table.ExplainRecordResponse | None
    audit: scoring.GetAuditResponse | None
    again: scoring.AuditRecordResponse | None

    @property
    def record(self) -> bytes:
        """The record as the tables keep it, or nothing."""
        return bytes(self.engine.record) if self.engine is not None else b""


class Witnesses:
    """Asks tables and scoring about rounds."""

    def __init__(self, rpc: Rpc) -> None:
        self._tables = rpc.client(evidence_service_pb2_grpc.EvidenceServiceStub, "table", ASK_S)
        self._scoring = rpc.client(scoring_service_pb2_grpc.ScoringServiceStub, "scoring", ASK_S)

    async def record(self, round_id: str) -> bytes:
        """Return the record of a round; empty: the tables have none.

        Raises:
            Outage: They can't be asked.
        """
        try:
            answer = await self._tables.ExplainRecord(table.ExplainRecordRequest(round_id=round_id))
        except Refusal:
            return b""
        return bytes(answer.record)

    async def hear_all(self, round_id: str, kept: bytes) -> Evidence:
        """Return what all of them say; who can't be asked says nothing.

        Args:
            round_id: The round.
            kept: Its record, if it was kept with a decision; then only what the tables lost is made up for.
        """
        engine, audit = await asyncio.gather(
            _or_none(self._tables.ExplainRecord(table.ExplainRecordRequest(round_id=round_id))),
            _or_none(self._scoring.GetAudit(scoring.GetAuditRequest(round_id=round_id))),
        )
        if engine is None and kept:
            engine = table.ExplainRecordResponse(record=kept)
        again = None
        if engine is not None and engine.record:
            commitment = audit.commitment if audit is not None else b""
            again = await _or_none(
                self._scoring.AuditRecord(
                    scoring.AuditRecordRequest(record=engine.record, commitment=commitment)
                )
            )
        return Evidence(engine, audit, again)


async def _or_none(asked: Awaitable[T]) -> T | None:
    try:
        return await asked
    except (Outage, Refusal) as no:
        log.get(service="economy").warning("evidence_missing", why=str(no))
        return None

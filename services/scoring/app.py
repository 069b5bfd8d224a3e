"""Wiring of scoring."""

from __future__ import annotations

from paiju.scoring.v1 import scoring_service_pb2_grpc
from paiju.scoring.v1.events_pb2 import RoundAudited

from services.chassis.bus.port import Consumer
from services.chassis.outbox import Outbox
from services.chassis.run import Parts, Service, Wiring
from services.scoring.api import ACCESS, ScoringApi
from services.scoring.bus import ROUNDS, Ears
from services.scoring.settings import ScoringSettings
from services.scoring.workers import Workers


class Scoring:
    """The auditor, running."""

    name = "scoring"

    def __init__(self, settings: ScoringSettings, parts: Parts) -> None:
        db = parts.db("scoring")
        self._settings = settings
        self._parts = parts
        self._outbox = Outbox(db, parts.bus, parts.clock, parts.metrics, "scoring")
        self._workers = Workers(settings.processes, parts.clock)
        self._callers = Workers(0, parts.clock)
        self._ears = Ears(db, parts.clock, settings, self._workers, self._outbox, parts.metrics)
        self._consumer: Consumer | None = None
        parts.rpc.serve(
            self.name,
            scoring_service_pb2_grpc.add_ScoringServiceServicer_to_server,
            ScoringApi(db, self._callers, settings.calls_at_once, parts.clock),
            ACCESS,
        )

    async def start(self) -> None:
        """Send what is in the outbox, and audit."""
        self._parts.spawn("scoring-outbox", self._outbox.run())
        self._consumer = await self._parts.bus.consume(
            ROUNDS.durable, ROUNDS.types, self._ears.on_rounds, batch=self._settings.batch
        )

    async def stop(self) -> None:
        """End the audit that runs; the rest comes again at the next start."""
        if self._consumer is not None:
            await self._consumer.stop()
        self._workers.close()
        self._callers.close()


async def wire(settings: ScoringSettings, parts: Parts) -> Service:
    """Make scoring and offer its RPCs."""
    return Scoring(settings, parts)


WIRING = Wiring("scoring", wire, ScoringSettings, says=(RoundAudited,), hears=(ROUNDS,), has_database=True)

"""Wiring of progress."""

from __future__ import annotations

from paiju.economy.v1.economy_service_pb2_grpc import EconomyServiceStub
from paiju.progress.v1 import progress_service_pb2_grpc

from services.chassis.bus.port import Consumer
from services.chassis.run import Parts, Service, Wiring
from services.progress.api import ACCESS, ProgressApi
from services.progress.bus import SETTLED, Ears, Payer
from services.progress.settings import ProgressSettings


class Progress:
    """Sign-ins and counts, running."""

    name = "progress"

    def __init__(self, settings: ProgressSettings, parts: Parts) -> None:
        db = parts.db("progress")
        self._settings = settings
        self._parts = parts
        economy = parts.rpc.client(EconomyServiceStub, "economy")
        self._payer = Payer(db, parts.clock, economy, parts.metrics)
        self._ears = Ears(db, parts.metrics)
        self._consumer: Consumer | None = None
        parts.rpc.serve(
            self.name,
            progress_service_pb2_grpc.add_ProgressServiceServicer_to_server,
            ProgressApi(db, parts.clock, settings, self._payer, parts.metrics),
            ACCESS,
        )

    async def start(self) -> None:
        """Pay what is still owed, and count rounds."""
        self._parts.spawn("progress-rewards", self._payer.run())
        self._consumer = await self._parts.bus.consume(
            SETTLED.durable, SETTLED.types, self._ears.on_settled, batch=self._settings.batch
        )

    async def stop(self) -> None:
        """Count no more; what is owed is written down."""
        if self._consumer is not None:
            await self._consumer.stop()


async def wire(settings: ProgressSettings, parts: Parts) -> Service:
    """Make progress and offer its RPCs."""
    return Progress(settings, parts)


WIRING = Wiring("progress", wire, ProgressSettings, hears=(SETTLED,), has_database=True)

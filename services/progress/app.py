"""Wiring of progress."""

from __future__ import annotations

from paiju.economy.v1.economy_service_pb2_grpc import EconomyServiceStub
from paiju.progress.v1 import progress_service_pb2_grpc, rating_service_pb2_grpc

from services.chassis.bus.port import Consumer
from services.chassis.run import Parts, Service, Wiring
from services.progress.api import ACCESS, ProgressApi
from services.progress.bus import DELETED, FIRST_FOLD, RATED, SETTLED, Ears, Payer
from services.progress.ratings_api import ACCESS as RATING_ACCESS
from services.progress.ratings_api import RatingApi
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
        self._ears = Ears(db, parts.clock, parts.metrics)
        self._consumers: list[Consumer] = []
        parts.rpc.serve(
            self.name,
            progress_service_pb2_grpc.add_ProgressServiceServicer_to_server,
            ProgressApi(db, parts.clock, settings, self._payer, parts.metrics),
            ACCESS,
        )
        parts.rpc.serve(
            self.name,
            rating_service_pb2_grpc.add_RatingServiceServicer_to_server,
            RatingApi(db, settings.provisional_rounds),
            RATING_ACCESS,
        )

    async def start(self) -> None:
        """Pay what is still owed, count rounds and rate them."""
        self._parts.spawn("progress-rewards", self._payer.run())
        bus, batch = self._parts.bus, self._settings.batch
        heard = (
            (SETTLED, self._ears.on_settled),
            (RATED, self._ears.on_rated),
            (DELETED, self._ears.on_deleted),
        )
        for wiring, handler in heard:
            self._consumers.append(await bus.consume(wiring.durable, wiring.types, handler, batch=batch))

    async def stop(self) -> None:
        """Count no more; what is owed is written down."""
        for consumer in self._consumers:
            await consumer.stop()


async def wire(settings: ProgressSettings, parts: Parts) -> Service:
    """Make progress and offer its RPCs."""
    return Progress(settings, parts)


WIRING = Wiring(
    "progress",
    wire,
    ProgressSettings,
    hears=(SETTLED, RATED, DELETED),
    retired=(FIRST_FOLD,),
    has_database=True,
)

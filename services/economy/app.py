"""Wiring of economy."""

from __future__ import annotations

from paiju.economy.v1 import dispute_service_pb2_grpc, economy_service_pb2_grpc
from paiju.economy.v1.dispute_events_pb2 import DisputeResolved, RoundDisputed
from paiju.economy.v1.events_pb2 import RoundSettled, StakeClosed
from paiju.economy.v1.staff_events_pb2 import StaffActed
from paiju.economy.v1.topup_events_pb2 import TopUpPaid, TopUpReturned
from paiju.gateway.v1.gateway_service_pb2 import Notice

from services.chassis.bus import subject_of
from services.chassis.bus.port import Consumer
from services.chassis.outbox import Outbox
from services.chassis.run import Parts, Service, Wiring
from services.economy.api import ACCESS, EconomyApi
from services.economy.bus import AUDITS, MATCHES, PLAYERS, VOIDS, Ears, Tellers
from services.economy.disputes_api import ACCESS as DISPUTES_ACCESS
from services.economy.disputes_api import DisputeApi
from services.economy.disputes_evidence import Witnesses
from services.economy.reconcile import READ, Reconciler
from services.economy.room_cards import ROOMS, RoomCards
from services.economy.settings import EconomySettings
from services.economy.topup_wiring import TopUpDesk


class Economy:
    """The book of money, running."""

    name = "economy"

    def __init__(self, settings: EconomySettings, parts: Parts) -> None:
        db = parts.db("economy")
        self._settings = settings
        self._parts = parts
        self._outbox = Outbox(db, parts.bus, parts.clock, parts.metrics, "economy")
        self._tellers = Tellers(db, parts.bus, self._outbox)
        self._ears = Ears(db, parts.clock, settings, self._tellers, parts.metrics)
        self._reconciler = Reconciler(db, parts.bus, parts.clock, settings, parts.metrics, parts.incarnation)
        self._consumers: list[Consumer] = []
        parts.rpc.serve(
            self.name,
            economy_service_pb2_grpc.add_EconomyServiceServicer_to_server,
            EconomyApi(db, parts.clock, settings, self._tellers),
            ACCESS,
        )
        parts.rpc.serve(
            self.name,
            dispute_service_pb2_grpc.add_DisputeServiceServicer_to_server,
            DisputeApi(db, parts.clock, self._ears, Witnesses(parts.rpc), parts.metrics),
            DISPUTES_ACCESS,
        )
        self._rooms = RoomCards(parts, db, self._tellers)
        self.topups = TopUpDesk(settings, parts, db, self._tellers)

    async def start(self) -> None:
        """Send what is in the outbox, and hear of players and rounds."""
        self._parts.spawn("economy-outbox", self._outbox.run())
        self._parts.spawn("economy-proof", self._reconciler.run())
        await self._ears.count_open()
        await self.topups.start()
        bus, batch = self._parts.bus, self._settings.settle_batch
        linger_s = self._settings.settle_linger_ms / 1000
        self._consumers = [
            await bus.consume(PLAYERS.durable, PLAYERS.types, self._ears.on_players, batch=batch),
            await bus.consume(
                AUDITS.durable, AUDITS.types, self._ears.on_audits, batch=batch, linger_s=linger_s
            ),
            await bus.consume(MATCHES.durable, MATCHES.types, self._ears.on_matches, batch=batch),
            await bus.consume(VOIDS.durable, VOIDS.types, self._ears.on_voids, batch=batch),
            await self._rooms.start(),
        ]

    async def stop(self) -> None:
        """Hear no more; what was committed is in the outbox, and leaves now or at the next start."""
        for consumer in self._consumers:
            await consumer.stop()


async def wire(settings: EconomySettings, parts: Parts) -> Service:
    """Make economy and offer its RPCs."""
    return Economy(settings, parts)


WIRING = Wiring(
    "economy",
    wire,
    EconomySettings,
    says=(DisputeResolved, RoundDisputed, RoundSettled, StaffActed, StakeClosed, TopUpPaid, TopUpReturned),
    hears=(PLAYERS, AUDITS, MATCHES, VOIDS, ROOMS, READ),
    tells=(subject_of(Notice, key="*"),),
    has_database=True,
)

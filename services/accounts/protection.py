"""Protection within accounts: its RPCs, its ears, its warnings; wired by `app.py`."""

from __future__ import annotations

from paiju.accounts.v1 import protection_service_pb2_grpc

from services.accounts.protection_api import ACCESS, ProtectionApi
from services.accounts.protection_bus import ROUNDS, Ears, Warner
from services.accounts.protection_settings import ProtectionSettings
from services.chassis.bus.port import Consumer
from services.chassis.outbox import Outbox
from services.chassis.run import Parts

BATCH = 100


class Protection:
    """See the module."""

    def __init__(self, settings: ProtectionSettings, parts: Parts, outbox: Outbox) -> None:
        rules, db = settings.rules(), parts.db("accounts")
        self._parts = parts
        self._ears = Ears(db, parts.clock, parts.metrics)
        self._warner = Warner(rules, db, parts.bus, parts.clock, parts.metrics)
        self._consumer: Consumer | None = None
        parts.rpc.serve(
            "accounts",
            protection_service_pb2_grpc.add_ProtectionServiceServicer_to_server,
            ProtectionApi(rules, parts, outbox),
            ACCESS,
        )

    async def start(self) -> None:
        """Count what is played, and warn."""
        self._consumer = await self._parts.bus.consume(
            ROUNDS.durable, ROUNDS.types, self._ears.on_rounds, batch=BATCH
        )
        self._parts.spawn("accounts-warnings", self._warner.run())

    async def stop(self) -> None:
        """Count no more; what is missed waits in its stream."""
        if self._consumer is not None:
            await self._consumer.stop()

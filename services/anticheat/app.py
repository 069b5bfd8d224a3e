"""Wiring of the anticheat service."""

from __future__ import annotations

from paiju.anticheat.v1 import anticheat_service_pb2_grpc as rpc
from paiju.scoring.v1.events_pb2 import RoundAudited
from paiju.table.v1.events_pb2 import RoundFinished

from services.anticheat.api import ACCESS, Api
from services.anticheat.bus import AUDITED, BATCH, OBSERVED, Ears
from services.chassis.config import ServiceSettings, prefixed
from services.chassis.run import Parts, Service, Wiring


class AnticheatSettings(ServiceSettings):
    """Settings of the anticheat service; it has none of its own yet."""

    model_config = prefixed("PAIJU_ANTICHEAT_")


class Anticheat:
    """Hears rounds and keeps figures."""

    name = "anticheat"

    def __init__(self, parts: Parts) -> None:
        self._bus = parts.bus
        self._ears = Ears(parts.db("anticheat"))

    async def start(self) -> None:
        """Begin to hear."""
        await self._bus.consume(OBSERVED.durable, [RoundFinished], self._ears.rounds_finished, batch=BATCH)
        await self._bus.consume(AUDITED.durable, [RoundAudited], self._ears.rounds_audited, batch=BATCH)

    async def stop(self) -> None:
        """Nothing to hand over: what is unacknowledged is heard again."""


async def wire(settings: AnticheatSettings, parts: Parts) -> Service:
    """Make the service and register its RPCs."""
    parts.rpc.serve(
        "anticheat", rpc.add_AnticheatServiceServicer_to_server, Api(parts.db("anticheat")), ACCESS
    )
    return Anticheat(parts)


WIRING = Wiring("anticheat", wire, AnticheatSettings, hears=(OBSERVED, AUDITED))

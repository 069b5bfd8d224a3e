"""A single broker is killed and started again: every stream and bucket is still there."""

from __future__ import annotations

import pytest

from services.chassis.bus.nats import NatsBus, NatsLogin
from services.chassis.bus.registry import ALIVE, SHARDS
from services.chassis.bus.streams import ensure_streams
from services.chassis.clock import SystemClock
from services.chassis.config import PaijuSettings
from services.chassis.ids import SystemIds
from services.chassis.metrics import Metrics
from services.chassis.run import registry_of
from services.launch.catalog import wirings
from tests.support.nats import NatsServer


@pytest.mark.chaos
async def test_leases_can_be_taken_after_the_broker_was_killed_without_another_migration(
    nats_server: NatsServer,
) -> None:
    registry = registry_of(wirings(), PaijuSettings(dev=True))
    clock, ids = SystemClock(), SystemIds()
    bus = await NatsBus.connect(NatsLogin(nats_server.url), registry, clock, ids, Metrics(), "before")
    made = set(await ensure_streams(bus.jetstream, registry))
    assert {f"KV_{ALIVE.name}", f"KV_{SHARDS.name}"} < made
    await bus.close()

    nats_server.kill()
    nats_server.start()

    bus = await NatsBus.connect(NatsLogin(nats_server.url), registry, clock, ids, Metrics(), "after")
    try:
        kept = {info.config.name for info in await bus.jetstream.streams_info()}
        assert made - kept == set()
        for name in registry.buckets:
            bucket = await bus.bucket(name)
            await bucket.put("somebody", b"is here")
            assert [entry.key for entry in await bucket.entries()] == ["somebody"]
    finally:
        await bus.close()

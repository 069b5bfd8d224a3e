"""Fixtures of integration tests: the broker as one real server (R1) and as three that replicate (R3)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import pytest

from services.chassis.bus.base import BaseBus
from services.chassis.bus.broker import MemoryBroker
from services.chassis.bus.memory import MemoryBus
from services.chassis.bus.nats import NatsBus, NatsLogin
from services.chassis.bus.registry import Registry
from services.chassis.bus.streams import ensure_streams
from services.chassis.clock import SystemClock
from services.chassis.db import Database, migrate
from services.chassis.ids import SystemIds
from services.chassis.metrics import Metrics
from tests.support.accounts import RunningAccounts
from tests.support.nats import Admin, Broker, NatsCluster, NatsServer
from tests.support.process import MemoryWorld, full_registry


@pytest.fixture(scope="session")
def shared_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsCluster]:
    """Three servers for all tests of a worker, one test after the other; see `r3`."""
    servers = NatsCluster(tmp_path_factory.mktemp("cluster")).start()
    yield servers
    servers.stop()


@pytest.fixture
def r3(shared_cluster: NatsCluster) -> Iterator[NatsCluster]:
    """Three servers that replicate, all running, without streams; a test may do to them what it likes."""

    async def clear() -> None:
        async with Admin(shared_cluster.url) as admin:
            await admin.clear()
            await admin.settle(shared_cluster.replicas)

    asyncio.run(clear())
    yield shared_cluster
    shared_cluster.start()


@pytest.fixture
def r1(tmp_path: Path) -> Iterator[NatsServer]:
    """One server with a store of its own that syncs before it acknowledges, as the embedded one does."""
    server = NatsServer(tmp_path / "r1", storage="  sync_interval: always").start()
    yield server
    server.stop()


@pytest.fixture(params=["R1", "R3"])
def broker(request: pytest.FixtureRequest) -> Broker:
    """The broker, once as one server and once as three."""
    found: Broker = request.getfixturevalue(request.param.lower())
    return found


@pytest.fixture
async def connect(broker: Broker) -> AsyncIterator[Callable[..., object]]:
    """Return a function that connects a bus whose streams are there; all are closed at the end."""
    made: list[NatsBus] = []

    async def connect_to(registry: Registry | None = None, url: str = "", ensure: bool = True) -> NatsBus:
        clock, ids = SystemClock(), SystemIds()
        login = NatsLogin(url or broker.url)
        bus = await NatsBus.connect(login, registry or full_registry(), clock, ids, Metrics(), "test")
        made.append(bus)
        if ensure:
            await ensure_streams(bus.jetstream, bus.registry, broker.replicas)
        return bus

    yield connect_to
    for bus in made:
        await bus.close()


@pytest.fixture(params=["memory", "R1", "R3"])
def bus_broker(request: pytest.FixtureRequest) -> Broker | None:
    """The broker of `bus`; None = it is in memory."""
    return None if request.param == "memory" else request.getfixturevalue(request.param.lower())


@pytest.fixture
async def bus(bus_broker: Broker | None) -> AsyncIterator[BaseBus]:
    """A bus with every fact of every proto: in memory, on a real server, and on three."""
    clock, ids, registry = SystemClock(), SystemIds(), full_registry()
    made: BaseBus
    if bus_broker is None:
        made = MemoryBus(MemoryBroker(registry, clock), registry, clock, ids, Metrics(), "test")
        yield made
        await made.close()
        return
    made = await NatsBus.connect(NatsLogin(bus_broker.url), registry, clock, ids, Metrics(), "test")
    await ensure_streams(made.jetstream, registry, bus_broker.replicas)
    yield made
    await made.close()


@pytest.fixture
async def people_world(database_url: str, db: Database, tmp_path: Path) -> AsyncIterator[MemoryWorld]:
    """A world in memory whose accounts lie in a real database: SQLite, PostgreSQL."""
    migrate(database_url, "accounts")
    made = MemoryWorld(SystemClock(), database=lambda service: db, data_dir=tmp_path)
    yield made
    for process in made.processes:
        await process.stop()


@pytest.fixture
async def people(people_world: MemoryWorld) -> AsyncIterator[RunningAccounts]:
    """Accounts in `people_world`, running."""
    running = await RunningAccounts(people_world).start()
    yield running
    await running.service.stop()

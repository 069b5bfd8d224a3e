"""Fixtures for all tests: real NATS, real databases, and a process's parts in memory."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import structlog
from hypothesis import settings

from engine.paohuzi import position
from engine.paohuzi.position import Position
from services.chassis import log
from services.chassis.bus.base import BaseBus
from services.chassis.bus.broker import MemoryBroker
from services.chassis.bus.memory import MemoryBus
from services.chassis.bus.nats import NatsBus, NatsLogin
from services.chassis.bus.streams import ensure_streams
from services.chassis.clock import SystemClock, run_virtual
from services.chassis.db import Database, InlineDatabase, PostgresDatabase, SqliteDatabase
from services.chassis.ids import SystemIds
from services.chassis.metrics import Metrics
from services.chassis.run import Parts
from tests.support.nats import NatsServer
from tests.support.postgres import PostgresServer, postgres_binaries
from tests.support.process import MemoryProcess, MemoryWorld, full_registry, system_ids, system_world

if settings.get_current_profile_name() == "default":
    # As in CI, where the library loads a profile of its own: a slow machine is no defect.
    settings.register_profile("paiju", deadline=None)
    settings.load_profile("paiju")


def pytest_report_header() -> str:
    """Say which engine is tested, and end the run if it is not the one that was asked for."""
    kind = "compiled" if hasattr(Position, "__mypyc_attrs__") else "plain"
    wanted = os.environ.get("PAIJU_ENGINE", kind)
    if wanted != kind:
        pytest.exit(f"the {wanted} engine was to be tested, and {position.__file__} is {kind}", returncode=4)
    return f"engine: {kind}"


@pytest.fixture(scope="session", autouse=True)
def plain_logs() -> None:
    """Log as a process does: without the locals of frames, and without secrets."""
    log.configure("warning", as_json=True)


@pytest.fixture(autouse=True)
def logs_as_they_were(plain_logs: None) -> Iterator[None]:
    """Undo what a command that ran in this process set: its stream is closed by the next test."""
    before = structlog.get_config()["logger_factory"]
    yield
    if structlog.get_config()["logger_factory"] is not before:
        log.configure("warning", as_json=True)


@pytest.fixture(scope="session")
def shared_nats(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsServer]:
    """One real server for all tests of a worker; see `nats_server`."""
    server = NatsServer(tmp_path_factory.mktemp("nats")).start()
    yield server
    server.stop()


@pytest.fixture
def nats_server(tmp_path: Path) -> Iterator[NatsServer]:
    """A real server of this test's own: it may be stopped, killed, frozen and started again."""
    server = NatsServer(tmp_path / "nats").start()
    yield server
    server.stop()


@pytest.fixture(params=["memory", "nats"])
async def bus(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[BaseBus]:
    """A bus with every fact of every proto, once in memory and once on a real server."""
    clock, ids, registry = SystemClock(), SystemIds(), full_registry()
    made: BaseBus
    if request.param == "memory":
        made = MemoryBus(MemoryBroker(registry, clock), registry, clock, ids, Metrics(), "test")
        yield made
        await made.close()
        return
    server = NatsServer(tmp_path / "nats").start()
    try:
        made = await NatsBus.connect(NatsLogin(server.url), registry, clock, ids, Metrics(), "test")
        await ensure_streams(made.jetstream, registry)
        yield made
        await made.close()
    finally:
        server.stop()


@pytest.fixture
def another_bus(bus: BaseBus, request: pytest.FixtureRequest) -> Callable[[], Any]:
    """Return a function that makes one more connection to the broker of `bus`: another process."""

    async def make() -> BaseBus:
        if isinstance(bus, MemoryBus):
            return MemoryBus(bus.broker, bus.registry, bus.clock, bus.ids, Metrics(), "another")
        assert isinstance(bus, NatsBus)
        return await NatsBus.connect(
            NatsLogin(bus.url), bus.registry, bus.clock, bus.ids, Metrics(), "another"
        )

    return make


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """One real PostgreSQL server for all tests of a worker; each test has a database of its own."""
    binaries = postgres_binaries()
    if binaries is None:
        pytest.skip("PostgreSQL is not installed")
    server = PostgresServer(binaries)
    try:
        yield server.start()
    finally:
        server.remove()


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    """The URL of a SQLite file that isn't there yet."""
    return f"sqlite:///{tmp_path}/test.db"


@pytest.fixture
def postgres_url(postgres_server: PostgresServer) -> str:
    """The URL of an empty database on a real server."""
    return postgres_server.database()


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def database_url(request: pytest.FixtureRequest) -> str:
    """The URL of an empty database: once SQLite, once a real PostgreSQL."""
    return str(request.getfixturevalue(f"{request.param}_url"))


@pytest.fixture
async def sqlite_db(sqlite_url: str) -> AsyncIterator[SqliteDatabase]:
    """An empty SQLite file."""
    database = SqliteDatabase(sqlite_url)
    yield database
    await database.close()


@pytest.fixture
async def postgres_db(postgres_url: str) -> AsyncIterator[PostgresDatabase]:
    """An empty database on a real PostgreSQL server."""
    database = PostgresDatabase(postgres_url, SystemClock(), SystemIds(), connections=4)
    yield database
    await database.close()


@pytest.fixture
async def db(database_url: str) -> AsyncIterator[Database]:
    """An empty database: once SQLite, once PostgreSQL. `database_url` is its URL, for `migrate`."""
    if database_url.startswith("sqlite"):
        database: Database = SqliteDatabase(database_url)
    else:
        database = PostgresDatabase(database_url, SystemClock(), SystemIds(), connections=4)
    yield database
    await database.close()


@pytest.fixture
def inline_db() -> InlineDatabase:
    """SQLite in memory, on the event loop itself."""
    return InlineDatabase(SystemClock())


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[MemoryWorld]:
    """A broker, a network and SQLite files in memory, on the system's clock; `world.process(name)` gives
    parts.
    """
    made = system_world(tmp_path)
    yield made
    for process in made.processes:
        await process.stop()
    for database in made.databases.values():
        await database.close()


@pytest.fixture
async def process(world: MemoryWorld) -> MemoryProcess:
    """One process of `world`; wire services on `process.parts`, then `await process.rpc.start()`."""
    return world.process("process", system_ids())


@pytest.fixture
async def parts(process: MemoryProcess) -> Parts:
    """A whole process's parts: bus and RPC in memory, SQLite files (migrated, if the service has
    migrations).
    """
    return process.parts


@pytest.fixture
def virtual() -> Callable[..., Any]:
    """Return `run_virtual`: an hour of timers in milliseconds."""
    return run_virtual


@pytest.fixture
def quiet() -> Iterator[None]:
    """Let a test that causes defects on purpose not fill the output with their tracebacks."""
    log.configure("critical", as_json=True)
    yield
    log.configure("warning", as_json=True)

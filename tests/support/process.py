"""A process's parts in memory: on the system's clock for ordinary tests, on a virtual one for simulation."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, cast

import paiju
from google.protobuf.message import Message

from services.chassis.auth import Verifier, keys_on_bus
from services.chassis.bus import LogSpec, Registry, events_in
from services.chassis.bus.base import Keeper
from services.chassis.bus.broker import Faults, MemoryBroker
from services.chassis.bus.memory import MemoryBus
from services.chassis.bus.registry import BucketSpec, Consumes
from services.chassis.clock import Clock, SystemClock
from services.chassis.config import PaijuSettings
from services.chassis.db import Database, InlineDatabase, SqliteDatabase, migrate
from services.chassis.health import Health
from services.chassis.ids import Ids, SeededIds, SystemIds
from services.chassis.metrics import Metrics
from services.chassis.quotas import quotas_on_bus
from services.chassis.revocations import Revocations, revoked_on_bus
from services.chassis.rpc.memory import MemoryNetwork, MemoryRpc
from services.chassis.run import Parts

SERVICE_KEY = "a key for tests, of enough characters to do"
TABLE_LOG = LogSpec("TABLE_LOG", "table")


@cache
def all_events() -> tuple[type[Message], ...]:
    """Return every fact of every proto."""
    # `paiju` is a namespace package, which pkgutil does not walk.
    files = sorted((Path(root), file) for root in paiju.__path__ for file in Path(root).rglob("*_pb2.py"))
    names = [".".join(("paiju", *file.relative_to(root).with_suffix("").parts)) for root, file in files]
    return events_in(*(import_module(name) for name in dict.fromkeys(names)))


def full_registry(
    log_shards: int = 4,
    log_streams: int = 2,
    consumes: tuple[Consumes, ...] = (),
    buckets: tuple[BucketSpec, ...] = (),
) -> Registry:
    """Return a registry with every fact of every proto, and the tables' log."""
    return Registry(
        all_events(), consumes, [TABLE_LOG], buckets, log_shards=log_shards, log_streams=log_streams
    )


def settings_for_tests(data_dir: Path | None = None, **more: Any) -> PaijuSettings:
    """Return settings that don't depend on the environment."""
    values: dict[str, Any] = {
        "dev": True,
        "service_key": SERVICE_KEY,
        "data_dir": data_dir or Path("/nonexistent"),
    }
    return PaijuSettings(**(values | more))


class MemoryWorld:
    """What several simulated processes share: broker, network, databases; every fault comes from one seed."""

    def __init__(
        self,
        clock: Clock,
        seed: int = 0,
        faults: Faults | None = None,
        rpc_faults: Faults | None = None,
        replicas: int = 1,
        registry: Registry | None = None,
        database: Callable[[str], Database] | None = None,
        **settings: Any,
    ) -> None:
        self.clock = clock
        self.seed = seed
        self.registry = registry or full_registry()
        self.broker = MemoryBroker(self.registry, clock, replicas, faults)
        self.network = MemoryNetwork(rpc_faults)
        self.settings = settings_for_tests(**settings)
        self.databases: dict[str, Database] = {}
        self.processes: list[MemoryProcess] = []
        self._database = database or self._inline

    def process(self, name: str = "process", ids: Ids | None = None) -> MemoryProcess:
        """Return the parts of a new process in this world."""
        made = MemoryProcess(self, name, ids or SeededIds(f"{self.seed}/{name}/{len(self.processes)}"))
        self.processes.append(made)
        return made

    def database(self, service: str) -> Database:
        """Return a service's database: it outlives its processes."""
        if service not in self.databases:
            self.databases[service] = self._database(service)
        return self.databases[service]

    def _inline(self, service: str) -> Database:
        database = InlineDatabase(self.clock)
        _migrate(database.engine, service)
        return database


class MemoryProcess:
    """One simulated process: `parts` for its services, `stop` in order, `crash` as by SIGKILL."""

    def __init__(self, world: MemoryWorld, name: str, ids: Ids) -> None:
        self.world = world
        self.keeper = Keeper()
        self.crashes: list[BaseException] = []
        metrics, health = Metrics(), Health()
        self.bus = MemoryBus(world.broker, world.registry, world.clock, ids, metrics, name)
        self.bus.keeper.on_crash = self.keeper.on_crash = self.crashes.append
        key = world.settings.service_key.get_secret_value()
        revoked = Revocations(revoked_on_bus(self.bus), world.clock)
        quotas = quotas_on_bus(self.bus, world.clock)
        verifier = Verifier(key, keys_on_bus(self.bus), world.clock, revoked, quotas)
        self.rpc = MemoryRpc(world.network, verifier, world.clock, ids, metrics, key, name)
        incarnation = ids.new("i")
        self.parts = Parts(
            settings=world.settings,
            clock=world.clock,
            ids=ids,
            bus=self.bus,
            rpc=self.rpc,
            metrics=metrics,
            health=health,
            verifier=verifier,
            process=name,
            incarnation=incarnation,
            db=world.database,
            spawn=self._spawn,
            registry=world.registry,
        )

    async def stop(self) -> None:
        """End calls, tasks and the bus; raise what crashed meanwhile."""
        await self.rpc.stop()
        await self.keeper.end()
        await self.bus.close()
        if self.crashes:
            raise self.crashes[0]

    def crash(self) -> None:
        """End at once: nothing is finished, nothing is said."""
        self.rpc.crash()
        self.bus.crash()
        self.keeper.cancel()

    def _spawn(self, name: str, coro: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        return self.keeper.keep(coro, name)


def system_world(folder: Path, **more: Any) -> MemoryWorld:
    """Return a world on the system's clock whose databases are SQLite files."""

    def open_file(service: str) -> Database:
        url = f"sqlite:///{folder}/{service}.db"
        _migrate(url, service)
        return SqliteDatabase(url)

    return MemoryWorld(SystemClock(), database=open_file, data_dir=folder, **more)


def system_ids() -> Ids:
    """Return chance that isn't repeated."""
    return SystemIds()


def _migrate(target: Any, service: str) -> None:
    try:
        import_module(f"services.{service}.migrations")
    except ModuleNotFoundError:
        return
    migrate(target, service)


def database_ends(databases: Mapping[str, Database]) -> list[Coroutine[Any, Any, None]]:
    """Return what closes them."""
    return [cast(Any, database).close() for database in databases.values()]

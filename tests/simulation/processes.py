"""Simulated processes: each with a clock, a bus, RPC and databases of its own that stop when it stops."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from types import TracebackType
from typing import Any, Protocol, TypeVar, cast

from sqlalchemy import Connection, Executable

from services.chassis.auth import Verifier, keys_on_bus
from services.chassis.bus.base import Keeper
from services.chassis.bus.broker import Faults, MemoryBroker
from services.chassis.bus.memory import MemoryBus
from services.chassis.bus.registry import Registry
from services.chassis.clock import Timer, VirtualClock
from services.chassis.config import PaijuSettings
from services.chassis.db import InlineDatabase, migrate
from services.chassis.errors import Outage
from services.chassis.health import Health
from services.chassis.ids import SeededIds
from services.chassis.metrics import Metrics
from services.chassis.revocations import Revocations, revoked_on_bus
from services.chassis.rpc.client import Path
from services.chassis.rpc.memory import MemoryNetwork, MemoryRpc
from services.chassis.run import Parts

T = TypeVar("T")

SLOW_S_MAX = 3.0
"""A slow transaction takes up to so long."""


@dataclass
class Commons:
    """What all processes of a world share."""

    clock: VirtualClock
    seed: int
    broker: MemoryBroker
    network: MemoryNetwork
    registry: Registry
    settings: PaijuSettings
    faults: Faults
    """Of databases."""
    databases: dict[str, InlineDatabase] = field(default_factory=dict)
    refuse: float = 0.0
    """How often a transaction is refused."""
    slow: float = 0.0
    lose_commit: float = 0.0
    """How often a transaction is committed, and the connection breaks before that is told."""
    started: int = 0

    def database(self, service: str) -> InlineDatabase:
        """Return a service's database: it outlives its processes."""
        if service not in self.databases:
            database = InlineDatabase(self.clock)
            raw = database.engine.raw_connection().driver_connection
            assert isinstance(raw, sqlite3.Connection)
            raw.deserialize(_empty(service))
            self.databases[service] = database
        return self.databases[service]


@cache
def _empty(service: str) -> bytes:
    """Return a service's empty database: migrated once per process, not once per world."""
    database = InlineDatabase(VirtualClock())
    migrate(database.engine, service)
    raw = database.engine.raw_connection().driver_connection
    assert isinstance(raw, sqlite3.Connection)
    return raw.serialize()


class Freezer(Protocol):
    """Where a process waits while it is stopped."""

    async def gate(self) -> None:
        """Return at once, unless the process is stopped: then once it goes on."""


class ProcessClock(VirtualClock):
    """The clock of one process: its wall time is its own, and its timers wait while it is stopped."""

    def __init__(self, skew_ms: int) -> None:
        super().__init__(skew_ms=skew_ms)
        self.stopped_s = self.went_on_s = float("-inf")
        """When it was stopped last, and when it went on."""
        self._resumed: asyncio.Event | None = None
        self._missed: list[Callable[[], object]] = []

    @property
    def is_stopped(self) -> bool:
        return self._resumed is not None

    def stop(self) -> None:
        if self._resumed is None:
            self._resumed = asyncio.Event()
            self.stopped_s = self.monotonic()

    def go_on(self) -> None:
        if self._resumed is None:
            return
        self._resumed.set()
        self._resumed = None
        self.went_on_s = self.monotonic()
        missed, self._missed = self._missed, []
        for callback in missed:
            callback()

    def fire(self, callback: Callable[[], object]) -> None:
        """Call now, or as soon as the process goes on."""
        if self._resumed is not None:
            self._missed.append(callback)
        else:
            callback()

    async def gate(self) -> None:
        while self._resumed is not None:
            await self._resumed.wait()

    async def sleep(self, seconds: float) -> None:
        """See `Clock.sleep`."""
        await asyncio.sleep(seconds)
        if self._resumed is not None:
            await self.gate()

    def timeout(self, seconds: float | None) -> Any:
        """See `Clock.timeout`."""
        return _Timeout(self, None if seconds is None else self.monotonic() + seconds)

    def call_at(self, when: float, callback: Callable[[], object]) -> Timer:
        """See `Clock.call_at`."""
        return _Call(self, when, callback)


class _Call:
    """A timer that also can be taken back while its process is stopped."""

    def __init__(self, clock: ProcessClock, when: float, callback: Callable[[], object]) -> None:
        self._callback: Callable[[], object] | None = callback
        self._timer = asyncio.get_running_loop().call_at(when, lambda: clock.fire(self._fire))

    def _fire(self) -> None:
        callback, self._callback = self._callback, None
        if callback is not None:
            callback()

    def cancel(self) -> None:
        self._callback = None
        self._timer.cancel()


class _Timeout(asyncio.Timeout):  # type: ignore[misc] # final for type checkers only
    """A timeout that does not run out while its process is stopped."""

    def __init__(self, clock: ProcessClock, when: float | None) -> None:
        super().__init__(when)
        self._clock = clock
        self._is_over = False

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._is_over = True
        await super().__aexit__(kind, error, trace)

    def _on_timeout(self) -> None:
        self._clock.fire(self._run_out)

    def _run_out(self) -> None:
        if not self._is_over:
            super()._on_timeout()  # type: ignore[misc] # typeshed does not know it


class ProcessRpc(MemoryRpc):
    """The RPC side of a process: nothing is asked or answered while it is stopped."""

    process: Process

    async def call(self, path: Path, request: Any, timeout_s: float, metadata: dict[str, str]) -> Any:
        """See `client.Transport.call`."""
        await self.process.step("call")
        response = await super().call(path, request, timeout_s, metadata)
        await self.process.step("called")
        return response

    def _keep(self, path: Path, coro: Any, answer: asyncio.Future[bytes]) -> asyncio.Task[None]:
        return super()._keep(path, self._behind_gate(coro), answer)

    async def _behind_gate(self, coro: Coroutine[Any, Any, None]) -> None:
        try:
            await self.process.clock.gate()
        except BaseException:
            coro.close()
            raise
        await coro


class ProcessDatabase:
    """One process's connection to a database: it may be slow, refused, or break after the commit."""

    dialect = "sqlite"

    def __init__(self, process: Process, shared: InlineDatabase) -> None:
        self._process = process
        self._shared = shared

    async def run(self, fn: Callable[[Connection], T]) -> T:
        """See `Database.run`."""
        process = self._process
        commons, faults = process.commons, process.commons.faults
        await process.step("transact")
        if faults.happens(commons.refuse, "database refused"):
            raise Outage("the database refuses")
        if faults.happens(commons.slow, "database slow"):
            await process.clock.sleep(faults.up_to(SLOW_S_MAX))
        result = await self._shared.run(fn)
        await process.step("committed")
        if faults.happens(commons.lose_commit, "commit answer lost"):
            raise Outage("the connection broke after the commit")
        return result

    async def read(self, fn: Callable[[Connection], T]) -> T:
        """See `Database.read`."""
        return await self.run(fn)

    async def fetch(self, statement: Executable, parameters: Mapping[str, Any]) -> Sequence[tuple[Any, ...]]:
        """See `Database.fetch`."""
        return await self.run(lambda c: [tuple(row) for row in c.execute(statement, parameters)])

    async def scan(self, fn: Callable[[Connection], T]) -> T:
        """See `Database.scan`."""
        return await self.run(fn)

    async def close(self) -> None:
        """Do nothing: the data is for the next incarnation."""


class Process:
    """One incarnation of a simulated process: `stop`ped, it does nothing; `crash`ed, it never will again."""

    def __init__(self, commons: Commons, name: str, skew_ms: int = 0) -> None:
        self.commons = commons
        self.name = name
        self.is_dead = False
        self.born_s = commons.clock.monotonic()
        self.on_step: Callable[[Process, str], None] = lambda process, operation: None
        """Called at each point where a process may die or be stopped."""
        self.on_death: list[Callable[[], None]] = []
        self.defects: list[BaseException] = []
        """What crashed of itself."""
        commons.started += 1
        self.ids = ids = SeededIds(f"{commons.seed}/{name}/{commons.started}")
        self.clock = ProcessClock(skew_ms)
        self.keeper = Keeper()
        metrics = Metrics()
        self.bus = MemoryBus(commons.broker, commons.registry, commons.clock, ids, metrics, name)
        self.bus.keeper.on_crash = self.keeper.on_crash = self._broke
        self.bus.step = self._bus_step  # type: ignore[method-assign]
        key = commons.settings.service_key.get_secret_value()
        revoked = Revocations(revoked_on_bus(self.bus), self.clock)
        verifier = Verifier(key, keys_on_bus(self.bus), self.clock, revoked)
        self.rpc = ProcessRpc(commons.network, verifier, self.clock, ids, metrics, key, name)
        self.rpc.process = self
        self.rpc.keeper.on_crash = self._broke
        self._databases: dict[str, ProcessDatabase] = {}
        self.parts = Parts(
            settings=commons.settings,
            clock=self.clock,
            ids=ids,
            bus=self.bus,
            rpc=self.rpc,
            metrics=metrics,
            health=Health(),
            verifier=verifier,
            process=name,
            incarnation=ids.new("i"),
            db=self._database,
            spawn=lambda name, coro: self.keeper.keep(coro, name),
            registry=commons.registry,
        )

    async def step(self, operation: str) -> None:
        """Be at a point where a process may be stopped or die."""
        if self.clock.is_stopped:
            await self.clock.gate()
        self.on_step(self, operation)
        await asyncio.sleep(0)
        if self.is_dead:
            raise Outage("the process is dead")
        if self.clock.is_stopped:
            await self.clock.gate()

    async def _bus_step(self, operation: str) -> None:
        if self.clock.is_stopped:
            await self.clock.gate()
        self.on_step(self, operation)
        await asyncio.sleep(self.commons.broker.faults.delay())
        if self.is_dead:
            raise Outage("the process is dead")
        if self.clock.is_stopped:
            await self.clock.gate()

    def crash(self) -> None:
        """End at once: nothing is finished, nothing is said."""
        if self.is_dead:
            return
        self.is_dead = True
        self.rpc.crash()
        self.bus.crash()
        self.keeper.cancel()
        for told in self.on_death:
            told()
        self.clock.go_on()

    def _broke(self, error: BaseException) -> None:
        if not self.is_dead:
            self.defects.append(error)

    def _database(self, service: str) -> ProcessDatabase:
        if service not in self._databases:
            self._databases[service] = ProcessDatabase(self, self.commons.database(service))
        return self._databases[service]


@contextmanager
def changed(*changes: tuple[object, str, object]) -> Iterator[None]:
    """Set attributes for a while."""
    before = [(where, name, getattr(where, name)) for where, name, _ in changes]
    for where, name, value in changes:
        setattr(where, name, value)
    try:
        yield
    finally:
        for where, name, value in cast("list[tuple[object, str, object]]", before):
            setattr(where, name, value)

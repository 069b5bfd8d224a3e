"""A process: its parts, made once; its services, wired to them; its end, in order."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import ssl
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import uvloop
from google.protobuf.message import Message

from services.chassis import log
from services.chassis.auth import Verifier, keys_on_bus
from services.chassis.bus.base import Keeper
from services.chassis.bus.nats import NatsBus, NatsLogin
from services.chassis.bus.port import Bus
from services.chassis.bus.registry import BucketSpec, Consumes, LogSpec, Registry
from services.chassis.clock import Clock, SystemClock
from services.chassis.config import PaijuSettings, ServiceSettings, load
from services.chassis.db import Database, check_schema, open_database
from services.chassis.errors import Defect
from services.chassis.health import Health, Site, operator_app
from services.chassis.ids import Ids, SystemIds
from services.chassis.metrics import Metrics
from services.chassis.quotas import quotas_on_bus
from services.chassis.revocations import Revocations, revoked_on_bus
from services.chassis.rpc import Rpc
from services.chassis.rpc.server import GrpcRpc

__all__ = ["Consumes", "Parts", "Process", "Running", "Service", "Wiring", "registry_of", "run", "serve"]

T = TypeVar("T")


class Service(Protocol):
    """A service of this process, between `wire` and the process's end."""

    @property
    def name(self) -> str:
        """The folder's name."""

    async def start(self) -> None:
        """Begin: consume, listen, take shards. RPCs may come from before this on; other services may not
        be up.
        """

    async def stop(self) -> None:
        """End in order: take nothing new, finish or hand over what is begun. The parts still work. Called
        once.
        """


@dataclass(frozen=True)
class Wiring:
    """What `launch` needs to know of a service; each `services/<name>/app.py` exports one as `WIRING`."""

    name: str
    wire: Callable[[Any, Parts], Awaitable[Service]]
    """`async def wire(settings, parts) -> Service`: makes the service, registers its servicers, starts
    nothing.
    """
    settings: type[ServiceSettings]
    says: tuple[type[Message], ...] = ()
    """Facts it publishes."""
    hears: tuple[Consumes, ...] = ()
    """Facts it consumes."""
    retired: tuple[Consumes, ...] = ()
    """Consumers of an older release that this one does not use: `paiju migrate --contract` removes them."""
    tells: tuple[str, ...] = ()
    """Subjects it sends to or asks (core NATS), wildcards allowed; permissions derive from it."""
    listens: tuple[str, ...] = ()
    """Subjects it hears or serves (core NATS)."""
    buckets: tuple[BucketSpec, ...] = ()
    """Buckets it uses."""
    logs: tuple[LogSpec, ...] = ()
    """Logs it appends to."""
    has_database: bool = True
    """Whether `services/<name>/migrations` exists."""


@dataclass
class Parts:
    """Made once per process, shared by its services."""

    settings: PaijuSettings
    clock: Clock
    ids: Ids
    bus: Bus
    rpc: Rpc
    metrics: Metrics
    health: Health
    verifier: Verifier
    """Verifies tokens at doors other than gRPC."""
    process: str
    """This process's name among others of its kind (`settings.process`, or the incarnation)."""
    incarnation: str
    """Another at each start of the process."""
    db: Callable[[str], Database]
    """Service name → its database (the same one each time)."""
    spawn: Callable[[str, Coroutine[Any, Any, None]], asyncio.Task[None]]
    """Keep a task: its crash stops the process, loudly; it is cancelled after all services have stopped."""
    registry: Registry
    """All facts, logs and buckets of this process."""


@dataclass(frozen=True)
class Running:
    """Where a process that serves can be reached."""

    parts: Parts
    services: Mapping[str, Service]
    grpc_port: int
    http_port: int


class Process:
    """Services on their parts: started in order, stopped in reverse. `serve` makes one; simulations make
    many.
    """

    def __init__(
        self,
        parts: Parts,
        wirings: Sequence[Wiring],
        settings: Mapping[str, ServiceSettings],
        keeper: Keeper,
    ) -> None:
        self.parts = parts
        self.services: dict[str, Service] = {}
        self._wirings = wirings
        self._settings = settings
        self._keeper = keeper
        self._started: list[Service] = []

    async def start(self) -> None:
        """Wire all, take calls, start each, and say that it serves."""
        for wiring in self._wirings:
            self.parts.health.set(wiring.name, False)
            service = await wiring.wire(self._settings[wiring.name], self.parts)
            assert service.name == wiring.name, f"{wiring.name} wires a service called {service.name}"
            self.services[wiring.name] = service
        await self.parts.rpc.start()
        for name, service in self.services.items():
            self._started.append(service)
            await service.start()
            self.parts.health.set(name, True)

    async def stop(self) -> None:
        """Say that nothing serves, stop services (the last started first), and end calls, tasks and the
        bus.
        """
        limit_s = self.parts.settings.drain_s
        for name in self.services:
            self.parts.health.set(name, False)
        for service in reversed(self._started):
            try:
                async with self.parts.clock.timeout(limit_s):
                    await service.stop()
            except TimeoutError:
                log.get().error("service_stop_timed_out", service=service.name, limit_s=limit_s)
            except Exception as error:  # noqa: BLE001 - one that fails to stop must not keep the others from it
                log.get().error("service_stop_failed", service=service.name, exc_info=error)
        await self.parts.rpc.stop(min(2.0, limit_s))
        await self._keeper.end()
        await self.parts.bus.close()


def registry_of(wirings: Sequence[Wiring], settings: PaijuSettings) -> Registry:
    """Return everything the bus must hold for these services (`paiju migrate`: for all of them)."""
    return Registry(
        types=[cls for wiring in wirings for cls in wiring.says],
        consumes=[consumer for wiring in wirings for consumer in wiring.hears],
        logs=[spec for wiring in wirings for spec in wiring.logs],
        buckets=[spec for wiring in wirings for spec in wiring.buckets],
        log_shards=settings.log_shards,
        log_streams=settings.log_streams,
    )


def nats_login(settings: PaijuSettings, inbox_prefix: str = "_INBOX") -> NatsLogin:
    """Return how this process logs in to NATS."""
    tls: ssl.SSLContext | None = None
    if settings.nats_url.startswith("tls://"):
        tls = ssl.create_default_context(cafile=str(settings.tls_ca) if settings.tls_ca else None)
        if settings.tls_cert is not None and settings.tls_key is not None:
            tls.load_cert_chain(settings.tls_cert, settings.tls_key)
    return NatsLogin(
        settings.nats_url, settings.nats_user, settings.nats_password.get_secret_value(), inbox_prefix, tls
    )


async def serve(
    wirings: Sequence[Wiring],
    settings: PaijuSettings,
    on_ready: Callable[[Running], Awaitable[None] | None] | None = None,
    until: asyncio.Event | None = None,
) -> None:
    """Run services in this process until SIGTERM or SIGINT (or `until` is set), or until one of their
    tasks crashes.

    Args:
        wirings: The services; started in this order.
        settings: Shared settings; each service's own are read from the environment.
        on_ready: Called once everything serves.
        until: Ends the process as SIGTERM does.

    Raises:
        ConfigError: Settings or a database schema aren't usable: all problems at once.
        Outage: NATS or a database can't be reached, or a port is taken.
        Defect: A task crashed, after everything was stopped in order.
    """
    log.configure(settings.log_level, as_json=not settings.dev)
    own = dict(zip([w.name for w in wirings], load(*[w.settings for w in wirings]), strict=True))
    databases = {w.name: settings.database_url_of(w.name) for w in wirings if w.has_database}
    for name, url in databases.items():
        check_schema(url, name)

    clock, ids, metrics, health, keeper = SystemClock(), SystemIds(), Metrics(), Health(), Keeper()
    registry = registry_of(wirings, settings)
    title = wirings[0].name if len(wirings) == 1 else "up"
    inbox = f"_INBOX_{title}" if settings.nats_user else "_INBOX"
    bus = await NatsBus.connect(nats_login(settings, inbox), registry, clock, ids, metrics, title)
    revoked = Revocations(revoked_on_bus(bus), clock)
    quotas = quotas_on_bus(bus, clock)
    verifier = Verifier(settings.service_key.get_secret_value(), keys_on_bus(bus), clock, revoked, quotas)
    rpc = GrpcRpc(settings, verifier, health, clock, ids, metrics, title)

    ended = until or asyncio.Event()
    crashed: list[BaseException] = []

    def crash(error: BaseException) -> None:
        crashed.append(error)
        ended.set()

    keeper.on_crash = bus.keeper.on_crash = crash
    opened: dict[str, Database] = {}

    def database(name: str) -> Database:
        if name not in opened:
            if name not in databases:
                raise Defect(f"{name} has no database: its wiring says so")
            opened[name] = open_database(databases[name], clock, ids, settings.database_connections)
        return opened[name]

    def spawn(name: str, coro: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        return keeper.keep(coro, name)

    incarnation = ids.new("i")
    parts = Parts(
        settings,
        clock,
        ids,
        bus,
        rpc,
        metrics,
        health,
        verifier,
        settings.process or incarnation,
        incarnation,
        database,
        spawn,
        registry,
    )
    process = Process(parts, wirings, own, keeper)
    site = Site(operator_app(health, metrics, lambda: not crashed), settings.http_host, settings.http_port)
    with _signals(ended):
        try:
            await site.start()
            await process.start()
            running = Running(parts, process.services, rpc.port, site.port)
            log.get().info(
                "process_started", services=sorted(process.services), grpc_port=rpc.port, http_port=site.port
            )
            if on_ready is not None and (result := on_ready(running)) is not None:
                await result
            await ended.wait()
        finally:
            log.get().info("process_stopping", crashed=bool(crashed))
            await process.stop()
            for opened_one in opened.values():
                await opened_one.close()
            await site.stop()
    if crashed:
        raise Defect(f"a task crashed: {crashed[0]!r}") from crashed[0]


def run(main: Coroutine[Any, Any, T]) -> T:
    """Run a process's main coroutine on uvloop."""
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(main)


@contextlib.contextmanager
def _signals(ended: asyncio.Event) -> Any:
    """Let SIGTERM and SIGINT end the process in order; a second one ends it at once."""
    loop = asyncio.get_running_loop()
    handled = (signal.SIGTERM, signal.SIGINT)

    def on_signal() -> None:
        ended.set()
        for which in handled:
            loop.remove_signal_handler(which)

    try:
        for which in handled:
            loop.add_signal_handler(which, on_signal)
    except (ValueError, RuntimeError, NotImplementedError):
        # Not the main thread (a test): whoever runs us ends us by `until`.
        yield
        return
    try:
        yield
    finally:
        for which in handled:
            loop.remove_signal_handler(which)

"""A process: its parts, made once; its services, wired to them; its end, in order."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from google.protobuf.message import Message

from services.chassis.bus.port import Bus
from services.chassis.clock import Clock
from services.chassis.config import PaijuSettings, ServiceSettings
from services.chassis.db import Database
from services.chassis.health import Health
from services.chassis.ids import Ids
from services.chassis.metrics import Metrics
from services.chassis.rpc import Rpc


class Service(Protocol):
    """A service of this process, between `wire` and the process's end."""

    @property
    def name(self) -> str:
        """The folder's name."""

    async def start(self) -> None:
        """Begin: consume, listen, take shards. RPCs may come from before this call on. Other services may not be up yet."""

    async def stop(self) -> None:
        """End in order: take nothing new, finish or hand over what is begun. The parts still work. Called once."""


@dataclass(frozen=True)
class Consumes:
    """One durable consumer: made by `paiju migrate`, used by `bus.consume` with the same name and types."""

    durable: str
    types: tuple[type[Message], ...]


@dataclass(frozen=True)
class Wiring:
    """What `launch` needs to know of a service; each `services/<name>/app.py` exports one as `WIRING`."""

    name: str
    wire: Callable[[Any, Parts], Awaitable[Service]]
    """`async def wire(settings, parts) -> Service`: makes the service and registers its servicers; starts nothing."""
    settings: type[ServiceSettings]
    says: tuple[type[Message], ...] = ()
    """Facts it publishes."""
    hears: tuple[Consumes, ...] = ()
    """Facts it consumes."""
    tells: tuple[str, ...] = ()
    """Further subjects it sends to (core NATS), wildcards allowed; permissions derive from it."""
    listens: tuple[str, ...] = ()
    """Further subjects it hears (core NATS)."""
    buckets: tuple[str, ...] = ()
    """Buckets it uses."""
    logs: tuple[str, ...] = ()
    """Logs it appends to, by name (`TABLE_LOG`)."""
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
    incarnation: str
    """Another at each start of the process."""
    db: Callable[[str], Database]
    """Service name → its database (the same one each time)."""
    spawn: Callable[[str, Coroutine[Any, Any, None]], asyncio.Task[None]]
    """Keep a task: its crash stops the process, loudly; it is cancelled after all services have stopped."""


def _unused() -> None:
    field()


async def serve(wirings: Sequence[Wiring], settings: PaijuSettings) -> None:
    """Run services in this process until SIGTERM or SIGINT, or until one of their tasks crashes."""
    raise NotImplementedError

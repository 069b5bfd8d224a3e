"""What the shards of a process work with."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from engine.face import Game
from services.chassis.bus.port import Bus
from services.chassis.clock import Clock
from services.chassis.ids import Ids
from services.chassis.metrics import Metrics
from services.table.journal import Writer
from services.table.marks import Marks
from services.table.minds import Minds
from services.table.outbox import Bank, Records
from services.table.protection import Guard
from services.table.ratings import Ratings

if TYPE_CHECKING:
    from services.table.shard import Shard

GRACE_MS = 5_000
"""Every deadline is at least so long after a takeover."""


@dataclass(frozen=True)
class Means:
    """What shards work with."""

    bus: Bus
    clock: Clock
    ids: Ids
    metrics: Metrics
    games: Mapping[str, Game]
    bank: Bank
    records: Records
    process: str
    writer: Writer
    rpc: Callable[[Shard, bytes], Awaitable[bytes | None]]
    """Answers a forwarded call about a table of a shard."""
    spawn: Callable[[str, Coroutine[Any, Any, None]], asyncio.Task[None]]
    """Keeps a task of the process."""
    grace_ms: int = GRACE_MS
    log_kept: int = 0
    """So many messages of a log are kept beyond those that are needed."""
    minds: Minds | None = None
    """Where slow bots think."""
    marks: Marks | None = None
    """What tells that a log has lost its end; None = nobody looks."""
    guard: Guard | None = None
    """Who knows who may play; None = nobody is asked."""
    ratings: Ratings | None = None
    """Who knows how well people play; None = no table's rating is known."""
    folding: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held while the tables of a shard are made: of several taken together each plays when it is made."""

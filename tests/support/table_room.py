"""Owners of one shard that come and go on a broker in memory, and a player at one table of it."""

from __future__ import annotations

import copy
import random
from dataclasses import replace
from typing import Any

from services.chassis.bus.broker import MemoryBroker
from services.chassis.bus.memory import MemoryBus
from services.chassis.bus.registry import event_of
from services.chassis.clock import Clock
from services.chassis.db import InlineDatabase, migrate
from services.chassis.errors import Outage
from services.chassis.ids import SeededIds
from services.chassis.metrics import Metrics
from services.table.core.events import Stake
from services.table.marks import Mark, MarkStore
from services.table.shard import Shard
from tests.simulation.client import Door, Player
from tests.simulation.tables import Host, MemoryBank
from tests.support.process import full_registry

TABLE = "0-cutcutcut"
STAKE = Stake("gold", 100, 1, 10)


class Away:
    """Marks whose database can be away."""

    def __init__(self, store: MarkStore) -> None:
        self._store = store
        self.is_away = False

    async def get(self, shard: str) -> Mark | None:
        self._check()
        return await self._store.get(shard)

    async def put(self, shard: str, mark: Mark) -> None:
        self._check()
        await self._store.put(shard, mark)

    def _check(self) -> None:
        if self.is_away:
            raise Outage("the database is away")


class Jumping:
    """A clock whose wall time is set by hand; what it measures is not."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.by_ms = 0

    def now_ms(self) -> int:
        return self._clock.now_ms() + self.by_ms

    def __getattr__(self, name: str) -> Any:
        return getattr(self._clock, name)


class Room:
    """A broker in memory, owners that come and go, and a player at one table."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.registry = full_registry(log_shards=1, log_streams=1)
        self.broker = MemoryBroker(self.registry, clock)
        database = InlineDatabase(clock)
        migrate(database.engine, "table")
        self.marks = Away(MarkStore(database))
        self.bank = MemoryBank()
        self.hosts: list[Host] = []
        self.shard: Shard
        self.door: Door
        self.player: Player

    def bus(self, name: str) -> MemoryBus:
        return MemoryBus(self.broker, self.registry, self.clock, SeededIds(name), Metrics(), name)

    async def start(self, name: str) -> Any:
        host = Host(self.bus(name), self.clock, bank=self.bank, name=name, grace_ms=5_000)
        host.means = replace(host.means, marks=self.marks)
        self.hosts.append(host)
        self.shard = await host.take()
        return self.shard

    async def sit(self) -> None:
        self.door = await Door(self.bus("gw"), self.clock).open()
        self.player = Player(self.door, "p_a", TABLE, random.Random(3))

    def copy(self) -> Any:
        """Return the log as it is now."""
        held = self.broker.stream("TABLE_LOG_0")
        return copy.deepcopy((held.messages, held.last_seq, held.ids, held.lasts))

    def restore(self, older: Any) -> None:
        held = self.broker.stream("TABLE_LOG_0")
        held.messages, held.last_seq, held.ids, held.lasts = copy.deepcopy(older)

    def said(self, cls: type[Any]) -> list[Any]:
        event = event_of(cls)
        kept = self.broker.stream(event.stream).messages.values()
        return [cls.FromString(one.payload) for one in kept if one.subject.startswith(event.prefix)]

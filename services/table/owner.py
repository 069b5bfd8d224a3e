"""The shards that this process holds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

from services.chassis.errors import Outage
from services.table.shard import Means, Shard


class Lease(Protocol):
    """What is told when a shard's log has fenced us."""

    def lost(self, shard: str) -> None:
        """Forget a shard at once."""

    def failed(self, shard: str) -> None:
        """Forget a shard at once, and leave it to another process."""


class TableOwner:
    """Takes and releases shards, as the lease says; the fence is the log."""

    def __init__(self, means: Means) -> None:
        self._means = means
        self._shards: dict[str, Shard] = {}
        self.let_go = 0
        """Shards that were served here and no longer are."""
        self.on_lost: Callable[[str], None] = lambda _: None
        self.on_failed: Callable[[str], None] = lambda _: None
        means.metrics.gauge("table_shards", "Shards served").set_function(lambda: len(self._shards))
        means.metrics.gauge("table_tables", "Live tables").set_function(
            lambda: sum(len(shard.tables.live) for shard in self._shards.values())
        )

    def shard(self, name: str) -> Shard | None:
        """Return a shard that is served here."""
        return self._shards.get(name)

    async def take(self, shard: str) -> None:
        """Fence, replay, serve.

        Raises:
            Outage: It can't be taken now.
        """
        made = Shard(shard, self._means, self._forget, self._fail)
        await made.take()
        if made.is_dropped:
            raise Outage(f"shard {shard} was lost at once")
        self._shards[shard] = made

    async def release(self, shard: str) -> None:
        """Hand a shard over."""
        served = self._shards.pop(shard, None)
        if served is not None:
            await served.release()
            self.let_go += 1

    def load(self) -> Mapping[str, int]:
        """Return how many tables live in each shard that is served here."""
        return {name: len(shard.tables.live) for name, shard in self._shards.items()}

    def _forget(self, shard: Shard) -> None:
        if self._drop(shard):
            self.on_lost(shard.name)

    def _fail(self, shard: Shard) -> None:
        if self._drop(shard):
            self.on_failed(shard.name)

    def _drop(self, shard: Shard) -> bool:
        """Say whether it was served here; one that is still being taken fails with its `take`."""
        is_it = self._shards.get(shard.name) is shard
        if is_it:
            del self._shards[shard.name]
            self.let_go += 1
        return is_it

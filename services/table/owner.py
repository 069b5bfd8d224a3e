"""The shards that this process holds."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from typing import Protocol

from services.chassis import log
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
        self.on_warm: Callable[[], Awaitable[None]] | None = None
        """Called when another shard could be taken at once."""
        self._expected: Sequence[str] = ()
        self._followed: dict[str, tuple[Shard, asyncio.Task[None]]] = {}
        self._follows: asyncio.Task[None] | None = None
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
        made, _ = self._followed.pop(shard, (None, None))
        if made is None:
            made = Shard(shard, self._means, self._forget, self._fail)
        await made.take()
        if made.is_dropped:
            raise Outage(f"shard {shard} was lost at once")
        self._shards[shard] = made

    # Reading along

    def expects(self, shards: Sequence[str]) -> None:
        """Read along the logs of shards that will be ours, one after another; of no others any more."""
        self._expected = shards
        for shard in [shard for shard in self._followed if shard not in shards]:
            self._followed.pop(shard)[1].cancel()
        if shards and (self._follows is None or self._follows.done()):
            self._follows = self._means.spawn("table-shards-follow", self._follow_all())

    def warm(self) -> Collection[str]:
        """Return the shards of others that could be served here at once."""
        return [name for name, (shard, task) in self._followed.items() if shard.is_warm and not task.done()]

    async def _follow_all(self) -> None:
        """Begin to follow what is expected; each is made before the next, so that the first can come soon."""
        while name := next((one for one in self._expected if self._may_follow(one)), ""):
            made, warm = Shard(name, self._means, self._forget, self._fail), asyncio.Event()
            task = self._means.spawn(f"table-shard-{name}-follow", self._follow(made, warm.set))
            self._followed[name] = made, task
            await warm.wait()
            if self.on_warm is not None and made.is_warm:
                await self.on_warm()

    def _may_follow(self, shard: str) -> bool:
        return shard not in self._followed and shard not in self._shards

    async def _follow(self, shard: Shard, is_warm: Callable[[], None]) -> None:
        try:
            await shard.follow(is_warm)
        except Outage as outage:
            log.get(service="table").warning("shard_not_followed", shard=shard.name, why=str(outage))
        finally:
            is_warm()

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

"""The shards that this process holds."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Coroutine, Mapping, Sequence
from typing import Any, Protocol

from services.chassis import log
from services.chassis.errors import Outage
from services.table.means import Means
from services.table.shard import Shard

COMING_MAX = 8
"""So many shards that will be ours are made at a time. None of them is said to be warm before all are: while
others are still made here, taking one would take long."""


AGAIN_S = 10.0
"""A log that could not be read along is tried again after so long."""


class Lease(Protocol):
    """What is told when a shard's log has fenced us."""

    def lost(self, shard: str) -> None:
        """Forget a shard at once."""

    def failed(self, shard: str) -> None:
        """Forget a shard at once, and leave it to another process."""


class TableOwner:
    """Takes and releases shards, as the lease says; the fence is the log.

    Args:
        means: What shards work with.
        is_standby: Read along the logs of shards that would be ours if their owner died.
    """

    def __init__(self, means: Means, is_standby: bool = True) -> None:
        self._means = means
        self._is_standby = is_standby
        self._shards: dict[str, Shard] = {}
        self.let_go = 0
        """Shards that were served here and no longer are."""
        self.on_lost: Callable[[str], None] = lambda _: None
        self.on_failed: Callable[[str], None] = lambda _: None
        self.on_warm: Callable[[], Coroutine[Any, Any, None]] | None = None
        """Called when another shard could be taken at once."""
        self._coming: Sequence[str] = ()
        self._spare: Sequence[str] = ()
        self._followed: dict[str, tuple[Shard, asyncio.Task[None]]] = {}
        self._follows: asyncio.Task[None] | None = None
        self._not_before: dict[str, float] = {}
        """Shard whose log could not be read along → when it is tried again."""
        means.metrics.gauge("table_shards", "Shards served").set_function(lambda: len(self._shards))
        means.metrics.gauge("table_shards_followed", "Shards of others that are read along").set_function(
            lambda: len(self._followed)
        )
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
        made, follows = self._followed.pop(shard, (None, None))
        if made is None:
            made = Shard(shard, self._means, self._forget, self._fail)
        try:
            await made.take()
        finally:
            if follows is not None:
                follows.cancel()
        if made.is_dropped:
            raise Outage(f"shard {shard} was lost at once")
        self._shards[shard] = made

    # Reading along

    def expects(self, coming: Sequence[str], spare: Sequence[str]) -> None:
        """Read along the logs of shards that will be ours, and of those that would be if their owner died."""
        self._coming, self._spare = coming, spare if self._is_standby else ()
        wanted = {*self._coming, *self._spare}
        for name, (_, task) in list(self._followed.items()):
            if name not in wanted or task.done():
                # What ended by itself has lost sight of the log, or cannot read it; it begins anew.
                if task.done():
                    self._not_before[name] = self._means.clock.monotonic() + AGAIN_S
                task.cancel()
                del self._followed[name]
                self.let_go += 1
        if wanted and (self._follows is None or self._follows.done()):
            self._follows = self._means.spawn("table-shards-follow", self._follow_some())

    def warm(self) -> Collection[str]:
        """Return the shards of others that could be served here at once."""
        if self._follows is None or not self._follows.done():
            return ()
        return [name for name, (shard, task) in self._followed.items() if shard.is_warm and not task.done()]

    async def _follow_some(self) -> None:
        """Begin to follow what is wanted, one after another.

        Of what is coming so many that they can soon be taken; then nothing more until they are.
        """
        coming = [name for name in self._coming if self._may_follow(name)]
        begun = coming[: max(0, COMING_MAX - len(self._followed.keys() & set(self._coming)))]
        for name in begun:
            if name in self._coming:
                await self._begin(name)
        for name in self._spare:
            if self._coming:
                break
            if self._may_follow(name):
                await self._begin(name)
        if begun and self.on_warm is not None:
            # Not from within: nothing is warm before this task is done.
            self._means.spawn("table-shards-warm", self.on_warm())

    async def _begin(self, name: str) -> None:
        made, warm = Shard(name, self._means, self._forget, self._fail), asyncio.Event()
        task = self._means.spawn(f"table-shard-{name}-follow", self._follow(made, warm.set))
        self._followed[name] = made, task
        await warm.wait()

    def _may_follow(self, shard: str) -> bool:
        is_due = self._means.clock.monotonic() >= self._not_before.get(shard, 0.0)
        return is_due and shard not in self._followed and shard not in self._shards

    async def _follow(self, shard: Shard, is_warm: Callable[[], None]) -> None:
        try:
            await shard.follow(is_warm)
        except Outage as outage:
            log.get(service="table").warning("shard_not_followed", shard=shard.name, why=str(outage))
        except Exception as error:  # noqa: BLE001 - a newer process may write what this one cannot read yet
            log.get(service="table").error("shard_not_followed", shard=shard.name, exc_info=error)
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

"""Word that a shard's key is free, for whoever waits for it: he need not come upon it by looking.

A hint on core NATS, `paiju.<group>.shard_freed.<shard>`, value {revision}: it may be lost, and then the next
look finds the key. Late or twice it gives nobody anything: the key is taken by compare-and-set at that
revision, or not. Only processes of the group may say it (services/launch/permissions.py).
"""

from __future__ import annotations

from collections.abc import Callable

import orjson

from services.chassis import log
from services.chassis.bus.port import Bus, Subscription
from services.chassis.bus.registry import shard_freed_subject
from services.chassis.errors import Outage

Heard = Callable[[str, int], object]


class FreedWord:
    """Tells and hears it, for the shards of one group."""

    def __init__(self, bus: Bus, group: str) -> None:
        self._bus = bus
        self._group = group
        self._subscription: Subscription | None = None

    async def tell(self, shard: str, revision: int) -> None:
        """Say that a shard's key was freed, and at which revision it stands now."""
        try:
            await self._bus.tell(
                shard_freed_subject(self._group, shard), orjson.dumps({"revision": revision})
            )
        except Outage as outage:
            log.get().info("freed_not_told", group=self._group, shard=shard, why=str(outage))

    async def hear(self, heard: Heard) -> None:
        """Call `heard(shard, revision)` from now on; once is enough.

        Raises:
            Outage: It can't be heard now.
        """
        if self._subscription is not None:
            return

        async def take(payload: bytes, subject: str) -> None:
            try:
                revision = orjson.loads(payload)["revision"]
            except (ValueError, KeyError, TypeError):
                revision = None
            if isinstance(revision, int) and revision > 0:
                heard(subject.rpartition(".")[2], revision)
            else:
                log.get().warning("freed_not_understood", group=self._group, subject=subject)

        self._subscription = await self._bus.listen(shard_freed_subject(self._group, "*"), take)

    async def close(self) -> None:
        """Hear no more."""
        if self._subscription is not None:
            await self._subscription.stop()
            self._subscription = None

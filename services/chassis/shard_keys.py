"""The keys of a group's shards, and word that one is free, for whoever waits for it.

With that word nobody need come upon it by looking. It is a hint on core NATS,
`paiju.<group>.shard_freed.<shard>`, value {revision}: it may be lost, and then the next look finds the key.
Late or twice it gives nobody anything: the key is taken by compare-and-set at that revision, or not. Only
processes of the group may say it (services/launch/permissions.py).
"""

from __future__ import annotations

from collections.abc import Callable

import orjson

from services.chassis import log
from services.chassis.bus.port import Bucket, Bus, Conflict, Subscription
from services.chassis.bus.registry import shard_freed_subject
from services.chassis.errors import Outage
from services.chassis.members import Holder

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
        """Call `heard(shard, revision)` from now on; call again, in case it can't be heard now."""
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

        try:
            self._subscription = await self._bus.listen(shard_freed_subject(self._group, "*"), take)
        except Outage as outage:
            # Without the word shards are found by looking.
            log.get().info("freed_not_heard", group=self._group, why=str(outage))

    async def close(self) -> None:
        """Hear no more."""
        if self._subscription is not None:
            await self._subscription.stop()
            self._subscription = None


class ShardKeys:
    """Who holds which shard, changed only by compare-and-set.

    Args:
        bus: Where the bucket is.
        group: Whose shards.
        process: Our name.
        incarnation: Of this life of ours.
    """

    def __init__(self, bus: Bus, group: str, process: str, incarnation: str) -> None:
        self._bus = bus
        self._group = group
        self._mine = orjson.dumps({"process": process, "incarnation": incarnation})
        self._keys: Bucket | None = None
        self.word = FreedWord(bus, group)

    async def _bucket(self) -> Bucket:
        if self._keys is None:
            self._keys = await self._bus.bucket("shards")
        return self._keys

    async def holders(self) -> dict[str, Holder]:
        """Return who holds each shard that somebody holds.

        Raises:
            Outage: The bucket can't be read.
        """
        holders: dict[str, Holder] = {}
        for entry in await (await self._bucket()).entries():
            group, _, shard = entry.key.partition(".")
            if group == self._group:
                value = orjson.loads(entry.value)
                holders[shard] = Holder(value["process"], value["incarnation"], entry.revision)
        return holders

    async def take(self, shard: str, holder: Holder | None, gone_at: int) -> int:
        """Make a shard ours, whose holder is gone or None; return the revision of its key.

        Raises:
            Conflict: Another has it.
            Outage: Nobody knows.
        """
        keys, key = await self._bucket(), f"{self._group}.{shard}"
        if holder is None:
            return await keys.create(key, self._mine, gone_at)
        return await keys.update(key, self._mine, holder.revision)

    async def free(self, shard: str, revision: int) -> None:
        """Free a shard that was ours, and say so; what fails is only noted: the key then looks abandoned."""
        try:
            gone_at = await (await self._bucket()).delete(f"{self._group}.{shard}", revision)
        except (Conflict, Outage) as error:
            log.get().warning("shard_key_not_freed", group=self._group, shard=shard, why=repr(error))
        else:
            await self.word.tell(shard, gone_at)

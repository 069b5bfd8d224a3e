"""Who owns which shard: a hint by lease; the fence is the log.

Bucket `alive` (values end after 3 s): key `<group>.<process>`, value {incarnation, draining, refuses, load,
lag_ms}. Bucket `shards` (no end): key `<group>.<shard>`, value {process, incarnation}, changed only by
compare-and-set. Rendezvous hashing over the processes that are alive says who should own a shard; a process
takes it only when it is free or its holder's incarnation is gone. A process that can't serve a shard refuses
it for a while: another has it then, if there is one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

import orjson

from services.chassis import log
from services.chassis.bus.port import Bucket, Bus, Conflict
from services.chassis.clock import Clock
from services.chassis.errors import Outage
from services.chassis.members import (
    REFUSE_S,
    Beats,
    Holder,
    Member,
    Offers,
    Owner,
    Refused,
    members_of,
    rendezvous,
)
from services.chassis.shard_keys import ShardKeys

__all__ = ["Member", "Owner", "Ownership", "members_of", "rendezvous"]

BEAT_S = 0.5
LOOK_S = 0.5
LATE_S = 2 * BEAT_S + 0.2
"""Whose last beat is older may be dead: it is looked for more often, so that its end is seen at once."""
HURRY_S = 0.1
"""While a shard that should be ours is still another's, so that nobody waits long for it once it is free."""
HURRY_S_MAX = 10.0
"""It may never be let go: after so long there is no hurry."""
HAND_OVER_STEPS = 8
"""Shards go to others in so many parts, one each `LOOK_S` at most, none before the last one is served:
until then the next is served here, and none stands still until all are read."""
DRAIN_WARM_S_MAX = 12.0
"""So long all of them wait together if we drain."""
DRAIN_SERVED_S_MAX = 16.0
"""After so long they go one each `LOOK_S`, whether the last one is served or not."""
RETAKE_S = 1.0
"""A shard whose taking failed is tried again after so long."""
TAKE_S = 30.0
"""A taking that lasts longer has failed."""
FAILURES_MAX = 3
"""After so many takings in a row that failed the shard is refused."""


class Ownership:
    """Takes and releases the shards of one group for this process: `parts.spawn("table-shards",
    ownership.run())`.

    Args:
        bus: Where the buckets are.
        clock: Time.
        group: Whose shards.
        process: Our name.
        incarnation: Of this life of ours.
        shards: All of the group.
        owner: What is told.
        load: How much there is to do, by shard.
        expects: Told with each look which shards will be ours once others have let go, in the order in which
            they are likely to come, and which would be ours if their holder died.
        warm: Which of these could be served at once; without it nobody waits for that.
    """

    def __init__(
        self,
        bus: Bus,
        clock: Clock,
        *,
        group: str,
        process: str,
        incarnation: str,
        shards: Iterable[str],
        owner: Owner,
        load: Callable[[], Mapping[str, int]] | None = None,
        expects: Callable[[Sequence[str], Sequence[str]], None] | None = None,
        warm: Callable[[], Collection[str]] | None = None,
    ) -> None:
        self._bus = bus
        self._clock = clock
        self._group = group
        self._me = process
        self._incarnation = incarnation
        self._shards = sorted(shards)
        self._owner = owner
        self._load = load or (lambda: dict.fromkeys(self._owned.keys() - self._moving, 1))
        self._expects = expects or (lambda _, __: None)
        self._warm = warm
        self._lag_ms = 0.0
        self._failures: dict[str, int] = {}
        self._refused = Refused()
        self._owned: dict[str, int] = {}
        """Shard → revision of its key."""
        self._moving: set[str] = set()
        self._awaited: frozenset[str] = frozenset()
        """Shards that should be ours and that another still had when we last looked."""
        self._keys = ShardKeys(bus, group, process, incarnation)
        self._not_before: dict[str, float] = {}
        self._draining = False
        self._has_left = False
        self._is_alone = True
        """Nobody else could take a shard, as far as we know."""
        self._may_release = 0
        """So many shards may still be handed to others before the next part."""
        self._parted_at = float("-inf")
        self._hurries_since: float | None = None
        self._beats = Beats()
        self._seen: object = None
        """What the last whole look was of."""
        self._offers = Offers()
        self._alive: Bucket | None = None
        self._idle = asyncio.Event()
        self._idle.set()

    @property
    def owned(self) -> Sequence[str]:
        """The shards whose key is ours and that were taken, sorted."""
        return sorted(self._owned)

    async def run(self) -> None:
        """Beat, look and act until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._beat())
            try:
                while True:
                    if not self._draining:
                        try:
                            await self._keys.word.hear(lambda shard, at: self._hear_freed(shard, at, tasks))
                            await self._look(tasks)
                        except Outage as outage:
                            log.get().warning("shards_not_seen", group=self._group, why=str(outage))
                    await self._clock.sleep(HURRY_S if self._hurries() or self._misses() else LOOK_S)
            finally:
                await self._keys.word.close()

    def _hurries(self) -> bool:
        since = self._hurries_since
        return since is not None and self._clock.monotonic() - since < HURRY_S_MAX

    def _misses(self) -> bool:
        """Say whether somebody's beat is late."""
        return self._beats.is_late(self._clock.monotonic(), LATE_S)

    async def say(self) -> None:
        """Tell the others at once what has changed here, not with the next beat; lost if that fails."""
        try:
            await self._say()
        except Outage as outage:
            log.get().warning("beat_missed", group=self._group, why=str(outage))

    async def drain(self) -> None:
        """Release every shard, take none again, and say that we are gone."""
        self._draining = True
        self._expects((), ())
        try:
            await self._say()
        except Outage as outage:
            log.get().warning("drain_not_announced", group=self._group, why=str(outage))
        while self._moving:
            self._idle.clear()
            await self._idle.wait()
        at_once, began = self._part(), self._clock.monotonic()
        async with asyncio.TaskGroup() as tasks:
            while waiting := [shard for shard in sorted(self._owned) if shard not in self._moving]:
                passed = self._clock.monotonic() - began
                heirs, under_way = await self._heirs(waiting)
                ready = self._offers.ready(heirs, began + passed, passed >= DRAIN_WARM_S_MAX)
                is_late = passed >= DRAIN_SERVED_S_MAX
                ready = ready[: at_once if is_late else max(0, at_once - under_way)]
                for shard in ready:
                    if shard in self._owned:
                        self._moving.add(shard)
                        tasks.create_task(self._release(shard, heirs[shard]))
                if len(waiting) > len(ready):
                    await self._clock.sleep(LOOK_S if is_late else HURRY_S)
        self._has_left = True
        try:
            await (await self._bucket()).delete(f"{self._group}.{self._me}")
        except Outage as outage:
            log.get().warning("drain_not_announced", group=self._group, why=str(outage))

    async def _heirs(self, shards: Sequence[str]) -> tuple[dict[str, Member | None], int]:
        """Return who should have our shards, and how many have gone and are not served yet."""
        members: dict[str, Member] = {}
        if not self._is_alone:
            try:
                members = await members_of(await self._bucket(), self._group)
            except Outage:
                return dict.fromkeys(shards), 0
        members.pop(self._me, None)
        heirs = {shard: members.get(self._heir(shard, members)) for shard in shards}
        return heirs, self._offers.under_way(members.values(), self._clock.monotonic())

    def lost(self, shard: str) -> None:
        """Forget a shard at once, because its log has fenced us; nothing is written."""
        self._owned.pop(shard, None)

    def failed(self, shard: str) -> None:
        """Forget a shard that can't be served here, and leave it to another for a while."""
        self.lost(shard)
        self._refuse(shard)

    def _refuse(self, shard: str) -> None:
        self._refused.add(shard, self._clock.monotonic())
        self._not_before[shard] = self._clock.monotonic() + RETAKE_S
        log.get().warning("shard_refused", group=self._group, shard=shard, seconds=REFUSE_S)

    def _refuses(self) -> frozenset[str]:
        return self._refused.at(self._clock.monotonic())

    # Beating

    def _part(self) -> int:
        """Return how many shards are handed over at a time; alone, nobody waits for them."""
        return len(self._owned) if self._is_alone else max(1, -(-len(self._owned) // HAND_OVER_STEPS))

    async def _beat(self) -> None:
        while True:
            due = self._clock.monotonic() + BEAT_S
            if not self._has_left:
                await self.say()
            before = self._clock.monotonic()
            await self._clock.sleep(max(0.0, due - before))
            late_ms = (self._clock.monotonic() - max(due, before)) * 1000
            self._lag_ms += (late_ms - self._lag_ms) / 4

    async def _say(self) -> None:
        value = {
            "incarnation": self._incarnation,
            "draining": self._draining,
            "refuses": sorted(self._refuses()),
            "load": dict(self._load()),
            "lag_ms": round(self._lag_ms),
            "warm": sorted(self._warm()) if self._warm is not None else None,
        }
        await (await self._bucket()).put(f"{self._group}.{self._me}", orjson.dumps(value))

    async def _bucket(self) -> Bucket:
        if self._alive is None:
            self._alive = await self._bus.bucket("alive")
        return self._alive

    # Looking

    async def _look(self, tasks: asyncio.TaskGroup) -> None:
        members = await members_of(await self._bucket(), self._group)
        if members.get(self._me, Member("")).incarnation != self._incarnation:
            # Not alive in the eyes of the others: nothing may be taken, and it will be said again with the
            # next beat.
            self._awaited = frozenset()
            return
        self._beats.see(members, self._clock.monotonic())
        seen = {
            name: (member.incarnation, member.draining, member.refuses) for name, member in members.items()
        }
        if self._misses() and not self._hurries() and seen == self._seen:
            # Looked for somebody who may be dead: he is still there, and so is all else as far as we care.
            self._seen = None if self._clock.monotonic() - self._parted_at >= LOOK_S else seen
            return
        self._seen = seen
        self._is_alone = not any(name != self._me and not member.draining for name, member in members.items())
        if self._clock.monotonic() - self._parted_at >= 0.9 * LOOK_S:
            under_way = self._offers.under_way(members.values(), self._clock.monotonic())
            self._may_release, self._parted_at = self._part() - under_way, self._clock.monotonic()
        holders = await self._keys.holders()
        waits = []
        for shard in self._shards:
            is_free = shard not in self._moving and not self._draining
            if is_free and self._act(shard, holders.get(shard), members, tasks):
                waits.append(shard)
        if not self._draining:
            coming = [*waits, *sorted(self._moving - self._owned.keys())]
            self._expects(coming, [shard for shard in self._shards if self._is_next(shard, holders, members)])
        self._awaited = frozenset(waits)
        if not waits:
            self._hurries_since = None
        elif self._hurries_since is None:
            self._hurries_since = self._clock.monotonic()

    def _act(
        self, shard: str, holder: Holder | None, members: Mapping[str, Member], tasks: asyncio.TaskGroup
    ) -> bool:
        """Do what is to be done about a shard; return whether it should be ours and another still has it."""
        should, now = self._heir(shard, members), self._clock.monotonic()
        is_mine = holder is not None and (holder.process, holder.incarnation) == (self._me, self._incarnation)
        is_gone = holder is None or (
            holder.process not in members or members[holder.process].incarnation != holder.incarnation
        )
        if should == self._me:
            self._offers.forget(shard)
        if shard in self._owned:
            if not is_mine or (
                should != self._me
                and self._offers.may_go(shard, members.get(should), now)
                and self._may_release > 0
            ):
                self._may_release -= is_mine
                self._moving.add(shard)
                tasks.create_task(self._release(shard, members.get(should) if is_mine else None))
        elif should == self._me and (is_mine or is_gone):
            if now >= self._not_before.get(shard, 0.0):
                self._moving.add(shard)
                tasks.create_task(self._take(shard, holder))
        elif is_mine and holder is not None:
            # Taken once and lost, and another should own it by now: give the key back.
            self._moving.add(shard)
            tasks.create_task(self._free(shard, holder.revision))
        return should == self._me and not is_mine and not is_gone

    def _heir(self, shard: str, members: Mapping[str, Member]) -> str:
        """Return who should own a shard; empty if there is nobody."""
        able = [name for name, member in members.items() if not member.draining]
        willing = [name for name in able if not self._is_refused(shard, name, members[name])]
        return rendezvous(shard, willing or able)

    def _is_next(self, shard: str, holders: Mapping[str, Holder], members: Mapping[str, Member]) -> bool:
        """Say whether a shard would be ours if its holder, who should have it, died."""
        holder = holders.get(shard)
        if holder is None or holder.process == self._me or self._heir(shard, members) != holder.process:
            return False
        others = {name: member for name, member in members.items() if name != holder.process}
        return self._heir(shard, others) == self._me

    def _hear_freed(self, shard: str, gone_at: int, tasks: asyncio.TaskGroup) -> None:
        """Take what we wait for as soon as it is free."""
        is_due = self._clock.monotonic() >= self._not_before.get(shard, 0.0)
        is_free = shard in self._awaited and shard not in self._moving and shard not in self._owned
        if is_free and is_due and not self._draining:
            self._moving.add(shard)
            tasks.create_task(self._take(shard, None, gone_at))

    # Acting: each is the only one for its shard, which is in `_moving` meanwhile.

    async def _take(self, shard: str, holder: Holder | None, gone_at: int = 0) -> None:
        try:
            self._owned[shard] = await self._keys.take(shard, holder, gone_at)
            log.get().info("shard_key_taken", group=self._group, shard=shard)
            async with self._clock.timeout(TAKE_S):
                await self._owner.take(shard)
            self._failures.pop(shard, None)
        except (Conflict, Outage) as error:
            await self._give_up(shard, error)
        except Exception as error:  # noqa: BLE001 - one shard that can't be taken must not end the others
            log.get().error("shard_not_taken", group=self._group, shard=shard, exc_info=error)
            await self._give_up(shard, error)
        finally:
            self._moved(shard)
        if shard in self._owned and not self._is_alone:
            await self.say()  # who let it go waits for that, before the next one

    async def _give_up(self, shard: str, error: Exception) -> None:
        self._not_before[shard] = self._clock.monotonic() + RETAKE_S
        revision = self._owned.pop(shard, None)
        log.get().info("shard_given_up", group=self._group, shard=shard, why=repr(error))
        if revision is not None:
            self._failures[shard] = self._failures.get(shard, 0) + 1
            if self._failures[shard] >= FAILURES_MAX:
                self._failures.pop(shard)
                self._refuse(shard)
            await self._keys.free(shard, revision)

    def _is_refused(self, shard: str, process: str, member: Member) -> bool:
        # What we refuse ourselves is known here before the others can read it.
        return shard in (self._refuses() if process == self._me else member.refuses)

    async def _release(self, shard: str, heir: Member | None) -> None:
        self._offers.goes(shard, heir, self._clock.monotonic())
        try:
            await self._owner.release(shard)
        except Exception as error:  # noqa: BLE001 - the key must be freed all the same: the log fences what is left
            log.get().error("shard_release_failed", group=self._group, shard=shard, exc_info=error)
        finally:
            revision = self._owned.pop(shard, None)
            if revision is not None:
                await self._keys.free(shard, revision)
            self._moved(shard)

    async def _free(self, shard: str, revision: int) -> None:
        try:
            await self._keys.free(shard, revision)
        finally:
            self._moved(shard)

    def _moved(self, shard: str) -> None:
        self._moving.discard(shard)
        self._idle.set()

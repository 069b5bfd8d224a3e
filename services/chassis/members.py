"""The processes of a group as they say of themselves (bucket `alive`), and who of them should own a shard."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

import orjson

from services.chassis.bus.port import Bucket

WARM_S_MAX = 8.0
"""So long a shard, which is served meanwhile, waits for the process it goes to, if that one reads along and
no other shard has become ready there in the meantime."""
SERVED_S_MAX = 2.0
"""So long the next shard waits for the one before it to be served where it went."""
REFUSE_S = 60.0
"""So long a shard that can't be served here is another's, if there is one."""


class Owner(Protocol):
    """What is told about the shards of a group. Different shards are told at the same time, one shard in
    order.
    """

    async def take(self, shard: str) -> None:
        """The key is ours by compare-and-set: fence, replay, serve. Raise to give it back; it is tried
        again later.
        """

    async def release(self, shard: str) -> None:
        """Another should own it, or we drain, or its key was taken from us: stop, flush, append the
        hand-over.

        The key is freed after this returns.
        """


@dataclass(frozen=True, slots=True)
class Holder:
    """Who holds a shard's key, and at which revision."""

    process: str
    incarnation: str
    revision: int


@dataclass(frozen=True, slots=True)
class Member:
    """A process that is alive."""

    incarnation: str
    draining: bool = False
    refuses: frozenset[str] = frozenset()
    """Shards that it can't serve now."""
    load: Mapping[str, int] = field(default_factory=dict)
    """How much it has to do, by shard that it serves."""
    lag_ms: int = 0
    """How late its event loop was lately."""
    warm: frozenset[str] | None = None
    """Shards of others that it could serve at once, since it reads along; None = it never does."""
    revision: int = 0
    """Of its key: another one with each beat."""


async def members_of(alive: Bucket, group: str) -> dict[str, Member]:
    """Return the processes of a group that are alive, with what they said of themselves last.

    Raises:
        Outage: The bucket can't be read.
    """
    members: dict[str, Member] = {}
    for entry in await alive.entries():
        of, _, process = entry.key.partition(".")
        if of == group:
            said = orjson.loads(entry.value)
            warm = said.get("warm")
            members[process] = Member(
                said["incarnation"],
                said["draining"],
                frozenset(said.get("refuses", ())),
                said.get("load", {}),
                said.get("lag_ms", 0),
                None if warm is None else frozenset(warm),
                entry.revision,
            )
    return members


def rendezvous(shard: str, processes: Iterable[str]) -> str:
    """Return which process should own a shard (empty if there is none): few shards move when one comes or
    goes.
    """
    return max(processes, key=lambda name: hashlib.sha256(f"{name}/{shard}".encode()).digest(), default="")


class Beats:
    """Whose beat is late, as this process has seen the beats of the others."""

    def __init__(self) -> None:
        self._seen: dict[str, tuple[int, float]] = {}

    def see(self, members: Mapping[str, Member], now: float) -> None:
        """Take note of what the bucket holds now."""
        self._seen = {
            name: self._seen[name]
            if name in self._seen and self._seen[name][0] == member.revision
            else (member.revision, now)
            for name, member in members.items()
        }

    def is_late(self, now: float, after_s: float) -> bool:
        """Say whether somebody has not been heard for so long."""
        return any(now - since > after_s for _, since in self._seen.values())


class Offers:
    """Which of our shards others should have, and whether they may have them now."""

    def __init__(self) -> None:
        self._since: dict[str, float] = {}
        self._last_warm = float("-inf")
        """When a shard went last to a process that was ready for it."""
        self._gone: dict[str, tuple[str, float]] = {}
        """Shard that is let go → the life of the process it goes to, and since when."""

    def may_go(self, shard: str, heir: Member | None, now: float) -> bool:
        """Say whether a shard may go to the process that should have it: at once, or it has waited enough."""
        since = self._since.setdefault(shard, now)
        if heir is not None and heir.warm is not None and shard in heir.warm:
            self._last_warm = now
            return True
        return heir is None or heir.warm is None or now - max(since, self._last_warm) >= WARM_S_MAX

    def ready(self, heirs: Mapping[str, Member | None], now: float, is_late: bool) -> list[str]:
        """Return those that may go to who should have them; all, if that is waited for no longer."""
        return [shard for shard, heir in heirs.items() if is_late or self.may_go(shard, heir, now)]

    def forget(self, shard: str) -> None:
        """A shard stays."""
        self._since.pop(shard, None)

    def goes(self, shard: str, heir: Member | None, now: float) -> None:
        """A shard is let go, for a process that should have it, if there is one."""
        self.forget(shard)
        if heir is not None:
            self._gone[shard] = heir.incarnation, now

    def under_way(self, members: Iterable[Member], now: float) -> int:
        """Return how many shards are on their way, not for long yet, to processes that live and do not say
        that they serve them.
        """
        serving = {member.incarnation: member.load for member in members}
        self._gone = {
            shard: (heir, since)
            for shard, (heir, since) in self._gone.items()
            if heir in serving and shard not in serving[heir] and now - since < SERVED_S_MAX
        }
        return len(self._gone)


class Refused:
    """The shards that can't be served here for a while."""

    def __init__(self) -> None:
        self._until: dict[str, float] = {}

    def add(self, shard: str, now: float) -> None:
        """Refuse a shard from now on."""
        self._until[shard] = now + REFUSE_S

    def at(self, now: float) -> frozenset[str]:
        """Return those that are refused."""
        self._until = {shard: until for shard, until in self._until.items() if until > now}
        return frozenset(self._until)

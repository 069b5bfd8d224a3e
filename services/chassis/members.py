"""The processes of a group as they say of themselves (bucket `alive`), and who of them should own a shard."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import orjson

from services.chassis.bus.port import Bucket


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

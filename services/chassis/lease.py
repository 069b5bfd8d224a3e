"""Who owns which shard: a hint by lease; the fence is the log. See `Ownership`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Owner(Protocol):
    """What is told about the shards of a group."""

    async def take(self, shard: str) -> None:
        """The key is ours by compare-and-set. Fence, replay, serve; raise to give it back (tried again later)."""

    async def release(self, shard: str) -> None:
        """Another should own it, or we drain: stop, flush, append the hand-over. The key is freed after this returns."""


class Ownership:
    """Takes and releases the shards of one group for this process.

    Buckets `alive` (TTL 3 s; key `<group>.<process>`) and `shards` (key `<group>.<shard>`, value {process, incarnation}).
    """

    @property
    def owned(self) -> Sequence[str]:
        """The shards whose key is ours and that were taken, sorted."""
        raise NotImplementedError

    async def run(self) -> None:
        """Beat, look and act until cancelled; `parts.spawn("lease", ownership.run())`."""

    async def drain(self) -> None:
        """Release every shard and take none again; then say we are gone."""

    def lost(self, shard: str) -> None:
        """Forget a shard at once, because its log has fenced us; nothing is written."""

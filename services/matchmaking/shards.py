"""Which shard a new table goes to: of the process that has least to do, the emptiest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from services.chassis import log
from services.chassis.errors import Outage
from services.chassis.lease import Member, members_of
from services.chassis.run import Parts

LOOK_S = 1.0
LAG_MS_MAX = 150
"""A process whose event loop is later than this gets a new table only if all are."""
STALE_S = 5.0
"""What was heard longer ago says nothing: then any shard does."""

_log = log.get(service="matchmaking")


class Shards:
    """What the table processes say of themselves in the bucket `alive`, and what was placed since.

    The load may be a second old, and other processes of matchmaking place too: it spreads tables, and
    promises nothing. A table whose shard moves meanwhile is made by its next owner.
    """

    def __init__(self, parts: Parts) -> None:
        self._bus = parts.bus
        self._clock = parts.clock
        self._ids = parts.ids
        self._count = parts.settings.log_shards
        self._members: Mapping[str, Member] = {}
        self._heard_at = -STALE_S
        self._placed: Counter[str] = Counter()
        self._placed_before: Counter[str] = Counter()

    async def run(self) -> None:
        """Listen to what the processes say, until cancelled."""
        while True:
            await self.look()
            await self._clock.sleep(LOOK_S * (0.5 + self._ids.jitter()))

    async def look(self) -> None:
        """Read the bucket once."""
        try:
            self._members = await members_of(await self._bus.bucket("alive"), "table")
        except Outage as outage:
            _log.warning("load_not_seen", why=str(outage))
            return
        self._heard_at = self._clock.monotonic()
        # A report holds what was placed before the last one, at least.
        self._placed_before, self._placed = self._placed, Counter()

    def pick(self) -> str:
        """Return the shard that the next table goes to."""
        return self._least() or format(self._ids.below(self._count), "x")

    def _least(self) -> str:
        if self._clock.monotonic() - self._heard_at > STALE_S:
            return ""
        new = self._placed + self._placed_before
        best: list[str] = []
        best_rank: tuple[bool, int, int] | None = None
        for member in self._members.values():
            if member.draining:
                continue
            loads = {shard: load + new[shard] for shard, load in member.load.items()}
            for shard, load in sorted(loads.items()):
                rank = (member.lag_ms > LAG_MS_MAX, sum(loads.values()), load)
                if best_rank is None or rank < best_rank:
                    best, best_rank = [], rank
                if rank == best_rank:
                    best.append(shard)
        if not best:
            return ""
        chosen = best[self._ids.below(len(best))]
        self._placed[chosen] += 1
        return chosen

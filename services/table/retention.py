"""How long finished rounds are kept, and the sweeping of those whose time is over (docs/replays.md)."""

from __future__ import annotations

from dataclasses import dataclass

from services.chassis import log
from services.chassis.clock import Clock
from services.chassis.errors import Outage
from services.chassis.ids import Ids
from services.table.records_store import HistoryStore

DAY_MS = 86_400_000
SWEEP_S = 600.0
ROUNDS_AT_ONCE = 200
"""A sweep writes in pieces, so that no finished round waits for it long."""

_log = log.get(service="table")


@dataclass(frozen=True, slots=True)
class Retention:
    """How long, in days; 0 = for ever."""

    days: int
    favourite_days: int
    """Of a round that is anybody's favourite; never shorter than `days`."""

    def until_ms(self, ended_at_ms: int, *, is_favourite: bool) -> int:
        """Return until when a round is kept, Unix milliseconds; 0 = no end."""
        days = self._longer if is_favourite else self.days
        return ended_at_ms + days * DAY_MS if days else 0

    def before_ms(self, now_ms: int) -> tuple[int, int]:
        """Return before when a round must have ended to be forgotten: any round, and a favourite."""
        longer = self._longer
        return (
            now_ms - self.days * DAY_MS if self.days else 0,
            now_ms - longer * DAY_MS if longer else 0,
        )

    @property
    def _longer(self) -> int:
        if not self.days or not self.favourite_days:
            return 0
        return max(self.days, self.favourite_days)


async def sweep(history: HistoryStore, retention: Retention, now_ms: int) -> int:
    """Forget every round whose time is over; return how many.

    Raises:
        Outage: The database can't be reached; what is left is swept another time.
    """
    total = 0
    before_ms, favourites_before_ms = retention.before_ms(now_ms)
    while gone := await history.sweep(before_ms, favourites_before_ms, ROUNDS_AT_ONCE):
        total += gone
    return total


async def sweep_for_ever(history: HistoryStore, retention: Retention, clock: Clock, ids: Ids) -> None:
    """Sweep now and then, until cancelled. Several processes may: a round is forgotten once."""
    while True:
        await clock.sleep(SWEEP_S * (0.5 + ids.jitter()))
        try:
            gone = await sweep(history, retention, clock.now_ms())
        except Outage as outage:
            _log.warning("sweeping_interrupted", why=str(outage))
            continue
        if gone:
            _log.info("rounds_forgotten", rounds=gone)

"""Makes matches of the waiting: one owner per queue, one pass per snapshot, each match all or nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from sqlalchemy import Connection

from services.chassis import log
from services.chassis.errors import Outage
from services.chassis.lease import Ownership
from services.chassis.run import Parts
from services.matchmaking.core.halls import Hall
from services.matchmaking.core.matching import Waiting, match, next_bots_at_ms, seated
from services.matchmaking.games import Catalogue
from services.matchmaking.placer import Placer
from services.matchmaking.settings import MatchmakingSettings
from services.matchmaking.store import placements, tickets

QUEUE_SHARDS = 8
"""Queues are owned in groups: hall number `n` belongs to group `n % QUEUE_SHARDS`."""

_log = log.get(service="matchmaking")


class _LostTicket(Exception):
    """A ticket was cancelled, or matched by another, since the snapshot."""


class Matcher:
    """See the module. The lease is a hint: rows of tickets decide a match, so two owners do no harm."""

    def __init__(
        self,
        parts: Parts,
        settings: MatchmakingSettings,
        halls: Mapping[str, Hall],
        games: Catalogue,
        placer: Placer,
    ) -> None:
        self._clock = parts.clock
        self._ids = parts.ids
        self._db = parts.db("matchmaking")
        self._settings = settings
        self._halls = halls
        self._games = games
        self._placer = placer
        self._group = {hall_id: str(n % QUEUE_SHARDS) for n, hall_id in enumerate(sorted(halls))}
        self._poked = asyncio.Event()
        self.ownership = Ownership(
            parts.bus,
            parts.clock,
            group="matchmaking",
            process=parts.process,
            incarnation=parts.incarnation,
            shards=sorted(set(self._group.values())),
            owner=self,
        )
        matches = parts.metrics.counter("matchmaking_matches", "Matches made", ["bots"])
        self._matches = {True: matches.labels("yes"), False: matches.labels("no")}
        self._waited = parts.metrics.histogram(
            "matchmaking_wait_seconds",
            "From a ticket to its match",
            buckets=(0.1, 0.5, 1, 2, 4, 8, 10, 15, 30, 60),
        )

    async def take(self, shard: str) -> None:
        """See `lease.Owner`."""
        self.poke()

    async def release(self, shard: str) -> None:
        """See `lease.Owner`: a pass under way ends with the lease at worst, and does no harm."""

    def poke(self) -> None:
        """Say that somebody has come."""
        self._poked.set()

    async def run(self) -> None:
        """Look at the queues owned here, until cancelled."""
        while True:
            self._poked.clear()
            pause_ms = self._settings.match_every_ms
            try:
                due = await self.match_all()
                if due is not None:
                    pause_ms = min(pause_ms, max(20, due - self._clock.now_ms()))
            except Outage as outage:
                _log.warning("queues_not_read", why=str(outage))
            try:
                async with self._clock.timeout(pause_ms / 1000):
                    await self._poked.wait()
            except TimeoutError:
                continue

    async def match_all(self) -> int | None:
        """Make one pass over every queue owned here; return when bots are next due, if any wait."""
        owned = set(self.ownership.owned)
        hall_ids = [hall_id for hall_id, group in self._group.items() if group in owned]
        if not hall_ids:
            return None
        snapshot = await self._db.read(lambda connection: tickets.waiting(connection, hall_ids))
        if not snapshot:
            return None
        games = await self._games.games()
        due: list[int] = []
        for hall_id, waiting in sorted(snapshot.items()):
            hall = self._halls[hall_id]
            if hall.game not in games:
                continue  # closed since they came: they wait until it is opened again, or they go
            seats = games[hall.game].seats
            groups = match(waiting, seats, self._clock.now_ms())
            await asyncio.gather(*(self._make(hall, seats, group) for group in groups))
            matched = {ticket.ticket_id for group in groups for ticket in group}
            rest = [ticket for ticket in waiting if ticket.ticket_id not in matched]
            if (bots_at_ms := next_bots_at_ms(rest)) is not None:
                due.append(bots_at_ms)
        return min(due, default=None)

    async def _make(self, hall: Hall, seats: int, group: Sequence[Waiting]) -> None:
        table_id = self._placer.new_table_id()
        players = seated(group, seats, hall.bot, self._order(seats))
        spec = hall.spec(players, self._settings.watch_delay_ms)
        raw, now = spec.SerializeToString(deterministic=True), self._clock.now_ms()
        ticket_ids = [ticket.ticket_id for ticket in group]

        def write(connection: Connection) -> None:
            if not tickets.place(connection, ticket_ids, table_id):
                raise _LostTicket
            placements.create(connection, table_id, "hall", hall.hall_id, raw, now)

        try:
            await self._db.run(write)
        except _LostTicket:
            self.poke()  # the others of this group are looked at again, from when they came
            return
        self._matches[len(group) < seats].inc()
        for ticket in group:
            self._waited.observe((now - ticket.created_at_ms) / 1000)
        _log.info("match_made", table_id=table_id, hall_id=hall.hall_id, players=len(group))
        self._placer.poke()

    def _order(self, seats: int) -> list[int]:
        order = list(range(seats))
        for last in range(seats - 1, 0, -1):
            other = self._ids.below(last + 1)
            order[last], order[other] = order[other], order[last]
        return order

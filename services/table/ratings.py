"""How well the people of a table play, as the live list tells it: progress is asked in batches, beside it.

Nobody waits for progress. What the list wants to know and is not known, or is older than five minutes, is
asked for within half a second, a thousand people in a call; until the answer a table's rating is not known.
With progress out of reach what was known counts for half an hour, and then is not known any more.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Iterable
from itertools import islice
from typing import Final, Protocol

from paiju.progress.v1.rating_service_pb2 import BatchGetRatingsRequest, RatingKey
from paiju.progress.v1.rating_service_pb2_grpc import RatingServiceStub

from services.chassis import log
from services.chassis.clock import Clock
from services.chassis.errors import Defect, Outage, Refusal
from services.chassis.metrics import Metrics
from services.chassis.rpc import Rpc

ASK_S: Final = 5.0
BATCH: Final = 1_000
PAUSE_S: Final = 0.5
"""Between two calls: however many people play, progress hears twice a second of it."""
FRESH_S: Final = 300.0
STALE_S: Final = 1_800.0
KNOWN_MAX: Final = 100_000
RETRY_S_MAX: Final = 30.0

UNKNOWN: Final = 0

Who = tuple[str, str]
"""Player, game."""

_log = log.get(service="table")


class Ratings(Protocol):
    """What the live list wants to know."""

    def of_table(self, game: str, players: Iterable[str]) -> int | None:
        """Return the mean of what is known of the people of a table: `UNKNOWN` if none of them has a rating
        that he shows, None as long as that is not known.
        """


class RatingBook:
    """What is known, for all shards of a process.

    Args:
        rpc: The way to progress.
        clock: Time.
        metrics: For counts.
    """

    def __init__(self, rpc: Rpc, clock: Clock, metrics: Metrics) -> None:
        self._progress = rpc.client(RatingServiceStub, "progress", timeout_s=ASK_S)
        self._clock = clock
        self._known: OrderedDict[Who, tuple[float, int]] = OrderedDict()
        self._wanted: dict[Who, None] = {}
        self._work = asyncio.Event()
        calls = metrics.counter("table_rating_calls", "Calls for people's ratings", ["result"])
        self._good, self._bad = calls.labels("ok"), calls.labels("failed")

    def of_table(self, game: str, players: Iterable[str]) -> int | None:
        """See `Ratings`."""
        now = self._clock.monotonic()
        total = count = 0
        is_known = True
        for player in players:
            if not player.startswith("p_"):
                continue
            who = player, game
            at, rating = self._known.get(who, (float("-inf"), UNKNOWN))
            if now - at >= FRESH_S:
                self._want(who)
                if now - at >= STALE_S:
                    is_known = False
                    continue
            if rating:
                total, count = total + rating, count + 1
        if not is_known:
            return None
        return round(total / count) if count else UNKNOWN

    async def run(self) -> None:
        """Ask progress for what is wanted, until cancelled."""
        failures = 0
        while True:
            if not self._wanted:
                self._work.clear()
                await self._work.wait()
            try:
                await self._ask(list(islice(self._wanted, BATCH)))
            except (Outage, Refusal) as failure:
                failures += 1
                self._bad.inc()
                if failures == 1:
                    _log.warning("ratings_not_known", why=str(failure)[:200])
            else:
                failures = 0
                self._good.inc()
            await self._clock.sleep(min(RETRY_S_MAX, PAUSE_S * 2**failures))

    def _want(self, who: Who) -> None:
        if len(self._wanted) < KNOWN_MAX:
            self._wanted[who] = None
            self._work.set()

    async def _ask(self, some: list[Who]) -> None:
        keys = [RatingKey(player_id=player, game=game) for player, game in some]
        try:
            answer = await self._progress.BatchGetRatings(BatchGetRatingsRequest(keys=keys))
        except Defect as defect:
            raise Outage(str(defect)) from defect
        found = {(one.player_id, one.game): one.rating for one in answer.ratings}
        now = self._clock.monotonic()
        for who in some:
            self._wanted.pop(who, None)
            self._known[who] = now, found.get(who, UNKNOWN)
            self._known.move_to_end(who)
        while len(self._known) > KNOWN_MAX:
            self._known.popitem(last=False)

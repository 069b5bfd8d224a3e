"""Events in: settled rounds, deleted accounts. Out: rewards, by call to economy, until it confirms them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Final

from google.protobuf.message import Message
from paiju.accounts.v1.events_pb2 import AccountDeleted
from paiju.economy.v1 import economy_service_pb2 as economy_pb
from paiju.economy.v1.economy_service_pb2_grpc import EconomyServiceStub
from paiju.economy.v1.events_pb2 import RoundSettled
from sqlalchemy import Connection

from services.chassis import log
from services.chassis.bus.port import Delivery
from services.chassis.clock import Clock
from services.chassis.db import Database
from services.chassis.errors import Outage, Refusal
from services.chassis.metrics import Metrics
from services.chassis.run import Consumes
from services.progress.core.counts import RoundResult, SeatResult
from services.progress.core.ratings import rated
from services.progress.store import plays, ratings
from services.progress.store import sign_ins as store

SETTLED: Final = Consumes("progress-plays", (RoundSettled,))
"""Reads every round there ever was, from the first: who changes what is counted gives it another name, and
tables of its own, and has the whole past counted anew."""

FIRST_FOLD: Final = Consumes("progress-rounds", (RoundSettled,))
"""What counted before `progress-plays` did; nobody reads it any more."""

RATED: Final = Consumes("progress-ratings", (RoundSettled,))
"""The same for ratings."""

DELETED: Final = Consumes("progress-deletions", (AccountDeleted,))

LOOK_S: Final = 5.0
"""Rewards left behind by a crash are looked for this often."""
RETRY_S_MAX: Final = 30.0
BATCH: Final = 100


class Ears:
    """The handlers of progress' consumers."""

    def __init__(self, db: Database, clock: Clock, metrics: Metrics) -> None:
        self._db = db
        self._clock = clock
        self._counted = metrics.counter("progress_rounds_counted", "Settled rounds counted")
        by_how = metrics.counter(
            "progress_rounds_rated", "Settled rounds by what ratings made of them", ["how"]
        )
        self._rated, self._redone, self._left_out = (
            by_how.labels(how) for how in ("rated", "reckoned_anew", "too_late")
        )

    async def on_settled(self, deliveries: Sequence[Delivery[Message]]) -> None:
        """Count rounds, each once."""
        results = [result_of(one.message) for one in deliveries if isinstance(one.message, RoundSettled)]
        new = await self._db.run(lambda connection: plays.count(connection, results))
        self._counted.inc(new)

    async def on_rated(self, deliveries: Sequence[Delivery[Message]]) -> None:
        """Rate rounds, each once, in the order of their ends."""
        rounds = [
            round_
            for one in deliveries
            if isinstance(one.message, RoundSettled) and (round_ := rated(result_of(one.message))) is not None
        ]
        if not rounds:
            return
        now_ms = self._clock.now_ms()
        folded = await self._db.run(lambda connection: ratings.fold(connection, rounds, now_ms))
        self._rated.inc(folded.rated)
        self._redone.inc(folded.redone)
        self._left_out.inc(folded.left_out)

    async def on_deleted(self, deliveries: Sequence[Delivery[Message]]) -> None:
        """Forget players who are gone; twice does nothing."""
        gone = [one.message.player_id for one in deliveries if isinstance(one.message, AccountDeleted)]
        now_ms = self._clock.now_ms()

        def forget(connection: Connection) -> None:
            for player_id in sorted(gone):
                plays.forget(connection, player_id, now_ms)
            ratings.forget(connection, gone)

        await self._db.run(forget)


def result_of(event: RoundSettled) -> RoundResult:
    """Return what counts of a settled round."""
    names = json.loads(event.names_json or "{}")
    return RoundResult(
        event.round_id,
        event.game,
        event.preset,
        [SeatResult(seat.player_id, seat.is_bot, seat.points, seat.won, seat.seat) for seat in event.seats],
        event.end,
        event.how,
        event.huxi,
        {str(name): int(fan) for name, fan in names.items()},
        event.fan,
        event.from_seat,
        event.ended_at_ms or event.settled_at_ms,
    )


class Payer:
    """Has economy pay what is owed, each reward under its own request id: no crash loses or doubles one."""

    def __init__(self, db: Database, clock: Clock, economy: EconomyServiceStub, metrics: Metrics) -> None:
        self._db = db
        self._clock = clock
        self._economy = economy
        self._log = log.get(service="progress")
        self._owed: asyncio.Event = asyncio.Event()
        results = metrics.counter("progress_rewards", "Rewards by what became of them", ["result"])
        self._paid, self._refused = results.labels("paid"), results.labels("refused")
        self._waiting = metrics.gauge("progress_rewards_owed", "Rewards that economy has not confirmed yet")

    def poke(self) -> None:
        """Say that something is owed."""
        self._owed.set()

    async def pay(self, owed: store.Owed) -> None:
        """Pay one reward.

        Raises:
            Outage: Economy or the database can't be reached; it stays owed.
        """
        request = economy_pb.GrantRewardRequest(
            request_id=owed.request_id,
            player_id=owed.player_id,
            money=economy_pb.Money(currency="gold", amount=owed.amount),
            kind=owed.kind,
            reference=owed.reference,
        )
        state, refused_for = "paid", ""
        try:
            await self._economy.GrantReward(request)
        except Refusal as refusal:
            if refusal.entry.code in ("UNAVAILABLE", "DEADLINE_EXCEEDED", "RESOURCE_EXHAUSTED"):
                raise Outage(f"economy: {refusal}") from refusal
            state, refused_for = "refused", refusal.reason
        await self._db.run(
            lambda connection: store.mark_reward(connection, owed.request_id, state, refused_for)
        )
        if refused_for:
            self._refused.inc()
            self._log.error("reward_refused", request_id=owed.request_id, reason=refused_for)
        else:
            self._paid.inc()

    async def pay_all(self) -> int:
        """Pay what is owed now, and return how much was.

        Raises:
            Outage: The rest stays owed.
        """
        owed = await self._db.read(lambda connection: store.owed_rewards(connection, BATCH))
        self._waiting.set(len(owed))
        for one in owed:
            await self.pay(one)
        self._waiting.set(0)
        return len(owed)

    async def run(self) -> None:
        """Pay until cancelled."""
        failures = 0
        while True:
            self._owed.clear()
            try:
                while await self.pay_all() == BATCH:
                    pass
            except Outage as outage:
                failures += 1
                self._log.warning("rewards_interrupted", why=str(outage)[:200])
                await self._clock.sleep(min(RETRY_S_MAX, 0.2 * 2 ** min(failures, 8)))
                continue
            failures = 0
            try:
                async with self._clock.timeout(LOOK_S):
                    await self._owed.wait()
            except TimeoutError:
                continue

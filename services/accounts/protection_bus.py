"""What is heard of rounds, and word to players whose time to play ends soon."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from google.protobuf.message import Message
from paiju.accounts.v1.protection_service_pb2 import PlayEnding
from paiju.economy.v1.events_pb2 import RoundSettled
from paiju.gateway.v1.gateway_service_pb2 import Notice
from paiju.table.v1.events_pb2 import RoundFinished, RoundOpened, RoundVoided
from sqlalchemy import Connection

from services.accounts.core.protection import Rules, Today
from services.accounts.store import protection as store
from services.accounts.store import protection_rounds as played
from services.accounts.store.protection_rounds import Heard
from services.chassis import log
from services.chassis.bus import subject_of
from services.chassis.bus.port import Bus, Delivery
from services.chassis.clock import Clock
from services.chassis.days import MINUTE_MS, begin_of, day_of
from services.chassis.db import Database
from services.chassis.errors import Outage
from services.chassis.metrics import Metrics
from services.chassis.run import Consumes

ROUNDS: Final = Consumes("accounts-rounds", (RoundOpened, RoundFinished, RoundVoided, RoundSettled))

WARN_MS: Final = 10 * MINUTE_MS
"""So long before his time ends a player at a table is told."""
LOOK_S: Final = 5.0
TIDY_S: Final = 3_600.0
CALENDAR_DAYS_LOW: Final = 45
"""Holidays that are known for fewer days to come are complained of: next year's are published in November."""
ASKED_AT_ONCE: Final = 500

_log = log.get(service="accounts")


class Ears:
    """The handler of the consumer of rounds."""

    def __init__(self, db: Database, clock: Clock, metrics: Metrics) -> None:
        self._db = db
        self._clock = clock
        self._timed = metrics.counter(
            "accounts_rounds_timed", "Rounds whose time is counted for their players"
        )

    async def on_rounds(self, deliveries: Sequence[Delivery[Message]]) -> None:
        """Count rounds, each once, in whatever order its events come."""
        heard = [one for one in map(_heard, deliveries) if one is not None]
        now_ms = self._clock.now_ms()
        self._timed.inc(await self._db.run(lambda connection: played.hear(connection, heard, now_ms)))


class Warner:
    """Tells players who are in a round that their time ends soon, each end once; and keeps house."""

    def __init__(self, rules: Rules, db: Database, bus: Bus, clock: Clock, metrics: Metrics) -> None:
        self._rules = rules
        self._db = db
        self._bus = bus
        self._clock = clock
        self._told = metrics.counter("accounts_play_warnings", "Players told that their time ends soon")
        self._days = metrics.gauge(
            "accounts_holidays_known_days",
            "Days to come whose public holidays are known; below 0, minors get no holidays",
        )

    async def run(self) -> None:
        """Look until cancelled."""
        tidied = float("-inf")
        while True:
            try:
                if self._clock.monotonic() - tidied >= TIDY_S:
                    await self.tidy()
                    tidied = self._clock.monotonic()
                await self.warn()
            except Outage as outage:
                _log.warning("players_not_warned", why=str(outage)[:200])
            await self._clock.sleep(LOOK_S)

    async def tidy(self) -> None:
        """Forget what is old, and say how long the calendar lasts."""
        now_ms = self._clock.now_ms()
        left = self._rules.holidays.days_left(day_of(now_ms))
        self._days.set(left)
        if left < CALENDAR_DAYS_LOW:
            _log.warning("holidays_end_soon", days=left, setting="PAIJU_ACCOUNTS_HOLIDAYS_FILE")
        await self._db.run(lambda connection: played.forget(connection, now_ms))

    async def warn(self) -> int:
        """Tell those whose time ends within ten minutes and who were not told; return how many."""
        now_ms = self._clock.now_ms()
        # Usually nobody is limited, and nothing is to be written.
        if not await self._db.read(lambda connection: self._endings(connection, now_ms)):
            return 0
        endings = await self._db.run(lambda connection: self._first(connection, now_ms))
        for player_id, ending in endings.items():
            notice = Notice(play_ending=ending)
            await self._bus.tell(subject_of(Notice, key=player_id), notice.SerializeToString())
            self._told.inc()
        return len(endings)

    def _first(self, connection: Connection, now_ms: int) -> dict[str, PlayEnding]:
        found = self._endings(connection, now_ms)
        return {
            player_id: ending
            for player_id, ending in sorted(found.items())
            if played.is_first_warning(connection, player_id, day_of(ending.ends_at_ms - 1), ending.reason)
        }

    def _endings(self, connection: Connection, now_ms: int) -> dict[str, PlayEnding]:
        if self._rules.is_free_by_default and not store.is_any_set(connection):
            return {}
        since, day = played.playing(connection, now_ms), day_of(now_ms)
        ids = sorted(since)
        found: dict[str, PlayEnding] = {}
        for first in range(0, len(ids), ASKED_AT_ONCE):
            some = ids[first : first + ASKED_AT_ONCE]
            own, today = store.load(connection, some, now_ms), played.today(connection, some, day)
            for player_id in some:
                open_ms = now_ms - max(since[player_id], begin_of(day))
                so_far = Today(today[player_id].played_ms + max(0, open_ms), today[player_id].net)
                verdict = self._rules.play(own[player_id], so_far, now_ms)
                if 0 < verdict.ends_at_ms <= now_ms + WARN_MS:
                    found[player_id] = PlayEnding(
                        ends_at_ms=verdict.ends_at_ms,
                        reason=verdict.ends_reason,
                        again_at_ms=verdict.ends_again_at_ms,
                    )
        return found


def _heard(delivery: Delivery[Message]) -> Heard | None:
    """Return what an event says of a round with people in it."""
    event = delivery.message
    match event:
        case RoundOpened():
            people = _people(event)
            return Heard(event.round_id, opened_at_ms=event.opened_at_ms, players=people) if people else None
        case RoundFinished():
            people = _people(event)
            return Heard(event.round_id, ended_at_ms=event.ended_at_ms, players=people) if people else None
        case RoundVoided():
            return Heard(event.round_id, ended_at_ms=event.voided_at_ms)
        case RoundSettled():
            nets = {
                seat.player_id: seat.coins - seat.fee if event.for_coins else 0
                for seat in event.seats
                if not seat.is_bot
            }
            return Heard(event.round_id, ended_at_ms=event.ended_at_ms, nets=nets) if nets else None
    raise AssertionError(f"accounts-rounds hears four types, not {type(event).__name__}")


def _people(event: RoundOpened | RoundFinished) -> tuple[str, ...]:
    return tuple(seat.player_id for seat in event.seats if not seat.is_bot)

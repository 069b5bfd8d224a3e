"""RPCs of protection: what players set for themselves, what services ask before somebody plays or pays."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import islice
from typing import Any, Final

from paiju.accounts.v1 import protection_service_pb2 as pb
from paiju.accounts.v1.events_pb2 import StaffActed
from sqlalchemy import Connection

from services.accounts.core import protection as core
from services.accounts.core.protection import Own, Rules, Today, Verdict
from services.accounts.core.protection_calendar import split_by_day
from services.accounts.store import protection as store
from services.accounts.store import protection_rounds as played
from services.chassis import auth, outbox
from services.chassis.access import reason_of
from services.chassis.auth import AccessTable
from services.chassis.days import HOUR_MS, clock_text, day_of, month_began_at
from services.chassis.errors import Refusal
from services.chassis.outbox import Outbox
from services.chassis.run import Parts

ACCESS: Final[AccessTable] = {
    "GetProtection": "player",
    "SetLimits": "player",
    "ExcludeSelf": "player",
    "DeclareAge": "player",
    "SetAgeBand": "staff:admin",
    "CheckPlay": "service",
    "CheckSpend": "service",
}

PLAYERS_MAX: Final = 64
WINDOWS_SHOWN: Final = 7
AMOUNT_MAX: Final = 10**12

Context = Any
Change = Callable[[Own, int], Own]


class ProtectionApi:
    """The servicer."""

    def __init__(self, rules: Rules, parts: Parts, outbox_: Outbox) -> None:
        self._rules = rules
        self._db = parts.db("accounts")
        self._clock = parts.clock
        self._ids = parts.ids
        self._outbox = outbox_
        self._checks = parts.metrics.counter(
            "accounts_play_checks", "Who asked to play, by answer", ["result"]
        )

    async def GetProtection(  # noqa: N802 - the proto names it
        self, request: pb.GetProtectionRequest, context: Context
    ) -> pb.GetProtectionResponse:
        """Everything that protects a player: one's own, or for staff anybody's."""
        player_id = request.player_id or auth.player()
        if auth.current().player_id != player_id:
            auth.staff("support")
        now_ms = self._clock.now_ms()
        found = await self._db.read(lambda connection: self._protection(connection, player_id, now_ms))
        return pb.GetProtectionResponse(protection=found)

    async def SetLimits(  # noqa: N802 - the proto names it
        self, request: pb.SetLimitsRequest, context: Context
    ) -> pb.SetLimitsResponse:
        """Set one's own limits; looser ones wait."""
        limits, wait_ms = request.limits, self._rules.loosen_after_ms

        def change(own: Own, now_ms: int) -> Own:
            return core.set_limits(own, limits.day_minutes, limits.day_loss, now_ms, wait_ms)

        return pb.SetLimitsResponse(protection=await self._change(auth.player(), change))

    async def ExcludeSelf(  # noqa: N802 - the proto names it
        self, request: pb.ExcludeSelfRequest, context: Context
    ) -> pb.ExcludeSelfResponse:
        """Exclude oneself; it only gets longer."""

        def change(own: Own, now_ms: int) -> Own:
            return core.exclude(own, request.until_ms, now_ms)

        return pb.ExcludeSelfResponse(protection=await self._change(auth.player(), change))

    async def DeclareAge(  # noqa: N802 - the proto names it
        self, request: pb.DeclareAgeRequest, context: Context
    ) -> pb.DeclareAgeResponse:
        """Say how old one is."""

        def change(own: Own, now_ms: int) -> Own:
            return core.declare(own, request.band, now_ms)

        return pb.DeclareAgeResponse(protection=await self._change(auth.player(), change))

    async def SetAgeBand(  # noqa: N802 - the proto names it
        self, request: pb.SetAgeBandRequest, context: Context
    ) -> pb.SetAgeBandResponse:
        """Correct an age band; who did it, and why, is kept."""
        staff, why, now_ms = auth.staff("admin"), reason_of(request.reason), self._clock.now_ms()
        if request.band not in core.BANDS.values():
            raise Refusal("INVALID_ARGUMENT", field="band")
        event_id = self._ids.new("staff")

        def write(connection: Connection) -> pb.Protection:
            own = store.hold(connection, request.player_id, now_ms)
            if own.band != request.band:
                store.save(connection, request.player_id, core.corrected(own, request.band, now_ms))
                acted = StaffActed(
                    staff_id=staff.staff_id,
                    role=staff.role,
                    action="set_age_band",
                    subject=request.player_id,
                    reason=why,
                    detail_json=json.dumps({"before": own.band, "now": int(request.band)}),
                    at_ms=now_ms,
                )
                outbox.put(connection, acted, event_id)
            return self._protection(connection, request.player_id, now_ms)

        found = await self._db.run(write)
        self._outbox.poke()
        return pb.SetAgeBandResponse(protection=found)

    async def CheckPlay(  # noqa: N802 - the proto names it
        self, request: pb.CheckPlayRequest, context: Context
    ) -> pb.CheckPlayResponse:
        """Whether players may begin a round, or take a seat, now."""
        players, now_ms = list(request.players), self._clock.now_ms()
        if not 0 < len(players) <= PLAYERS_MAX or any(not _is_person(one.player_id) for one in players):
            raise Refusal("INVALID_ARGUMENT", field="players")
        verdicts = await self._db.read(lambda connection: self._verdicts(connection, request, now_ms))
        for verdict in verdicts:
            self._checks.labels(verdict.reason.lower() or "allowed").inc()
        return pb.CheckPlayResponse(verdicts=[_verdict(verdict) for verdict in verdicts])

    async def CheckSpend(  # noqa: N802 - the proto names it
        self, request: pb.CheckSpendRequest, context: Context
    ) -> pb.CheckSpendResponse:
        """Whether a player may pay."""
        player_id, now_ms = request.player_id, self._clock.now_ms()
        if not _is_person(player_id):
            raise Refusal("INVALID_ARGUMENT", field="player_id")
        if not 0 < request.amount_fen <= AMOUNT_MAX:
            raise Refusal("INVALID_ARGUMENT", field="amount_fen")
        if not 0 <= request.spent_month_fen <= AMOUNT_MAX:
            raise Refusal("INVALID_ARGUMENT", field="spent_month_fen")
        own = (await self._db.read(lambda connection: store.load(connection, [player_id], now_ms)))[player_id]
        verdict = self._rules.spend(own, request.amount_fen, request.spent_month_fen, now_ms)
        return pb.CheckSpendResponse(
            reason=verdict.reason,
            at_once_fen=verdict.at_once_fen,
            left_month_fen=verdict.left_month_fen,
            month_began_at_ms=month_began_at(now_ms),
            until_ms=verdict.until_ms,
            until=clock_text(verdict.until_ms),
        )

    async def _change(self, player_id: str, change: Change) -> pb.Protection:
        now_ms = self._clock.now_ms()

        def write(connection: Connection) -> pb.Protection:
            own = store.hold(connection, player_id, now_ms)
            store.save(connection, player_id, change(own, now_ms))
            return self._protection(connection, player_id, now_ms)

        return await self._db.run(write)

    def _verdicts(self, connection: Connection, request: pb.CheckPlayRequest, now_ms: int) -> list[Verdict]:
        ids = [one.player_id for one in request.players]
        own, day = store.load(connection, ids, now_ms), day_of(now_ms)
        today = played.today(connection, ids, day)
        last, more_ms, is_settled = request.last_round, 0, True
        if last.round_id:
            is_timed, is_settled = played.is_counted(connection, last.round_id)
            begin_ms = max(last.opened_at_ms, last.ended_at_ms - played.ROUND_MS_MAX)
            more_ms = 0 if is_timed else dict(split_by_day(begin_ms, last.ended_at_ms)).get(day, 0)
            is_settled = is_settled or day_of(last.ended_at_ms) != day
        return [
            self._rules.play(
                own[one.player_id],
                Today(
                    today[one.player_id].played_ms + more_ms,
                    today[one.player_id].net + (0 if is_settled else one.net),
                ),
                now_ms,
            )
            for one in request.players
        ]

    def _protection(self, connection: Connection, player_id: str, now_ms: int) -> pb.Protection:
        own = store.load(connection, [player_id], now_ms)[player_id].at(now_ms)
        today = played.today(connection, [player_id], day_of(now_ms))[player_id]
        rules, band = self._rules, self._rules.band_of(own)
        until = rules.holidays.known_until(day_of(now_ms))
        found = pb.Protection(
            player_id=player_id,
            band=pb.AgeBand.ValueType(own.band),
            treated_as=pb.AgeBand.ValueType(rules.treated_as(own)),
            own=pb.PlayLimits(day_minutes=own.day_minutes, day_loss=own.day_loss),
            pending=pb.PendingLimits(
                day_minutes=own.next_minutes,
                day_minutes_at_ms=own.next_minutes_at_ms,
                day_loss=own.next_loss,
                day_loss_at_ms=own.next_loss_at_ms,
            ),
            excluded_until_ms=own.excluded_until_ms,
            played_today_ms=today.played_ms,
            net_today=today.net,
            verdict=_verdict(rules.play(own, today, now_ms)),
            now_ms=now_ms,
            loosen_after_hours=rules.loosen_after_ms // HOUR_MS,
            exclusion_hours_min=core.EXCLUSION_HOURS_MIN,
            exclusion_days_max=core.EXCLUSION_DAYS_MAX,
            holidays_known_until=until.isoformat() if until is not None else "",
        )
        if band is not None:
            found.of_band.CopyFrom(pb.PlayLimits(day_minutes=band.day_minutes, day_loss=band.day_loss))
            if band.windows is not None:
                shown = islice(band.windows.after(now_ms, rules.holidays), WINDOWS_SHOWN)
                found.windows.extend(
                    pb.PlayWindow(begins_at_ms=begin, ends_at_ms=end) for begin, end in shown
                )
        return found


def _is_person(player_id: str) -> bool:
    return bool(player_id) and not player_id.startswith("bot:")


def _verdict(verdict: Verdict) -> pb.PlayVerdict:
    return pb.PlayVerdict(
        reason=verdict.reason,
        again_at_ms=verdict.again_at_ms,
        again=clock_text(verdict.again_at_ms),
        ends_at_ms=verdict.ends_at_ms,
        ends_reason=verdict.ends_reason,
        ends_again_at_ms=verdict.ends_again_at_ms,
        ends_again=clock_text(verdict.ends_again_at_ms),
        left_ms=verdict.left_ms,
        left_loss=verdict.left_loss,
    )

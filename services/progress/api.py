"""RPCs of progress."""

from __future__ import annotations

from typing import Any

from paiju.progress.v1 import progress_service_pb2 as pb

from services.chassis import auth
from services.chassis.auth import AccessTable
from services.chassis.clock import Clock
from services.chassis.days import day_text
from services.chassis.db import Database
from services.chassis.errors import Outage
from services.chassis.metrics import Metrics
from services.progress import statistics
from services.progress.bus import Payer
from services.progress.core.streak import LastSignIn, state_of
from services.progress.settings import ProgressSettings
from services.progress.store import plays
from services.progress.store import sign_ins as store

ACCESS: AccessTable = {
    "GetSignIn": "player",
    "SignIn": "player",
    "GetStatistics": "player",
    "ListStatisticsDays": "player",
    "SetStatisticsVisibility": "player",
}

Context = Any


class ProgressApi:
    """The servicer."""

    def __init__(
        self, db: Database, clock: Clock, settings: ProgressSettings, payer: Payer, metrics: Metrics
    ) -> None:
        self._db = db
        self._clock = clock
        self._settings = settings
        self._payer = payer
        self._sign_ins = metrics.counter("progress_sign_ins", "Daily sign-ins")

    async def GetSignIn(  # noqa: N802 - the proto names it
        self, request: pb.GetSignInRequest, context: Context
    ) -> pb.GetSignInResponse:
        """Today's sign-in and the streak."""
        player_id = auth.player()
        last = await self._db.read(lambda connection: store.last_sign_in(connection, player_id))
        return pb.GetSignInResponse(state=self._state(last, self._clock.now_ms()))

    async def SignIn(  # noqa: N802 - the proto names it
        self, request: pb.SignInRequest, context: Context
    ) -> pb.SignInResponse:
        """Sign in for today; a repeat gets the first answer.

        The reward is written down with the sign-in. It is paid before the answer if economy can be reached,
        and later if not.
        """
        player_id, now_ms = auth.player(), self._clock.now_ms()
        amounts = self._settings.sign_in_rewards
        last, owed = await self._db.run(
            lambda connection: store.sign_in_today(connection, player_id, amounts, now_ms)
        )
        if owed is not None:
            self._sign_ins.inc()
            try:
                await self._payer.pay(owed)
            except Outage:
                self._payer.poke()
        return pb.SignInResponse(state=self._state(last, now_ms), reward=last.reward)

    async def GetStatistics(  # noqa: N802 - the proto names it
        self, request: pb.GetStatisticsRequest, context: Context
    ) -> pb.GetStatisticsResponse:
        """Rounds, wins and names of a player."""
        asked = statistics.check_counts(request)
        may_always = statistics.may_always_see(asked.player_id)
        is_public, found = await self._db.read(
            lambda connection: (
                statistics.check_public(connection, asked.player_id, may_always),
                plays.counts_of(
                    connection, asked.player_id, request.game, request.preset, asked.size + 1, asked.after
                ),
            )
        )
        response = pb.GetStatisticsResponse(
            is_public=is_public, statistics=[statistics.counts(*one) for one in found[: asked.size]]
        )
        if len(found) > asked.size:
            game, preset, _ = found[asked.size - 1]
            response.next_page_token = f"{game} {preset}"
        return response

    async def ListStatisticsDays(  # noqa: N802 - the proto names it
        self, request: pb.ListStatisticsDaysRequest, context: Context
    ) -> pb.ListStatisticsDaysResponse:
        """What a player played, day by day."""
        asked = statistics.check_days(request, self._clock.now_ms())
        may_always = statistics.may_always_see(asked.player_id)
        _, rows = await self._db.read(
            lambda connection: (
                statistics.check_public(connection, asked.player_id, may_always),
                plays.days_of(
                    connection, asked.player_id, request.game, request.preset, asked.days, asked.size + 1
                ),
            )
        )
        response = pb.ListStatisticsDaysResponse(days=[statistics.day(row) for row in rows[: asked.size]])
        if len(rows) > asked.size:
            response.next_page_token = day_text(rows[asked.size - 1].day)
        return response

    async def SetStatisticsVisibility(  # noqa: N802 - the proto names it
        self, request: pb.SetStatisticsVisibilityRequest, context: Context
    ) -> pb.SetStatisticsVisibilityResponse:
        """Say whether others may see the caller's statistics."""
        player_id, now_ms = auth.player(), self._clock.now_ms()

        def change(connection: Any) -> bool:
            plays.show(connection, player_id, request.is_public, now_ms)
            return plays.is_public(connection, player_id)

        return pb.SetStatisticsVisibilityResponse(is_public=await self._db.run(change))

    def _state(self, last: LastSignIn | None, now_ms: int) -> pb.SignInState:
        state = state_of(last, now_ms, self._settings.sign_in_rewards)
        return pb.SignInState(
            day=day_text(state.day),
            signed_in=state.signed_in,
            streak=state.streak,
            rewards=self._settings.sign_in_rewards,
            reward_index=state.reward_index,
        )

"""RPCs of progress."""

from __future__ import annotations

import re
from typing import Any

from paiju.progress.v1 import progress_service_pb2 as pb

from services.chassis import auth
from services.chassis.auth import AccessTable
from services.chassis.clock import Clock
from services.chassis.db import Database
from services.chassis.errors import Outage, Refusal
from services.chassis.metrics import Metrics
from services.progress import store
from services.progress.bus import Payer
from services.progress.core.days import LastSignIn, day_text, state_of
from services.progress.settings import ProgressSettings

ACCESS: AccessTable = {"GetSignIn": "player", "SignIn": "player", "GetStatistics": "player"}

_PLAYER_ID = re.compile(r"p_[A-Za-z0-9_-]{1,64}")

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
        player_id = request.player_id or auth.player()
        if not _PLAYER_ID.fullmatch(player_id):
            raise Refusal("INVALID_ARGUMENT", field="player_id")
        found = await self._db.read(lambda connection: store.counts_of(connection, player_id))
        return pb.GetStatisticsResponse(
            statistics=[
                pb.PlayStatistics(
                    game=game,
                    preset=preset,
                    rounds=counts.rounds,
                    wins=counts.wins,
                    draws=counts.draws,
                    self_draws=counts.self_draws,
                    points=counts.points,
                    best_points=counts.best_points,
                    best_huxi=counts.best_huxi,
                    names=counts.names,
                )
                for game, preset, counts in found
            ]
        )

    def _state(self, last: LastSignIn | None, now_ms: int) -> pb.SignInState:
        state = state_of(last, now_ms, self._settings.sign_in_rewards)
        return pb.SignInState(
            day=day_text(state.day),
            signed_in=state.signed_in,
            streak=state.streak,
            rewards=self._settings.sign_in_rewards,
            reward_index=state.reward_index,
        )

"""RPCs of ratings."""

from __future__ import annotations

import re
from typing import Any, Final

from paiju.progress.v1 import rating_service_pb2 as pb
from paiju.progress.v1 import rating_service_pb2_grpc

from services.chassis import auth
from services.chassis.auth import AccessTable
from services.chassis.db import Database
from services.chassis.errors import Refusal
from services.progress import statistics
from services.progress.core.ratings import NEWCOMER
from services.progress.store import ratings as store

ACCESS: AccessTable = {"GetRating": "player", "ListRatings": "player", "BatchGetRatings": "service"}

PAGE_MAX: Final = 100
KEYS_MAX: Final = 1_000

_PLAYER_ID: Final = re.compile(r"p_[A-Za-z0-9_-]{1,64}")
_GAME: Final = re.compile(r"[a-z0-9_]{1,32}")

Context = Any


class RatingApi(rating_service_pb2_grpc.RatingServiceServicer):
    """The servicer.

    Args:
        provisional_rounds: Below so many a rating is provisional.
    """

    def __init__(self, db: Database, provisional_rounds: int) -> None:
        self._db = db
        self._provisional = provisional_rounds

    async def GetRating(  # noqa: N802 - the proto names it
        self, request: pb.GetRatingRequest, context: Context
    ) -> pb.GetRatingResponse:
        """A player's rating in one game."""
        player_id = _whose(request.player_id)
        if not _GAME.fullmatch(request.game):
            raise Refusal("INVALID_ARGUMENT", field="game")
        found = await self._read(player_id, 1, "", request.game)
        if not found:
            return pb.GetRatingResponse(rating=self._told(store.Kept(player_id, request.game, NEWCOMER, 0)))
        return pb.GetRatingResponse(rating=self._told(found[0]))

    async def ListRatings(  # noqa: N802 - the proto names it
        self, request: pb.ListRatingsRequest, context: Context
    ) -> pb.ListRatingsResponse:
        """A player's ratings in all games."""
        player_id, size = _whose(request.player_id), request.page_size or PAGE_MAX
        if not 1 <= size <= PAGE_MAX:
            raise Refusal("INVALID_ARGUMENT", field="page_size", maximum=PAGE_MAX)
        if request.page_token and not _GAME.fullmatch(request.page_token):
            raise Refusal("INVALID_ARGUMENT", field="page_token")
        found = await self._read(player_id, size + 1, request.page_token)
        return pb.ListRatingsResponse(
            ratings=map(self._told, found[:size]),
            next_page_token=found[size - 1].game if len(found) > size else "",
        )

    async def BatchGetRatings(  # noqa: N802 - the proto names it
        self, request: pb.BatchGetRatingsRequest, context: Context
    ) -> pb.BatchGetRatingsResponse:
        """Many players' ratings in one game each."""
        if len(request.keys) > KEYS_MAX:
            raise Refusal("INVALID_ARGUMENT", field="keys", maximum=KEYS_MAX)
        keys = [(key.player_id, key.game) for key in request.keys]
        if not all(_PLAYER_ID.fullmatch(player_id) and _GAME.fullmatch(game) for player_id, game in keys):
            raise Refusal("INVALID_ARGUMENT", field="keys")
        found = await self._db.read(lambda connection: store.of_many(connection, keys))
        return pb.BatchGetRatingsResponse(ratings=map(self._told, found))

    async def _read(self, player_id: str, size: int, beyond: str, game: str = "") -> list[store.Kept]:
        may_always = statistics.may_always_see(player_id)
        _, found = await self._db.read(
            lambda connection: (
                statistics.check_public(connection, player_id, may_always),
                store.of(connection, player_id, size, beyond, game),
            )
        )
        return found

    def _told(self, kept: store.Kept) -> pb.Rating:
        left = max(0, self._provisional - kept.skill.rounds)
        return pb.Rating(
            player_id=kept.player_id,
            game=kept.game,
            rating=max(1, round(kept.skill.mean)),
            deviation=round(kept.skill.deviation),
            rounds=kept.skill.rounds,
            is_provisional=left > 0,
            at_ms=kept.at_ms,
            rounds_left=left,
        )


def _whose(player_id: str) -> str:
    player_id = player_id or auth.player()
    if not _PLAYER_ID.fullmatch(player_id):
        raise Refusal("INVALID_ARGUMENT", field="player_id")
    return player_id

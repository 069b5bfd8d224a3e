"""gRPC: the statistics, for operators and services."""

from __future__ import annotations

from typing import Any, Final

from paiju.anticheat.v1 import anticheat_service_pb2 as pb

from services.anticheat import store
from services.chassis.auth import AccessTable
from services.chassis.db import Database
from services.chassis.errors import Refusal

ACCESS: Final[AccessTable] = {"GetPlayerStatistics": "service", "GetPairStatistics": "service"}
PLAYER_ID_LENGTH_MAX = 64


class Api:
    """The servicer of `AnticheatService`."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def GetPlayerStatistics(  # noqa: N802 - the proto names it
        self, request: pb.GetPlayerStatisticsRequest, context: object
    ) -> pb.GetPlayerStatisticsResponse:
        """Return one player's figures; zeros for one who never finished a round.

        Raises:
            Refusal: `INVALID_ARGUMENT` without a player id.
        """
        player_id = _checked(request.player_id, "player_id")
        row = await self._db.read(lambda c: store.player_row(c, player_id))
        return pb.GetPlayerStatisticsResponse(
            statistics=pb.PlayerStatistics(player_id=player_id, **(row or {}))
        )

    async def GetPairStatistics(  # noqa: N802 - the proto names it
        self, request: pb.GetPairStatisticsRequest, context: object
    ) -> pb.GetPairStatisticsResponse:
        """Return the figures of a pair, or of the pairs that played most.

        Raises:
            Refusal: `INVALID_ARGUMENT` without a player id.
        """
        player_id = _checked(request.player_id, "player_id")
        other_id = _checked(request.other_id, "other_id") if request.other_id else None
        rows: list[dict[str, Any]] = await self._db.read(lambda c: store.pair_rows(c, player_id, other_id))
        return pb.GetPairStatisticsResponse(statistics=[pb.PairStatistics(**row) for row in rows])


def _checked(player_id: str, field: str) -> str:
    if not 1 <= len(player_id) <= PLAYER_ID_LENGTH_MAX:
        raise Refusal("INVALID_ARGUMENT", field=field)
    return player_id

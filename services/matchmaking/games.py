"""The games that tables are opened for, as the table service lists them."""

from __future__ import annotations

from collections.abc import Mapping

from paiju.table.v1 import table_service_pb2_grpc
from paiju.table.v1.table_service_pb2 import Game, ListGamesRequest

from services.chassis.errors import Outage, Refusal
from services.chassis.run import Parts

GAMES_S = 60.0
"""The games are asked for again after so long."""


class Catalogue:
    """See the module."""

    def __init__(self, parts: Parts) -> None:
        self._clock = parts.clock
        self._tables = parts.rpc.client(table_service_pb2_grpc.TableServiceStub, "table")
        self._games: dict[str, Game] = {}
        self._until = -1.0

    async def games(self) -> Mapping[str, Game]:
        """Return the games by name, in the engine's order.

        Raises:
            Outage: The tables can't be asked, and never could be.
        """
        if self._until < self._clock.monotonic():
            try:
                listed = await self._tables.ListGames(ListGamesRequest())
            except Outage:
                if not self._games:
                    raise
                return self._games
            self._games = {one.game: one for one in listed.games}
            self._until = self._clock.monotonic() + GAMES_S
        return self._games

    async def game(self, name: str) -> Game:
        """Return a game.

        Raises:
            Refusal: INVALID_ARGUMENT: tables are not opened for such a game.
            Outage: The tables can't be asked.
        """
        games = await self.games()
        if name not in games:
            self._until = -1.0  # perhaps it is opened since
            games = await self.games()
        if name not in games:
            raise Refusal("INVALID_ARGUMENT", field="game", known=", ".join(games))
        return games[name]

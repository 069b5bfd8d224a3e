"""The only list of games."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from engine.doudizhu.game import Doudizhu
from engine.errors import UnknownGame
from engine.face import Game
from engine.kawuxing.game import Kawuxing
from engine.paohuzi.game import Paohuzi
from engine.qinghunpeng.game import Qinghunpeng


class Games(Mapping[str, Game]):
    """Games by name; asking for an unknown one is refused with the known ones listed."""

    def __init__(self, *games: Game) -> None:
        self._games = {game.name: game for game in games}

    def __getitem__(self, name: str) -> Game:
        try:
            return self._games[name]
        except (KeyError, TypeError):
            raise UnknownGame(name, self._games) from None

    def __contains__(self, name: object) -> bool:
        return name in self._games

    def __iter__(self) -> Iterator[str]:
        return iter(self._games)

    def __len__(self) -> int:
        return len(self._games)


GAMES: Final = Games(Paohuzi(), Doudizhu(), Kawuxing(), Qinghunpeng())
"""Every game, by name."""

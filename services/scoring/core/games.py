"""The games whose records can be audited. A new game is one more entry."""

from collections.abc import Mapping
from typing import Final

from services.scoring.core import paohuzi
from services.scoring.core.doudizhu import game as doudizhu
from services.scoring.core.game import Game
from services.scoring.core.kawuxing import game as kawuxing
from services.scoring.core.qinghunpeng import game as qinghunpeng

GAMES: Final[Mapping[str, Game]] = {
    game.name: game for game in (paohuzi.GAME, doudizhu.GAME, kawuxing.GAME, qinghunpeng.GAME)
}
"""By name."""


def game_of_example(name: object) -> Game | None:
    """Return the game an example names, in full or in short; one that names none is of 跑胡子."""
    if name is None:
        return GAMES["paohuzi"]
    return next((game for game in GAMES.values() if name in (game.name, game.short)), None)

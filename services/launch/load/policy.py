"""What a player does when asked: the engine's bots, deciding from what the seat was told and nothing else."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any

from engine import GAMES
from engine.face import Rng


def folder_of(game: str) -> Any:
    """Return a new fold of a game's event texts: `add(text)`, `view()`.

    The face of a game folds a whole round at once; here the texts come one by one, and folding them anew at
    each question costs five times as much.
    """
    return importlib.import_module(f"engine.{game}.fold").Folder()


class Mind:
    """One player's mind, for the rounds of one match.

    Args:
        game: The game's name.
        policy: A bot of the game, or `fallback`: what the table itself plays for a seat that is silent.
        rng: What the bot draws from.
    """

    def __init__(self, game: str, policy: str, rng: Rng) -> None:
        self._game = GAMES[game]
        self._bot = None if policy == "fallback" else self._game.bots[policy]
        self._rng = rng
        self._folder: Any = None
        self._texts: Sequence[str] = ()
        self._known = 0

    def choose(self, texts: Sequence[str]) -> str:
        """Return the answer to the open question.

        Args:
            texts: All event texts of the round so far; the same growing list while the round goes on.
        """
        if texts is not self._texts or len(texts) < self._known:
            self._folder, self._texts, self._known = folder_of(self._game.name), texts, 0
        for text in texts[self._known :]:
            self._folder.add(text)
        self._known = len(texts)
        view = self._folder.view()
        return self._bot(view, self._rng) if self._bot else self._game.fallback(view)

"""Worked examples of every game, run through scoring's own code."""

from collections.abc import Mapping
from typing import Any

from services.scoring.core.games import GAMES, game_of_example


def run_case(case: Mapping[str, Any]) -> list[str]:
    """Return what a worked example expects and scoring says otherwise; empty if all agree.

    An example that names no game is one of 跑胡子.
    """
    game = game_of_example(case.get("game"))
    if game is None:
        return [f"no game {case['game']!r}: there are {', '.join(GAMES)}"]
    return game.run_case(case)

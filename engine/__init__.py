"""Paiju's rules: pure functions and values, without clock, chance, input, output or threads.

``GAMES[name]`` is a game (``engine.face.Game``); what it refuses is in ``engine.errors``.
"""

from engine.errors import Refusal
from engine.registry import GAMES

__all__ = ["GAMES", "Refusal"]

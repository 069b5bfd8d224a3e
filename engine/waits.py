"""A card a hand waits for, as a seat can know it."""

from __future__ import annotations

from typing import NamedTuple


class Wait(NamedTuple):
    """A card that would complete a hand."""

    card: str
    """In the game's notation."""
    left: int
    """Copies the seat cannot see: in the wall, or hidden with others."""
    huxi: int = 0
    """跑胡子: the 息 the hand would have then."""

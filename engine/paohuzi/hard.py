"""A bot that plays each sensible answer on in guesses of what is hidden, and takes the best one.

It is a pure function of its view: the guesses are made from the view alone.
"""

from __future__ import annotations

from typing import Final

from engine.face import Action, Rng
from engine.paohuzi.actions import HU
from engine.paohuzi.guess import guess
from engine.paohuzi.normal import normal_policy, ranking
from engine.paohuzi.position import Position
from engine.paohuzi.view import View
from engine.search import Budget, search

BUDGET: Final = Budget(playouts=120, plies=6_000, doubt=0.5)
"""The work of one decision."""

CANDIDATES_MAX: Final = 5


def hard_bot(view: View, rng: Rng) -> Action:
    """Return the answer that does best over many guesses of the hands and the wall."""
    legal = view.legal
    if HU in legal:
        return HU
    if len(legal) == 1:
        return legal[0]
    candidates = ranking(view)[:CANDIDATES_MAX]
    return search(view, rng, candidates, guess, normal_policy, points_of, BUDGET).action


def points_of(position: Position, seat: int) -> float:
    """Return a seat's points at the end of a round; 0 before."""
    outcome = position.outcome()
    return float(outcome.points[seat]) if outcome is not None else 0.0

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
from engine.search import Budget, Found, search

BUDGET: Final = Budget(playouts=120, plies=6_000, doubt=1.0)
"""The work of one decision; docs/performance.md says how long it takes."""

CANDIDATES_MAX: Final = 3
"""How many answers are compared; points vary so much that the budget does not tell more of them apart."""


def hard_bot(view: View, rng: Rng) -> Action:
    """Return the answer that does best over many guesses of the hands and the wall."""
    return consider(view, rng).action


def consider(view: View, rng: Rng) -> Found:
    """Return the answer of ``hard_bot``, and what it rests on; a win is taken without a search."""
    if HU in view.legal:
        return Found.at_once(HU)
    if len(view.legal) == 1:
        return Found.at_once(view.legal[0])
    candidates = ranking(view)[:CANDIDATES_MAX]
    return search(view, rng, candidates, guess, normal_policy, points_of, BUDGET)


def points_of(position: Position, seat: int) -> float:
    """Return a seat's points at the end of a round; 0 before."""
    outcome = position.outcome()
    return float(outcome.points[seat]) if outcome is not None else 0.0

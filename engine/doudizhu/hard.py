"""A bot that plays each sensible answer on in guesses of the hidden hands, and takes the best one.

It is a pure function of its view: the guesses are made from the view alone.
"""

from __future__ import annotations

from typing import Final

from engine.doudizhu.cards import size_of
from engine.doudizhu.guess import guess
from engine.doudizhu.normal import Turn, cards_of, normal_bot, normal_policy
from engine.doudizhu.plan import best_plan
from engine.doudizhu.position import Position
from engine.doudizhu.state import PLAYING
from engine.doudizhu.tables import PASS
from engine.doudizhu.view import View
from engine.face import Action, Rng
from engine.search import Budget, Found, search

PLAY_BUDGET: Final = Budget(playouts=96, plies=4_000, doubt=0.5)
"""The work of one decision of the play."""

SAY_BUDGET: Final = Budget(playouts=64, plies=4_000, doubt=0.5)
"""The work of one decision before the play."""

CANDIDATES_MAX: Final = 6


def hard_bot(view: View, rng: Rng) -> Action:
    """Return the answer that does best over many guesses of what the others hold."""
    return consider(view, rng).action


def consider(view: View, rng: Rng) -> Found:
    """Return the answer of ``hard_bot``, and what it rests on; going out needs no search."""
    legal = view.legal
    if len(legal) == 1:
        return Found.at_once(legal[0])
    usual = normal_bot(view, rng)
    if view.phase != PLAYING:
        answers = [usual, *[action for action in legal if action != usual]]
        return search(view, rng, answers, guess, normal_policy, points_of, SAY_BUDGET)
    if usual != PASS and cards_of(usual) == view.hand:
        return Found.at_once(usual)
    candidates = candidates_of(view, usual)
    return search(view, rng, candidates, guess, normal_policy, points_of, PLAY_BUDGET)


def candidates_of(view: View, usual: Action) -> list[Action]:
    """Return the plays worth a search, the usual one first.

    Args:
        view: The view of a seat that plays.
        usual: What ``normal`` would play.
    """
    ranked = []
    for action in view.legal:
        if action == PASS:
            continue
        cards = cards_of(action)
        rest = best_plan(view.hand - cards)
        ranked.append((-rest.score, rest.turns, -size_of(cards), action))
    ranked.sort()
    found = [usual]
    if PASS in view.legal and usual != PASS:
        found.append(PASS)
    if view.over is None:
        found += [action for action in Turn.of_view(view).leads() if action not in found][:2]
    found += [action for _, _, _, action in ranked if action not in found]
    return found[:CANDIDATES_MAX]


def points_of(position: Position, seat: int) -> float:
    """Return a seat's points at the end of a round; 0 before."""
    outcome = position.outcome()
    return float(outcome.points[seat]) if outcome is not None else 0.0

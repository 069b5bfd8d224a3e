"""Determinised search: choose an action by playing each candidate on in guesses of what is hidden.

A *guess* is a complete position that looks to the seat exactly like its view. Every candidate is played on
in the same guesses, with the same chance (common random numbers), so that their differences say more than
their values. Sequential halving spends the playouts on the candidates that are still in question. The first
candidate is the reference, what the bot would play without a search: it is never dropped, and another is
preferred only if it is better beyond doubt.

Nothing here knows a game or a clock: the budget is an amount of work.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any, Final, TypeAlias

from engine.face import Action, Position, Rng

Guess: TypeAlias = Callable[[Any, Rng], Any]
"""From a view to a position that the view's seat cannot tell from the true one."""

Policy: TypeAlias = Callable[[Any, int, Rng], Action]
"""How a seat plays in a playout: position, seat and chance to one of the seat's legal actions.

It is handed the guessed position and not a view, for speed; it should use only what the seat could know.
"""

Value: TypeAlias = Callable[[Any, int], float]
"""What a position is worth to a seat: its points once the round is over, an estimate before."""

_WORD: Final = (1 << 64) - 1
SEEDS: Final = 1 << 62
"""How many seeds a search draws from."""


class Chance:
    """A small seeded source of chance (splitmix64); the same seed gives the same numbers everywhere.

    >>> Chance(7).randrange(100) == Chance(7).randrange(100)
    True
    """

    __slots__ = ("_state",)

    def __init__(self, seed: int) -> None:
        self._state = seed & _WORD

    def randrange(self, stop: int, /) -> int:
        """Return an integer from 0 to ``stop - 1``; ``stop`` is at most 2**62.

        The unevenness of the remainder is below ``stop`` / 2**64.
        """
        self._state = state = self._state + 0x9E3779B97F4A7C15 & _WORD
        state = (state ^ state >> 30) * 0xBF58476D1CE4E5B9 & _WORD
        state = (state ^ state >> 27) * 0x94D049BB133111EB & _WORD
        return (state ^ state >> 31) % stop


@dataclass(frozen=True, slots=True)
class Budget:
    """How much a search may do."""

    playouts: int
    """About how many playouts, over all candidates."""
    plies: int
    """No further sample is begun once the playouts have taken so many actions together."""
    depth: int = 1_000
    """A playout ends after so many actions at the latest, and is then judged as it stands."""
    doubt: float = 1.0
    """How many standard errors of its lead another candidate needs to replace the first."""


@dataclass(frozen=True, slots=True)
class Found:
    """What a search found."""

    action: Action
    values: tuple[tuple[Action, float, int], ...]
    """By candidate: its mean value and the number of samples it was tried in."""
    plies: int
    """How many actions the playouts took; the work done."""

    @classmethod
    def at_once(cls, action: Action) -> Found:
        """Return an action that needed no search."""
        return cls(action, ((action, 0.0, 0),), 0)


def search(
    view: Any,
    rng: Rng,
    candidates: Sequence[Action],
    guess: Guess,
    policy: Policy,
    value: Value,
    budget: Budget,
) -> Found:
    """Return the best candidate, judged by playouts in guesses of what the view hides.

    Args:
        view: The view of a seat that is asked.
        rng: The only source of chance; the same view and state of it give the same answer.
        candidates: Legal actions, the most likely one first; at least one.
        guess: Makes a position for the view. It is called once for each sample.
        policy: Plays for all seats after the candidate.
        value: Judges where a playout ended.
        budget: How much work may be done.
    """
    if len(candidates) == 1:
        return Found.at_once(candidates[0])
    scores: list[list[float]] = [[] for _ in candidates]
    alive = list(range(len(candidates)))
    stages = (len(candidates) - 1).bit_length()
    plies = 0
    for stage in range(stages):
        for _ in range(max(1, budget.playouts // (stages * len(alive)))):
            if plies >= budget.plies:
                break
            plies += _sample(view, rng, candidates, alive, guess, policy, value, budget.depth, scores)
        if stage < stages - 1:
            alive = _better_half(alive, scores)
    best = max(alive, key=lambda at: (_mean(scores[at]), -at))
    if best and not _leads(scores[best], scores[0], budget.doubt):
        best = 0
    tried = zip(candidates, scores, strict=True)
    values = tuple([(action, _mean(score), len(score)) for action, score in tried])
    return Found(candidates[best], values, plies)


def playout(position: Position, policy: Policy, rng: Rng, depth: int) -> int:
    """Play a position on to its end or for so many actions; return how many were taken."""
    # Some games can play an answer without telling what followed, which nobody listens to here.
    play = getattr(position, "advance", position.apply)
    plies = 0
    while plies < depth:
        asked = position.to_act()
        if not asked:
            break
        seat = asked[0]
        play(seat, policy(position, seat, rng))
        plies += 1
    return plies


def _sample(
    view: Any,
    rng: Rng,
    candidates: Sequence[Action],
    alive: Sequence[int],
    guess: Guess,
    policy: Policy,
    value: Value,
    depth: int,
    scores: Sequence[list[float]],
) -> int:
    """Try the candidates that are left in one more guess; return the actions taken."""
    seat = view.seat
    guessed = guess(view, Chance(rng.randrange(SEEDS)))
    seed = rng.randrange(SEEDS)
    plies = 0
    for at in alive:
        position = guessed.clone()
        position.apply(seat, candidates[at])
        plies += 1 + playout(position, policy, Chance(seed), depth)
        scores[at].append(value(position, seat))
    return plies


def _better_half(alive: Sequence[int], scores: Sequence[Sequence[float]]) -> list[int]:
    """Return the better half of the candidates, in their order, and the first one in any case."""
    ordered = sorted(alive, key=lambda at: (-_mean(scores[at]), at))
    kept = set(ordered[: (len(alive) + 1) // 2]) | {0}
    return [at for at in alive if at in kept]


def _leads(one: Sequence[float], other: Sequence[float], doubt: float) -> bool:
    """Return whether the first is better over the samples of both, by so many standard errors."""
    differences = [a - b for a, b in zip(one, other, strict=False)]
    number = len(differences)
    mean = sum(differences) / number if number else 0.0
    if mean <= 0:
        return False
    if number < 2:
        return doubt <= 0
    spread = sum([(difference - mean) ** 2 for difference in differences])
    return mean >= doubt * sqrt(spread / (number - 1) / number)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0

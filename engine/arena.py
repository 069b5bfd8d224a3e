"""Rounds played by bots, without a table: for simulations, tests and benches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from engine.face import Action, Bot, Game, Position, Rng


@dataclass(frozen=True, slots=True)
class PlayedRound:
    """What was played, and where it ended."""

    actions: tuple[tuple[int, Action], ...]
    """Seat and action, in the order they were taken."""
    position: Position
    """The position at the end."""

    @property
    def outcome(self) -> Any:
        """How it ended."""
        return self.position.outcome()


def play_round(
    game: Game,
    rules: Any,
    wall: Sequence[str],
    dealer: int,
    bots: Sequence[Bot],
    rng: Rng,
    draws_in_row: int = 0,
) -> PlayedRound:
    """Play one round to its end; seats that owe an answer at once answer in seat order.

    Args:
        game: The game.
        rules: Its rule set.
        wall: The shuffled deck.
        dealer: The seat that deals.
        bots: One by seat.
        rng: Given to the bots.
        draws_in_row: Drawn rounds directly before this one.
    """
    position = game.deal(rules, wall, dealer, draws_in_row)
    actions: list[tuple[int, Action]] = []
    while position.outcome() is None:
        seat = position.to_act()[0]
        action = bots[seat](position.view(seat), rng)
        position.apply(seat, action)
        actions.append((seat, action))
    return PlayedRound(tuple(actions), position)


def shuffled(deck: Sequence[str], rng: Rng) -> list[str]:
    """Return the deck in a random order (for tests and benches; real deals follow docs/fair-deal.md)."""
    cards = list(deck)
    for last in range(len(cards) - 1, 0, -1):
        at = rng.randrange(last + 1)
        cards[last], cards[at] = cards[at], cards[last]
    return cards

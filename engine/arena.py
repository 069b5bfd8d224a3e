"""Rounds played by bots, without a table: for simulations, tests and benches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import inf, sqrt
from typing import Any, Final

from engine.face import Action, Bot, Game, Position, Rng
from engine.search import SEEDS, Chance


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


DEALS_MIN: Final = 5
"""Fewer deals say nothing about their spread."""


@dataclass(frozen=True, slots=True)
class DuelDeal:
    """One deal, played with every seating of two kinds of bots."""

    difference: float
    """Points a seat of the first kind less points a seat of the second, the mean over all seatings."""
    seats: tuple[int, int]
    """How many seats each kind had in rounds that somebody won."""
    wins: tuple[int, int]
    """How many of them won."""
    rounds: int
    """How many rounds were played."""


@dataclass(frozen=True, slots=True)
class Duel:
    """Two kinds of bots over many deals."""

    deals: int
    rounds: int
    mean: float
    """Points a seat and round that the first kind is better."""
    half_width: float
    """Half the width of the 95 % interval of the mean, from the spread between deals.

    Infinite for fewer than DEALS_MIN deals.
    """
    win_shares: tuple[float, float]
    """How often a seat of each kind won, among rounds that somebody won."""

    @property
    def is_better(self) -> bool:
        """Whether the first kind is better with 95 % confidence."""
        return self.mean - self.half_width > 0

    def __str__(self) -> str:
        one, two = self.win_shares
        return (
            f"{self.deals} deals ({self.rounds} rounds): {self.mean:+.3f} ± {self.half_width:.3f} points "
            f"a seat and round, wins {one:.1%} : {two:.1%} of seats"
        )


def duel_deals(game: Game, rules: Any, one: Bot, two: Bot, deals: int, seed: int = 1) -> Iterator[DuelDeal]:
    """Play deals in duplicate, one after the other; the same seed gives the same deals for any bots.

    Each deal is played with a single seat of the first kind among the second, at every seat, and the other
    way round: twice as many rounds as there are seats. So the luck of the cards is the same for both.

    Args:
        game: The game.
        rules: Its rule set.
        one: The first kind.
        two: The second kind.
        deals: How many deals.
        seed: Decides the deals and the bots' chance.
    """
    for number in range(deals):
        chance = Chance(seed * 1_000_003 + number)
        wall = shuffled(game.deck(), chance)
        yield _duel_deal(game, rules, wall, number % game.seats, (one, two), chance.randrange(SEEDS))


def _duel_deal(
    game: Game, rules: Any, wall: Sequence[str], dealer: int, kinds: tuple[Bot, Bot], seed: int
) -> DuelDeal:
    differences: list[float] = []
    seats, wins = [0, 0], [0, 0]
    for single in (0, 1):
        for seat in range(game.seats):
            seating = [single if at == seat else 1 - single for at in range(game.seats)]
            bots = [kinds[kind] for kind in seating]
            outcome = play_round(game, rules, wall, dealer, bots, Chance(seed)).outcome
            totals = [0, 0]
            for at, kind in enumerate(seating):
                totals[kind] += outcome.points[at]
                if outcome.winners:
                    seats[kind] += 1
                    wins[kind] += at in outcome.winners
            many = seating.count(0)
            differences.append(totals[0] / many - totals[1] / (game.seats - many))
    rounds = len(differences)
    return DuelDeal(sum(differences) / rounds, (seats[0], seats[1]), (wins[0], wins[1]), rounds)


def duel(results: Iterable[DuelDeal]) -> Duel:
    """Add up deals played in duplicate.

    Raises:
        ValueError: There is no deal.
    """
    found = list(results)
    number = len(found)
    if not number:
        raise ValueError("a duel needs a deal")
    mean = sum(deal.difference for deal in found) / number
    spread = sum((deal.difference - mean) ** 2 for deal in found)
    half = _t_95(number - 1) * sqrt(spread / (number - 1) / number) if number >= DEALS_MIN else inf
    shares = [
        sum(deal.wins[kind] for deal in found) / max(1, sum(deal.seats[kind] for deal in found))
        for kind in (0, 1)
    ]
    return Duel(number, sum(deal.rounds for deal in found), mean, half, (shares[0], shares[1]))


def _t_95(freedom: int) -> float:
    """Return how many standard errors hold 95 % (Student's t, by its expansion; good from 4 degrees on)."""
    z = 1.959964
    return (
        z
        + (z**3 + z) / (4 * freedom)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * freedom**3)
    )

"""The search that bots share, on a game small enough to know the answer; and duels of bots."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isinf
from typing import Any

import pytest

from engine import GAMES
from engine.arena import DuelDeal, duel, duel_deals
from engine.search import Budget, Chance, Found, playout, search

BUDGET = Budget(playouts=240, plies=10_000)


@dataclass
class Coin:
    """A game in which a seat chooses a way, and hidden numbers say what each way is worth."""

    worth: dict[str, float]
    steps: int = 2
    chosen: str = ""
    log: list[str] = field(default_factory=list)

    def to_act(self) -> tuple[int, ...]:
        return (0,) if self.steps else ()

    def apply(self, seat: int, action: str) -> tuple[()]:
        self.chosen = self.chosen or action
        self.steps -= 1
        return ()

    def clone(self) -> Coin:
        return Coin(self.worth, self.steps, self.chosen, self.log)


@dataclass(frozen=True)
class Seen:
    """All that a seat of that game sees."""

    seat: int = 0


class Hidden:
    """Guesses of the hidden numbers: a mean for each way, and noise that all ways of a guess share."""

    def __init__(self, means: dict[str, float], common: int, own: int = 0) -> None:
        self.means, self.common, self.own = means, common, own
        self.guesses = 0

    def __call__(self, view: Any, rng: Any) -> Coin:
        self.guesses += 1
        luck = rng.randrange(2 * self.common + 1) - self.common
        return Coin(
            {
                way: mean + luck + rng.randrange(2 * self.own + 1) - self.own
                for way, mean in self.means.items()
            }
        )


def look(hidden: Hidden, ways: str, budget: Budget = BUDGET, seed: int = 1) -> Found:
    def value(position: Coin, seat: int) -> float:
        return position.worth[position.chosen]

    return search(Seen(), Chance(seed), list(ways), hidden, lambda *_: "on", value, budget)


def test_the_best_candidate_is_found_whatever_all_of_them_have_in_common() -> None:
    for best in "abcde":
        hidden = Hidden({way: 0.3 * (way == best) for way in "abcde"}, common=1000)
        assert look(hidden, "abcde").action == best


def test_without_a_difference_beyond_doubt_the_first_candidate_stays() -> None:
    noise = Hidden(dict.fromkeys("abc", 0.0), common=0, own=50)
    kept = [look(noise, "abc", Budget(60, 10_000, doubt=2.5), seed).action for seed in range(30)]
    assert kept.count("a") >= 27
    eager = [look(noise, "abc", Budget(60, 10_000, doubt=0.0), seed).action for seed in range(30)]
    assert eager.count("a") < 20


def test_a_sure_difference_beats_the_first_candidate_at_any_doubt() -> None:
    assert look(Hidden({"a": 0, "b": 1}, common=9), "ab", Budget(20, 1_000, doubt=9.0)).action == "b"


def test_the_first_candidate_is_tried_in_every_sample_even_if_it_looks_worst() -> None:
    found = look(Hidden({"a": -5, "b": 1, "c": 2, "d": 3, "e": 0}, common=3), "abcde")
    tries = {action: number for action, _, number in found.values}
    assert tries["a"] == max(tries.values())
    assert tries["e"] < tries["d"]
    assert found.action == "d"


def test_the_work_stays_within_the_budget() -> None:
    hidden = Hidden(dict.fromkeys("abcdef", 0.0), common=5)
    found = look(hidden, "abcdef", Budget(playouts=120, plies=10_000))
    assert 60 <= sum(number for _, _, number in found.values) <= 120
    scarce = look(Hidden({"a": 0, "b": 0}, common=5), "ab", Budget(playouts=1_000, plies=41))
    # A sample of two candidates takes four actions here, and the last one may go beyond.
    assert 41 <= scarce.plies <= 41 + 4


def test_no_search_is_made_without_a_choice_or_a_budget() -> None:
    hidden = Hidden({"a": 0, "b": 1}, common=1)
    assert look(hidden, "a") == Found("a", (("a", 0.0, 0),), 0)
    assert look(hidden, "ab", Budget(100, 0)).action == "a"
    assert hidden.guesses == 0


def test_the_same_chance_gives_the_same_search() -> None:
    noise = Hidden(dict.fromkeys("abcd", 0.0), common=10, own=10)
    assert look(noise, "abcd", seed=5) == look(noise, "abcd", seed=5)
    assert look(noise, "abcd", seed=5) != look(noise, "abcd", seed=6)


def test_a_playout_ends_with_the_round_or_at_its_depth() -> None:
    def go_on(position: Coin, seat: int, rng: Any) -> str:
        return "on"

    assert playout(Coin({}, steps=7), go_on, Chance(1), 100) == 7  # type: ignore[arg-type]
    position = Coin({}, steps=7)
    assert playout(position, go_on, Chance(1), 3) == 3  # type: ignore[arg-type]
    assert position.steps == 4


def test_the_small_source_of_chance_is_splitmix64() -> None:
    # The first outputs of Vigna's splitmix64.c for the seed 1234567.
    known = (6457827717110365317, 3203168211198807973, 9817491932198370423)
    chance = Chance(1234567)
    assert [chance.randrange(1 << 62) for _ in known] == [number % (1 << 62) for number in known]


def test_its_numbers_are_even() -> None:
    chance, counts = Chance(3), [0] * 10
    for _ in range(10_000):
        counts[chance.randrange(10)] += 1
    assert all(880 < count < 1120 for count in counts)


def deal(difference: float) -> DuelDeal:
    return DuelDeal(difference, (3, 6), (2, 2), 6)


def test_a_duel_gives_the_interval_of_student() -> None:
    # Mean 3, standard deviation sqrt(2.5); t(4) = 2.776.
    result = duel([deal(points) for points in (1, 2, 3, 4, 5)])
    assert result.mean == 3
    assert result.half_width == pytest.approx(2.776 * (2.5 / 5) ** 0.5, rel=0.01)
    assert result.win_shares == (2 / 3, 1 / 3)
    assert (result.deals, result.rounds) == (5, 30)
    assert result.is_better
    more = duel([deal(points) for points in range(30)])
    # t(29) = 2.045.
    assert more.half_width == pytest.approx(2.045 * (77.5 / 30) ** 0.5, rel=0.001)


def test_too_few_deals_are_no_proof() -> None:
    result = duel([deal(5), deal(5), deal(5), deal(5)])
    assert isinf(result.half_width)
    assert not result.is_better
    with pytest.raises(ValueError, match="deal"):
        duel([])


@pytest.mark.parametrize("name", sorted(GAMES))
def test_a_bot_is_no_better_than_itself_and_a_duel_turned_round_is_its_opposite(name: str) -> None:
    game: Any = GAMES[name]
    rules = game.ruleset(next(iter(game.presets)))
    normal, fallback = game.bots["normal"], lambda view, _: game.fallback(view)
    even = duel(duel_deals(game, rules, fallback, fallback, 5))
    assert (even.mean, even.half_width) == (0, 0)
    assert even.win_shares[0] == even.win_shares[1]
    there = duel(duel_deals(game, rules, normal, fallback, 5))
    back = duel(duel_deals(game, rules, fallback, normal, 5))
    assert there.rounds == 5 * 2 * game.seats
    assert there.mean == pytest.approx(-back.mean)
    assert there.win_shares == back.win_shares[::-1]
    assert there.mean != 0


def test_a_difference_is_counted_by_seat() -> None:
    class Taker:
        """A round in which whoever is of the first kind gets 6 points from the others."""

        def __init__(self) -> None:
            self.points = [0, 0, 0]
            self.asked = [0, 1, 2]

        def to_act(self) -> tuple[int, ...]:
            return tuple(self.asked)

        def view(self, seat: int) -> int:
            return seat

        def apply(self, seat: int, action: str) -> tuple[()]:
            self.asked.remove(seat)
            for other in range(3):
                self.points[other] += (6 if other == seat else -3) if action == "take" else 0
            return ()

        def outcome(self) -> Any:
            return None if self.asked else self

        @property
        def winners(self) -> tuple[int, ...]:
            return tuple(seat for seat in range(3) if self.points[seat] > 0)

    class Table:
        seats = 3

        def deck(self) -> tuple[str, ...]:
            return ("x",)

        def deal(self, *_: Any) -> Taker:
            return Taker()

    game: Any = Table()
    (played,) = duel_deals(game, None, lambda *_: "take", lambda *_: "leave", 1)
    # One taker: 6 against -3. Two takers: 3 each against -6. Always 9 points a seat.
    assert played.difference == 9
    assert played.seats == (9, 9)
    assert played.wins == (9, 0)

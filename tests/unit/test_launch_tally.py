"""What `paiju simulate` counts."""

import math

import pytest

from engine import GAMES
from engine.arena import DuelDeal
from services.launch.duel import Challenge, _part
from services.launch.exits import Stop
from services.launch.simulate import known_options, parse_options
from services.launch.tally import Tally, mean_of, rotated, wilson


def test_the_interval_holds_the_share_and_narrows_with_trials() -> None:
    wide, narrow = wilson(20, 40), wilson(2000, 4000)
    assert wide[0] < 0.5 < wide[1]
    assert narrow[1] - narrow[0] < (wide[1] - wide[0]) / 5


@pytest.mark.parametrize(("successes", "trials"), [(0, 10), (10, 10)])
def test_the_interval_stays_between_none_and_all(successes: int, trials: int) -> None:
    low, high = wilson(successes, trials)
    assert 0 <= low < high <= 1


def test_parts_add_up_to_the_whole_whatever_their_signs() -> None:
    whole, part = Tally(), Tally(rounds=2, ended=2, draws=1)
    part.points.update({"normal": 6, "random": -6})
    part.squares.update({"normal": 18, "random": 18})
    part.sat.update({"normal": 2, "random": 4})
    part.wins["normal"] += 1
    part.seated.update({"normal": 1, "random": 2})
    whole.add(part)
    whole.add(part)
    assert (whole.rounds, whole.draws) == (4, 2)
    assert whole.points == {"normal": 12, "random": -12}
    assert whole.wins_per_bot()["random"] == {
        "wins": 0,
        "seats": 4,
        "share": 0.0,
        "low": 0.0,
        "high": pytest.approx(0.4899, abs=0.001),
        "points": -12,
        "points_a_round": -1.5,
        "points_low": pytest.approx(-2.611, abs=0.001),
        "points_high": pytest.approx(-0.389, abs=0.001),
    }


def test_the_desk_counts_shares_of_what_they_are_shares_of() -> None:
    tally = Tally(rounds=10, ended=10, draws=2, self_draws=3, actions=500, won=9)
    tally.names.update({"碰碰胡": 3})
    tally.name_points.update({"碰碰胡": 30})
    tally.multipliers.update({1: 6, 4: 3})
    tally.win_points.update({2: 6, 10: 3})
    desk = tally.desk()
    assert (desk["decided"], desk["several_winners"], desk["answers_a_round"]) == (8, 1, 50.0)
    assert (desk["draw"]["share"], desk["self_draw"]["share"]) == (0.2, 0.375)
    assert desk["names"]["碰碰胡"]["share"] == pytest.approx(1 / 3, abs=1e-4)
    assert desk["names"]["碰碰胡"]["points"] == 10.0
    assert desk["multipliers"] == {"1": 6, "4": 3}
    assert desk["win_points"] == {"mean": 4.67, "median": 2, "p95": 10, "max": 10}


def test_the_interval_of_a_mean_is_that_of_its_standard_error() -> None:
    mean, half = mean_of(total=10, squares=100, count=10)
    assert mean == 1.0
    assert half == pytest.approx(1.96 * (90 / 9 / 10) ** 0.5, abs=1e-3)
    assert mean_of(3, 9, 1)[1] == math.inf


@pytest.mark.parametrize("what", ["disagreements", "conservation_errors", "zero_sum_errors"])
def test_one_error_of_any_kind_is_not_clean(what: str) -> None:
    assert Tally(rounds=1, ended=1).is_clean
    wrong = Tally(rounds=1, ended=1)
    setattr(wrong, what, 1)
    assert not wrong.is_clean
    assert not Tally(rounds=1, ended=0).is_clean


def test_every_bot_sits_everywhere_equally_often() -> None:
    bots = ("a", "b", "c")
    assert {rotated(bots, match)[0] for match in range(3)} == set(bots)
    assert rotated(bots, 3) == bots


def test_options_are_written_as_people_write_them() -> None:
    words = ("double=on", "redeal_limit=3", "bomb_cap=none", "face_up=yes", "trio_in_wings=false")
    assert parse_options(words, known_options("doudizhu")) == {
        "double": "on",
        "redeal_limit": 3,
        "bomb_cap": None,
        "face_up": True,
        "trio_in_wings": False,
    }


@pytest.mark.parametrize("game", sorted(GAMES))
def test_every_word_and_every_bound_of_an_option_can_be_given_as_paiju_rules_prints_it(game: str) -> None:
    known = known_options(game)
    assert any("none" in info.choices for info in known.values()) or game == "doudizhu"
    preset = next(iter(GAMES[game].presets))
    for name, info in known.items():
        for word in info.choices:
            assert parse_options((f"{name}={word}",), known) == {name: word}
            GAMES[game].ruleset(preset, {name: word})
        if info.high:
            assert parse_options((f"{name}={info.high}",), known) == {name: info.high}
        if info.optional:
            assert parse_options((f"{name}=none",), known) == {name: None}


@pytest.mark.parametrize("words", [("double",), ("=on",), ("double=on", "double=off")])
def test_an_option_without_a_value_or_twice_is_refused(words: tuple[str, ...]) -> None:
    with pytest.raises(Stop):
        parse_options(words, known_options("doudizhu"))


def test_every_letter_of_a_seed_decides_the_deals_of_a_duel() -> None:
    def played(seed: str) -> list[DuelDeal]:
        return _part(Challenge("doudizhu", "classic", 2, ("easy", "random"), 1, seed), {}, 0, 2)

    assert played("alpha, a long seed") == played("alpha, a long seed")
    assert played("alpha, a long seed") != played("gamma, a long seed")

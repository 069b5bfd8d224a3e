"""Ratings: the published method to the last digit, and what a round says and does not say."""

from __future__ import annotations

import hashlib
import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openskill.models import BradleyTerryFull

from engine import GAMES
from services.launch.arena import play_round
from services.progress.core import ratings
from services.progress.core.counts import RoundResult, SeatResult
from services.progress.core.ratings import DEVIATION, DRIFT, LUCK, MEAN, NEWCOMER, Skill, after, rated

SKILLS = st.builds(Skill, st.floats(300, 2700), st.floats(30, 400), st.integers(0, 9))
POINTS = st.integers(-300, 300)


def by_openskill(skills: list[Skill], points: list[int]) -> list[tuple[float, float]]:
    model = BradleyTerryFull(mu=MEAN, sigma=DEVIATION, beta=LUCK, kappa=ratings.VARIANCE_LEFT, tau=DRIFT)
    teams = [[model.rating(mu=one.mean, sigma=one.deviation)] for one in skills]
    return [(team[0].mu, team[0].sigma) for team in model.rate(teams, scores=[float(one) for one in points])]


@given(
    st.integers(2, 4).flatmap(
        lambda n: st.tuples(*[st.lists(one, min_size=n, max_size=n) for one in (SKILLS, POINTS)])
    )
)
def test_a_game_without_partners_is_rated_as_the_paper_has_it(table: tuple[list[Skill], list[int]]) -> None:
    """Held against another implementation of Weng and Lin's algorithm 1."""
    skills, points = table
    found = after(skills, points, "paohuzi")
    for (mean, deviation), one, before in zip(by_openskill(skills, points), found, skills, strict=True):
        assert math.isclose(one.mean, mean, rel_tol=1e-9)
        assert math.isclose(one.deviation, deviation, rel_tol=1e-9)
        assert one.rounds == before.rounds + 1


@given(SKILLS, SKILLS, SKILLS, st.integers(1, 64), st.booleans())
def test_partners_are_compared_with_the_lord_and_not_with_each_other(
    lord: Skill, one: Skill, two: Skill, base: int, lord_wins: bool
) -> None:
    """What a partner gains is what he would gain against the lord alone."""
    sign = 1 if lord_wins else -1
    points = [sign * 3 * base, -sign * base, -sign * 2 * base]
    found = after([lord, one, two], points, "doudizhu")
    for peasant, before, his in ((1, one, points[1]), (2, two, points[2])):
        (_, (mean, deviation)) = by_openskill([lord, before], [points[0], his])
        assert math.isclose(found[peasant].mean, mean, rel_tol=1e-9)
        assert math.isclose(found[peasant].deviation, deviation, rel_tol=1e-9)


@given(st.lists(SKILLS, min_size=3, max_size=4), st.randoms(use_true_random=False))
def test_who_made_more_points_never_loses_by_it_against_equals(
    skills: list[Skill], chance: random.Random
) -> None:
    points = [chance.randint(-9, 9) for _ in skills]
    equals = [Skill(1500.0, 100.0)] * len(skills)
    found = after(equals, points, "kawuxing")
    for i, mine in enumerate(points):
        for j, his in enumerate(points):
            if mine > his:
                assert found[i].mean > found[j].mean
            if mine == his:
                assert found[i] == found[j]
    assert math.isclose(sum(one.mean for one in found), 1500.0 * len(found), rel_tol=1e-12), "equals trade"


@pytest.mark.parametrize("seats", [3, 4])
def test_players_of_different_strength_come_apart_and_in_the_right_order(seats: int) -> None:
    """People a hundred points apart, and luck of 350 in each round: after 400 of them the order is theirs."""
    chance = random.Random(7)
    truth = {number: 1150.0 + 100.0 * number for number in range(8)}
    skills = dict.fromkeys(truth, NEWCOMER)
    for _ in range(400 * 8 // seats):
        table = chance.sample(sorted(truth), seats)
        form = [truth[one] + chance.gauss(0, 350) for one in table]
        points = [sorted(form).index(one) for one in form]
        skills |= zip(table, after([skills[one] for one in table], points, "kawuxing"), strict=True)
    order = sorted(truth, key=lambda one: skills[one].mean)
    misplaced = sum(abs(order.index(one) - one) for one in truth)
    assert misplaced <= 4, [round(skills[one].mean) for one in truth]
    assert all(skills[one].deviation < 70 for one in truth)
    assert skills[7].mean - skills[0].mean > 350


def result(*points: int, bots: int = 0, same: bool = False) -> RoundResult:
    seats = [
        SeatResult("p_0" if same else f"p_{seat}", seat < bots, one, one > 0, seat)
        for seat, one in enumerate(points)
    ]
    return RoundResult("0-m/1", "paohuzi", "tongyi-qmt@1", seats, "hu", "zimo", 15, {}, at_ms=1)


def test_rounds_with_bots_and_rounds_nobody_won_are_not_rated() -> None:
    assert rated(result(6, -3, -3, bots=1)) is None
    assert rated(result(0, 0, 0)) is None
    assert rated(result(6, -3, -3, same=True)) is None
    found = rated(result(6, -3, -3))
    assert found is not None
    assert (found.points, found.game, found.key.round_id) == (
        {"p_0": 6, "p_1": -3, "p_2": -3},
        "paohuzi",
        "0-m/1",
    )


def test_the_better_bots_of_a_real_game_are_rated_higher() -> None:
    """Rounds of 斗地主 as the engine plays them, three people who play as `easy` and three as `normal`."""
    game, chance = GAMES["doudizhu"], random.Random(5)
    rules = game.ruleset(next(iter(game.presets)))
    skills = dict.fromkeys(
        [f"{kind}{number}" for kind in ("easy", "normal") for number in range(3)], NEWCOMER
    )
    for number in range(300):
        table = chance.sample(sorted(skills), game.seats)
        seed = hashlib.sha256(str(number).encode()).digest()
        record, _ = play_round(game, rules, tuple(one[:-1] for one in table), "0-t/1", seed, 0, 0)
        assert record is not None
        points = [int(one) for one in record.result["points"]]
        if len(set(points)) > 1:
            skills |= zip(table, after([skills[one] for one in table], points, game.name), strict=True)
    easy = [skill.mean for name, skill in skills.items() if name.startswith("easy")]
    normal = [skill.mean for name, skill in skills.items() if name.startswith("normal")]
    assert min(normal) > max(easy) + 200, skills

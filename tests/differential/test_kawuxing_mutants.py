"""卡五星: whatever single line of one mind is wrong, the other disputes a round that shows it."""

import pytest

from tests.differential.mutants import kawuxing_engine, kawuxing_scoring
from tests.differential.mutants.planting import Mutant
from tests.differential.mutants.replays import assert_is_caught, assert_is_complete


@pytest.mark.parametrize("mutant", kawuxing_engine.MUTANTS, ids=lambda mutant: str(mutant.name))
def test_scoring_disputes_a_wrong_line_of_the_engine(mutant: Mutant) -> None:
    assert_is_caught("kawuxing", "engine", mutant)


@pytest.mark.parametrize("mutant", kawuxing_scoring.MUTANTS, ids=lambda mutant: str(mutant.name))
def test_a_wrong_line_of_scoring_disputes_a_right_round(mutant: Mutant) -> None:
    assert_is_caught("kawuxing", "scoring", mutant)


@pytest.mark.parametrize(("side", "least"), [("engine", 150), ("scoring", 130)])
def test_the_mutants_cover_what_they_should(side: str, least: int) -> None:
    assert_is_complete("kawuxing", side, least, by_record=0.35)

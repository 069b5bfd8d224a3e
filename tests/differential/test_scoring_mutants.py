"""Whatever single line of scoring is wrong, it disputes a round that the engine played right."""

import pytest

from tests.differential.mutants import preset_mutants, scoring_mutants
from tests.differential.mutants.planting import Mutant
from tests.differential.mutants.replays import assert_is_caught, assert_is_complete


@pytest.mark.parametrize("mutant", scoring_mutants.MUTANTS, ids=lambda mutant: str(mutant.name))
def test_a_wrong_line_of_scoring_disputes_a_right_round(mutant: Mutant) -> None:
    assert_is_caught("paohuzi", "scoring", mutant)


@pytest.mark.parametrize("mutant", preset_mutants.OF_SCORING, ids=lambda mutant: str(mutant.name))
def test_a_wrong_number_in_a_preset_of_scoring_disputes_a_right_round(mutant: Mutant) -> None:
    assert_is_caught("paohuzi", "scoring", mutant)


def test_the_mutants_cover_what_they_should() -> None:
    assert_is_complete("paohuzi", "scoring", 70, by_record=0.7)

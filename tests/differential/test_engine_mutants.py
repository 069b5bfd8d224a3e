"""Whatever single line of the engine is wrong, scoring disputes it."""

import pytest

from tests.differential.mutants import engine_mutants, preset_mutants
from tests.differential.mutants.planting import Mutant
from tests.differential.mutants.replays import assert_is_caught, assert_is_complete


@pytest.mark.parametrize("mutant", engine_mutants.MUTANTS, ids=lambda mutant: str(mutant.name))
def test_scoring_disputes_a_wrong_line_of_the_engine(mutant: Mutant) -> None:
    assert_is_caught("paohuzi", "engine", mutant)


@pytest.mark.parametrize("mutant", preset_mutants.OF_ENGINE, ids=lambda mutant: str(mutant.name))
def test_scoring_disputes_a_wrong_number_in_a_preset_of_the_engine(mutant: Mutant) -> None:
    assert_is_caught("paohuzi", "engine", mutant)


def test_the_mutants_cover_what_they_should() -> None:
    assert_is_complete("paohuzi", "engine", 90, by_record=0.7)

"""Every mutant of scoring."""

from typing import Final

from tests.differential.mutants import scoring_turns, scoring_worth
from tests.differential.mutants.planting import Mutant

MUTANTS: Final[tuple[Mutant, ...]] = (*scoring_worth.MUTANTS, *scoring_turns.MUTANTS)

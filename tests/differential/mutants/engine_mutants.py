"""Every mutant of the engine."""

from typing import Final

from tests.differential.mutants import engine_turns, engine_worth
from tests.differential.mutants.planting import Mutant

MUTANTS: Final[tuple[Mutant, ...]] = (*engine_worth.MUTANTS, *engine_turns.MUTANTS)

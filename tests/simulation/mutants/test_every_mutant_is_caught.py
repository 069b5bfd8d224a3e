"""The simulation bites: every rule that is left out makes some world fail, and says which rule it was.

Each mutant's seed stands in `found.json` (`python -m tests.simulation.mutants --record`) and is tried first.
Worlds change with the code they run; if a recorded seed says nothing any more, others are tried.
The ordinary suite tries the mutants that are planted first (`NAMED`); `SIM_MUTANTS=all` tries all, and
`SIM_MUTANTS=full` searches from seed 0 to 2,000 for each.
"""

from __future__ import annotations

import os

import pytest

from tests.simulation.mutants import found
from tests.simulation.mutants.catalogue import MUTANTS, NAMED
from tests.simulation.mutants.hunt import SEEDS_MAX, judge, search
from tests.simulation.mutants.planting import Weather
from tests.simulation.mutants.verdicts import INVARIANTS

RECORDED = found.read()
HOW = os.environ.get("SIM_MUTANTS", "")
FIRST = {name for names in NAMED.values() for name in names}
TRIED = [name for name in MUTANTS if HOW in ("all", "full") or name in FIRST]
OTHER_SEEDS = 60
"""Tried when the recorded seed says nothing any more."""


@pytest.mark.parametrize("name", TRIED)
def test_a_rule_that_is_left_out_is_noticed(name: str) -> None:
    mutant = MUTANTS[name]
    seeds = [*range(SEEDS_MAX)] if HOW == "full" else [RECORDED[name].seed, *range(OTHER_SEEDS)]
    result, others = search(mutant, seeds)
    assert result is not None, f"{len(seeds)} seeds have not noticed it, but: {others}"
    print(f"seed {result.seed}: {result.verdict.invariant}: {result.verdict.message}")


def test_every_mutant_has_a_recorded_seed_and_invariants_that_exist() -> None:
    assert set(RECORDED) == set(MUTANTS)
    for name, mutant in MUTANTS.items():
        assert mutant.invariants, name
        assert mutant.invariants <= INVARIANTS.keys(), name
        assert RECORDED[name].verdict.invariant in mutant.invariants, name


def test_the_mistakes_that_are_made_first_are_all_planted() -> None:
    assert len(NAMED) == 18
    assert {name for names in NAMED.values() for name in names} <= MUTANTS.keys()


WORLDS = sorted({(RECORDED[name].seed, MUTANTS[name].weather) for name in TRIED if name in RECORDED})


@pytest.mark.parametrize(("seed", "weather"), WORLDS, ids=str)
def test_the_same_worlds_are_sound_without_a_mutant(seed: int, weather: Weather) -> None:
    assert judge(seed, weather=weather) is None

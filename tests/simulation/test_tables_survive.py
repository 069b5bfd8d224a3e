"""The seeded simulation: whatever is lost, late, doubled, killed or asleep, matches end and coins add up."""

from __future__ import annotations

import os

import pytest

from services.chassis.clock import run_virtual
from tests.simulation.world import World

SEEDS = int(os.environ.get("SIM_SEEDS") or 50)
ONLY = os.environ.get("SIM_SEED")


@pytest.mark.parametrize("seed", [int(ONLY)] if ONLY else range(SEEDS))
def test_tables_scoring_and_economy_survive_a_faulty_world(seed: int) -> None:
    try:
        run_virtual(lambda clock: World(clock, seed).run())
    except BaseException:
        print(f"\nrepeat: SIM_SEED={seed} python -m pytest -n 0 tests/simulation/test_tables_survive.py")
        raise

"""The seeded simulation: whatever is lost, late, doubled, killed or asleep, matches end and coins add up."""

from __future__ import annotations

import os

import pytest

from engine import GAMES
from services.chassis.clock import run_virtual
from tests.simulation.world import OPEN, World, played_at

SEEDS = int(os.environ.get("SIM_SEEDS") or 50)
ONLY = os.environ.get("SIM_SEED")


def test_the_seeds_of_a_usual_run_play_every_preset_of_every_open_game() -> None:
    played = {
        (game.name, preset) for seed in range(50) for game, preset in (played_at(seed, n) for n in range(3))
    }
    assert played == {(name, preset) for name in OPEN for preset in GAMES[name].presets}


@pytest.mark.parametrize("seed", [int(ONLY)] if ONLY else range(SEEDS))
def test_tables_scoring_and_economy_survive_a_faulty_world(seed: int) -> None:
    try:
        run_virtual(lambda clock: World(clock, seed).run())
    except BaseException:
        print(f"\nrepeat: SIM_SEED={seed} python -m pytest -n 0 tests/simulation/test_tables_survive.py")
        raise

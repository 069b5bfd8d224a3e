"""The seeded simulation: whatever is lost, late, doubled, killed or asleep, matches end and coins add up."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from engine import GAMES
from tests.simulation.people import OPEN, played_at
from tests.simulation.runner import RunOptions, repeat, run_seed
from tests.simulation.world import STYLES, style_of

ROOT = Path(__file__).parents[2]
USUAL = 30
"""Seeds of a usual run; `make sim N=2000` runs many more."""


def test_the_seeds_of_a_usual_run_play_every_preset_of_every_open_game() -> None:
    played = {
        (game.name, preset)
        for seed in range(USUAL)
        for game, preset in (played_at(seed, n) for n in range(3))
    }
    assert played == {(name, preset) for name in OPEN for preset in GAMES[name].presets}


def test_a_usual_run_has_single_brokers_and_clusters() -> None:
    assert {style_of(seed) for seed in range(USUAL)} == set(STYLES)


@pytest.mark.parametrize("seed", range(USUAL))
def test_everybody_comes_to_the_end_of_a_faulty_world(seed: int) -> None:
    outcome = run_seed(seed, RunOptions(trace=30))
    if outcome.report is None:
        lines = "\n".join(outcome.lines)
        pytest.fail(f"{outcome.broken}\n{outcome.where}\n{lines}\nrepeat: {repeat(seed, RunOptions())}")
    assert outcome.report.tables >= 3
    assert outcome.report.rounds >= 3
    assert sum(outcome.report.faults.values()) >= 10, "a world in which little went wrong"


@pytest.mark.parametrize("seed", [3, 7])
def test_the_same_seed_is_the_same_world_whatever_the_hash_seed(seed: int) -> None:
    here = run_seed(seed)
    assert here.report is not None, here.broken
    there = subprocess.run(
        [sys.executable, "-m", "tests.simulation", str(seed)],
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": "4711", "PYTHONPATH": f"{ROOT}:{ROOT / 'protos'}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert f"seed {seed} is sound; digest {here.report.digest}" in there.stdout, there.stdout + there.stderr


def test_another_seed_is_another_world() -> None:
    digests = {outcome.report.digest for seed in (3, 7) if (outcome := run_seed(seed)).report is not None}
    assert len(digests) == 2


def test_a_failure_names_what_was_broken_and_the_command_that_repeats_it() -> None:
    run = subprocess.run(
        [
            sys.executable,
            "-m",
            "tests.simulation",
            "--seeds",
            "1",
            "--first",
            "2",
            "--jobs",
            "1",
            "--healed",
            "1",
        ],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'protos'}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 1, run.stdout + run.stderr
    assert "seed 2: Violation: somebody waits for ever" in run.stdout
    assert "repeat: python -m tests.simulation 2 --trace 200" in run.stdout

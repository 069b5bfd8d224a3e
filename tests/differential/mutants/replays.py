"""What the tests of planted mutants ask of each: caught by its kept round, and only because of the mutant."""

from __future__ import annotations

import json

from tests.differential.mutants.hunt import FOUND, SIDES, agrees_mutated, kept
from tests.differential.mutants.planting import Mutant
from tests.differential.mutants.rounds import Key, agree

HUNT = "python -m tests.differential.mutants.hunt"


def assert_is_caught(side: str, mutant: Mutant) -> None:
    """Replay the kept round of a mutant: the minds agree without it and differ with it."""
    how = kept()[side].get(mutant.name)
    assert how is not None, f"nothing is kept for this mutant: run {HUNT} {side}"
    assert _agree_unmutated(*how, mutant), f"the minds differ without any mutant, too: {how}"
    assert not agrees_mutated(side, mutant, *how), f"{how} does not catch it any more: run {HUNT} {side}"


_UNMUTATED: dict[tuple[str, Key, str, str, str], bool] = {}
"""What the real minds say to a round; mutants of one preset share their rounds."""


def _agree_unmutated(way: str, number: Key, mutant: Mutant) -> bool:
    key = (way, number, mutant.preset, json.dumps(dict(mutant.options)), mutant.rig)
    if key not in _UNMUTATED:
        _UNMUTATED[key] = agree(way, mutant, number)
    return _UNMUTATED[key]


def assert_is_complete(side: str, least: int) -> None:
    """Every kept round is of a mutant, no two mutants have one name, and there are many."""
    names = [mutant.name for mutant in SIDES[side]]
    assert len(names) == len(set(names)) >= least
    assert set(kept()[side]) == set(names), f"{FOUND.name} and the mutants differ: run {HUNT} {side}"

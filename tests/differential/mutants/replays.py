"""What the tests of planted mutants ask of each: caught by its kept round, and only because of the mutant."""

from __future__ import annotations

import json
from collections import Counter

from tests.differential.mutants.catalogues import CATALOGUES, Catalogue
from tests.differential.mutants.hunt import agrees_mutated
from tests.differential.mutants.planting import Mutant
from tests.differential.mutants.rounds import Key

HUNT = "python -m tests.differential.mutants.hunt"


def assert_is_caught(game: str, side: str, mutant: Mutant) -> None:
    """Replay the kept round of a mutant: the minds agree without it and differ with it."""
    catalogue, again = CATALOGUES[game], f"run {HUNT} {game} {side}"
    how = catalogue.kept()[side].get(mutant.name)
    assert how is not None, f"nothing is kept for this mutant: {again}"
    assert _agree_unmutated(catalogue, *how, mutant), f"the minds differ without any mutant, too: {how}"
    is_agreed = agrees_mutated(catalogue, side, mutant, *how)
    assert not is_agreed, f"{how} does not catch it any more: {again}"


_UNMUTATED: dict[tuple[str, str, Key, str, str, str], bool] = {}
"""What the real minds say to a round; mutants of one preset share their rounds."""


def _agree_unmutated(catalogue: Catalogue, way: str, number: Key, mutant: Mutant) -> bool:
    options = json.dumps(dict(mutant.options))
    key = (catalogue.game, way, number, mutant.preset, options, mutant.rig)
    if key not in _UNMUTATED:
        _UNMUTATED[key] = catalogue.agree(way, mutant, number)
    return _UNMUTATED[key]


def assert_is_complete(game: str, side: str, least: int, by_record: float) -> None:
    """Every kept round is of a mutant, no two mutants have one name, and there are many.

    Args:
        game: The game.
        side: `engine` or `scoring`.
        least: So many mutants at least.
        by_record: More than this share is disputed by the audit of a record alone, as a table would send it.
    """
    names = [mutant.name for mutant in CATALOGUES[game].sides[side]]
    kept = CATALOGUES[game].kept()[side]
    assert len(names) == len(set(names)) >= least
    assert set(kept) == set(names), f"what is kept and the mutants differ: run {HUNT} {game} {side}"
    ways = Counter(way for way, _ in kept.values())
    assert ways["record"] > sum(ways.values()) * by_record

"""Searching for several mutants at once, each in a process of its own."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed

from tests.simulation.mutants.catalogue import MUTANTS
from tests.simulation.mutants.hunt import Found, search

Result = tuple[str, Found | None, dict[str, int]]
"""A mutant, the seed that convicts it, and what else went wrong how often."""


def search_all(names: Sequence[str], first: int, seeds: int, jobs: int) -> Iterator[Result]:
    """Yield what becomes of each mutant, as soon as it is known."""
    if jobs == 1:
        for name in names:
            yield search_one(name, first, seeds)
        return
    with ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn")) as pool:
        for done in as_completed([pool.submit(search_one, name, first, seeds) for name in names]):
            yield done.result()


def search_one(name: str, first: int, seeds: int) -> Result:
    """Search for one mutant."""
    result, others = search(MUTANTS[name], range(first, first + seeds))
    return name, result, others

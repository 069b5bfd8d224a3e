"""What a mutant is: a small change of the running code, undone when its world has ended."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass

import pytest

Patch = pytest.MonkeyPatch
Plant = Callable[[Patch], None]


@dataclass(frozen=True)
class Mutant:
    """A rule left out.

    Attributes:
        name: The wrong sentence, as the name of its function says it.
        plant: Changes the code that runs.
        breaks: The rule, from its docstring.
        invariants: Keys of `verdicts.INVARIANTS` that may convict it; any other failure of a world does not.
        storm_s: Virtual seconds of faults in its worlds: what concerns the end of rounds needs longer ones.
    """

    name: str
    plant: Plant
    breaks: str
    invariants: frozenset[str]
    storm_s: float


STORM_S = 40.0
LONG_STORM_S = 90.0

MUTANTS: dict[str, Mutant] = {}
"""By name, in the order of their making."""


def mutant(*invariants: str, storm_s: float = STORM_S) -> Callable[[Plant], Plant]:
    """Register a function that plants a mutant, with the invariants that may convict it."""

    def register(plant: Plant) -> Plant:
        name = plant.__name__
        assert name not in MUTANTS, f"there are two mutants {name}"
        breaks = " ".join(inspect.cleandoc(plant.__doc__ or "").split())
        assert breaks, f"{name} does not say which rule it breaks"
        MUTANTS[name] = Mutant(name, plant, breaks, frozenset(invariants), storm_s)
        return plant

    return register

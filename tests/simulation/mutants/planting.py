"""What a mutant is: a small change of the running code, undone when its world has ended."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from services.chassis.bus.base import BaseBus
from tests.simulation.weather import LONG, LONG_AND_SLOW, OVERTAKING, REPEATING, SLOW, USUAL, Weather

__all__ = [
    "LONG",
    "LONG_AND_SLOW",
    "MUTANTS",
    "OVERTAKING",
    "REPEATING",
    "SLOW",
    "USUAL",
    "Mutant",
    "Patch",
    "Weather",
    "mutant",
    "slow_log",
]

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
        weather: Of its worlds.
    """

    name: str
    plant: Plant
    breaks: str
    invariants: frozenset[str]
    weather: Weather = field(default=USUAL)


MUTANTS: dict[str, Mutant] = {}
"""By name, in the order of their making."""


def mutant(*invariants: str, weather: Weather = USUAL) -> Callable[[Plant], Plant]:
    """Register a function that plants a mutant, with the invariants that may convict it."""

    def register(plant: Plant) -> Plant:
        name = plant.__name__
        assert name not in MUTANTS, f"there are two mutants {name}"
        breaks = " ".join(inspect.cleandoc(plant.__doc__ or "").split())
        assert breaks, f"{name} does not say which rule it breaks"
        MUTANTS[name] = Mutant(name, plant, breaks, frozenset(invariants), weather)
        return plant

    return register


def slow_log(patch: Patch) -> None:
    """Let each append take a third of a second longer: no rule is broken by that."""
    append = BaseBus.append

    async def late(self: BaseBus, *what: Any) -> int:
        await self.clock.sleep(0.3)
        return await append(self, *what)

    patch.setattr(BaseBus, "append", late)

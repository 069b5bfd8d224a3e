"""What a mutant is: a small change of the running code, undone when its world has ended."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from services.chassis.bus.base import BaseBus

Patch = pytest.MonkeyPatch
Plant = Callable[[Patch], None]


@dataclass(frozen=True, order=True)
class Weather:
    """How bad the world of a mutant is."""

    storm_s: float = 40.0
    """Virtual seconds of faults: what concerns the end of rounds needs more of them."""
    lose_fetch: float = 0.02
    """How often what was fetched never reaches its consumer: it comes again in a minute, overtaken."""
    lose_delivery_ack: float = 0.02
    """How often what was handled comes again all the same."""
    room_rounds: int = 1
    """Of a room of friends, at least: played for points, where no round waits for the money of the last."""


USUAL = Weather()
LONG = Weather(storm_s=90.0)
OVERTAKING = Weather(storm_s=150.0, lose_fetch=0.8, room_rounds=4)
REPEATING = Weather(storm_s=90.0, lose_delivery_ack=0.2)


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

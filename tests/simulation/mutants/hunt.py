"""Running worlds with a mutant in them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import pytest

from services.chassis import log
from services.chassis.clock import run_virtual
from tests.simulation.mutants.planting import USUAL, Mutant, Weather
from tests.simulation.mutants.verdicts import Verdict, verdict_of
from tests.simulation.strict import StrictWorld

SEEDS_MAX = 2_000
HEALED_S = 400.0
"""Time for all matches to end once the faults have: whoever waits longer, waits for ever."""


@dataclass(frozen=True)
class Found:
    """The first seed that convicts a mutant."""

    seed: int
    verdict: Verdict


def judge(seed: int, mutant: Mutant | None = None, weather: Weather = USUAL) -> Verdict | None:
    """Run one world, with a mutant or without; return why it failed, if it did."""
    log.configure("critical", as_json=True)
    try:
        with pytest.MonkeyPatch.context() as patch:
            if mutant is not None:
                mutant.plant(patch)
                weather = mutant.weather
            try:
                run_virtual(lambda clock: StrictWorld(clock, seed, weather=weather, healed_s=HEALED_S).run())
            except BaseException as error:
                if isinstance(error, KeyboardInterrupt):
                    raise
                return verdict_of(error)
            return None
    finally:
        log.configure("warning", as_json=True)


def search(mutant: Mutant, seeds: Iterable[int]) -> tuple[Found | None, dict[str, int]]:
    """Return the first seed that convicts a mutant, and how often other things went wrong before."""
    others: dict[str, int] = {}
    for seed in seeds:
        verdict = judge(seed, mutant)
        if verdict is None:
            continue
        if verdict.invariant in mutant.invariants:
            return Found(seed, verdict), others
        key = f"{verdict.invariant}: {verdict.message}"
        others[key] = others.get(key, 0) + 1
    return None, others

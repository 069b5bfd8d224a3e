"""What a load test measures: times and counts, by phase, from several processes into one."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from services.launch.load.histogram import Histogram

PHASES: Final = ("ramp", "steady", "drain")
"""Players come; all seats are taken; nobody comes any more."""

WRONG_KEPT: Final = 20
"""Mistakes of the platform told one by one; all are counted."""


@dataclass(slots=True)
class Phase:
    """One phase."""

    times: defaultdict[str, Histogram] = field(default_factory=partial(defaultdict, Histogram))
    counts: Counter[str] = field(default_factory=Counter)
    rounds: set[str] = field(default_factory=set)
    """Rounds that were heard to end; the people at a table may be in several processes."""
    seconds: float = 0.0
    cpu_s: float = 0.0
    """Of the generator's processes."""

    def add(self, other: Phase) -> None:
        """Take what another process measured in this phase."""
        for name, times in other.times.items():
            self.times[name].add(times)
        self.counts.update(other.counts)
        self.rounds |= other.rounds
        self.seconds = max(self.seconds, other.seconds)
        self.cpu_s += other.cpu_s


@dataclass(slots=True)
class Figures:
    """Everything; what happens now goes to the phase of now."""

    phases: dict[str, Phase] = field(default_factory=lambda: {name: Phase() for name in PHASES})
    errors: Counter[str] = field(default_factory=Counter)
    """What did not work though it should have, by reason."""
    refusals: Counter[str] = field(default_factory=Counter)
    """What the rules of the platform did not allow, by reason: a question that was withdrawn meanwhile."""
    retries: Counter[str] = field(default_factory=Counter)
    """What was said again, by reason."""
    goodbyes: Counter[str] = field(default_factory=Counter)
    """Connections that ended, by reason."""
    wrong: Counter[str] = field(default_factory=Counter)
    """What the transcripts prove to be wrong, by kind."""
    examples: list[str] = field(default_factory=list)
    busiest: float = 0.0
    """Largest share of a core that one process of the generator used in the steady phase."""
    now: Phase = field(init=False)

    def __post_init__(self) -> None:
        self.enter(PHASES[0])

    def enter(self, phase: str) -> None:
        """What follows belongs to this phase."""
        self.now = self.phases[phase]

    def time(self, name: str, seconds: float) -> None:
        """Take a duration."""
        self.now.times[name].record(seconds)

    def count(self, name: str, n: int = 1) -> None:
        """Count."""
        self.now.counts[name] += n

    def is_wrong(self, kind: str, text: str) -> None:
        """Count a mistake of the platform, and keep the first ones."""
        self.wrong[kind] += 1
        if len(self.examples) < WRONG_KEPT:
            self.examples.append(f"{kind}: {text}")

    def add(self, other: Figures) -> None:
        """Take what another process measured."""
        for name, phase in other.phases.items():
            self.phases[name].add(phase)
        for name in ("errors", "refusals", "retries", "goodbyes", "wrong"):
            getattr(self, name).update(getattr(other, name))
        self.examples = (self.examples + other.examples)[:WRONG_KEPT]
        self.busiest = max(self.busiest, other.busiest)

    def whole(self, name: str) -> Histogram:
        """Return a time over all phases."""
        sum_ = Histogram()
        for phase in self.phases.values():
            if name in phase.times:
                sum_.add(phase.times[name])
        return sum_

    def total(self, name: str) -> int:
        """Return a count over all phases."""
        return sum(phase.counts[name] for phase in self.phases.values())

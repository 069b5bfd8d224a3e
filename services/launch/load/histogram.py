"""Times in a log-linear histogram: any range, 0.1 % exact, cheap to record, and histograms add up.

The layout is HdrHistogram's, with three significant digits. The package of that name on PyPI (0.10.8,
Apache-2.0) is kept up, but wants setuptools and pbr wherever it runs and has no types; what a load test needs
of it is this page.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

STEP_BITS: Final = 10
"""Steps per octave, as a power of two: a value is told from one that is 1/1,024 larger."""

_EXACT: Final = 2 << STEP_BITS

PERCENTILES: Final = (50.0, 90.0, 99.0, 99.9)
"""What reports show."""


def slot_of(us: int) -> int:
    """Return the slot of a number of microseconds; slots are in the order of values.

    >>> slot_of(0), slot_of(2047), slot_of(2048), slot_of(2049), slot_of(2050)
    (0, 2047, 2048, 2048, 2049)
    """
    if us < _EXACT:
        return us
    shift = us.bit_length() - STEP_BITS - 1
    return (shift << STEP_BITS) + (us >> shift)


def highest_of(slot: int) -> int:
    """Return the largest number of microseconds in a slot.

    >>> highest_of(2048), slot_of(highest_of(5000)) == 5000
    (2049, True)
    """
    if slot < _EXACT:
        return slot
    shift = (slot >> STEP_BITS) - 1
    return ((slot - (shift << STEP_BITS) + 1) << shift) - 1


@dataclass(slots=True)
class Histogram:
    """Durations."""

    slots: dict[int, int] = field(default_factory=dict)
    """How many fell into each slot."""
    count: int = 0
    total_us: int = 0
    max_us: int = 0

    def record(self, seconds: float) -> None:
        """Take one duration; what clocks make negative counts as 0."""
        us = max(0, int(seconds * 1e6))
        slot = slot_of(us)
        self.slots[slot] = self.slots.get(slot, 0) + 1
        self.count += 1
        self.total_us += us
        self.max_us = max(self.max_us, us)

    def add(self, other: Histogram) -> None:
        """Take everything in another histogram."""
        for slot, count in other.slots.items():
            self.slots[slot] = self.slots.get(slot, 0) + count
        self.count += other.count
        self.total_us += other.total_us
        self.max_us = max(self.max_us, other.max_us)

    def percentile(self, percent: float) -> float:
        """Return the seconds that so many percent of the durations do not exceed; 0 if there are none.

        As in HdrHistogram the answer is the upper end of a slot, but never above the largest duration.
        """
        wanted = max(1, math.ceil(self.count * percent / 100))
        seen = 0
        for slot in sorted(self.slots):
            seen += self.slots[slot]
            if seen >= wanted:
                return min(highest_of(slot), self.max_us) / 1e6
        return 0.0

    @property
    def mean(self) -> float:
        """Seconds; 0 if there are none."""
        return self.total_us / self.count / 1e6 if self.count else 0.0

    def as_json(self, percentiles: Sequence[float] = PERCENTILES) -> dict[str, float]:
        """Return count, mean, percentiles and maximum, in milliseconds."""
        shown: dict[str, float] = {"count": self.count, "mean_ms": round(self.mean * 1e3, 3)}
        for percent in percentiles:
            shown[f"p{percent:g}_ms"] = round(self.percentile(percent) * 1e3, 3)
        return shown | {"max_ms": round(self.max_us / 1e3, 3)}

"""What is promised, as `--slo action_p99=50ms`, and whether it was kept."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from services.launch.exits import USAGE, Stop

_FORM = re.compile(r"([a-z][a-z_]*?)(?:_(p\d{1,2}(?:\.\d+)?|max|mean))?(=|<=|>=)(\d+(?:\.\d+)?)(us|ms|s)?")
_MS: Final = {"us": 0.001, "ms": 1.0, "s": 1000.0}


@dataclass(frozen=True, slots=True)
class Slo:
    """One promise."""

    text: str
    name: str
    """A time of the report, or a number such as `errors` or `actions_per_s`."""
    statistic: str
    """`p99`, `max`, `mean`; empty for a number."""
    at_least: bool
    limit: float
    """Milliseconds for a time."""

    def found_in(self, report: Mapping[str, Any]) -> float | None:
        """Return what the report says of it; None if nothing."""
        if not self.statistic:
            value = report.get(self.name)
            return float(value) if isinstance(value, int | float) else None
        times = report["times"].get(self.name)
        return times.get(f"{self.statistic}_ms") if times and times["count"] else None

    def is_kept(self, report: Mapping[str, Any]) -> bool:
        """Return whether the promise was kept; what was never measured was not."""
        found = self.found_in(report)
        if found is None:
            return False
        return found >= self.limit if self.at_least else found <= self.limit


def parse_slo(text: str) -> Slo:
    """Return a promise from `action_p99=50ms` (at most), `errors=0` or `actions_per_s>=100`.

    Raises:
        Stop: It is not of this form (`USAGE`).
    """
    found = _FORM.fullmatch(text)
    if found is None or bool(found[2]) is not bool(found[5]):
        raise Stop(USAGE, f"{text!r} is no promise; write action_p99=50ms, errors=0 or actions_per_s>=100")
    limit = float(found[4]) * _MS.get(found[5] or "", 1.0)
    return Slo(text, found[1], found[2] or "", found[3] == ">=", limit)


def percentiles_of(slos: tuple[Slo, ...]) -> tuple[float, ...]:
    """Return the percentiles that promises speak of."""
    return tuple(float(slo.statistic[1:]) for slo in slos if slo.statistic.startswith("p"))

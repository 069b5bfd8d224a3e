"""What a run was, and what many were."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

KINDS = (
    "ack lost",
    "append not stored",
    "append timed out, stored later",
    "broker restart",
    "bucket ack lost",
    "bucket write lost",
    "clock jump",
    "commit answer lost",
    "database down",
    "database refused",
    "database slow",
    "delivery ack lost",
    "fetch lost",
    "gateway killed",
    "message delayed",
    "message doubled",
    "message dropped",
    "player connection cut",
    "player connection half-open",
    "process crash",
    "process crash at an await",
    "process drained",
    "process paused",
    "process paused beyond its lease",
    "request lost",
)
"""Everything that goes wrong in a world."""

KINDS_OF_CLUSTERS = (
    "append kept by a leader change",
    "append lost by a leader change",
    "append refused as in flight",
    "append slow",
    "leader change",
    "stale last message",
    "stale read",
)
"""And only where the broker is a cluster of three."""


@dataclass
class Report:
    """One run that found nothing wrong."""

    seed: int
    style: str
    tables: int = 0
    rounds: int = 0
    actions: int = 0
    """Answers of seats in the logs, whoever gave them."""
    appends: int = 0
    takeovers: int = 0
    """Owners of a shard after its first."""
    checkpoints: int = 0
    purges: int = 0
    connections: int = 0
    """Times somebody connected to a gateway."""
    frames: int = 0
    """Frames shown to people, each held against the log in that moment."""
    virtual_s: float = 0.0
    cpu_s: float = 0.0
    digest: str = ""
    """Of everything that happened, in order."""
    faults: Counter[str] = field(default_factory=Counter)
    """What was done to it, by kind."""


class Totals:
    """Sums over runs, per style of the broker and by kind of fault."""

    def __init__(self) -> None:
        self.styles: dict[str, Counter[str]] = {}
        self.faults: Counter[str] = Counter()
        self.seconds = 0.0

    def add(self, report: Report) -> None:
        """Add a run."""
        sums = self.styles.setdefault(report.style, Counter())
        sums["seeds"] += 1
        for name in (
            "tables",
            "rounds",
            "actions",
            "frames",
            "appends",
            "takeovers",
            "checkpoints",
            "purges",
            "connections",
        ):
            sums[name] += getattr(report, name)
        sums["faults"] += sum(report.faults.values())
        sums["virtual_s"] += round(report.virtual_s)
        self.faults.update(report.faults)
        self.seconds += report.cpu_s

    def never_done(self) -> list[str]:
        """Return the kinds of faults that have not happened though the broker's styles would have them."""
        kinds = KINDS + (KINDS_OF_CLUSTERS if "r3" in self.styles else ())
        return [kind for kind in kinds if not self.faults[kind]]

    def text(self) -> str:
        """Return the sums for people to read."""
        lines = ["faults injected, by kind:"]
        width = max((len(kind) for kind in self.faults), default=0)
        lines += [f"  {kind:<{width}}  {count:>9,}" for kind, count in sorted(self.faults.items())]
        for style, sums in sorted(self.styles.items()):
            parts = ", ".join(f"{count:,} {name}" for name, count in sums.items())
            lines.append(f"{style}: {parts}")
        seeds = sum(sums["seeds"] for sums in self.styles.values())
        if seeds:
            lines.append(f"{self.seconds / seeds:.2f} s of CPU per seed")
        return "\n".join(lines)

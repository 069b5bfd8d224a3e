"""What a run was, and what many were."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field


@dataclass
class Report:
    """One run that found nothing wrong."""

    seed: int
    style: str
    tables: int = 0
    rounds: int = 0
    actions: int = 0
    appends: int = 0
    takeovers: int = 0
    connections: int = 0
    virtual_s: float = 0.0
    cpu_s: float = 0.0
    digest: str = ""
    faults: Counter[str] = field(default_factory=Counter)
    """What was done to it, by kind."""

"""The seeds that convict mutants, as `python -m tests.simulation.mutants --record` has found them."""

from __future__ import annotations

import json
from collections.abc import Container, Mapping
from pathlib import Path

from tests.simulation.mutants.hunt import Found
from tests.simulation.mutants.verdicts import Verdict

FILE = Path(__file__).with_name("found.json")


def read() -> dict[str, Found]:
    """Return what is recorded, by mutant."""
    if not FILE.exists():
        return {}
    rows = json.loads(FILE.read_text(encoding="utf-8"))
    return {name: Found(row["seed"], Verdict(row["invariant"], row["message"])) for name, row in rows.items()}


def write(found: Mapping[str, Found], mutants: Container[str]) -> None:
    """Record what was found of the mutants that there are."""
    rows = {
        name: {"seed": one.seed, "invariant": one.verdict.invariant, "message": one.verdict.message}
        for name, one in sorted(found.items())
        if name in mutants
    }
    FILE.write_text(json.dumps(rows, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")

"""The table of mutants in docs/simulation-mutants.md, written from what is recorded."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from tests.simulation.mutants.hunt import Found
from tests.simulation.mutants.planting import Mutant

FILE: Final = Path(__file__).parents[3] / "docs" / "simulation-mutants.md"
HEAD: Final = "| mutant | the rule it leaves out | who convicts it | seed |\n|---|---|---|---|\n"


def table_of(found: Mapping[str, Found], mutants: Mapping[str, Mutant]) -> str:
    """Return the table, in the order of the catalogue."""
    rows = [
        f"| {name.replace('_', ' ')} | {mutants[name].breaks} | {one.verdict.invariant} | {one.seed} |\n"
        for name in mutants
        if (one := found.get(name)) is not None
    ]
    return HEAD + "".join(rows)


def write(found: Mapping[str, Found], mutants: Mapping[str, Mutant]) -> None:
    """Put the table at the end of the page, in place of the one that is there."""
    text = FILE.read_text(encoding="utf-8")
    FILE.write_text(text[: text.index(HEAD)] + table_of(found, mutants), encoding="utf-8")

"""How long tables stood still: the longest silence of a table whose match was going on, by fault."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from tests.chaos.tapes import Sitting

QUIET = "(no fault)"
"""What no fault explains: the pauses of play itself."""

AFTER_MS = 10_000
"""A fault is held to be the reason of a pause that begins so long after its end, at most."""


def longest_pauses(folder: Path, sittings: Sequence[Sitting]) -> dict[str, tuple[int, float, float]]:
    """Return, by kind of fault, how many there were, median and maximum of their longest pauses.

    Seconds. The pause of a fault is the longest of all tables that overlaps it, whatever else happened
    meanwhile.
    """
    gaps = _gaps(sittings)
    by_kind: defaultdict[str, list[float]] = defaultdict(list)
    explained: set[int] = set()
    for kind, began, ended in _faults(folder):
        mine = [
            (until - since, number)
            for number, (since, until) in enumerate(gaps)
            if since < ended + AFTER_MS and until > began
        ]
        explained |= {number for _, number in mine}
        by_kind[kind].append(max((length for length, _ in mine), default=0) / 1000)
    rest = [(until - since) / 1000 for number, (since, until) in enumerate(gaps) if number not in explained]
    if rest:
        by_kind[QUIET] = [max(rest)]
    return {kind: (len(found), median(found), max(found)) for kind, found in sorted(by_kind.items())}


def _gaps(sittings: Sequence[Sitting]) -> list[tuple[int, int]]:
    """Return from when to when each table was silent, between its first and its last frame."""
    heard: defaultdict[str, list[int]] = defaultdict(list)
    for sitting in sittings:
        if not sitting.spectates:
            heard[sitting.table_id] += [one.at_ms for one in sitting.heard]
    return [
        (since, until)
        for times in heard.values()
        for since, until in zip(sorted(times), sorted(times)[1:], strict=False)
        if until > since
    ]


def _faults(folder: Path) -> list[tuple[str, int, int]]:
    file = folder / "faults.jsonl"
    lines = (
        [json.loads(text) for text in file.read_text(encoding="utf-8").splitlines()] if file.exists() else []
    )
    return [(line["kind"], line["at"], line["until"]) for line in lines if "until" in line]

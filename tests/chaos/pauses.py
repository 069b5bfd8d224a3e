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

AFTER_MS = 5_000
"""A pause that begins later than this after the end of a fault has another reason."""


def longest_pauses(folder: Path, sittings: Sequence[Sitting]) -> dict[str, tuple[int, float, float]]:
    """Return, by kind of fault, how many there were, median and maximum of their longest pauses, in seconds.

    A pause belongs to the last fault that had begun before the pause was over. Of each fault the longest
    pause of all tables counts.
    """
    faults = _faults(folder)
    longest = [0] * len(faults)
    unexplained = 0
    for since, until in _gaps(sittings):
        begun = [number for number, (_, began, _) in enumerate(faults) if began < until]
        if begun and since < faults[begun[-1]][2] + AFTER_MS:
            longest[begun[-1]] = max(longest[begun[-1]], until - since)
        else:
            unexplained = max(unexplained, until - since)
    by_kind: defaultdict[str, list[float]] = defaultdict(list)
    for (kind, _, _), pause in zip(faults, longest, strict=True):
        by_kind[kind].append(pause / 1000)
    by_kind[QUIET] = [unexplained / 1000]
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

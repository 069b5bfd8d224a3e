"""What the processes have logged of themselves."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tests.chaos.story import Problem

EXPECTED = {
    "service_stop_timed_out": "SIGTERM came while broker or database were away; others take over",
}
"""Errors that a fault may cause, each with the reason why it is none of ours."""

BAD = ("error", "critical")


def judge_processes(folder: Path, counts: Counter[str]) -> Iterator[Problem]:
    """Yield each kind of error that a process has logged, once per process."""
    for file in sorted((folder / "logs").glob("*.log")):
        counts["lives"] += 1
        seen: Counter[str] = Counter()
        for text in file.read_text(encoding="utf-8", errors="replace").splitlines():
            problem = _problem(text)
            if problem:
                seen[problem] += 1
        for problem, times in seen.items():
            yield Problem("defect", f"{file.name}: {problem}" + (f" ({times} times)" if times > 1 else ""))


def judge_faults(folder: Path, counts: Counter[str]) -> Iterator[Problem]:
    """Yield processes that ended though nobody had ended them; count what was done to whom."""
    file = folder / "faults.jsonl"
    for text in file.read_text(encoding="utf-8").splitlines() if file.exists() else ():
        line = json.loads(text)
        if line["kind"] == "ended":
            yield Problem("ended", f"{line['who']} ended by itself, with {line['code']}")
        else:
            counts[f"fault {line['kind']}"] += 1


def _problem(text: str) -> str:
    """Return what a line of a log says is broken, or nothing."""
    try:
        line = json.loads(text)
    except json.JSONDecodeError:
        # Not of our logging: a traceback on standard error, or a line that a kill has cut short.
        return f"a traceback: {text}" if text.startswith("Traceback") else ""
    if not isinstance(line, dict) or line.get("level") not in BAD or line.get("event") in EXPECTED:
        return ""
    why = str(line.get("exception") or line.get("why") or line.get("error") or "").strip().splitlines()
    return f"{line['event']} {why[-1] if why else ''}".strip()

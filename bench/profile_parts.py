"""Where the time of a table process goes, from the samples of `bench/sampled.py`."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

PARTS = (
    ("rules engine", ("/engine/",)),
    (
        "fold: state, beats, questions",
        ("/core/fold", "/core/answers", "/core/beats", "/core/turns", "/core/state"),
    ),
    ("frames: numbers, views, rings", ("/core/frames", "/core/table.py")),
    ("commands: what is asked, what is decided", ("/core/commands", "/table/desk.py")),
    ("duties and timers", ("/core/duties", "/core/match", "/table/tables.py", "/table/minds")),
    ("encoding of frames and batches out", ("/table/encode", "/table/sessions.py")),
    (
        "journal: batches, checkpoints, floor",
        ("/table/journal", "/core/events", "/table/replay", "/table/shard"),
    ),
    (
        "outbox, records, facts",
        ("/table/outbox", "/table/store", "/core/record", "/table/bank", "/sqlalchemy/"),
    ),
    ("bus (chassis)", ("/services/chassis/",)),
    ("nats-py", ("/nats/",)),
)


def _samples(path: Path) -> Counter[tuple[str, ...]]:
    return Counter({tuple(stack.split("\n")): count for stack, count in json.loads(path.read_text()).items()})


def by_part(path: Path, micros: float) -> list[tuple[str, float, float]]:
    """Return (part, microseconds per action, share), largest first: by the innermost frame of ours.

    What the standard library or a builtin does counts for the part that called it.
    """
    spent: Counter[str] = Counter()
    for stack, count in _samples(path).items():
        spent[next((part for frame in stack if (part := _part(frame))), "event loop and the rest")] += count
    whole = sum(spent.values()) or 1
    return [(part, micros * count / whole, count / whole) for part, count in spent.most_common()]


def _part(frame: str) -> str:
    return next((part for part, marks in PARTS if any(mark in frame for mark in marks)), "")


def hottest(path: Path, micros: float, most: int = 40) -> list[tuple[str, float, float]]:
    """Return the functions in which most samples lie."""
    spent: Counter[str] = Counter()
    for stack, count in _samples(path).items():
        file, name, _ = stack[0].rsplit(":", 2)
        spent["/".join(file.split("/")[-3:]) + ":" + name] += count
    whole = sum(spent.values()) or 1
    return [(name, micros * count / whole, count / whole) for name, count in spent.most_common(most)]

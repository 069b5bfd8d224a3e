"""What players were told and what they said, line by line in a file, for a checker that reads it afterwards.

Each line is a JSON object with `kind`, `at` (the player's Unix milliseconds) and `sitting`, the number of one
player's time at one table:

| kind | also has |
|---|---|
| `sits` | `table`, `player`, `door`, `spectates`: he has begun to listen |
| `frames` | `epoch`, `frames`: serialised `paiju.table.v1.Frame`s, base64 |
| `view` | `epoch`, `view`: a serialised `paiju.table.v1.TableView`, base64 |
| `says` | `round`, `question`, `action`: an answer, before it is sent for the first time |
| `accepted` | the same: the table has acknowledged it |
| `refused` | the same, with `reason`; or it was given up, and may be in the log or not |
| `rises` | `why`: `over` (the match was played out), or what ended it before |
| `back` | `ms` after he was due to be back he was, `why` he had lost his connection; of no sitting (0) |
"""

from __future__ import annotations

import base64
import itertools
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TextIO

from services.chassis.clock import Clock


class Tape:
    """See the module. Without a file nothing is kept.

    Args:
        clock: The time of the lines.
        file: Written anew.
    """

    def __init__(self, clock: Clock, file: Path | None = None) -> None:
        self._clock = clock
        self._numbers = itertools.count(1)
        self._out: TextIO | None = None
        if file is not None:
            file.parent.mkdir(parents=True, exist_ok=True)
            self._out = file.open("w", encoding="utf-8")

    def next_sitting(self) -> int:
        """Return a number for one player's time at one table."""
        return next(self._numbers)

    def note(self, kind: str, sitting: int, **more: Any) -> None:
        """Keep a line."""
        if self._out is not None:
            line = {"kind": kind, "at": self._clock.now_ms(), "sitting": sitting, **more}
            self._out.write(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n")

    def frames(self, sitting: int, epoch: int, frames: Sequence[bytes]) -> None:
        """Keep frames as they came."""
        if self._out is not None:
            texts = [base64.b64encode(frame).decode() for frame in frames]
            self.note("frames", sitting, epoch=epoch, frames=texts)

    def view(self, sitting: int, epoch: int, view: bytes) -> None:
        """Keep a view as it came."""
        if self._out is not None:
            self.note("view", sitting, epoch=epoch, view=base64.b64encode(view).decode())

    def close(self) -> None:
        """Write what is left."""
        if self._out is not None:
            self._out.close()
            self._out = None

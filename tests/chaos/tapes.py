"""Reading what the players were told and said (`services/launch/load/tape.py`)."""

from __future__ import annotations

import base64
import contextlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from paiju.table.v1.play_pb2 import TableView


@dataclass(frozen=True)
class Heard:
    """Frames, or a view, that reached a player in one message.

    Attributes:
        at_ms: When.
        epoch: Whose they were.
        frames: Serialised frames.
        view: A serialised view; empty = frames.
    """

    at_ms: int
    epoch: int
    frames: tuple[bytes, ...] = ()
    view: bytes = b""


@dataclass(frozen=True)
class Said:
    """An answer of a player.

    Attributes:
        round_no: Of the round it was meant for.
        question: Its question.
        action: The text.
        outcome: `accepted`; the reason of a refusal; empty = nobody knows, it may be in the log or not.
    """

    round_no: int
    question: int
    action: str
    outcome: str


@dataclass
class Sitting:
    """One player's time at one table."""

    name: str
    """File and number, for reports."""
    table_id: str
    player: str
    spectates: bool
    began_ms: int
    heard: list[Heard] = field(default_factory=list)
    said: dict[tuple[int, int], Said] = field(default_factory=dict)
    why: str = ""
    """What ended it; empty = the file ends before."""

    @property
    def seat(self) -> int | None:
        """His seat, -1 for a spectator; None = he never saw a view."""
        views = (TableView.FromString(heard.view).seat for heard in self.heard if heard.view)
        return next(views, None)


def read_tapes(folder: Path) -> list[Sitting]:
    """Return all sittings of a folder's transcripts."""
    return [sitting for file in sorted(folder.glob("transcripts/*/*.jsonl")) for sitting in _read(file)]


@dataclass(frozen=True)
class Return:
    """A player is back.

    Attributes:
        due_ms: When he was due to be.
        ms: So long after it he was.
        why: What had cut him off.
    """

    due_ms: int
    ms: int
    why: str


def read_returns(folder: Path) -> list[Return]:
    """Return who came back, in the order of when they were due."""
    lines = (_lines(file) for file in folder.glob("transcripts/*/*.jsonl"))
    backs = (line for found in lines for line in found if line["kind"] == "back")
    returns = [Return(line["at"] - line["ms"], line["ms"], line["why"]) for line in backs]
    return sorted(returns, key=lambda one: one.due_ms)


def _lines(file: Path) -> Iterator[dict[str, Any]]:
    for text in file.read_text(encoding="utf-8").splitlines():
        # The end of a file whose writer was killed is no line.
        with contextlib.suppress(json.JSONDecodeError):
            yield json.loads(text)


def _read(file: Path) -> Iterator[Sitting]:
    found: dict[int, Sitting] = {}
    where = f"{file.parent.name}/{file.stem}"
    for line in _lines(file):
        number, kind = line["sitting"], line["kind"]
        if kind == "back":
            continue
        if kind == "sits":
            found[number] = Sitting(
                f"{where}#{number}", line["table"], line["player"], line["spectates"], line["at"]
            )
            continue
        sitting = found[number]
        match kind:
            case "frames":
                frames = tuple(base64.b64decode(frame) for frame in line["frames"])
                sitting.heard.append(Heard(line["at"], line["epoch"], frames=frames))
            case "view":
                sitting.heard.append(Heard(line["at"], line["epoch"], view=base64.b64decode(line["view"])))
            case "says" | "accepted" | "refused":
                round_no = int(line["round"].rpartition("/")[2])
                outcome = {"says": "", "accepted": "accepted"}.get(kind, line.get("reason", ""))
                if outcome == "LEFT" or outcome.startswith("GAVE_UP"):
                    outcome = ""
                sitting.said[round_no, line["question"]] = Said(
                    round_no, line["question"], line["action"], outcome
                )
            case "rises":
                sitting.why = line["why"]
    yield from found.values()

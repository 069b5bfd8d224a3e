"""One session listening to one table: which frame is next, what is missing, when to ask again."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from typing import Final

from paiju.table.v1.play_pb2 import Attach

from services.chassis.errors import Refusal

TABLE_ID: Final = re.compile(r"(0|[1-9a-f][0-9a-f]{0,3})-[0-9a-z]{4,48}")
"""`<shard in hex>-<random>`."""

ASK_PAUSE_S = 0.2
"""No gap is asked for more often."""

ASKS_BEFORE_VIEW = 3
"""So many gaps asked for in vain; then a whole view."""

SILENCE_S = 12.0
"""A seat without a word from its owner (a number in the second after a frame, then each tenth) asks again."""


def shard_of(table_id: str) -> int:
    """Return the shard in a table's id.

    Raises:
        Refusal: INVALID_ARGUMENT: it is no such id.
    """
    match = TABLE_ID.fullmatch(table_id)
    if match is None:
        raise Refusal("INVALID_ARGUMENT", field="table_id")
    return int(match.group(1), 16)


class Verdict(Enum):
    """What to do with a frame."""

    FORWARD = "forward"
    DROP = "drop"
    """Had already, or part of what was asked for."""
    ASK = "ask"
    """Frames before it are missing."""


@dataclass(slots=True)
class Attachment:
    """See the module. `last` is the number of the last frame that went out to the client."""

    table_id: str
    shard: int
    session: str
    spectates: bool
    last: int
    epoch: int
    heard_at: float
    asking: int = 0
    """Tag of the `attach` that is not answered yet; 0 = none."""
    asked_at: float = float("-inf")
    asks: int = 0
    """Gaps asked for since the last frame that went out."""
    order: int = 0
    """The place that the table gave the client's `attach`; 0 = not answered yet."""
    shown: int = 0
    """The highest number that went out here; `last` may be what a client claims, or 0 to be given a view."""

    def judge_frame(self, number: int, now: float) -> Verdict:
        """Decide about the frame with this number."""
        self.heard_at = now
        if number == self.last + 1:
            self.last = number
            self.shown = max(self.shown, number)
            self.asks = 0
            return Verdict.FORWARD
        if number <= self.last or not self._may_ask(now):
            return Verdict.DROP
        return Verdict.ASK

    def judge_view(self, number: int, now: float) -> Verdict:
        """Decide about a view that holds everything up to this number.

        One that answers an `attach` counts whatever number the client claimed to have seen; but a seat is not
        taken back behind what it was shown here, by one that was held up on its way.
        """
        self.heard_at = now
        if number < self.last and not self.asking:
            return Verdict.DROP
        if number < self.shown and not self.spectates:
            return Verdict.DROP
        self.last = self.shown = number
        self.asks = 0
        return Verdict.FORWARD

    def judge_last(self, number: int, now: float) -> Verdict:
        """Decide about the owner's word that this is the last number."""
        self.heard_at = now
        return Verdict.ASK if number > self.last and self._may_ask(now) else Verdict.DROP

    def is_silent(self, now: float) -> bool:
        """Return whether the owner has to be reminded of this session."""
        return not self.asking and now - self.heard_at > SILENCE_S

    def ask(self, tag: int, now: float) -> Attach:
        """Return the request for what is missing, and remember that it was made."""
        self.asking = tag
        self.asked_at = now
        self.asks += 1
        if self.asks > ASKS_BEFORE_VIEW:
            self.last = 0
        return Attach(epoch=self.epoch, number=self.last, spectate=self.spectates)

    def _may_ask(self, now: float) -> bool:
        return not self.asking and now - self.asked_at >= ASK_PAUSE_S

"""When checkpoints are made: evenly over the log, and sooner where tables have grown old."""

from __future__ import annotations

from typing import Final

PER_BATCH_MAX: Final = 4
"""Of tables whose last one is twice as old as it may be; of those that are old one. So many that grow old
together don't fill the log at once."""

HASTE: Final = 1.25
"""They are made this much faster than all tables in turn need them, so that none grows old…"""

EARLY: Final = 1.0 - 1.0 / HASTE
"""…and of no table before the last one has this age: then all come evenly, once in `1 / HASTE` of the age."""


class Pace:
    """Counts what the messages of a log allow.

    An age is a share of the age at which a checkpoint is old.
    """

    def __init__(self) -> None:
        self._last: int | None = None
        self._credit = 0.0

    def advance(self, last: int, per_message: float) -> None:
        """Take note of the log's last message.

        Args:
            last: Its sequence.
            per_message: Checkpoints to a message that all tables in turn need.
        """
        gone = last - self._last if self._last is not None else 0
        self._last = last
        self._credit = min(1.0, self._credit + gone * per_message * HASTE)

    def allows(self, age: float, made: int) -> bool:
        """Return whether another one goes with this append, `made` do already; of a table of that age."""
        if age >= 2.0:
            return made < PER_BATCH_MAX
        return not made and (age >= 1.0 or (age >= EARLY and self._credit >= 1.0))

    def spend(self, made: int) -> None:
        """Take note that so many were made."""
        self._credit = max(0.0, self._credit - made)

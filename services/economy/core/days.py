"""Days as limits count them: they begin at 04:00 in Asia/Shanghai, when hardly anybody plays."""

from __future__ import annotations

import datetime
from typing import Final, NamedTuple

DAY_MS: Final = 86_400_000
BEGINS_MS: Final = 4 * 3_600_000 - 8 * 3_600_000
"""04:00 in Asia/Shanghai (UTC+8, all year round), after 00:00 UTC: the day before at 20:00."""


class Day(NamedTuple):
    """One day."""

    number: int
    """Counted from 1970-01-01."""

    @property
    def begins_ms(self) -> int:
        """Its first moment, Unix milliseconds."""
        return self.number * DAY_MS + BEGINS_MS

    @property
    def ends_ms(self) -> int:
        """The first moment of the next one, Unix milliseconds."""
        return self.begins_ms + DAY_MS

    @property
    def before(self) -> Day:
        """The day before."""
        return Day(self.number - 1)

    @property
    def text(self) -> str:
        """Its date in Shanghai at noon.

        >>> Day(20786).text
        '2026-11-29'
        """
        return (datetime.date(1970, 1, 1) + datetime.timedelta(days=self.number)).isoformat()


def day_of(now_ms: int) -> Day:
    """Return the day of a moment.

    >>> day_of(BEGINS_MS - 1).number, day_of(BEGINS_MS).number, day_of(BEGINS_MS + DAY_MS - 1).number
    (-1, 0, 0)
    """
    return Day((now_ms - BEGINS_MS) // DAY_MS)

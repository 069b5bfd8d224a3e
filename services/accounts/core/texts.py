"""Times as people read them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Final

SHANGHAI: Final = timezone(timedelta(hours=8))
"""China has one time, without summer time since 1991."""
YEAR_MAX: Final = 253_402_214_400_000


def text_of(at_ms: int) -> str:
    """Return a time in China, to the minute.

    >>> text_of(1_790_000_000_000)
    '2026-09-21 22:13 +08:00'
    """
    at = datetime.fromtimestamp(min(max(at_ms, 0), YEAR_MAX) / 1000, UTC).astimezone(SHANGHAI)
    return f"{at:%Y-%m-%d %H:%M} +08:00"

"""Times as people read them."""

from __future__ import annotations

from typing import Final

from services.chassis.days import clock_text

YEAR_MAX: Final = 253_402_214_400_000


def text_of(at_ms: int) -> str:
    """Return a time in China, to the minute.

    >>> text_of(1_790_000_000_000)
    '2026-09-21 22:13 +08:00'
    """
    return f"{clock_text(min(max(at_ms, 1), YEAR_MAX))} +08:00"

"""The platform's day: a calendar day in Asia/Shanghai, the same for everything that counts by days.

Sign-ins, reliefs, caps, a player's own limits, the play time of minors, the spending of a month and the days
of statistics all mean this day, and nothing defines another. It begins at midnight because the rules for
minors do, which are law and name dates, holidays and hours; because a date is what people take "today" to be;
and because a day of our own would have to be explained wherever it is shown. It is no setting: rows and keys
hold numbers of days, and a platform whose days began at another hour after a restart would give some days
twice (ADR 53).

Days are numbers, counted from 1970-01-01.
"""

from __future__ import annotations

import datetime
from typing import Final

MINUTE_MS: Final = 60_000
HOUR_MS: Final = 3_600_000
DAY_MS: Final = 86_400_000
SHANGHAI_MS: Final = 8 * HOUR_MS
"""Asia/Shanghai is UTC+8, all year round, since 1991."""

_EPOCH: Final = datetime.date(1970, 1, 1)


def day_of(at_ms: int) -> int:
    """Return the day in which a moment lies.

    >>> day_of(DAY_MS - SHANGHAI_MS - 1), day_of(DAY_MS - SHANGHAI_MS)
    (0, 1)
    """
    return (at_ms + SHANGHAI_MS) // DAY_MS


def begin_of(day: int) -> int:
    """Return the first moment of a day, Unix milliseconds; a day ends where the next begins.

    >>> day_of(begin_of(20_000)), day_of(begin_of(20_000) - 1)
    (20000, 19999)
    """
    return day * DAY_MS - SHANGHAI_MS


def date_of(day: int) -> datetime.date:
    """Return the date of a day.

    >>> date_of(20786).isoformat()
    '2026-11-29'
    """
    return _EPOCH + datetime.timedelta(days=day)


def day_text(day: int) -> str:
    """Return a day as text.

    >>> day_text(20786)
    '2026-11-29'
    """
    return date_of(day).isoformat()


def day_from_text(text: str) -> int:
    """Return the day that `day_text` wrote.

    >>> day_from_text("2026-11-29")
    20786

    Raises:
        ValueError: This is no date in the form YYYY-MM-DD.
    """
    date = datetime.date.fromisoformat(text)
    if date.isoformat() != text:
        raise ValueError(f"{text!r} is not in the form YYYY-MM-DD")
    return (date - _EPOCH).days


def month_began_at(at_ms: int) -> int:
    """Return the first moment of the month in which a moment lies, Unix milliseconds.

    >>> day_text(day_of(month_began_at(begin_of(20786))))
    '2026-11-01'
    """
    return begin_of((date_of(day_of(at_ms)).replace(day=1) - _EPOCH).days)


def clock_text(at_ms: int) -> str:
    """Return a moment as people in China read it; empty for 0.

    >>> clock_text(1_764_511_200_000)
    '2025-11-30 22:00'
    """
    if not at_ms:
        return ""
    minutes = (at_ms + SHANGHAI_MS) % DAY_MS // MINUTE_MS
    return f"{day_text(day_of(at_ms))} {minutes // 60:02}:{minutes % 60:02}"

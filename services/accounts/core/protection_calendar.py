"""Public holidays as data, and the windows in which minors may play.

A year is known if its holidays and the weekends worked for them are in the data. In a year nobody has written
down the strict answer counts: no weekday is a holiday, and where worked weekends are closed, all are.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from services.chassis.days import MINUTE_MS, begin_of, date_of, day_of

LOOK_DAYS: Final = 400
"""Windows are looked for so many days ahead: whatever the data says of a year, one more year is looked at."""

_TIME: Final = re.compile(r"(\d\d):(\d\d)")
_MONTH_DAY: Final = re.compile(r"\d\d-\d\d")
_WINDOW_FIELDS: Final = {"weekdays", "holidays", "closed_on_workdays", "from", "to"}
_YEAR_FIELDS: Final = {"holidays", "workdays"}


class BadCalendar(ValueError):
    """The data of holidays or windows is not usable; the text says where."""


def split_by_day(begin_ms: int, end_ms: int) -> list[tuple[int, int]]:
    """Return how much of a time lies on which day: `(day, milliseconds)`, nothing for an empty one.

    >>> split_by_day(begin_of(5) - 10, begin_of(5) + 30)
    [(4, 10), (5, 30)]
    """
    parts = []
    while begin_ms < end_ms:
        day = day_of(begin_ms)
        until = min(end_ms, begin_of(day + 1))
        parts.append((day, until - begin_ms))
        begin_ms = until
    return parts


@dataclass(frozen=True, slots=True)
class Holidays:
    """Public holidays, and weekends that are worked for them, of the years that are known."""

    years: frozenset[int]
    holidays: frozenset[datetime.date]
    workdays: frozenset[datetime.date]

    def known_until(self, day: int) -> datetime.date | None:
        """Return the last day up to which every year is known, from the year of a day on; None = not even
        that.
        """
        year = date_of(day).year
        if year not in self.years:
            return None
        while year + 1 in self.years:
            year += 1
        return datetime.date(year, 12, 31)

    def days_left(self, day: int) -> int:
        """Return for how many days after a day the holidays are known; negative = they are not."""
        until = self.known_until(day)
        return (until - date_of(day)).days if until is not None else -1


@dataclass(frozen=True, slots=True)
class Windows:
    """When minors may play."""

    weekdays: frozenset[int]
    """1 = Monday … 7 = Sunday."""
    holidays: bool
    """On public holidays too."""
    closed_on_workdays: bool
    """Not on a weekend that is worked for a holiday."""
    from_minute: int
    """Of the day."""
    to_minute: int

    def is_on(self, date: datetime.date, calendar: Holidays) -> bool:
        """Return whether there is a window on a day."""
        is_known = date.year in calendar.years
        if self.closed_on_workdays and (
            date in calendar.workdays or (not is_known and date.isoweekday() >= 6)
        ):
            return False
        return date.isoweekday() in self.weekdays or (self.holidays and date in calendar.holidays)

    def after(self, at_ms: int, calendar: Holidays) -> Iterator[tuple[int, int]]:
        """Return the windows that end after a moment, in order: `(begin, end)` in Unix milliseconds."""
        today = day_of(at_ms)
        for day in range(today, today + LOOK_DAYS):
            begin, end = (begin_of(day) + minute * MINUTE_MS for minute in (self.from_minute, self.to_minute))
            if end > at_ms and self.is_on(date_of(day), calendar):
                yield begin, end


def parse_holidays(data: Mapping[str, Any]) -> Holidays:
    """Return the holidays that a file holds: `{"2026": {"holidays": ["01-01"], "workdays": ["01-04"]}}`.

    Raises:
        BadCalendar: Something is no year, no day, unknown, twice, or a workday that is no free weekend.
    """
    days: dict[str, set[datetime.date]] = {"holidays": set(), "workdays": set()}
    for year, of_year in data.items():
        if not re.fullmatch(r"20\d\d", year) or not isinstance(of_year, dict) or set(of_year) != _YEAR_FIELDS:
            raise BadCalendar(f"holidays: {year}: wants holidays and workdays")
        for name, found in days.items():
            for text in of_year[name]:
                date = _date(year, text)
                if date in found:
                    raise BadCalendar(f"holidays: {date} is there twice")
                found.add(date)
        if not any(date.year == int(year) for date in days["holidays"]):
            raise BadCalendar(f"holidays: {year} has none: a year that is not known is left out")
    wrong = [date for date in days["workdays"] if date in days["holidays"] or date.isoweekday() < 6]
    if wrong:
        raise BadCalendar(f"holidays: {min(wrong)} can't be a weekend that is worked")
    return Holidays(frozenset(map(int, data)), frozenset(days["holidays"]), frozenset(days["workdays"]))


def parse_windows(data: Mapping[str, Any]) -> Windows:
    """Return the windows that a file describes.

    Raises:
        BadCalendar: A field is missing, unknown, or makes no sense.
    """
    if set(data) != _WINDOW_FIELDS:
        raise BadCalendar(f"windows: wants {', '.join(sorted(_WINDOW_FIELDS))}")
    weekdays, begin, end = data["weekdays"], _minute(data["from"]), _minute(data["to"])
    if not isinstance(weekdays, list) or not all(type(day) is int and 1 <= day <= 7 for day in weekdays):
        raise BadCalendar("windows: weekdays are 1 (Monday) to 7 (Sunday)")
    if begin >= end:
        raise BadCalendar("windows: a window begins before it ends, on the same day")
    if type(data["holidays"]) is not bool or type(data["closed_on_workdays"]) is not bool:
        raise BadCalendar("windows: holidays and closed_on_workdays are true or false")
    return Windows(frozenset(weekdays), data["holidays"], data["closed_on_workdays"], begin, end)


def _date(year: str, text: object) -> datetime.date:
    if not isinstance(text, str) or not _MONTH_DAY.fullmatch(text):
        raise BadCalendar(f"holidays: {year}: {text!r} is no MM-DD")
    try:
        return datetime.date.fromisoformat(f"{year}-{text}")
    except ValueError as error:
        raise BadCalendar(f"holidays: there is no {year}-{text}") from error


def _minute(text: object) -> int:
    found = _TIME.fullmatch(text) if isinstance(text, str) else None
    minutes = int(found[1]) * 60 + int(found[2]) if found else -1
    if found is None or int(found[2]) > 59 or minutes > 24 * 60:
        raise BadCalendar(f"windows: {text!r} is no time from 00:00 to 24:00")
    return minutes

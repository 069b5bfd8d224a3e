"""Windows of minors from a calendar: which days, which hours, and a year that nobody has written down."""

from __future__ import annotations

import datetime
import json
from itertools import islice
from typing import Any

import chinese_calendar
import pytest

from services.accounts.core.protection_calendar import (
    BadCalendar,
    Holidays,
    Windows,
    parse_holidays,
    parse_windows,
    split_by_day,
)
from services.accounts.protection_settings import ProtectionSettings
from services.chassis.days import DAY_MS, HOUR_MS, begin_of, clock_text, day_of, month_began_at

SHIPPED = ProtectionSettings().rules()
EVENINGS = {
    "weekdays": [5, 6, 7],
    "holidays": True,
    "closed_on_workdays": False,
    "from": "20:00",
    "to": "21:00",
}


def at(text: str) -> int:
    """Return a moment in Beijing, Unix milliseconds."""
    return int(datetime.datetime.fromisoformat(f"{text}+08:00").timestamp() * 1000)


def days_with_windows(windows: Windows, calendar: Holidays, since: str, number: int) -> list[str]:
    return [clock_text(begin) for begin, _ in islice(windows.after(at(since), calendar), number)]


def test_minors_play_on_fridays_weekends_and_holidays_from_eight_to_nine() -> None:
    windows = parse_windows(EVENINGS)
    assert days_with_windows(windows, SHIPPED.holidays, "2026-09-21 00:00", 8) == [
        "2026-09-25 20:00",  # Friday, mid-autumn
        "2026-09-26 20:00",
        "2026-09-27 20:00",
        "2026-10-01 20:00",  # Thursday, a holiday, and so are the six days after it
        "2026-10-02 20:00",
        "2026-10-03 20:00",
        "2026-10-04 20:00",
        "2026-10-05 20:00",
    ]
    first = next(windows.after(at("2026-09-25 20:59:59"), SHIPPED.holidays))
    assert first == (at("2026-09-25 20:00"), at("2026-09-25 21:00"))
    # Half open: at nine the window is over.
    assert next(windows.after(at("2026-09-25 21:00"), SHIPPED.holidays))[0] == at("2026-09-26 20:00")


def test_a_weekend_that_is_worked_can_be_closed() -> None:
    closed = parse_windows({**EVENINGS, "closed_on_workdays": True})
    days = days_with_windows(closed, SHIPPED.holidays, "2026-10-08 00:00", 2)
    assert days == ["2026-10-09 20:00", "2026-10-11 20:00"]  # Saturday the 10th is a working day
    assert days_with_windows(parse_windows(EVENINGS), SHIPPED.holidays, "2026-10-09 22:00", 1) == [
        "2026-10-10 20:00"
    ]


def test_in_a_year_that_nobody_knows_no_weekday_is_a_holiday() -> None:
    assert 2027 not in SHIPPED.holidays.years, "take a year that is not known yet"
    windows = parse_windows(EVENINGS)
    # New Year's Day of 2027 is a Friday; of 2029, a Monday.
    assert days_with_windows(windows, SHIPPED.holidays, "2028-12-31 22:00", 1) == ["2029-01-05 20:00"]
    known = parse_holidays({"2029": {"holidays": ["01-01"], "workdays": []}})
    assert days_with_windows(windows, known, "2028-12-31 22:00", 1) == ["2029-01-01 20:00"]
    # And where worked weekends are closed, any weekend may be one.
    strict = parse_windows({**EVENINGS, "closed_on_workdays": True})
    assert days_with_windows(strict, SHIPPED.holidays, "2027-01-01 22:00", 2) == [
        "2027-01-08 20:00",
        "2027-01-15 20:00",
    ]


def test_the_calendar_knows_until_when_it_is_known() -> None:
    two = parse_holidays({year: {"holidays": ["01-01"], "workdays": []} for year in ("2026", "2027", "2029")})
    new_year = day_of(at("2026-01-01 00:00"))
    assert two.known_until(new_year) == datetime.date(2027, 12, 31)
    assert two.days_left(new_year) == 729
    assert two.days_left(day_of(at("2027-12-31 23:59"))) == 0
    assert two.days_left(day_of(at("2028-01-01 00:00"))) == -1
    assert two.known_until(day_of(at("2028-06-01 00:00"))) is None


def test_what_ships_agrees_with_the_library_for_every_year_it_holds() -> None:
    """The data is ours, so that an operator can add a year; a second source is held against it."""
    for year in sorted(SHIPPED.holidays.years):
        date = datetime.date(year, 1, 1)
        while date.year == year:
            is_off = date in SHIPPED.holidays.holidays or (
                date.isoweekday() >= 6 and date not in SHIPPED.holidays.workdays
            )
            assert is_off == chinese_calendar.is_holiday(date), date
            date += datetime.timedelta(days=1)
    with pytest.raises(NotImplementedError):
        chinese_calendar.is_holiday(datetime.date(max(SHIPPED.holidays.years) + 1, 1, 1))


def test_a_day_ends_at_midnight_in_beijing() -> None:
    midnight = at("2026-12-01 00:00")
    assert day_of(midnight) == day_of(midnight - 1) + 1
    assert begin_of(day_of(midnight)) == midnight
    assert split_by_day(midnight - 5 * HOUR_MS, midnight + DAY_MS + 1) == [
        (day_of(midnight) - 1, 5 * HOUR_MS),
        (day_of(midnight), DAY_MS),
        (day_of(midnight) + 1, 1),
    ]
    assert split_by_day(midnight, midnight) == split_by_day(midnight + 1, midnight) == []
    assert month_began_at(at("2026-12-31 23:59")) == midnight
    assert month_began_at(midnight - 1) == at("2026-11-01 00:00")


@pytest.mark.parametrize(
    "changed",
    [
        {"weekdays": [0]},
        {"weekdays": [True]},
        {"weekdays": "567"},
        {"holidays": 1},
        {"from": "21:00"},
        {"from": "8:00"},
        {"to": "24:01"},
        {"to": "20:60"},
        {"until": "21:00"},
    ],
)
def test_windows_that_make_no_sense_are_refused(changed: dict[str, Any]) -> None:
    with pytest.raises(BadCalendar):
        parse_windows({**EVENINGS, **changed})


@pytest.mark.parametrize(
    "data",
    [
        {"26": {"holidays": ["01-01"], "workdays": []}},
        {"2026": {"holidays": ["01-01"]}},
        {"2026": {"holidays": [], "workdays": []}},
        {"2026": {"holidays": ["02-30"], "workdays": []}},
        {"2026": {"holidays": ["1-1"], "workdays": []}},
        {"2026": {"holidays": ["01-01", "01-01"], "workdays": []}},
        {"2026": {"holidays": ["01-03"], "workdays": ["01-03"]}},
        {"2026": {"holidays": ["01-01"], "workdays": ["01-05"]}},
    ],
    ids=json.dumps,
)
def test_holidays_that_make_no_sense_are_refused(data: dict[str, Any]) -> None:
    with pytest.raises(BadCalendar):
        parse_holidays(data)

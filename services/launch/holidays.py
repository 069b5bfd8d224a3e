"""`paiju holidays`: until when public holidays are known, and whether a file of them can be used."""

from __future__ import annotations

import datetime
import json
from pathlib import Path
from typing import Any

from services.accounts.core.protection_calendar import BadCalendar, Holidays, parse_holidays
from services.accounts.protection_bus import CALENDAR_DAYS_LOW
from services.accounts.protection_settings import ProtectionSettings
from services.chassis.clock import SystemClock
from services.chassis.days import date_of, day_of
from services.launch.exits import NO, USAGE, Stop


def run(file: Path | None, *, as_json: bool, today: int | None = None) -> None:
    """Print what a file of holidays holds, and how long it lasts.

    Args:
        file: None: the one that accounts would read here.
        today: The day it is; None: by the system's clock.

    Raises:
        Stop: The file is none that accounts would start with (`USAGE`); this year is unknown or fewer than
            `CALENDAR_DAYS_LOW` days to come are known (`NO`).
    """
    path = file or ProtectionSettings().holidays_file
    holidays = _read(path)
    day = day_of(SystemClock().now_ms()) if today is None else today
    until, left = holidays.known_until(day), holidays.days_left(day)
    years = {year: _of_year(holidays, year) for year in sorted(holidays.years)}
    if as_json:
        told: dict[str, Any] = {
            "file": str(path),
            "known_until": until.isoformat() if until else "",
            "days_left": left,
            "years": {
                str(year): {name: len(days) for name, days in found.items()} for year, found in years.items()
            },
        }
        print(json.dumps(told, ensure_ascii=False))
    else:
        print(path)
        for year, found in years.items():
            print(f"{year}: {len(found['holidays'])} days off, {len(found['workdays'])} weekends worked")
        coming = [one for one in sorted(holidays.holidays) if one >= date_of(day)]
        if coming:
            print(f"next day off: {coming[0].isoformat()}")
        print(f"known until {until.isoformat()}, {left} days to come" if until else "this year is not known")
    if left < CALENDAR_DAYS_LOW:
        year = date_of(day).year + (until is not None)
        raise Stop(
            NO,
            f"add {year} as the State Council publishes it (docs/protection.md), check the file with `paiju "
            "holidays FILE`, name it in PAIJU_ACCOUNTS_HOLIDAYS_FILE and restart accounts",
        )


def _read(path: Path) -> Holidays:
    try:
        return parse_holidays(json.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise Stop(USAGE, f"{path}: {error.strerror}") from error
    except (ValueError, AttributeError) as error:
        why = str(error) if isinstance(error, BadCalendar) else f"no JSON object of years: {error}"
        raise Stop(USAGE, f"{path}: {why}") from error


def _of_year(holidays: Holidays, year: int) -> dict[str, list[datetime.date]]:
    return {
        "holidays": [one for one in sorted(holidays.holidays) if one.year == year],
        "workdays": [one for one in sorted(holidays.workdays) if one.year == year],
    }

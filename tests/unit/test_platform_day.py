"""The platform's one day: where it begins, and that every service means it."""

from __future__ import annotations

import datetime
import re
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.chassis.days import (
    DAY_MS,
    begin_of,
    clock_text,
    day_from_text,
    day_of,
    day_text,
    month_began_at,
)

ROOT = Path(__file__).parents[2]
SHANGHAI = ZoneInfo("Asia/Shanghai")
MIDNIGHT = 1_790_006_400_000  # 2026-09-22 00:00 in Shanghai
MOMENTS = st.integers(1_000_000_000_000, 2_500_000_000_000)


def test_the_day_changes_at_midnight_in_shanghai() -> None:
    assert day_text(day_of(MIDNIGHT - 1)) == "2026-09-21"
    assert day_text(day_of(MIDNIGHT)) == "2026-09-22"
    assert begin_of(day_of(MIDNIGHT)) == MIDNIGHT
    assert begin_of(day_of(MIDNIGHT) + 1) == MIDNIGHT + DAY_MS


@settings(deadline=None)
@given(MOMENTS)
def test_days_months_and_clocks_are_those_of_the_time_zone(now_ms: int) -> None:
    there = datetime.datetime.fromtimestamp(now_ms / 1000, SHANGHAI)
    day = day_of(now_ms)
    assert day_text(day) == there.date().isoformat()
    assert day_from_text(day_text(day)) == day
    assert begin_of(day) <= now_ms < begin_of(day + 1)
    assert clock_text(now_ms) == there.strftime("%Y-%m-%d %H:%M")
    month = there.replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    assert month_began_at(now_ms) == int(month.timestamp() * 1000)


@pytest.mark.parametrize("text", ["", "2026-9-1", "20260901", "2026-02-30", "2026-09-01 ", "2026-W36-2", "x"])
def test_what_is_no_date_is_no_day(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - whichever of its texts, it is no day
        day_from_text(text)


def test_no_other_module_says_where_a_day_begins() -> None:
    own = re.compile(r"ZoneInfo|hours=8\b|8 \* 3_?600|//\s*(DAY_MS|86_?400)|%\s*(DAY_MS|86_?400)|timezone\(")
    found = {
        f"{path.relative_to(ROOT)}:{number}"
        for path in sorted((ROOT / "services").rglob("*.py"))
        if path != ROOT / "services/chassis/days.py"
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if own.search(line)
    }
    assert not found, "days come from services/chassis/days.py (ADR 53)"

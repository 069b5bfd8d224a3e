"""`paiju holidays`: what a file holds, how long it lasts, and what is wrong with one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from services.accounts.protection_bus import CALENDAR_DAYS_LOW
from services.accounts.protection_settings import ProtectionSettings
from services.chassis.days import day_from_text
from services.launch.exits import NO, USAGE, Stop
from services.launch.holidays import run

SHIPPED = ProtectionSettings().holidays_file


def file_of(folder: Path, **years: object) -> Path:
    path = folder / "holidays.json"
    path.write_text(json.dumps(years), encoding="utf-8")
    return path


def test_a_year_that_lasts_is_told_with_what_it_holds(capsys: pytest.CaptureFixture[str]) -> None:
    run(SHIPPED, as_json=False, today=day_from_text("2026-06-01"))
    said = capsys.readouterr().out
    assert "2026: 33 days off, 6 weekends worked" in said
    assert "next day off: 2026-06-19" in said
    assert "known until 2026-12-31, 213 days to come" in said


@pytest.mark.parametrize(
    ("today", "left", "names"),
    [("2026-11-17", 44, "add 2027"), ("2026-12-31", 0, "add 2027"), ("2027-01-01", -1, "add 2027")],
)
def test_a_calendar_that_ends_soon_is_no_with_what_to_do(
    today: str, left: int, names: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(Stop) as stop:
        run(SHIPPED, as_json=True, today=day_from_text(today))
    assert stop.value.code == NO
    assert names in stop.value.line
    assert "PAIJU_ACCOUNTS_HOLIDAYS_FILE" in stop.value.line
    assert json.loads(capsys.readouterr().out)["days_left"] == left < CALENDAR_DAYS_LOW


def test_a_calendar_says_yes_until_it_complains(capsys: pytest.CaptureFixture[str]) -> None:
    run(SHIPPED, as_json=True, today=day_from_text("2026-11-16"))
    assert json.loads(capsys.readouterr().out)["days_left"] == CALENDAR_DAYS_LOW


def test_a_file_with_the_next_year_added_is_good_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    years = json.loads(SHIPPED.read_text(encoding="utf-8"))
    years["2027"] = {"holidays": ["01-01"], "workdays": ["01-03"]}
    run(file_of(tmp_path, **years), as_json=False, today=day_from_text("2026-12-31"))
    assert "known until 2027-12-31, 365 days to come" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{", "no JSON"),
        ("[]", "no JSON object"),
        ('{"2027": {"holidays": ["02-30"], "workdays": []}}', "there is no 2027-02-30"),
        ('{"2027": {"holidays": [], "workdays": []}}', "2027 has none"),
        ('{"2027": {"holidays": ["01-01"]}}', "wants holidays and workdays"),
        ('{"2027": {"holidays": ["01-01"], "workdays": ["01-04"]}}', "can't be a weekend"),
    ],
)
def test_a_file_that_accounts_would_not_start_with_is_refused_with_the_place(
    tmp_path: Path, text: str, why: str
) -> None:
    path = tmp_path / "holidays.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(Stop, match=why) as stop:
        run(path, as_json=False, today=day_from_text("2026-06-01"))
    assert stop.value.code == USAGE
    with pytest.raises(Stop) as missing:
        run(tmp_path / "none.json", as_json=False)
    assert missing.value.code == USAGE

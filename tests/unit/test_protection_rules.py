"""Who may play, how long, and how limits and exclusions change: the pure rules."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.accounts.core.protection import (
    ADULT,
    BANDS,
    NO_LIMIT,
    NOBODY,
    UNDECLARED,
    Own,
    Today,
    declare,
    exclude,
    joined,
    parse_bands,
    set_limits,
)
from services.accounts.core.protection_calendar import BadCalendar
from services.accounts.protection_settings import ProtectionSettings
from services.chassis.config import ConfigError
from services.chassis.days import DAY_MS, HOUR_MS, MINUTE_MS
from services.chassis.errors import Refusal
from tests.unit.test_protection_calendar import at

RULES = ProtectionSettings().rules()
FRIDAY = at("2026-12-04 20:15")
MONDAY = at("2026-12-07 12:00")
WAIT = 24 * HOUR_MS


def minor(band: str = "8_15") -> Own:
    return Own(band=BANDS[band])


def test_who_has_said_and_set_nothing_plays_without_limits() -> None:
    verdict = RULES.play(NOBODY, Today(played_ms=20 * HOUR_MS, net=-(10**9)), MONDAY)
    assert (verdict.reason, verdict.ends_at_ms, verdict.left_ms, verdict.left_loss) == ("", 0, -1, -1)
    assert RULES.is_free_by_default


def test_who_has_not_said_how_old_he_is_is_treated_as_the_operator_wants() -> None:
    strict = replace(RULES, undeclared=UNDECLARED)
    assert strict.play(NOBODY, Today(), FRIDAY).reason == "AGE_NOT_DECLARED"
    assert strict.spend(NOBODY, 1, 0, FRIDAY).reason == "AGE_NOT_DECLARED"
    assert strict.play(Own(band=ADULT), Today(), FRIDAY).reason == ""
    assert not strict.is_free_by_default
    young = replace(RULES, undeclared=BANDS["under_8"])
    assert young.play(NOBODY, Today(), MONDAY).reason == "OUTSIDE_PLAY_WINDOW"
    assert not young.is_free_by_default


def test_a_minor_plays_inside_the_window_and_until_its_end() -> None:
    verdict = RULES.play(minor(), Today(), FRIDAY)
    assert verdict.reason == ""
    assert (verdict.ends_at_ms, verdict.ends_reason) == (at("2026-12-04 21:00"), "OUTSIDE_PLAY_WINDOW")
    late = RULES.play(minor(), Today(), at("2026-12-04 21:00"))
    assert (late.reason, late.again_at_ms) == ("OUTSIDE_PLAY_WINDOW", at("2026-12-05 20:00"))
    assert RULES.play(minor(), Today(), MONDAY).again_at_ms == at("2026-12-11 20:00")


def test_a_days_time_is_used_up_and_comes_back_at_midnight() -> None:
    own = Own(day_minutes=60)
    verdict = RULES.play(own, Today(played_ms=45 * MINUTE_MS), MONDAY)
    assert verdict.left_ms == 15 * MINUTE_MS
    assert (verdict.ends_at_ms, verdict.ends_reason) == (MONDAY + 15 * MINUTE_MS, "DAILY_TIME_REACHED")
    spent = RULES.play(own, Today(played_ms=60 * MINUTE_MS), MONDAY)
    assert (spent.reason, spent.again_at_ms) == ("DAILY_TIME_REACHED", at("2026-12-08 00:00"))
    # Who begins before midnight has the next day's time too.
    verdict = RULES.play(own, Today(played_ms=0), at("2026-12-07 23:30"))
    assert verdict.ends_at_ms == at("2026-12-08 01:00")
    assert RULES.play(Own(day_minutes=1_440), Today(), MONDAY).ends_at_ms == 0


def test_losses_are_counted_net_of_what_was_won() -> None:
    own = Own(day_loss=1_000)
    assert RULES.play(own, Today(net=-999), MONDAY).left_loss == 1
    assert RULES.play(own, Today(net=+500), MONDAY).left_loss == 1_500
    lost = RULES.play(own, Today(net=-1_000), MONDAY)
    assert (lost.reason, lost.again_at_ms) == ("DAILY_LOSS_REACHED", at("2026-12-08 00:00"))


def test_the_tighter_of_own_and_the_bands_limit_counts() -> None:
    verdict = RULES.play(replace(minor(), day_minutes=30, day_loss=10**6), Today(), FRIDAY)
    assert verdict.left_ms == 30 * MINUTE_MS
    assert verdict.left_loss == RULES.bands[BANDS["8_15"]].day_loss
    assert verdict.ends_at_ms == FRIDAY + 30 * MINUTE_MS


def test_again_is_when_nothing_stands_in_the_way_any_more() -> None:
    own = replace(minor(), excluded_until_ms=at("2026-12-08 09:00"))
    refused = RULES.play(own, Today(), FRIDAY)
    assert (refused.reason, refused.again_at_ms) == ("SELF_EXCLUDED", at("2026-12-11 20:00"))
    spent = RULES.play(minor(), Today(played_ms=HOUR_MS), FRIDAY)
    assert (spent.reason, spent.again_at_ms) == ("DAILY_TIME_REACHED", at("2026-12-05 20:00"))
    today = replace(NOBODY, day_loss=5, excluded_until_ms=MONDAY + HOUR_MS)
    assert RULES.play(today, Today(net=-5), MONDAY).again_at_ms == at("2026-12-08 00:00")


@pytest.mark.parametrize("jump_ms", [-400 * DAY_MS, -1, 0, 1, HOUR_MS])
def test_an_exclusion_stands_whatever_the_clock_does_before_its_end(jump_ms: int) -> None:
    own = exclude(NOBODY, MONDAY + 30 * DAY_MS, MONDAY)
    assert RULES.play(own, Today(), MONDAY + jump_ms).reason == "SELF_EXCLUDED"
    assert RULES.spend(own, 1, 0, MONDAY + jump_ms).reason == "SELF_EXCLUDED"
    assert RULES.play(own, Today(), MONDAY + 30 * DAY_MS - 1).reason == "SELF_EXCLUDED"
    assert RULES.play(own, Today(), MONDAY + 30 * DAY_MS).reason == ""


def test_an_exclusion_only_gets_longer() -> None:
    own = exclude(NOBODY, MONDAY + 30 * DAY_MS, MONDAY)
    assert exclude(own, MONDAY + 30 * DAY_MS, MONDAY + 29 * DAY_MS + HOUR_MS).excluded_until_ms == (
        MONDAY + 30 * DAY_MS
    ), "a repeat is no refusal, however late"
    for until_ms in (0, MONDAY, MONDAY + DAY_MS, MONDAY + 30 * DAY_MS - 1):
        with pytest.raises(Refusal, match="EXCLUSION_STANDS"):
            exclude(own, until_ms, MONDAY)
    assert exclude(own, MONDAY + 31 * DAY_MS, MONDAY).excluded_until_ms == MONDAY + 31 * DAY_MS
    with pytest.raises(Refusal, match="EXCLUSION_TOO_SHORT"):
        exclude(NOBODY, MONDAY + DAY_MS - 1, MONDAY)
    with pytest.raises(Refusal, match="EXCLUSION_TOO_LONG"):
        exclude(NOBODY, MONDAY + 1_828 * DAY_MS, MONDAY)
    with pytest.raises(Refusal, match="EXCLUSION_TOO_SHORT"):
        # The clock went back a year since he was last here: a day is still a day.
        exclude(replace(NOBODY, touched_ms=MONDAY), MONDAY + DAY_MS - 1, MONDAY - 365 * DAY_MS)


def test_tighter_counts_at_once_and_looser_later() -> None:
    own = set_limits(NOBODY, 60, 1_000, MONDAY, WAIT)
    assert (own.day_minutes, own.day_loss) == (60, 1_000)
    own = set_limits(own, 30, 5_000, MONDAY, WAIT)
    assert (own.day_minutes, own.day_loss) == (30, 1_000)
    assert (own.next_loss, own.next_loss_at_ms) == (5_000, MONDAY + WAIT)
    assert own.at(MONDAY + WAIT - 1).day_loss == 1_000
    later = own.at(MONDAY + WAIT)
    assert (later.day_loss, later.next_loss_at_ms) == (5_000, 0)
    # To have none at all is the loosest.
    none = set_limits(own, 0, 0, MONDAY, WAIT)
    assert (none.day_minutes, none.day_loss) == (30, 1_000)
    assert none.at(MONDAY + WAIT).day_minutes == 0


def test_what_waits_is_not_hurried_nor_put_off_by_asking_again() -> None:
    own = set_limits(Own(day_minutes=60), 120, 0, MONDAY, WAIT)
    again = set_limits(own, 120, 0, MONDAY + HOUR_MS, WAIT)
    assert again.next_minutes_at_ms == MONDAY + WAIT
    less = set_limits(own, 90, 0, MONDAY + HOUR_MS, WAIT)
    assert (less.next_minutes, less.next_minutes_at_ms) == (90, MONDAY + WAIT)
    more = set_limits(own, 180, 0, MONDAY + HOUR_MS, WAIT)
    assert (more.next_minutes, more.next_minutes_at_ms) == (180, MONDAY + HOUR_MS + WAIT)
    kept = set_limits(own, 60, 0, MONDAY + HOUR_MS, WAIT)
    assert (kept.day_minutes, kept.next_minutes_at_ms) == (60, 0)
    back = set_limits(own, 180, 0, MONDAY - 10 * DAY_MS, WAIT)
    assert back.next_minutes_at_ms == MONDAY + WAIT, "a clock that went back shortens no wait"


@pytest.mark.parametrize("wrong", [(14, 0), (1_441, 0), (-1, 0), (0, -1), (0, 10**13)])
def test_limits_that_make_no_sense_are_refused(wrong: tuple[int, int]) -> None:
    with pytest.raises(Refusal, match="INVALID_ARGUMENT"):
        set_limits(NOBODY, *wrong, MONDAY, WAIT)


def test_an_age_is_said_once_and_later_only_younger() -> None:
    own = declare(NOBODY, BANDS["16_17"], MONDAY)
    assert declare(own, BANDS["16_17"], MONDAY) == own
    assert declare(own, BANDS["8_15"], MONDAY).band == BANDS["8_15"]
    for older in ("adult",):
        with pytest.raises(Refusal, match="AGE_DECLARED"):
            declare(own, BANDS[older], MONDAY)
    adult = declare(NOBODY, ADULT, MONDAY)
    for band in ("under_8", "8_15", "16_17"):
        with pytest.raises(Refusal, match="AGE_DECLARED"):
            declare(adult, BANDS[band], MONDAY)
    for band_number in (0, 5, -1):
        with pytest.raises(Refusal, match="INVALID_ARGUMENT"):
            declare(NOBODY, band_number, MONDAY)


@pytest.mark.parametrize(
    ("band", "amount", "spent", "reason"),
    [
        ("under_8", 1, 0, "SPENDING_NOT_ALLOWED"),
        ("8_15", 5_000, 15_000, ""),
        ("8_15", 5_001, 0, "SPENDING_TOO_MUCH_AT_ONCE"),
        ("8_15", 5_000, 15_001, "SPENDING_MONTH_REACHED"),
        ("16_17", 10_000, 30_000, ""),
        ("16_17", 10_001, 0, "SPENDING_TOO_MUCH_AT_ONCE"),
        ("16_17", 1, 40_000, "SPENDING_MONTH_REACHED"),
        ("adult", 10**9, 10**9, ""),
    ],
)
def test_what_may_be_paid_follows_from_age(band: str, amount: int, spent: int, reason: str) -> None:
    verdict = RULES.spend(minor(band), amount, spent, MONDAY)
    assert verdict.reason == reason
    limit = RULES.bands[BANDS[band]].month_fen
    assert verdict.left_month_fen == (NO_LIMIT if limit < 0 else max(0, limit - spent))


OWNS = st.builds(
    Own,
    band=st.integers(0, 4),
    day_minutes=st.sampled_from([0, 15, 60, 1_440]),
    day_loss=st.sampled_from([0, 1, 1_000]),
    next_minutes=st.sampled_from([0, 90, 1_440]),
    next_minutes_at_ms=st.sampled_from([0, MONDAY + HOUR_MS, MONDAY + DAY_MS]),
    next_loss=st.sampled_from([0, 5_000]),
    next_loss_at_ms=st.sampled_from([0, MONDAY + HOUR_MS, MONDAY + DAY_MS]),
    excluded_until_ms=st.sampled_from([0, MONDAY - 1, MONDAY + HOUR_MS, MONDAY + 90 * DAY_MS]),
)
TODAYS = st.builds(Today, st.integers(0, 26 * HOUR_MS), st.integers(-5_000, 5_000))
TIMES = st.integers(MONDAY - DAY_MS, MONDAY + 8 * DAY_MS)


@given(OWNS, TODAYS, TIMES)
def test_a_verdict_keeps_its_word(own: Own, today: Today, now_ms: int) -> None:
    verdict = RULES.play(own, today, now_ms)
    if verdict.reason:
        assert verdict.again_at_ms > now_ms
        # On the day he is told he may play again, with nothing played on it, he may.
        assert RULES.play(own, Today(), verdict.again_at_ms).reason == ""
        return
    assert verdict.again_at_ms == 0
    if verdict.ends_at_ms:
        played = verdict.ends_at_ms - now_ms
        assert played > 0
        if verdict.ends_reason == "OUTSIDE_PLAY_WINDOW":
            assert RULES.play(own, today, verdict.ends_at_ms - 1).reason in ("", "DAILY_LOSS_REACHED")
            assert RULES.play(own, today, verdict.ends_at_ms).reason == "OUTSIDE_PLAY_WINDOW"


@given(OWNS, OWNS, TODAYS, TIMES)
def test_two_as_one_may_no_more_than_either(one: Own, other: Own, today: Today, later_ms: int) -> None:
    now_ms = MONDAY - DAY_MS
    if later_ms < now_ms:
        return
    both = joined(one, other, now_ms)
    if (one.band and other.band) or not (one.band or other.band):
        for alone in (one, other):
            if RULES.play(alone, today, now_ms).reason:
                assert RULES.play(both, today, now_ms).reason
    assert both == joined(other, one, now_ms)
    assert both.excluded_until_ms == max(one.excluded_until_ms, other.excluded_until_ms)


def test_files_that_make_no_sense_stop_the_start(tmp_path: Any) -> None:
    wrong = tmp_path / "wrong.json"
    for text in ("", "[]", "{}", '{"2026": {}}'):
        wrong.write_text(text)
        for name in ("bands_file", "holidays_file"):
            if text == "{}" and name == "holidays_file":
                continue  # nothing known is a calendar, too
            with pytest.raises(ConfigError):
                ProtectionSettings(**{name: wrong}).rules()
    with pytest.raises(ConfigError):
        ProtectionSettings(bands_file=tmp_path / "none.json").rules()


@pytest.mark.parametrize(
    "changed",
    [{"day_minutes": 1_441}, {"day_loss": -1}, {"at_once_fen": -2}, {"windows": "none"}, {"month_fen": 1.5}],
)
def test_bands_that_make_no_sense_are_refused(changed: dict[str, Any]) -> None:
    band = {"windows": None, "day_minutes": 0, "day_loss": 0, "at_once_fen": -1, "month_fen": -1}
    data = {"windows": {}, "bands": {name: {**band, **changed} for name in BANDS}}
    with pytest.raises(BadCalendar):
        parse_bands(data)
    with pytest.raises(BadCalendar):
        parse_bands({"windows": {}, "bands": {"adult": band}})

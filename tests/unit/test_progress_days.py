"""Days in Shanghai, streaks, and counts of play."""

from __future__ import annotations

import datetime
from zoneinfo import ZoneInfo

from hypothesis import given, settings
from hypothesis import strategies as st

from services.progress.core.counts import Counts, RoundResult, SeatResult
from services.progress.core.days import (
    DAY_MS,
    REWARDS,
    LastSignIn,
    day_of,
    day_text,
    sign_in,
    state_of,
)

MIDNIGHT = 1_790_006_400_000  # 2026-09-22 00:00 in Shanghai


def test_the_day_changes_at_midnight_in_shanghai() -> None:
    assert day_text(day_of(MIDNIGHT - 1)) == "2026-09-21"
    assert day_text(day_of(MIDNIGHT)) == "2026-09-22"


@settings(deadline=None)
@given(st.integers(1_000_000_000_000, 2_000_000_000_000))
def test_days_are_those_of_the_time_zone(now_ms: int) -> None:
    there = datetime.datetime.fromtimestamp(now_ms / 1000, ZoneInfo("Asia/Shanghai"))
    assert day_text(day_of(now_ms)) == there.date().isoformat()


def test_a_streak_goes_through_seven_rewards_and_begins_again() -> None:
    last: LastSignIn | None = None
    got = []
    for day in range(9):
        last = sign_in(last, MIDNIGHT + day * DAY_MS)
        assert last is not None
        got.append(last.reward)
    assert got == [*REWARDS, 500, 600]
    assert last is not None
    assert last.streak == 9


def test_a_missed_day_begins_a_new_streak() -> None:
    first = sign_in(None, MIDNIGHT)
    assert sign_in(first, MIDNIGHT + 2 * DAY_MS) == LastSignIn(day_of(MIDNIGHT) + 2, 1, 500)


def test_the_same_day_is_signed_in_once() -> None:
    first = sign_in(None, MIDNIGHT)
    assert sign_in(first, MIDNIGHT + DAY_MS - 1) is None


def test_a_clock_that_goes_back_over_midnight_gives_nothing_twice() -> None:
    first = sign_in(None, MIDNIGHT - 1)
    second = sign_in(first, MIDNIGHT)
    assert second is not None
    assert second.streak == 2
    assert sign_in(second, MIDNIGHT - 1) is None
    state = state_of(second, MIDNIGHT - 1)
    assert (state.signed_in, state.streak, day_text(state.day)) == (True, 2, "2026-09-22")


@settings(deadline=None)
@given(st.lists(st.integers(-3, 40), max_size=60))
def test_whatever_the_clock_does_each_day_pays_at_most_once(hours: list[int]) -> None:
    last: LastSignIn | None = None
    now_ms, days = MIDNIGHT, []
    for step in hours:
        now_ms += step * 3_600_000
        new = sign_in(last, now_ms)
        if new is not None:
            days.append(new.day)
            last = new
    assert days == sorted(set(days))


def test_the_state_tells_what_today_would_give() -> None:
    assert state_of(None, MIDNIGHT).reward_index == 0
    third = LastSignIn(day_of(MIDNIGHT), 3, 800)
    assert state_of(third, MIDNIGHT).reward_index == 2
    tomorrow = state_of(third, MIDNIGHT + DAY_MS)
    assert (tomorrow.signed_in, tomorrow.streak, tomorrow.reward_index) == (False, 3, 3)
    later = state_of(third, MIDNIGHT + 3 * DAY_MS)
    assert (later.streak, later.reward_index) == (0, 0)


def test_a_round_counts_for_a_seat_as_it_went() -> None:
    won = SeatResult("p_a", False, 12, won=True)
    lost = SeatResult("p_b", False, -6, won=False)
    result = RoundResult("0-m/1", "paohuzi", "876cc@1", [won, lost], "hu", "zimo", 21, {"红胡": 2})
    counts = Counts()
    counts.add(result, won)
    counts.add(result, won)
    assert counts == Counts(2, 2, 0, 2, 24, 12, 21, {"红胡": 2})
    loser = Counts()
    loser.add(result, lost)
    assert loser == Counts(rounds=1, points=-6)
    draw = RoundResult("0-m/2", "paohuzi", "876cc@1", [lost], "draw", "", 0, {})
    loser.add(draw, SeatResult("p_b", False, 0, won=False))
    assert (loser.rounds, loser.draws) == (2, 1)

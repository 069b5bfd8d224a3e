"""Streaks of sign-ins."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from services.chassis.days import DAY_MS, day_of, day_text
from services.progress.core.streak import REWARDS, LastSignIn, sign_in, state_of

MIDNIGHT = 1_790_006_400_000  # 2026-09-22 00:00 in Shanghai


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

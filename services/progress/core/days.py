"""Days of the platform, and the streak of a daily sign-in."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

DAY_MS: Final = 86_400_000
SHANGHAI_MS: Final = 8 * 3_600_000
"""Asia/Shanghai is UTC+8, all year round."""

REWARDS: Final = (500, 600, 800, 1_000, 1_200, 1_500, 3_000)
"""Gold of the seven days of a streak; the eighth day is the first again."""


@dataclass(frozen=True, slots=True)
class LastSignIn:
    """The newest sign-in of a player."""

    day: int
    streak: int
    """Days in a row, that one included."""
    reward: int


@dataclass(frozen=True, slots=True)
class State:
    """What a player sees of his sign-in."""

    day: int
    signed_in: bool
    streak: int
    reward_index: int


def day_of(now_ms: int) -> int:
    """Return the number of the day in Asia/Shanghai, counted from 1970-01-01.

    >>> day_of(-SHANGHAI_MS), day_of(DAY_MS - SHANGHAI_MS - 1), day_of(DAY_MS - SHANGHAI_MS)
    (0, 0, 1)
    """
    return (now_ms + SHANGHAI_MS) // DAY_MS


def day_text(day: int) -> str:
    """Return a day as text.

    >>> day_text(20786)
    '2026-11-29'
    """
    return (datetime.date(1970, 1, 1) + datetime.timedelta(days=day)).isoformat()


def today_for(last: LastSignIn | None, now_ms: int) -> int:
    """Return what day it is for a player: never before his newest sign-in, whatever the clock says.

    A clock that went back over midnight finds the day signed in already; it can't be had twice.
    """
    today = day_of(now_ms)
    return today if last is None else max(today, last.day)


def state_of(last: LastSignIn | None, now_ms: int, rewards: Sequence[int] = REWARDS) -> State:
    """Return what a player sees now."""
    today = today_for(last, now_ms)
    if last is not None and last.day == today:
        return State(today, True, last.streak, (last.streak - 1) % len(rewards))
    streak = last.streak if last is not None and last.day == today - 1 else 0
    return State(today, False, streak, streak % len(rewards))


def sign_in(last: LastSignIn | None, now_ms: int, rewards: Sequence[int] = REWARDS) -> LastSignIn | None:
    """Return the sign-in of today, or None if today is done."""
    state = state_of(last, now_ms, rewards)
    if state.signed_in:
        return None
    return LastSignIn(state.day, state.streak + 1, rewards[state.reward_index])

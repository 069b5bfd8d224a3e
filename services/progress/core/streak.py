"""The streak of a daily sign-in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from services.chassis.days import day_of

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

"""When a match ends."""

from __future__ import annotations

from services.table.core.state import Seat, State
from services.table.core.topup import is_hopeless


def is_gone(state: State, seat: Seat) -> bool:
    """Return whether a seat's player has gone for good.

    Whoever leaves a match of a friends' room is played for, pays his score, and may come back: what ends the
    evening early is a vote.
    """
    return seat.left and (not state.spec.room_code or seat.sent_away)


def is_left(state: State) -> bool:
    """Return whether somebody has gone for good, or nobody is there any more."""
    people = [seat for seat in state.seats if not seat.bot]
    return any(is_gone(state, seat) for seat in people) or (
        bool(people) and all(seat.left for seat in people)
    )


def end_cause(state: State) -> str:
    """Return why the match ends now that no round is in play, or empty if another round follows."""
    if state.closing:
        return "voided"
    if state.is_dissolved:
        return "dissolved"
    if is_left(state):
        return "left"
    if state.spec.to_score and max(state.scores) >= state.spec.to_score:
        return "score_reached"
    if state.rounds_played >= state.spec.rounds:
        return "all_rounds"
    if state.is_overruled:
        return "disputed"
    if is_hopeless(state):
        return "stake_short"
    return ""

"""When a match ends."""

from __future__ import annotations

from services.table.core.state import State
from services.table.core.topup import is_hopeless


def end_cause(state: State) -> str:
    """Return why the match ends now that no round is in play, or empty if another round follows."""
    if state.closing:
        return "voided"
    if state.is_dissolved:
        return "dissolved"
    if any(seat.left for seat in state.seats):
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

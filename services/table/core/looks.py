"""How a seat looks to everyone."""

from __future__ import annotations

from services.table.core import frames as f
from services.table.core.state import Seat


def seat_view(seat: Seat) -> f.SeatView:
    """Return a seat as everyone sees it."""
    return f.SeatView(
        seat.player,
        seat.taken,
        seat.online or bool(seat.bot),
        seat.shown_auto_play,
        seat.left,
        seat.ready,
        bool(seat.link),
        seat.score,
        seat.stake,
        seat.shown_bank,
        seat.extensions,
        seat.shown_misses,
    )


def looks_like(seat: Seat, shown: f.SeatView) -> bool:
    """Say whether a seat looks as it was shown last (`seat_view`, without making one)."""
    return (
        seat.shown_auto_play == shown.auto_play
        and seat.ready == shown.ready
        and bool(seat.link) == shown.gives_nonces
        and (seat.online or bool(seat.bot)) == shown.online
        and seat.taken == shown.taken
        and seat.left == shown.left
        and seat.score == shown.score
        and seat.stake == shown.stake
        and seat.shown_bank == shown.bank
        and seat.extensions == shown.extensions
        and seat.shown_misses == shown.misses
        and seat.player == shown.player
    )

"""What one event adds to the figures of players and pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PlayerCounts:
    """What one event adds to one player."""

    player_id: str
    rounds: int = 0
    wins: int = 0
    disputed: int = 0
    actions: int = 0
    timeouts: int = 0
    hu_declined: int = 0
    points: int = 0
    answer_ms: tuple[int, ...] = ()
    """Milliseconds from question to answer, oldest first."""


@dataclass(frozen=True, slots=True)
class PairCounts:
    """What one event adds to one ordered pair of players."""

    player_id: str
    other_id: str
    rounds: int = 0
    wins: int = 0
    other_wins: int = 0
    points_from_other: int = 0
    wins_on_other: int = 0


@dataclass(frozen=True, slots=True)
class SeatResult:
    """One seat of an audited round."""

    player_id: str
    is_bot: bool
    points: int
    won: bool


def of_audit(
    seats: Sequence[SeatResult], from_seat: int, agreed: bool
) -> tuple[list[PlayerCounts], list[PairCounts]]:
    """Return what an audited round adds; bots get no figures, but count as nobody's partner either.

    A round's points are a sum: who has lost some has lost them to those who have gained, to each in
    proportion to his gain (the remainder left out): the winner of a round, of a kong, of a draw that is paid.

    Args:
        seats: By seat.
        from_seat: Whose card won, -1 if nobody's.
        agreed: False: the round was disputed, and only that is counted.
    """
    people = [(number, seat) for number, seat in enumerate(seats) if not seat.is_bot]
    if not agreed:
        return [PlayerCounts(seat.player_id, disputed=1) for _, seat in people], []
    gained = sum(seat.points for seat in seats if seat.points > 0)
    players = [
        PlayerCounts(seat.player_id, rounds=1, wins=int(seat.won), points=seat.points) for _, seat in people
    ]
    pairs = [
        PairCounts(
            one.player_id,
            other.player_id,
            rounds=1,
            wins=int(one.won),
            other_wins=int(other.won),
            points_from_other=_flow(one.points, other.points, gained),
            wins_on_other=int(one.won and from_seat == other_number),
        )
        for one_number, one in people
        for other_number, other in people
        if one_number != other_number
    ]
    return players, pairs


def _flow(one: int, other: int, gained: int) -> int:
    if one > 0 > other:
        return -other * one // gained
    if other > 0 > one:
        return -(-one * other // gained)
    return 0

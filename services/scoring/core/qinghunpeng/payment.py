"""Who pays whom, and who deals next (rules §2, §5)."""

from collections.abc import Sequence
from typing import Final

from services.scoring.core.qinghunpeng.rules import Options
from services.scoring.core.qinghunpeng.table import Ending
from services.scoring.core.qinghunpeng.tiles import SEATS

ROBBED_SHARES: Final = 3
"""What the konger of a robbed kong pays."""

BOUND_SHARES: Final = {"zimo": 2, "gangkai": 2, "bahua": 2, "discard": 1, "qianggang": 3}
"""承包: shares that a bound seat pays besides."""


def shares(how: str, winner: int, giver: int, bound: Sequence[int]) -> list[int]:
    """Return by seat how many shares it pays one winner; the winner himself pays none."""
    paid = [0] * SEATS
    if how == "qianggang":
        paid[giver] = ROBBED_SHARES
    elif how == "discard":
        paid[giver] = 1
    else:
        paid = [int(seat != winner) for seat in range(SEATS)]
    for seat in bound:
        paid[seat] += BOUND_SHARES[how]
    return paid


def points_by_seat(ending: Ending, bound: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """Return what each seat wins or loses in the round.

    Args:
        ending: How it ended.
        bound: By winner, ascending, the seats that 承包 binds to him.
    """
    points = [0] * SEATS
    for (winner, win), others in zip(ending.wins.items(), bound, strict=True):
        for seat, count in enumerate(shares(ending.how, winner, ending.giver, others)):
            points[seat] -= count * win.points
            points[winner] += count * win.points
    assert sum(points) == 0
    return tuple(points)


def succession(options: Options, dealer: int, draws_in_row: int, ending: Ending) -> tuple[int, int]:
    """Return the next dealer, and the draws in a row then."""
    winners = list(ending.wins)
    if options.dealer == "rotate":
        follows = dealer if dealer in winners else (dealer + 1) % SEATS
    elif len(winners) > 1:
        follows = ending.giver
    else:
        follows = winners[0] if winners else dealer
    if not winners:
        return follows, draws_in_row + 1
    # 荒番: each drawn hand doubles one later win, so a win uses up one of them.
    return follows, max(0, draws_in_row - 1) if options.huangfan else 0

"""Who pays what: shares of a win, and the further shares of 承包 (Rules 2 and 5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from engine.qinghunpeng.melds import CLAIMED, Laid
from engine.qinghunpeng.patterns import QIANGGANG, Win

SEATS: Final = 4

SELF_DRAWN: Final = frozenset({"zimo", "gangkai", "bahua"})
"""How a win came that all others pay."""

BOUND: Final = "承包"
"""Why a further share is paid."""

WHYS: Final = {"zimo": "自摸", "gangkai": "自摸", "bahua": "八花", "discard": "放炮", "qianggang": "抢杠"}
"""Why a share is paid, by how the win came."""

CLAIMS_THAT_BIND: Final = 3
"""So many claims of one player from another bind both (Rule 2)."""

ROB_SHARES: Final = 3
"""A robbed konger pays as much as three would have (Rule 5)."""


@dataclass(frozen=True, slots=True)
class Payment:
    """One seat pays another."""

    payer: int
    payee: int
    points: int
    why: str
    """In the words of the game."""
    rule: str
    """The number of the rule."""


def bound_seats(melds: Sequence[Sequence[Laid]], seat: int) -> tuple[int, ...]:
    """Return the seats that 承包 binds to a seat, ascending."""

    def claims(taker: int, giver: int) -> int:
        return sum([meld.source == giver and meld.kind in CLAIMED for meld in melds[taker]])

    return tuple(
        [
            other
            for other in range(SEATS)
            if other != seat and max(claims(seat, other), claims(other, seat)) >= CLAIMS_THAT_BIND
        ]
    )


def win_payments(
    wins: Sequence[tuple[int, Win]], how: str, source: int, bound: Sequence[Sequence[int]]
) -> tuple[Payment, ...]:
    """Return what is paid for the wins of a round.

    Args:
        wins: Seat and win of each winner.
        how: How the tile was won.
        source: The discarder or the konger, the winner for a self-draw.
        bound: The seats bound to each winner, in the order of ``wins``.
    """
    payments: list[Payment] = []
    for (seat, win), partners in zip(wins, bound, strict=True):
        if how in SELF_DRAWN:
            payers, shares, further = [other for other in range(SEATS) if other != seat], 1, 2
        elif how == QIANGGANG:
            payers, shares, further = [source], ROB_SHARES, ROB_SHARES
        else:
            payers, shares, further = [source], 1, 1
        payments += [Payment(payer, seat, shares * win.points, WHYS[how], "§5") for payer in payers]
        payments += [Payment(partner, seat, further * win.points, BOUND, "§2") for partner in partners]
    return tuple(payments)


def points_of(payments: Sequence[Payment]) -> tuple[int, ...]:
    """Return what payments add up to, by seat."""
    points = [0] * SEATS
    for payment in payments:
        points[payment.payer] -= payment.points
        points[payment.payee] += payment.points
    return tuple(points)

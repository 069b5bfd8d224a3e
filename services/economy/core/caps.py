"""From points to coins: the fee of the table, and who pays whom how much when a stake does not reach, or a
win is capped.

Inputs and outputs travel in `RoundSettled`, so that anyone can compute it again.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from services.chassis.errors import Defect

_AS_TEXT = json.JSONEncoder(separators=(",", ":"), sort_keys=True).encode

FEE_MAX = 10**15
"""No fee is larger."""


@dataclass(frozen=True, slots=True)
class Terms:
    """The settlement options of a rule set: what a table agreed to before its first round."""

    base_stake: int = 1
    """Coins per point, at least 1."""
    win_cap_by_balance: bool = False
    """A winner gets at most what he has at stake himself."""
    fee: int = 0
    """Coins that each seat pays for a round, whoever wins; 0 = none."""


@dataclass(frozen=True, slots=True)
class CapInputs:
    """Everything the coins of a round depend on."""

    points: tuple[int, ...]
    """By seat, sum 0, before `base_stake`."""
    stakes: tuple[int, ...]
    """Coins in each stake account before the round, none below 0."""
    base_stake: int
    """Coins per point, at least 1."""
    win_cap_by_balance: bool = False
    """A winner gets at most what he had at stake himself (settlement option of the rule sets)."""
    from_seat: int = -1
    """The seat whose card was won; -1 = none. With several winners the nearest after it is served first."""
    fee: int = 0
    """Coins that each seat pays for the round, before points; 0 = none."""

    @classmethod
    def under(
        cls, terms: Terms, points: tuple[int, ...], stakes: tuple[int, ...], from_seat: int = -1
    ) -> CapInputs:
        """Return the inputs of a round played under these terms."""
        return cls(points, stakes, terms.base_stake, terms.win_cap_by_balance, from_seat, terms.fee)

    def winner_order(self) -> tuple[int, ...]:
        """Return the seats that get coins, the one served first first."""
        seats = len(self.points)
        start = self.from_seat if 0 <= self.from_seat < seats else -1
        return tuple(seat for seat in _round_from(start, seats) if self.points[seat] > 0)

    def payer_order(self, winner: int) -> tuple[int, ...]:
        """Return the seats that owe coins, as they pay to `winner`: from his next seat on."""
        return tuple(seat for seat in _round_from(winner, len(self.points)) if self.points[seat] < 0)

    def as_json(self) -> str:
        """Return the inputs that a `RoundSettled` does not hold elsewhere, as JSON.

        `payer_order` is that of the first winner; those of others follow from the same rule.
        """
        winners = self.winner_order()
        value = {
            "base_stake": self.base_stake,
            "fee": self.fee,
            "payer_order": list(self.payer_order(winners[0])) if winners else [],
            "win_cap_by_balance": self.win_cap_by_balance,
            "winner_order": list(winners),
        }
        return _AS_TEXT(value)


def fees(inputs: CapInputs) -> tuple[int, ...]:
    """Return what each seat pays to the house for the round: the fee, or all of a stake that does not reach.

    It is taken before points, so a win never pays it and no share of a win is taken.

    Raises:
        Defect: A number is out of range.

    >>> fees(CapInputs(points=(6, -3, -3), stakes=(100, 100, 20), base_stake=10, fee=30))
    (30, 30, 20)
    """
    if not 0 <= inputs.fee <= FEE_MAX or any(held < 0 for held in inputs.stakes):
        raise Defect(f"fee {inputs.fee} with stakes {inputs.stakes}")
    return tuple(min(inputs.fee, held) for held in inputs.stakes)


def settle(inputs: CapInputs) -> tuple[int, ...]:
    """Return the coins each seat wins (above 0) or loses (below 0), the fee apart; they sum to zero.

    The stakes are those that the fee has left. Winners are served one after another. Each takes from the
    payers in order what he is still owed, bounded by what the payer still owes, what the payer's stake still
    holds, and (with `win_cap_by_balance`) what the winner's own stake is. So no seat loses more than its
    stake or than it owes, and none wins more than it is owed.

    Raises:
        Defect: Points don't sum to zero, seats don't match, or a number is out of range.

    >>> settle(CapInputs(points=(6, -3, -3), stakes=(100, 100, 20), base_stake=10))
    (50, -30, -20)
    >>> settle(CapInputs(points=(6, -3, -3), stakes=(40, 100, 100), base_stake=10, win_cap_by_balance=True))
    (40, -30, -10)
    >>> settle(CapInputs(points=(6, -3, -3), stakes=(100, 100, 20), base_stake=10, fee=15))
    (35, -30, -5)
    """
    seats = len(inputs.points)
    if sum(inputs.points) != 0 or len(inputs.stakes) != seats:
        raise Defect(f"points {inputs.points} with stakes {inputs.stakes}")
    if inputs.base_stake < 1:
        raise Defect(f"base stake {inputs.base_stake}")
    stakes = [held - fee for held, fee in zip(inputs.stakes, fees(inputs), strict=True)]
    can_pay = [
        min(max(-points * inputs.base_stake, 0), held)
        for points, held in zip(inputs.points, stakes, strict=True)
    ]
    coins = [0] * seats
    for winner in inputs.winner_order():
        owed = inputs.points[winner] * inputs.base_stake
        if inputs.win_cap_by_balance:
            owed = min(owed, stakes[winner])
        for payer in inputs.payer_order(winner):
            paid = min(owed, can_pay[payer])
            owed -= paid
            can_pay[payer] -= paid
            coins[payer] -= paid
            coins[winner] += paid
    return tuple(coins)


@lru_cache(maxsize=256)
def terms_of(settlement_json: str) -> Terms:
    """Return the terms in the settlement options of an audit; what is absent has its default.

    Raises:
        ValueError: Not a JSON object, or an option has the wrong type or range.
    """
    value = json.loads(settlement_json or "{}")
    if not isinstance(value, dict):
        raise ValueError("settlement options are not an object")
    base_stake, fee = value.get("base_stake", 1), value.get("fee", 0)
    win_cap = value.get("win_cap_by_balance", False)
    if (
        type(base_stake) is not int
        or base_stake < 1
        or type(win_cap) is not bool
        or type(fee) is not int
        or not 0 <= fee <= FEE_MAX
    ):
        raise ValueError(f"settlement options: {base_stake=}, {win_cap=}, {fee=}")
    return Terms(base_stake, win_cap, fee)


def _round_from(seat: int, seats: int) -> Sequence[int]:
    return [(seat + step) % seats for step in range(1, seats + 1)]

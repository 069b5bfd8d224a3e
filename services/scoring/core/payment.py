"""From 息 to points and coins (rules §10, §12)."""

from collections.abc import Sequence

from services.scoring.core.rules import Options


def deng_of(xi: int, options: Options) -> int:
    """Return the 等/囤 of a hand; at least one, since `deng_first` is at most `min_xi`."""
    return (xi - options.deng_first) // options.deng_step + 1


def zimo_bonus(source: str, options: Options) -> int:
    """Return the 等 that a self-draw adds: own draw, the dealer's 亮张, 三提五坎."""
    self_drawn = source in {"self", "liang_dealer", "santi"}
    return options.zimo_deng if self_drawn or (source == "liang_other" and options.liang_xian_zimo) else 0


def points_of(deng: int, bonus: int, fan: int, options: Options) -> int:
    """Return what one loser pays, before `base_stake`."""
    points = deng * fan + bonus if options.zimo_stage == "after_fan" else (deng + bonus) * fan
    return points if options.point_cap is None else min(options.point_cap, points)


def points_by_seat(
    points: int, winner: int, how: str, from_seat: int, options: Options, seats: int = 3
) -> tuple[int, ...]:
    """Return the points of each seat, summing to zero.

    Each loser pays `points`; for a won discard the discarder pays for all, unless `discard_hu_pays` is `all`.
    """
    total = points * (seats - 1)
    if how == "discard" and options.discard_hu_pays == "discarder":
        return tuple(total if s == winner else -total if s == from_seat else 0 for s in range(seats))
    return tuple(total if s == winner else -points for s in range(seats))


def coins_by_seat(points: Sequence[int], winner: int, balance: int, options: Options) -> tuple[int, ...]:
    """Return the coins of each seat: points times stake, the winner's total capped (`win_cap_by_balance`).

    The cap is taken from those who pay, equally; an odd unit comes from the seat before the winner.
    """
    coins = [value * options.base_stake for value in points]
    if not options.win_cap_by_balance or coins[winner] <= balance:
        return tuple(coins)
    paying = [seat for seat, value in enumerate(coins) if value < 0]
    share, odd = divmod(balance, len(paying))
    previous = (winner - 1) % len(coins)
    capped = [0] * len(coins)
    for seat in paying:
        capped[seat] = -share
    capped[previous if previous in paying else paying[0]] -= odd
    capped[winner] = balance
    return tuple(capped)

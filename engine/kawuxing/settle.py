"""Who pays what: kongs, wins, 包胡, and 黄庄 (Rules 3, 8 and 9)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from engine.kawuxing.fans import SELF_DRAWN, Win
from engine.kawuxing.melds import AN, MING
from engine.kawuxing.rules import RuleSet
from engine.mahjong.tiles import RANK, SUIT

SEATS: Final = 3

BAO: Final = "包胡"
"""Why a payment of 包胡 is made."""


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


def factor(rules: RuleSet, winner: bool, payer: bool, self_drawn: bool) -> int:
    """Return what 亮倒 multiplies a share by, from who is revealed (Rule 7)."""
    if winner and payer:
        doubled = rules.duifan and (not self_drawn or rules.duifan_on_zimo)
        return 4 if doubled else 2
    if winner:
        return 2
    pays = rules.reveal_doubles_loser
    return 2 if payer and (pays == "all" or (pays == "discard_only" and not self_drawn)) else 1


def capped(rules: RuleSet, fan: int, times: int) -> int:
    """Return the 番 of a share after the cap."""
    if not rules.cap:
        return fan * times
    if rules.reveal_outside_cap:
        return min(rules.cap, fan) * times
    return min(rules.cap, fan * times)


def kong_payments(stake: int, chain: int, kind: str, seat: int, source: int) -> tuple[Payment, ...]:
    """Return the 杠分 of a kong that stands (Rule 3).

    Args:
        stake: Points of one 番.
        chain: What 杠上杠 multiplies by.
        kind: ``an``, ``bu`` or ``ming``.
        seat: Who kongs.
        source: The discarder of a 直杠.
    """
    if kind == MING:
        return (Payment(source, seat, 2 * stake * chain, "直杠", "§3"),)
    worth, why = (2, "暗杠") if kind == AN else (1, "补杠")
    others = [other for other in range(SEATS) if other != seat]
    return tuple([Payment(other, seat, worth * stake * chain, why, "§3") for other in others])


def chain_factor(rules: RuleSet, before: int) -> int:
    """Return what 杠上杠 multiplies a kong by after so many kongs of the chain."""
    if rules.chain == "flat2":
        return 2 if before else 1
    return int(1 << before)


@dataclass(frozen=True, slots=True)
class Table:
    """What a settlement needs to know of the table."""

    stake: int
    """Points of one 番: the base, doubled by 上楼."""
    revealed: tuple[bool, ...]
    piao: tuple[int, ...] = (0, 0, 0)


def is_bao(rules: RuleSet, table: Table, winner: int, source: int, forced: bool) -> bool:
    """Return whether who gave the tile pays for both (包胡)."""
    if not rules.baohu or (forced and rules.bao_exempt_forced):
        return False
    return table.revealed[winner] and not table.revealed[source]


def win_payments(
    rules: RuleSet,
    table: Table,
    wins: Sequence[tuple[int, Win]],
    how: str,
    source: int,
    ma: int = 0,
    forced: bool = False,
) -> tuple[Payment, ...]:
    """Return what is paid for the wins of a round.

    Args:
        rules: The options.
        table: Stake, revealed seats and 漂.
        wins: Seat and win of each winner.
        how: How the tile was won.
        source: The discarder or the konger, the winner for a self-draw.
        ma: What 买马 adds to each share.
        forced: Whether every tile the discarder held was dangerous.
    """
    payments: list[Payment] = []
    winners = [seat for seat, _ in wins]
    for seat, win in wins:
        more = ma + (win.kan if rules.shukan else 0)
        extra = {other: more + table.piao[seat] + table.piao[other] for other in range(SEATS)}
        if how in SELF_DRAWN:
            for payer in range(SEATS):
                if payer != seat:
                    times = factor(rules, table.revealed[seat], table.revealed[payer], True)
                    points = table.stake * (capped(rules, win.fan, times) + extra[payer])
                    payments.append(Payment(payer, seat, points, "自摸", "§8"))
            continue
        if is_bao(rules, table, seat, source, forced):
            third = SEATS - seat - source
            alone = rules.bao_excludes_cowinner and third in winners
            fans = capped(rules, win.fan, 2) if alone else _bao_fans(rules, win.fan)
            added = extra[source] + (0 if alone else extra[third])
            payments.append(Payment(source, seat, table.stake * (fans + added), BAO, "§7"))
            continue
        times = factor(rules, table.revealed[seat], table.revealed[source], False)
        points = table.stake * (capped(rules, win.fan, times) + extra[source])
        payments.append(Payment(source, seat, points, "放炮", "§8"))
    return tuple(payments)


def _bao_fans(rules: RuleSet, fan: int) -> int:
    """Return the 番 of both shares of 包胡 (Rule 12)."""
    if not rules.bao_cap_total or not rules.cap:
        return 2 * capped(rules, fan, 2)
    if rules.reveal_outside_cap:
        return min(rules.cap, 2 * fan) * 2
    return min(rules.cap, 4 * fan)


def ma_worth(tile: int) -> int:
    """Return what a tile turned for 独马 adds: its number, 10 for 中发白."""
    return 10 if SUIT[tile] == 3 else RANK[tile] + 1


def liu_ma_worth(won: int, tiles: Sequence[int]) -> int:
    """Return what the tiles turned for 六马 add: those of the won class and 中发白, or 6 if there is none."""

    def group(tile: int) -> int:
        return 3 if SUIT[tile] == 3 else RANK[tile] % 3

    return sum([group(tile) in (3, group(won)) for tile in tiles]) or (6 if tiles else 0)


@dataclass(frozen=True, slots=True)
class Ready:
    """What counts of a seat at 黄庄."""

    fan: int
    """番 of its best wait, 0 if it is not ready."""
    revealed: bool


def draw_payments(rules: RuleSet, stake: int, seats: Sequence[Ready], first: int) -> tuple[Payment, ...]:
    """Return what is paid at 黄庄 besides the kongs (Rules 8 and 9).

    Args:
        rules: The options.
        stake: Points of one 番.
        seats: By seat.
        first: The first seat that revealed, -1 for none.
    """
    amount = [stake * capped(rules, ready.fan, 2 if ready.revealed else 1) for ready in seats]
    everyone = range(SEATS)
    is_ready = [ready.fan > 0 for ready in seats]
    found: list[Payment] = []

    def pay(payer: int, payee: int, points: int, why: str, rule: str = "§9") -> None:
        if payer != payee:
            found.append(Payment(payer, payee, points, why, rule))

    if rules.hz == "ljlc" and first >= 0:
        for payee in everyone:
            pay(first, payee, amount[first], "亮进亮出", "§8")
    elif rules.hz == "jtt":
        for payer in everyone:
            for payee in everyone:
                if seats[payer].revealed and is_ready[payee] and not seats[payee].revealed:
                    pay(payer, payee, amount[payee], "讲听头", "§8")
                owed = seats[payee].revealed or (rules.jtt_pays_silent and is_ready[payee])
                if not is_ready[payer] and owed:
                    pay(payer, payee, amount[payee], "讲听头", "§8")
    elif rules.hz == "chadajiao":
        _not_ready_pay(is_ready, amount, pay, "查大叫")
    elif rules.hz == "xiaogan":
        if all(is_ready):
            for payer in everyone:
                for payee in everyone:
                    if seats[payer].revealed and not seats[payee].revealed:
                        pay(payer, payee, amount[payee], "查大叫")
        else:
            _not_ready_pay(is_ready, amount, pay, "查大叫")
    elif rules.hz == "suizhou":
        if not all(is_ready):
            _not_ready_pay(is_ready, [stake] * SEATS, pay, "查叫")
        elif first >= 0:
            for payee in everyone:
                pay(first, payee, stake, "查叫")
    elif rules.hz == "shiyan":
        _not_ready_pay(is_ready, [stake] * SEATS, pay, "查叫")
        if first >= 0:
            for payee in everyone:
                pay(first, payee, 2 * stake, "亮倒")
    return tuple(found)


class _Pay(Protocol):
    def __call__(self, payer: int, payee: int, points: int, why: str, rule: str = "§9") -> None: ...


def _not_ready_pay(is_ready: Sequence[bool], amount: Sequence[int], pay: _Pay, why: str) -> None:
    """Let every seat that is not ready pay every ready one its amount."""
    for payer in range(SEATS):
        for payee in range(SEATS):
            if not is_ready[payer] and is_ready[payee]:
                pay(payer, payee, amount[payee], why)


def points_of(payments: Sequence[Payment]) -> tuple[int, ...]:
    """Return what payments add up to, by seat."""
    points = [0] * SEATS
    for payment in payments:
        points[payment.payer] -= payment.points
        points[payment.payee] += payment.points
    return tuple(points)

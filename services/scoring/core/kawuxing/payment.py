"""Who pays whom in 卡五星 (rules §3, §7, §8, §9)."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from services.scoring.core.kawuxing.names import SELF_DRAWN, Win
from services.scoring.core.kawuxing.rules import Options
from services.scoring.core.kawuxing.tiles import SEATS, is_dragon, rank_of

DRAGON_NUMBER: Final = 10
"""What 中发白 count in 独马."""
HORSES: Final = {"off": 0, "du": 1, "liu": 6}
"""How many tiles are turned."""


@dataclass(frozen=True, slots=True)
class Transfer:
    """One payment."""

    payer: int
    payee: int
    points: int
    why: str
    sum: str = ""
    """How the points come about, in figures."""


@dataclass(slots=True)
class Purse:
    """What is paid in a round, and what everybody has made known that payments go by."""

    options: Options
    stake: int
    transfers: list[Transfer] = field(default_factory=list)
    kong_transfers: int = 0
    """How many of them, the first ones, are for kongs."""
    revealed: list[int] = field(default_factory=list)
    """Seats in the order of 亮倒."""
    piao: list[int] = field(default_factory=lambda: [0] * SEATS)
    chain: int = 0
    """How many kongs of the running chain were paid (§3)."""

    def pay(self, payer: int, payee: int, units: int, why: str, said: str = "") -> None:
        """Book a payment of some stakes."""
        self.transfers.append(Transfer(payer, payee, units * self.stake, why, said))

    def points(self) -> list[int]:
        """Return what has been booked, by seat."""
        return _sums(self.transfers)

    def kong_points(self) -> list[int]:
        """Return the part of it that is for kongs."""
        return _sums(self.transfers[: self.kong_transfers])

    def pay_kong(self, seat: int, how: str, from_seat: int) -> None:
        """Book a kong that stands (§3)."""
        steps = min(self.chain, 1) if self.options.chain == "flat2" else self.chain
        times = 2**steps
        if how == "ming":
            self.pay(from_seat, seat, 2 * times, "直杠", f"2 × {times}")
        else:
            units, why = (2, "暗杠") if how == "an" else (1, "补杠")
            for other in others(seat):
                self.pay(other, seat, units * times, why, f"{units} × {times}")
        self.chain += 1
        self.kong_transfers = len(self.transfers)

    def factor(self, winner: int, payer: int, *, is_self_drawn: bool) -> int:
        """Return the factor of 亮倒 between two seats (§7)."""
        options = self.options
        wins, pays = winner in self.revealed, payer in self.revealed
        if wins and pays:
            return 4 if options.duifan and (options.duifan_on_zimo or not is_self_drawn) else 2
        if wins:
            return 2
        doubles = {"all": True, "discard_only": not is_self_drawn, "off": False}
        return 2 if pays and doubles[options.reveal_doubles_loser] else 1

    def capped(self, fan: int, factor: int) -> int:
        """Return 番 times a factor, under the cap (§8)."""
        cap = self.options.cap
        if not cap:
            return fan * factor
        return min(cap, fan) * factor if self.options.reveal_outside_cap else min(cap, fan * factor)

    def extra(self, winner: int, payer: int, kan: int, horses: int) -> int:
        """Return what is added to 番: 买马, 数坎 and 漂 (§9)."""
        return horses + self.piao[winner] + self.piao[payer] + (kan if self.options.shukan else 0)

    def pay_win(self, winner: int, win: Win, *, how: str, giver: int, horses: int) -> None:
        """Book a self-draw, or a tile that the giver pays without 包胡."""
        is_self_drawn = how in SELF_DRAWN
        for payer in others(winner) if is_self_drawn else (giver,):
            factor = self.factor(winner, payer, is_self_drawn=is_self_drawn)
            units, extra = self.capped(win.fan, factor), self.extra(winner, payer, win.kan, horses)
            said = f"{win.fan} × {factor}"
            if units != win.fan * factor:
                said += f" → {units}"
            if extra:
                said += f" + {extra}"
            self.pay(payer, winner, units + extra, "自摸" if is_self_drawn else "放炮", said)

    def pay_for_all(self, winner: int, win: Win, *, giver: int, third_wins: bool) -> None:
        """Book a tile of a giver who pays for the third seat too: 包胡 (§7)."""
        options, cap = self.options, self.options.cap
        units, extra = self.capped(win.fan, 2), self.extra(winner, giver, win.kan, 0)
        if not (third_wins and options.bao_excludes_cowinner):
            third = SEATS - winner - giver
            extra += self.extra(winner, third, win.kan, 0)
            units *= 2
            if options.bao_cap_total and cap:
                outside = options.reveal_outside_cap
                units = 2 * min(cap, 2 * win.fan) if outside else min(cap, 4 * win.fan)
        said = f"{units} + {extra}" if extra else str(units)
        self.pay(giver, winner, units + extra, "包胡", said)

    def pay_draw(self, fans: Sequence[int]) -> None:
        """Book what 黄庄 costs (§8).

        Args:
            fans: By seat, the most that its hand could have won; 0 if it waits for nothing.
        """
        ready = [seat for seat in range(SEATS) if fans[seat]]
        unready = [seat for seat in range(SEATS) if not fans[seat]]
        hidden = [seat for seat in ready if seat not in self.revealed]
        first = self.revealed[:1]
        amounts = [
            self.capped(fan, 2 if seat in self.revealed else 1) if fan else 0 for seat, fan in enumerate(fans)
        ]
        match self.options.hz:
            case "ljlc":
                for payer in first:
                    for payee in others(payer):
                        self.pay(payer, payee, amounts[payer], "亮进亮出")
            case "jtt":
                self._each(self.revealed, hidden, amounts, "讲听头")
                payees = ready if self.options.jtt_pays_silent else sorted(self.revealed)
                self._each(unready, payees, amounts, "讲听头")
            case "chadajiao":
                self._each(unready, ready, amounts, "查大叫")
            case "xiaogan":
                if unready:
                    self._each(unready, ready, amounts, "查大叫")
                else:
                    self._each(self.revealed, hidden, amounts, "查大叫")
            case "suizhou":
                if unready:
                    self._each(unready, ready, [1] * SEATS, "查叫")
                else:
                    self._each(first, [seat for seat in ready if seat not in first], [1] * SEATS, "亮倒")
            case "shiyan":
                self._each(unready, ready, [1] * SEATS, "查叫")
                for payer in first:
                    self._each([payer], others(payer), [2] * SEATS, "亮倒")

    def _each(self, payers: Sequence[int], payees: Sequence[int], amounts: Sequence[int], why: str) -> None:
        """Book each payee's amount from every payer."""
        for payer in payers:
            for payee in payees:
                self.pay(payer, payee, amounts[payee], why)


def others(seat: int) -> tuple[int, int]:
    """Return the two other seats in turn."""
    return ((seat + 1) % SEATS, (seat + 2) % SEATS)


def horses_of(options: Options, turned: Sequence[int], won: int) -> int:
    """Return what the turned tiles of 买马 add (§9)."""
    if not turned:
        return 0
    if options.mai_ma == "du":
        return DRAGON_NUMBER if is_dragon(turned[0]) else rank_of(turned[0])
    hits = sum(_class_of(kind) in (-1, _class_of(won)) for kind in turned)
    return hits or HORSES["liu"]


def _class_of(kind: int) -> int:
    """Return 147, 258 or 369 as a number, and another for 中发白."""
    return -1 if is_dragon(kind) else rank_of(kind) % 3


def _sums(transfers: Sequence[Transfer]) -> list[int]:
    found = [0] * SEATS
    for each in transfers:
        found[each.payer] -= each.points
        found[each.payee] += each.points
    return found

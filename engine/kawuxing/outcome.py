"""How a round of 卡五星 ended, its Result object, and why it scored what it scored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from engine.kawuxing.fans import Win
from engine.kawuxing.settle import BAO, Payment
from engine.mahjong.tiles import TILE_TEXTS

HU: Final = "hu"
DRAW: Final = "draw"
HUANGZHUANG: Final = "huangzhuang"


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a round ended."""

    end: str
    """``hu`` or ``draw``."""
    how: str
    """``zimo`` ``gangkai`` ``discard`` ``gangpao`` ``qianggang`` or ``huangzhuang``."""
    source: int
    """The seat whose tile was won, -1 for a draw."""
    tile: int
    """The winning tile, -1 for a draw."""
    points: tuple[int, ...]
    """By seat; the sum is 0."""
    kong_points: tuple[int, ...]
    """The part of them that is 杠分."""
    wins: tuple[tuple[int, Win], ...]
    """Seat and win of each winner, by seat."""
    payments: tuple[Payment, ...]
    """Every payment of the round, kongs first."""
    stake: int
    """Points of one 番."""
    ma: tuple[int, ...]
    """Tiles turned for 买马."""
    waiting: tuple[int, ...]
    """番 of the best wait by seat, 0 for none; all 0 unless the end is a draw."""
    last_drawer: int
    """The seat that drew last."""

    @property
    def winners(self) -> tuple[int, ...]:
        """The winning seats."""
        return tuple([seat for seat, _ in self.wins])

    def result(self) -> dict[str, Any]:
        """Return the Result of docs/games/kawuxing.md without the succession."""
        names: dict[str, int] = {}
        for _, win in self.wins:
            for name, fan in win.names:
                names[name] = max(fan, names.get(name, 0))
        bao = {payment.payee for payment in self.payments if payment.why == BAO}
        return {
            "end": self.end,
            "winners": list(self.winners),
            "how": self.how,
            "from": self.source,
            "card": TILE_TEXTS[self.tile] if self.tile >= 0 else "",
            "points": list(self.points),
            "kong_points": list(self.kong_points),
            "fan": max([win.fan for _, win in self.wins], default=0),
            "names": names,
            "wins": [
                {
                    "seat": seat,
                    "fan": win.fan,
                    "names": dict(win.names),
                    "kan": win.kan,
                    "du": win.du,
                    "bao": seat in bao,
                }
                for seat, win in self.wins
            ],
            "melds": [list(win.sets) for _, win in self.wins],
            "ma": [TILE_TEXTS[tile] for tile in self.ma],
            "stake": self.stake,
            "waiting": list(self.waiting),
            "last_drawer": self.last_drawer,
        }

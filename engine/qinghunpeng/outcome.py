"""How a round of 清混碰 ended, and its Result object."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from engine.mahjong.flowers import TEXTS
from engine.qinghunpeng.patterns import Win
from engine.qinghunpeng.settle import Payment

HU: Final = "hu"
DRAW: Final = "draw"
HUANGZHUANG: Final = "huangzhuang"


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a round ended."""

    end: str
    """``hu`` or ``draw``."""
    how: str
    """``zimo`` ``gangkai`` ``discard`` ``qianggang`` ``bahua`` or ``huangzhuang``."""
    source: int
    """The seat whose tile was won, -1 for a draw."""
    tile: int
    """The winning tile, maybe a flower, -1 for a draw."""
    points: tuple[int, ...]
    """By seat; the sum is 0."""
    wins: tuple[tuple[int, Win], ...]
    """Seat and win of each winner, by seat."""
    bound: tuple[tuple[int, ...], ...]
    """The seats that 承包 binds to each winner."""
    payments: tuple[Payment, ...]
    """Every payment of the round."""
    times: int
    """What 荒番 multiplies by, 1 or 2."""

    @property
    def winners(self) -> tuple[int, ...]:
        """The winning seats."""
        return tuple([seat for seat, _ in self.wins])

    def result(self) -> dict[str, Any]:
        """Return the Result of docs/games/qinghunpeng.md without the succession."""
        names: dict[str, int] = {}
        for _, win in self.wins:
            for name, worth in win.names:
                names[name] = max(worth, names.get(name, 0))
        return {
            "end": self.end,
            "winners": list(self.winners),
            "how": self.how,
            "from": self.source,
            "card": TEXTS[self.tile] if self.tile >= 0 else "",
            "points": list(self.points),
            "score": max([win.points for _, win in self.wins], default=0),
            "names": names,
            "wins": [
                {
                    "seat": seat,
                    "points": win.points,
                    "flowers": win.flowers,
                    "names": dict(win.names),
                    "bound": list(bound),
                }
                for (seat, win), bound in zip(self.wins, self.bound, strict=True)
            ],
            "melds": [list(win.sets) for _, win in self.wins],
            "times": self.times,
        }

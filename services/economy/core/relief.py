"""Who may sit down today, and who gets relief (救济): limits of a day as pure decisions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from services.chassis.errors import Refusal

PER_DAY_MAX: Final = 100
"""Claims of relief a day that settings can allow."""


@dataclass(frozen=True, slots=True)
class DayCaps:
    """What a player may win and lose in a day before he takes no new seat; 0 = no limit."""

    win: int = 0
    loss: int = 0

    @property
    def is_set(self) -> bool:
        """Whether there is any limit."""
        return bool(self.win or self.loss)

    def refusal(self, net: int) -> Refusal | None:
        """Return why somebody who has won (or, below 0, lost) so much today may take no new seat.

        >>> DayCaps(win=100, loss=50).refusal(99) is None
        True
        >>> DayCaps(win=100, loss=50).refusal(-50).reason
        'DAILY_LOSS_CAP'
        """
        if self.win and net >= self.win:
            return Refusal("DAILY_WIN_CAP", cap=self.win)
        if self.loss and -net >= self.loss:
            return Refusal("DAILY_LOSS_CAP", cap=self.loss)
        return None


NO_CAPS: Final = DayCaps()


@dataclass(frozen=True, slots=True)
class ReliefTerms:
    """What relief the house gives."""

    gold: int = 0
    """A claim brings so much; 0 = there is none."""
    below: int = 0
    """For who has less than this in wallet and stakes; 0 = there is none."""
    per_day: int = 0
    """Claims a day; 0 = there is none."""

    @property
    def exists(self) -> bool:
        """Whether there is relief at all."""
        return bool(self.gold and self.below and self.per_day)

    def refusal(self, held: int, claimed: int) -> Refusal | None:
        """Return why somebody who holds so much gold, and has claimed so often today, gets none now."""
        if not self.exists or held >= self.below:
            return Refusal("RELIEF_NOT_NEEDED", below=self.below if self.exists else 0, gold=held)
        if claimed >= self.per_day:
            return Refusal("RELIEF_USED_UP", per_day=self.per_day)
        return None

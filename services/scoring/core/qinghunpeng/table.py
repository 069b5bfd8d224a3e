"""What lies where in a round: deal, wall, flowers, hands, melds (rules §1)."""

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from services.scoring.core.qinghunpeng.melds import Meld
from services.scoring.core.qinghunpeng.rules import Options
from services.scoring.core.qinghunpeng.tiles import FLOWERS, HAND_TILES, KINDS, SEATS, is_flower
from services.scoring.core.qinghunpeng.worth import Moment, Win, best_win, eight_flowers

_AFTER: Final = tuple(tuple((seat + step) % SEATS for step in range(1, SEATS)) for seat in range(SEATS))
_BLOCKS: Final = (4, 4, 4, 1)
"""Tiles that each seat takes at a time."""


@dataclass(frozen=True, slots=True)
class Ending:
    """How a round ended."""

    how: str
    """`zimo`, `gangkai`, `discard`, `qianggang`, `bahua` or `huangzhuang`."""
    wins: dict[int, Win]
    """By seat, ascending; empty after 荒庄."""
    giver: int = -1
    """Whose tile it was: the discarder or konger, or the winner himself."""
    tile: int = -1
    """The won tile."""


class Over(Exception):
    """The round has ended, in the midst of whatever was done."""

    def __init__(self, ending: Ending) -> None:
        super().__init__(ending.how)
        self.ending = ending


@dataclass(slots=True)
class Seat:
    """What one seat holds and has done."""

    hand: list[int] = field(default_factory=lambda: [0] * KINDS)
    """Concealed tiles by kind, without flowers."""
    kept: list[int] = field(default_factory=list)
    """Flowers not yet exposed."""
    flowers: list[int] = field(default_factory=list)
    """Exposed flowers, in that order."""
    melds: list[Meld] = field(default_factory=list)
    discards: int = 0
    """How many tiles it has discarded."""
    has_begun: bool = False
    """Its flowers of the deal are replaced."""
    barred: set[int] = field(default_factory=set)
    """过水: kinds it may not win from others."""
    joined: int = -1
    """The tile that joined its hand last."""

    def take(self, tile: int) -> None:
        """Put a tile into the hand, or among the flowers that are to be exposed."""
        if is_flower(tile):
            self.kept.append(tile)
        else:
            self.hand[tile] += 1
            self.joined = tile

    def give(self, tile: int, copies: int = 1) -> None:
        """Take tiles out of the hand."""
        self.hand[tile] -= copies
        assert self.hand[tile] >= 0


@dataclass(slots=True)
class Table:
    """A round in progress."""

    options: Options
    dealer: int
    wall: deque[int]
    seats: list[Seat] = field(default_factory=lambda: [Seat() for _ in range(SEATS)])
    times: int = 1
    """2 in a round that 荒番 doubles."""
    was_claimed: bool = False
    """There has been a chow, a pong or a kong."""

    @property
    def free(self) -> int:
        """How many tiles can still be drawn."""
        return len(self.wall) - self.options.dead_wall

    def after(self, seat: int) -> tuple[int, ...]:
        """Return the other seats, the next in turn first."""
        return _AFTER[seat]

    def draw(self, number: int, *, from_tail: bool) -> bool:
        """Draw a tile, expose and replace flowers; return whether the tile was a flower.

        Raises:
            Over: Nothing can be drawn, or the eighth flower wins.
        """
        self._draw_one(number, from_tail=from_tail)
        was_flower = bool(self.seats[number].kept)
        self.replace(number)
        return was_flower

    def begin(self, number: int) -> None:
        """Replace the flowers that the deal gave a seat, if that has not been done.

        Raises:
            Over: As `draw`.
        """
        if not self.seats[number].has_begun:
            self.seats[number].has_begun = True
            self.replace(number)

    def replace(self, number: int) -> None:
        """Expose a seat's flowers, the lowest first, each replaced from the tail before the next.

        Raises:
            Over: As `draw`.
        """
        seat = self.seats[number]
        while seat.kept:
            lowest = min(seat.kept)
            seat.kept.remove(lowest)
            seat.flowers.append(lowest)
            if len(seat.flowers) == FLOWERS and self._flowers_win(seat):
                win = eight_flowers(self.options, self.times)
                raise Over(Ending("bahua", {number: win}, number, lowest))
            self._draw_one(number, from_tail=True)

    def _flowers_win(self, seat: Seat) -> bool:
        when = self.options.bahua
        return when == "anytime" or (when == "opening" and not seat.discards)

    def _draw_one(self, number: int, *, from_tail: bool) -> None:
        if self.free <= 0:
            raise Over(Ending("huangzhuang", {}))
        seat = self.seats[number]
        seat.barred.clear()
        seat.take(self.wall.pop() if from_tail else self.wall.popleft())

    def drawn_win(self, number: int, moment: Moment) -> Win | None:
        """Return what a seat's hand is worth with the tile that joined it last, or None."""
        seat = self.seats[number]
        return best_win(self.options, seat.hand, seat.melds, seat.joined, len(seat.flowers), moment)

    def given_win(self, number: int, tile: int, moment: Moment) -> Win | None:
        """Return what a seat's hand is worth with another's tile, or None."""
        seat = self.seats[number]
        if tile in seat.barred:
            return None
        seat.hand[tile] += 1
        win = best_win(self.options, seat.hand, seat.melds, tile, len(seat.flowers), moment)
        seat.hand[tile] -= 1
        return win

    def bound_to(self, number: int) -> tuple[int, ...]:
        """Return the seats that 承包 binds to one: three melds taken from each other, either way."""
        if not self.options.chengbao:
            return ()
        return tuple(
            other
            for other in range(SEATS)
            if other != number and max(self._taken(number, other), self._taken(other, number)) >= 3
        )

    def _taken(self, number: int, source: int) -> int:
        return sum(meld.source == source for meld in self.seats[number].melds)


def times_of(options: Options, draws_in_row: int) -> int:
    """Return 2 in a round that 荒番 doubles, else 1."""
    return 2 if options.huangfan and draws_in_row > 0 else 1


def dealt(options: Options, dealer: int, draws_in_row: int, tiles: Iterable[int]) -> Table:
    """Return the table after the deal of a shuffled deck; no flower is exposed yet."""
    wall = deque(tiles)
    table = Table(options, dealer, wall, times=times_of(options, draws_in_row))
    order: Sequence[int] = (dealer, *table.after(dealer))
    for block in _BLOCKS:
        for number in order:
            for _ in range(block):
                table.seats[number].take(wall.popleft())
    assert all(sum(seat.hand) + len(seat.kept) == HAND_TILES for seat in table.seats)
    table.seats[dealer].take(wall.popleft())
    return table

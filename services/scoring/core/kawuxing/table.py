"""The bookkeeping of a round of 卡五星: hands, melds, wall, what is known, and how it ends."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from services.scoring.core.kawuxing import names, payment
from services.scoring.core.kawuxing.melds import Meld, waits_of
from services.scoring.core.kawuxing.names import Moment, Win
from services.scoring.core.kawuxing.payment import HORSES, Purse, others
from services.scoring.core.kawuxing.rules import Options
from services.scoring.core.kawuxing.tiles import (
    DECK_TILES,
    HAND_TILES,
    NAMES,
    SEATS,
    Counts,
    counted,
    deck_of,
    kinds_in_play,
)

DIE_BYTES: Final = 252
"""Bytes below it make fair dice: 42 times six."""
BLOCK: Final = 4
BLOCKS: Final = 3


@dataclass(slots=True)
class Reveal:
    """亮倒 of a seat."""

    kou: tuple[int, ...]
    """Kinds of the hidden triplets."""
    waits: tuple[int, ...]


@dataclass(slots=True)
class Seat:
    """One seat's tiles and marks."""

    hand: Counts
    melds: list[Meld] = field(default_factory=list)
    reveal: Reveal | None = None
    has_konged: bool = False
    """A kong of this seat stood (软开口)."""
    passed: set[int] = field(default_factory=set)
    """过水: tiles it did not win since its last draw."""
    passed_fan: int = 0
    """过水: the most 番 it did not take since then."""
    draws: int = 0
    river: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Turn:
    """A seat that has to act."""

    seat: int
    drawn: int | None
    """The tile just drawn; None after a 碰."""
    replaces: bool = False
    """It replaced a kong."""


@dataclass(frozen=True, slots=True)
class Ending:
    """How a round ended."""

    how: str
    """As a tile was won, or `huangzhuang`."""
    from_seat: int = -1
    kind: int | None = None
    wins: tuple[tuple[int, Win], ...] = ()
    """By winner, ascending."""
    bao: tuple[int, ...] = ()
    """Winners to whom 包胡 was paid."""
    turned: tuple[int, ...] = ()
    """The tiles of 买马."""
    waiting: tuple[int, ...] = (0,) * SEATS


@dataclass(slots=True)
class Table:
    """A round in progress."""

    options: Options
    dealer: int
    draws_in_row: int
    purse: Purse
    seats: list[Seat]
    wall: list[int]
    """The next tile first."""
    fourteenth: int = 0
    """What the dealer draws first."""
    last_drawer: int = 0
    is_disturbed: bool = False
    """Something was claimed or konged."""
    discards: int = 0
    ending: Ending | None = None
    dice: tuple[int, ...] = ()

    @property
    def among(self) -> tuple[int, ...]:
        """The kinds in play."""
        return kinds_in_play(self.options.suits)

    def waits(self, seat: int, *, fixed: Sequence[int] = ()) -> tuple[int, ...]:
        """Return what a seat's 13 tiles wait for; `fixed` as in `shapes.waits`."""
        own = self.seats[seat]
        return waits_of(own.hand, own.melds, self.among, fixed=fixed)

    def is_revealed(self, seat: int) -> bool:
        """Say whether a seat has made 亮倒."""
        return self.seats[seat].reveal is not None

    def draw(self, seat: int, *, replaces: bool = False) -> Turn | None:
        """Let a seat draw; None: there is nothing to draw, 黄庄."""
        if not self.wall:
            self._exhausted()
            return None
        from_tail = replaces and self.options.replacement_from_tail
        return self.take(seat, self.wall.pop(-1 if from_tail else 0), replaces=replaces)

    def take(self, seat: int, kind: int, *, replaces: bool = False) -> Turn:
        """Put a drawn tile into a hand."""
        own = self.seats[seat]
        own.hand[kind] += 1
        own.draws += 1
        own.passed, own.passed_fan = set(), 0
        self.last_drawer = seat
        return Turn(seat, kind, replaces)

    def moment(self, seat: int, how: str) -> Moment:
        """Return when a seat would win now."""
        own = self.seats[seat]
        is_self_drawn = how in names.SELF_DRAWN
        untouched = not self.is_disturbed
        if seat == self.dealer:
            first_chance = False
        elif is_self_drawn:
            first_chance = untouched and own.draws == 1
        else:
            first_chance = untouched and self.discards == 1
        return Moment(
            how=how,
            last=not self.wall,
            tianhu=seat == self.dealer and how == "zimo" and untouched and self.discards == 0,
            dihu=first_chance,
        )

    def win_of(self, seat: int, kind: int, how: str, giver: int | None) -> Win | None:
        """Return what a seat wins with a tile that is not among its concealed ones, if it may (rules §4, §6).

        Args:
            seat: Who would win.
            kind: The tile.
            how: One of `names.HOWS`.
            giver: Whose tile it is; None on a self-draw.
        """
        own = self.seats[seat]
        barred = giver is not None and kind in own.passed and self.options.guo_hu == "same_tile"
        win = None
        if not barred:
            win = names.best_win(own.hand, own.melds, kind, self.moment(seat, how), self.options)
        if win is None:
            return None
        if giver is not None and self.options.guo_hu == "higher_fan" and win.fan <= own.passed_fan:
            return None
        return win if self._is_open(seat, win.fan, giver) else None

    def _is_open(self, seat: int, fan: int, giver: int | None) -> bool:
        """Say whether 起胡 is met (rules §6)."""
        rule = self.options.min_fan
        if rule == "none" or (rule == "soft" and self.seats[seat].has_konged):
            return True
        if rule == "pao2" and giver is None:
            return True
        payers = others(seat) if giver is None else (giver,)
        return fan * min(self.purse.factor(seat, payer, is_self_drawn=giver is None) for payer in payers) >= 2

    def pass_by(self, seat: int, win: Win) -> None:
        """Note that a seat did not win what it could have won: 过水 (rules §6)."""
        own = self.seats[seat]
        own.passed.add(win.kind)
        own.passed_fan = max(own.passed_fan, win.fan)

    def feeds(self, seat: int) -> set[int]:
        """Return what a seat may not discard while it holds something else (`ban_feeding`)."""
        if not self.options.ban_feeding:
            return set()
        return self.awaited(seat)

    def awaited(self, seat: int) -> set[int]:
        """Return what other revealed seats wait for."""
        found: set[int] = set()
        for other in others(seat):
            reveal = self.seats[other].reveal
            found.update(reveal.waits if reveal else ())
        return found

    def laid_kong(self, seat: int, how: str, kind: int, from_seat: int) -> None:
        """Let a kong stand and be paid; its tiles have left the hand."""
        own = self.seats[seat]
        own.melds = [meld for meld in own.melds if how != "bu" or meld.kind != kind]
        own.melds.append(Meld(how, kind))
        own.has_konged = True
        self.is_disturbed = True
        if own.reveal is not None:
            own.reveal.waits = self.waits(seat)
            own.reveal.kou = tuple(each for each in own.reveal.kou if each != kind)
        self.purse.pay_kong(seat, how, from_seat)

    def won_self(self, seat: int, win: Win, how: str) -> None:
        """End the round with a self-draw."""
        turned: Sequence[int] = ()
        if self.options.mai_ma_when == "zimo" or self.is_revealed(seat):
            turned = self.wall[: HORSES[self.options.mai_ma]]
        horses = payment.horses_of(self.options, turned, win.kind)
        self.purse.pay_win(seat, win, how=how, giver=seat, horses=horses)
        self.ending = Ending(how, seat, win.kind, ((seat, win),), (), tuple(turned))

    def won_from(self, giver: int, how: str, wins: dict[int, Win], *, forced: bool) -> None:
        """End the round with a tile of another seat.

        Args:
            giver: The discarder or konger.
            how: `discard`, `gangpao` or `qianggang`.
            wins: By winner.
            forced: Every tile that the giver could have discarded was waited for by a revealed seat.
        """
        bao = []
        for seat, win in sorted(wins.items()):
            exempt = self.options.bao_exempt_forced and forced
            if self.options.baohu and self.is_revealed(seat) and not self.is_revealed(giver) and not exempt:
                bao.append(seat)
                self.purse.pay_for_all(seat, win, giver=giver, third_wins=len(wins) > 1)
            else:
                self.purse.pay_win(seat, win, how=how, giver=giver, horses=0)
        kind = next(iter(wins.values())).kind
        self.ending = Ending(how, giver, kind, tuple(sorted(wins.items())), tuple(bao))

    def _exhausted(self) -> None:
        """End the round with 黄庄 (rules §8)."""
        fans = []
        quiet = Moment(how="discard")
        for seat, own in enumerate(self.seats):
            found = [
                names.best_win(own.hand, own.melds, kind, quiet, self.options) for kind in self.waits(seat)
            ]
            fans.append(max((win.fan for win in found if win), default=0))
        self.purse.pay_draw(fans)
        self.ending = Ending("huangzhuang", waiting=tuple(fans))


def dealt(options: Options, dealer: int, draws_in_row: int, places: Sequence[int]) -> Table:
    """Return the table after the deal of a shuffled deck, given as places in its fixed order."""
    deck = deck_of(options.suits)
    return dealt_tiles(options, dealer, draws_in_row, [deck[place] for place in places])


def dealt_tiles(options: Options, dealer: int, draws_in_row: int, tiles: Sequence[int]) -> Table:
    """Return the table after the deal of 84 tiles in the order in which they are played."""
    hands: list[list[int]] = [[], [], []]
    for block in range(BLOCKS * SEATS):
        hands[(dealer + block) % SEATS] += tiles[BLOCK * block : BLOCK * (block + 1)]
    ones = BLOCK * BLOCKS * SEATS
    for step in range(SEATS):
        hands[(dealer + step) % SEATS].append(tiles[ones + step])
    begun = HAND_TILES * SEATS
    dice = dice_of(tiles) if options.shanglou == "dice" else ()
    doubled = len(set(dice)) == 1 or (options.shanglou == "after" and draws_in_row > 0)
    return Table(
        options=options,
        dealer=dealer,
        draws_in_row=draws_in_row,
        purse=Purse(options, options.base * (2 if doubled else 1)),
        seats=[Seat(counted(hand)) for hand in hands],
        wall=list(tiles[begun + 1 : DECK_TILES]),
        fourteenth=tiles[begun],
        dice=dice,
    )


def dice_of(tiles: Sequence[int]) -> tuple[int, ...]:
    """Return the two dice that the tiles as played throw (上楼)."""
    text = "dice " + " ".join(NAMES[kind] for kind in tiles)
    fair = [byte for byte in hashlib.sha256(text.encode()).digest() if byte < DIE_BYTES]
    return tuple(byte % 6 + 1 for byte in fair[:2])


def succession(table: Table) -> tuple[int, int]:
    """Return who deals next, and the draws in a row that then lie behind (rules §1)."""
    ending, options = table.ending, table.options
    assert ending is not None, "the round has ended"
    if not ending.wins:
        stays = options.draw_dealer == "stay"
        return (table.dealer if stays else table.last_drawer), table.draws_in_row + 1
    if len(ending.wins) == 1:
        return ending.wins[0][0], 0
    return ending.from_seat, (table.draws_in_row + 1 if options.shanglou == "after" else 0)

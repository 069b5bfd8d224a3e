"""Scoring's own bookkeeping of a table: hands, melds, marks, and how a round ends."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from services.scoring.core import eating, hands
from services.scoring.core.hands import QUADS, Meld
from services.scoring.core.judge import Win
from services.scoring.core.rules import Options
from services.scoring.core.tiles import KINDS, NAMES, counted

SEATS = 3
DEALER_CARDS = 21
OTHER_CARDS = 20
REST_CARDS = 20
"""Cards a seat holds at rest with at most one quad (rules §3)."""


@dataclass(slots=True)
class Seat:
    """One seat's cards and marks."""

    hand: list[int]
    """Counts of the concealed cards."""
    melds: list[Meld] = field(default_factory=list)
    own_discards: set[int] = field(default_factory=set)
    passed_peng: set[int] = field(default_factory=set)
    passed_chi: set[int] = field(default_factory=set)
    passed_hu: dict[int, int] = field(default_factory=dict)
    """臭胡: card to the 息 that was declined."""
    dead: bool = False
    """Nothing but 坎 was left when a discard was due (rules §9)."""
    filler: int = 0
    """Worked examples only: loose cards that fit nothing."""
    deficit: int = 0
    """Worked examples only: discards owed less."""

    def meld_of(self, card: int, *kinds: str) -> Meld | None:
        """Return the exposed meld of this card of one of the kinds."""
        return next((meld for meld in self.melds if meld.kind in kinds and meld.cards[0] == card), None)

    def held(self) -> int:
        """Return all cards in hand and in melds (rules §3)."""
        return sum(self.hand) + self.filler + sum(len(meld.cards) for meld in self.melds)

    def owes(self, more: int = 0) -> bool:
        """Say whether a discard is due, or would be with some more cards (rules §3)."""
        quads = sum(1 for meld in self.melds if meld.kind in QUADS)
        return self.held() + more - self.deficit > REST_CARDS + max(0, quads - 1)

    def loose(self) -> int:
        """Return how many cards may be discarded."""
        return eating.loose_cards(self.hand) + self.filler

    def laid_xi(self) -> int:
        """Return the 息 on the table."""
        return sum(meld.xi for meld in self.melds)

    def lay(self, kind: str, card: int, *, from_hand: int, instead_of: Meld | None = None) -> None:
        """Lay a meld of like cards down, from the hand and perhaps from another meld."""
        if instead_of is not None:
            self.melds.remove(instead_of)
        self.hand[card] -= from_hand
        self.melds.append(hands.alike(kind, card))

    def may_claim(self, card: int, options: Options, *, chi: bool) -> bool:
        """Say whether the marks let this seat take the card by 吃 (or else 碰) (rules §7)."""
        if self.dead or (options.own_discard_dead and card in self.own_discards):
            return False
        if options.dead_peng_blocks_chi:
            return card not in self.passed_peng and card not in self.passed_chi
        return card not in (self.passed_chi if chi else self.passed_peng)


@dataclass(frozen=True, slots=True)
class Ending:
    """How a round ended."""

    end: str
    """`hu` or `draw`."""
    winner: int | None = None
    how: str = ""
    """`zimo`, `wall`, `liang`, `santi`, `discard`."""
    from_seat: int = -1
    card: int | None = None
    win: Win | None = None


@dataclass(slots=True)
class Table:
    """A round in progress."""

    options: Options
    dealer: int
    seats: list[Seat]
    wall: list[int]
    """Cards to be drawn, the next one first."""
    liang: int | None = None
    """The 亮张."""
    last_drawn: bool = False
    """The card now offered is the last of the wall."""
    trace: list[str] = field(default_factory=list)
    """Forced acts and offers, in order (rules §14)."""

    def order_from(self, seat: int) -> list[int]:
        """Return the seats in turn, from this one."""
        return [(seat + step) % SEATS for step in range(SEATS)]

    def note(self, what: str, seat: int) -> None:
        """Write a token of the trace."""
        self.trace.append(f"{what}@{seat}")


def dealt(options: Options, dealer: int, wall: Sequence[int]) -> Table:
    """Return the table after the deal, with the 亮张 in the dealer's hand (docs/record-format.md)."""
    seats = [Seat([0] * KINDS) for _ in range(SEATS)]
    for step in range(SEATS):
        seats[(dealer + step) % SEATS].hand = counted(wall[OTHER_CARDS * step : OTHER_CARDS * (step + 1)])
    liang = wall[OTHER_CARDS * SEATS]
    seats[dealer].hand[liang] += 1
    return Table(options, dealer, seats, list(wall[OTHER_CARDS * SEATS + 1 :]), liang)


def succession(options: Options, dealer: int, draws_in_row: int, winner: int | None) -> tuple[int, int]:
    """Return who deals next, and how many 荒庄 in a row then lie behind (rules §1)."""
    if winner is not None:
        return winner, 0
    if draws_in_row + 1 >= options.huangzhuang_change_after:
        return (dealer + 1) % SEATS, 0
    return dealer, draws_in_row + 1


def discards_of(seat: Seat) -> tuple[str, ...]:
    """Return the discards a seat may make: every loose card (rules §5)."""
    found = [f"discard {NAMES[card]}" for card in range(KINDS) if 1 <= seat.hand[card] <= 2]
    return tuple(found + ["discard filler"] * bool(seat.filler))

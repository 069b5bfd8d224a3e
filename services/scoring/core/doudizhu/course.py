"""The course of a round of 斗地主: who is asked what, in which order (rules §3, §6).

A round is a generator: it yields the open questions, is sent one answer, and returns what was won.
"""

from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from services.scoring.core.doudizhu import plays
from services.scoring.core.doudizhu.cards import (
    BOTTOM_CARDS,
    DEALT_CARDS,
    DECK,
    SEATS,
    Counts,
    counts_of,
)
from services.scoring.core.doudizhu.payment import Won
from services.scoring.core.doudizhu.readings import Reading
from services.scoring.core.doudizhu.rules import Options

BID_MAX: Final = 3
CLASSIC: Final = Options()


@dataclass(frozen=True, slots=True)
class Question:
    """What one seat is asked: words to choose from, and perhaps any play of its hand."""

    words: tuple[str, ...]
    hand: Counts | None = None
    """Not None: any play of it that beats the table answers too."""
    table: Reading | None = None
    options: Options = CLASSIC

    def refusal(self, answer: str) -> str:
        """Return why an answer is illegal, or empty."""
        if answer in self.words:
            return ""
        if self.hand is None or not answer.startswith("play"):
            return f"{answer!r} is not legal; legal are {', '.join(self.compact())}"
        try:
            plays.read_play(answer, self.hand, self.table, self.options)
        except plays.Illegal as why:
            return str(why)
        return ""

    def __contains__(self, answer: object) -> bool:
        return isinstance(answer, str) and not self.refusal(answer)

    def answers(self) -> tuple[str, ...]:
        """Return every legal answer, sorted."""
        if self.hand is None:
            return tuple(sorted(self.words))
        return tuple(sorted((*self.words, *plays.legal(self.hand, self.table, self.options))))

    def __iter__(self) -> Iterator[str]:
        return iter(self.answers())

    def compact(self) -> tuple[str, ...]:
        """Return the question as it is sent: `play*` stands for all plays."""
        can_play = self.hand is not None and plays.legal(self.hand, self.table, self.options)
        return (*sorted(self.words), *(("play*",) if can_play else ()))


Questions = Mapping[int, Question]
"""For each seat that is asked, its question."""
Answer = tuple[int, str]


@dataclass(slots=True)
class Table:
    """A round in progress."""

    options: Options
    first: int
    """The first speaker."""
    hands: list[Counts]
    bottom: Counts
    draws_in_row: int = 0
    landlord: int = -1
    bid: int = 0
    robs: int = 0
    double: list[int] = field(default_factory=lambda: [1] * SEATS)
    plays: list[int] = field(default_factory=lambda: [0] * SEATS)
    bombs: int = 0
    rockets: int = 0

    def from_first(self) -> Sequence[int]:
        """Return the seats in turn from the first speaker."""
        return [(self.first + step) % SEATS for step in range(SEATS)]

    def won_by(self, last: int) -> Won:
        """Return what there is to settle once a seat has gone out."""
        return Won(
            landlord=self.landlord,
            last=last,
            bid=self.bid,
            robs=self.robs,
            bombs=self.bombs,
            rockets=self.rockets,
            plays=tuple(self.plays),
            double=tuple(self.double),
        )


def dealt(options: Options, first: int, draws_in_row: int, places: Sequence[int]) -> Table:
    """Return the table after the deal of a shuffled deck, given as places in its fixed order."""
    wall = "".join(DECK[place] for place in places)
    hands = [counts_of("")] * SEATS
    for step in range(SEATS):
        at = step * DEALT_CARDS
        hands[(first + step) % SEATS] = counts_of(wall[at : at + DEALT_CARDS])
    return Table(options, first, hands, counts_of(wall[-BOTTOM_CARDS:]), draws_in_row)


def whole_round(table: Table) -> Generator[Questions, Answer, Won | None]:
    """Play a dealt round to its end; None: all declined."""
    table.landlord = yield from auction(table)
    if table.landlord < 0:
        return None
    held = table.hands[table.landlord]
    table.hands[table.landlord] = tuple(a + b for a, b in zip(held, table.bottom, strict=True))
    if table.options.double == "on":
        yield from doubling(table)
    return (yield from tricks(table, table.landlord))


def _asked(seat: int, *words: str) -> Generator[Questions, Answer, str]:
    _, answer = yield {seat: Question(words)}
    return answer


def auction(table: Table) -> Generator[Questions, Answer, int]:
    """Find the landlord; -1: all declined, and the cards are dealt anew (rules §3)."""
    landlord = yield from (_robbing if table.options.bid == "qiang" else _bidding)(table)
    limit = table.options.redeal_limit
    if landlord < 0 and limit is not None and table.draws_in_row >= limit:
        landlord, table.bid = table.first, 1
    return landlord


def _bidding(table: Table) -> Generator[Questions, Answer, int]:
    """叫分: each seat in turn says 0 or more than was bid (rules §3)."""
    landlord = -1
    turns = declined = 0
    while table.bid < BID_MAX:
        if table.options.bid_rounds == "once" or not table.bid:
            if turns == SEATS:
                break
        elif declined == SEATS - 1:
            break
        seat = (table.first + turns) % SEATS
        higher = [f"bid {value}" for value in range(table.bid + 1, BID_MAX + 1)]
        answer = yield from _asked(seat, "bid 0", *higher)
        turns += 1
        declined += 1
        value = int(answer.removeprefix("bid "))
        if value:
            landlord, table.bid, declined = seat, value, 0
    return landlord


def _robbing(table: Table) -> Generator[Questions, Answer, int]:
    """叫/抢: whoever calls or robs last has it (rules §3)."""
    order = table.from_first()
    declined = 0
    while (yield from _asked(order[declined], "call", "no_call")) == "no_call":
        declined += 1
        if declined == SEATS:
            return -1
    landlord = caller = order[declined]
    table.bid = 1
    # Those behind the caller were not asked yet; those before have declined. A robbed caller comes again.
    for seat in (*order[declined + 1 :], caller):
        if seat == caller and not table.robs:
            break
        if (yield from _asked(seat, "no_rob", "rob")) == "rob":
            landlord = seat
            table.robs += 1
    return landlord


def doubling(table: Table) -> Generator[Questions, Answer, None]:
    """加倍: all three at the same time, once each (rules §6)."""
    open_seats = list(range(SEATS))
    while open_seats:
        seat, answer = yield {seat: Question(("double 1", "double 2")) for seat in open_seats}
        open_seats.remove(seat)
        table.double[seat] = int(answer.removeprefix("double "))


def tricks(table: Table, leader: int) -> Generator[Questions, Answer, Won]:
    """Play tricks until a hand is empty; the seat given leads the first."""
    seat, shown, passes = leader, None, 0
    reading: Reading | None
    while True:
        words = () if shown is None else ("pass",)
        _, answer = yield {seat: Question(words, table.hands[seat], shown, table.options)}
        if answer == "pass":
            passes += 1
            if passes == SEATS - 1:
                shown = None
        else:
            cards, reading = plays.read_play(answer, table.hands[seat], shown, table.options)
            table.hands[seat] = tuple(
                held - gone for held, gone in zip(table.hands[seat], cards, strict=True)
            )
            table.plays[seat] += 1
            table.bombs += reading.type == "bomb"
            table.rockets += reading.type == "rocket"
            if not any(table.hands[seat]):
                return table.won_by(seat)
            shown, passes = reading, 0
        seat = (seat + 1) % SEATS

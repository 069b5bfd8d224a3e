"""Everything true about one round of 跑胡子, and the small steps that keep it consistent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, TypeVar

from engine.face import Action
from engine.paohuzi.actions import DISCARD
from engine.paohuzi.cards import CARD_TEXTS, KINDS, distinct, hand_cards, loose_of
from engine.paohuzi.events import Event
from engine.paohuzi.hu import QUAD_KINDS, Laid
from engine.paohuzi.rules import RuleSet
from engine.paohuzi.scoring import Outcome

STOP: Final = -1
"""Instead of a seat: nobody draws next, because a question is open or the round is over."""

SEATS: Final = 3

DRAWN: Final = "draw"
DISCARDED: Final = "discard"
LIANG: Final = "liang"
MADE: Final = "made"
"""How the card of an open question came; ``made`` is the own 偎 or 提."""


S = TypeVar("S", bound="State")


class State:
    """The data of a round. ``Position`` adds the turn machine."""

    __slots__ = (
        "answers",
        "asked",
        "at",
        "chi_dead",
        "chi_seats",
        "chouweis",
        "dead",
        "dealer",
        "deficit",
        "ended",
        "events",
        "filler",
        "hands",
        "held",
        "hu_totals",
        "last",
        "melds",
        "open_card",
        "open_kind",
        "open_seat",
        "opening",
        "opening_tis",
        "own_dead",
        "pao_seat",
        "passed_hu",
        "peng_dead",
        "peng_seat",
        "pengs",
        "quads",
        "rivers",
        "rules",
        "shown",
        "table_xi",
        "trace",
        "turn",
        "wall",
        "weis",
    )

    def __init__(self, rules: RuleSet, wall: Sequence[int], dealer: int) -> None:
        self.rules = rules
        self.wall = bytes(wall)
        """The whole shuffled deck, or for a hand-made position what is left of it."""
        self.at = 0
        """Where in the wall the next card is."""
        self.last = False
        """Whether the card drawn last is the last of the wall (海底)."""
        self.dealer = dealer
        self.hands = [0, 0, 0]
        self.held = [0, 0, 0]
        """Cards in hand and in laid melds (Rule 3)."""
        self.melds: list[list[Laid]] = [[], [], []]
        self.quads = [0, 0, 0]
        self.table_xi = [0, 0, 0]
        self.pengs = [0, 0, 0]
        """Masks of the cards of laid 碰; likewise the next two."""
        self.weis = [0, 0, 0]
        self.chouweis = [0, 0, 0]
        self.rivers: list[list[int]] = [[], [], []]
        self.own_dead = [0, 0, 0]
        """Masks of 臭牌 (Rule 7): own discards, passed 碰, passed 吃."""
        self.peng_dead = [0, 0, 0]
        self.chi_dead = [0, 0, 0]
        self.passed_hu: list[dict[int, int]] = [{}, {}, {}]
        """臭胡 (Rule 8): what was declined on a card."""
        self.dead = [False, False, False]
        """死手 (Rule 9)."""
        self.filler = [0, 0, 0]
        """Loose cards of no use, in hand-made positions; such a seat cannot win."""
        self.deficit: tuple[int, ...] = (0, 0, 0)
        """Discards owed less than the count rule says, in hand-made positions."""
        self.shown: tuple[int, int, str] | None = None
        """The last card shown to all, its seat and how it came, until it is settled."""
        self.turn = dealer
        """The seat that drew, discarded or claimed last."""
        self.asked: list[tuple[Action, ...] | None] = [None, None, None]
        self.answers: list[Action | None] = [None, None, None]
        self.open_kind = ""
        self.open_seat = STOP
        self.open_card = -1
        self.hu_totals = [-1, -1, -1]
        """What each seat can win with now, -1 for nothing (by the answers that are open)."""
        self.pao_seat = -1
        self.peng_seat = -1
        self.chi_seats: tuple[int, ...] = ()
        self.ended: Outcome | None = None
        self.events: list[Event] = []
        self.opening: tuple[Event, ...] = ()
        self.opening_tis = [0, 0, 0]
        """How many of a seat's first melds are opening 提."""
        self.trace: list[str] | None = None
        """If a list: the forced acts and the offers reached, as tokens of the worked examples."""

    def copied(self, kind: type[S]) -> S:
        """Return an independent copy, as that kind of state."""
        # Name by name: several times faster than a loop. A test looks that none is missing.
        copy = kind(self.rules, self.wall, self.dealer)
        copy.answers = self.answers[:]
        copy.asked = self.asked[:]
        copy.at = self.at
        copy.chi_dead = self.chi_dead[:]
        copy.chi_seats = self.chi_seats
        copy.chouweis = self.chouweis[:]
        copy.dead = self.dead[:]
        copy.deficit = self.deficit
        copy.ended = self.ended
        copy.events = self.events[:]
        copy.filler = self.filler[:]
        copy.hands = self.hands[:]
        copy.held = self.held[:]
        copy.hu_totals = self.hu_totals[:]
        copy.last = self.last
        copy.open_card = self.open_card
        copy.open_kind = self.open_kind
        copy.open_seat = self.open_seat
        copy.opening = self.opening
        copy.opening_tis = self.opening_tis[:]
        copy.own_dead = self.own_dead[:]
        copy.pao_seat = self.pao_seat
        copy.peng_dead = self.peng_dead[:]
        copy.peng_seat = self.peng_seat
        copy.pengs = self.pengs[:]
        copy.quads = self.quads[:]
        copy.shown = self.shown
        copy.table_xi = self.table_xi[:]
        copy.turn = self.turn
        copy.weis = self.weis[:]
        copy.melds = [meld[:] for meld in self.melds]
        copy.rivers = [river[:] for river in self.rivers]
        copy.passed_hu = [dict(passed) for passed in self.passed_hu]
        return copy

    def tiles(self) -> Mapping[str, int]:
        """Count every card of the round, wherever it lies."""
        counts = [0] * KINDS
        for card in self.wall[self.at :]:
            counts[card] += 1
        for seat in range(SEATS):
            for card in (*hand_cards(self.hands[seat]), *self.rivers[seat]):
                counts[card] += 1
            for meld in self.melds[seat]:
                for card in meld.cards:
                    counts[card] += 1
        if self.shown is not None and self.shown[2] != LIANG:
            counts[self.shown[0]] += 1
        if self.ended is not None and self.ended.winner >= 0 and self.open_kind in (DRAWN, DISCARDED):
            counts[self.ended.card] += 1
        return {CARD_TEXTS[card]: count for card, count in enumerate(counts)}

    def emit(self, kind: str, seat: int, *data: object) -> None:
        """Record an event."""
        self.events.append(Event(kind, seat, data))

    def note(self, token: str) -> None:
        """Record a token of the worked examples, if anybody wants them."""
        if self.trace is not None:
            self.trace.append(token)

    def ask(self, seat: int, actions: tuple[Action, ...]) -> None:
        """Open a question."""
        self.asked[seat] = actions
        self.emit("ask", seat, *actions)

    def lay(self, seat: int, meld: Laid) -> None:
        """Put a new meld on the table; the caller has taken its cards from the hand."""
        self.melds[seat].append(meld)
        self.table_xi[seat] += meld.xi
        bit = 1 << meld.cards[0]
        if meld.kind in QUAD_KINDS:
            self.quads[seat] += 1
        elif meld.kind == "peng":
            self.pengs[seat] |= bit
        elif meld.kind in ("wei", "chouwei"):
            self.weis[seat] |= bit
            if meld.kind == "chouwei":
                self.chouweis[seat] |= bit

    def upgrade(self, seat: int, card: int, meld: Laid) -> int:
        """Replace the laid 碰 or 偎 of a card by a quad; return its place."""
        melds = self.melds[seat]
        at = next(
            at
            for at, laid in enumerate(melds)
            if laid.cards[0] == card and laid.kind in ("peng", "wei", "chouwei")
        )
        self.table_xi[seat] += meld.xi - melds[at].xi
        melds[at] = meld
        self.quads[seat] += 1
        bit = ~(1 << card)
        self.pengs[seat] &= bit
        self.weis[seat] &= bit
        self.chouweis[seat] &= bit
        return at

    def owes(self, seat: int, more: int = 0) -> bool:
        """Return whether the seat must discard (Rule 3), or would with more cards."""
        quads = self.quads[seat]
        return self.held[seat] + more - self.deficit[seat] > (19 + quads if quads else 20)

    def discards(self, seat: int) -> tuple[Action, ...]:
        """Return the discards of all loose cards, sorted."""
        return tuple(sorted([DISCARD[card] for card in distinct(loose_of(self.hands[seat]))]))

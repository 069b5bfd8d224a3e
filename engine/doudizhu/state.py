"""Everything true about one round of 斗地主, and the small steps that keep it consistent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple, TypeVar

from engine.doudizhu.cards import RANKS, count_of
from engine.doudizhu.events import Event
from engine.doudizhu.plays import book_of
from engine.doudizhu.readings import Reading
from engine.doudizhu.rules import RuleSet, wings_of
from engine.doudizhu.scoring import Outcome
from engine.face import Action

BIDDING: Final = "bid"
ROBBING: Final = "rob"
DOUBLING: Final = "double"
PLAYING: Final = "play"
OVER: Final = "over"
"""The phases of a round."""

S = TypeVar("S", bound="State")


class Move(NamedTuple):
    """One turn of the play: cards and how they were read, or a pass."""

    seat: int
    cards: int = 0
    """0 for a pass."""
    reading: Reading | None = None


class State:
    """The data of a round. ``Position`` adds the turn machine."""

    __slots__ = (
        "bid",
        "bids",
        "bombs",
        "book",
        "bottom",
        "caller",
        "doubles",
        "draws_in_row",
        "ended",
        "events",
        "first",
        "hands",
        "history",
        "landlord",
        "last",
        "legal",
        "opening",
        "over",
        "passes",
        "phase",
        "plays",
        "robs",
        "rockets",
        "rules",
        "shown_card",
        "turn",
    )

    def __init__(
        self, rules: RuleSet, hands: Sequence[int], bottom: int, first: int, draws_in_row: int
    ) -> None:
        self.rules = rules
        self.book = book_of(wings_of(rules))
        self.first = first
        """The seat that speaks first."""
        self.draws_in_row = draws_in_row
        """Redeals directly before this round."""
        self.hands = list(hands)
        self.bottom = bottom
        """The three 底牌; they stay here when the landlord has taken them."""
        self.shown_card = -1
        """The first speaker's card that all can see, by option."""
        self.phase = BIDDING
        self.turn = first
        """The seat to act, except while doubling."""
        self.bids: list[tuple[int, str]] = []
        """What was said in the bidding: seat and action."""
        self.bid = 0
        """The highest bid."""
        self.caller = -1
        """The seat that bid highest, called, or robbed last: the landlord to be."""
        self.robs = 0
        self.landlord = -1
        self.doubles = [0, 0, 0]
        """The answers to 加倍 by seat, 0 while there is none."""
        self.over: Reading | None = None
        """What is to be beaten; ``None`` for a lead."""
        self.last = -1
        """The seat that played last."""
        self.passes = 0
        """Passes since then."""
        self.plays = [0, 0, 0]
        """Hands played by seat."""
        self.bombs = 0
        self.rockets = 0
        self.history: list[Move] = []
        self.legal: tuple[Action, ...] | None = None
        """The answers of the seat to act, once somebody wanted to know them."""
        self.ended: Outcome | None = None
        self.events: list[Event] = []
        self.opening: tuple[Event, ...] = ()

    def copied(self, kind: type[S]) -> S:
        """Return an independent copy, as that kind of state."""
        # Name by name: several times faster than a loop. A test looks that none is missing.
        copy = kind(self.rules, self.hands, self.bottom, self.first, self.draws_in_row)
        copy.bid = self.bid
        copy.bids = self.bids[:]
        copy.bombs = self.bombs
        copy.caller = self.caller
        copy.doubles = self.doubles[:]
        copy.ended = self.ended
        copy.events = self.events[:]
        copy.hands = self.hands[:]
        copy.history = self.history[:]
        copy.landlord = self.landlord
        copy.last = self.last
        copy.legal = self.legal
        copy.opening = self.opening
        copy.over = self.over
        copy.passes = self.passes
        copy.phase = self.phase
        copy.plays = self.plays[:]
        copy.robs = self.robs
        copy.rockets = self.rockets
        copy.shown_card = self.shown_card
        copy.turn = self.turn
        return copy

    def tiles(self) -> Mapping[str, int]:
        """Count every card of the round, wherever it lies."""
        cards = self.bottom if self.landlord < 0 else 0
        for hand in self.hands:
            cards += hand
        for move in self.history:
            cards += move.cards
        return {text: count_of(cards, rank) for rank, text in enumerate(RANKS)}

    def emit(self, kind: str, seat: int, *data: object) -> None:
        """Record an event."""
        self.events.append(Event((kind, seat, data)))

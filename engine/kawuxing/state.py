"""Everything true about one round of 卡五星, and the small steps that keep it consistent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from engine.face import Action
from engine.kawuxing.events import Event
from engine.kawuxing.melds import Laid
from engine.kawuxing.outcome import Outcome
from engine.kawuxing.rules import RuleSet
from engine.kawuxing.settle import SEATS, Payment, Table
from engine.mahjong.tiles import FIELD, KINDS, ONE, POW, SHIFT, TILE_TEXTS, hand_tiles

STAKING: Final = "piao"
TURN: Final = "turn"
CLAIM: Final = "claim"
ROBBING: Final = "rob"
OVER: Final = "over"
"""What a round is waiting for: 漂, the seat whose turn it is, claims on a discard, claims on a 补杠."""

DEALT: Final = "deal"
DRAWN: Final = "draw"
KONGED: Final = "kong"
PONGED: Final = "pong"
"""How the seat whose turn it is came to act."""


@dataclass(frozen=True, slots=True)
class Reveal:
    """What a seat did when it revealed (亮倒)."""

    kou: tuple[int, ...]
    """The tiles of its hidden triplets, ascending."""
    waits: int
    """Its waits, as bits."""


S = TypeVar("S", bound="State")


class State:
    """The data of a round. ``Position`` adds the turn machine."""

    __slots__ = (
        "abandoned",
        "after",
        "answers",
        "asked",
        "at",
        "chain",
        "dealer",
        "dice",
        "drawn",
        "end_at",
        "ended",
        "events",
        "forced",
        "hands",
        "hu_seats",
        "konged",
        "last_drawer",
        "melds",
        "opening",
        "passed_fan",
        "passed_tiles",
        "payments",
        "phase",
        "piao",
        "points",
        "quads",
        "reveal_order",
        "revealed",
        "rivers",
        "rules",
        "shown",
        "stake",
        "touched",
        "turn",
        "wall",
    )

    def __init__(self, rules: RuleSet, wall: Sequence[int], dealer: int) -> None:
        self.rules = rules
        self.wall = bytes(wall)
        """The whole shuffled deck, or for a hand-made position what is left of it."""
        self.at = 0
        """Where in the wall the next tile is."""
        self.end_at = len(wall)
        """Where the wall ends; replacements may come from there."""
        self.dealer = dealer
        self.hands = [0, 0, 0]
        self.melds: list[list[Laid]] = [[], [], []]
        self.rivers: list[list[int]] = [[], [], []]
        self.phase = TURN
        self.turn = dealer
        """The seat that drew, claimed or discarded last."""
        self.drawn = -1
        """The tile that seat has just drawn, until it acts."""
        self.after = DEALT
        self.chain = 0
        """Kongs of the running 杠上杠."""
        self.shown: tuple[int, int, str] | None = None
        """The tile on offer, its seat, and ``discard`` or ``bu``."""
        self.revealed: list[Reveal | None] = [None, None, None]
        self.reveal_order: list[int] = []
        self.konged = [False, False, False]
        """Which seats have made a kong that stood."""
        self.abandoned = [0, 0, 0]
        """Tiles of pongs made while holding three, as bits."""
        self.quads = [0, 0, 0]
        """Tiles held four times, as bits."""
        self.passed_tiles = [0, 0, 0]
        """过水: tiles whose 胡 was passed, as bits, and the highest 番 passed."""
        self.passed_fan = [0, 0, 0]
        self.forced = False
        """Whether the discarder held nothing but dangerous tiles."""
        self.touched = False
        """Whether anybody has claimed or konged."""
        self.piao = [-1, -1, -1]
        """漂 by seat, -1 while it is not known."""
        self.stake = rules.base
        """Points of one 番."""
        self.dice: tuple[int, ...] = ()
        """The two dice of 上楼, empty without."""
        self.points = [0, 0, 0]
        self.payments: list[Payment] = []
        self.last_drawer = dealer
        self.asked: list[tuple[Action, ...] | None] = [None, None, None]
        self.answers: list[Action | None] = [None, None, None]
        self.hu_seats: tuple[int, ...] = ()
        """Seats that may win the tile on offer."""
        self.ended: Outcome | None = None
        self.events: list[Event] = []
        self.opening: tuple[Event, ...] = ()

    def copied(self, kind: type[S]) -> S:
        """Return an independent copy, as that kind of state."""
        # Name by name: several times faster than a loop. A test looks that none is missing.
        copy = kind(self.rules, self.wall, self.dealer)
        copy.abandoned = self.abandoned[:]
        copy.after = self.after
        copy.answers = self.answers[:]
        copy.asked = self.asked[:]
        copy.at = self.at
        copy.chain = self.chain
        copy.dice = self.dice
        copy.drawn = self.drawn
        copy.end_at = self.end_at
        copy.ended = self.ended
        copy.events = self.events[:]
        copy.forced = self.forced
        copy.hands = self.hands[:]
        copy.hu_seats = self.hu_seats
        copy.konged = self.konged[:]
        copy.last_drawer = self.last_drawer
        copy.opening = self.opening
        copy.passed_fan = self.passed_fan[:]
        copy.passed_tiles = self.passed_tiles[:]
        copy.payments = self.payments[:]
        copy.phase = self.phase
        copy.piao = self.piao[:]
        copy.points = self.points[:]
        copy.quads = self.quads[:]
        copy.reveal_order = self.reveal_order[:]
        copy.revealed = self.revealed[:]
        copy.shown = self.shown
        copy.stake = self.stake
        copy.touched = self.touched
        copy.turn = self.turn
        copy.melds = [meld[:] for meld in self.melds]
        copy.rivers = [river[:] for river in self.rivers]
        return copy

    def tiles(self) -> Mapping[str, int]:
        """Count every tile of the round, wherever it lies, under the names it has in the deck of 筒条."""
        counts = [0] * KINDS
        for tile in self.wall[self.at : self.end_at]:
            counts[tile] += 1
        for seat in range(SEATS):
            for tile in (*hand_tiles(self.hands[seat]), *self.rivers[seat]):
                counts[tile] += 1
            for meld in self.melds[seat]:
                counts[meld.tile] += meld.size
        if self.shown is not None:
            counts[self.shown[0]] += 1
        suits = self.rules.suits
        deck_suit = {suits[0]: "p", suits[1]: "s", "z": "z"}
        texts = [TILE_TEXTS[tile] for tile in range(KINDS)]
        return {deck_suit[text[0]] + text[1]: counts[tile] for tile, text in enumerate(texts) if counts[tile]}

    def wall_left(self) -> int:
        """Return how many tiles the wall has."""
        return self.end_at - self.at

    def emit(self, kind: str, seat: int, *data: object) -> None:
        """Record an event."""
        self.events.append(Event(kind, seat, data))

    def ask(self, seat: int, actions: tuple[Action, ...]) -> None:
        """Open a question."""
        self.asked[seat] = actions
        self.events.append(Event("ask", seat, actions))

    def withdraw(self) -> None:
        """Close every open question."""
        for seat in range(SEATS):
            if self.asked[seat] is not None:
                self.asked[seat] = None
                self.emit("withdrawn", seat)

    def pay(self, payments: Sequence[Payment]) -> None:
        """Book payments."""
        for payment in payments:
            self.payments.append(payment)
            self.points[payment.payer] -= payment.points
            self.points[payment.payee] += payment.points
            self.emit("pay", payment.payer, payment.payee, payment.points, payment.why)

    def table(self) -> Table:
        """Return what a settlement needs to know."""
        return Table(
            self.stake,
            tuple([reveal is not None for reveal in self.revealed]),
            tuple([max(0, stake) for stake in self.piao]),
        )

    def dangerous(self, seat: int) -> int:
        """Return the tiles that other revealed seats wait for, as bits."""
        mask = 0
        for other, reveal in enumerate(self.revealed):
            if reveal is not None and other != seat:
                mask |= reveal.waits
        return mask

    def take(self, seat: int, tile: int) -> None:
        """Put a tile into a hand."""
        hand = self.hands[seat] + ONE[tile]
        self.hands[seat] = hand
        if (hand >> SHIFT[tile] & FIELD) // POW[tile] % 5 == 4:
            self.quads[seat] |= 1 << tile

    def shown_hand(self, seat: int) -> int:
        """Return the face-up concealed tiles of a revealed seat."""
        reveal = self.revealed[seat]
        assert reveal is not None, "only a revealed hand is shown"
        hand = self.hands[seat] - sum([3 * ONE[tile] for tile in reveal.kou])
        if self.drawn >= 0 and self.turn == seat and self.phase in (TURN, OVER):
            hand -= ONE[self.drawn]
        return hand

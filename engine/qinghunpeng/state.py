"""Everything true about one round of 清混碰, and the small steps that keep it consistent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, TypeVar

from engine.face import Action
from engine.mahjong.flowers import TEXTS
from engine.mahjong.tiles import FIELD, ONE, POW, SHIFT, hand_tiles
from engine.qinghunpeng.events import Event
from engine.qinghunpeng.melds import Laid
from engine.qinghunpeng.outcome import Outcome
from engine.qinghunpeng.rules import RuleSet
from engine.qinghunpeng.settle import SEATS

TURN: Final = "turn"
CLAIM: Final = "claim"
ROBBING: Final = "rob"
OVER: Final = "over"
"""What a round is waiting for: the seat whose turn it is, claims on a discard, claims on a 补杠."""

DEALT: Final = "deal"
DRAWN: Final = "draw"
FLOWERED: Final = "flower"
KONGED: Final = "kong"
CLAIMED: Final = "claim"
"""How the seat whose turn it is came to act; ``flower``: its draw from the head was a flower."""

S = TypeVar("S", bound="State")


class State:
    """The data of a round. ``Position`` adds the turn machine."""

    __slots__ = (
        "after",
        "answers",
        "asked",
        "at",
        "banned",
        "dealer",
        "discarded",
        "drawn",
        "end_at",
        "ended",
        "events",
        "flowers",
        "hands",
        "hu_seats",
        "kept",
        "last_at",
        "melds",
        "opening",
        "passed",
        "phase",
        "quads",
        "rivers",
        "rules",
        "shown",
        "times",
        "touched",
        "turn",
        "wall",
    )

    def __init__(self, rules: RuleSet, wall: Sequence[int], dealer: int) -> None:
        self.rules = rules
        self.wall = tuple(wall)
        """The wall with what was dealt from it; flowers are 34 and more."""
        self.at = 0
        """Where the next tile is drawn."""
        self.end_at = len(self.wall)
        """Where the wall ends; replacements shorten it."""
        self.last_at = rules.dead_wall
        """How many tiles are left when no more may be drawn."""
        self.dealer = dealer
        self.hands = [0, 0, 0, 0]
        self.kept: list[tuple[int, ...]] = [(), (), (), ()]
        """Flowers in the hands, not yet replaced, ascending."""
        self.flowers: list[list[int]] = [[], [], [], []]
        """Exposed flowers."""
        self.melds: list[list[Laid]] = [[], [], [], []]
        self.rivers: list[list[int]] = [[], [], [], []]
        self.discarded = [0, 0, 0, 0]
        """How often each seat has discarded."""
        self.phase = TURN
        self.turn = dealer
        """The seat that drew, claimed or discarded last."""
        self.drawn = -1
        """The tile that seat has just drawn, until it acts."""
        self.after = DEALT
        self.banned = -1
        """The tile that may not be discarded after its claim (食替)."""
        self.shown: tuple[int, int, str] | None = None
        """The tile on offer, its seat, and ``discard`` or ``bu``."""
        self.quads = [0, 0, 0, 0]
        """Tiles held four times, as bits."""
        self.passed = [0, 0, 0, 0]
        """过水: tiles whose 胡 was passed, as bits."""
        self.touched = False
        """Whether anybody has claimed or konged."""
        self.times = 1
        """What 荒番 multiplies by."""
        self.asked: list[tuple[Action, ...] | None] = [None, None, None, None]
        self.answers: list[Action | None] = [None, None, None, None]
        self.hu_seats: tuple[int, ...] = ()
        """Seats that may win the tile on offer, the nearest to its giver first."""
        self.ended: Outcome | None = None
        self.events: list[Event] = []
        self.opening: tuple[Event, ...] = ()

    def copied(self, kind: type[S]) -> S:
        """Return an independent copy, as that kind of state."""
        # Name by name: several times faster than a loop. A test looks that none is missing.
        copy = kind(self.rules, self.wall, self.dealer)
        copy.after = self.after
        copy.answers = self.answers[:]
        copy.asked = self.asked[:]
        copy.at = self.at
        copy.banned = self.banned
        copy.discarded = self.discarded[:]
        copy.drawn = self.drawn
        copy.end_at = self.end_at
        copy.ended = self.ended
        copy.events = self.events[:]
        copy.flowers = [flowers[:] for flowers in self.flowers]
        copy.hands = self.hands[:]
        copy.hu_seats = self.hu_seats
        copy.kept = self.kept[:]
        copy.last_at = self.last_at
        copy.melds = [melds[:] for melds in self.melds]
        copy.opening = self.opening
        copy.passed = self.passed[:]
        copy.phase = self.phase
        copy.quads = self.quads[:]
        copy.rivers = [river[:] for river in self.rivers]
        copy.shown = self.shown
        copy.times = self.times
        copy.touched = self.touched
        copy.turn = self.turn
        return copy

    def tiles(self) -> Mapping[str, int]:
        """Count every tile of the round, wherever it lies."""
        counts: dict[int, int] = dict.fromkeys(range(len(TEXTS)), 0)
        for tile in self.wall[self.at : self.end_at]:
            counts[tile] += 1
        for seat in range(SEATS):
            own = (hand_tiles(self.hands[seat]), self.kept[seat], self.flowers[seat], self.rivers[seat])
            for tiles in own:
                for tile in tiles:
                    counts[tile] += 1
            for meld in self.melds[seat]:
                for tile in meld.tiles:
                    counts[tile] += 1
        if self.shown is not None:
            counts[self.shown[0]] += 1
        return {TEXTS[tile]: count for tile, count in counts.items() if count}

    def wall_left(self) -> int:
        """Return how many tiles the wall has."""
        return self.end_at - self.at

    def is_free(self) -> bool:
        """Return whether a tile may still be drawn."""
        return self.end_at - self.at > self.last_at

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

    def bar(self, seat: int, tile: int) -> None:
        """Write that a seat has passed a win on a tile (过水), if the rules know that."""
        if self.rules.guo_hu == "same_tile":
            self.passed[seat] |= 1 << tile
            self.emit("mark", seat, tile)

    def take(self, seat: int, tile: int) -> None:
        """Put a tile into a hand."""
        hand = self.hands[seat] + ONE[tile]
        self.hands[seat] = hand
        if (hand >> SHIFT[tile] & FIELD) // POW[tile] % 5 == 4:
            self.quads[seat] |= 1 << tile

"""The turn machine of 斗地主: the play (Rules 2, 4 and 6). The bidding before it is in ``bidding.py``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from engine.doudizhu import bidding
from engine.doudizhu.actions import DOUBLES, split_play
from engine.doudizhu.cards import RANKS, holds, make_cards
from engine.doudizhu.events import Event, cards_word
from engine.doudizhu.readings import BOMB, ROCKETS, Reading
from engine.doudizhu.rules import RuleSet
from engine.doudizhu.scoring import DRAW, SEATS, Outcome, settle
from engine.doudizhu.state import DOUBLING, OVER, PLAYING, Move, State
from engine.doudizhu.tables import PASS
from engine.doudizhu.view import View, view_of
from engine.errors import BadNotation, IllegalAction, NotAsked, RoundOver
from engine.face import Action

HAND: Final = 17
"""Cards dealt to each seat; the three after them are the 底牌 (Rule 1)."""


class Position(State):
    """A round in progress. Made by ``Doudizhu.deal`` or, for puzzles and examples, by ``setup``."""

    __slots__ = ()

    def to_act(self) -> tuple[int, ...]:
        """Return the seats with an open question, ascending."""
        if self.phase == PLAYING:
            return _ALONE[self.turn]
        if self.phase == DOUBLING:
            return tuple([seat for seat in range(SEATS) if not self.doubles[seat]])
        return () if self.phase == OVER else _ALONE[self.turn]

    def legal_actions(self, seat: int) -> tuple[Action, ...]:
        """Return the legal answers of a seat, sorted by text; empty if it is not asked."""
        phase = self.phase
        if phase == DOUBLING:
            return DOUBLES if seat in (0, 1, 2) and not self.doubles[seat] else ()
        if seat != self.turn or phase == OVER:
            return ()
        legal = self.legal
        if legal is None:
            legal = self.legal = plays_of(self, seat) if phase == PLAYING else bidding.answers(self)
        return legal

    def apply(self, seat: int, action: Action) -> tuple[Event, ...]:
        """Play one answer and return what followed.

        Raises:
            RoundOver: The round has ended.
            NotAsked: The seat has no open question, or is no seat.
            IllegalAction: The action is none of its answers.
        """
        if self.phase != PLAYING:
            self._answer(seat, action)
            return tuple(self.events)
        self.advance(seat, action)
        _, cards, reading = self.history[-1]
        if not cards:
            answered, said = _PASSED[seat]
        else:
            answered = Event(("answer", seat, (action,)))
            said = Event(("play", seat, (cards, reading)))
        if self.phase == OVER:
            return answered, said, *self.events
        turn = self.turn
        return answered, said, Event(("ask", turn, (self.rules, self.hands[turn], self.over)))

    def advance(self, seat: int, action: Action) -> None:
        """Play one answer as ``apply`` does, without telling what followed: for searches and playouts.

        Raises:
            RoundOver, NotAsked, IllegalAction: As ``apply`` does.
        """
        if self.phase != PLAYING:
            self._answer(seat, action)
            return
        if seat != self.turn:
            raise NotAsked(seat)
        if action == PASS:
            if self.over is None:
                raise IllegalAction(seat, action)
            self.history.append(_PASS_MOVES[seat])
            if self.passes:
                self.over = None
                self.passes = 0
            else:
                self.passes = 1
        else:
            cards, reading = self._reading_of(seat, action)
            self.history.append(Move(seat, cards, reading))
            left = self.hands[seat] = self.hands[seat] - cards
            self.plays[seat] += 1
            self.over = reading
            self.last = seat
            self.passes = 0
            if reading.type == BOMB:
                self.bombs += 1
            elif reading.type == ROCKETS:
                self.rockets += 1
            if not left:
                self.events = []
                self._win(seat)
                return
        self.turn = _NEXT[seat]
        self.legal = None

    def opening_events(self) -> tuple[Event, ...]:
        """Return what had happened when the round was dealt."""
        return self.opening

    def outcome(self) -> Outcome | None:
        """Return how the round ended, or ``None``."""
        return self.ended

    def clone(self) -> Position:
        """Return an independent copy."""
        return self.copied(Position)

    def view(self, seat: int | None) -> View:
        """Return what a seat may know; ``None`` for what everybody may know."""
        return view_of(self, seat, self.legal_actions(seat) if seat is not None else ())

    def _answer(self, seat: int, action: Action) -> None:
        """Take an answer before the play; what follows is in ``events``."""
        if self.phase == OVER:
            raise RoundOver
        if seat not in self.to_act():
            raise NotAsked(seat)
        if action not in self.legal_actions(seat):
            raise IllegalAction(seat, action)
        self.events = [Event(("answer", seat, (action,)))]
        self.legal = None
        bidding.take(self, seat, action)

    def _reading_of(self, seat: int, action: Action) -> tuple[int, Reading]:
        """Return the cards of a play and how they are read.

        Raises:
            IllegalAction: The text is no play in canonical form, the hand lacks a card, or the cards cannot
                be played now.
        """
        try:
            cards, kind = _PARSED[action]
        except (KeyError, TypeError):
            cards, kind = _parse(seat, action)
        if holds(self.hands[seat], cards):
            reading = self.book.is_play(cards, kind, self.over)
            if reading is not None:
                return cards, reading
        raise IllegalAction(seat, action)

    def lead(self, seat: int) -> None:
        """Begin the play with the lead of a seat."""
        self.phase = PLAYING
        self.turn = seat
        self.legal = None
        self.emit("ask", seat, self.rules, self.hands[seat], self.over)

    def _win(self, seat: int) -> None:
        self.end(
            settle(
                self.rules,
                landlord=self.landlord,
                winner=seat,
                bid=self.bid,
                plays=self.plays,
                robs=self.robs,
                bombs=self.bombs,
                rockets=self.rockets,
                double=[max(1, double) for double in self.doubles],
            )
        )

    def end(self, outcome: Outcome) -> None:
        """End the round and show every hand."""
        self.ended = outcome
        self.phase = OVER
        self.legal = None
        if outcome.end == DRAW:
            self.emit("bottom", self.first, cards_word(self.bottom))
        for seat in range(SEATS):
            self.emit("show", seat, cards_word(self.hands[seat]))
        self.emit("end", outcome.last, outcome.end, *outcome.points)


_ALONE: Final = ((0,), (1,), (2,))
_NEXT: Final = (1, 2, 0)
_PASSED: Final = tuple(
    [(Event(("answer", seat, (PASS,))), Event(("pass", seat, ()))) for seat in range(SEATS)]
)
_PASS_MOVES: Final = tuple([Move(seat) for seat in range(SEATS)])
"""Half of all actions are passes, and every pass of a seat is the same."""

_PARSED: Final[dict[str, tuple[int, str]]] = {}
"""The cards and named type of plays that were played before."""

_PARSED_MAX: Final = 32_768


def _parse(seat: int, action: object) -> tuple[int, str]:
    if not isinstance(action, str):
        raise IllegalAction(seat, action)
    try:
        cards, kind = split_play(action)
    except BadNotation:
        raise IllegalAction(seat, action) from None
    if action.split(" ")[1] != cards_word(cards):
        raise IllegalAction(seat, action)
    if len(_PARSED) >= _PARSED_MAX:
        _PARSED.clear()
    _PARSED[action] = (cards, kind)
    return cards, kind


def plays_of(state: State, seat: int) -> tuple[Action, ...]:
    """Return the plays of a seat and, unless it leads, pass; sorted by text."""
    if state.over is None:
        plays = state.book.leads(state.hands[seat])
        plays.sort()
        return tuple(plays)
    return state.book.answers(state.hands[seat], state.over)


def deal_position(rules: RuleSet, wall: Sequence[int], first: int, draws_in_row: int) -> Position:
    """Return the round dealt from a shuffled deck, at its first question."""
    hands = [0, 0, 0]
    for turn in range(SEATS):
        hands[(first + turn) % 3] = make_cards(wall[HAND * turn : HAND * turn + HAND])
    position = Position(rules, hands, make_cards(wall[SEATS * HAND :]), first, draws_in_row)
    position.emit("deal", first, rules, tuple(hands))
    if rules.face_up:
        position.shown_card = wall[0]
        position.emit("face_up", first, RANKS[wall[0]])
    bidding.begin(position)
    position.opening = tuple(position.events)
    return position

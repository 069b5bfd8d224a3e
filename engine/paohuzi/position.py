"""The turn machine of 跑胡子 (Rules 3 to 5 and 9).

The machine runs until it needs an answer. Each step returns the seat that draws next, or STOP when a question
is open or the round is over; ``run`` loops over them, so a row of unclaimed cards needs no recursion. Claims
live in ``claims.py``, the data in ``state.py``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from engine.errors import IllegalAction, NotAsked, RoundOver
from engine.face import Action
from engine.paohuzi import claims
from engine.paohuzi.actions import DISCARDED as DISCARD_CARDS
from engine.paohuzi.actions import HU, HU_OR_PASS, PASS
from engine.paohuzi.cards import (
    CARD_TEXTS,
    ONE,
    distinct,
    hand_cards,
    make_hand,
    quads_of,
)
from engine.paohuzi.events import HIDDEN, Event, cards_word
from engine.paohuzi.hu import Laid
from engine.paohuzi.melds import max_huxi
from engine.paohuzi.rules import RuleSet
from engine.paohuzi.scoring import Outcome, Win, best_hu, is_santi
from engine.paohuzi.state import DISCARDED, DRAWN, LIANG, MADE, SEATS, STOP, State
from engine.paohuzi.view import View, view_of, win_words

WALL_START: Final = 61
"""Where drawing begins in the shuffled deck; the card before it is the 亮张 (docs/record-format.md)."""


class Position(State):
    """A round in progress. Made by ``Paohuzi.deal`` or, for puzzles and examples, by ``setup.set_up``."""

    __slots__ = ()

    def to_act(self) -> tuple[int, ...]:
        """Return the seats with an open question, ascending."""
        asked = self.asked
        return tuple([seat for seat in (0, 1, 2) if asked[seat] is not None])

    def legal_actions(self, seat: int) -> tuple[Action, ...]:
        """Return the legal answers of a seat, sorted by text; empty if it is not asked."""
        return (self.asked[seat] or ()) if seat in (0, 1, 2) else ()

    def apply(self, seat: int, action: Action) -> tuple[Event, ...]:
        """Play one answer and return what followed.

        Raises:
            RoundOver: The round has ended.
            NotAsked: The seat has no open question, or is no seat.
            IllegalAction: The action is none of its answers.
        """
        if self.ended is not None:
            raise RoundOver
        legal = self.asked[seat] if seat in (0, 1, 2) else None
        if legal is None:
            raise NotAsked(seat)
        if action not in legal:
            raise IllegalAction(seat, action)
        self.events = []
        self.asked[seat] = None
        self.events.append(Event("answer", seat, (action,)))
        if self.open_kind in ("", MADE):
            self.run(self._answer_own(seat, action))
        else:
            self.answers[seat] = action
            self.run(claims.walk(self))
        return tuple(self.events)

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
        return view_of(self, seat)

    def run(self, seat: int) -> None:
        """Draw, seat by seat, until a question is open or the round is over."""
        while seat >= 0:
            seat = self._draw(seat)

    def begin(self) -> None:
        """Play the opening (Rule 4) on to a question; the 亮张 is already in the dealer's hand."""
        rules, dealer = self.rules, self.dealer
        order = (dealer, (dealer + 1) % 3, (dealer + 2) % 3)
        if rules.santi_wukan == "auto":
            for seat in order:
                if is_santi(self.hands[seat]):
                    self.note(f"autowin@{seat}")
                    self.win(seat, "santi", -1, -1, best_hu(rules, self.hands[seat], (), -1, "santi"))
                    return
        if rules.liangzhang_hu != "off" and self.open_card >= 0:
            self.run(claims.open_liang(self, order if rules.liangzhang_hu == "all" else order[:1]))
        else:
            self.run(self.after_liang())

    def after_liang(self) -> int:
        """Lay the opening 提 and go on with the dealer (Rule 4.3, 4.4)."""
        for seat in (self.dealer, (self.dealer + 1) % 3, (self.dealer + 2) % 3):
            for card in distinct(quads_of(self.hands[seat])):
                self.opening_tis[seat] += 1
                self.hands[seat] -= 4 * ONE[card]
                self.lay(seat, Laid("ti", (card,) * 4))
                hidden = () if self.rules.opening_ti_show_one else (HIDDEN,)
                self.emit("ti", seat, CARD_TEXTS[card], "hand", *hidden)
                self.note(f"ti!@{seat}:{CARD_TEXTS[card]}")
                self.shown = None
        self.turn = self.dealer
        return self.after(self.dealer)

    def _draw(self, seat: int) -> int:
        """Rule 5, DRAW: a card from the wall, first kept by its drawer if he must."""
        self.note(f"draw@{seat}")
        if self.at >= len(self.wall):
            self._end(Outcome("draw", -1, "", -1, -1, (0, 0, 0), None))
            return STOP
        card = self.wall[self.at]
        self.at += 1
        self.last = self.at == len(self.wall)
        self.turn = seat
        return self.draw_card(seat, card)

    def draw_card(self, seat: int, card: int) -> int:
        """Let a seat have drawn this card; return the seat that draws next, or STOP."""
        count = self.hands[seat] >> (3 * card) & 7
        if count < 2 and not self.weis[seat] >> card & 1:
            self.shown = (card, seat, DRAWN)
            self.emit("draw", seat, CARD_TEXTS[card])
            return claims.open_claim(self, seat, card, DRAWN)
        self.shown = None
        self.held[seat] += 1
        if count == 3:
            self.hands[seat] -= 3 * ONE[card]
            self.lay(seat, Laid("ti", (card,) * 4))
            self.emit("ti", seat, CARD_TEXTS[card], "kan")
            self.note(f"ti!@{seat}")
        elif count == 2:
            kind = "chouwei" if self.peng_dead[seat] >> card & 1 else "wei"
            self.hands[seat] -= 2 * ONE[card]
            self.lay(seat, Laid(kind, (card,) * 3))
            self.emit(kind, seat, CARD_TEXTS[card])
            self.note(f"{kind}!@{seat}")
        else:
            at = self.upgrade(seat, card, Laid("ti", (card,) * 4))
            self.emit("ti", seat, CARD_TEXTS[card], "wei", at)
            self.note(f"ti!@{seat}")
        return self._after_own(seat, card)

    def _after_own(self, seat: int, card: int) -> int:
        """Rule 5, D1: after the own 偎 or 提, 胡 is offered to its maker, together with a due discard."""
        total = -1
        if not self.dead[seat] and not self.filler[seat]:
            xi = max_huxi(self.hands[seat], self.quads[seat], self.held[seat])
            if xi >= 0 and xi + self.table_xi[seat] >= self.rules.min_xi:
                total = claims.offered_total(self, seat, card, MADE)
        if total < 0:
            return self.after(seat)
        self.open_kind, self.open_seat, self.open_card = MADE, seat, card
        self.hu_totals[seat] = total
        self.note(f"hu?@{seat}:{total}")
        discards = self.discards(seat) if self.owes(seat) else ()
        self.ask(seat, tuple(sorted((*discards, HU))) if discards else HU_OR_PASS)
        return STOP

    def after(self, seat: int) -> int:
        """Rule 5, AFTER: a due discard (Rule 3), or the next draw; a hand of 坎 alone dies (Rule 9)."""
        if not self.owes(seat):
            return (seat + 1) % 3
        discards = self.discards(seat)
        if discards or self.filler[seat]:
            self.open_kind = ""
            self.note(f"discard@{seat}")
            self.ask(seat, discards)
            return STOP
        self.dead[seat] = True
        self.emit("dead", seat)
        self.note(f"deadhand@{seat}")
        return (seat + 1) % 3

    def _answer_own(self, seat: int, action: Action) -> int:
        """Take the answer of the only seat that is asked: a due discard, or 胡 on the own 偎 or 提."""
        card = self.open_card
        if action == HU:
            win = best_hu(self.rules, self.hands[seat], self.melds[seat], card, MADE, self.last)
            self.note(f"win@{seat}")
            self.win(seat, "zimo", seat, card, win)
            return STOP
        if self.open_kind == MADE:
            claims.remember_passed_hu(self, seat, card)
            self.open_kind = ""
        if action == PASS:
            return self.after(seat)
        return self.discard_card(seat, DISCARD_CARDS[action])

    def discard_card(self, seat: int, card: int) -> int:
        """Rule 5, DISCARD; return the seat that draws next, or STOP."""
        self.hands[seat] -= ONE[card]
        self.held[seat] -= 1
        self.turn = seat
        return self.show_discard(seat, card)

    def show_discard(self, seat: int, card: int) -> int:
        """Offer a card that has left the hand; return the seat that draws next, or STOP."""
        self.own_dead[seat] |= 1 << card
        self.shown = (card, seat, DISCARDED)
        self.emit("discard", seat, CARD_TEXTS[card])
        return claims.open_claim(self, seat, card, DISCARDED)

    def win(self, seat: int, how: str, source: int, card: int, win: Win | None) -> None:
        """End the round with a win."""
        assert win is not None, "a win was offered that does not score"
        pay = win.points
        points = [-pay, -pay, -pay]
        if how == "discard" and self.rules.discard_hu_pays == "discarder":
            points = [0, 0, 0]
            points[source] = -2 * pay
        points[seat] = 2 * pay
        outcome = Outcome("hu", seat, how, source, card, tuple(points), win)
        self.emit("hu", seat, *win_words(outcome)[1:])
        self._end(outcome)

    def _end(self, outcome: Outcome) -> None:
        self.shown = None
        self.ended = outcome
        for seat in range(SEATS):
            melds = [meld.text for meld in self.melds[seat]]
            self.emit("show", seat, cards_word(hand_cards(self.hands[seat])), *melds)
        self.emit("end", outcome.winner, outcome.end, *outcome.points)


def deal_position(rules: RuleSet, wall: Sequence[int], dealer: int) -> Position:
    """Return the round dealt from a shuffled deck, played on to its first question."""
    position = Position(rules, wall, dealer)
    for turn in range(SEATS):
        position.hands[(dealer + turn) % 3] = make_hand(wall[20 * turn : 20 * turn + 20])
    position.held = [20, 20, 20]
    position.at = WALL_START
    hands = tuple([(hand, 20) for hand in position.hands])
    position.emit("deal", dealer, rules.title, rules.as_json(), hands)
    liang = wall[WALL_START - 1]
    position.hands[dealer] += ONE[liang]
    position.held[dealer] += 1
    position.shown = (liang, dealer, LIANG)
    position.open_card = liang
    position.emit("liang", dealer, CARD_TEXTS[liang])
    position.begin()
    position.opening = tuple(position.events)
    return position

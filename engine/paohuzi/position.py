"""The turn machine of 跑胡子 (Rules 3 to 9): everything true about one round.

The machine runs until it needs an answer. ``_draw`` and ``_after`` return the seat that draws next, or STOP when a
question is open or the round is over; ``_run`` loops over them, so a row of unclaimed cards needs no recursion.
Claims live in ``claims.py``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from engine.errors import IllegalAction, NotAsked, RoundOver
from engine.face import Action
from engine.paohuzi import claims
from engine.paohuzi.actions import DISCARD, DISCARDED, HU, HU_OR_PASS, PASS
from engine.paohuzi.cards import (
    CARD_TEXTS,
    KINDS,
    ONE,
    count_cards,
    distinct,
    hand_cards,
    loose_of,
    make_hand,
    quads_of,
)
from engine.paohuzi.events import HIDDEN, Event, cards_word
from engine.paohuzi.hu import QUAD_KINDS, Laid
from engine.paohuzi.melds import max_huxi
from engine.paohuzi.rules import RuleSet
from engine.paohuzi.scoring import Outcome, Win, best_hu, is_santi
from engine.paohuzi.view import View, ViewMeld

STOP: Final = -1
SEATS: Final = 3
DRAWN: Final = "draw"
DISCARDED_KIND: Final = "discard"
LIANG: Final = "liang"
MADE: Final = "made"
"""How the card of an open question came: ``draw``, ``discard``, ``liang``, or ``made`` (the own 偎 or 提)."""

WALL_START: Final = 61
"""Where drawing begins in the shuffled deck; the card before it is the 亮张 (docs/record-format.md)."""


class Position:
    """A round in progress. Made by ``Paohuzi.deal`` or, for puzzles and examples, by ``setup.set_up``."""

    __slots__ = (
        "rules",
        "wall",
        "at",
        "last",
        "dealer",
        "hands",
        "held",
        "melds",
        "quads",
        "table_xi",
        "pengs",
        "weis",
        "chouweis",
        "rivers",
        "own_dead",
        "peng_dead",
        "chi_dead",
        "passed_hu",
        "dead",
        "filler",
        "shown",
        "turn",
        "asked",
        "answers",
        "open_kind",
        "open_seat",
        "open_card",
        "hu_totals",
        "pao_seat",
        "peng_seat",
        "chi_seats",
        "ended",
        "events",
        "opening",
        "trace",
    )

    def __init__(self, rules: RuleSet, wall: Sequence[int], dealer: int) -> None:
        self.rules = rules
        self.wall = tuple(wall)
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
        self.trace: list[str] | None = None
        """If a list: the forced acts and the offers reached, as tokens of the worked examples."""

    # --- the face -------------------------------------------------------------------------------------------------

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
        copy = Position.__new__(Position)
        for name in _SHARED:
            setattr(copy, name, getattr(self, name))
        for name in _COPIED:
            setattr(copy, name, list(getattr(self, name)))
        copy.melds = [list(melds) for melds in self.melds]
        copy.rivers = [list(river) for river in self.rivers]
        copy.passed_hu = [dict(passed) for passed in self.passed_hu]
        copy.trace = None
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
        if self.ended is not None and self.ended.winner >= 0 and self.open_kind in (DRAWN, DISCARDED_KIND):
            counts[self.ended.card] += 1
        return {CARD_TEXTS[card]: count for card, count in enumerate(counts)}

    def view(self, seat: int | None) -> View:
        """Return what a seat may know; ``None`` for what everybody may know."""
        over = self.ended is not None
        melds = tuple(
            tuple(
                ViewMeld(meld.kind, meld.cards if at == seat or over or meld.kind != "wei" else ())
                for meld in self.melds[at]
            )
            for at in range(SEATS)
        )
        own = seat is not None
        at = seat if seat is not None else 0
        return View(
            rules=self.rules,
            seat=seat,
            dealer=self.dealer,
            hand=self.hands[at] if own else 0,
            counts=tuple([count_cards(hand) for hand in self.hands]),
            melds=melds,
            rivers=tuple([tuple(river) for river in self.rivers]),
            wall_left=len(self.wall) - self.at,
            shown=self.shown,
            turn=self.turn,
            dead=tuple(self.dead),
            own_dead=self.own_dead[at] if own else 0,
            peng_dead=self.peng_dead[at] if own else 0,
            chi_dead=self.chi_dead[at] if own else 0,
            passed_hu=tuple(sorted(self.passed_hu[at].items())) if own else (),
            legal=(self.asked[at] or ()) if own else (),
            hands=tuple(self.hands) if over else None,
            win=_win_words(self.ended),
            end=_end_words(self.ended),
        )

    # --- the machine ----------------------------------------------------------------------------------------------

    def run(self, seat: int) -> None:
        """Draw, seat by seat, until a question is open or the round is over."""
        while seat >= 0:
            seat = self._draw(seat)

    def emit(self, kind: str, seat: int, *data: object) -> None:
        """Record an event."""
        self.events.append(Event(kind, seat, data))

    def note(self, token: str) -> None:
        """Record a token of the worked examples, if anybody wants them."""
        if self.trace is not None:
            self.trace.append(token)

    def begin(self) -> None:
        """Play the opening (Rule 4) of freshly dealt hands, whose 亮张 is in the dealer's hand, on to a question."""
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
        discards = self._discards(seat) if self._owes(seat) else ()
        self.ask(seat, tuple(sorted((*discards, HU))) if discards else HU_OR_PASS)
        return STOP

    def after(self, seat: int) -> int:
        """Rule 5, AFTER: discard exactly when too many cards are held (Rule 3); a hand of 坎 alone dies (Rule 9)."""
        if not self._owes(seat):
            return (seat + 1) % 3
        discards = self._discards(seat)
        if discards or self.filler[seat]:
            self.open_kind = ""
            self.note(f"discard@{seat}")
            self.ask(seat, discards)
            return STOP
        self.dead[seat] = True
        self.emit("dead", seat)
        self.note(f"deadhand@{seat}")
        return (seat + 1) % 3

    def _owes(self, seat: int) -> bool:
        quads = self.quads[seat]
        return self.held[seat] > (19 + quads if quads else 20)

    def _discards(self, seat: int) -> tuple[Action, ...]:
        return tuple(sorted([DISCARD[card] for card in distinct(loose_of(self.hands[seat]))]))

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
        return self.discard_card(seat, DISCARDED[action])

    def discard_card(self, seat: int, card: int) -> int:
        """Rule 5, DISCARD; return the seat that draws next, or STOP."""
        self.hands[seat] -= ONE[card]
        self.held[seat] -= 1
        self.turn = seat
        return self.show_discard(seat, card)

    def show_discard(self, seat: int, card: int) -> int:
        """Offer a card that has left the hand; return the seat that draws next, or STOP."""
        self.own_dead[seat] |= 1 << card
        self.shown = (card, seat, DISCARDED_KIND)
        self.emit("discard", seat, CARD_TEXTS[card])
        return claims.open_claim(self, seat, card, DISCARDED_KIND)

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


_COPIED: Final = (
    "hands",
    "held",
    "quads",
    "table_xi",
    "pengs",
    "weis",
    "chouweis",
    "own_dead",
    "peng_dead",
    "chi_dead",
    "dead",
    "filler",
    "asked",
    "answers",
    "hu_totals",
)
_NESTED: Final = ("melds", "rivers", "passed_hu", "trace")
_SHARED: Final = tuple(name for name in Position.__slots__ if name not in _COPIED and name not in _NESTED)


def _end_words(outcome: Outcome | None) -> tuple[str, ...] | None:
    if outcome is None:
        return None
    return (outcome.end, str(outcome.winner), *[str(points) for points in outcome.points])


def _win_words(outcome: Outcome | None) -> tuple[str, ...] | None:
    if outcome is None or outcome.win is None:
        return None
    return tuple([str(word) for word in win_words(outcome)])


def win_words(outcome: Outcome) -> tuple[object, ...]:
    """Return the words of a ``hu`` event after its seat, seat first."""
    win = outcome.win
    assert win is not None, "only a won round has a win"
    card = CARD_TEXTS[outcome.card] if outcome.card >= 0 else "-"
    return (outcome.winner, outcome.how, outcome.source, card, win.xi, *[meld.text for meld in win.melds])


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

"""A bot that lays its hand out into few plays, counts what is out, helps its partner, and weighs its bombs.

What it cannot see it does not ask about: it is a pure function of its view.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from engine.doudizhu.actions import BIDS, CALL, DOUBLES, NO_CALL, NO_ROB, ROB, split_play
from engine.doudizhu.cards import (
    BIG_JOKER,
    ROCKET,
    SMALL_JOKER,
    TWO,
    WHOLE,
    count_of,
    four_of,
    size_of,
)
from engine.doudizhu.plan import TURN, Group, best_plan, groups_of
from engine.doudizhu.plays import Book, book_of
from engine.doudizhu.readings import (
    BOMB,
    PAIR,
    PLANE_PAIR,
    PLANE_SOLO,
    ROCKETS,
    SOLO,
    TRIO,
    TRIO_CHAIN,
    Reading,
)
from engine.doudizhu.rules import RuleSet, wings_of
from engine.doudizhu.state import PLAYING
from engine.doudizhu.tables import PASS, TEXTS_MAX, Table, text_of
from engine.doudizhu.view import View
from engine.face import Action, Rng

if TYPE_CHECKING:
    from engine.doudizhu.position import Position

BID_FROM: Final = (5, 7, 9)
"""The strength from which a hand bids 1, 2 and 3."""

CALL_FROM: Final = 6
ROB_FROM: Final = 8
DOUBLE_FROM: Final = 10

ACE: Final = 11
HELP_RANK_MAX: Final = 9
"""A partner's play is beaten with a Q at most."""

EACH_CARD: Final = 2
"""How much sooner a lead is made for each further card it gets rid of; found by self-play."""

FEW: Final = 2
SOME: Final = 5
"""Cards an enemy holds when he becomes dangerous."""

STOP_AT_ALL_COST: Final = 40
STOP_AT_SOME_COST: Final = 8


def normal_bot(view: View, rng: Rng) -> Action:
    """Return the answer that leaves the best hand, as far as the view tells."""
    legal = view.legal
    if len(legal) == 1:
        return legal[0]
    if view.phase != PLAYING:
        return say(view.phase, view.hand, legal)
    return Turn.of_view(view).choose()


def normal_policy(position: Position, seat: int, rng: Rng) -> Action:
    """Return what ``normal_bot`` answers, by what the seat can know of a position; no view is made."""
    legal = position.legal_actions(seat)
    if len(legal) == 1:
        return legal[0]
    if position.phase != PLAYING:
        return say(position.phase, position.hands[seat], legal)
    return Turn.of_position(position, seat, legal).choose()


def strength(hand: int) -> int:
    """Return how good a hand is for a landlord: its controls, and how few plays it takes."""
    points = 4 * count_of(hand, BIG_JOKER) + 3 * count_of(hand, SMALL_JOKER) + 2 * count_of(hand, TWO)
    points += count_of(hand, ACE) + 3 * four_of(hand).bit_count() + (hand & ROCKET == ROCKET)
    return points + max(0, 8 - best_plan(hand).turns) - 1


def say(phase: str, hand: int, legal: Sequence[Action]) -> Action:
    """Return an answer in the bidding or to 加倍."""
    points = strength(hand)
    if phase == "double":
        return DOUBLES[points >= DOUBLE_FROM]
    if CALL in legal:
        return CALL if points >= CALL_FROM else NO_CALL
    if ROB in legal:
        return ROB if points >= ROB_FROM else NO_ROB
    wanted = sum(points >= limit for limit in BID_FROM)
    return BIDS[wanted] if BIDS[wanted] in legal else BIDS[0]


class Turn:
    """One decision of the play, by what its seat knows."""

    __slots__ = (
        "book",
        "counts",
        "enemy_cards",
        "hand",
        "landlord",
        "last",
        "legal",
        "next",
        "over",
        "partner",
        "passes",
        "unseen",
    )

    def __init__(
        self,
        rules: RuleSet,
        seat: int,
        hand: int,
        unseen: int,
        counts: Sequence[int],
        landlord: int,
        over: Reading | None,
        last: int,
        passes: int,
        legal: Sequence[Action],
    ) -> None:
        self.hand = hand
        self.unseen = unseen
        """The cards of both others together."""
        self.counts = counts
        self.landlord = landlord
        self.over = over
        self.last = last
        self.passes = passes
        self.legal = legal
        self.book: Book = book_of(wings_of(rules))
        self.partner = -1 if seat == landlord else 3 - seat - landlord
        self.next = (seat + 1) % 3
        self.enemy_cards = min([counts[at] for at in (0, 1, 2) if at not in (seat, self.partner)])

    @classmethod
    def of_view(cls, view: View) -> Turn:
        """Return the decision that a view asks for."""
        seat = view.seat
        assert seat is not None, "a bot has a seat"
        unseen = WHOLE - view.hand - sum([move.cards for move in view.history])
        return cls(
            view.rules,
            seat,
            view.hand,
            unseen,
            view.counts,
            view.landlord,
            view.over,
            view.last,
            view.passes,
            view.legal,
        )

    @classmethod
    def of_position(cls, position: Position, seat: int, legal: Sequence[Action]) -> Turn:
        """Return the decision that a position asks a seat for."""
        hands = position.hands
        return cls(
            position.rules,
            seat,
            hands[seat],
            hands[seat - 1] + hands[seat - 2],
            [size_of(hand) for hand in hands],
            position.landlord,
            position.over,
            position.last,
            position.passes,
            legal,
        )

    def choose(self) -> Action:
        """Return a play or a pass."""
        for action in self.legal:
            if action != PASS and cards_of(action) == self.hand:
                return action
        return self._lead() if self.over is None else self._follow(self.over)

    # Leading

    def _lead(self) -> Action:
        groups = groups_of(self.hand)
        plays = self._with_kickers(groups)
        beatable = [cards for cards in plays if not self._is_safe(cards)]
        safe = [cards for cards in plays if cards not in beatable]
        if len(beatable) <= 1 and safe:
            return text_of(min(safe, key=self._power))
        return self._named(min(plays, key=self._lead_cost))

    def leads(self) -> list[Action]:
        """Return the plays of the best layout, the one that is wanted most first."""
        plays = sorted(self._with_kickers(groups_of(self.hand)), key=self._lead_cost)
        return [text for text in map(text_of, plays) if text in self.legal]

    def _named(self, cards: int) -> Action:
        text = text_of(cards)
        return text if text in self.legal else min(self.legal, key=len)

    def _lead_cost(self, cards: int) -> tuple[int, int]:
        """Return how little one wants to lead with cards: their worth, and what they give away."""
        reading = self.book.readings(cards)[0]
        cost = _worth(reading) - EACH_CARD * (size_of(cards) - 1)
        helps = self.partner == self.next and self.counts[self.partner] <= FEW
        if reading.type in (SOLO, PAIR):
            wanted = 1 if reading.type == SOLO else 2
            if self.partner >= 0 and self.partner == self.next and self.counts[self.partner] == wanted:
                return cost - 50, -size_of(cards)
            if self.enemy_cards == wanted and not helps:
                # An enemy goes out on anything higher: lead something else, or else the highest.
                return 60 - 2 * reading.rank, 0
        return cost, -size_of(cards)

    def _with_kickers(self, groups: list[Group]) -> list[int]:
        """Return the plays of a layout: trios take the weakest singles or pairs along."""
        loose = sorted(
            [group for group in groups if group.reading.type in (SOLO, PAIR)], key=lambda group: group.worth
        )
        plays = []
        bodies = [group for group in groups if group.reading.type in (TRIO, TRIO_CHAIN)]
        bodies.sort(key=lambda group: -group.reading.length)
        rest = [group.cards for group in groups if group.reading.type not in (TRIO, TRIO_CHAIN, SOLO, PAIR)]
        for body in bodies:
            kickers = self._kickers(body, loose)
            for kicker in kickers:
                loose.remove(kicker)
            plays.append(body.cards + sum(kicker.cards for kicker in kickers))
        return [*plays, *rest, *[group.cards for group in loose]]

    def _kickers(self, body: Group, loose: list[Group]) -> list[Group]:
        """Return which loose groups a trio or a chain of trios takes along."""
        wanted = body.reading.length
        best: list[Group] = []
        for kind in (SOLO, PAIR):
            chosen = [group for group in loose if group.reading.type == kind and group.worth < TURN][:wanted]
            if len(chosen) < wanted:
                continue
            cards = body.cards + sum(group.cards for group in chosen)
            if not self.book.readings(cards):
                continue
            if not best or sum(TURN - group.worth for group in chosen) > sum(TURN - g.worth for g in best):
                best = chosen
        return best

    # Following

    def _follow(self, over: Reading) -> Action:
        before = best_plan(self.hand).score
        options = []
        for action in self.legal:
            if action == PASS:
                continue
            cards = cards_of(action)
            after = best_plan(self.hand - cards)
            options.append((after.score - before, -size_of(cards), action, cards))
        if self.last == self.partner:
            return self._over_partner(over, options)
        for _, _, action, cards in sorted(options, reverse=True):
            if self._is_safe(cards) and self._wins_from(self.hand - cards):
                return action
        gain, _, action, cards = max(options, key=lambda option: (option[0], option[1], option[2]))
        allowed = 0
        if self.enemy_cards <= FEW:
            allowed = STOP_AT_ALL_COST
        elif self.enemy_cards <= SOME:
            allowed = STOP_AT_SOME_COST
        if self.counts[self.last] > SOME and best_plan(self.hand).turns > FEW + 1:
            allowed = 0
        if self.enemy_cards == 1 and over.type == SOLO and self._enemy_follows():
            # A single enemy card: only the highest holds it.
            strongest = [option for option in options if _reading(self.book, option[3]).type == SOLO]
            if strongest:
                return max(strongest, key=lambda option: _reading(self.book, option[3]).rank)[2]
        return action if gain + allowed > 0 else PASS

    def _enemy_follows(self) -> bool:
        return self.next != self.partner

    def _over_partner(self, over: Reading, options: Iterable[tuple[int, int, str, int]]) -> Action:
        """Return a play over the partner's: to win, or a cheap one that frees the hand."""
        ordered = sorted(options, reverse=True)
        for _, _, action, cards in ordered:
            if self._is_safe(cards) and self._wins_from(self.hand - cards):
                return action
        if self.counts[self.partner] <= FEW or self.passes:
            return PASS
        for gain, _, action, cards in ordered:
            reading = _reading(self.book, cards, over)
            if reading.type == over.type and reading.rank <= HELP_RANK_MAX and gain > 0:
                return action
        return PASS

    # Counting

    def _is_safe(self, cards: int) -> bool:
        """Return whether nobody can beat cards, whoever holds what is unseen."""
        readings = self.book.readings(cards)
        over = self.over
        reading = readings[0]
        if over is not None:
            reading = next((each for each in readings if each.type == over.type), reading)
        return not self.book.follows(self.unseen, reading)

    def _wins_from(self, hand: int) -> bool:
        """Return whether a hand that leads is out for certain: all its plays but one cannot be beaten."""
        plays = self._with_kickers(groups_of(hand))
        beatable = 0
        for cards in plays:
            readings = self.book.readings(cards)
            beatable += not readings or bool(self.book.follows(self.unseen, readings[0]))
        return beatable <= 1

    def _power(self, cards: int) -> int:
        return _worth(self.book.readings(cards)[0])


_CARDS: Final[Table[str, int]] = Table(lambda action: split_play(action)[0], TEXTS_MAX)
"""The cards of plays met before, by text."""


def cards_of(action: Action) -> int:
    """Return the cards of a play."""
    return _CARDS[action]


def _reading(book: Book, cards: int, over: Reading | None = None) -> Reading:
    readings = book.readings(cards)
    if over is not None:
        return next((reading for reading in readings if reading.type == over.type), readings[0])
    return readings[0]


def _worth(reading: Reading) -> int:
    """Return how strong a play is."""
    if reading.type == ROCKETS:
        return 20
    if reading.type == BOMB:
        return reading.rank + 7
    top = reading.rank + (reading.length - 1 if reading.type not in (PLANE_SOLO, PLANE_PAIR) else 0)
    return top - 7

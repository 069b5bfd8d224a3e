"""A round of 比大小: three cards each, played one by one in turn, the sums are compared.

Cards are `c1` to `c9`, each twice. Events: `deal D preset@version options hand hand`, `play n card`, `show n
hand`, `end winner how points points`; private: `ask n action | …`, `answer n action`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Final

from engine.errors import BadDeal, BadNotation, IllegalAction, NotAsked, RoundOver

from .rules import BOOK, RuleSet

DECK: Final = tuple(f"c{rank}" for rank in range(1, 10) for _ in range(2))
HAND: Final = 3
SEATS: Final = 2


@dataclass(frozen=True, slots=True)
class Event:
    """One fact; hands are hidden from others, questions and answers are their seat's own."""

    words: tuple[str, ...]
    hands: tuple[tuple[str, ...], ...] = ()

    @property
    def pause(self) -> bool:
        """Whether it shows a new card to all."""
        return self.words[0] == "play"

    @property
    def reader(self) -> int | None:
        """The only seat that may read it, if it is private."""
        return int(self.words[1]) if self.words[0] in ("ask", "answer") else None

    def text_for(self, seat: int | None) -> str | None:
        """Return what a seat, or a spectator, may read."""
        if self.words[0] in ("ask", "answer") and self.words[1] != str(seat):
            return None
        shown = ["".join(hand) if at == seat else f"?{len(hand)}" for at, hand in enumerate(self.hands)]
        return " ".join([*self.words, *shown])


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a round ended."""

    points: tuple[int, ...]
    winners: tuple[int, ...]
    sums: tuple[int, ...]

    def result(self) -> dict[str, Any]:
        """Return the Result of a record."""
        end = "win" if self.winners else "draw"
        return {
            "end": end,
            "how": "sum",
            "winners": list(self.winners),
            "points": list(self.points),
            "sums": list(self.sums),
            "names": {},
            "fan": 1,
        }


@dataclass(frozen=True, slots=True)
class View:
    """What a seat knows: the sum of the events it may read."""

    seat: int | None
    rules: RuleSet
    dealer: int
    hand: tuple[str, ...]
    played: tuple[tuple[str, ...], ...]
    legal: tuple[str, ...] = ()
    end: tuple[str, ...] | None = None


class Position:
    """Everything true about a round."""

    __slots__ = ("dealer", "ended", "hands", "opening", "played", "rest", "rules", "turn")

    def __init__(self, rules: RuleSet, wall: Sequence[str], dealer: int) -> None:
        self.rules = rules
        self.dealer = dealer
        self.turn = dealer
        self.hands = [sorted(wall[3 * ((seat - dealer) % SEATS) :][:HAND]) for seat in range(SEATS)]
        self.rest = list(wall[SEATS * HAND :])
        self.played: list[list[str]] = [[], []]
        self.ended: Outcome | None = None
        words = ("deal", str(dealer), rules.title, rules.as_json())
        self.opening = (Event(words, tuple(tuple(hand) for hand in self.hands)), self._ask())

    def to_act(self) -> tuple[int, ...]:
        """Return the seats with an open question."""
        return () if self.ended else (self.turn,)

    def legal_actions(self, seat: int) -> tuple[str, ...]:
        """Return the legal answers of a seat, sorted."""
        return (
            tuple(f"play {card}" for card in sorted(set(self.hands[seat]))) if seat in self.to_act() else ()
        )

    def apply(self, seat: int, action: str) -> tuple[Event, ...]:
        """Play a card and return what followed.

        Raises:
            RoundOver, NotAsked, IllegalAction: Nothing changed.
        """
        if self.ended:
            raise RoundOver
        if seat not in self.to_act():
            raise NotAsked(seat)
        if action not in self.legal_actions(seat):
            raise IllegalAction(seat, action)
        card = action.removeprefix("play ")
        self.hands[seat].remove(card)
        self.played[seat].append(card)
        self.turn = 1 - seat
        events = [Event(("answer", str(seat), action)), Event(("play", str(seat), card))]
        if not any(self.hands):
            self.ended = self._settled()
            winner = self.ended.winners[0] if self.ended.winners else -1
            events.append(Event(("end", str(winner), "sum", *map(str, self.ended.points))))
        else:
            events.append(self._ask())
        return tuple(events)

    def opening_events(self) -> tuple[Event, ...]:
        """Return what had happened when the round was dealt."""
        return self.opening

    def outcome(self) -> Outcome | None:
        """Return how the round ended."""
        return self.ended

    def view(self, seat: int | None) -> View:
        """Return what a seat may know."""
        end = None
        if self.ended:
            winner = self.ended.winners[0] if self.ended.winners else -1
            end = (str(winner), "sum", *map(str, self.ended.points))
        hand = tuple(self.hands[seat]) if seat is not None else ()
        legal = self.legal_actions(seat) if seat is not None else ()
        return View(seat, self.rules, self.dealer, hand, tuple(map(tuple, self.played)), legal, end)

    def clone(self) -> Position:
        """Return an independent copy."""
        copy = Position.__new__(Position)
        for name in ("dealer", "ended", "opening", "rules", "turn"):
            setattr(copy, name, getattr(self, name))
        copy.hands = [hand[:] for hand in self.hands]
        copy.played = [cards[:] for cards in self.played]
        copy.rest = self.rest[:]
        return copy

    def tiles(self) -> Mapping[str, int]:
        """Count every card, wherever it lies."""
        return Counter(chain(self.rest, *self.hands, *self.played))

    def _ask(self) -> Event:
        return Event(("ask", str(self.turn), " | ".join(self.legal_actions(self.turn))))

    def _settled(self) -> Outcome:
        one, two = (sum(int(card[1:]) for card in cards) for cards in self.played)
        if one == two:
            return Outcome((0, 0), (), (one, two))
        winner = int((two > one) != self.rules.low_wins)
        points = [-self.rules.stake, -self.rules.stake]
        points[winner] = self.rules.stake
        return Outcome((points[0], points[1]), (winner,), (one, two))


def deal_position(rules: RuleSet, wall: Sequence[str], dealer: int) -> Position:
    """Return the round dealt from a shuffled deck.

    Raises:
        BadDeal: The wall is not the deck, or there is no such seat.
    """
    if Counter(wall) != Counter(DECK):
        raise BadDeal(f"the wall must be a permutation of the deck of {len(DECK)} cards")
    if dealer not in range(SEATS):
        raise BadDeal(f"the dealer must be seat 0 or 1, not {dealer!r}")
    return Position(rules, wall, dealer)


def fold(texts: Iterable[str]) -> View:
    """Return the view that the event texts of one seat add up to.

    Raises:
        BadNotation: A text is no event.
    """
    view: View | None = None
    for text in texts:
        kind, who, *words = text.split(" ")
        if kind == "deal":
            own = next((at for at, word in enumerate(words[2:]) if word[0] != "?"), None)
            cards = words[2 + own] if own is not None else ""
            hand = tuple(cards[at : at + 2] for at in range(0, len(cards), 2))
            view = View(own, BOOK.recorded(words[0], words[1]), int(who), hand, ((), ()))
        elif view is None:
            raise BadNotation("a round that begins with its deal", text)
        elif kind == "ask":
            view = replace(view, legal=tuple(" ".join(words).split(" | ")))
        elif kind == "answer":
            view = replace(view, legal=())
        elif kind == "play":
            played = list(view.played)
            played[int(who)] += (words[0],)
            hand = view.hand
            if int(who) == view.seat:
                at = hand.index(words[0])
                hand = (*hand[:at], *hand[at + 1 :])
            view = replace(view, played=tuple(played), hand=hand)
        elif kind == "end":
            view = replace(view, end=(who, *words))
        else:
            raise BadNotation("an event", text)
    if view is None:
        raise BadNotation("a round that begins with its deal", "")
    return view

"""What happens in a round, as events that know who may read them (docs/games/doudizhu.md, "Events").

The text is made when it is asked for: a playout that nobody watches pays only for the object.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from engine.doudizhu.actions import ANY_PLAY, PASS
from engine.doudizhu.cards import RANKS, format_cards, size_of
from engine.doudizhu.plays import book_of
from engine.doudizhu.readings import Reading
from engine.doudizhu.rules import RuleSet, wings_of

HIDDEN: Final = "?"
"""Stands for what the reader may not know."""

PAUSING: Final = frozenset({"face_up", "landlord", "play"})
"""Events that show new cards to all."""

PRIVATE: Final = frozenset({"ask", "answer"})
"""Events that only their own seat can see."""


class Event:
    """One fact: what kind, about which seat, and what its kind needs."""

    __slots__ = ("data", "kind", "seat")

    def __init__(self, kind: str, seat: int, data: tuple[object, ...] = ()) -> None:
        self.kind = kind
        """The first word of its text."""
        self.seat = seat
        """The seat it is about."""
        self.data = data
        """What its kind needs; see ``text_for``."""

    @property
    def pause(self) -> bool:
        """Whether it shows new cards to all."""
        return self.kind in PAUSING

    def text_for(self, seat: int | None) -> str | None:
        """Return the text a seat or a spectator (``None``) may read; ``None`` if it is invisible."""
        kind, data = self.kind, self.data
        if kind in PRIVATE and seat != self.seat:
            return None
        if kind == "ask":
            return f"ask {self.seat} " + " | ".join(_question(data))
        if kind == "deal":
            return _deal(self.seat, data, seat)
        if kind == "play":
            cards, reading = data
            assert isinstance(cards, int), "a play is cards and their reading"
            assert isinstance(reading, Reading), "a play is cards and their reading"
            return f"play {self.seat} {format_cards(cards)} {reading_words(reading)}"
        return " ".join([kind, str(self.seat), *[str(word) for word in data]])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Event):
            return NotImplemented
        return (self.kind, self.seat, self.data) == (other.kind, other.seat, other.data)

    def __hash__(self) -> int:
        return hash((self.kind, self.seat, self.data))

    def __repr__(self) -> str:
        return f"<Event {self.text_for(self.seat)!r}>"


def _question(data: Sequence[object]) -> list[str]:
    """Return a question in its compact form; one about a play is given as (rules, hand, what to beat)."""
    if not isinstance(data[0], RuleSet):
        return [str(action) for action in data]
    rules, hand, over = data
    assert isinstance(hand, int), "a question about a play holds the hand"
    if over is None:
        return [ANY_PLAY]
    assert isinstance(over, Reading), "a question about a play holds what is to be beaten"
    return [PASS, ANY_PLAY] if book_of(wings_of(rules)).follows(hand, over) else [PASS]


def _deal(first: int, data: Sequence[object], reader: int | None) -> str:
    rules, hands = data
    assert isinstance(rules, RuleSet), "a deal holds the rules and the hands"
    assert isinstance(hands, tuple), "a deal holds the rules and the hands"
    shown = [
        format_cards(hand) if at == reader else HIDDEN + str(size_of(hand)) for at, hand in enumerate(hands)
    ]
    return f"deal {first} {rules.title} {rules.as_json()} {' '.join(shown)}"


def reading_words(reading: Reading) -> str:
    """Return a reading as words: type, length, rank."""
    return f"{reading.type} {reading.length} {RANKS[reading.rank]}"


def cards_word(cards: int) -> str:
    """Return cards as one word, ``-`` for none."""
    return format_cards(cards) or "-"

"""What happens in a round, as events that know who may read them (docs/games/doudizhu.md, "Events").

The text is made when it is asked for: a playout that nobody watches pays only for the object.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from engine.doudizhu.actions import ANY_PLAY
from engine.doudizhu.cards import RANKS, format_cards, size_of
from engine.doudizhu.plays import book_of
from engine.doudizhu.readings import Reading
from engine.doudizhu.rules import RuleSet, wings_of
from engine.doudizhu.tables import PASS

HIDDEN: Final = "?"
"""Stands for what the reader may not know."""

PAUSING: Final = frozenset({"face_up", "landlord", "play"})
"""Events that show new cards to all."""

PRIVATE: Final = frozenset({"ask", "answer"})
"""Events that only their own seat can see."""


class Event(tuple[str, int, tuple[object, ...]]):
    """One fact: ``Event((kind, seat, data))``, what ``data`` is depends on the kind (see ``text_for``).

    A bare tuple, because a round makes more of these than of anything else.
    """

    __slots__ = ()

    @property
    def kind(self) -> str:
        """The first word of its text."""
        return self[0]

    @property
    def seat(self) -> int:
        """The seat it is about."""
        return self[1]

    @property
    def pause(self) -> bool:
        """Whether it shows new cards to all."""
        return self.kind in PAUSING

    @property
    def reader(self) -> int | None:
        """The only seat that may read it, if it is private."""
        return self[1] if self[0] in PRIVATE else None

    def text_for(self, seat: int | None) -> str | None:
        """Return the text a seat or a spectator (``None``) may read; ``None`` if it is invisible."""
        kind, own, data = self
        if kind in PRIVATE and seat != own:
            return None
        if kind == "ask":
            return f"ask {own} " + " | ".join(_question(data))
        if kind == "deal":
            return _deal(own, data, seat)
        if kind == "play":
            cards, reading = data
            assert isinstance(cards, int), "a play is cards and their reading"
            assert isinstance(reading, Reading), "a play is cards and their reading"
            return f"play {own} {format_cards(cards)} {reading_words(reading)}"
        return " ".join([kind, str(own), *[str(word) for word in data]])

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

"""What happens in a round, as events that know who may read them (docs/notation.md, "Events").

The text is made when it is asked for: a playout that nobody watches pays only for the object.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from engine.paohuzi.cards import CARD_TEXTS, format_cards, hand_cards

HIDDEN: Final = "?"
"""Stands for what the reader may not know."""

PAUSING: Final = frozenset({"liang", "draw", "discard"})
"""Events that show a new card to all."""

PRIVATE: Final = frozenset({"ask", "answer", "withdrawn", "mark"})
"""Events that only their own seat can see."""


class Event:
    """One fact: what kind, about which seat, and the words that follow."""

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
        """Whether it shows a new card to all."""
        return self.kind in PAUSING

    @property
    def reader(self) -> int | None:
        """The only seat that may read it, if it is private."""
        return self.seat if self.kind in PRIVATE else None

    def text_for(self, seat: int | None) -> str | None:
        """Return the text a seat or a spectator (``None``) may read; ``None`` if it is invisible."""
        own = seat == self.seat
        if self.kind in PRIVATE:
            return _private(self.kind, self.seat, self.data) if own else None
        return _public(self.kind, self.seat, self.data, seat)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Event):
            return NotImplemented
        return (self.kind, self.seat, self.data) == (other.kind, other.seat, other.data)

    def __hash__(self) -> int:
        return hash((self.kind, self.seat, self.data))

    def __repr__(self) -> str:
        return f"<Event {self.text_for(self.seat)!r}>"


def _private(kind: str, seat: int, data: tuple[object, ...]) -> str:
    if kind == "ask":
        return f"ask {seat} " + " | ".join([str(action) for action in data])
    return " ".join([kind, str(seat), *[str(word) for word in data]])


def _public(kind: str, seat: int, data: tuple[object, ...], reader: int | None) -> str:
    if kind == "deal":
        title, options, hands = data
        assert isinstance(hands, tuple)
        shown = [
            format_cards(hand_cards(hand)) if at == reader else HIDDEN + str(count)
            for at, (hand, count) in enumerate(hands)
        ]
        return f"deal {seat} {title} {options} {' '.join(shown)}"
    if kind == "wei":
        return f"wei {seat} {data[0] if seat == reader else HIDDEN}"
    if kind == "ti":
        card, how, *rest = data
        if rest and rest[-1] == HIDDEN:
            rest.pop()
            card = card if seat == reader else HIDDEN
        return " ".join(["ti", str(seat), str(card), str(how), *[str(word) for word in rest]])
    return " ".join([kind, str(seat), *[str(word) for word in data]])


def cards_word(cards: Sequence[int]) -> str:
    """Return cards as one word, ``-`` for none."""
    return format_cards(cards) or "-"


def meld_word(kind: str, cards: Sequence[int]) -> str:
    """Return a meld as one word, for example ``wei:s5s5s5``."""
    return f"{kind}:{format_cards(cards)}"


def card_word(card: int) -> str:
    """Return a card as a word, ``-`` for none."""
    return CARD_TEXTS[card] if card >= 0 else "-"

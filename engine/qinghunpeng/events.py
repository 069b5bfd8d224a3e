"""What happens in a round, as events that know who may read them (docs/games/qinghunpeng.md, "Events").

The text is made when it is asked for: a playout that nobody watches pays only for the object.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from engine.mahjong.flowers import TEXTS, join
from engine.mahjong.tiles import hand_tiles
from engine.qinghunpeng.patterns import Win

HIDDEN: Final = "?"
"""Stands for what the reader may not know."""

PAUSING: Final = frozenset({"discard", "bu"})
"""Events that show a tile to all which others may claim."""

PRIVATE: Final = frozenset({"ask", "answer", "withdrawn", "mark"})
"""Events that only their own seat can see."""


class Event:
    """One fact: what kind, about which seat, and what its kind needs."""

    __slots__ = ("data", "kind", "seat")

    def __init__(self, kind: str, seat: int, data: tuple[Any, ...] = ()) -> None:
        self.kind = kind
        """The first word of its text."""
        self.seat = seat
        """The seat it is about."""
        self.data = data
        """What its kind needs; see ``text_for``."""

    @property
    def pause(self) -> bool:
        """Whether it shows a tile to all that others may claim."""
        return self.kind in PAUSING

    @property
    def reader(self) -> int | None:
        """The only seat that may read it, if it is private."""
        return self.seat if self.kind in PRIVATE else None

    def text_for(self, seat: int | None) -> str | None:
        """Return the text a seat or a spectator (``None``) may read; ``None`` if it is invisible."""
        own = seat == self.seat
        if self.kind in PRIVATE and not own:
            return None
        write = _WRITERS.get(self.kind)
        words = self.data if write is None else write(self.data, own, seat)
        return " ".join([self.kind, str(self.seat), *[str(word) for word in words]])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Event):
            return NotImplemented
        return (self.kind, self.seat, self.data) == (other.kind, other.seat, other.data)

    def __hash__(self) -> int:
        return hash((self.kind, self.seat, self.data))

    def __repr__(self) -> str:
        return f"<Event {self.text_for(self.seat)!r}>"


def hand_word(hand: int, flowers: Sequence[int] = ()) -> str:
    """Return the tiles of a hand and the flowers kept with it as one word, ``-`` for none."""
    return join((*hand_tiles(hand), *flowers)) or "-"


def win_words(win: Win) -> tuple[str, ...]:
    """Return a win as words: points, flowers, names, the sets of the reading."""
    names = ",".join([f"{name}={worth}" for name, worth in win.names])
    return (str(win.points), str(win.flowers), names, *win.sets)


def _ask(data: tuple[Any, ...], own: bool, reader: int | None) -> tuple[Any, ...]:
    return (" | ".join([str(action) for action in data]),)


def _open(data: tuple[Any, ...], own: bool, reader: int | None) -> tuple[Any, ...]:
    rules, times = data
    return (rules.title, rules.as_json(), times)


def _deal(data: tuple[Any, ...], own: bool, reader: int | None) -> tuple[Any, ...]:
    return tuple(
        [
            hand_word(hand, flowers) if at == reader else f"{HIDDEN}{len(hand_tiles(hand)) + len(flowers)}"
            for at, (hand, flowers) in enumerate(data)
        ]
    )


def _tile(data: tuple[Any, ...], own: bool, reader: int | None) -> tuple[Any, ...]:
    return (TEXTS[data[0]], *data[1:])


def _hidden(data: tuple[Any, ...], own: bool, reader: int | None) -> tuple[Any, ...]:
    return (TEXTS[data[0]] if own else HIDDEN, *data[1:])


def _chi(data: tuple[Any, ...], own: bool, reader: int | None) -> tuple[Any, ...]:
    low, source, taken = data
    return (TEXTS[low], source, TEXTS[taken])


def _kong(data: tuple[Any, ...], own: bool, reader: int | None) -> tuple[Any, ...]:
    kind, tile, *rest = data
    return (kind, TEXTS[tile], *rest)


def _hu(data: tuple[Any, ...], own: bool, reader: int | None) -> tuple[Any, ...]:
    *words, win = data
    return (*words, *win_words(win))


_WRITERS: Final = {
    "hu": _hu,
    "ask": _ask,
    "open": _open,
    "deal": _deal,
    "draw": _hidden,
    "supply": _hidden,
    "flower": _tile,
    "discard": _tile,
    "river": _tile,
    "peng": _tile,
    "chi": _chi,
    "bu": _tile,
    "mark": _tile,
    "gang": _kong,
}

"""What happens in a round, as events that know who may read them (docs/games/kawuxing.md, "Events").

The text is made when it is asked for: a playout that nobody watches pays only for the object.
"""

from __future__ import annotations

from typing import Any, Final

from engine.kawuxing.fans import Win
from engine.mahjong.tiles import TILE_TEXTS, format_tiles, hand_tiles, size_of

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


def hand_word(hand: int) -> str:
    """Return the tiles of a hand as one word, ``-`` for none."""
    return format_tiles(hand_tiles(hand)) or "-"


def _ask(data: tuple[Any, ...], own: bool, reader: int | None) -> tuple[Any, ...]:
    return (" | ".join([str(action) for action in data]),)


def _open(data: tuple[Any, ...], own: bool, reader: int | None) -> tuple[Any, ...]:
    rules, stake = data
    return (rules.title, rules.as_json(), stake)


def _deal(data: tuple[Any, ...], own: bool, reader: int | None) -> tuple[Any, ...]:
    return tuple(
        [hand_word(hand) if at == reader else f"{HIDDEN}{size_of(hand)}" for at, hand in enumerate(data)]
    )


def _tile(data: tuple[Any, ...], own: bool, reader: int | None) -> tuple[Any, ...]:
    return (TILE_TEXTS[data[0]], *data[1:])


def _draw(data: tuple[Any, ...], own: bool, reader: int | None) -> tuple[Any, ...]:
    return (TILE_TEXTS[data[0]] if own else HIDDEN,)


def _kong(data: tuple[Any, ...], own: bool, reader: int | None) -> tuple[Any, ...]:
    kind, tile, *rest = data
    return (kind, TILE_TEXTS[tile], *rest)


def _liang(data: tuple[Any, ...], own: bool, reader: int | None) -> tuple[Any, ...]:
    shown, kou, waits = data
    hidden = "-" if not kou else format_tiles(kou) if own else f"{HIDDEN}{len(kou)}"
    return (hand_word(shown), hidden, format_tiles(waits))


def _hu(data: tuple[Any, ...], own: bool, reader: int | None) -> tuple[Any, ...]:
    *words, win = data
    return (*words, *win_words(win))


def win_words(win: Win) -> tuple[str, ...]:
    """Return a win as words: 番, concealed triplets, names, the sets of the reading."""
    names = ",".join([f"{name}={fan}" for name, fan in win.names])
    return (str(win.fan), str(win.kan), names, *win.sets)


_WRITERS: Final = {
    "hu": _hu,
    "ask": _ask,
    "open": _open,
    "deal": _deal,
    "draw": _draw,
    "discard": _tile,
    "river": _tile,
    "peng": _tile,
    "bu": _tile,
    "gang": _kong,
    "liang": _liang,
}

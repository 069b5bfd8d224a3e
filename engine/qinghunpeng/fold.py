"""The fold of event texts: what a seat was told adds up to its view (docs/games/qinghunpeng.md)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from engine.errors import BadNotation
from engine.mahjong.flowers import DECK, any_tile, split_word
from engine.mahjong.tiles import KINDS, ONE, make_hand, parse_tile
from engine.qinghunpeng.melds import AN, BU, CHI, MING, PENG, Laid
from engine.qinghunpeng.presets import recorded
from engine.qinghunpeng.view import View

_LEAVING: Final = {AN: 4, MING: 3}


class Folder:
    """Adds up event texts to a view."""

    def __init__(self) -> None:
        self._state: dict[str, Any] = {}

    def add(self, text: str) -> None:
        """Take the next event text.

        Raises:
            BadNotation: It is no event, or it cannot come here.
        """
        words = text.split(" ")
        step = getattr(self, "_on_" + words[0], None)
        if step is None or bool(self._state) == (words[0] == "open"):
            raise BadNotation("an event", text)
        try:
            step(int(words[1]), words[2:])
        except (ValueError, IndexError, KeyError, TypeError, AttributeError, StopIteration) as error:
            raise BadNotation("an event", text) from error

    def view(self) -> View:
        """Return what the events so far add up to."""
        state = self._state
        if not state:
            raise BadNotation("a round that begins with its opening", "")
        return View(
            **{
                **state,
                **{name: tuple(state[name]) for name in ("kept", "counts", "points", "wins")},
                **{
                    name: tuple([tuple(inner) for inner in state[name]])
                    for name in ("melds", "flowers", "rivers")
                },
                "hands": None if state["end"] is None else tuple(state["hands"]),
            }
        )

    def _on_open(self, dealer: int, words: list[str]) -> None:
        title, options, times = words
        self._state = {
            "rules": recorded(title, options),
            "seat": None,
            "dealer": dealer,
            "times": int(times),
            "hand": 0,
            "kept": [],
            "drawn": -1,
            "counts": [0, 0, 0, 0],
            "melds": [[], [], [], []],
            "flowers": [[], [], [], []],
            "rivers": [[], [], [], []],
            "wall_left": len(DECK),
            "shown": None,
            "turn": dealer,
            "passed": 0,
            "points": [0, 0, 0, 0],
            "legal": (),
            "hands": ["-", "-", "-", "-"],
            "wins": [],
            "end": None,
        }

    def _on_deal(self, dealer: int, words: list[str]) -> None:
        state = self._state
        for seat, word in enumerate(words):
            if word.startswith("?"):
                state["counts"][seat] = int(word[1:])
                continue
            tiles = split_word(word)
            state["seat"] = seat
            state["hand"] = make_hand([tile for tile in tiles if tile < KINDS])
            state["kept"] = [tile for tile in tiles if tile >= KINDS]
            state["counts"][seat] = len(tiles)
        state["wall_left"] -= sum(state["counts"])

    def _is_own(self, seat: int) -> bool:
        return bool(seat == self._state["seat"])

    def _receive(self, seat: int, word: str) -> int:
        """Put a tile of the wall into a hand; return it, -1 if it is hidden."""
        state = self._state
        state["wall_left"] -= 1
        state["counts"][seat] += 1
        if not self._is_own(seat):
            return -1
        state["passed"] = 0
        tile = any_tile(word)
        if tile < KINDS:
            state["hand"] += ONE[tile]
        else:
            state["kept"] = sorted([*state["kept"], tile])
        return tile

    def _on_draw(self, seat: int, words: list[str]) -> None:
        tile = self._receive(seat, words[0])
        self._state["turn"] = seat
        if 0 <= tile < KINDS:
            self._state["drawn"] = tile

    def _on_supply(self, seat: int, words: list[str]) -> None:
        self._receive(seat, words[0])

    def _on_flower(self, seat: int, words: list[str]) -> None:
        tile = any_tile(words[0])
        self._state["flowers"][seat].append(tile)
        self._state["counts"][seat] -= 1
        if self._is_own(seat):
            self._state["kept"].remove(tile)

    def _leave(self, seat: int, *tiles: int) -> None:
        """Take tiles out of a hand; for another's hand only their number matters."""
        self._state["counts"][seat] -= len(tiles)
        if self._is_own(seat):
            self._state["hand"] -= make_hand(tiles)
            self._state["drawn"] = -1

    def _on_discard(self, seat: int, words: list[str]) -> None:
        tile = parse_tile(words[0])
        self._leave(seat, tile)
        self._state["shown"] = (tile, seat, "discard")

    def _on_river(self, seat: int, words: list[str]) -> None:
        self._state["rivers"][seat].append(parse_tile(words[0]))
        self._state["shown"] = None

    def _on_chi(self, seat: int, words: list[str]) -> None:
        low, source, taken = parse_tile(words[0]), int(words[1]), parse_tile(words[2])
        self._leave(seat, *[tile for tile in (low, low + 1, low + 2) if tile != taken])
        self._claimed(seat, Laid(CHI, low, source))

    def _on_peng(self, seat: int, words: list[str]) -> None:
        tile, source = parse_tile(words[0]), int(words[1])
        self._leave(seat, tile, tile)
        self._claimed(seat, Laid(PENG, tile, source))

    def _claimed(self, seat: int, meld: Laid) -> None:
        self._state["melds"][seat].append(meld)
        self._state["shown"] = None
        self._state["turn"] = seat

    def _on_bu(self, seat: int, words: list[str]) -> None:
        tile = parse_tile(words[0])
        self._leave(seat, tile)
        self._state["shown"] = (tile, seat, BU)

    def _on_gang(self, seat: int, words: list[str]) -> None:
        kind, tile = words[0], parse_tile(words[1])
        melds = self._state["melds"][seat]
        if kind == BU:
            at = next(at for at, meld in enumerate(melds) if meld.kind == PENG and meld.tile == tile)
            melds[at] = Laid(BU, tile, melds[at].source)
        else:
            self._leave(seat, *(tile,) * _LEAVING[kind])
            melds.append(Laid(kind, tile, int(words[2]) if kind == MING else seat))
        self._state["shown"] = None
        self._state["turn"] = seat

    def _on_pay(self, payer: int, words: list[str]) -> None:
        self._state["points"][payer] -= int(words[1])
        self._state["points"][int(words[0])] += int(words[1])

    def _on_hu(self, seat: int, words: list[str]) -> None:
        self._state["wins"].append((str(seat), *words))

    def _on_show(self, seat: int, words: list[str]) -> None:
        self._state["hands"][seat] = words[0]

    def _on_end(self, seat: int, words: list[str]) -> None:
        self._state["end"] = (str(seat), *words)
        self._state["drawn"] = -1

    def _on_ask(self, seat: int, words: list[str]) -> None:
        self._state["legal"] = tuple(" ".join(words).split(" | "))

    def _on_answer(self, seat: int, words: list[str]) -> None:
        self._state["legal"] = ()

    def _on_withdrawn(self, seat: int, words: list[str]) -> None:
        self._state["legal"] = ()

    def _on_mark(self, seat: int, words: list[str]) -> None:
        self._state["passed"] |= 1 << parse_tile(words[0])


def fold(texts: Iterable[str]) -> View:
    """Return the view that the event texts of one seat add up to.

    Raises:
        BadNotation: A text is no event, or the round does not begin with its opening.
    """
    folder = Folder()
    for text in texts:
        folder.add(text)
    return folder.view()

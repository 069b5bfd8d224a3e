"""The fold of event texts: what a seat was told adds up to its view (docs/games/kawuxing.md)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from engine.errors import BadNotation
from engine.kawuxing.actions import PIAO
from engine.kawuxing.melds import AN, BU, MING, PENG, Laid
from engine.kawuxing.presets import recorded
from engine.kawuxing.view import Revealed, View
from engine.mahjong.tiles import ONE, TILES, count_of, make_hand, parse_tile, parse_tiles, size_of


def hand_from(word: str) -> int:
    """Return the hand of a word, ``-`` for none.

    Raises:
        BadNotation: It is no hand.
    """
    return 0 if word == "-" else make_hand(parse_tiles(word))


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
        except (ValueError, IndexError, KeyError, TypeError, AttributeError) as error:
            raise BadNotation("an event", text) from error

    def view(self) -> View:
        """Return what the events so far add up to."""
        state = self._state
        if not state:
            raise BadNotation("a round that begins with its opening", "")
        return View(
            **{
                **state,
                **{name: tuple(state[name]) for name in _LISTS},
                "melds": tuple([tuple(melds) for melds in state["melds"]]),
                "rivers": tuple([tuple(river) for river in state["rivers"]]),
                "hands": None if state["end"] is None else tuple(state["hands"]),
            }
        )

    def _on_open(self, dealer: int, words: list[str]) -> None:
        title, options, stake = words
        rules = recorded(title, options)
        self._state = {
            "rules": rules,
            "seat": None,
            "dealer": dealer,
            "stake": int(stake),
            "dice": (),
            "hand": 0,
            "drawn": -1,
            "counts": [0, 0, 0],
            "melds": [[], [], []],
            "rivers": [[], [], []],
            "wall_left": 84,
            "shown": None,
            "turn": dealer,
            "revealed": [None, None, None],
            "reveal_order": [],
            "kou": (),
            "piao": [-1, -1, -1] if rules.piao_max else [0, 0, 0],
            "points": [0, 0, 0],
            "passed_tiles": 0,
            "passed_fan": 0,
            "legal": (),
            "hands": [0, 0, 0],
            "wins": [],
            "ma": (),
            "end": None,
        }

    def _on_dice(self, dealer: int, words: list[str]) -> None:
        self._state["dice"] = tuple([int(word) for word in words])

    def _on_piao(self, seat: int, words: list[str]) -> None:
        self._state["piao"][seat] = int(words[0])

    def _on_deal(self, dealer: int, words: list[str]) -> None:
        for seat, word in enumerate(words):
            if word.startswith("?"):
                self._state["counts"][seat] = int(word[1:])
                continue
            self._state["seat"] = seat
            self._state["hand"] = hand_from(word)
            self._state["counts"][seat] = size_of(self._state["hand"])
        self._state["wall_left"] -= sum(self._state["counts"])

    def _is_own(self, seat: int) -> bool:
        return bool(seat == self._state["seat"])

    def _on_draw(self, seat: int, words: list[str]) -> None:
        state = self._state
        state["wall_left"] -= 1
        state["counts"][seat] += 1
        state["turn"] = seat
        if self._is_own(seat):
            tile = parse_tile(words[0])
            state["hand"] += ONE[tile]
            state["drawn"] = tile
            state["passed_tiles"] = state["passed_fan"] = 0

    def _leave(self, seat: int, tile: int, count: int) -> None:
        """Take tiles out of a hand; for another's hand only their number matters."""
        self._state["counts"][seat] -= count
        if self._is_own(seat):
            self._state["hand"] -= count * ONE[tile]
            self._state["drawn"] = -1

    def _on_discard(self, seat: int, words: list[str]) -> None:
        tile = parse_tile(words[0])
        self._leave(seat, tile, 1)
        self._state["shown"] = (tile, seat, "discard")

    def _on_river(self, seat: int, words: list[str]) -> None:
        self._state["rivers"][seat].append(parse_tile(words[0]))
        self._state["shown"] = None

    def _on_peng(self, seat: int, words: list[str]) -> None:
        tile = parse_tile(words[0])
        self._leave(seat, tile, 2)
        self._state["melds"][seat].append(Laid(PENG, tile))
        self._state["shown"] = None
        self._state["turn"] = seat

    def _on_bu(self, seat: int, words: list[str]) -> None:
        tile = parse_tile(words[0])
        self._leave(seat, tile, 1)
        self._state["shown"] = (tile, seat, BU)

    def _on_gang(self, seat: int, words: list[str]) -> None:
        state = self._state
        kind, tile = words[0], parse_tile(words[1])
        melds = state["melds"][seat]
        if kind == BU:
            melds[melds.index(Laid(PENG, tile))] = Laid(BU, tile)
        else:
            self._leave(seat, tile, {AN: 4, MING: 3}[kind])
            melds.append(Laid(kind, tile))
            seen = state["revealed"][seat]
            if seen is not None:
                self._konged_revealed(seat, tile, seen)
        state["shown"] = None
        state["turn"] = seat

    def _konged_revealed(self, seat: int, tile: int, seen: Revealed) -> None:
        """Take three tiles out of what a revealed seat shows or hides."""
        if count_of(seen.shown, tile) >= 3:
            seen = replace(seen, shown=seen.shown - 3 * ONE[tile])
        else:
            seen = replace(seen, hidden=seen.hidden - 1)
            if self._is_own(seat):
                self._state["kou"] = tuple([hidden for hidden in self._state["kou"] if hidden != tile])
        self._state["revealed"][seat] = seen

    def _on_liang(self, seat: int, words: list[str]) -> None:
        shown, hidden, waits = words
        number = 0 if hidden == "-" else int(hidden[1:]) if hidden.startswith("?") else len(hidden) // 2
        if self._is_own(seat) and hidden != "-":
            self._state["kou"] = parse_tiles(hidden)
        mask = sum([1 << tile for tile in parse_tiles(waits)])
        self._state["revealed"][seat] = Revealed(hand_from(shown), number, mask)
        self._state["reveal_order"].append(seat)

    def _on_waits(self, seat: int, words: list[str]) -> None:
        mask = sum([1 << parse_tile(word) for word in words])
        self._state["revealed"][seat] = replace(self._state["revealed"][seat], waits=mask)

    def _on_pay(self, payer: int, words: list[str]) -> None:
        self._state["points"][payer] -= int(words[1])
        self._state["points"][int(words[0])] += int(words[1])

    def _on_hu(self, seat: int, words: list[str]) -> None:
        self._state["wins"].append((str(seat), *words))

    def _on_ma(self, seat: int, words: list[str]) -> None:
        self._state["ma"] = tuple([parse_tile(word) for word in words])

    def _on_show(self, seat: int, words: list[str]) -> None:
        self._state["hands"][seat] = hand_from(words[0])

    def _on_end(self, seat: int, words: list[str]) -> None:
        self._state["end"] = (str(seat), *words)
        self._state["drawn"] = -1

    def _on_ask(self, seat: int, words: list[str]) -> None:
        self._state["seat"] = seat
        self._state["legal"] = tuple(" ".join(words).split(" | "))

    def _on_answer(self, seat: int, words: list[str]) -> None:
        self._state["legal"] = ()
        action = " ".join(words)
        if action in PIAO:
            self._state["piao"][seat] = PIAO.index(action)

    def _on_withdrawn(self, seat: int, words: list[str]) -> None:
        self._state["legal"] = ()

    def _on_mark(self, seat: int, words: list[str]) -> None:
        if words[0] == "tile":
            self._state["passed_tiles"] |= 1 << TILES[words[1]]
        else:
            self._state["passed_fan"] = int(words[1])


_LISTS = ("counts", "revealed", "reveal_order", "piao", "points", "wins")


def fold(texts: Iterable[str]) -> View:
    """Return the view that the event texts of one seat add up to.

    Raises:
        BadNotation: A text is no event, or the round does not begin with its opening.
    """
    folder = Folder()
    for text in texts:
        folder.add(text)
    return folder.view()

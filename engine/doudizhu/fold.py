"""The fold of event texts: what a seat was told adds up to its view (docs/games/doudizhu.md, "Events")."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from engine.doudizhu.actions import ANY_PLAY, CALL
from engine.doudizhu.cards import RANK_OF, parse_cards, size_of
from engine.doudizhu.plays import book_of
from engine.doudizhu.presets import recorded
from engine.doudizhu.readings import BOMB, ROCKETS, Reading
from engine.doudizhu.rules import wings_of
from engine.doudizhu.scoring import SEATS
from engine.doudizhu.state import BIDDING, DOUBLING, OVER, PLAYING, ROBBING, Move
from engine.doudizhu.view import View
from engine.errors import BadNotation

_LISTS = ("counts", "bids", "doubles", "plays", "history")


class Folder:
    """Adds up event texts to a view."""

    def __init__(self) -> None:
        self._state: dict[str, Any] = {}
        self._question: tuple[str, ...] = ()
        self._hands = [0, 0, 0]
        self._steps: dict[str, Callable[[int, list[str]], None]] = {
            "deal": self._deal,
            "face_up": self._face_up,
            "bid": self._bid,
            "call": self._call,
            "no_call": self._decline,
            "rob": self._rob,
            "no_rob": self._decline,
            "landlord": self._landlord,
            "doubled": self._doubled,
            "play": self._play,
            "pass": self._pass,
            "ask": self._ask,
            "answer": self._answer,
            "bottom": self._bottom,
            "show": self._show,
            "end": self._end,
        }

    def add(self, text: str) -> None:
        """Take the next event text.

        Raises:
            BadNotation: It is no event, or it cannot come here.
        """
        kind, *words = text.split(" ")
        step = self._steps.get(kind)
        if step is None or (not self._state and kind != "deal"):
            raise BadNotation("an event", text)
        try:
            if kind in ("call", "no_call", "rob", "no_rob"):
                self._state["bids"].append((int(words[0]), kind))
            step(int(words[0]), words[1:])
        except (ValueError, IndexError, KeyError, TypeError) as error:
            raise BadNotation("an event", text) from error

    def view(self) -> View:
        """Return what the events so far add up to."""
        state = self._state
        if not state:
            raise BadNotation("a round that begins with its deal", "")
        return View(**{**state, **{name: tuple(state[name]) for name in _LISTS}, "legal": self._legal()})

    def _legal(self) -> tuple[str, ...]:
        """Return the answers to the open question, every play spelt out."""
        if ANY_PLAY not in self._question:
            return self._question
        state = self._state
        book = book_of(wings_of(state["rules"]))
        over = state["over"]
        plays = book.leads(state["hand"]) if over is None else book.follows(state["hand"], over)
        return tuple(sorted([*plays, *[action for action in self._question if action != ANY_PLAY]]))

    def _deal(self, first: int, words: list[str]) -> None:
        title, options, *hands = words
        if len(hands) != SEATS:
            raise ValueError("a deal has three hands")
        own = next((at for at, hand in enumerate(hands) if not hand.startswith("?")), None)
        hand = parse_cards(hands[own]) if own is not None else 0
        counts = [size_of(hand) if at == own else int(word[1:]) for at, word in enumerate(hands)]
        self._question = ()
        self._state = {
            "rules": recorded(title, options),
            "seat": own,
            "first": first,
            "hand": hand,
            "counts": counts,
            "phase": BIDDING,
            "turn": first,
            "shown_card": -1,
            "bids": [],
            "landlord": -1,
            "bid": 0,
            "robs": 0,
            "bottom": 0,
            "doubles": [0, 0, 0],
            "over": None,
            "last": -1,
            "passes": 0,
            "plays": [0, 0, 0],
            "bombs": 0,
            "rockets": 0,
            "history": [],
            "hands": None,
            "end": None,
        }

    def _face_up(self, seat: int, words: list[str]) -> None:
        self._state["shown_card"] = RANK_OF[words[0]]

    # The bidding

    def _bid(self, seat: int, words: list[str]) -> None:
        state = self._state
        bid = int(words[0])
        state["bids"].append((seat, f"bid {bid}"))
        state["bid"] = max(state["bid"], bid)
        state["turn"] = (seat + 1) % 3

    def _call(self, seat: int, words: list[str]) -> None:
        self._state["bid"] = 1
        self._state["phase"] = ROBBING
        self._state["turn"] = self._next_robber()

    def _rob(self, seat: int, words: list[str]) -> None:
        self._state["robs"] += 1
        self._state["turn"] = self._next_robber()

    def _decline(self, seat: int, words: list[str]) -> None:
        state = self._state
        state["turn"] = self._next_robber() if state["phase"] == ROBBING else (seat + 1) % 3

    def _next_robber(self) -> int:
        """Return who is asked next; what follows corrects it where that is nobody."""
        bids = self._state["bids"]
        caller = next(seat for seat, action in bids if action == CALL)
        spoken = {seat for seat, _ in bids}
        others = ((caller + 1) % 3, (caller + 2) % 3)
        return int(next((seat for seat in others if seat not in spoken), caller))

    def _landlord(self, seat: int, words: list[str]) -> None:
        state = self._state
        bottom = parse_cards(words[2])
        state["landlord"] = seat
        state["bid"] = int(words[0])
        state["bottom"] = bottom
        state["counts"][seat] += size_of(bottom)
        if seat == state["seat"]:
            state["hand"] += bottom
        doubling = state["rules"].double == "on"
        state["phase"] = DOUBLING if doubling else PLAYING
        state["turn"] = -1 if doubling else seat

    def _doubled(self, seat: int, words: list[str]) -> None:
        state = self._state
        state["doubles"][seat] = int(words[0])
        state["phase"] = PLAYING
        state["turn"] = state["landlord"]

    # The play

    def _play(self, seat: int, words: list[str]) -> None:
        state = self._state
        cards = parse_cards(words[0])
        reading = Reading(words[1], int(words[2]), RANK_OF[words[3]])
        state["history"].append(Move(seat, cards, reading))
        state["counts"][seat] -= size_of(cards)
        if seat == state["seat"]:
            state["hand"] -= cards
        state["plays"][seat] += 1
        state["bombs"] += reading.type == BOMB
        state["rockets"] += reading.type == ROCKETS
        state["over"], state["last"], state["passes"] = reading, seat, 0
        state["turn"] = (seat + 1) % 3

    def _pass(self, seat: int, words: list[str]) -> None:
        state = self._state
        state["history"].append(Move(seat))
        state["passes"] += 1
        if state["passes"] == SEATS - 1:
            state["over"], state["passes"] = None, 0
        state["turn"] = (seat + 1) % 3

    def _ask(self, seat: int, words: list[str]) -> None:
        self._question = tuple(" ".join(words).split(" | "))

    def _answer(self, seat: int, words: list[str]) -> None:
        self._question = ()
        if words[0] == "double":
            self._state["doubles"][seat] = int(words[1])

    # The end

    def _bottom(self, seat: int, words: list[str]) -> None:
        self._state["bottom"] = parse_cards(words[0])

    def _show(self, seat: int, words: list[str]) -> None:
        self._hands[seat] = 0 if words[0] == "-" else parse_cards(words[0])

    def _end(self, last: int, words: list[str]) -> None:
        state = self._state
        state["phase"], state["turn"] = OVER, -1
        state["hands"] = tuple(self._hands)
        state["end"] = (words[0], str(last), *words[1:])


def fold(texts: Iterable[str]) -> View:
    """Return the view that the event texts of one seat add up to.

    Raises:
        BadNotation: The texts are not the events of a round from its deal on.
    """
    folder = Folder()
    for text in texts:
        folder.add(text)
    return folder.view()

"""The fold of event texts: what a seat was told adds up to its view (docs/notation.md)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from engine.errors import BadNotation
from engine.paohuzi.cards import ONE, count_cards, make_hand, parse_card, parse_cards
from engine.paohuzi.melds import Meld
from engine.paohuzi.presets import recorded
from engine.paohuzi.view import View, ViewMeld


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
        if step is None or (not self._state and words[0] != "deal"):
            raise BadNotation("an event", text)
        try:
            step(int(words[1]), words[2:])
        except (ValueError, IndexError, KeyError, TypeError) as error:
            raise BadNotation("an event", text) from error

    def view(self) -> View:
        """Return what the events so far add up to."""
        state = self._state
        if not state:
            raise BadNotation("a round that begins with its deal", "")
        return View(
            **{
                **state,
                "counts": tuple(state["counts"]),
                "melds": tuple(tuple(melds) for melds in state["melds"]),
                "rivers": tuple(tuple(river) for river in state["rivers"]),
                "dead": tuple(state["dead"]),
                "passed_hu": tuple(sorted(state["passed_hu"].items())),
                "hands": None if state["end"] is None else tuple(state["hands"]),
            }
        )

    def _on_deal(self, dealer: int, words: list[str]) -> None:
        title, options, *hands = words
        own = next((at for at, hand in enumerate(hands) if not hand.startswith("?")), None)
        hand = make_hand(parse_cards(hands[own])) if own is not None else 0
        counts = [count_cards(hand) if at == own else int(word[1:]) for at, word in enumerate(hands)]
        self._state = {
            "rules": recorded(title, options),
            "seat": own,
            "dealer": dealer,
            "hand": hand,
            "counts": counts,
            "melds": [[], [], []],
            "rivers": [[], [], []],
            "wall_left": 80 - sum(counts),
            "shown": None,
            "turn": dealer,
            "dead": [False, False, False],
            "own_dead": 0,
            "peng_dead": 0,
            "chi_dead": 0,
            "passed_hu": {},
            "legal": (),
            "hands": [0, 0, 0],
            "win": None,
            "end": None,
        }

    def _take(self, seat: int, cards: Iterable[int], count: int) -> None:
        """Take cards from a hand; for another's hand only their number matters."""
        self._state["counts"][seat] -= count
        if seat == self._state["seat"]:
            for card in cards:
                self._state["hand"] -= ONE[card]

    def _lay(self, seat: int, kind: str, cards: Meld, at: int = -1) -> None:
        melds = self._state["melds"][seat]
        if at < 0:
            melds.append(ViewMeld(kind, cards))
        else:
            melds[at] = ViewMeld(kind, cards)
        self._state["turn"] = seat
        self._state["shown"] = None

    def _on_liang(self, seat: int, words: list[str]) -> None:
        card = parse_card(words[0])
        self._state["counts"][seat] += 1
        if seat == self._state["seat"]:
            self._state["hand"] += ONE[card]
        self._state["wall_left"] -= 1
        self._state["shown"] = (card, seat, "liang")

    def _on_ti(self, seat: int, words: list[str]) -> None:
        cards = () if words[0] == "?" else (parse_card(words[0]),) * 4
        how = words[1]
        if how != "wei":
            count = 4 if how == "hand" else 3
            self._take(seat, cards[:count], count)
        if how != "hand":
            self._state["wall_left"] -= 1
        turn = self._state["turn"]
        self._lay(seat, "ti", cards, int(words[2]) if how == "wei" else -1)
        if how == "hand":
            self._state["turn"] = turn

    def _on_wei(self, seat: int, words: list[str]) -> None:
        cards = () if words[0] == "?" else (parse_card(words[0]),) * 3
        self._take(seat, cards[:2], 2)
        self._state["wall_left"] -= 1
        self._lay(seat, "wei", cards)

    def _on_chouwei(self, seat: int, words: list[str]) -> None:
        cards = (parse_card(words[0]),) * 3
        self._take(seat, cards[:2], 2)
        self._state["wall_left"] -= 1
        self._lay(seat, "chouwei", cards)

    def _on_pao(self, seat: int, words: list[str]) -> None:
        cards = (parse_card(words[0]),) * 4
        if words[1] == "kan":
            self._take(seat, cards[:3], 3)
            self._lay(seat, "pao", cards)
        else:
            self._lay(seat, "pao", cards, int(words[2]))

    def _on_peng(self, seat: int, words: list[str]) -> None:
        cards = (parse_card(words[0]),) * 3
        self._take(seat, cards[:2], 2)
        self._lay(seat, "peng", cards)

    def _on_chi(self, seat: int, words: list[str]) -> None:
        offered = self._state["shown"][0]
        melds = [parse_cards(word) for word in words]
        cards = [card for meld in melds for card in meld]
        cards.remove(offered)
        self._take(seat, cards, len(cards))
        for meld in melds:
            self._lay(seat, "chi", meld)

    def _on_draw(self, seat: int, words: list[str]) -> None:
        self._state["wall_left"] -= 1
        self._state["turn"] = seat
        self._state["shown"] = (parse_card(words[0]), seat, "draw")

    def _on_discard(self, seat: int, words: list[str]) -> None:
        card = parse_card(words[0])
        self._take(seat, (card,), 1)
        if seat == self._state["seat"]:
            self._state["own_dead"] |= 1 << card
        self._state["turn"] = seat
        self._state["shown"] = (card, seat, "discard")

    def _on_river(self, seat: int, words: list[str]) -> None:
        self._state["rivers"][seat].append(parse_card(words[0]))
        self._state["shown"] = None

    def _on_dead(self, seat: int, words: list[str]) -> None:
        self._state["dead"][seat] = True

    def _on_ask(self, seat: int, words: list[str]) -> None:
        self._state["legal"] = tuple(" ".join(words).split(" | "))

    def _on_answer(self, seat: int, words: list[str]) -> None:
        self._state["legal"] = ()

    def _on_withdrawn(self, seat: int, words: list[str]) -> None:
        self._state["legal"] = ()

    def _on_mark(self, seat: int, words: list[str]) -> None:
        card = parse_card(words[1])
        if words[0] == "hu":
            self._state["passed_hu"][card] = int(words[2])
        else:
            self._state[f"{words[0]}_dead"] |= 1 << card

    def _on_hu(self, seat: int, words: list[str]) -> None:
        self._state["shown"] = None
        self._state["win"] = (str(seat), *words)

    def _on_show(self, seat: int, words: list[str]) -> None:
        self._state["shown"] = None
        self._state["hands"][seat] = 0 if words[0] == "-" else make_hand(parse_cards(words[0]))
        self._state["melds"][seat] = [
            ViewMeld(kind, parse_cards(cards)) for kind, cards in (word.split(":") for word in words[1:])
        ]

    def _on_end(self, winner: int, words: list[str]) -> None:
        self._state["end"] = (words[0], str(winner), *words[1:])


def fold(texts: Iterable[str]) -> View:
    """Return the view that the event texts of one seat add up to.

    Raises:
        BadNotation: The texts are not the events of a round from its deal on.
    """
    folder = Folder()
    for text in texts:
        folder.add(text)
    return folder.view()

"""Examples of the order of play: a position, steps, and what must be true after some of them."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias

from services.scoring.core.kawuxing import course
from services.scoring.core.kawuxing.course import OwnTurn
from services.scoring.core.kawuxing.melds import Meld
from services.scoring.core.kawuxing.payment import Purse
from services.scoring.core.kawuxing.rules import Options
from services.scoring.core.kawuxing.table import Reveal, Seat, Table, Turn, dealt_tiles, succession
from services.scoring.core.kawuxing.tiles import (
    DECK_TILES,
    NAMES,
    SEATS,
    Counts,
    counted,
    deck_of,
    kind_named,
    kinds_of_groups,
    spread,
    word_of,
)

Step: TypeAlias = Mapping[str, Any]

_WORDS: Final = ("hu", "peng", "pass")


class BadStart(Exception):
    """An example's position is none."""


def hand_of(text: str | Sequence[str]) -> Counts:
    """Return the tiles of an example: groups, or a list of names."""
    if isinstance(text, str):
        return counted(kinds_of_groups(text))
    return counted(kind_named(name) for name in text)


def melds_of(given: Sequence[Mapping[str, str]]) -> list[Meld]:
    """Return the melds of an example."""
    return [Meld(each["t"], kind_named(each["tile"])) for each in given]


class Flow:
    """One example in progress."""

    def __init__(self, start: Mapping[str, Any], options: Options) -> None:
        self.ended = False
        self._booked = list(start.get("points") or [0] * SEATS)
        if "deal" in start:
            tiles = [kind_named(name) for name in start["deal"].split()]
            if sorted(tiles) != sorted(deck_of(options.suits)) or len(tiles) != DECK_TILES:
                raise BadStart("the deal is not the deck")
            self.table = dealt_tiles(options, start["dealer"], start.get("draws_in_row", 0), tiles)
            self._steps = course.whole_round(self.table)
        else:
            self.table, turn = _placed(start, options)
            self._steps = course.from_turn(self.table, turn)
        self._asked: course.Questions = {}
        self._go_on(None)

    def _go_on(self, answer: course.Answer | None) -> None:
        try:
            self._asked = next(self._steps) if answer is None else self._steps.send(answer)
        except StopIteration:
            self._asked, self.ended = {}, True

    def take(self, step: Step) -> str:
        """Play a step and return why it was refused, or empty."""
        seat, answer = step["seat"], _answer(step)
        if seat not in self._asked:
            return f"seat {seat} is not asked"
        if answer not in self._asked[seat]:
            return f"{answer!r} is not legal; legal are {', '.join(self._asked[seat])}"
        self._go_on((seat, answer))
        return ""

    def is_asked(self, seat: int) -> bool:
        """Say whether the seat owes an answer."""
        return seat in self._asked

    def observed(self) -> dict[str, Any]:
        """Return everything a check may ask about; by seat where it asks by seat."""
        turns = [seat for seat, question in self._asked.items() if isinstance(question, OwnTurn)]
        by_seat: dict[str, list[Any]] = {
            "offers": [self._offers(seat) for seat in range(SEATS)],
            "may_discard": [self._tiles_after("discard", seat) for seat in range(SEATS)],
            "may_liang": [self._tiles_after("liang", seat) for seat in range(SEATS)],
            "hand": [word_of(spread(own.hand)) for own in self.table.seats],
            "melds": [
                sorted(f"{meld.how} {NAMES[meld.kind]}" for meld in own.melds) for own in self.table.seats
            ],
            "shown": [_shown(self.table, seat, self._drawn(seat)) for seat in range(SEATS)],
        }
        return {
            **{name: {str(seat): each for seat, each in enumerate(row)} for name, row in by_seat.items()},
            "asked": sorted(self._asked),
            "turn": turns[0] if turns else None,
            "wall": len(self.table.wall),
            "points": self._points(),
            "ended": self.ended,
        }

    def end(self) -> dict[str, Any]:
        """Return the result, once the round has ended."""
        ending = self.table.ending
        assert ending is not None, "the round has ended"
        return {
            "winners": [seat for seat, _ in ending.wins],
            "how": ending.how,
            "from": ending.from_seat,
            "fan": {str(seat): win.fan for seat, win in ending.wins},
            "names": {str(seat): dict(win.names) for seat, win in ending.wins},
            "points": self._points(),
            "next_dealer": succession(self.table)[0],
        }

    def _points(self) -> list[int]:
        return [a + b for a, b in zip(self._booked, self.table.purse.points(), strict=True)]

    def _offers(self, seat: int) -> list[str]:
        """Return the offers in short: which tile is discarded or revealed with is left out."""
        texts = self._asked.get(seat, ())
        return sorted({text.split()[0] if text.startswith(("discard", "liang")) else text for text in texts})

    def _drawn(self, seat: int) -> list[int]:
        """Return the tile that a revealed seat has just drawn: it is the only one it may discard."""
        if self.table.seats[seat].reveal is None:
            return []
        return [kind_named(name) for name in self._tiles_after("discard", seat)]

    def _tiles_after(self, word: str, seat: int) -> list[str]:
        texts = [text.split() for text in self._asked.get(seat, ())]
        return sorted({words[1] for words in texts if words[0] == word})


def _shown(table: Table, seat: int, drawn: Sequence[int]) -> dict[str, Any] | None:
    """Return what others see of a revealed hand; a tile just drawn is not counted."""
    own = table.seats[seat]
    if own.reveal is None:
        return None
    face_up = list(own.hand)
    for kind in own.reveal.kou:
        face_up[kind] -= 3
    for kind in drawn:
        face_up[kind] -= 1
    return {
        "tiles": word_of(spread(face_up)),
        "waits": [NAMES[kind] for kind in own.reveal.waits],
        "hidden": 3 * len(own.reveal.kou),
    }


def run_flow(case: Mapping[str, Any], options: Options) -> list[str]:
    """Return what an example of the order of play expects and scoring says otherwise."""
    flow = Flow(case["start"], options)
    script, expected = case["script"], case["expect"]
    checks = list(expected.get("after") or [])
    wrong = [
        f"a check after step {check['step']}"
        for check in checks
        if check["step"] not in range(len(script) + 1)
    ]
    for number, step in enumerate([None, *script]):
        if step is not None:
            wrong += _stepped(flow, number, step)
        for check in checks:
            if check["step"] == number:
                wrong += _checked(f"after step {number}", check, flow.observed())
    if (expected.get("end") is not None) != flow.ended:
        return [*wrong, "the round has ended" if flow.ended else "the round has not ended"]
    return [*wrong, *_checked("end", expected["end"], flow.end())] if flow.ended else wrong


def _stepped(flow: Flow, number: int, step: Step) -> list[str]:
    if step.get("if_asked") and not flow.is_asked(step["seat"]):
        return []
    refusal = flow.take(step)
    if step.get("refused"):
        return [] if refusal else [f"step {number}: was to be refused"]
    return [f"step {number}: {refusal}"] if refusal else []


def _checked(where: str, expected: Mapping[str, Any], got: Mapping[str, Any]) -> list[str]:
    """Compare what is expected with what is so, key by key and where it goes by seat, seat by seat."""
    wrong = []
    for name, value in expected.items():
        if name == "step":
            continue
        if name not in got:
            wrong.append(f"{where} {name}: expected {value!r}, but nobody computes it")
            continue
        pairs = [("", value, got[name])]
        if isinstance(got[name], dict):
            pairs = [(f" {seat}", each, got[name].get(seat)) for seat, each in value.items()]
        for seat, each, found in pairs:
            if _plain(name, each) != found:
                wrong.append(f"{where} {name}{seat}: expected {each!r}, got {found!r}")
    return wrong


def _plain(name: str, value: Any) -> Any:
    """Return an expected value as it is observed: tiles as one word, lists in order."""
    if name == "hand":
        return word_of(spread(hand_of(value)))
    if name == "shown" and value is not None:
        tiles, waits = value["tiles"], value["waits"]
        return {**value, "tiles": word_of(spread(hand_of(tiles))), "waits": sorted(waits)}
    if name in ("offers", "asked", "may_discard", "may_liang", "melds", "winners"):
        return sorted(value)
    return value


def _answer(step: Step) -> str:
    """Return the canonical text of a step."""
    act = step["act"]
    if act in _WORDS:
        return str(act)
    if act == "gang":
        return f"gang {step['kind']} {step['tile']}"
    if act == "liang":
        return " ".join(["liang", step["tile"], *sorted(step.get("kou") or [])])
    if act == "piao":
        return f"piao {step['value']}"
    if act == "discard":
        return f"discard {step['tile']}"
    raise BadStart(f"no act {act!r}")


def _placed(start: Mapping[str, Any], options: Options) -> tuple[Table, Turn]:
    """Return the table and the turn of an example that begins in the middle of a round."""
    rivers = [kinds_of_groups(river) for river in start.get("rivers") or [""] * SEATS]
    seats = []
    for seat, hand in enumerate(start["hands"]):
        melds = melds_of(start["melds"][seat])
        seats.append(Seat(hand_of(hand), melds, draws=1 + len(rivers[seat]), river=rivers[seat]))
        seats[seat].has_konged = seat in (start.get("konged") or [])
    table = Table(
        options=options,
        dealer=start["dealer"],
        draws_in_row=start.get("draws_in_row", 0),
        purse=Purse(options, options.base, chain=start.get("kong_chain", 0)),
        seats=seats,
        wall=[kind_named(name) for name in start["wall"].split()],
        last_drawer=start["turn"],
        is_disturbed=any(own.melds for own in seats),
        discards=sum(map(len, rivers)),
    )
    drawn = kind_named(start["drawn"]) if start.get("drawn") else None
    turn = Turn(start["turn"], drawn, start["after"] == "kong")
    for each in start.get("revealed") or []:
        seat = each["seat"]
        own = table.seats[seat]
        before = list(own.hand)
        if seat == turn.seat and drawn is not None:
            own.hand[drawn] -= 1
        kou = tuple(sorted(kind_named(name) for name in each.get("kou") or []))
        own.reveal = Reveal(kou, table.waits(seat))
        own.hand = before
        table.purse.revealed.append(seat)
    return table, turn

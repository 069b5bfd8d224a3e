"""Examples of the order of play: a position, steps, and what must be true after some of them."""

from collections import deque
from collections.abc import Generator, Mapping, Sequence
from typing import Any, Final

from services.scoring.core.qinghunpeng import course, payment
from services.scoring.core.qinghunpeng.hand import meld_of
from services.scoring.core.qinghunpeng.rules import Options
from services.scoring.core.qinghunpeng.table import Ending, Table, dealt, times_of
from services.scoring.core.qinghunpeng.tiles import (
    KIND,
    SEATS,
    TEXTS,
    counted,
    kinds_of,
    listed,
)

_CAME: Final = {
    "deal": "deal",
    "draw": "head",
    "flower": "flower",
    "kong": "kong",
    "pong": "claim",
    "chow": "claim",
}


class Flow:
    """One example in progress."""

    def __init__(self, start: Mapping[str, Any], options: Options) -> None:
        self.ending: Ending | None = None
        self._asked: course.Questions = {}
        self._draws = start.get("draws_in_row", 0)
        self._table, self._steps = _started(start, options)
        self._go_on(None)

    def _go_on(self, answer: course.Answer | None) -> None:
        try:
            self._asked = next(self._steps) if answer is None else self._steps.send(answer)
        except StopIteration as done:
            self._asked, self.ending = {}, done.value

    def is_asked(self, seat: int) -> bool:
        """Say whether the seat owes an answer."""
        return seat in self._asked

    def take(self, step: Mapping[str, Any]) -> str:
        """Play a step and return why it was refused, or empty."""
        seat, text = step["seat"], _text_of(step)
        if self.ending is not None:
            return "the round is over"
        if text not in self._asked.get(seat, ()):
            return f"{text!r} of seat {seat} is not legal: {self._asked!r}"
        self._go_on((seat, text))
        return ""

    def observed(self) -> dict[str, Any]:
        """Return everything a check may ask about; by seat where it asks by seat."""
        seats = self._table.seats
        turns = [
            seat
            for seat, question in self._asked.items()
            if question[-1] != "pass" and "pass" not in question
        ]
        by_seat: dict[str, Sequence[Any]] = {
            "offers": [self._offers(number) for number in range(SEATS)],
            "may_discard": [self._may_discard(number) for number in range(SEATS)],
            "hand": [listed(seat.hand) + sorted(TEXTS[flower] for flower in seat.kept) for seat in seats],
            "melds": [sorted(f"{meld.form} {TEXTS[meld.tile]}" for meld in seat.melds) for seat in seats],
            "flowers": [len(seat.flowers) for seat in seats],
        }
        return {
            **{
                name: {str(number): values[number] for number in range(SEATS)}
                for name, values in by_seat.items()
            },
            "asked": sorted(self._asked),
            "turn": turns[0] if turns else None,
            "wall": len(self._table.wall),
            "points": list(self._points()),
            "ended": self.ending is not None,
        }

    def _points(self) -> tuple[int, ...]:
        if self.ending is None:
            return (0,) * SEATS
        bound = [self._table.bound_to(seat) for seat in self.ending.wins]
        return payment.points_by_seat(self.ending, bound)

    def end(self) -> dict[str, Any]:
        """Return the result, once the round has ended."""
        assert self.ending is not None
        wins = self.ending.wins
        dealer, draws = payment.succession(self._table.options, self._table.dealer, self._draws, self.ending)
        return {
            "winners": list(wins),
            "how": self.ending.how,
            "from": self.ending.giver,
            "points": list(self._points()),
            "next_dealer": dealer,
            "draws_in_row_next": draws,
            "score": {str(seat): win.points for seat, win in wins.items()},
            "patterns": {str(seat): sorted(win.names) for seat, win in wins.items()},
        }

    def _offers(self, seat: int) -> list[str]:
        return sorted(
            {"discard" if text.startswith("discard") else text for text in self._asked.get(seat, ())}
        )

    def _may_discard(self, seat: int) -> list[str]:
        words = [text.split() for text in self._asked.get(seat, ())]
        return sorted(word[1] for word in words if word[0] == "discard")


def run_flow(case: Mapping[str, Any], options: Options) -> list[str]:
    """Return what an example of the order of play expects and scoring says otherwise."""
    script, expected = case["script"], case["expect"]
    flow = Flow(case["start"], options)
    wrong: list[str] = []
    checks = list(expected.get("after") or ())
    wrong += [
        f"a check after step {check['step']}" for check in checks if not 0 <= check["step"] <= len(script)
    ]
    for number, step in enumerate((None, *script)):
        if step is not None:
            wrong += _stepped(flow, number, step)
        for check in checks:
            if check["step"] == number:
                wanted = {name: value for name, value in check.items() if name != "step"}
                wrong += _differing(f"after step {number}", wanted, flow.observed())
    end = expected.get("end")
    if end is None:
        return [*wrong, "the round has ended"] if flow.ending is not None else wrong
    return [*wrong, *(["it has not ended"] if flow.ending is None else _differing("end", end, flow.end()))]


def _stepped(flow: Flow, number: int, step: Mapping[str, Any]) -> list[str]:
    if step.get("if_asked") and not flow.is_asked(step["seat"]):
        return []
    refusal = flow.take(step)
    if bool(refusal) == bool(step.get("refused")):
        return []
    return [f"step {number}: {refusal or 'was to be refused'}"]


def _differing(where: str, expected: Mapping[str, Any], got: Mapping[str, Any]) -> list[str]:
    wrong = []
    for name, value in expected.items():
        if name not in got:
            wrong.append(f"{where} {name}: expected {value!r}, but nobody computes it")
            continue
        pairs = [(name, value, got[name])]
        if isinstance(got[name], dict):
            pairs = [(f"{name} {seat}", wanted, got[name].get(seat)) for seat, wanted in value.items()]
        wrong += [
            f"{label}: {where} expected {wanted!r}, got {ours!r}"
            for label, wanted, ours in pairs
            if _in_order(name, wanted) != ours
        ]
    return wrong


def _in_order(name: str, value: Any) -> Any:
    """Return an expected value as it is observed: sorted where the order means nothing."""
    if name == "hand":
        text = value if isinstance(value, str) else " ".join(value)
        return [TEXTS[kind] for kind in sorted(kinds_of(text))]
    if name in ("offers", "may_discard", "melds", "asked", "patterns", "winners"):
        return sorted(value)
    return value


def _text_of(step: Mapping[str, Any]) -> str:
    act = str(step["act"])
    if act == "gang":
        return f"gang {step['kind']} {step['tile']}"
    return f"{act} {step['tile']}" if act in ("discard", "chi") else act


def _started(
    start: Mapping[str, Any], options: Options
) -> tuple[Table, Generator[course.Questions, course.Answer, Ending]]:
    draws = start.get("draws_in_row", 0)
    if "deal" in start:
        table = dealt(options, start["dealer"], draws, [KIND[tile] for tile in start["deal"].split()])
        return table, course.whole_round(table)
    table = Table(options, start["dealer"], deque(kinds_of(start["wall"])), times=times_of(options, draws))
    for number, seat in enumerate(table.seats):
        seat.hand = counted(kinds_of(start["hands"][number]))
        seat.flowers = kinds_of(start["flowers"][number])
        seat.melds = [
            meld_of(meld["t"], meld["tile"])._replace(source=meld.get("from", -1))
            for meld in start["melds"][number]
        ]
        seat.discards = len(kinds_of(start["rivers"][number]))
        seat.has_begun = True
    table.was_claimed = any(seat.melds for seat in table.seats)
    drawn = KIND[start["drawn"]] if start.get("drawn") else -1
    acting = table.seats[start["turn"]]
    if drawn >= 0 and not acting.hand[drawn]:
        raise ValueError(f"seat {start['turn']} does not hold {start['drawn']}")
    acting.joined = drawn
    return table, course.going_on(table, course.Turn(start["turn"], _CAME[start["after"]], drawn))

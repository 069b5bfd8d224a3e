"""Examples of the order of play: a position, steps, and what must be true after some of them."""

from collections.abc import Generator, Mapping
from typing import Any, Final, TypeAlias

from services.scoring.core.doudizhu import course, plays
from services.scoring.core.doudizhu.cards import (
    SEATS,
    BadCards,
    counts_of,
    sorted_text,
    text_of,
)
from services.scoring.core.doudizhu.payment import Won, multiplier, succession
from services.scoring.core.doudizhu.readings import as_follow, as_lead, readings
from services.scoring.core.doudizhu.rules import Options

_WORDS: Final = ("call", "no_call", "rob", "no_rob", "pass")

Step: TypeAlias = Mapping[str, Any]


class Flow:
    """One example in progress."""

    def __init__(self, start: Mapping[str, Any], options: Options) -> None:
        self._options = options
        self.ended = False
        self.won: Won | None = None
        self._table, self._steps = _started(start, options)
        self._asked: course.Questions = next(self._steps)

    def take(self, step: Step) -> str:
        """Play a step and return why it was refused, or empty."""
        seat = step["seat"]
        if self.ended:
            return "the round is over"
        if seat not in self._asked:
            return f"seat {seat} is not asked"
        question = self._asked[seat]
        try:
            answer = _answer(step, question, self._options)
        except (BadCards, plays.Illegal) as bad:
            return str(bad)
        refusal = question.refusal(answer)
        if not refusal:
            try:
                self._asked = self._steps.send((seat, answer))
            except StopIteration as done:
                self._asked, self.ended, self.won = {}, True, done.value
        return refusal

    def is_asked(self, seat: int) -> bool:
        """Say whether the seat owes an answer."""
        return seat in self._asked

    def observed(self) -> dict[str, Any]:
        """Return everything a check may ask about; by seat where it asks by seat."""
        seats = range(SEATS)
        by_seat: dict[str, list[Any]] = {
            "offers": [self._offers(seat) for seat in seats],
            "may_play": [self._may_play(seat) for seat in seats],
            "hand": [text_of(hand) for hand in self._table.hands],
        }
        is_doubling = any("double 1" in question.words for question in self._asked.values())
        has_landlord = self._table.landlord >= 0
        return {
            **{name: {str(seat): values[seat] for seat in seats} for name, values in by_seat.items()},
            "asked": sorted(self._asked),
            "turn": None if is_doubling else next(iter(self._asked), None),
            "landlord": self._table.landlord if has_landlord else None,
            "multiplier": multiplier(self._options, self._table.robs, self._table.bombs, self._table.rockets),
            "ended": self.ended,
            "points": list(self.won.points(self._options)) if self.won else [0] * SEATS,
        }

    def end(self) -> dict[str, Any]:
        """Return the result, once the round has ended."""
        won = self.won
        next_dealer, _ = succession(self._options, self._table.first, 0, won.last if won else -1)
        if won is None:
            return {"redeal": True, "points": [0] * SEATS, "next_dealer": next_dealer}
        return {
            "redeal": False,
            "winner": won.last,
            "landlord": won.landlord,
            "spring": won.spring or None,
            "points": list(won.points(self._options)),
            "next_dealer": next_dealer,
        }

    def _offers(self, seat: int) -> list[str]:
        if seat not in self._asked:
            return []
        return [word.replace("play*", "play") for word in self._asked[seat].compact()]

    def _may_play(self, seat: int) -> list[str]:
        found = self._asked[seat].answers() if seat in self._asked else ()
        words = [text.split() for text in found if text.startswith("play ")]
        return sorted({word[1] for word in words})


def run_flow(case: Mapping[str, Any], options: Options) -> list[str]:
    """Return what an example of the order of play expects and scoring says otherwise."""
    flow = Flow(case["start"], options)
    expected = case["expect"]
    checks = list(expected.get("after") or [])
    known = {0, *range(len(case["script"]) + 1)}
    wrong = [f"a check after step {check['step']}" for check in checks if check["step"] not in known]
    for number in range(len(case["script"]) + 1):
        if number:
            wrong += _stepped(flow, number, case["script"][number - 1])
        for check in checks:
            if check["step"] == number:
                wrong += _checked(f"after step {number}", check, flow.observed())
    end = expected.get("end")
    if (end is not None) != flow.ended:
        return [*wrong, "the round has ended" if flow.ended else "the round has not ended"]
    return wrong if end is None else [*wrong, *_checked("end", end, flow.end())]


def _stepped(flow: Flow, number: int, step: Step) -> list[str]:
    if step.get("if_asked") and not flow.is_asked(step["seat"]):
        return []
    refusal = flow.take(step)
    if step.get("refused"):
        return [] if refusal else [f"step {number}: was to be refused"]
    return [f"step {number}: {refusal}"] if refusal else []


def _checked(where: str, expected: Mapping[str, Any], got: Mapping[str, Any]) -> list[str]:
    wrong = []
    for name, value in expected.items():
        if name == "step":
            continue
        if name not in got:
            wrong.append(f"{where} {name}: expected {value!r}, but nobody computes it")
        elif isinstance(got[name], dict):
            for seat, wanted in value.items():
                if _plain(name, wanted) != got[name][seat]:
                    wrong.append(f"{where} {name} {seat}: expected {wanted!r}, got {got[name][seat]!r}")
        elif (sorted(value) if name == "asked" else value) != got[name]:
            wrong.append(f"{where} {name}: expected {value!r}, got {got[name]!r}")
    return wrong


def _plain(name: str, value: Any) -> Any:
    """Return an expected value in the order in which it is observed."""
    if name == "hand":
        return sorted_text(value if isinstance(value, str) else "".join(value))
    if name == "may_play":
        return sorted(sorted_text(word) for word in value)
    return sorted(value)


def _answer(step: Step, question: course.Question, options: Options) -> str:
    """Return the canonical text of a step."""
    act = step["act"]
    if act in _WORDS:
        return str(act)
    if act == "bid":
        return f"bid {step['value']}"
    if act == "double":
        return f"double {step['x']}"
    if act != "play":
        raise plays.Illegal(f"no act {act!r}")
    cards = counts_of(step["cards"])
    text = f"play {text_of(cards)}"
    named = step.get("as")
    if not named:
        return text
    # A record names a type only where it is not the first; here a client may always say what it means.
    found = readings(cards, options)
    if question.table is None:
        wanted, usual = as_lead(found, named), as_lead(found)
    else:
        of_that_type = tuple(reading for reading in found if reading.type == named)
        wanted, usual = as_follow(of_that_type, question.table), as_follow(found, question.table)
    if wanted is None:
        raise plays.Illegal(f"{step['cards']} is no {named} that can be played now")
    return text if wanted == usual else f"{text} as {named}"


def _started(
    start: Mapping[str, Any], options: Options
) -> tuple[course.Table, Generator[course.Questions, course.Answer, Won | None]]:
    hands = [counts_of(hand) for hand in start["hands"]]
    if len(hands) != SEATS:
        raise ValueError(f"{len(hands)} hands")
    table = course.Table(
        options=options,
        first=start.get("first", 0),
        hands=hands,
        bottom=counts_of(start.get("bottom", "")),
        draws_in_row=start.get("redeals", 0),
    )
    if "landlord" not in start:
        return table, course.whole_round(table)
    table.landlord, table.bid = start["landlord"], start.get("bid", 1)
    table.robs = robs_of(start.get("mult", 1))
    table.plays = list(start.get("plays") or [0] * SEATS)
    table.double = list(start.get("double") or [1] * SEATS)
    table.bombs, table.rockets = start.get("bombs", 0), start.get("rockets", 0)
    return table, course.tricks(table, start["turn"])


def robs_of(factor: int) -> int:
    """Return how many 抢 make a factor.

    Raises:
        ValueError: It is no power of two.
    """
    robs = factor.bit_length() - 1
    if factor != 2**robs:
        raise ValueError(f"抢 cannot make a factor of {factor}")
    return robs

"""What a friends' room agrees on beside the rules of its game, and what it costs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from paiju.matchmaking.v1.matchmaking_service_pb2 import RoomPrice, RoomRules

from services.chassis.errors import Refusal
from services.matchmaking.core.halls import ROUNDS_MAX

PAYERS: Final = ("owner", "each", "winner")
WATCHING: Final = ("no", "ask", "yes")
CHATS: Final = ("all", "phrases", "no")
TO_SCORE_MAX: Final = 100_000
CARDS_MAX: Final = 1_000
PEOPLE_MIN: Final = 2
"""With fewer people a room costs nothing: somebody plays with bots."""


@dataclass(frozen=True, slots=True)
class Rules:
    """What a room has agreed on; as it is made, a room plays by rounds and its owner pays."""

    to_score: int = 0
    payer: str = "owner"
    watching: str = "no"
    chat: str = "all"
    voice: bool = False

    def message(self) -> RoomRules:
        """Return it as people see it."""
        return RoomRules(**asdict(self))

    def as_json(self) -> str:
        """Return it as text to be kept."""
        return json.dumps(asdict(self), sort_keys=True, separators=(",", ":"))


def rules_of(text: str) -> Rules:
    """Return what `as_json` wrote; empty = a room of before, which had agreed on nothing."""
    return Rules(**json.loads(text)) if text else Rules()


def asked_for(message: RoomRules) -> Rules:
    """Return what somebody asks for, with what he leaves out as usual.

    Raises:
        Refusal: INVALID_ARGUMENT, with the field and what is known.
    """
    for field, value, known in (
        ("payer", message.payer, PAYERS),
        ("watching", message.watching, WATCHING),
        ("chat", message.chat, CHATS),
    ):
        if value and value not in known:
            raise Refusal("INVALID_ARGUMENT", field=f"rules.{field}", known=", ".join(known))
    if not 0 <= message.to_score <= TO_SCORE_MAX:
        raise Refusal("INVALID_ARGUMENT", field="rules.to_score", maximum=TO_SCORE_MAX)
    return Rules(
        message.to_score,
        message.payer or PAYERS[0],
        message.watching or WATCHING[0],
        message.chat or CHATS[0],
        message.voice,
    )


class BadPrices(Exception):
    """The data of the prices is not usable."""


@dataclass(frozen=True, slots=True)
class Price:
    """A step of the prices, in room cards."""

    rounds_max: int
    """0 = of matches to a score."""
    cards: int
    cards_each: int

    def message(self) -> RoomPrice:
        """Return it as people see it."""
        return RoomPrice(rounds_max=self.rounds_max, cards=self.cards, cards_each=self.cards_each)


@dataclass(frozen=True, slots=True)
class Prices:
    """What rooms cost: by rounds, and to a score."""

    steps: Sequence[Price]
    """By `rounds_max`; the last reaches to the longest match."""
    to_score: Price

    def cards(self, rounds: int, rules: Rules) -> int:
        """Return the price of a match: of each person where each pays, else of the one who pays."""
        step = self.to_score if rules.to_score else next(s for s in self.steps if rounds <= s.rounds_max)
        return step.cards_each if rules.payer == "each" else step.cards

    def messages(self) -> list[RoomPrice]:
        """Return all of them as people see them."""
        return [step.message() for step in (*self.steps, self.to_score)]


def parse_prices(text: str) -> Prices:
    """Return the prices of a JSON text.

    Raises:
        BadPrices: It is none, steps are not in order or do not reach the longest match, a price is out of
            range.
    """
    try:
        data = json.loads(text)
        steps = [_price(step, _whole(step["rounds_max"])) for step in data["steps"]]
        to_score = _price(data["to_score"], 0)
    except (ValueError, KeyError, TypeError) as error:
        raise BadPrices(f"not the data of prices: {error!r}") from error
    ends = [step.rounds_max for step in steps]
    if ends != sorted(set(ends)) or not ends or ends[0] < 1 or ends[-1] != ROUNDS_MAX:
        raise BadPrices(f"steps must be in order, the last for {ROUNDS_MAX} rounds")
    for one in (*steps, to_score):
        if not (0 <= one.cards <= CARDS_MAX and 0 <= one.cards_each <= CARDS_MAX):
            raise BadPrices(f"a price must be 0 to {CARDS_MAX} cards")
    return Prices(tuple(steps), to_score)


def _price(data: Mapping[str, Any], rounds_max: int) -> Price:
    return Price(rounds_max, _whole(data["cards"]), _whole(data["cards_each"]))


def _whole(value: object) -> int:
    if type(value) is not int:
        raise TypeError(f"{value!r} is no whole number")
    return value

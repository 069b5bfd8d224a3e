"""The Result of a record of 斗地主, read strictly (docs/games/doudizhu.md)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from services.scoring.core.doudizhu.cards import RANKS, SEATS
from services.scoring.core.doudizhu.payment import Won, succession
from services.scoring.core.doudizhu.readings import TYPES
from services.scoring.core.doudizhu.rules import Options
from services.scoring.core.game import BadResult

ACTION: Final = (
    rf"bid [0-3]|call|no_call|rob|no_rob|double [12]|pass"
    rf"|play [{RANKS}]{{1,20}}(?: as (?:{'|'.join(TYPES)}))?"
)
"""What an action of a record looks like."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """How a round ended; docs/games/doudizhu.md explains each."""

    end: str
    winners: tuple[int, ...]
    how: str
    from_seat: int
    landlord: int
    last: int
    bid: int
    robs: int
    bombs: int
    rockets: int
    spring: str
    double: tuple[int, ...]
    fan: int
    names: dict[str, int]
    points: tuple[int, ...]
    dealer_next: int
    draws_in_row_next: int

    @property
    def huxi(self) -> int:
        """0: there is no 息 in this game."""
        return 0


def _is_number(least: int, most: int | None = None) -> Callable[[Any], bool]:
    return lambda value: type(value) is int and value >= least and (most is None or value <= most)


def _is_list(each: Callable[[Any], bool], *lengths: int) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, list) and len(value) in lengths and all(map(each, value))


def _is_word(*words: str) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, str) and value in words


def _are_names(value: Any) -> bool:
    return isinstance(value, dict) and all(map(_is_number(1), value.values()))


_SEAT: Final = _is_number(0, SEATS - 1)
_SEAT_OR_NONE: Final = _is_number(-1, SEATS - 1)

_KEYS: Final[dict[str, Callable[[Any], bool]]] = {
    "bid": _is_number(0, 3),
    "bombs": _is_number(0),
    "dealer_next": _SEAT_OR_NONE,
    "double": _is_list(_is_number(1, 2), SEATS),
    "draws_in_row_next": _is_number(0),
    "end": _is_word("win", "draw"),
    "fan": _is_number(0),
    "from": _is_number(-1, -1),
    "how": _is_word("landlord", "peasants", ""),
    "landlord": _SEAT_OR_NONE,
    "last": _SEAT_OR_NONE,
    "names": _are_names,
    "points": _is_list(lambda value: type(value) is int, SEATS),
    "robs": _is_number(0),
    "rockets": _is_number(0),
    "spring": _is_word("春天", "反春天", ""),
    "winners": _is_list(_SEAT, 0, 1, 2),
}


def result_of(given: Mapping[str, Any]) -> Result:
    """Return the Result that a JSON object is.

    Raises:
        BadResult: A key is missing, unknown, or no such thing.
    """
    odd = sorted(given.keys() ^ _KEYS.keys())
    if odd:
        raise BadResult(f"wrong or missing keys: {', '.join(odd)[:200]}")
    for key, is_right in _KEYS.items():
        if not is_right(given[key]):
            raise BadResult(f"{key} is no such thing")
    values: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value for key, value in given.items()
    }
    return Result(from_seat=values.pop("from"), **values)


def result_after(options: Options, first: int, draws_in_row: int, won: Won | None) -> Result:
    """Return the Result of a round that ended so; None: all declined."""
    dealer_next, draws = succession(options, first, draws_in_row, -1 if won is None else won.last)
    if won is None:
        return Result(
            end="draw",
            winners=(),
            how="",
            from_seat=-1,
            landlord=-1,
            last=-1,
            bid=0,
            robs=0,
            bombs=0,
            rockets=0,
            spring="",
            double=(1,) * SEATS,
            fan=0,
            names={},
            points=(0,) * SEATS,
            dealer_next=dealer_next,
            draws_in_row_next=draws,
        )
    return Result(
        end="win",
        winners=(won.landlord,) if won.is_landlords else won.peasants,
        how="landlord" if won.is_landlords else "peasants",
        from_seat=-1,
        landlord=won.landlord,
        last=won.last,
        bid=won.bid,
        robs=won.robs,
        bombs=won.bombs,
        rockets=won.rockets,
        spring=won.spring,
        double=won.double,
        fan=won.fan(options),
        names=won.names(),
        points=won.points(options),
        dealer_next=dealer_next,
        draws_in_row_next=draws,
    )

"""The Result of a record of 卡五星, read strictly (docs/games/kawuxing.md)."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from services.scoring.core.game import BadResult, Doubt, Melds
from services.scoring.core.kawuxing import names, shapes
from services.scoring.core.kawuxing.shapes import Parting, part_of_word
from services.scoring.core.kawuxing.table import Table, succession
from services.scoring.core.kawuxing.tiles import NAMES, SEATS, BadTiles, counted, kinds_of_word, word_of

_TILE: Final = r"(?:[mps][1-9]|z[567])"
ACTION: Final = (
    rf"discard {_TILE}|liang {_TILE}(?: {_TILE}){{0,4}}|gang (?:an|bu|ming) {_TILE}"
    r"|peng|hu|pass|piao (?:10|[0-9])"
)
"""What an action of a record looks like."""

DRAW: Final = "huangzhuang"


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """How a round ended; docs/games/kawuxing.md explains each."""

    card: str
    dealer_next: int
    draws_in_row_next: int
    end: str
    fan: int
    from_seat: int
    how: str
    kong_points: tuple[int, ...]
    last_drawer: int
    ma: tuple[str, ...]
    names: dict[str, int]
    points: tuple[int, ...]
    stake: int
    waiting: tuple[int, ...]
    winners: tuple[int, ...]
    wins: tuple[dict[str, Any], ...]

    @property
    def huxi(self) -> int:
        """0: there is no 息 in this game."""
        return 0


def _whole(least: int, most: int | None = None) -> Callable[[Any], bool]:
    def is_right(value: Any) -> bool:
        return type(value) is int and value >= least and (most is None or value <= most)

    return is_right


def _row(each: Callable[[Any], bool], *lengths: int) -> Callable[[Any], bool]:
    def is_right(value: Any) -> bool:
        return isinstance(value, list) and (not lengths or len(value) in lengths) and all(map(each, value))

    return is_right


def _matches(pattern: str) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, str) and re.fullmatch(pattern, value) is not None


def _any_whole(value: Any) -> bool:
    return type(value) is int


def _is_flag(value: Any) -> bool:
    return type(value) is bool


def _are_names(value: Any) -> bool:
    return isinstance(value, dict) and all(map(_whole(1), value.values()))


_SEAT: Final = _whole(0, SEATS - 1)
_WON: Final[dict[str, Callable[[Any], bool]]] = {
    "bao": _is_flag,
    "du": _is_flag,
    "fan": _whole(1),
    "kan": _whole(0),
    "names": _are_names,
    "seat": _SEAT,
}


def _is_won(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and value.keys() == _WON.keys()
        and all(check(value[key]) for key, check in _WON.items())
    )


_SHAPE: Final[dict[str, Callable[[Any], bool]]] = {
    "card": _matches(f"{_TILE}?"),
    "dealer_next": _SEAT,
    "draws_in_row_next": _whole(0),
    "end": _matches("hu|draw"),
    "fan": _whole(0),
    "from": _whole(-1, SEATS - 1),
    "how": _matches("|".join((*names.HOWS, DRAW))),
    "kong_points": _row(_any_whole, SEATS),
    "last_drawer": _SEAT,
    "ma": _row(_matches(_TILE)),
    "melds": _row(_row(_matches(f"{_TILE}+")), 0, 1, 2),
    "names": _are_names,
    "points": _row(_any_whole, SEATS),
    "stake": _whole(1),
    "waiting": _row(_whole(0), SEATS),
    "winners": _row(_SEAT, 0, 1, 2),
    "wins": _row(_is_won, 0, 1, 2),
}


def result_of(given: Mapping[str, Any]) -> tuple[Result, Melds]:
    """Return the Result that a JSON object is, and the melds it shows.

    Raises:
        BadResult: A key is missing, unknown, or no such thing.
    """
    odd = sorted(given.keys() ^ _SHAPE.keys())
    if odd:
        raise BadResult(f"wrong or missing keys: {', '.join(odd)[:200]}")
    wrong = [key for key, check in _SHAPE.items() if not check(given[key])]
    if wrong:
        raise BadResult(f"{wrong[0]} is no such thing")
    values: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value for key, value in given.items()
    }
    shown = tuple(tuple(words) for words in values.pop("melds"))
    return Result(from_seat=values.pop("from"), **values), shown


def result_after(table: Table) -> Result:
    """Return the Result of a round that has ended."""
    ending = table.ending
    assert ending is not None, "the round has ended"
    dealer_next, draws = succession(table)
    wins = tuple(
        {
            "bao": seat in ending.bao,
            "du": win.du,
            "fan": win.fan,
            "kan": win.kan,
            "names": dict(win.names),
            "seat": seat,
        }
        for seat, win in ending.wins
    )
    found: dict[str, int] = {}
    for _, win in ending.wins:
        for name, worth in win.names.items():
            found[name] = max(worth, found.get(name, 0))
    return Result(
        card="" if ending.kind is None else NAMES[ending.kind],
        dealer_next=dealer_next,
        draws_in_row_next=draws,
        end="hu" if ending.wins else "draw",
        fan=max((win.fan for _, win in ending.wins), default=0),
        from_seat=ending.from_seat,
        how=ending.how,
        kong_points=tuple(table.purse.kong_points()),
        last_drawer=table.last_drawer,
        ma=tuple(NAMES[kind] for kind in ending.turned),
        names=found,
        points=tuple(table.purse.points()),
        stake=table.purse.stake,
        waiting=ending.waiting,
        winners=tuple(seat for seat, _ in ending.wins),
        wins=wins,
    )


def melds_after(table: Table) -> Melds:
    """Return the winning readings as a record shows them."""
    ending = table.ending
    assert ending is not None, "the round has ended"
    return tuple(tuple(part.word for part in win.parts) for _, win in ending.wins)


def doubts_of_melds(table: Table, shown: Melds) -> Iterator[Doubt]:
    """Yield what is wrong with the melds that a record shows: any right reading will do.

    By winner they are the concealed tiles with the won one, parted into sets and a pair or into seven pairs,
    and worth as much as the best reading.
    """
    ending = table.ending
    assert ending is not None, "the round has ended"
    said = "; ".join(" ".join(words) for words in shown) or "none"
    if len(shown) != len(ending.wins):
        yield "melds", said, f"{len(ending.wins)} hands, one for each winner"
        return
    for words, (seat, win) in zip(shown, ending.wins, strict=True):
        tiles = [kind for part in win.parts for kind in part.kinds]
        parts = _parts(words)
        if parts is None:
            yield "melds", said, f"sets and a pair, or seven pairs, of seat {seat}"
            return
        if counted(kind for part in parts for kind in part.kinds) != counted(tiles):
            yield (
                "melds",
                said,
                f"the tiles of seat {seat}, {word_of(tiles)}",
            )
            return
        tiles.remove(win.kind)
        moment = table.moment(seat, ending.how)
        melds = table.seats[seat].melds
        worth = names.worth_of(parts, counted(tiles), melds, win.kind, moment, table.options)
        if worth != win.fan:
            yield "melds", said, f"a reading of {win.fan} 番 for seat {seat}; this one has {worth}"
            return


def _parts(words: Sequence[str]) -> Parting | None:
    """Return the parting that some words are, or None if it wins nothing."""
    try:
        parts = tuple(part_of_word(kinds_of_word(word)) for word in words)
    except BadTiles:
        return None
    found = tuple(part for part in parts if part is not None)
    pairs = sum(part.shape == "pair" for part in found)
    if len(found) != len(parts) or (pairs != 1 and (pairs, len(parts)) != (shapes.PAIRS, shapes.PAIRS)):
        return None
    return found

"""The Result of a record of 清混碰, read strictly, and ours (docs/games/qinghunpeng.md)."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from services.scoring.core.game import BadResult, Doubt, Figures, Melds
from services.scoring.core.qinghunpeng.payment import points_by_seat, succession
from services.scoring.core.qinghunpeng.shapes import Parting, partings
from services.scoring.core.qinghunpeng.table import Ending, Table
from services.scoring.core.qinghunpeng.tiles import KIND, SEATS, TEXTS, counted
from services.scoring.core.qinghunpeng.worth import PUNGS

_TILE: Final = "[mps][1-9]|z[1-7]"
_LOWEST: Final = "[mps][1-7]"
ACTION: Final = rf"(?:discard|gang (?:an|bu|ming)) (?:{_TILE})|chi {_LOWEST}|peng|hu|pass"
"""What an action of a record looks like."""

HOW: Final = ("zimo", "gangkai", "discard", "qianggang", "bahua", "huangzhuang")


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """How a round ended; docs/games/qinghunpeng.md explains each."""

    end: str
    winners: tuple[int, ...]
    how: str
    from_seat: int
    card: str
    points: tuple[int, ...]
    names: dict[str, int]
    score: int
    times: int
    wins: tuple[dict[str, Any], ...]
    dealer_next: int
    draws_in_row_next: int

    @property
    def huxi(self) -> int:
        """0: there is no 息 in this game."""
        return 0

    @property
    def fan(self) -> int:
        """What the round multiplies by: 荒番."""
        return self.times


def result_after(table: Table, draws_in_row: int, ending: Ending) -> Result:
    """Return the Result of a round that ended so at a table."""
    bound = [table.bound_to(seat) for seat in ending.wins]
    dealer_next, draws = succession(table.options, table.dealer, draws_in_row, ending)
    names: dict[str, int] = {}
    for win in ending.wins.values():
        for name, worth in win.names.items():
            names[name] = max(worth, names.get(name, 0))
    return Result(
        end="hu" if ending.wins else "draw",
        winners=tuple(ending.wins),
        how=ending.how,
        from_seat=ending.giver,
        card="" if ending.tile < 0 else TEXTS[ending.tile],
        points=points_by_seat(ending, bound),
        names=names,
        score=max((win.points for win in ending.wins.values()), default=0),
        times=table.times,
        wins=tuple(
            {
                "bound": list(others),
                "flowers": win.flowers,
                "names": win.names,
                "points": win.points,
                "seat": seat,
            }
            for (seat, win), others in zip(ending.wins.items(), bound, strict=True)
        ),
        dealer_next=dealer_next,
        draws_in_row_next=draws,
    )


def words_of(parting: Parting) -> tuple[str, ...]:
    """Return sets and a pair as words such as `m1m2m3`, the pair last."""
    pair_last = sorted(parting, key=lambda part: (part.form == "pair", part.kinds))
    return tuple("".join(TEXTS[kind] for kind in part.kinds) for part in pair_last)


def _int(least: int, most: int | None = None) -> Callable[[Any], bool]:
    def fits(value: Any) -> bool:
        return type(value) is int and least <= value and (most is None or value <= most)

    return fits


def _list_of(each: Callable[[Any], bool], length: int | None = None) -> Callable[[Any], bool]:
    def fits(value: Any) -> bool:
        return isinstance(value, list) and length in (None, len(value)) and all(each(one) for one in value)

    return fits


def _word_in(*words: str) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, str) and value in words


def _is_word(value: Any) -> bool:
    return isinstance(value, str)


def _are_names(value: Any) -> bool:
    return isinstance(value, dict) and all(_int(0)(worth) for worth in value.values())


def _is_win(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and value.keys() == _WIN.keys()
        and all(fits(value[key]) for key, fits in _WIN.items())
    )


_SEAT: Final = _int(0, SEATS - 1)

_WIN: Final[Mapping[str, Callable[[Any], bool]]] = {
    "bound": _list_of(_SEAT),
    "flowers": _int(0),
    "names": _are_names,
    "points": _int(0),
    "seat": _SEAT,
}

_FITS: Final[Mapping[str, Callable[[Any], bool]]] = {
    "card": _word_in("", *TEXTS),
    "dealer_next": _SEAT,
    "draws_in_row_next": _int(0),
    "end": _word_in("hu", "draw"),
    "from": _int(-1, SEATS - 1),
    "how": _word_in(*HOW),
    "melds": _list_of(_list_of(_is_word)),
    "names": _are_names,
    "points": _list_of(lambda value: type(value) is int, SEATS),
    "score": _int(0),
    "times": _int(1, 2),
    "winners": _list_of(_SEAT),
    "wins": _list_of(_is_win),
}


def result_of(given: Mapping[str, Any]) -> tuple[Result, Melds]:
    """Return the Result that a JSON object is, and the melds it shows.

    Raises:
        BadResult: A key is missing, unknown, or no such thing.
    """
    strange = sorted(set(given).symmetric_difference(_FITS))
    if strange:
        raise BadResult(f"wrong or missing keys: {', '.join(strange)[:200]}")
    for key in _FITS:
        if not _FITS[key](given[key]):
            raise BadResult(f"{key} is no such thing")
    result = Result(
        end=given["end"],
        winners=tuple(given["winners"]),
        how=given["how"],
        from_seat=given["from"],
        card=given["card"],
        points=tuple(given["points"]),
        names=given["names"],
        score=given["score"],
        times=given["times"],
        wins=tuple(given["wins"]),
        dealer_next=given["dealer_next"],
        draws_in_row_next=given["draws_in_row_next"],
    )
    return result, tuple(tuple(words) for words in given["melds"])


def doubts_of_melds(shown: Melds, told: Result, ours: Figures) -> Iterator[Doubt]:
    """Yield what is wrong with the sets that a record shows: each winner's tiles, parted some right way.

    Which of several right ways it is, is not compared; but a hand paid as one without runs shows none.
    """
    said = "; ".join(" ".join(words) for words in shown) or "none"
    if len(shown) != len(ours.melds):
        yield "melds", said, f"the sets of {len(ours.melds)} winners"
        return
    assert isinstance(ours.result, Result)
    for words, own, win in zip(shown, ours.melds, ours.result.wins, strict=True):
        if not _is_right(words, own, may_run=PUNGS.isdisjoint(win["names"])):
            yield "melds", said, f"for seat {win['seat']} such as {' '.join(own) or 'none'}"
            return


def _is_right(words: tuple[str, ...], own: tuple[str, ...], *, may_run: bool) -> bool:
    """Say whether words are the tiles of our own parting, parted some right way, the pair last."""
    if not own or not words:
        return words == own
    held = counted(KIND[word[at : at + 2]] for word in own for at in range(0, len(word), 2))
    ways = [words_of(way) for way in partings(held) if may_run or all(part.form != "run" for part in way)]
    return any(words[-1] == way[-1] and sorted(words[:-1]) == sorted(way[:-1]) for way in ways)

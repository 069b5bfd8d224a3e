"""跑胡子 as the auditor knows it: its Result, its deal, and the melds a record shows."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from services.scoring.core import examples, explain, hands, payment, play, table
from services.scoring.core.game import BadResult, Course, Doubt, Figures, Game, HandScorer, Melds
from services.scoring.core.rules import PRESETS, Options, options_of_record, preset_named
from services.scoring.core.table import SEATS, Ending
from services.scoring.core.tiles import DECK, NAMES, UnknownCard, kind_of

_CARD: Final = r"[sb](?:10|[1-9])"


@dataclass(frozen=True, slots=True)
class Result:
    """What the engine says of the end; docs/record-format.md explains each."""

    end: str
    winners: tuple[int, ...]
    how: str
    from_seat: int
    card: str
    points: tuple[int, ...]
    huxi: int
    deng: int
    zimo_bonus: int
    names: dict[str, int]
    fan: int
    dealer_next: int
    draws_in_row_next: int


def _int_in(least: int, most: int | None = None) -> Callable[[Any], bool]:
    return lambda value: type(value) is int and least <= value and (most is None or value <= most)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


_RESULT: Final[dict[str, Callable[[Any], bool]]] = {
    "end": lambda value: value in ("hu", "draw"),
    "winners": lambda value: isinstance(value, list) and all(map(_int_in(0, SEATS - 1), value)),
    "how": lambda value: value in ("zimo", "wall", "liang", "santi", "discard", ""),
    "from": _int_in(-1, SEATS - 1),
    "card": lambda value: _is_text(value) and (not value or re.fullmatch(_CARD, value) is not None),
    "points": lambda value: (
        isinstance(value, list) and len(value) == SEATS and all(type(v) is int for v in value)
    ),
    "huxi": _int_in(0),
    "deng": _int_in(0),
    "zimo_bonus": _int_in(0),
    "names": lambda value: isinstance(value, dict) and all(type(v) is int for v in value.values()),
    "fan": _int_in(0),
    "melds": lambda value: (
        isinstance(value, list)
        and all(isinstance(meld, list) and len(meld) >= 1 and all(map(_is_text, meld)) for meld in value)
    ),
    "dealer_next": _int_in(0, SEATS - 1),
    "draws_in_row_next": _int_in(0),
}


def _result(given: Mapping[str, Any]) -> tuple[Result, Melds]:
    if set(given) != set(_RESULT):
        odd = sorted(set(given) ^ set(_RESULT))
        raise BadResult(f"wrong or missing keys: {', '.join(odd)[:200]}")
    for name, is_right in _RESULT.items():
        if not is_right(given[name]):
            raise BadResult(f"{name} is no such thing")
    result = Result(
        end=given["end"],
        winners=tuple(given["winners"]),
        how=given["how"],
        from_seat=given["from"],
        card=given["card"],
        points=tuple(given["points"]),
        huxi=given["huxi"],
        deng=given["deng"],
        zimo_bonus=given["zimo_bonus"],
        names=given["names"],
        fan=given["fan"],
        dealer_next=given["dealer_next"],
        draws_in_row_next=given["draws_in_row_next"],
    )
    return result, tuple(tuple(meld) for meld in given["melds"])


def _course(options: Options, dealer: int, draws_in_row: int, places: Sequence[int]) -> Course:
    at = table.dealt(options, dealer, [DECK[place] for place in places])
    return figures(options, dealer, draws_in_row, (yield from play.whole_round(at)))


def figures(options: Options, dealer: int, draws_in_row: int, ending: Ending) -> Figures:
    """Return the figures of a round that ended so."""
    dealer_next, draws = table.succession(options, dealer, draws_in_row, ending.winner)
    win = ending.win
    if win is None or ending.winner is None:
        nothing = Result("draw", (), "", -1, "", (0,) * SEATS, 0, 0, 0, {}, 0, dealer_next, draws)
        return Figures(nothing, ())
    return Figures(
        Result(
            end=ending.end,
            winners=(ending.winner,),
            how=ending.how,
            from_seat=ending.from_seat,
            card="" if ending.card is None else NAMES[ending.card],
            points=payment.points_by_seat(win.points, ending.winner, ending.how, ending.from_seat, options),
            huxi=win.xi,
            deng=win.deng,
            zimo_bonus=win.zimo_bonus,
            names=dict(win.names),
            fan=win.fan,
            dealer_next=dealer_next,
            draws_in_row_next=draws,
        ),
        tuple((meld.kind, *(NAMES[card] for card in meld.cards)) for meld in win.melds),
    )


def _doubts_of_melds(shown: Melds, told: Result, ours: Figures) -> Iterator[Doubt]:
    """Yield what is wrong with the melds that a record of 跑胡子 shows.

    They are seven, their cards are the winner's, and their 息 add up to what the hand is worth. Which of
    several right readings it is, is not compared; of a 三提五坎 nothing is.
    """
    said = "; ".join(" ".join(meld) for meld in shown) or "none"
    if not ours.result.winners:
        if shown and not told.winners:
            yield "melds", said, "none, nobody won"
        return
    if ours.result.how == "santi" or not told.winners:
        return
    try:
        melds = [_meld(kind, cards) for kind, *cards in shown]
    except (hands.BadMeld, UnknownCard) as bad:
        yield "melds", said, str(bad)
        return
    pairs = sum(meld.kind == "jiang" for meld in melds)
    laid = Counter(NAMES[card] for meld in melds for card in meld.cards)
    held = Counter(card for _, *cards in ours.melds for card in cards)
    xi = sum(meld.xi for meld in melds)
    if len(melds) != hands.GROUPS or pairs > 1:
        yield "melds", said, f"{hands.GROUPS} 门子, at most one of them a 将"
    elif laid != held:
        yield "melds", said, f"the winner's cards, {' '.join(sorted(held.elements()))}"
    elif xi != ours.result.huxi:
        yield "melds", said, f"{ours.result.huxi} 息 together, these have {xi}"


def _meld(kind: str, cards: Sequence[str]) -> hands.Meld:
    """Return a meld of a winning hand; 坎 and 将 are the two kinds that are never laid."""
    kinds = sorted(kind_of(card) for card in cards)
    if kind not in ("kan", "jiang"):
        return hands.laid(kind, kinds)
    if not kinds or tuple(kinds) != hands.alike(kind, kinds[0]).cards:
        raise hands.BadMeld(f"{' '.join(cards)} is no {kind}")
    return hands.alike(kind, kinds[0])


def summary(result: Result) -> str:
    """Return how a round ended, in a few words."""
    if not result.winners:
        return "荒庄"
    found = "".join(f", {name} {fan} 番" for name, fan in result.names.items())
    return f"seat {result.winners[0]} by {result.how}, {result.huxi} 息{found}"


def _draws_below(options: Options) -> int:
    return options.huangzhuang_change_after


GAME: Final = Game(
    name="paohuzi",
    short="phz",
    seats=SEATS,
    cards=len(DECK),
    actions=rf"discard {_CARD}|chi(?: (?:{_CARD}){{3}}){{1,3}}|peng|hu|pass",
    options_of_record=options_of_record,
    result_of=_result,
    course=_course,
    summary=summary,
    run_case=examples.run_case,
    draws_below=_draws_below,
    hands=HandScorer(presets=PRESETS, preset_named=preset_named, score=explain.score_hand),
    doubts_of_melds=_doubts_of_melds,
)

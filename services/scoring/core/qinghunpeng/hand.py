"""One hand of 清混碰, scored and explained."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from services.scoring.core.qinghunpeng import explain
from services.scoring.core.qinghunpeng.melds import KINDS_OF_MELD, Meld
from services.scoring.core.qinghunpeng.result import words_of
from services.scoring.core.qinghunpeng.rules import Options, preset_named, with_overrides
from services.scoring.core.qinghunpeng.tiles import (
    COPIES,
    FLOWERS,
    HAND_TILES,
    SUIT_KINDS,
    TEXTS,
    BadTiles,
    counted,
    kind_of,
)
from services.scoring.core.qinghunpeng.worth import Moment, Win, best_win

SOURCES: Final[Mapping[str, Moment]] = {
    "zimo": Moment(),
    "gangkai": Moment(after_kong=True),
    "flower": Moment(flowered=True),
    "discard": Moment(by="discard"),
    "qianggang": Moment(by="robbed"),
}
"""How a tile can come: drawn, as the replacement of a kong or of a flower, discarded, robbed from a kong."""

_RUN_STARTS: Final = 7


class BadHand(Exception):
    """A hand to be scored is not one."""


class FiveAlike(BadHand):
    """A hand holds more copies of a tile than there are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HandToScore:
    """What is asked: a hand, the tile that completes it, and the rule set."""

    preset: str = "seed000"
    overrides: Mapping[str, Any] = field(default_factory=dict)
    concealed: Sequence[str] = ()
    """Tiles in hand before the won one."""
    melds: Sequence[tuple[str, str]] = ()
    """Kind and tile, of a chow the lowest."""
    won: str = ""
    source: str = "zimo"
    flowers: int = 0
    """Number of exposed flowers."""
    heaven: bool = False
    """天胡, if the rule set knows it."""
    earth: bool = False
    """地胡, likewise."""
    last: bool = False
    """Nothing can be drawn any more."""
    times: int = 1
    """2 in a round that 荒番 doubles."""


@dataclass(frozen=True, slots=True)
class ScoredHand:
    """What a hand scores, and why."""

    can_hu: bool
    points: int = 0
    """Of one share, before `base_stake`."""
    names: Mapping[str, int] = field(default_factory=dict)
    flowers: int = 0
    sets: tuple[str, ...] = ()
    """The concealed sets as words, the pair last."""
    text_zh: tuple[str, ...] = ()
    text_en: tuple[str, ...] = ()


def score_hand(asked: HandToScore) -> ScoredHand:
    """Score a hand as well as it can be read, with each name and the sum explained.

    Raises:
        BadHand: The tiles cannot be such a hand.
        BadOptions: There is no such preset or option, or it cannot be that.
    """
    options = with_overrides(preset_named(asked.preset), asked.overrides)
    win = win_of(asked, options)
    if win is None:
        zh = f"不成牌型，或平胡不能胡，或点炮不足 {options.min_ron} 分（§3）：不能胡"
        en = f"No pattern, a plain hand, or less than {options.min_ron} by another's tile (§3): no win."
        return ScoredHand(False, text_zh=(zh,), text_en=(en,))
    melds = [meld_of(form, tile) for form, tile in asked.melds]
    lines = explain.of_win(options, win, melds, asked.flowers, asked.times)
    return ScoredHand(
        True, win.points, win.names, win.flowers, words_of(win.parting), *explain.in_both(lines)
    )


def win_of(asked: HandToScore, options: Options) -> Win | None:
    """Return the reading of a hand that counts, or None if it does not win.

    Raises:
        BadHand: The tiles cannot be such a hand; `FiveAlike` if there are not so many of one.
    """
    if asked.source not in SOURCES:
        raise BadHand(f"no source {asked.source!r}; there are {', '.join(SOURCES)}")
    if not 0 <= asked.flowers <= FLOWERS:
        raise BadHand(f"{asked.flowers} flowers")
    try:
        won = kind_of(asked.won)
        held = counted([*map(kind_of, asked.concealed), won])
        melds = [meld_of(form, tile) for form, tile in asked.melds]
        _check_copies(held, melds)
    except BadTiles as bad:
        raise BadHand(str(bad)) from None
    if len(asked.concealed) + 3 * len(melds) != HAND_TILES:
        raise BadHand(f"{len(asked.concealed)} tiles and {len(melds)} melds are not {HAND_TILES}")
    moment = SOURCES[asked.source]._replace(
        heaven=asked.heaven, earth=asked.earth, last=asked.last, times=asked.times
    )
    return best_win(options, held, melds, won, asked.flowers, moment)


def meld_of(form: str, tile: str) -> Meld:
    """Return a meld from its kind and tile.

    Raises:
        BadTiles: There is no such meld.
    """
    kind = kind_of(tile)
    is_run_start = kind < SUIT_KINDS and kind % 9 < _RUN_STARTS
    if form not in KINDS_OF_MELD or (form == "chi" and not is_run_start) or tile.startswith("f"):
        raise BadTiles(f"no meld {form[:20]} {tile[:20]}")
    return Meld(form, kind)


def _check_copies(held: Sequence[int], melds: Sequence[Meld]) -> None:
    owned = list(held)
    for meld in melds:
        for kind in meld.kinds:
            owned[kind] += 1
    for kind, copies in enumerate(owned):
        if copies > COPIES:
            raise FiveAlike(f"{copies} tiles {TEXTS[kind]}, and there are {COPIES}")

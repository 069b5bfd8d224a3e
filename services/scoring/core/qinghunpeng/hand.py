"""One hand of 清混碰, scored and explained (gRPC ScoreHand)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from services.scoring.core.hand import BadHand, HandToScore, ScoredHand, ScoredMeld, ScoredName
from services.scoring.core.qinghunpeng import explain
from services.scoring.core.qinghunpeng.melds import KINDS_OF_MELD, Meld
from services.scoring.core.qinghunpeng.rules import Options, preset_named, with_overrides
from services.scoring.core.qinghunpeng.tiles import (
    COPIES,
    FLOWERS,
    HAND_TILES,
    KIND,
    SUIT_KINDS,
    TEXTS,
    BadTiles,
    counted,
    is_flower,
    kind_of,
)
from services.scoring.core.qinghunpeng.worth import Moment, Win, best_win

SOURCES: Final[Mapping[str, Moment]] = {
    "zimo": Moment(),
    "gangkai": Moment(after_kong=True),
    "flower": Moment(flowered=True),
    "tianhu": Moment(heaven=True),
    "dihu": Moment(earth=True),
    "discard": Moment(by="discard"),
    "dihu_discard": Moment(by="discard", earth=True),
    "qianggang": Moment(by="robbed"),
}
"""How a tile can come: drawn, as the replacement of a kong or of a flower, and so on."""

EXPOSED_FLOWERS: Final = "flowers"
"""The kind of meld that the exposed flowers are told as."""

_RUN_STARTS: Final = 7
_SELF_DRAWN_SHARES: Final = 3


class BadCount(BadHand):
    """A hand holds too many tiles or too few, or more copies of one than there are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hand:
    """A hand, the tile that completes it, and how that came."""

    concealed: Sequence[str]
    """Tiles in hand before the won one."""
    melds: Sequence[Meld]
    won: str
    flowers: int
    """Number of exposed flowers."""
    moment: Moment


def score_hand(asked: HandToScore) -> ScoredHand:
    """Score a hand as well as it can be read, with each set, name and the sum explained.

    Raises:
        BadHand: The tiles cannot be such a hand.
        BadOptions: There is no such preset or option, or it cannot be that.
    """
    options = with_overrides(preset_named(asked.preset), asked.overrides)
    hand = _read(asked)
    win = win_of(hand, options)
    if win is None:
        zh = f"不成牌型，或平胡不能胡，或点炮不足 {options.min_ron} 分（§3）：不能胡"
        en = f"No pattern, a plain hand, or less than {options.min_ron} by another's tile (§3): no win."
        return ScoredHand(False, text_zh=(zh,), text_en=(en,))
    lines = explain.of_win(options, win, hand.melds, hand.flowers, hand.moment.times)
    text_zh, text_en = explain.in_both(lines)
    share = win.points * options.base_stake
    return ScoredHand(
        True,
        names=tuple(ScoredName(name, worth, "§4") for name, worth in win.names.items()),
        per_loser=_SELF_DRAWN_SHARES * share if asked.source == "qianggang" else share,
        winner_gain=share if hand.moment.by == "discard" else _SELF_DRAWN_SHARES * share,
        melds=tuple(
            ScoredMeld(part.form, tuple(TEXTS[kind] for kind in part.kinds), 0, "§3") for part in win.parting
        ),
        text_zh=text_zh,
        text_en=text_en,
    )


def _read(asked: HandToScore) -> Hand:
    if asked.source not in SOURCES:
        raise BadHand(f"no source {asked.source[:20]!r}; there are {', '.join(SOURCES)}")
    melds, flowers = [], 0
    for form, tiles in asked.exposed:
        if form == EXPOSED_FLOWERS:
            flowers += _flowers(tiles)
        else:
            melds.append(_meld_of_tiles(form, tiles))
    moment = SOURCES[asked.source]._replace(last=asked.last_card)
    return Hand(concealed=asked.concealed, melds=melds, won=asked.card or "", flowers=flowers, moment=moment)


def _flowers(tiles: Sequence[str]) -> int:
    if len(set(tiles)) != len(tiles) or not all(tile in KIND and is_flower(KIND[tile]) for tile in tiles):
        raise BadHand(f"{' '.join(tiles)[:40]} are no flowers")
    return len(tiles)


def _meld_of_tiles(form: str, tiles: Sequence[str]) -> Meld:
    try:
        meld = meld_of(form, min(tiles, default=""))
    except BadTiles as bad:
        raise BadHand(str(bad)) from None
    if sorted(tiles) != [TEXTS[kind] for kind in meld.kinds]:
        raise BadHand(f"{' '.join(tiles)[:40]} is no {form}")
    return meld


def win_of(hand: Hand, options: Options) -> Win | None:
    """Return the reading of a hand that counts, or None if it does not win.

    Raises:
        BadHand: The tiles cannot be such a hand; `BadCount` if only their number is wrong.
    """
    if not 0 <= hand.flowers <= FLOWERS:
        raise BadHand(f"{hand.flowers} flowers")
    try:
        won = kind_of(hand.won)
        held = counted([*map(kind_of, hand.concealed), won])
    except BadTiles as bad:
        raise BadHand(str(bad)) from None
    _check_copies(held, hand.melds)
    if len(hand.concealed) + 3 * len(hand.melds) != HAND_TILES:
        raise BadCount(f"{len(hand.concealed)} tiles and {len(hand.melds)} melds are not {HAND_TILES}")
    return best_win(options, held, hand.melds, won, hand.flowers, hand.moment)


def meld_of(form: str, tile: str) -> Meld:
    """Return a meld from its kind and tile.

    Raises:
        BadTiles: There is no such meld.
    """
    kind = kind_of(tile)
    is_run_start = kind < SUIT_KINDS and kind % 9 < _RUN_STARTS
    if form not in KINDS_OF_MELD or (form == "chi" and not is_run_start) or is_flower(kind):
        raise BadTiles(f"no meld {form[:20]} {tile[:20]}")
    return Meld(form, kind)


def _check_copies(held: Sequence[int], melds: Sequence[Meld]) -> None:
    owned = list(held)
    for meld in melds:
        for kind in meld.kinds:
            owned[kind] += 1
    for kind, copies in enumerate(owned):
        if copies > COPIES:
            raise BadCount(f"{copies} tiles {TEXTS[kind]}, and there are {COPIES}")

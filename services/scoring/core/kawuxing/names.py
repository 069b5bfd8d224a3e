"""What a won hand of 卡五星 is worth: every reading with its names, and the one that counts (rules §5)."""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from services.scoring.core.kawuxing import shapes
from services.scoring.core.kawuxing.melds import PENG, Meld, waits_of
from services.scoring.core.kawuxing.rules import Options
from services.scoring.core.kawuxing.shapes import Parting
from services.scoring.core.kawuxing.tiles import (
    COPIES,
    DRAGONS,
    Counts,
    held,
    is_dragon,
    kinds_in_play,
    rank_of,
    suit_of,
)

SELF_DRAWN: Final = ("zimo", "gangkai")
HOWS: Final = (*SELF_DRAWN, "discard", "gangpao", "qianggang")
PLAIN: Final = "平胡"
KAWUXING: Final = "卡五星"
PAIR_NAMES: Final = ("七对", "龙七对", "双龙七对", "超龙七对")
MELDS_MAX: Final = 4

RULE_OF: Final = {"海底捞": "§9", "海底炮": "§9"}
"""Names that another paragraph than §5 tells of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """When a tile was won."""

    how: str
    """One of `HOWS`."""
    last: bool = False
    """The wall is empty."""
    tianhu: bool = False
    dihu: bool = False

    @property
    def is_self_drawn(self) -> bool:
        """Whether the winner drew the tile himself."""
        return self.how in SELF_DRAWN


@dataclass(frozen=True, slots=True)
class Win:
    """A won hand, read as well as it can be."""

    fan: int
    names: dict[str, int]
    kan: int
    """数坎: kongs and concealed triplets."""
    du: bool
    """卡五星, and the hand waited for nothing else."""
    parts: Parting
    """The concealed tiles, the won one among them."""
    kind: int
    """The won tile."""


@dataclass(slots=True)
class _Hand:
    """Everything that names go by, but for the parting."""

    counts: Counts
    """Concealed tiles, the won one among them."""
    melds: Sequence[Meld]
    kind: int
    moment: Moment
    options: Options
    one_suit: bool = False
    sole_wait: bool = False

    def __post_init__(self) -> None:
        """Find what is the same in every reading."""
        kinds = {*held(self.counts), *(meld.kind for meld in self.melds)}
        self.one_suit = len({suit_of(kind) for kind in kinds}) == 1 and not is_dragon(self.kind)
        if not is_dragon(self.kind) and rank_of(self.kind) == 5:
            before = list(self.counts)
            before[self.kind] -= 1
            self.sole_wait = waits_of(before, self.melds, kinds_in_play(self.options.suits)) == (self.kind,)

    @property
    def is_relaxed(self) -> bool:
        """Whether 四归一 counts wherever the four tiles are held, not only with the won one."""
        scope = self.options.sigui_scope
        return not self.options.forced_sigui and (scope == "full" or (scope == "seed" and self.one_suit))


def best_win(
    counts: Sequence[int], melds: Sequence[Meld], kind: int, moment: Moment, options: Options
) -> Win | None:
    """Return the reading of a won hand that counts, or None if the tiles do not win.

    Args:
        counts: The concealed tiles without the won one.
        melds: On the table.
        kind: The won tile.
        moment: How and when.
        options: The rule set.
    """
    whole = list(counts)
    whole[kind] += 1
    if whole[kind] > COPIES or not shapes.is_complete(whole):
        return None
    hand = _Hand(whole, melds, kind, moment, options)
    return max(_wins(hand), key=_preference)


def worth_of(
    parts: Parting, counts: Sequence[int], melds: Sequence[Meld], kind: int, moment: Moment, options: Options
) -> int:
    """Return the product of the names of one reading; the rest as in `best_win`."""
    whole = list(counts)
    whole[kind] += 1
    hand = _Hand(whole, melds, kind, moment, options)
    is_pairs = len(parts) == shapes.PAIRS
    return math.prod(dict(_pair_names(hand) if is_pairs else _set_names(hand, parts)).values())


def _wins(hand: _Hand) -> Iterator[Win]:
    for parts in shapes.partings(hand.counts):
        yield _win(hand, parts, dict(_set_names(hand, parts)), _kan(hand, parts))
    if shapes.is_seven_pairs(hand.counts):
        yield _win(hand, shapes.pairs_of(hand.counts), dict(_pair_names(hand)), 0)


def _win(hand: _Hand, parts: Parting, names: dict[str, int], kan: int) -> Win:
    fan = math.prod(names.values())
    du = KAWUXING in names and hand.sole_wait
    return Win(fan, names or {PLAIN: 1}, kan, du, parts, hand.kind)


def _preference(win: Win) -> tuple[int, int, bool, bool, int]:
    names = 0 if PLAIN in win.names else len(win.names)
    is_standard = len(win.parts) != shapes.PAIRS
    return (win.fan, names, KAWUXING in win.names, is_standard, win.kan)


def _kan(hand: _Hand, parts: Parting) -> int:
    kongs = sum(meld.is_kong for meld in hand.melds)
    triplets = [part.kind for part in parts if part.shape == "triplet"]
    if not hand.moment.is_self_drawn and hand.counts[hand.kind] < COPIES:
        # Another's tile is not concealed: its triplet needs three that were held before.
        triplets = [kind for kind in triplets if kind != hand.kind]
    return kongs + len(triplets)


def _pair_names(hand: _Hand) -> Iterator[tuple[str, int]]:
    """Yield the names of 七对."""
    options = hand.options
    fours = sum(count == COPIES for count in hand.counts)
    if options.forced_longqidui:
        fours = int(hand.counts[hand.kind] == COPIES)
    worth = (options.fan_qidui, options.fan_long, options.fan_shuanglong, options.fan_chaolong)
    yield PAIR_NAMES[fours], worth[fours]
    yield from _suit_name(hand)
    yield from _moment_names(hand)


def _set_names(hand: _Hand, parts: Parting) -> Iterator[tuple[str, int]]:
    """Yield the names of a reading of sets and a pair."""
    options, melds = hand.options, hand.melds
    four_melds = len(melds) == MELDS_MAX
    spoiled = options.szy_exclude_angang and any(meld.how == "an" for meld in melds)
    is_alone = four_melds and not spoiled
    if all(part.shape != "run" for part in parts) and (options.szy_stacks_pph or not is_alone):
        yield "碰碰胡", options.fan_pengpenghu
    yield from _five(hand, parts)
    yield from _four_in_one(hand, parts)
    yield from _dragons(hand, parts)
    yield from _suit_name(hand)
    if is_alone:
        yield "手抓一", options.fan_shouzhuayi
    if options.fan_menqing > 1 and all(meld.how == "an" for meld in melds):
        yield "门清", options.fan_menqing
    yield from _moment_names(hand)


def _five(hand: _Hand, parts: Parting) -> Iterator[tuple[str, int]]:
    """Yield 卡五星 and 独卡五星: a won 5 in the middle of a run."""
    if is_dragon(hand.kind) or rank_of(hand.kind) != 5:
        return
    if not any(part.shape == "run" and part.kind == hand.kind - 1 for part in parts):
        return
    if hand.options.kawuxing_mode == "du" and not hand.sole_wait:
        return
    yield KAWUXING, hand.options.fan_kawuxing
    if hand.sole_wait and hand.options.du_bonus > 1:
        yield "独卡五星", hand.options.du_bonus


def _four_in_one(hand: _Hand, parts: Parting) -> Iterator[tuple[str, int]]:
    """Yield 明四归一 and 暗四归一."""
    options, counts = hand.options, hand.counts
    ponged = [meld.kind for meld in hand.melds if meld.how == PENG and counts[meld.kind]]
    concealed = [kind for kind in held(counts) if counts[kind] == COPIES]
    if not hand.is_relaxed:
        ponged = [kind for kind in ponged if kind == hand.kind]
        concealed = [kind for kind in concealed if kind == hand.kind]
    if options.ansigui_needs_triplet:
        triplets = {part.kind for part in parts if part.shape == "triplet"}
        concealed = [kind for kind in concealed if kind in triplets]
    if ponged:
        yield "明四归一", options.fan_ming ** len(ponged)
    if concealed:
        yield "暗四归一", options.fan_an ** len(concealed)


def _dragons(hand: _Hand, parts: Parting) -> Iterator[tuple[str, int]]:
    sets = [meld.kind for meld in hand.melds] + [part.kind for part in parts if part.shape == "triplet"]
    pairs = [part.kind for part in parts if part.shape == "pair"]
    of_dragons = Counter(kind in DRAGONS for kind in sets)[True]
    if of_dragons == len(DRAGONS):
        yield "大三元", hand.options.fan_dasanyuan
    elif of_dragons == len(DRAGONS) - 1 and pairs[0] in DRAGONS:
        yield "小三元", hand.options.fan_xiaosanyuan


def _suit_name(hand: _Hand) -> Iterator[tuple[str, int]]:
    if hand.one_suit:
        yield "清一色", hand.options.fan_qingyise


def _moment_names(hand: _Hand) -> Iterator[tuple[str, int]]:
    """Yield what the hand owes to how and when it was won."""
    options, moment = hand.options, hand.moment
    if moment.how == "gangkai":
        yield "杠上开花", options.fan_gangkai
    if moment.how == "gangpao":
        yield "杠上炮", options.fan_gangpao
    if moment.how == "qianggang":
        yield "抢杠胡", options.fan_qianggang
    elif moment.last and options.fan_haidi > 1:
        yield ("海底捞" if moment.is_self_drawn else "海底炮"), options.fan_haidi
    if moment.tianhu and options.fan_tianhu > 1:
        yield "天胡", options.fan_tianhu
    if moment.dihu and options.fan_dihu > 1:
        yield "地胡", options.fan_dihu

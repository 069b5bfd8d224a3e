"""What a win is worth: patterns, flowers of the formula rows, extras (Rules 3, 4 and 8)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from engine.mahjong.readings import Part, readings
from engine.mahjong.tiles import FIELD, FIELD_BITS, HONOURS, ONE, SUIT, TILE_TEXTS, counts_of_field
from engine.mahjong.wins import code_of
from engine.qinghunpeng.melds import AN, CHI, KONGS, Laid
from engine.qinghunpeng.rules import RuleSet

HUNYISE: Final = "混一色"
QINGYISE: Final = "清一色"
PENGPENGHU: Final = "碰碰胡"
HUNPENG: Final = "混碰"
QINGPENG: Final = "清碰"
ZIPENG: Final = "字碰"
LUANFENGXIANG: Final = "乱风向"
PINGHU: Final = "平胡"
DADIAOCHE: Final = "大吊车"
GANGKAI: Final = "杠开"
ROBBED: Final = "抢杠"
HAIDI: Final = "海底"
TIANHU: Final = "天胡"
DIHU: Final = "地胡"
BAHUA: Final = "八花"
"""The names of wins."""

ZIMO: Final = "zimo"
DISCARD: Final = "discard"
QIANGGANG: Final = "qianggang"
"""Where the tile comes from: the own draw, a discard, a 补杠."""

SUITS_MASK: Final = (1 << 3 * FIELD_BITS) - 1
"""The fields of the three suits."""

_DRAGON_RANK: Final = 4
_NO_PUNGS: Final = 9


@dataclass(frozen=True, slots=True)
class Moment:
    """When a win happens: where the tile comes from, and what else about the moment has a name."""

    how: str = DISCARD
    gangkai: bool = False
    """Whether the draw makes 杠开."""
    last: bool = False
    """The last tile of the wall, or the discard after it (海底)."""
    first: str = ""
    """``tian`` or ``di`` for 天胡 and 地胡."""


@dataclass(frozen=True, slots=True)
class Win:
    """What a win is worth."""

    names: tuple[tuple[str, int], ...]
    """The pattern, then the extras, each with its points."""
    base: int
    """The points before 荒番, at most the cap."""
    points: int
    """The points of a share."""
    flowers: int
    """The flowers that were counted, 0 in a row that is no formula."""
    sets: tuple[str, ...]
    """The concealed tiles of the reading as words, the pair last; none without a reading."""

    @property
    def pattern(self) -> str:
        """The name of the pattern."""
        return self.names[0][0]


@lru_cache(maxsize=65_536)
def _pairs_of_pungs(content: int) -> int:
    """Return how many pairs a field leaves beside its triplets, 9 if it is not made of triplets and pairs."""
    pairs = 0
    for _, count in counts_of_field(content):
        if count == 2:
            pairs += 1
        elif count != 3:
            return _NO_PUNGS
    return pairs


def is_all_pungs(hand: int, melds: Sequence[Laid]) -> bool:
    """Return whether a hand with the winning tile parts into triplets and one pair, and no run lies."""
    pairs = 0
    for shift in (0, FIELD_BITS, 2 * FIELD_BITS, 3 * FIELD_BITS):
        pairs += _pairs_of_pungs(hand >> shift & FIELD)
    return pairs == 1 and not any(meld.kind == CHI for meld in melds)


@lru_cache(maxsize=65_536)
def _honour_triplets(content: int) -> int:
    """Return the flowers of the triplets among concealed honours: 1 for a wind, 2 for a dragon."""
    return sum([1 if rank < _DRAGON_RANK else 2 for rank, count in counts_of_field(content) if count == 3])


def flowers_of(hand: int, melds: Sequence[Laid], exposed: int) -> int:
    """Return the flowers of a complete hand (Rule 4): tiles, honour triplets and kongs.

    The triplets of honours are the same in every reading, since honours make no runs.
    """
    total = exposed + _honour_triplets(hand >> 3 * FIELD_BITS)
    for meld in melds:
        rank = meld.tile - 9 * HONOURS
        if rank >= 0:
            total += 1 if rank < _DRAGON_RANK else 2
        if meld.kind in KONGS:
            total += 2 if meld.kind == AN else 1
    return total


def has_shape(hand: int, melds: Sequence[Laid]) -> bool:
    """Return whether a hand with the winning tile is complete, or honours only (乱风向)."""
    if code_of(hand) & 15 == 1:
        return True
    return not hand & SUITS_MASK and all(meld.tile >= 9 * HONOURS for meld in melds)


def best_win(
    rules: RuleSet,
    hand: int,
    melds: Sequence[Laid],
    tile: int,
    exposed: int,
    moment: Moment,
    times: int = 1,
    full: bool = True,
) -> Win | None:
    """Return what a win is worth, or ``None`` if the hand may not win.

    Args:
        rules: The options.
        hand: The concealed tiles with the winning one; 14 with each meld counted as three.
        melds: The laid melds.
        tile: The winning tile.
        exposed: How many flowers the seat has exposed.
        moment: How and when it is won.
        times: What 荒番 multiplies by.
        full: Whether the words of the reading are wanted.
    """
    complete = code_of(hand) & 15 == 1
    suits = {SUIT[meld.tile] for meld in melds}
    suits |= {field for field in range(4) if hand >> field * FIELD_BITS & FIELD}
    honours = HONOURS in suits
    number = len(suits) - honours
    if not complete and number:
        return None
    pungs = complete and is_all_pungs(hand, melds)
    formula = min(rules.lezi, rules.formula_base + flowers_of(hand, melds, exposed))
    pattern, row = _row(rules, number, honours, pungs, complete, formula)
    if number == 1 and pungs:
        # A hand such as 111222333 has runs too; they count if their pattern is worth more.
        other, more = _row(rules, number, honours, False, True, formula)
        if _larger(rules, more, row, hand, melds, tile, moment) and _reading(hand, False):
            pattern, row, pungs = other, more, False
    extras = _extras(rules, hand, melds, tile, moment)
    if pattern == PINGHU and not _may_start(rules, extras):
        return None
    base = _capped(rules, _sum(rules, row, extras))
    if moment.how != ZIMO and base < rules.min_ron:
        return None
    counted = formula_flowers(pattern, hand, melds, exposed)
    sets: tuple[str, ...] = ()
    if full and complete:
        reading = _reading(hand, pungs, any(meld.kind == CHI for meld in melds))
        assert reading is not None, "a complete hand has a reading"
        sets = reading
    return Win(((pattern, row), *extras), base, _capped(rules, base * times), counted, sets)


def formula_flowers(pattern: str, hand: int, melds: Sequence[Laid], exposed: int) -> int:
    """Return the flowers that a pattern counts, 0 if its row is no formula."""
    return flowers_of(hand, melds, exposed) if pattern in (HUNYISE, PENGPENGHU) else 0


def eight_flowers(rules: RuleSet, times: int) -> Win:
    """Return the win of eight flowers (八花)."""
    worth = rules.lezi * rules.fixed_bahua
    base = _capped(rules, worth)
    return Win(((BAHUA, worth),), base, _capped(rules, base * times), 0, ())


def _row(
    rules: RuleSet, suits: int, honours: bool, pungs: bool, complete: bool, formula: int
) -> tuple[str, int]:
    """Return the pattern of a reading and its points (Rule 4)."""
    if suits > 1:
        return (PENGPENGHU, formula) if pungs else (PINGHU, 0)
    if not suits:
        if complete:
            return ZIPENG, rules.lezi * rules.fixed_zipeng
        return LUANFENGXIANG, rules.lezi * rules.fixed_luanfengxiang
    if honours:
        return (HUNPENG, rules.lezi * rules.fixed_hunpeng) if pungs else (HUNYISE, formula)
    if pungs:
        return QINGPENG, rules.lezi * rules.fixed_qingpeng
    return QINGYISE, rules.lezi * rules.fixed_qingyise


def _larger(
    rules: RuleSet, more: int, row: int, hand: int, melds: Sequence[Laid], tile: int, moment: Moment
) -> bool:
    """Return whether another row makes more points in the end, after extras and cap."""
    if more <= row:
        return False
    extras = _extras(rules, hand, melds, tile, moment)
    return _capped(rules, _sum(rules, more, extras)) > _capped(rules, _sum(rules, row, extras))


def _extras(
    rules: RuleSet, hand: int, melds: Sequence[Laid], tile: int, moment: Moment
) -> tuple[tuple[str, int], ...]:
    """Return the extras and their points, in the order of docs/games/qinghunpeng.md."""
    lezi = rules.lezi
    found = []
    four = len(melds) == 4 and hand == 2 * ONE[tile]
    if four and (rules.dadiaoche_angang or not any(meld.kind == AN for meld in melds)):
        found.append((DADIAOCHE, lezi * rules.floor_dadiaoche))
    if moment.gangkai:
        found.append((GANGKAI, lezi * rules.floor_gangkai))
    if moment.how == QIANGGANG:
        found.append((ROBBED, lezi * rules.floor_qianggang))
    if moment.last:
        found.append((HAIDI, lezi * rules.floor_haidi))
    if moment.first == "tian" and rules.fixed_tianhu:
        found.append((TIANHU, lezi * rules.fixed_tianhu))
    if moment.first == "di" and rules.fixed_dihu:
        found.append((DIHU, lezi * rules.fixed_dihu))
    return tuple(found)


def _may_start(rules: RuleSet, extras: Sequence[tuple[str, int]]) -> bool:
    """Return whether extras let a hand of no pattern win (起胡, Rule 3)."""
    allowed = rules.extra_can_start
    for name, _ in extras:
        if name in (TIANHU, DIHU) and rules.tian_di_waive:
            return True
        if name == DADIAOCHE and allowed in ("dadiaoche", "both"):
            return True
        if name == GANGKAI and allowed in ("gangkai", "both"):
            return True
    return False


def _sum(rules: RuleSet, row: int, extras: Sequence[tuple[str, int]]) -> int:
    """Return the points of a row with its extras: the largest, or with ``stack=add`` the sum."""
    worths = [row, *[worth for _, worth in extras]]
    return sum(worths) if rules.stack == "add" else max(worths)


def _capped(rules: RuleSet, points: int) -> int:
    return min(points, rules.cap) if rules.cap else points


def _reading(hand: int, pungs: bool, run_lies: bool = False) -> tuple[str, ...] | None:
    """Return the smallest words of a reading, the pair last; ``None`` if there is none.

    Args:
        hand: The concealed tiles with the winning one.
        pungs: Whether the reading is one without runs; else it needs a run, or one lies already.
        run_lies: Whether a run lies among the melds.
    """
    found = [_words(part) for part in readings(hand) if (run_lies or bool(part.runs)) != pungs]
    return min(found) if found else None


def _words(part: Part) -> tuple[str, ...]:
    words = [TILE_TEXTS[tile] * 3 for tile in part.triplets]
    words += [TILE_TEXTS[low] + TILE_TEXTS[low + 1] + TILE_TEXTS[low + 2] for low in part.runs]
    return (*sorted(words), TILE_TEXTS[part.pair] * 2)

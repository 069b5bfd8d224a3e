"""What a win is worth: the names of every reading, and the reading that counts (Rule 5).

Names of different readings never mix. Of all readings the one with the largest product counts; among
equal products more names, then 卡五星, then the standard reading before 七对, then more concealed triplets,
then the text of the melds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from engine.kawuxing.melds import AN, KONGS, PENG, Laid
from engine.kawuxing.rules import RuleSet
from engine.mahjong.readings import Part, readings
from engine.mahjong.tiles import (
    FIELD,
    FIELD_BITS,
    ONE,
    SUIT,
    TILE_TEXTS,
    count_of,
    counts,
    distinct,
    hand_tiles,
    size_of,
)
from engine.mahjong.wins import code_of, is_suit_five, wait_mask

PINGHU: Final = "平胡"
KAWUXING: Final = "卡五星"
DRAGONS: Final = (31, 32, 33)
"""中 发 白."""

ZIMO: Final = "zimo"
GANGKAI: Final = "gangkai"
DISCARDED: Final = "discard"
GANGPAO: Final = "gangpao"
QIANGGANG: Final = "qianggang"
SELF_DRAWN: Final = frozenset({ZIMO, GANGKAI})
"""How a tile was won; these two on the own draw."""

Names = tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Moment:
    """When a win happens: how the tile came, and what else about the moment has a name."""

    how: str = DISCARDED
    last: bool = False
    """The last tile of the wall, or the discard after it (海底)."""
    first: str = ""
    """``tian`` or ``di`` for 天胡 and 地胡."""


@dataclass(frozen=True, slots=True)
class Win:
    """What a win is worth before 亮倒."""

    fan: int
    """The product of the names."""
    names: Names
    """In the order of docs/games/kawuxing.md; ``平胡`` alone if nothing else counts."""
    sets: tuple[str, ...]
    """The concealed tiles of the reading as words, each a set or the pair."""
    kan: int
    """Kongs and concealed triplets (数坎)."""
    du: bool
    """Whether it is 独卡五星."""


def own_copies(hand: int, melds: Sequence[Laid]) -> int:
    """Return the tiles of which a seat owns all four, as bits: nothing can be won with a fifth copy."""
    mask = 0
    for meld in melds:
        if meld.kind != PENG or count_of(hand, meld.tile):
            mask |= 1 << meld.tile
    return mask


def waits_of(hand: int, melds: Sequence[Laid]) -> int:
    """Return the waits of a hand of 13 tiles, melds counted as three, as bits (Rule 4)."""
    mask = wait_mask(hand, not melds)
    return mask & ~own_copies(hand, melds) if mask and melds else mask


def is_complete(hand: int, melds: Sequence[Laid], tile: int) -> bool:
    """Return whether a hand that holds the winning tile already is won, and with no fifth copy of it."""
    code = code_of(hand)
    if code & 15 != 1 and (melds or code > 15):
        return False
    return not melds or not any(
        meld.tile == tile and (meld.kind != PENG or count_of(hand, tile) > 1) for meld in melds
    )


def best_win(
    rules: RuleSet, hand: int, melds: Sequence[Laid], tile: int, moment: Moment, full: bool = True
) -> Win | None:
    """Return what a win is worth, or ``None`` if the hand is not complete.

    Args:
        rules: The options.
        hand: The concealed tiles with the winning one.
        melds: The laid melds.
        tile: The winning tile.
        moment: How and when it is won.
        full: Whether the words of the reading are wanted.
    """
    if not is_complete(hand, melds, tile):
        return None
    whole = _whole_names(rules, hand, melds)
    spoiled = rules.szy_exclude_angang and any(meld.kind == AN for meld in melds)
    late = _late_names(rules, moment)
    five = is_suit_five(tile) and not any(meld.tile == tile and meld.kind != PENG for meld in melds)
    du = five and waits_of(hand - ONE[tile], melds) == 1 << tile
    quads = () if rules.ansigui_needs_triplet else _quads(rules, hand, melds, tile)
    ming = _ming(rules, hand, melds, tile)
    laid_kan = sum([meld.kind in KONGS for meld in melds])
    kept = hand if moment.how in SELF_DRAWN else hand - ONE[tile]
    best: tuple[int, int, bool, bool, int] | None = None
    chosen: tuple[Names, Part | None, bool] = ((), None, False)
    for part in readings(hand) if code_of(hand) & 15 == 1 else ():
        names: list[tuple[str, int]] = []
        if not part.runs and (spoiled or (rules.szy_stacks_pph or len(melds) < 4)):
            names.append(("碰碰胡", rules.fan_pengpenghu))
        is_kawuxing = five and tile - 1 in part.runs and (du or rules.kawuxing_mode == "any")
        if is_kawuxing:
            names.append((KAWUXING, rules.fan_kawuxing))
            if du and rules.du_bonus > 1:
                names.append(("独卡五星", rules.du_bonus))
        if ming:
            names.append(("明四归一", rules.fan_ming**ming))
        if rules.ansigui_needs_triplet:
            quads = tuple([at for at in _quads(rules, hand, melds, tile) if at in part.triplets])
        if quads:
            names.append(("暗四归一", rules.fan_an ** len(quads)))
        names += _sanyuan(rules, part, melds)
        names += whole
        if rules.fan_menqing > 1 and all(meld.kind == AN for meld in melds):
            names.append(("门清", rules.fan_menqing))
        names += late
        kan = laid_kan
        for at in part.triplets:
            kan += at != tile or count_of(kept, at) >= 3
        key = (_product(names), len(names), is_kawuxing, True, kan)
        if best is None or key > best or (key == best and _words(part) < _words(chosen[1])):
            best, chosen = key, (tuple(names), part, is_kawuxing)
    if not melds and code_of(hand) < 16:
        names = [_qidui(rules, hand, tile), *whole, *late]
        key = (_product(names), len(names), False, False, 0)
        if best is None or key > best:
            best, chosen = key, (tuple(names), None, False)
    assert best is not None, "a complete hand has a reading"
    names_won, part_won, is_kawuxing = chosen
    words = (_pairs(hand) if part_won is None else _words(part_won)) if full else ()
    return Win(best[0], names_won or ((PINGHU, 1),), words, best[4], du and is_kawuxing)


def best_fan(rules: RuleSet, hand: int, melds: Sequence[Laid], mask: int) -> int:
    """Return the 番 of the best wait of a ready hand, without names of the moment (Rule 8, 黄庄)."""
    best = 0
    for tile in range(34):
        if mask >> tile & 1:
            win = best_win(rules, hand + ONE[tile], melds, tile, Moment(), full=False)
            assert win is not None, "a wait wins"
            best = max(best, win.fan)
    return best


def _product(names: Sequence[tuple[str, int]]) -> int:
    product = 1
    for _, fan in names:
        product *= fan
    return product


def _words(part: Part | None) -> tuple[str, ...]:
    """Return the sets and the pair of a reading as words, sorted."""
    if part is None:
        return ()
    words = [TILE_TEXTS[tile] * 3 for tile in part.triplets]
    words += [TILE_TEXTS[low] + TILE_TEXTS[low + 1] + TILE_TEXTS[low + 2] for low in part.runs]
    return (*sorted(words), TILE_TEXTS[part.pair] * 2)


def _pairs(hand: int) -> tuple[str, ...]:
    return tuple([TILE_TEXTS[tile] * 2 for tile in hand_tiles(hand)[::2]])


def is_one_suit(hand: int, melds: Sequence[Laid]) -> bool:
    """Return whether all tiles, melds included, are of one suit without honours (清一色)."""
    field = 0
    rest = hand
    while not rest & FIELD:
        rest >>= FIELD_BITS
        field += 1
    if rest >> FIELD_BITS or field == 3:
        return False
    return all(SUIT[meld.tile] == field for meld in melds)


def _whole_names(rules: RuleSet, hand: int, melds: Sequence[Laid]) -> list[tuple[str, int]]:
    """Return the names that no reading changes."""
    names = []
    if is_one_suit(hand, melds):
        names.append(("清一色", rules.fan_qingyise))
    if len(melds) == 4 and not (rules.szy_exclude_angang and any(meld.kind == AN for meld in melds)):
        names.append(("手抓一", rules.fan_shouzhuayi))
    return names


def _late_names(rules: RuleSet, moment: Moment) -> list[tuple[str, int]]:
    """Return the names of the moment."""
    names = []
    if moment.how == GANGKAI:
        names.append(("杠上开花", rules.fan_gangkai))
    elif moment.how == GANGPAO:
        names.append(("杠上炮", rules.fan_gangpao))
    elif moment.how == QIANGGANG:
        names.append(("抢杠胡", rules.fan_qianggang))
    if moment.last and rules.fan_haidi > 1:
        names.append(("海底捞" if moment.how in SELF_DRAWN else "海底炮", rules.fan_haidi))
    if moment.first == "tian" and rules.fan_tianhu > 1:
        names.append(("天胡", rules.fan_tianhu))
    if moment.first == "di" and rules.fan_dihu > 1:
        names.append(("地胡", rules.fan_dihu))
    return names


def is_relaxed(rules: RuleSet, hand: int, melds: Sequence[Laid]) -> bool:
    """Return whether holding the four is enough for 四归一 (半频道, 全频道, 强制四归一)."""
    if rules.forced_sigui or rules.sigui_scope == "half":
        return False
    return rules.sigui_scope == "full" or is_one_suit(hand, melds)


def _ming(rules: RuleSet, hand: int, melds: Sequence[Laid], tile: int) -> int:
    """Return how often 明四归一 counts: own pongs whose fourth is in the hand."""
    if not melds:
        return 0
    held = [meld.tile for meld in melds if meld.kind == PENG and count_of(hand, meld.tile)]
    return len(held) if is_relaxed(rules, hand, melds) else int(tile in held)


def _quads(rules: RuleSet, hand: int, melds: Sequence[Laid], tile: int) -> tuple[int, ...]:
    """Return the tiles for which 暗四归一 counts."""
    if is_relaxed(rules, hand, melds):
        return tuple([at for at, count in counts(hand) if count == 4])
    return (tile,) if count_of(hand, tile) == 4 else ()


def _sanyuan(rules: RuleSet, part: Part, melds: Sequence[Laid]) -> Names:
    triplets = sum([tile in DRAGONS for tile in part.triplets]) + sum(
        [meld.tile in DRAGONS for meld in melds]
    )
    if triplets == 3:
        return (("大三元", rules.fan_dasanyuan),)
    if triplets == 2 and part.pair in DRAGONS:
        return (("小三元", rules.fan_xiaosanyuan),)
    return ()


def _qidui(rules: RuleSet, hand: int, tile: int) -> tuple[str, int]:
    quads = sum([count == 4 for _, count in counts(hand)])
    if rules.forced_longqidui:
        quads = int(count_of(hand, tile) == 4)
    return (
        ("七对", rules.fan_qidui),
        ("龙七对", rules.fan_long),
        ("双龙七对", rules.fan_shuanglong),
        ("超龙七对", rules.fan_chaolong),
    )[quads]


def is_thirteen(hand: int, melds: Sequence[Laid]) -> bool:
    """Return whether a hand has the tiles of a waiting player: 13 with each meld counted as three."""
    return size_of(hand) + 3 * len(melds) == 13 and all(
        meld.kind == PENG or not count_of(hand, meld.tile) for meld in melds
    )


def tiles_owned(hand: int, melds: Sequence[Laid]) -> tuple[int, ...]:
    """Return the different tiles of a hand and its melds, ascending."""
    return tuple(sorted({*distinct(hand), *[meld.tile for meld in melds]}))

"""The names a winning hand has, and the 番 each gives (rules §10), as tables."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from services.scoring.core.rules import Options
from services.scoring.core.tiles import KINDS, is_big, is_red


@dataclass(frozen=True, slots=True)
class Traits:
    """What the names of a won hand depend on."""

    reds: int
    bigs: int
    smalls: int
    without_eaten: bool
    """Only 坎 碰 偎 臭偎 跑 提, and the 将."""
    last_card: bool
    """The winning card was the last of the wall."""
    source: str
    """How the hand was won: self, other, liang_dealer, liang_other, santi, discard."""


def traits_of(cards: Sequence[int], *, without_eaten: bool, last_card: bool, source: str) -> Traits:
    """Count colours and sizes over all cards of a hand, given as counts."""
    reds = sum(cards[kind] for kind in range(KINDS) if is_red(kind))
    bigs = sum(cards[kind] for kind in range(KINDS) if is_big(kind))
    return Traits(reds, bigs, sum(cards) - bigs, without_eaten, last_card, source)


@dataclass(frozen=True, slots=True)
class ByReds:
    """A name for a number of red cards."""

    name: str
    least: int
    most: int
    fan: int


@dataclass(frozen=True, slots=True)
class Rising:
    """A name that grows by one 番 for each card of a sort beyond the first that gives it."""

    name: str
    counted: str
    least: int
    fan: int
    cap: str | None = None
    """The option that bounds it."""


@dataclass(frozen=True, slots=True)
class NameTable:
    """All names of one rule family."""

    rule: str
    by_reds: tuple[ByReds, ...] = ()
    rising: tuple[Rising, ...] = ()
    duidui: int = 0
    tian: int = 0
    di: int = 0
    haidi: tuple[str, int] | None = None
    haidi_plain: bool = False
    """海底 alone has its own total (§11.7)."""
    wu_dui: bool = False
    """乌胡 and 对对胡 have their own total (§11.6)."""


_ALL: Final = 99

TABLES: Final[dict[str, NameTable]] = {
    "876": NameTable(
        rule="§10a",
        by_reds=(
            ByReds("乌胡", 0, 0, 5),
            ByReds("点胡", 1, 1, 3),
            ByReds("红胡", 10, 12, 2),
            ByReds("红乌", 13, _ALL, 4),
        ),
        duidui=4,
        haidi=("海底", 2),
        haidi_plain=True,
        wu_dui=True,
    ),
    "qmt": NameTable(
        rule="§10b",
        by_reds=(ByReds("乌胡", 0, 0, 6), ByReds("点胡", 1, 1, 4)),
        rising=(
            Rising("红胡", "reds", 10, 2, "red_cap"),
            Rising("大字胡", "bigs", 18, 6, "big_cap"),
            Rising("小字胡", "smalls", 16, 8, "small_cap"),
        ),
        duidui=6,
        tian=6,
        di=6,
        haidi=("海底胡", 6),
    ),
    "none": NameTable(rule="§12"),
    "hhd": NameTable(
        rule="§12",
        by_reds=(
            ByReds("乌胡", 0, 0, 5),
            ByReds("点胡", 1, 1, 3),
            ByReds("红胡", 10, 12, 2),
            ByReds("红乌", 13, _ALL, 4),
        ),
        duidui=4,
    ),
    "changde-qmt": NameTable(
        rule="§12",
        by_reds=(ByReds("乌胡", 0, 0, 8), ByReds("点胡", 1, 1, 6)),
        rising=(
            Rising("红胡", "reds", 10, 3),
            Rising("大字胡", "bigs", 18, 8),
            Rising("小字胡", "smalls", 16, 10),
        ),
        duidui=8,
        tian=6,
        di=6,
        haidi=("海底胡", 6),
    ),
    "changde-dhd": NameTable(
        rule="§12",
        by_reds=(ByReds("乌胡", 0, 0, 5), ByReds("点胡", 1, 1, 3)),
        rising=(Rising("红胡", "reds", 10, 2),),
        duidui=5,
    ),
    "ningxiang": NameTable(
        rule="§12",
        by_reds=(
            ByReds("乌胡", 0, 0, 5),
            ByReds("点胡", 1, 1, 4),
            ByReds("双漂", 2, 2, 2),
            ByReds("三扁", 3, 3, 3),
            ByReds("四扁", 4, 4, 4),
        ),
        rising=(
            Rising("红胡", "reds", 10, 2),
            Rising("大字胡", "bigs", 18, 5),
            Rising("小字胡", "smalls", 18, 5),
        ),
        duidui=5,
        tian=5,
        di=5,
    ),
}


def names_of(traits: Traits, options: Options) -> dict[str, int]:
    """Return each name of a won hand with its 番 (rules §10)."""
    table = TABLES[options.names]
    found = {row.name: row.fan for row in table.by_reds if row.least <= traits.reds <= row.most}
    for rising in table.rising:
        beyond = getattr(traits, rising.counted) - rising.least
        if beyond >= 0:
            fan = rising.fan + beyond
            found[rising.name] = min(fan, getattr(options, rising.cap)) if rising.cap else fan
    if traits.without_eaten and table.duidui:
        both = table.wu_dui and "乌胡" in found
        found["对对胡"] = options.wu_dui_total - found["乌胡"] if both else table.duidui
    if traits.source in {"liang_dealer", "santi"} and table.tian:
        found["天胡"] = table.tian
    if traits.source == "liang_other" and table.di:
        found["地胡"] = table.di
    if traits.last_card and table.haidi:
        name, fan = table.haidi
        found[name] = options.haidi_plain_total if table.haidi_plain and not found else fan
    return found


def multiplier(names: dict[str, int]) -> int:
    """Return the sum of the names' 番, or 1 without any."""
    return sum(names.values()) if names else 1

"""名堂: the names a winning hand can have and what they are worth (Rule 10), as data.

One ``NameTable`` per value of the option ``names``. A name applies when its measure lies in its range; its 番
is ``fan + per_card * (measure - low)``, at most the option named ``cap``. Names add up, they never multiply.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class NameRule:
    """One name."""

    name: str
    """As it is written in a Result."""

    measure: str
    """``red``, ``big`` or ``small``: how many such cards; ``dui``, ``haidi``, ``tian``, ``di``: 1 if so."""

    low: int
    """Smallest measure."""

    high: int
    """Largest measure."""

    fan: int
    """番 at the smallest measure."""

    per_card: int = 0
    """番 for each card above the smallest measure."""

    cap: str = ""
    """The option that holds the largest 番 of this name, if any."""


@dataclass(frozen=True, slots=True)
class NameTable:
    """All names of one region."""

    names: tuple[NameRule, ...]
    """Every name, in the order in which they are explained."""

    wu_dui: bool = False
    """Whether 乌胡 with 对对胡 totals ``wu_dui_total`` (Rule 11, line 6)."""

    plain_haidi: bool = False
    """Whether a 海底 without any other name totals ``haidi_plain_total`` (Rule 11, line 7)."""

    rule: str = "§10"
    """Where the rules define it."""


NAMES_EN: Final = {
    "乌胡": "all black",
    "点胡": "one red",
    "红胡": "red",
    "红乌": "very red",
    "双漂": "two reds",
    "三扁": "three reds",
    "四扁": "four reds",
    "对对胡": "all sets",
    "大字胡": "big cards",
    "小字胡": "small cards",
    "海底": "last card",
    "海底胡": "last card",
    "天胡": "heavenly",
    "地胡": "earthly",
}
"""Every name in English."""

MELD_NAMES: Final = {
    "ti": ("提", "Ti"),
    "pao": ("跑", "Pao"),
    "wei": ("偎", "Wei"),
    "chouwei": ("臭偎", "Chou wei"),
    "kan": ("坎", "Kan"),
    "peng": ("碰", "Peng"),
    "shun": ("句", "Run"),
    "jiao": ("绞", "Mix"),
    "jiang": ("将", "Pair"),
    "rest": ("余", "Rest"),
}
"""Every kind of meld in Chinese and English; ``chi`` is ``shun`` in one size, ``jiao`` in both."""

MOST: Final = 26
"""Cards of the largest winning hand: six quads and a pair."""


def _colour(name: str, low: int, high: int, fan: int, per_card: int = 0, cap: str = "") -> NameRule:
    return NameRule(name, "red", low, high, fan, per_card, cap)


def _flag(name: str, measure: str, fan: int) -> NameRule:
    return NameRule(name, measure, 1, 1, fan)


NAME_TABLES: Final[dict[str, NameTable]] = {
    "876": NameTable(
        (
            _colour("乌胡", 0, 0, 5),
            _colour("点胡", 1, 1, 3),
            _colour("红胡", 10, 12, 2),
            _colour("红乌", 13, MOST, 4),
            _flag("对对胡", "dui", 4),
            _flag("海底", "haidi", 2),
        ),
        wu_dui=True,
        plain_haidi=True,
        rule="§10a",
    ),
    "qmt": NameTable(
        (
            _colour("点胡", 1, 1, 4),
            _colour("红胡", 10, MOST, 2, 1, "red_cap"),
            _colour("乌胡", 0, 0, 6),
            _flag("对对胡", "dui", 6),
            NameRule("大字胡", "big", 18, MOST, 6, 1, "big_cap"),
            NameRule("小字胡", "small", 16, MOST, 8, 1, "small_cap"),
            _flag("海底胡", "haidi", 6),
            _flag("天胡", "tian", 6),
            _flag("地胡", "di", 6),
        ),
        rule="§10b",
    ),
    "none": NameTable((), rule="§12"),
    "hhd": NameTable(
        (
            _colour("乌胡", 0, 0, 5),
            _colour("点胡", 1, 1, 3),
            _colour("红胡", 10, 12, 2),
            _colour("红乌", 13, MOST, 4),
            _flag("对对胡", "dui", 4),
        ),
        rule="§12 常德红黑点",
    ),
    "changde-qmt": NameTable(
        (
            _colour("点胡", 1, 1, 6),
            _colour("红胡", 10, MOST, 3, 1),
            _colour("乌胡", 0, 0, 8),
            _flag("对对胡", "dui", 8),
            NameRule("大字胡", "big", 18, MOST, 8, 1),
            NameRule("小字胡", "small", 16, MOST, 10, 1),
            _flag("海底胡", "haidi", 6),
            _flag("天胡", "tian", 6),
            _flag("地胡", "di", 6),
        ),
        rule="§12 常德全名堂",
    ),
    # 红对 is 红胡 and 对对胡 together, 乌对 likewise 乌胡 and 对对胡: 7 + n and 10 are sums.
    "changde-dhd": NameTable(
        (
            _colour("红胡", 10, MOST, 2, 1),
            _colour("点胡", 1, 1, 3),
            _colour("乌胡", 0, 0, 5),
            _flag("对对胡", "dui", 5),
        ),
        rule="§12 常德多红对",
    ),
    "ningxiang": NameTable(
        (
            _colour("乌胡", 0, 0, 5),
            _colour("点胡", 1, 1, 4),
            _colour("双漂", 2, 2, 2),
            _colour("三扁", 3, 3, 3),
            _colour("四扁", 4, 4, 4),
            _colour("红胡", 10, MOST, 2, 1),
            NameRule("大字胡", "big", 18, MOST, 5, 1),
            NameRule("小字胡", "small", 18, MOST, 5, 1),
            _flag("对对胡", "dui", 5),
            _flag("天胡", "tian", 5),
            _flag("地胡", "di", 5),
        ),
        rule="§12 宁乡",
    ),
}
"""By value of the option ``names``. 三扁, 四扁 and 双漂 are read as exactly 3, 4 and 2 red cards."""

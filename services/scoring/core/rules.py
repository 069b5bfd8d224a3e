"""The options of 跑胡子 and the presets, as rules §12 lists them."""

import json
from dataclasses import dataclass, fields, replace
from typing import Any, Final, get_args, get_type_hints

CUSTOM: Final = "custom@0"
"""What a record calls options that belong to no preset."""

NAME_TABLES: Final = ("876", "qmt", "none", "hhd", "changde-qmt", "changde-dhd", "ningxiang")

_CHOICES: Final[dict[str, tuple[str, ...]]] = {
    "names": NAME_TABLES,
    "zimo_stage": ("before_fan", "after_fan"),
    "chou_hu": ("off", "win_xi", "table_xi"),
    "discard_hu_pays": ("discarder", "all"),
    "liangzhang_hu": ("off", "dealer", "all"),
    "santi_wukan": ("off", "auto"),
}

_RANGES: Final = {
    "min_xi": (1, 60),
    "deng_first": (1, 15),
    "deng_step": (1, 30),
    "zimo_deng": (0, 20),
    "haidi_plain_total": (1, 20),
    "wu_dui_total": (6, 60),
    "red_cap": (2, 60),
    "big_cap": (6, 60),
    "small_cap": (8, 60),
    "huangzhuang_change_after": (1, 99),
    "base_stake": (1, 1_000_000_000),
    "fee": (0, 1_000_000_000),
    "point_cap": (1, 1_000_000),
}
"""Least and greatest value of each number."""


class BadOptions(Exception):
    """Options do not name or describe a rule set."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """One rule set; the defaults are those of `876cc`."""

    min_xi: int = 15
    """息 a hand needs to win (§8)."""
    deng_first: int = 15
    """息 of the first 等 (§10)."""
    deng_step: int = 3
    """息 for each further 等 (§10)."""
    names: str = "876"
    """Which table of names applies (§10a, §10b)."""
    zimo_deng: int = 1
    """等 for a self-drawn win (§10)."""
    zimo_stage: str = "before_fan"
    """Whether those are added before or after multiplying (§11.5)."""
    haidi_plain_total: int = 1
    """876: the multiplier of 海底 without any other name (§11.7)."""
    wu_dui_total: int = 10
    """876: what 乌胡 and 对对胡 count together (§11.6)."""
    red_cap: int = 16
    """qmt: most 番 of 红胡."""
    big_cap: int = 14
    """qmt: most 番 of 大字胡."""
    small_cap: int = 16
    """qmt: most 番 of 小字胡."""
    dead_peng_blocks_chi: bool = True
    """A passed 碰 bars 吃 too, and a passed 吃 bars 碰 (§7)."""
    own_discard_dead: bool = True
    """A card one has discarded is barred from 吃 and 碰 (§7)."""
    chou_hu: str = "win_xi"
    """What a declined 胡 remembers (§8)."""
    po_pao_hu: bool = True
    """Winning without running one's own 坎 偎 碰 (§8)."""
    discard_hu: bool = False
    """A discard may be won (放炮)."""
    discard_hu_pays: str = "discarder"
    """Who pays for a won discard."""
    liangzhang_hu: str = "all"
    """Who may win the 亮张 (§4.2)."""
    santi_wukan: str = "auto"
    """Whether 三提五坎 wins by itself (§4.1)."""
    forbid_claim_without_discard: bool = True
    """A claim that leaves a due discard without a loose card is not offered (§9)."""
    huangzhuang_change_after: int = 3
    """荒庄 in a row after which the dealer changes (§1)."""
    liang_xian_zimo: bool = False
    """A 闲家 who wins the 亮张 gets the self-draw bonus (§11.21)."""
    opening_ti_show_one: bool = True
    """Display only (§11.14)."""
    win_cap_by_balance: bool = False
    """Settlement only (§11.19)."""
    base_stake: int = 1
    """Coins a point is worth."""
    fee: int = 0
    """Coins that every seat pays for the round."""
    point_cap: int | None = None
    """Most points a loser pays."""

    def __post_init__(self) -> None:
        """Refuse values out of range."""
        for name, choices in _CHOICES.items():
            if getattr(self, name) not in choices:
                raise BadOptions(f"{name} is one of {', '.join(choices)}, not {getattr(self, name)!r}")
        for name, (least, most) in _RANGES.items():
            value = getattr(self, name)
            if value is not None and not least <= value <= most:
                raise BadOptions(f"{name} lies between {least} and {most}, not {value}")
        if self.deng_first > self.min_xi:
            raise BadOptions(f"the first 等 begins at {self.deng_first} 息, above min_xi {self.min_xi}")

    def canonical(self) -> str:
        """Return the options as the JSON text of a record: keys sorted, no spaces, no `fee` of 0."""
        spelt = {field.name: getattr(self, field.name) for field in fields(self)}
        if not self.fee:
            # Records are older than fees: without one they are written as they always were.
            del spelt["fee"]
        return json.dumps(spelt, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


_TYPES: Final[dict[str, Any]] = get_type_hints(Options)

NEVER_IN_POINTS: Final = frozenset({"base_stake", "fee", "win_cap_by_balance", "opening_ti_show_one"})
"""Options of settlement and display: a table may set them without leaving its preset."""

PRESETS: Final[dict[str, Options]] = {
    "876cc@1": Options(),
    "luzhou-10xi@1": Options(min_xi=10, deng_first=10),
    "bafang-yongzhou@1": Options(names="qmt"),
    "tongyi-qmt@1": Options(names="qmt", dead_peng_blocks_chi=False),
    "changde-hhd@1": Options(names="hhd"),
    "changde-qmt@1": Options(names="changde-qmt"),
    "changde-dhd@1": Options(names="changde-dhd"),
    # 10 for the first step and 5 for each 3 息 more: two units of 5 at 15 息, three at 18.
    "ningxiang@1": Options(names="ningxiang", deng_first=12, base_stake=5),
    "shaoyang@1": Options(names="none", min_xi=10, deng_first=10, deng_step=5),
}

_ALIASES: Final = {"tongyi-quanmingtang": "tongyi-qmt"}


def preset_named(name: str) -> Options:
    """Return a preset's options; `name` with or without `@version`.

    Raises:
        BadOptions: There is no such preset; the message lists those there are.
    """
    bare, at, version = name.partition("@")
    full = f"{_ALIASES.get(bare, bare)}@{version if at else 1}"
    if full not in PRESETS:
        raise BadOptions(f"no preset {name!r}; there are {', '.join(PRESETS)}")
    return PRESETS[full]


def _checked(name: str, value: object) -> object:
    if name not in _TYPES:
        raise BadOptions(f"no option {name!r}; there are {', '.join(sorted(_TYPES))}")
    allowed = get_args(_TYPES[name]) or (_TYPES[name],)
    if name == "point_cap" and value == 0:
        return None
    if type(value) not in allowed:
        raise BadOptions(f"{name} has the wrong type: {value!r}")
    return value


def with_overrides(base: Options, changes: dict[str, object]) -> Options:
    """Return `base` with some options changed.

    Raises:
        BadOptions: An option is unknown, has the wrong type or lies out of range.
    """
    checked: dict[str, Any] = {name: _checked(name, value) for name, value in changes.items()}
    return replace(base, **checked)


def options_of_record(text: str, preset: str) -> Options:
    """Return the options that a record spells out, if they are those of the preset it names.

    A record gives every option, those of another table of names than its own too. Only options of settlement
    and display may differ from the preset's.

    Raises:
        BadOptions: The text is not canonical JSON, an option is missing, unknown or out of range, or the
            preset says otherwise.
    """
    try:
        given = json.loads(text)
    except (ValueError, RecursionError):
        raise BadOptions("the options are not JSON") from None
    if not isinstance(given, dict):
        raise BadOptions("the options are not a JSON object")
    if json.dumps(given, sort_keys=True, separators=(",", ":"), ensure_ascii=False) != text:
        raise BadOptions("the options are not canonical: keys sorted, no spaces, no repetition")
    missing = sorted(set(_TYPES) - set(given) - {"fee"})
    if missing:
        raise BadOptions(f"options are missing: {', '.join(missing)}")
    options = with_overrides(Options(), given)
    if options.canonical() != text:
        raise BadOptions("an option is not spelt as records spell it")
    if preset == CUSTOM:
        same = [name for name, known in PRESETS.items() if not _departures(options, known)]
        if same:
            raise BadOptions(f"{CUSTOM} has the very options of {same[0]}")
        return options
    if preset not in PRESETS:
        raise BadOptions(f"no preset {preset!r}; there are {', '.join(PRESETS)}")
    for name in _departures(options, PRESETS[preset]):
        expected, found = getattr(PRESETS[preset], name), getattr(options, name)
        raise BadOptions(f"{preset} has {name} {expected!r}, the record {found!r}")
    return options


def _departures(options: Options, known: Options) -> list[str]:
    """Return the options at other values than a preset's, without those that a table may set."""
    return [
        name
        for name in sorted(set(_TYPES) - NEVER_IN_POINTS)
        if getattr(options, name) != getattr(known, name)
    ]

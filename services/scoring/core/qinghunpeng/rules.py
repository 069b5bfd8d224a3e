"""The options of 清混碰 and the presets (docs/games/qinghunpeng.md, rules §1 to §5)."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Final

from services.scoring.core.rules import CUSTOM, BadOptions

_ONE_OF: Final = {
    "flowers": ("at_deal", "lazy"),
    "guo_hu": ("off", "same_tile"),
    "dealer": ("winner", "rotate"),
    "bahua": ("opening", "anytime", "off"),
    "extra_can_start": ("none", "dadiaoche", "gangkai", "both"),
    "stack": ("max", "add"),
}
"""Options that are words."""

_UP_TO: Final = {
    "dead_wall": range(61),
    "min_ron": range(1_001),
    "lezi": range(1, 1_001),
    "formula_base": range(101),
    "cap": range(100_001),
    "base_stake": range(1, 1_000_000_001),
    "fee": range(1_000_000_001),
}
"""Options that are numbers; every fixed row and every floor goes from 0 to 100 勒."""
_ROWS: Final = range(101)

SETTLEMENT: Final = ("base_stake", "fee", "win_cap_by_balance")
"""What a table may set without leaving its preset."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """One rule set; the defaults are those of `seed000`."""

    flowers: str = "at_deal"
    """When the flowers of the deal are replaced (§1)."""
    dead_wall: int = 0
    """Tiles that are never drawn (§1)."""
    head_bump: bool = False
    """Of several winners only the nearest wins (§2)."""
    claim_lock: bool = False
    """Melds must still allow 清, 混 or 碰 (§2)."""
    no_swap: bool = False
    """食替: the kind just claimed may not be discarded (§2)."""
    guo_hu: str = "off"
    """Whether a passed win bars the tile (§2)."""
    huangfan: bool = False
    """荒番: a drawn hand doubles a later round (§2)."""
    chengbao: bool = False
    """承包: three claims from one seat bind both (§2)."""
    dealer: str = "winner"
    """Who deals next (§2)."""
    dadiaoche_angang: bool = True
    """A 暗杠 may be one of the four melds of 大吊车 (§3)."""
    dihu_broken_by_claims: bool = True
    """地胡 ends with the first claim or kong (§3)."""
    gangkai_flower: bool = True
    """A replaced flower makes 杠开 too (§3)."""
    bahua: str = "opening"
    """When eight flowers win (§3)."""
    extra_can_start: str = "none"
    """Which extra lets a 平胡 win (§3)."""
    tian_di_waive: bool = True
    """天胡 and 地胡 let a 平胡 win (§3)."""
    min_ron: int = 1
    """Least points of a win by discard or 抢杠 (§3)."""
    lezi: int = 10
    """Points of one 勒 (§4)."""
    formula_base: int = 1
    """What flowers are added to in the formula (§4)."""
    fixed_hunpeng: int = 1
    """勒 of 混碰 (§4)."""
    fixed_qingyise: int = 1
    """勒 of 清一色 (§4)."""
    fixed_qingpeng: int = 2
    """勒 of 清碰 (§4)."""
    fixed_luanfengxiang: int = 2
    """勒 of 乱风向 (§4)."""
    fixed_zipeng: int = 4
    """勒 of 字碰 (§4)."""
    fixed_bahua: int = 4
    """勒 of 八花 (§4)."""
    fixed_tianhu: int = 4
    """勒 of 天胡; 0: there is none (§4)."""
    fixed_dihu: int = 2
    """勒 of 地胡; 0: there is none (§4)."""
    floor_dadiaoche: int = 1
    """勒 that 大吊车 lifts to (§4)."""
    floor_gangkai: int = 1
    """勒 that 杠开 lifts to (§4)."""
    floor_qianggang: int = 0
    """勒 that 抢杠 lifts to (§4)."""
    floor_haidi: int = 0
    """勒 that 海底 lifts to (§4)."""
    stack: str = "max"
    """Whether the extras lift or add (§4)."""
    cap: int = 0
    """Most points of a win; 0: no bound (§4)."""
    win_cap_by_balance: bool = False
    """Settlement only (§5)."""
    base_stake: int = 1
    """Coins a point is worth (§5)."""
    fee: int = 0
    """Coins that every seat pays for the round (§5)."""

    def __post_init__(self) -> None:
        """Refuse a value that an option cannot have."""
        for field in fields(self):
            wanted = _wanted(field.name, getattr(self, field.name))
            if wanted:
                raise BadOptions(f"{field.name} is {wanted}, not {getattr(self, field.name)!r}")

    def spelt_out(self) -> dict[str, Any]:
        """Return every option by name."""
        return {name: getattr(self, name) for name in NAMES}

    def canonical(self) -> str:
        """Return the JSON text that a record holds: all options but a `fee` that there is not."""
        return _text({name: value for name, value in self.spelt_out().items() if name != "fee" or value})

    def acting(self) -> dict[str, Any]:
        """Return the options that act in the rules; two rule sets with equal ones play alike."""
        return {name: value for name, value in self.spelt_out().items() if name not in SETTLEMENT}


NAMES: Final = tuple(sorted(field.name for field in fields(Options)))
_FLAGS: Final = frozenset(field.name for field in fields(Options) if field.type is bool)


def _wanted(name: str, value: object) -> str:
    """Return what an option must be if the value is no such thing, or empty."""
    if name in _FLAGS:
        return "" if isinstance(value, bool) else "true or false"
    if name in _ONE_OF:
        words = _ONE_OF[name]
        return "" if isinstance(value, str) and value in words else f"one of {', '.join(words)}"
    numbers = _UP_TO.get(name, _ROWS)
    # To Python true is a 1 and 1.0 is in the range; to a record both are something else.
    is_number = type(value) is int and value in numbers
    return "" if is_number else f"a whole number from {numbers.start} to {numbers.stop - 1}"


def _text(value: object) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


PRESETS: Final[Mapping[str, Options]] = {
    "seed000@1": Options(),
    "shanghai@1": Options(
        flowers="lazy",
        claim_lock=True,
        no_swap=True,
        guo_hu="same_tile",
        huangfan=True,
        chengbao=True,
        dadiaoche_angang=False,
        gangkai_flower=False,
        bahua="off",
        min_ron=2,
        fixed_tianhu=0,
        fixed_dihu=0,
        floor_qianggang=1,
        floor_haidi=1,
    ),
}


def preset_named(name: str) -> Options:
    """Return a preset's options, by its name with or without the version.

    Raises:
        BadOptions: There is none of that name.
    """
    for title, options in PRESETS.items():
        if name in (title, title.partition("@")[0]):
            return options
    raise BadOptions(f"no preset {name!r}; there are {', '.join(PRESETS)}")


def with_overrides(base: Options, changes: Mapping[str, Any]) -> Options:
    """Return a rule set with some options changed.

    Raises:
        BadOptions: There is no such option, or it cannot be that.
    """
    unknown = [name for name in changes if name not in NAMES]
    if unknown:
        raise BadOptions(f"no option {unknown[0]!r}; there are {', '.join(NAMES)}")
    return replace(base, **changes)


def options_of_record(text: str, preset: str) -> Options:
    """Return the options that a record spells out, all of them and canonical, as its preset has them.

    Raises:
        BadOptions: They are not; the first thing that is wrong is named.
    """
    try:
        said = json.loads(text)
        is_canonical = isinstance(said, dict) and _text(said) == text
    except (ValueError, RecursionError):
        raise BadOptions("the options are not JSON") from None
    if not is_canonical:
        raise BadOptions("the options are not one JSON object with sorted keys, no spaces and nothing twice")
    missing = sorted(set(NAMES) - said.keys() - {"fee"})
    if missing:
        raise BadOptions(f"there is no {', '.join(missing)} among the options")
    options = with_overrides(Options(), said)
    if options.canonical() != text:
        raise BadOptions("a fee of 0 is not spelt out")
    _check_title(options, preset)
    return options


def _check_title(options: Options, preset: str) -> None:
    """Hold the options against the preset that a record names."""
    alike = [title for title, known in PRESETS.items() if known.acting() == options.acting()]
    if preset == CUSTOM:
        if alike:
            raise BadOptions(f"these are the options of {alike[0]}, not {CUSTOM}")
        return
    if preset in alike:
        return
    known = preset_named(preset)
    if preset not in PRESETS:
        raise BadOptions(f"no preset {preset!r}; there are {', '.join(PRESETS)}")
    said, theirs = options.acting(), known.acting()
    name = next(name for name in said if said[name] != theirs[name])
    raise BadOptions(f"{preset} has {name} {theirs[name]!r}, not {said[name]!r}")

"""The options of 卡五星 and the presets (docs/games/kawuxing.md)."""

import dataclasses
import json
from collections.abc import Mapping
from typing import Any, Final, Literal, get_args, get_origin, get_type_hints

from services.scoring.core.rules import CUSTOM, BadOptions

FAN_MAX: Final = 1024
"""Most that one name may be worth, and the greatest cap."""

SETTLEMENT: Final = frozenset({"base_stake", "fee", "win_cap_by_balance"})
"""Options that a table may set without leaving its preset."""

_FAN: Final = (1, FAN_MAX)
_BOUNDS: Final = {
    "base": (1, 1000),
    "reveal_min_wall": (0, 44),
    "cap": (0, FAN_MAX),
    "piao_max": (0, 10),
    "base_stake": (1, 1_000_000_000),
    "fee": (0, 1_000_000_000),
}
"""Least and greatest number of an option that is one; all others are 番."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """One rule set; the defaults are those of `seed004`. What an option may be is told by its type."""

    suits: Literal["ps", "mp", "ms"] = "ps"
    base: int = 10
    draw_dealer: Literal["stay", "last_drawer"] = "stay"
    kong_after_pong: bool = True
    replacement_from_tail: bool = False
    claim_last: Literal["hu_only", "hu_pong"] = "hu_only"
    ban_feeding: bool = False
    bugang_only_drawn: bool = False
    abandoned_kong: Literal["pay", "forbid"] = "pay"
    chain: Literal["exponential", "flat2"] = "exponential"
    chain_requires_drawn: bool = False
    fan_qidui: int = 4
    fan_long: int = 16
    fan_shuanglong: int = 64
    fan_chaolong: int = 256
    fan_pengpenghu: int = 2
    fan_kawuxing: int = 2
    du_bonus: int = 1
    fan_ming: int = 2
    fan_an: int = 4
    fan_xiaosanyuan: int = 4
    fan_dasanyuan: int = 8
    fan_qingyise: int = 4
    fan_shouzhuayi: int = 4
    fan_gangkai: int = 2
    fan_gangpao: int = 2
    fan_qianggang: int = 2
    fan_tianhu: int = 1
    fan_dihu: int = 1
    fan_haidi: int = 1
    fan_menqing: int = 1
    kawuxing_mode: Literal["any", "du"] = "any"
    sigui_scope: Literal["seed", "full", "half"] = "seed"
    forced_sigui: bool = False
    forced_longqidui: bool = False
    ansigui_needs_triplet: bool = False
    szy_stacks_pph: bool = True
    szy_exclude_angang: bool = False
    min_fan: Literal["none", "hard", "soft", "pao2"] = "none"
    guo_hu: Literal["off", "same_tile", "higher_fan"] = "off"
    reveal_min_wall: int = 0
    reveal_auto_hu: bool = True
    reveal_kong_check: Literal["same_waits", "still_ting"] = "same_waits"
    reveal_no_claim: bool = False
    reveal_doubles_loser: Literal["all", "discard_only", "off"] = "all"
    duifan: bool = False
    duifan_on_zimo: bool = False
    baohu: bool = True
    bao_exempt_forced: bool = False
    bao_excludes_cowinner: bool = False
    sha_ma: bool = False
    cap: int = 0
    reveal_outside_cap: bool = False
    bao_cap_total: bool = False
    hz: Literal["none", "ljlc", "jtt", "chadajiao", "xiaogan", "suizhou", "shiyan"] = "none"
    jtt_pays_silent: bool = False
    mai_ma: Literal["off", "du", "liu"] = "off"
    mai_ma_when: Literal["zimo", "liang_zimo"] = "zimo"
    piao_max: int = 0
    shukan: bool = False
    shanglou: Literal["off", "dice", "after"] = "off"
    win_cap_by_balance: bool = False
    base_stake: int = 1
    fee: int = 0

    def __post_init__(self) -> None:
        """Refuse what an option cannot be."""
        for name, hint in _HINTS.items():
            why = _fault(name, hint, getattr(self, name))
            if why:
                raise BadOptions(f"{name} is {why}, not {getattr(self, name)!r}")

    def canonical(self) -> str:
        """Return the options as the JSON text of a record: all but a `fee` that there is not."""
        return _compact({name: getattr(self, name) for name in _HINTS if name != "fee" or self.fee})


_HINTS: Final[dict[str, Any]] = get_type_hints(Options)
OPTIONS: Final = tuple(sorted(_HINTS))


def _fault(name: str, hint: Any, value: object) -> str:
    """Return what an option must be if it is not that, or empty."""
    if get_origin(hint) is Literal:
        words = get_args(hint)
        return "" if isinstance(value, str) and value in words else f"one of {', '.join(words)}"
    # bool is an int to Python, and not to a record.
    if hint is bool:
        return "" if type(value) is bool else "true or false"
    low, high = _BOUNDS.get(name, _FAN)
    return "" if type(value) is int and low <= value <= high else f"a whole number from {low} to {high}"


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)


_TOWN: Final[dict[str, Any]] = {
    "base": 1,
    "fan_long": 8,
    "fan_shuanglong": 32,
    "fan_chaolong": 128,
    "min_fan": "pao2",
    "cap": 8,
}
"""What the presets of the towns have in common."""

PRESETS: Final[dict[str, Options]] = {
    "seed004@1": Options(),
    "xiangyang@1": Options(**_TOWN, fan_haidi=2, sigui_scope="full", hz="chadajiao", mai_ma="du", piao_max=3),
    "xiaogan@1": Options(
        **_TOWN,
        sigui_scope="half",
        duifan=True,
        baohu=False,
        hz="xiaogan",
        mai_ma="liu",
        shukan=True,
    ),
    "suizhou@1": Options(
        **_TOWN,
        sigui_scope="half",
        baohu=False,
        sha_ma=True,
        hz="suizhou",
        mai_ma="du",
        mai_ma_when="liang_zimo",
    ),
    "shiyan@1": Options(
        **_TOWN,
        fan_kawuxing=4,
        fan_haidi=2,
        sigui_scope="half",
        hz="shiyan",
        piao_max=2,
        shanglou="after",
    ),
}


def preset_named(name: str) -> Options:
    """Return the options of a preset, named with or without its version.

    Raises:
        BadOptions: There is no such preset.
    """
    found = PRESETS.get(name) or PRESETS.get(f"{name}@1")
    if found is None:
        raise BadOptions(f"no preset {name[:80]!r}; there are {', '.join(PRESETS)}")
    return found


def with_overrides(base: Options, changes: Mapping[str, object]) -> Options:
    """Return `base` with some options changed.

    Raises:
        BadOptions: An option is unknown or cannot be that.
    """
    unknown = [name for name in changes if name not in _HINTS]
    if unknown:
        raise BadOptions(f"no option {unknown[0][:80]!r}; there are {', '.join(OPTIONS)}")
    given: dict[str, Any] = dict(changes)
    return dataclasses.replace(base, **given)


def options_of_record(text: str, preset: str) -> Options:
    """Return the options that a record spells out, if they are those of the preset it names.

    Raises:
        BadOptions: The text is not canonical, an option is missing, unknown or impossible, or the preset says
            otherwise.
    """
    try:
        read = json.loads(text)
        is_canonical = isinstance(read, dict) and _compact(read) == text
    except (ValueError, RecursionError):
        raise BadOptions("the options are not JSON") from None
    if not is_canonical:
        raise BadOptions("the options are no canonical JSON object: keys sorted, no spaces, no repetition")
    absent = sorted(_HINTS.keys() - read.keys() - {"fee"})
    if absent:
        raise BadOptions(f"options are missing: {', '.join(absent)}")
    options = with_overrides(Options(), read)
    if options.canonical() != text:
        raise BadOptions("a fee of 0 is not spelt out")
    if preset == CUSTOM:
        same = [title for title, known in PRESETS.items() if not differing(options, known)]
        if same:
            raise BadOptions(f"{CUSTOM} has the very options of {same[0]}")
        return options
    if preset not in PRESETS:
        raise BadOptions(f"no preset {preset[:80]!r}; there are {', '.join(PRESETS)}")
    wrong = differing(options, PRESETS[preset])
    if wrong:
        raise BadOptions(f"{preset} does not have this {wrong[0]}: {getattr(options, wrong[0])!r}")
    return options


def differing(one: Options, other: Options) -> list[str]:
    """Return the options that act in the rules and are not alike, in order."""
    acting = [name for name in OPTIONS if name not in SETTLEMENT]
    return [name for name in acting if getattr(one, name) != getattr(other, name)]

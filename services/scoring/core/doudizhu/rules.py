"""The options of 斗地主 and the presets (docs/games/doudizhu.md, rules §1 to §4)."""

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from services.scoring.core.rules import CUSTOM, BadOptions

_WORDS: Final[dict[str, tuple[str, ...]]] = {
    "first_speaker": ("random", "winner", "rotate"),
    "bid": ("score", "qiang"),
    "bid_rounds": ("once", "until2pass"),
    "double": ("off", "on"),
    "scoring": ("multiply", "linear"),
}
"""What each option that is a word may be."""

_NUMBERS: Final = {
    "redeal_limit": (1, 99),
    "bomb_mult": (1, 4),
    "rocket_mult": (1, 4),
    "spring": (1, 3),
    "bomb_cap": (1, 14),
    "base_stake": (1, 1_000_000_000),
    "fee": (0, 1_000_000_000),
}
"""Least and greatest of each option that is a number."""

_MAY_BE_NONE: Final = frozenset({"redeal_limit", "bomb_cap"})

SETTLEMENT: Final = frozenset({"base_stake", "fee", "win_cap_by_balance"})
"""Options that a table may set without leaving its preset."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """One rule set; the defaults are those of `classic`."""

    first_speaker: str = "random"
    """Who speaks first after the first round (§1)."""
    face_up: bool = False
    """All see one card of the first speaker (§1); nothing follows from it."""
    bid: str = "score"
    """叫分 or 叫/抢 (§3)."""
    bid_rounds: str = "once"
    """叫分: one turn each, or until two decline after a bid (§3)."""
    redeal_limit: int | None = None
    """After so many redeals the first speaker must take it (§3)."""
    double: str = "off"
    """加倍 (§3)."""
    pair_as_two_solos: bool = True
    """Single kickers may be equal (§2)."""
    rocket_as_kickers: bool = False
    """Both jokers may be single kickers of one play (§2)."""
    bomb_in_kickers: bool = False
    """Four equal cards may be among the kickers (§2)."""
    trio_in_wings: bool = True
    """Three equal cards may be among single kickers (§2)."""
    adjacent_trio_wing: bool = True
    """Also if their rank lies beside the chain (§2)."""
    four_two: bool = True
    """四带二 exists (§2)."""
    scoring: str = "multiply"
    """Whether bombs multiply or add (§4)."""
    bomb_mult: int = 2
    """What a bomb is worth (§4)."""
    rocket_mult: int = 2
    """What the rocket is worth (§4)."""
    spring: int = 2
    """What 春天 and 反春天 are worth (§4)."""
    bomb_cap: int | None = None
    """How many bombs and rockets count at most (§4)."""
    win_cap_by_balance: bool = False
    """Settlement only (§4)."""
    base_stake: int = 1
    """Coins a point is worth (§4)."""
    fee: int = 0
    """Coins that every seat pays for the round (§4)."""

    def __post_init__(self) -> None:
        """Refuse what an option cannot be."""
        for name in OPTIONS:
            _check(name, getattr(self, name))

    def canonical(self) -> str:
        """Return the options as the JSON text of a record: all but a `fee` that there is not."""
        return _json({name: getattr(self, name) for name in OPTIONS if name != "fee" or self.fee})


OPTIONS: Final = tuple(sorted(field.name for field in dataclasses.fields(Options)))


def _check(name: str, value: object) -> None:
    if name in _WORDS:
        if not isinstance(value, str) or value not in _WORDS[name]:
            raise BadOptions(f"{name} is one of {', '.join(_WORDS[name])}, not {value!r}")
    elif name in _NUMBERS:
        least, most = _NUMBERS[name]
        if value is None and name in _MAY_BE_NONE:
            return
        # bool is an int to Python, and not to a record.
        if type(value) is not int or not least <= value <= most:
            raise BadOptions(f"{name} is a whole number from {least} to {most}, not {value!r}")
    elif type(value) is not bool:
        raise BadOptions(f"{name} is true or false, not {value!r}")


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)


PRESETS: Final[dict[str, Options]] = {
    "classic@1": Options(),
    "qiang@1": Options(bid="qiang", double="on"),
    "contest@1": Options(scoring="linear"),
}


def preset_named(name: str) -> Options:
    """Return the options of a preset, named with or without its version.

    Raises:
        BadOptions: There is no such preset.
    """
    title = name if "@" in name else f"{name}@1"
    if title in PRESETS:
        return PRESETS[title]
    raise BadOptions(f"no preset {name!r}; there are {', '.join(PRESETS)}")


def with_overrides(base: Options, changes: Mapping[str, object]) -> Options:
    """Return `base` with some options changed.

    Raises:
        BadOptions: An option is unknown or cannot be that.
    """
    for name in changes:
        if name not in OPTIONS:
            raise BadOptions(f"no option {name!r}; there are {', '.join(OPTIONS)}")
    chosen: dict[str, Any] = dict(changes)
    return dataclasses.replace(base, **chosen)


def options_of_record(text: str, preset: str) -> Options:
    """Return the options that a record spells out, if they are those of the preset it names.

    Raises:
        BadOptions: The text is not canonical, an option is missing, unknown or impossible, or the preset says
            otherwise.
    """
    try:
        read = json.loads(text)
        again = _json(read)
    except (ValueError, RecursionError):
        raise BadOptions("the options are not JSON") from None
    if not isinstance(read, dict) or again != text:
        raise BadOptions("the options are no canonical JSON object: keys sorted, no spaces, no repetition")
    absent = [name for name in OPTIONS if name not in read and name != "fee"]
    if absent:
        raise BadOptions(f"options are missing: {', '.join(absent)}")
    options = with_overrides(Options(), read)
    if options.canonical() != text:
        raise BadOptions("a fee of 0 is not spelt out")
    if preset == CUSTOM:
        for title, known in PRESETS.items():
            if not differing(options, known):
                raise BadOptions(f"{CUSTOM} has the very options of {title}")
    else:
        if preset not in PRESETS:
            raise BadOptions(f"no preset {preset!r}; there are {', '.join(PRESETS)}")
        wrong = differing(options, PRESETS[preset])
        if wrong:
            raise BadOptions(f"{preset} does not have this {wrong[0]}: {getattr(options, wrong[0])!r}")
    return options


def differing(one: Options, other: Options) -> list[str]:
    """Return the options that act in the rules and are not alike, in order."""
    return [name for name in OPTIONS if name not in SETTLEMENT and getattr(one, name) != getattr(other, name)]

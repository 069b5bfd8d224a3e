"""The presets of 斗地主, as data. A preset whose values change gets a new version."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from engine.doudizhu.rules import OPTIONS, RuleSet, check_option
from engine.errors import BadNotation, BadOption, UnknownPreset

_CLASSIC: Final = RuleSet(
    preset="classic",
    version=1,
    first_speaker="random",
    face_up=False,
    bid="score",
    bid_rounds="once",
    redeal_limit=None,
    double="off",
    pair_as_two_solos=True,
    rocket_as_kickers=False,
    bomb_in_kickers=False,
    trio_in_wings=True,
    adjacent_trio_wing=True,
    four_two=True,
    scoring="multiply",
    bomb_mult=2,
    rocket_mult=2,
    spring=2,
    bomb_cap=None,
    win_cap_by_balance=False,
    base_stake=1,
)

PRESETS: Final[dict[str, RuleSet]] = {
    rules.preset: rules
    for rules in (
        _CLASSIC,
        replace(_CLASSIC, preset="qiang", bid="qiang", double="on"),
        replace(_CLASSIC, preset="contest", scoring="linear"),
    )
}
"""The rule sets by preset id."""

CUSTOM: Final = "custom"
"""The preset id of options that are no preset's; its version is 0."""

RULE_OPTIONS: Final = tuple(name for name, info in OPTIONS.items() if info.acts_in == "rules")
"""The options that act in the engine."""


def preset(preset_id: str, overrides: Mapping[str, Any] | None = None) -> RuleSet:
    """Return a preset with options changed; options that are another preset's make it that preset.

    Raises:
        UnknownPreset, UnknownOption: With the known ones listed.
        BadOption: A value the option cannot have.
    """
    rules = PRESETS.get(preset_id)
    if rules is None:
        raise UnknownPreset(preset_id, PRESETS)
    changes = dict(overrides or {})
    for name, value in changes.items():
        check_option(name, value)
    return named(replace(rules, **changes)) if changes else rules


def named(rules: RuleSet) -> RuleSet:
    """Return the rules under the name of a preset with the same rules, or as ``custom@0``.

    Their own name comes first. Options of settlement and display may differ under a preset's name
    (docs/record-format.md).
    """
    own = PRESETS.get(rules.preset)
    for known in (*((own,) if own is not None else ()), *PRESETS.values()):
        if all(getattr(known, name) == getattr(rules, name) for name in RULE_OPTIONS):
            return replace(rules, preset=known.preset, version=known.version)
    return replace(rules, preset=CUSTOM, version=0)


def recorded(title: str, options: str) -> RuleSet:
    """Return the rule set of a record: ``preset@version`` and every option as canonical JSON.

    A preset's record may differ from the preset in options of settlement and display only.

    Raises:
        BadNotation: The text is not what ``RuleSet.as_json`` writes.
        UnknownPreset: There is no such preset or version.
        UnknownOption, BadOption: An option is unknown, missing, impossible, or not the preset's.
    """
    try:
        values = json.loads(options)
    except (ValueError, RecursionError, TypeError) as error:
        raise BadNotation("options as JSON", options) from error
    if not isinstance(values, dict):
        raise BadNotation("options as a JSON object", options)
    for name, value in values.items():
        check_option(name, value)
    for name in sorted(OPTIONS):
        if name not in values:
            raise BadOption(name, "nothing", "a value in every record")
    rules = _titled(title, values)
    if rules.as_json() != options:
        raise BadNotation("options in canonical order", options)
    return rules


def _titled(title: str, values: Mapping[str, Any]) -> RuleSet:
    """Return options under the name a record gives them, if they may have it."""
    if title == f"{CUSTOM}@0":
        found = named(replace(_CLASSIC, **values))
        if found.preset != CUSTOM:
            raise BadOption("preset", title, f"the name of these options, {found.title}")
        return found
    known = next((rules for rules in PRESETS.values() if rules.title == title), None)
    if known is None:
        raise UnknownPreset(title, [*[rules.title for rules in PRESETS.values()], f"{CUSTOM}@0"])
    for name in RULE_OPTIONS:
        expected = getattr(known, name)
        if values[name] != expected:
            raise BadOption(name, values[name], f"{expected!r}, which {title} has")
    return replace(known, **values)

"""The presets of 清混碰, as data. A preset whose values change gets a new version.

``seed000`` takes the published list of twelve patterns by its words, with the points most servers give;
``shanghai`` is how Shanghai houses play it (Rules 2 to 4).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from engine.errors import BadNotation, BadOption, UnknownPreset
from engine.qinghunpeng.rules import OPTIONS, RuleSet, check_option

_SEED000: Final = RuleSet(
    preset="seed000",
    version=1,
    flowers="at_deal",
    dead_wall=0,
    head_bump=False,
    claim_lock=False,
    no_swap=False,
    guo_hu="off",
    huangfan=False,
    chengbao=False,
    dealer="winner",
    dadiaoche_angang=True,
    dihu_broken_by_claims=True,
    gangkai_flower=True,
    bahua="opening",
    extra_can_start="none",
    tian_di_waive=True,
    min_ron=1,
    lezi=10,
    formula_base=1,
    fixed_hunpeng=1,
    fixed_qingyise=1,
    fixed_qingpeng=2,
    fixed_luanfengxiang=2,
    fixed_zipeng=4,
    fixed_bahua=4,
    fixed_tianhu=4,
    fixed_dihu=2,
    floor_dadiaoche=1,
    floor_gangkai=1,
    floor_qianggang=0,
    floor_haidi=0,
    stack="max",
    cap=0,
    win_cap_by_balance=False,
    base_stake=1,
)

PRESETS: Final[dict[str, RuleSet]] = {
    rules.preset: rules
    for rules in (
        _SEED000,
        replace(
            _SEED000,
            preset="shanghai",
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
        found = named(replace(_SEED000, **values))
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

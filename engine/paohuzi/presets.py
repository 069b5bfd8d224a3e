"""The presets of 跑胡子 (Rule 12), as data. A preset whose values change gets a new version."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from engine.errors import BadOption, UnknownPreset
from engine.paohuzi.rules import OPTIONS, RuleSet, check_option

_876CC: Final = RuleSet(
    preset="876cc",
    version=1,
    min_xi=15,
    deng_first=15,
    deng_step=3,
    names="876",
    zimo_deng=1,
    zimo_stage="before_fan",
    haidi_plain_total=1,
    wu_dui_total=10,
    red_cap=16,
    big_cap=14,
    small_cap=16,
    dead_peng_blocks_chi=True,
    own_discard_dead=True,
    chou_hu="win_xi",
    po_pao_hu=True,
    discard_hu=False,
    discard_hu_pays="discarder",
    liangzhang_hu="all",
    liang_xian_zimo=False,
    santi_wukan="auto",
    forbid_claim_without_discard=True,
    huangzhuang_change_after=3,
    opening_ti_show_one=True,
    win_cap_by_balance=False,
    base_stake=1,
    point_cap=None,
)

PRESETS: Final[dict[str, RuleSet]] = {
    rules.preset: rules
    for rules in (
        _876CC,
        replace(_876CC, preset="luzhou-10xi", min_xi=10, deng_first=10),
        replace(_876CC, preset="bafang-yongzhou", names="qmt"),
        replace(_876CC, preset="tongyi-qmt", names="qmt", dead_peng_blocks_chi=False),
        replace(_876CC, preset="changde-hhd", names="hhd"),
        replace(_876CC, preset="changde-qmt", names="changde-qmt"),
        replace(_876CC, preset="changde-dhd", names="changde-dhd"),
        # 10 for the first step and 5 for each 3 息 more: two units of 5 at 15 息, three at 18.
        replace(_876CC, preset="ningxiang", names="ningxiang", deng_first=12, base_stake=5),
        replace(_876CC, preset="shaoyang", min_xi=10, deng_first=10, deng_step=5, names="none"),
    )
}
"""The rule sets by preset id."""

ALIASES: Final = {"tongyi-quanmingtang": "tongyi-qmt"}
"""Other spellings of a preset id that are understood."""

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
    rules = PRESETS.get(ALIASES.get(preset_id, preset_id))
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


def recorded(title: str, options: Mapping[str, Any]) -> RuleSet:
    """Return the rules of a record: every option, under the name the record gives them.

    A preset's record may differ from the preset in options of settlement and display only.

    Raises:
        UnknownPreset: There is no such preset or version.
        UnknownOption, BadOption: An option is unknown, missing, impossible, or not the preset's.
    """
    for name, value in options.items():
        check_option(name, value)
    for name in sorted(OPTIONS):
        if name not in options:
            raise BadOption(name, "nothing", "a value in every record")
    preset_id, _, version = title.partition("@")
    if title == f"{CUSTOM}@0":
        rules = replace(_876CC, **options)
        found = named(rules)
        if found.preset != CUSTOM:
            raise BadOption("preset", title, f"the name of these options, {found.title}")
        return found
    known = PRESETS.get(preset_id)
    if known is None or str(known.version) != version:
        raise UnknownPreset(title, [*[rules.title for rules in PRESETS.values()], f"{CUSTOM}@0"])
    for name in RULE_OPTIONS:
        expected = getattr(known, name)
        if options[name] != expected:
            raise BadOption(name, options[name], f"{expected!r}, which {title} has")
    return replace(known, **options)

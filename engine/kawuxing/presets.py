"""The presets of 卡五星, as data. A preset whose values change gets a new version.

``seed004`` is a published rule book; the others are what public servers of four towns play (Rule 9).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from engine.errors import BadNotation, BadOption, UnknownPreset
from engine.kawuxing.rules import OPTIONS, RuleSet, check_option

_SEED004: Final = RuleSet(
    preset="seed004",
    version=1,
    suits="ps",
    base=10,
    draw_dealer="stay",
    kong_after_pong=True,
    replacement_from_tail=False,
    claim_last="hu_only",
    ban_feeding=False,
    bugang_only_drawn=False,
    abandoned_kong="pay",
    chain="exponential",
    chain_requires_drawn=False,
    fan_qidui=4,
    fan_long=16,
    fan_shuanglong=64,
    fan_chaolong=256,
    fan_pengpenghu=2,
    fan_kawuxing=2,
    du_bonus=1,
    fan_ming=2,
    fan_an=4,
    fan_xiaosanyuan=4,
    fan_dasanyuan=8,
    fan_qingyise=4,
    fan_shouzhuayi=4,
    fan_gangkai=2,
    fan_gangpao=2,
    fan_qianggang=2,
    fan_tianhu=1,
    fan_dihu=1,
    fan_haidi=1,
    fan_menqing=1,
    kawuxing_mode="any",
    sigui_scope="seed",
    forced_sigui=False,
    forced_longqidui=False,
    ansigui_needs_triplet=False,
    szy_stacks_pph=True,
    szy_exclude_angang=False,
    min_fan="none",
    guo_hu="off",
    reveal_min_wall=0,
    reveal_auto_hu=True,
    reveal_kong_check="same_waits",
    reveal_no_claim=False,
    reveal_doubles_loser="all",
    duifan=False,
    duifan_on_zimo=False,
    baohu=True,
    bao_exempt_forced=False,
    bao_excludes_cowinner=False,
    sha_ma=False,
    cap=0,
    reveal_outside_cap=False,
    bao_cap_total=False,
    hz="none",
    jtt_pays_silent=False,
    mai_ma="off",
    mai_ma_when="zimo",
    piao_max=0,
    shukan=False,
    shanglou="off",
    win_cap_by_balance=False,
    base_stake=1,
)

_TOWN: Final = replace(
    _SEED004,
    base=1,
    cap=8,
    min_fan="pao2",
    sigui_scope="half",
    fan_long=8,
    fan_shuanglong=32,
    fan_chaolong=128,
)
"""What the four towns have in common."""

PRESETS: Final[dict[str, RuleSet]] = {
    rules.preset: rules
    for rules in (
        _SEED004,
        replace(
            _TOWN,
            preset="xiangyang",
            sigui_scope="full",
            fan_haidi=2,
            hz="chadajiao",
            mai_ma="du",
            piao_max=3,
        ),
        replace(_TOWN, preset="xiaogan", baohu=False, duifan=True, shukan=True, hz="xiaogan", mai_ma="liu"),
        replace(
            _TOWN,
            preset="suizhou",
            baohu=False,
            sha_ma=True,
            hz="suizhou",
            mai_ma="du",
            mai_ma_when="liang_zimo",
        ),
        replace(
            _TOWN, preset="shiyan", fan_kawuxing=4, fan_haidi=2, hz="shiyan", piao_max=2, shanglou="after"
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
        found = named(replace(_SEED004, **values))
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

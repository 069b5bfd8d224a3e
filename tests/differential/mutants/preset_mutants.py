"""Mutants of the presets: every option of every preset at another value, on either side."""

from __future__ import annotations

from typing import Any, Final

from tests.differential.mutants.planting import Mutant

PRESETS: Final = (
    "876cc",
    "luzhou-10xi",
    "bafang-yongzhou",
    "tongyi-qmt",
    "changde-hhd",
    "changde-qmt",
    "changde-dhd",
    "ningxiang",
    "shaoyang",
)

OTHER: Final[dict[str, Any]] = {
    "min_xi": 16,
    "deng_first": 9,
    "deng_step": 4,
    "zimo_deng": 2,
    "zimo_stage": "after_fan",
    "haidi_plain_total": 2,
    "wu_dui_total": 9,
    "red_cap": 15,
    "big_cap": 13,
    "small_cap": 15,
    "own_discard_dead": False,
    "chou_hu": "off",
    "po_pao_hu": False,
    "discard_hu": True,
    "discard_hu_pays": "all",
    "liangzhang_hu": "dealer",
    "liang_xian_zimo": True,
    "santi_wukan": "off",
    "forbid_claim_without_discard": False,
    "huangzhuang_change_after": 4,
    "opening_ti_show_one": False,
    "win_cap_by_balance": True,
    "base_stake": 2,
    "point_cap": 40,
}
"""A value that no preset has, by option; `names` and `dead_peng_blocks_chi` are at the other end below."""


def _wrong(preset: str) -> dict[str, Any]:
    names = "none" if preset != "shaoyang" else "876"
    return {**OTHER, "names": names, "dead_peng_blocks_chi": preset == "tongyi-qmt"}


def _mutants(file: str, mark: str, changed: str) -> tuple[Mutant, ...]:
    """Return a mutant for every option of every preset: one line more before a mark of a file."""
    return tuple(
        Mutant(
            name=f"{preset} has {option} {value!r}",
            rule="§12",
            file=file,
            old=mark,
            new=changed.format(preset=preset, change=f"{option}={value!r}") + "\n" + mark,
            preset=preset,
        )
        for preset in PRESETS
        for option, value in sorted(_wrong(preset).items())
    )


OF_ENGINE: Final = _mutants(
    "paohuzi/presets.py",
    "_BOOK: Final = Presets(_KNOWN",
    "_KNOWN = tuple([replace(each, {change}) if each.preset == {preset!r} else each for each in _KNOWN])",
)
OF_SCORING: Final = _mutants(
    "rules.py",
    "_ALIASES: Final = {",
    "PRESETS['{preset}@1'] = replace(PRESETS['{preset}@1'], {change})",
)

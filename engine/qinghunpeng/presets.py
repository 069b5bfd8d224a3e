"""The presets of 清混碰, as data. A preset whose values change gets a new version.

``seed000`` takes the published list of twelve patterns by its words, with the points most servers give;
``shanghai`` is how Shanghai houses play it (Rules 2 to 4).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from engine.presets import Presets
from engine.qinghunpeng.rules import OPTIONS, RuleSet

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

_KNOWN: Final = (
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

_BOOK: Final = Presets(_KNOWN, OPTIONS)

PRESETS: Final = _BOOK.by_id
"""The rule sets by preset id."""

preset: Final = _BOOK.preset
recorded: Final = _BOOK.recorded

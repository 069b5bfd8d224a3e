"""The presets of 跑胡子 (Rule 12), as data. A preset whose values change gets a new version."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from engine.paohuzi.rules import OPTIONS, RuleSet
from engine.presets import Presets

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

_KNOWN: Final = (
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

ALIASES: Final = {"tongyi-quanmingtang": "tongyi-qmt"}
"""Other spellings of a preset id that are understood."""

_BOOK: Final = Presets(_KNOWN, OPTIONS, ALIASES)

PRESETS: Final = _BOOK.by_id
"""The rule sets by preset id."""

preset: Final = _BOOK.preset
recorded: Final = _BOOK.recorded

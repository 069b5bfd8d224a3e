"""The presets of 卡五星, as data. A preset whose values change gets a new version.

``seed004`` is a published rule book; the others are what public servers of four towns play (Rule 9).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from engine.kawuxing.rules import OPTIONS, RuleSet
from engine.presets import Presets

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

_KNOWN: Final = (
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
    replace(_TOWN, preset="shiyan", fan_kawuxing=4, fan_haidi=2, hz="shiyan", piao_max=2, shanglou="after"),
)

_BOOK: Final = Presets(_KNOWN, OPTIONS)

PRESETS: Final = _BOOK.by_id
"""The rule sets by preset id."""

preset: Final = _BOOK.preset
recorded: Final = _BOOK.recorded

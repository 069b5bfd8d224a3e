"""跑胡子."""

from __future__ import annotations

from typing import Final

from services.table.titles import Titles

TITLES: Final = Titles(
    game=("跑胡子", "Paohuzi"),
    presets={
        "876cc": ("八七六", "876"),
        "luzhou-10xi": ("泸州 十息", "Luzhou, ten xi"),
        "bafang-yongzhou": ("八方永州扯胡子", "Bafang Yongzhou"),
        "tongyi-qmt": ("统一全名堂", "All names"),
        "changde-hhd": ("常德 红黑点", "Changde, red, black, one red"),
        "changde-qmt": ("常德 全名堂", "Changde, all names"),
        "changde-dhd": ("常德 多红对", "Changde, red and pairs"),
        "ningxiang": ("宁乡跑胡子", "Ningxiang"),
        "shaoyang": ("邵阳字牌", "Shaoyang"),
    },
    options={
        "min_xi": ("起胡息数", "Huxi needed to win"),
        "deng_first": ("首等息数", "Huxi of the first deng"),
        "deng_step": ("每等息数", "Huxi of each further deng"),
        "names": ("名堂表", "Table of names"),
        "zimo_deng": ("自摸加等", "Deng added for a self-draw"),
        "zimo_stage": ("自摸等的计算次序", "When the self-draw deng is added"),
        "haidi_plain_total": ("单海底倍数", "Multiplier of a plain last-card win"),
        "wu_dui_total": ("乌胡对对胡倍数", "Multiplier of all black with all pairs"),
        "red_cap": ("红胡封顶", "Cap of red hands"),
        "big_cap": ("大字胡封顶", "Cap of hands of big cards"),
        "small_cap": ("小字胡封顶", "Cap of hands of small cards"),
        "dead_peng_blocks_chi": ("过碰不吃、过吃不碰", "A passed peng bars chi, and the other way round"),
        "own_discard_dead": ("打出即臭", "One's own discard can't be claimed again"),
        "chou_hu": ("臭胡", "What a passed win bars"),
        "po_pao_hu": ("破跑胡", "May win instead of running"),
        "discard_hu": ("放炮胡", "Discards can be won"),
        "discard_hu_pays": ("放炮由谁付", "Who pays for a won discard"),
        "liangzhang_hu": ("亮张胡", "Who may win the shown card"),
        "liang_xian_zimo": ("闲家亮张算自摸", "The shown card counts as self-drawn for the others"),
        "santi_wukan": ("三提五坎", "Three ti or five kan win at once"),
        "forbid_claim_without_discard": ("无牌可打不许吃碰", "No claim that leaves nothing to discard"),
        "huangzhuang_change_after": ("荒庄换庄局数", "Drawn rounds until the deal moves on"),
        "opening_ti_show_one": ("起手提亮一张", "An opening ti shows one card"),
        "win_cap_by_balance": ("赢家以身上金币封顶", "A win is capped by the winner's own coins"),
        "base_stake": ("底分金币", "Coins per point"),
        "fee": ("每局台费金币", "Coins each seat pays for a round"),
        "point_cap": ("单家封顶点数", "Most points one seat pays"),
    },
    values={
        "names": {
            "876": ("八七六", "876"),
            "qmt": ("全名堂", "All names"),
            "none": ("无名堂", "None"),
            "hhd": ("红黑点", "Red, black, one red"),
            "changde-qmt": ("常德全名堂", "Changde, all names"),
            "changde-dhd": ("常德多红对", "Changde, red and pairs"),
            "ningxiang": ("宁乡", "Ningxiang"),
        },
        "zimo_stage": {
            "before_fan": ("先加等后乘番", "Before multiplying"),
            "after_fan": ("乘番后加等", "After multiplying"),
        },
        "chou_hu": {
            "off": ("不臭胡", "Nothing"),
            "win_xi": ("按胡牌总息", "By the total of the win"),
            "table_xi": ("按桌面息", "By the huxi on the table"),
        },
        "discard_hu_pays": {
            "discarder": ("放炮者付", "Who discarded it"),
            "all": ("两家付", "Both others"),
        },
        "liangzhang_hu": {
            "off": ("不许胡", "Nobody"),
            "dealer": ("只庄家", "The dealer"),
            "all": ("三家都可", "Everybody"),
        },
        "santi_wukan": {
            "off": ("不算", "Off"),
            "auto": ("自动胡", "By itself"),
        },
    },
)
"""The names of 跑胡子."""

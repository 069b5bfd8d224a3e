"""清混碰."""

from __future__ import annotations

from typing import Final

from services.table.titles import Titles

TITLES: Final = Titles(
    game=("清混碰", "Qinghunpeng"),
    presets={
        "seed000": ("经典清混碰", "Classic"),
        "shanghai": ("上海清混碰", "Shanghai"),
    },
    options={
        "flowers": ("何时补花", "When flowers are replaced"),
        "dead_wall": ("牌尾留牌张数", "Tiles at the tail that are never drawn"),
        "head_bump": ("截胡", "Only the nearest winner wins"),
        "claim_lock": ("吃碰须能做清混碰", "Claims must still allow one suit or all pungs"),
        "no_swap": ("不许打出刚吃碰的牌", "The claimed kind may not be discarded"),
        "guo_hu": ("过胡", "What a passed win bars"),
        "huangfan": ("荒番", "Draws double later rounds"),
        "chengbao": ("承包", "Three claims from one seat bind both"),
        "dealer": ("谁坐庄", "Who deals next"),
        "dadiaoche_angang": ("大吊车可含暗杠", "Four melds may include concealed kongs"),
        "dihu_broken_by_claims": ("有人吃碰杠则无地胡", "Claims end the first-chance win"),
        "gangkai_flower": ("补花自摸也算杠开", "A win on a flower's replacement counts as on a kong's"),
        "bahua": ("八花", "Eight flowers win"),
        "extra_can_start": ("可单独起胡", "Extras that can open a hand"),
        "tian_di_waive": ("天胡地胡不论牌型", "First-hand wins need no pattern"),
        "min_ron": ("点炮起胡分", "Points needed to win a discard"),
        "lezi": ("一勒几分", "Points of one lezi"),
        "formula_base": ("花分底数", "Constant of the flower formula"),
        "fixed_hunpeng": ("混碰几勒", "Lezi of mixed suit with all pungs"),
        "fixed_qingyise": ("清一色几勒", "Lezi of one suit"),
        "fixed_qingpeng": ("清碰几勒", "Lezi of one suit with all pungs"),
        "fixed_luanfengxiang": ("乱风向几勒", "Lezi of all honours in any shape"),
        "fixed_zipeng": ("字碰几勒", "Lezi of all honours with all pungs"),
        "fixed_bahua": ("八花几勒", "Lezi of eight flowers"),
        "fixed_tianhu": ("天胡几勒", "Lezi of the dealer's first hand"),
        "fixed_dihu": ("地胡几勒", "Lezi of a win on the first chance"),
        "floor_dadiaoche": ("大吊车至少几勒", "Least lezi of four melds and one tile"),
        "floor_gangkai": ("杠开至少几勒", "Least lezi of a win on a replacement"),
        "floor_qianggang": ("抢杠至少几勒", "Least lezi of robbing a kong"),
        "floor_haidi": ("海底至少几勒", "Least lezi of the last tile"),
        "stack": ("加番算法", "How extras combine"),
        "cap": ("封顶分数", "Most points of a share"),
        "win_cap_by_balance": ("赢家以身上金币封顶", "A win is capped by the winner's own coins"),
        "base_stake": ("底分金币", "Coins per point"),
        "fee": ("每局台费金币", "Coins each seat pays for a round"),
    },
    values={
        "flowers": {
            "at_deal": ("发牌后", "After the deal"),
            "lazy": ("轮到时", "At the first turn"),
        },
        "guo_hu": {
            "off": ("不限", "Nothing"),
            "same_tile": ("不胡同张", "The same tile"),
        },
        "dealer": {
            "winner": ("胡家", "The winner"),
            "rotate": ("轮庄", "In turn"),
        },
        "bahua": {
            "opening": ("开局即集齐", "At the opening"),
            "anytime": ("随时", "At any time"),
            "off": ("不算", "Off"),
        },
        "extra_can_start": {
            "none": ("都不可", "None"),
            "dadiaoche": ("大吊车", "Four melds and one tile"),
            "gangkai": ("杠开", "A win on a replacement"),
            "both": ("两者都可", "Both"),
        },
        "stack": {
            "max": ("取最大", "The largest counts"),
            "add": ("相加", "They add up"),
        },
    },
)
"""The names of 清混碰."""

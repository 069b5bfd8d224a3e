"""斗地主."""

from __future__ import annotations

from typing import Final

from services.table.titles import MONEY_TEXTS, Titles

TITLES: Final = Titles(
    game=("斗地主", "Doudizhu"),
    presets={
        "classic": ("经典叫分", "Classic, by bids"),
        "qiang": ("抢地主", "Robbing the landlord"),
        "contest": ("比赛规则", "Contest rules"),
    },
    options={
        "first_speaker": ("谁先叫", "Who speaks first"),
        "face_up": ("明示首张", "The first card is shown"),
        "bid": ("定地主", "How the landlord is found"),
        "bid_rounds": ("叫分轮数", "Rounds of bidding"),
        "redeal_limit": ("流局几次后必打", "Redeals until somebody must play"),
        "double": ("加倍", "Doubling"),
        "pair_as_two_solos": ("单牌可带对子", "Single kickers may be equal"),
        "rocket_as_kickers": ("可带双王", "Both jokers as single kickers"),
        "bomb_in_kickers": ("炸弹可拆作带牌", "Four equal cards as kickers"),
        "trio_in_wings": ("飞机可带三张", "Three equal cards as wings"),
        "adjacent_trio_wing": ("三张可与飞机相连", "Those may continue the plane"),
        "four_two": ("四带二", "Four with two"),
        "scoring": ("倍数算法", "How multipliers combine"),
        "bomb_mult": ("炸弹倍数", "Multiplier of a bomb"),
        "rocket_mult": ("火箭倍数", "Multiplier of the rocket"),
        "spring": ("春天倍数", "Multiplier of spring"),
        "bomb_cap": ("炸弹封顶个数", "Most bombs that count"),
        "win_cap_by_balance": ("赢家以身上金币封顶", "A win is capped by the winner's own coins"),
        "base_stake": ("底分金币", "Coins per point"),
        "fee": ("每局台费金币", "Coins each seat pays for a round"),
    },
    texts={
        "first_speaker": "第一局以后谁先叫：每局随机，上一局先出完的一家，还是轮到下一家。",
        "face_up": "把先叫那家的第一张牌亮给大家看。",
        "bid": "怎么定地主：叫分，分高的当；还是先叫地主、再抢地主。",
        "bid_rounds": "叫分时每家只叫一次，还是一直叫到另外两家都不再加分。",
        "redeal_limit": "连着流局这么多次以后，再没有人叫，就由先叫那家以一分当地主；不限就是一直重发。",
        "double": "亮出底牌以后，问不问三家要不要加倍。",
        "pair_as_two_solos": "带单牌时，可以带两张一样大的牌（把一对当两张单牌）。",
        "rocket_as_kickers": "带单牌时，可以把大王、小王一起带出去。",
        "bomb_in_kickers": "四张一样大的牌可以拿来带：当四张单牌，或当两对。",
        "trio_in_wings": "飞机带的单牌里，可以有三张一样大的牌。",
        "adjacent_trio_wing": "飞机带的三张一样大的牌，点数可以正好跟飞机连得上。",
        "four_two": "可以出四带二：四张带两张单牌，或带两对。",
        "scoring": "炸弹、火箭、春天的倍数连乘，还是每一个只多加一份叫分。",
        "bomb_mult": "每个炸弹乘几倍；倍数相加时，加的是这个数减一。",
        "rocket_mult": "火箭乘几倍；倍数相加时，加的是这个数减一。",
        "spring": "春天、反春天乘几倍；倍数相加时，加的是这个数减一。",
        "bomb_cap": "最多计几个炸弹，火箭也算在内，而且先计火箭；不限就是有几个计几个。",
        **MONEY_TEXTS,
    },
    values={
        "first_speaker": {
            "random": ("每局随机", "Drawn each round"),
            "winner": ("先出完者", "Who went out"),
            "rotate": ("轮流", "In turn"),
        },
        "bid": {
            "score": ("叫分", "By bids"),
            "qiang": ("叫地主、抢地主", "By calling and robbing"),
        },
        "bid_rounds": {
            "once": ("每人一次", "One turn each"),
            "until2pass": ("叫到两家不加", "Until two pass"),
        },
        "double": {
            "off": ("不加倍", "Off"),
            "on": ("可加倍", "On"),
        },
        "scoring": {
            "multiply": ("相乘", "They multiply"),
            "linear": ("相加", "They add up"),
        },
    },
)
"""The names of 斗地主."""

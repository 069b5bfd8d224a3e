"""斗地主."""

from __future__ import annotations

from typing import Final

from services.table.titles import Titles

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

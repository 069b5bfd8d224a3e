"""The options of 清混碰: one frozen rule set, each option documented, validated and classed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from engine.options import Options, choice, flag, infos, number, younger_number


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleSet(Options):
    """Every option of a round, with the preset they come from.

    Raises:
        BadOption: A value is of the wrong type or out of its range.
    """

    flowers: str = choice(
        "When dealt flowers are replaced: by all after the deal, or by each at its first turn.",
        "§1",
        "at_deal",
        "lazy",
    )
    dead_wall: int = number("How many tiles at the end of the wall are never drawn.", "§1", 0, 60)

    head_bump: bool = flag("Whether only the nearest of several winners wins.", "§2")
    claim_lock: bool = flag("Whether melds must leave 清, 混 or 碰 open.", "§2")
    no_swap: bool = flag("食替: whether the kind just claimed may not be discarded.", "§2")
    guo_hu: str = choice(
        "What a passed 胡 bars until the own next draw: nothing, or the same tile.", "§2", "off", "same_tile"
    )
    huangfan: bool = flag("荒番: whether each drawn round doubles a later one.", "§2")
    chengbao: bool = flag("承包: whether three claims from one player bind both to further shares.", "§2")
    dealer: str = choice(
        "Who deals next: the winner, or in turn unless the dealer won.", "§2", "winner", "rotate"
    )

    dadiaoche_angang: bool = flag("Whether a 暗杠 may be among the melds of 大吊车.", "§3")
    dihu_broken_by_claims: bool = flag("Whether any claim or kong ends 地胡.", "§3")
    gangkai_flower: bool = flag("Whether the replacement of a drawn flower makes 杠开.", "§3")
    bahua: str = choice(
        "When eight flowers win: before the own first discard, at any time, never.",
        "§3",
        "opening",
        "anytime",
        "off",
    )
    extra_can_start: str = choice(
        "Which extras let a hand of no pattern win.", "§3", "none", "dadiaoche", "gangkai", "both"
    )
    tian_di_waive: bool = flag("Whether 天胡 and 地胡 let a hand of no pattern win.", "§3")
    min_ron: int = number("How many points a win from another seat needs.", "§3", 0, 1_000)

    lezi: int = number("Points of one 勒.", "§4", 1, 1_000)
    formula_base: int = number("What the flowers of 混一色 and 碰碰胡 are added to.", "§4", 0, 100)
    fixed_hunpeng: int = number("勒 of 混碰.", "§4", 0, 100)
    fixed_qingyise: int = number("勒 of 清一色.", "§4", 0, 100)
    fixed_qingpeng: int = number("勒 of 清碰.", "§4", 0, 100)
    fixed_luanfengxiang: int = number("勒 of 乱风向.", "§4", 0, 100)
    fixed_zipeng: int = number("勒 of 字碰.", "§4", 0, 100)
    fixed_bahua: int = number("勒 of 八花.", "§4", 0, 100)
    fixed_tianhu: int = number("勒 of 天胡; 0 for none.", "§4", 0, 100)
    fixed_dihu: int = number("勒 of 地胡; 0 for none.", "§4", 0, 100)
    floor_dadiaoche: int = number("勒 of 大吊车.", "§4", 0, 100)
    floor_gangkai: int = number("勒 of 杠开.", "§4", 0, 100)
    floor_qianggang: int = number("勒 of 抢杠.", "§4", 0, 100)
    floor_haidi: int = number("勒 of 海底.", "§4", 0, 100)
    stack: str = choice("How pattern and extras make points: the largest, or the sum.", "§4", "max", "add")
    cap: int = number("The most points of a share; 0 for no limit.", "§4", 0, 100_000)

    win_cap_by_balance: bool = flag("Whether one wins at most one's own balance.", "§5", "settlement")
    base_stake: int = number("Coins a point.", "§5", 1, 1_000_000_000, "settlement")
    fee: int = younger_number("Coins each seat pays for a round.", "§5", 1_000_000_000, "settlement")


OPTIONS: Final = infos(RuleSet)
"""What is known about each option, by name."""

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
    claim_lock: bool = flag(
        "Whether melds must leave one suit, one suit with honours or all pungs open.", "§2"
    )
    no_swap: bool = flag("Whether the kind just claimed may not be discarded.", "§2")
    guo_hu: str = choice(
        "What a passed win bars until one's own next draw: nothing, or the same tile.",
        "§2",
        "off",
        "same_tile",
    )
    huangfan: bool = flag("Whether each drawn round doubles a later win.", "§2")
    chengbao: bool = flag("Whether three claims from one player bind both to further shares.", "§2")
    dealer: str = choice(
        "Who deals next: the winner, or in turn unless the dealer won.", "§2", "winner", "rotate"
    )

    dadiaoche_angang: bool = flag(
        "Whether a concealed kong may be among the melds of a hand of four melds and one tile.", "§3"
    )
    dihu_broken_by_claims: bool = flag("Whether any claim or kong ends the win on the first chance.", "§3")
    gangkai_flower: bool = flag(
        "Whether a win on the replacement of a drawn flower counts as one on a kong's.", "§3"
    )
    bahua: str = choice(
        "When eight flowers win: before one's own first discard, at any time, never.",
        "§3",
        "opening",
        "anytime",
        "off",
    )
    extra_can_start: str = choice(
        "Which extras let a hand of no pattern win.", "§3", "none", "dadiaoche", "gangkai", "both"
    )
    tian_di_waive: bool = flag(
        "Whether the dealer's first hand and a win on the first chance need no pattern.", "§3"
    )
    min_ron: int = number("How many points a win from another seat needs.", "§3", 0, 1_000)

    lezi: int = number(
        "How many points one lezi is worth; patterns and extras are counted in lezi.", "§4", 1, 1_000
    )
    formula_base: int = number(
        "What the flowers of a hand of one suit with honours, or of all pungs, are added to.", "§4", 0, 100
    )
    fixed_hunpeng: int = number("Lezi of one suit with honours, all pungs.", "§4", 0, 100)
    fixed_qingyise: int = number("Lezi of one suit without honours.", "§4", 0, 100)
    fixed_qingpeng: int = number("Lezi of one suit without honours, all pungs.", "§4", 0, 100)
    fixed_luanfengxiang: int = number("Lezi of a hand of honours only, in any shape.", "§4", 0, 100)
    fixed_zipeng: int = number("Lezi of a hand of honours only, all pungs.", "§4", 0, 100)
    fixed_bahua: int = number("Lezi of all eight flowers.", "§4", 0, 100)
    fixed_tianhu: int = number("Lezi of the dealer's win with the dealt hand; 0 for none.", "§4", 0, 100)
    fixed_dihu: int = number("Lezi of another's win before its first discard; 0 for none.", "§4", 0, 100)
    floor_dadiaoche: int = number(
        "Lezi of four melds and one tile: at least so many, or added where extras add up.", "§4", 0, 100
    )
    floor_gangkai: int = number(
        "Lezi of a win on a replacement: at least so many, or added where extras add up.", "§4", 0, 100
    )
    floor_qianggang: int = number(
        "Lezi of robbing a kong: at least so many, or added where extras add up.", "§4", 0, 100
    )
    floor_haidi: int = number(
        "Lezi of a win on the last tile: at least so many, or added where extras add up.", "§4", 0, 100
    )
    stack: str = choice("How pattern and extras make points: the largest, or the sum.", "§4", "max", "add")
    cap: int = number("The most points of a share; 0 for no limit.", "§4", 0, 100_000)

    win_cap_by_balance: bool = flag("Whether one wins at most one's own balance.", "§5", "settlement")
    base_stake: int = number("Coins a point.", "§5", 1, 1_000_000_000, "settlement")
    fee: int = younger_number(
        "Coins that each seat pays to play a round; no seat wins them.", "§5", 1_000_000_000, "settlement"
    )


OPTIONS: Final = infos(RuleSet)
"""What is known about each option, by name."""

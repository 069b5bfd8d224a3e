"""The options of 卡五星: one frozen rule set, each option documented, validated and classed."""

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

    suits: str = choice("The two suits that are played with: 万 m, 筒 p, 条 s.", "§1", "ps", "mp", "ms")
    base: int = number("Points of one 番.", "§8", 1, 1_000)
    draw_dealer: str = choice(
        "Who deals after 黄庄: the dealer again, or who drew the last tile.", "§1", "stay", "last_drawer"
    )

    kong_after_pong: bool = flag("Whether 暗杠 and 补杠 are allowed right after 碰.", "§2")
    replacement_from_tail: bool = flag("Whether a kong's replacement is the last tile of the wall.", "§2")
    claim_last: str = choice("What the last discard can be claimed for.", "§2", "hu_only", "hu_pong")
    ban_feeding: bool = flag(
        "Whether a tile that a revealed player waits for may only be discarded if nothing else is held.", "§2"
    )

    bugang_only_drawn: bool = flag("Whether 补杠 takes the tile just drawn only.", "§3")
    abandoned_kong: str = choice(
        "Whether 补杠 is allowed for a pong that was made while holding three.", "§3", "pay", "forbid"
    )
    chain: str = choice("How 杠上杠 grows: 1, 2, 4, 8 or 1, 2, 2, 2.", "§3", "exponential", "flat2")
    chain_requires_drawn: bool = flag("Whether a 暗杠 held whole before starts the chain anew.", "§3")

    fan_qidui: int = number("番 of 七对.", "§5", 1, 1_024)
    fan_long: int = number("番 of 龙七对.", "§5", 1, 1_024)
    fan_shuanglong: int = number("番 of 双龙七对.", "§5", 1, 1_024)
    fan_chaolong: int = number("番 of 超龙七对.", "§5", 1, 1_024)
    fan_pengpenghu: int = number("番 of 碰碰胡.", "§5", 1, 1_024)
    fan_kawuxing: int = number("番 of 卡五星.", "§5", 1, 1_024)
    du_bonus: int = number("Further 番 of 独卡五星; 1 for none.", "§5", 1, 1_024)
    fan_ming: int = number("番 of each 明四归一.", "§5", 1, 1_024)
    fan_an: int = number("番 of each 暗四归一.", "§5", 1, 1_024)
    fan_xiaosanyuan: int = number("番 of 小三元.", "§5", 1, 1_024)
    fan_dasanyuan: int = number("番 of 大三元.", "§5", 1, 1_024)
    fan_qingyise: int = number("番 of 清一色.", "§5", 1, 1_024)
    fan_shouzhuayi: int = number("番 of 手抓一.", "§5", 1, 1_024)
    fan_gangkai: int = number("番 of 杠上开花.", "§5", 1, 1_024)
    fan_gangpao: int = number("番 of 杠上炮.", "§5", 1, 1_024)
    fan_qianggang: int = number("番 of 抢杠胡.", "§5", 1, 1_024)
    fan_tianhu: int = number("番 of 天胡, the dealer's win with the deal; 1 for none.", "§5", 1, 1_024)
    fan_dihu: int = number("番 of 地胡, another's win on his first chance; 1 for none.", "§5", 1, 1_024)
    fan_haidi: int = number(
        "番 of a win on the last tile of the wall or the discard after it; 1 for none.", "§9", 1, 1_024
    )
    fan_menqing: int = number("番 of a hand without exposed melds (not 七对); 1 for none.", "§5", 1, 1_024)
    kawuxing_mode: str = choice("Whether every 卡五星 counts, or only 独卡五星.", "§5", "any", "du")
    sigui_scope: str = choice(
        "Where holding all four is enough for 四归一: in 清一色, in every hand, nowhere.",
        "§5",
        "seed",
        "full",
        "half",
    )
    forced_sigui: bool = flag("强制四归一: the winning tile must be the fourth, whatever the scope.", "§5")
    forced_longqidui: bool = flag("Whether four equal tiles count as 龙 only if won with.", "§5")
    ansigui_needs_triplet: bool = flag("Whether 暗四归一 needs the tile as a triplet in the reading.", "§5")
    szy_stacks_pph: bool = flag("Whether 手抓一 also counts 碰碰胡.", "§5")
    szy_exclude_angang: bool = flag("Whether a 暗杠 spoils 手抓一.", "§5")

    min_fan: str = choice(
        "Which wins need 2番: none, all (硬开口), all but a konger's (软开口), those on a discard.",
        "§6",
        "none",
        "hard",
        "soft",
        "pao2",
    )
    guo_hu: str = choice(
        "What a passed 胡 bars until the own next draw: nothing, the same tile, all but a higher 番.",
        "§6",
        "off",
        "same_tile",
        "higher_fan",
    )

    reveal_min_wall: int = number("亮倒 needs so many tiles in the wall.", "§7", 0, 44)
    reveal_auto_hu: bool = flag("Whether a revealed player wins without being asked.", "§7")
    reveal_kong_check: str = choice(
        "Whether a kong after 亮倒 must keep the very waits, or only some.", "§7", "same_waits", "still_ting"
    )
    reveal_no_claim: bool = flag("亮倒后不能碰杠: only 扣 triplets take a discard.", "§7")
    reveal_doubles_loser: str = choice(
        "Where a revealed loser pays double: everywhere, on a discard, nowhere.",
        "§7",
        "all",
        "discard_only",
        "off",
    )
    duifan: bool = flag("亮倒对番: both revealed pay four times on a discard.", "§7")
    duifan_on_zimo: bool = flag("Whether 亮倒对番 also counts on a self-draw.", "§7")
    baohu: bool = flag("包胡: who feeds a revealed player without being revealed pays for both.", "§7")
    bao_exempt_forced: bool = flag("Whether 包胡 is waived where every tile held was dangerous.", "§7")
    bao_excludes_cowinner: bool = flag("Whether 包胡 leaves out the share of another winner.", "§7")
    sha_ma: bool = flag("杀马: a revealed player's face-up triplet is konged without asking.", "§9")

    cap: int = number("The most 番 of a share; 0 for no limit.", "§8", 0, 1_024)
    reveal_outside_cap: bool = flag("亮倒番不计封顶: the factor of 亮倒 comes after the cap.", "§8")
    bao_cap_total: bool = flag("Whether the cap limits the whole of 包胡.", "§8")
    hz: str = choice(
        "What is paid at 黄庄: nothing, 亮进亮出, 讲听头, 查大叫, or as a town does.",
        "§8",
        "none",
        "ljlc",
        "jtt",
        "chadajiao",
        "xiaogan",
        "suizhou",
        "shiyan",
    )
    jtt_pays_silent: bool = flag("讲听头: whether who is not ready also pays silent ready players.", "§8")

    mai_ma: str = choice("买马: no tile is turned, one (独马), or six (六马).", "§9", "off", "du", "liu")
    mai_ma_when: str = choice(
        "Which wins turn tiles: every self-draw, or a revealed player's.", "§9", "zimo", "liang_zimo"
    )
    piao_max: int = number("漂: the most a player may stake; 0 for none.", "§9", 0, 10)
    shukan: bool = flag("数坎: one base more for each concealed triplet and kong.", "§9")
    shanglou: str = choice(
        "上楼: when a round counts double: never, on equal dice, after 黄庄 or 一炮双响.",
        "§9",
        "off",
        "dice",
        "after",
    )

    win_cap_by_balance: bool = flag("Whether one wins at most one's own balance.", "§8", "settlement")
    base_stake: int = number("Coins a point.", "§8", 1, 1_000_000_000, "settlement")
    fee: int = younger_number("Coins each seat pays for a round.", "§8", 1_000_000_000, "settlement")


OPTIONS: Final = infos(RuleSet)
"""What is known about each option, by name."""

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

    suits: str = choice("The two suits that are played with, besides the dragons.", "§1", "ps", "mp", "ms")
    base: int = number("How many points one fan is worth; kongs are paid in it too.", "§8", 1, 1_000)
    draw_dealer: str = choice(
        "Who deals after a drawn round: the dealer again, or who drew the last tile.",
        "§1",
        "stay",
        "last_drawer",
    )

    kong_after_pong: bool = flag("Whether a concealed or added kong is allowed right after a pong.", "§2")
    replacement_from_tail: bool = flag("Whether a kong's replacement is the last tile of the wall.", "§2")
    claim_last: str = choice(
        "What the last discard can be claimed for: a win only, or a pong too.", "§2", "hu_only", "hu_pong"
    )
    ban_feeding: bool = flag(
        "Whether a tile that a revealed player waits for may only be discarded if nothing else is held.", "§2"
    )

    bugang_only_drawn: bool = flag("Whether only the tile just drawn can be added to a pong.", "§3")
    abandoned_kong: str = choice(
        "Whether a kong may be added to a pong that was made while holding three.", "§3", "pay", "forbid"
    )
    chain: str = choice("How kongs in a row grow: 1, 2, 4, 8 or 1, 2, 2, 2.", "§3", "exponential", "flat2")
    chain_requires_drawn: bool = flag(
        "Whether a concealed kong held whole before the replacement starts the chain anew.", "§3"
    )

    fan_qidui: int = number("Fan of seven pairs, no four tiles of them equal.", "§5", 1, 1_024)
    fan_long: int = number("Fan of seven pairs with one kind held four times.", "§5", 1, 1_024)
    fan_shuanglong: int = number("Fan of seven pairs with two kinds held four times.", "§5", 1, 1_024)
    fan_chaolong: int = number("Fan of seven pairs with three kinds held four times.", "§5", 1, 1_024)
    fan_pengpenghu: int = number(
        "Fan of a hand of triplets or kongs and a pair, without a run.", "§5", 1, 1_024
    )
    fan_kawuxing: int = number("Fan of a win with the 5 between a 4 and a 6 of the hand.", "§5", 1, 1_024)
    du_bonus: int = number("Further fan of a kawuxing whose 5 is the only wait; 1 for none.", "§5", 1, 1_024)
    fan_ming: int = number(
        "Fan of each exposed four-in-one: an own pong and its fourth tile.", "§5", 1, 1_024
    )
    fan_an: int = number(
        "Fan of each concealed four-in-one: all four tiles in the hand, without a kong.", "§5", 1, 1_024
    )
    fan_xiaosanyuan: int = number("Fan of triplets of two dragons and a pair of the third.", "§5", 1, 1_024)
    fan_dasanyuan: int = number("Fan of triplets of all three dragons.", "§5", 1, 1_024)
    fan_qingyise: int = number("Fan of a hand all of one suit, without dragons.", "§5", 1, 1_024)
    fan_shouzhuayi: int = number("Fan of four melds on the table and one tile in the hand.", "§5", 1, 1_024)
    fan_gangkai: int = number("Fan of a self-draw on the replacement of one's own kong.", "§5", 1, 1_024)
    fan_gangpao: int = number("Fan of a win on the discard made right after a kong.", "§5", 1, 1_024)
    fan_qianggang: int = number("Fan of a win on the tile that another adds to a pong.", "§5", 1, 1_024)
    fan_tianhu: int = number("Fan of the dealer's win with the dealt hand; 1 for none.", "§5", 1, 1_024)
    fan_dihu: int = number("Fan of another's win on the first chance; 1 for none.", "§5", 1, 1_024)
    fan_haidi: int = number(
        "Fan of a win on the last tile of the wall or the discard after it; 1 for none.", "§9", 1, 1_024
    )
    fan_menqing: int = number(
        "Fan of a hand without exposed melds, seven pairs left out; 1 for none.", "§5", 1, 1_024
    )
    kawuxing_mode: str = choice(
        "Whether every kawuxing counts, or only one whose 5 is the only wait.", "§5", "any", "du"
    )
    sigui_scope: str = choice(
        "In which hands holding all four is enough for four-in-one: those of one suit, every hand, none.",
        "§5",
        "seed",
        "full",
        "half",
    )
    forced_sigui: bool = flag("Whether the winning tile must always be the fourth for four-in-one.", "§5")
    forced_longqidui: bool = flag(
        "Whether four equal tiles in seven pairs count as such only if one of them is the winning tile.", "§5"
    )
    ansigui_needs_triplet: bool = flag(
        "Whether concealed four-in-one needs three of its tiles read as a triplet.", "§5"
    )
    szy_stacks_pph: bool = flag("Whether four melds and one tile also count as all triplets.", "§5")
    szy_exclude_angang: bool = flag(
        "Whether a concealed kong among the four melds spoils the fan of four melds and one tile.", "§5"
    )

    min_fan: str = choice(
        "Which wins need two fan: none, all, all but those of a player who has konged, those on a discard.",
        "§6",
        "none",
        "hard",
        "soft",
        "pao2",
    )
    guo_hu: str = choice(
        "What a passed win bars until one's own next draw: nothing, the same tile, all but a higher fan.",
        "§6",
        "off",
        "same_tile",
        "higher_fan",
    )

    reveal_min_wall: int = number("How many tiles the wall must still hold for a reveal.", "§7", 0, 44)
    reveal_auto_hu: bool = flag("Whether a revealed player wins without being asked.", "§7")
    reveal_kong_check: str = choice(
        "Whether a kong after a reveal must keep the very waits, or only some.",
        "§7",
        "same_waits",
        "still_ting",
    )
    reveal_no_claim: bool = flag("Whether after a reveal only hidden triplets can kong a discard.", "§7")
    reveal_doubles_loser: str = choice(
        "Where a revealed loser pays double: everywhere, on a discard, nowhere.",
        "§7",
        "all",
        "discard_only",
        "off",
    )
    duifan: bool = flag("Whether a revealed player who discards to a revealed winner pays four times.", "§7")
    duifan_on_zimo: bool = flag(
        "Whether the four times of both revealed also count on a self-draw.",
        "§7",
    )
    baohu: bool = flag("Whether who feeds a revealed player without being revealed pays for both.", "§7")
    bao_exempt_forced: bool = flag("Whether one who held dangerous tiles only need not pay for both.", "§7")
    bao_excludes_cowinner: bool = flag(
        "Whether who pays for both need not pay the share of another winner.", "§7"
    )
    sha_ma: bool = flag("Whether a revealed player's face-up triplet is konged without asking.", "§9")

    cap: int = number("The most fan of a share; 0 for no limit.", "§8", 0, 1_024)
    reveal_outside_cap: bool = flag("Whether the factor of a reveal comes after the cap.", "§8")
    bao_cap_total: bool = flag("Whether the cap limits the whole that one pays for both.", "§8")
    hz: str = choice(
        "What is paid at a draw: nothing, by the first revealed, by revealed and unready seats, "
        "by unready seats, or as a town does.",
        "§8",
        "none",
        "ljlc",
        "jtt",
        "chadajiao",
        "xiaogan",
        "suizhou",
        "shiyan",
    )
    jtt_pays_silent: bool = flag(
        "Whether unready seats also pay silent ready ones, where revealed and unready seats pay at a draw.",
        "§8",
    )

    mai_ma: str = choice("How many tiles are turned at a win: none, one, or six.", "§9", "off", "du", "liu")
    mai_ma_when: str = choice(
        "Which wins turn tiles: every self-draw, or a revealed player's.", "§9", "zimo", "liang_zimo"
    )
    piao_max: int = number("The most a player may stake before the deal; 0 for none.", "§9", 0, 10)
    shukan: bool = flag("Whether each concealed triplet and kong adds one base more.", "§9")
    shanglou: str = choice(
        "When a round counts double: never, on equal dice, after a draw or a double win.",
        "§9",
        "off",
        "dice",
        "after",
    )

    win_cap_by_balance: bool = flag("Whether one wins at most one's own balance.", "§8", "settlement")
    base_stake: int = number("Coins a point.", "§8", 1, 1_000_000_000, "settlement")
    fee: int = younger_number(
        "Coins that each seat pays to play a round; no seat wins them.", "§8", 1_000_000_000, "settlement"
    )


OPTIONS: Final = infos(RuleSet)
"""What is known about each option, by name."""

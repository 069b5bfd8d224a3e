"""The options of 跑胡子 (Rule 12): one frozen rule set, each option documented, validated and classed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from engine.errors import BadOption
from engine.options import Options, choice, flag, infos, number, younger_number
from engine.paohuzi.names import NAME_TABLES


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleSet(Options):
    """Every option of a round, with the preset they come from.

    Raises:
        BadOption: A value is of the wrong type or out of its range, or ``deng_first`` is above ``min_xi``.
    """

    min_xi: int = number("A hand must be worth at least this many huxi to win.", "§8", 1, 60)
    deng_first: int = number(
        "The huxi at which the first deng begins; not more than a win needs.", "§10", 1, 15
    )
    deng_step: int = number("How many huxi make one more deng.", "§10", 1, 30)
    names: str = choice("Which names count, and how much each is worth.", "§10", *NAME_TABLES)
    zimo_deng: int = number("Deng added for a win on one's own card.", "§10", 0, 20)
    zimo_stage: str = choice(
        "Whether the self-draw deng is added before or after multiplying.", "§11.5", "before_fan", "after_fan"
    )
    haidi_plain_total: int = number(
        "What a win on the last card of the wall multiplies by if it has no other name (table 876).",
        "§10a",
        1,
        20,
    )
    wu_dui_total: int = number(
        "What all black and all pairs in one hand multiply by together (table 876).", "§10a", 6, 60
    )
    red_cap: int = number("The most fan of a red hand (table of all names).", "§10b", 2, 60)
    big_cap: int = number("The most fan of a hand of big cards (table of all names).", "§10b", 6, 60)
    small_cap: int = number("The most fan of a hand of small cards (table of all names).", "§10b", 8, 60)
    dead_peng_blocks_chi: bool = flag(
        "Whether a passed peng also bars chi of that card, and a passed chi also bars peng.", "§7"
    )
    own_discard_dead: bool = flag("Whether one's own discard bars chi and peng of that card.", "§7")
    chou_hu: str = choice(
        "What a declined win is remembered by: the same card is not offered again at the same worth.",
        "§8",
        "off",
        "win_xi",
        "table_xi",
    )
    po_pao_hu: bool = flag("Whether one may win without running one's own kan, wei or peng.", "§8")
    discard_hu: bool = flag("Whether a discard can be won, and not only a card of the wall.", "§12")
    discard_hu_pays: str = choice(
        "Who pays for a won discard: the discarder for both, or each of the two.", "§12", "discarder", "all"
    )
    liangzhang_hu: str = choice(
        "Who may win with the card that the dealer is dealt face up: nobody, the dealer only, or all.",
        "§4",
        "off",
        "dealer",
        "all",
    )
    liang_xian_zimo: bool = flag(
        "Whether another seat than the dealer that wins with the card dealt face up counts as self-drawn.",
        "§11.21",
    )
    santi_wukan: str = choice(
        "Whether three ti or five kan in the dealt hand win by themselves; a ti counts as a kan.",
        "§4",
        "off",
        "auto",
    )
    forbid_claim_without_discard: bool = flag(
        "Whether a claim is barred that leaves a due discard without a loose card.", "§9"
    )
    huangzhuang_change_after: int = number(
        "After so many drawn rounds in a row the deal moves on.", "§1", 1, 99
    )
    opening_ti_show_one: bool = flag(
        "Whether an opening ti shows one card; it changes nothing else.", "§11.14", "display"
    )
    win_cap_by_balance: bool = flag("Whether one wins at most one's own balance.", "§11.19", "settlement")
    base_stake: int = number("Coins a point.", "§10", 1, 1_000_000_000, "settlement")
    fee: int = younger_number(
        "Coins that each seat pays to play a round; no seat wins them.", "§10", 1_000_000_000, "settlement"
    )
    point_cap: int | None = number(
        "The most points that a loser pays for a round; none for no limit.",
        "§12",
        1,
        1_000_000,
        "rules",
        True,
    )

    def __post_init__(self) -> None:
        # Not super(): for the slots the decorator makes the class anew, and super() would mean the first one.
        Options.__post_init__(self)
        if self.deng_first > self.min_xi:
            raise BadOption("deng_first", self.deng_first, f"1 to min_xi ({self.min_xi})")


OPTIONS: Final = infos(RuleSet)
"""What is known about each option, by name."""

"""The options of 斗地主: one frozen rule set, each option documented, validated and classed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from engine.doudizhu.readings import Wings
from engine.options import Options, choice, flag, infos, number, younger_number


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleSet(Options):
    """Every option of a round, with the preset they come from.

    Raises:
        BadOption: A value is of the wrong type or out of its range.
    """

    first_speaker: str = choice(
        "Who speaks first in a round after the first: drawn anew, the seat that went out, or the next seat.",
        "§1",
        "random",
        "winner",
        "rotate",
    )
    face_up: bool = flag("Whether the first speaker's first card is shown to all.", "§1")
    bid: str = choice(
        "How the landlord is found: by bids, or by calling and robbing.", "§3", "score", "qiang"
    )
    bid_rounds: str = choice(
        "With bids: one turn each, or on until two pass on the last bid.", "§3", "once", "until2pass"
    )
    redeal_limit: int | None = number(
        "After so many redeals in a row a deal that all decline makes the first speaker landlord for 1.",
        "§3",
        1,
        99,
        optional=True,
    )
    double: str = choice("Whether all three are asked to double.", "§3", "off", "on")
    pair_as_two_solos: bool = flag("Whether single kickers may be equal.", "§2")
    rocket_as_kickers: bool = flag("Whether both jokers may be among single kickers.", "§2")
    bomb_in_kickers: bool = flag("Whether four equal cards may be kickers: four singles, or two pairs.", "§2")
    trio_in_wings: bool = flag("Whether three equal cards may be among the single wings of a plane.", "§2")
    adjacent_trio_wing: bool = flag(
        "Whether three equal cards as wings may be of a rank that would make the plane longer.", "§2"
    )
    four_two: bool = flag("Whether four equal cards may be played with two kickers at all.", "§2")
    scoring: str = choice(
        "Whether bombs, rocket and spring multiply, or each add the bid once more.",
        "§4",
        "multiply",
        "linear",
    )
    bomb_mult: int = number("What a bomb multiplies by; where they add up, it adds one less.", "§4", 1, 4)
    rocket_mult: int = number(
        "What the rocket multiplies by; where they add up, it adds one less.", "§4", 1, 4
    )
    spring: int = number(
        "What spring and counter-spring multiply by; where they add up, they add one less.", "§4", 1, 3
    )
    bomb_cap: int | None = number(
        "At most so many bombs count, the rocket included and counted first.", "§4", 1, 14, optional=True
    )
    win_cap_by_balance: bool = flag("Whether one wins at most one's own balance.", "§4", "settlement")
    base_stake: int = number("Coins a point.", "§4", 1, 1_000_000_000, "settlement")
    fee: int = younger_number(
        "Coins that each seat pays to play a round; no seat wins them.", "§4", 1_000_000_000, "settlement"
    )


OPTIONS: Final = infos(RuleSet)
"""What is known about each option, by name."""


@lru_cache(maxsize=64)
def wings_of(rules: RuleSet) -> Wings:
    """Return the options about kickers and wings."""
    return Wings(
        pair_as_two_solos=rules.pair_as_two_solos,
        rocket_as_kickers=rules.rocket_as_kickers,
        bomb_in_kickers=rules.bomb_in_kickers,
        trio_in_wings=rules.trio_in_wings,
        adjacent_trio_wing=rules.adjacent_trio_wing,
        four_two=rules.four_two,
    )

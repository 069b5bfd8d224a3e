"""How a round begins: the suits, 上楼, 漂, and the deal (Rules 1 and 9)."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

from engine.kawuxing.actions import PIAO
from engine.kawuxing.position import Position
from engine.kawuxing.rules import RuleSet
from engine.kawuxing.settle import SEATS
from engine.kawuxing.state import STAKING
from engine.mahjong.tiles import HONOURS, RANK, SUIT, TILE_TEXTS


def dice_of(wall: Sequence[int]) -> tuple[int, int]:
    """Return two dice that follow from the whole wall and tell nothing about any tile of it (Rule 9)."""
    text = "dice " + " ".join([TILE_TEXTS[tile] for tile in wall])
    digest = sha256(text.encode("ascii")).digest()
    # Bytes from 252 on would make small numbers likelier; 32 bytes always hold two others but once in 10**59.
    one, two, *_ = [*[byte % 6 + 1 for byte in digest if byte < 252], 1, 2]
    return one, two


def renamed(rules: RuleSet, wall: Sequence[int]) -> list[int]:
    """Return what the tiles of the deck stand for: 筒 is the first suit of the rules, 条 the second."""
    first, second = ["mps".index(suit) for suit in rules.suits]
    suits = (0, first, second)
    return [tile if SUIT[tile] == HONOURS else 9 * suits[SUIT[tile]] + RANK[tile] for tile in wall]


def deal_position(rules: RuleSet, wall: Sequence[int], dealer: int, draws_in_row: int = 0) -> Position:
    """Return the round dealt from a shuffled deck of the suits of the rules, at its first question."""
    position = Position(rules, wall, dealer)
    if rules.shanglou == "dice":
        position.dice = dice_of(wall)
    equal = len(set(position.dice)) == 1
    if equal or (rules.shanglou == "after" and draws_in_row):
        position.stake *= 2
    position.emit("open", dealer, rules, position.stake)
    if position.dice:
        position.emit("dice", dealer, *position.dice)
    if rules.piao_max:
        position.phase = STAKING
        for seat in range(SEATS):
            position.ask(seat, tuple(sorted(PIAO[: rules.piao_max + 1])))
    else:
        position.piao = [0, 0, 0]
        position.deal_hands()
    position.opening = tuple(position.events)
    return position

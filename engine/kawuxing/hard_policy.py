"""How seats play in a playout: fast, from what each could know, without a view."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from engine.face import Action, Rng
from engine.kawuxing.actions import DISCARD, GANG_MING, HU, PASS, PENG, PIAO, PLAIN, split_liang
from engine.kawuxing.bot import worth
from engine.kawuxing.fans import waits_of
from engine.kawuxing.melds import AN, BU
from engine.kawuxing.position import Position
from engine.kawuxing.state import TURN
from engine.mahjong.distance import distance
from engine.mahjong.tiles import COPIES, ONE, count_of, distinct, tiles_of_mask

LEFT_MIN: Final = 2
"""At least so many winning tiles must be unseen for a reveal."""


def playout_policy(position: Position, seat: int, rng: Rng) -> Action:
    """Return what a seat does in a playout: win, kong at no cost, reveal a live wait, discard by distance."""
    legal = position.asked[seat]
    assert legal, "a seat is asked"
    if HU in legal:
        return HU
    if position.phase == TURN:
        return _turn(position, seat, legal)
    return PIAO[0] if PIAO[0] in legal else _claim(position, seat, legal)


def _turn(position: Position, seat: int, legal: tuple[Action, ...]) -> Action:
    hand, laid = position.hands[seat], position.melds[seat]
    reveals = [action for action in legal if action not in PLAIN]
    if position.revealed[seat] is not None:
        return legal[-1] if len(legal) > 1 else legal[0]
    danger = position.dangerous(seat) if position.reveal_order else 0
    order = outs(hand, len(laid))
    for action in legal:
        kind, tile = PLAIN.get(action, ("", -1))
        if kind == AN and distance(hand - 4 * ONE[tile], len(laid) + 1) <= order[0][0]:
            return action
        if kind == BU and not danger >> tile & 1 and distance(hand - ONE[tile], len(laid)) <= order[0][0]:
            return action
    if reveals:
        chosen = _reveal(position, seat, reveals, danger)
        if chosen:
            return chosen
    for _, tile in order:
        if not danger >> tile & 1:
            return DISCARD[tile]
    return DISCARD[order[0][1]]


def _reveal(position: Position, seat: int, reveals: list[Action], danger: int) -> Action | None:
    """Return the reveal with most winning tiles left, hiding most; none if hardly one is left."""
    hand, laid = position.hands[seat], position.melds[seat]
    best, chosen = LEFT_MIN - 1, None
    for action in reveals:
        tile = split_liang(action)[0]
        if danger >> tile & 1:
            continue
        waits = tiles_of_mask(waits_of(hand - ONE[tile], laid))
        left = sum([COPIES - gone(position, seat, wait) for wait in waits])
        if left > best or (left == best and chosen is not None and len(action) > len(chosen)):
            best, chosen = left, action
    return chosen


def gone(position: Position, seat: int, tile: int) -> int:
    """Return how many of a tile a seat can see, face-up hands but for their 扣 included."""
    total = count_of(position.hands[seat], tile)
    for river in position.rivers:
        total += river.count(tile)
    for melds in position.melds:
        for meld in melds:
            if meld.tile == tile:
                total += meld.size
    for other in position.reveal_order:
        reveal = position.revealed[other]
        if other != seat and reveal is not None and tile not in reveal.kou:
            total += count_of(position.hands[other], tile)
    return total


def _claim(position: Position, seat: int, legal: tuple[Action, ...]) -> Action:
    assert position.shown is not None, "a claim is for a tile"
    tile, hand, melds = position.shown[0], position.hands[seat], len(position.melds[seat])
    before = distance(hand, melds)
    if GANG_MING[tile] in legal and distance(hand - 3 * ONE[tile], melds + 1) <= before:
        return GANG_MING[tile]
    if PENG in legal and outs(hand - 2 * ONE[tile], melds + 1)[0][0] < before:
        return PENG
    return PASS


@lru_cache(maxsize=65_536)
def outs(hand: int, melds: int) -> tuple[tuple[int, int], ...]:
    """Return the discards of a hand, the best first, each with the distance it leaves before its tile.

    Args:
        hand: 14 tiles, melds counted as three.
        melds: How many melds are laid.
    """
    ways = [(distance(hand - ONE[tile], melds), worth(hand, tile), -tile) for tile in distinct(hand)]
    return tuple([(far, -tile) for far, _, tile in sorted(ways)])

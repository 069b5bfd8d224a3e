"""How seats play in a playout: fast, each for its nearest plan, without a view."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from engine.face import Action, Rng
from engine.mahjong.tiles import ONE, distinct
from engine.qinghunpeng.actions import DISCARD, DISCARDED, HU, MEANING, PASS
from engine.qinghunpeng.bot import worth
from engine.qinghunpeng.melds import AN, BU, CHI, MING, Laid
from engine.qinghunpeng.melds import PENG as PONG
from engine.qinghunpeng.plans import CLEAN, MIXED, PUNGS, WINDS, plans_of
from engine.qinghunpeng.position import Position
from engine.qinghunpeng.state import TURN

Melds = tuple[tuple[str, int], ...]

_ORDER: Final = {MIXED: 0, PUNGS: 1, CLEAN: 2, WINDS: 3}
NOWHERE: Final = 13
"""The distance of a hand that can no longer win."""


def playout_policy(position: Position, seat: int, rng: Rng) -> Action:
    """Return what a seat does in a playout: win, claim what brings its plan nearer, discard by distance."""
    legal = position.asked[seat]
    assert legal, "a seat is asked"
    if HU in legal:
        return HU
    hand = position.hands[seat]
    melds = bare(position.melds[seat])
    if position.phase != TURN:
        return _claim(position, legal, hand, melds)
    far, tile = best_out(hand, melds)
    for action in legal:
        kind, at = MEANING[action]
        if kind == BU and best_out(hand, melds)[1] == at:
            return action
        if kind == AN and distance_of(hand - 4 * ONE[at], (*melds, (AN, at))) <= far:
            return action
    if DISCARD[tile] in legal:
        return DISCARD[tile]
    return min([action for action in legal if action in DISCARDED], key=lambda it: worth(hand, DISCARDED[it]))


def bare(melds: list[Laid] | tuple[Laid, ...]) -> Melds:
    """Return melds without their sources, so that equal ones are equal."""
    return tuple([(meld.kind, meld.tile) for meld in melds])


def _claim(position: Position, legal: tuple[Action, ...], hand: int, melds: Melds) -> Action:
    assert position.shown is not None, "a claim is for a tile"
    tile = position.shown[0]
    best, chosen = distance_of(hand, melds), PASS
    for action in legal:
        kind, low = MEANING[action]
        if kind == MING:
            if distance_of(hand - 3 * ONE[tile], (*melds, (MING, tile))) <= best:
                return action
        elif kind == PONG:
            far = best_out(hand - 2 * ONE[tile], (*melds, (PONG, tile)))[0]
            if far < best:
                best, chosen = far, action
        elif kind == CHI:
            rest = hand + ONE[tile] - ONE[low] - ONE[low + 1] - ONE[low + 2]
            far = best_out(rest, (*melds, (CHI, low)))[0]
            if far < best:
                best, chosen = far, action
    return chosen


@lru_cache(maxsize=32_768)
def distance_of(hand: int, melds: Melds) -> int:
    """Return the distance to the nearest plan."""
    number = len(melds)
    plans = plans_of([Laid(kind, tile) for kind, tile in melds])
    return min([plan.distance(hand, number) for plan in plans], default=NOWHERE)


@lru_cache(maxsize=32_768)
def best_out(hand: int, melds: Melds) -> tuple[int, int]:
    """Return the distance after the best discard of 14 tiles for the nearest plan, and the tile."""
    number = len(melds)
    plans = plans_of([Laid(kind, tile) for kind, tile in melds])
    tiles = distinct(hand)
    if not plans:
        return NOWHERE, min(tiles, key=lambda tile: (worth(hand, tile), tile))
    _, _, plan = min([(plan.distance(hand, number), _ORDER[plan.kind], plan) for plan in plans])
    useless = [tile for tile in tiles if not ONE[tile] & plan.mask]
    if useless:
        tile = min(useless, key=lambda tile: (worth(hand, tile), tile))
        return plan.distance(hand - ONE[tile], number), tile
    far, _, tile = min([(plan.distance(hand - ONE[tile], number), worth(hand, tile), tile) for tile in tiles])
    return far, tile

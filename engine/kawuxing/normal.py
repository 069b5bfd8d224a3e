"""A bot that plays for speed and sense: tile efficiency, worth of waits, no gifts to revealed players."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from engine.face import Action, Rng
from engine.kawuxing.actions import DISCARD, DISCARDED, GANG_MING, HU, PASS, PENG, PIAO, PLAIN, split_liang
from engine.kawuxing.bot import fallback, worth
from engine.kawuxing.fans import Moment, best_win, waits_of
from engine.kawuxing.melds import AN, BU, Laid
from engine.kawuxing.normal_sight import dangers, unseen
from engine.kawuxing.view import View
from engine.mahjong.distance import distance
from engine.mahjong.tiles import ONE, RANK, SUIT, counts, distinct, tiles_of_mask
from engine.mahjong.wins import ready_discards

REVEAL_LEFT_MIN: Final = 2
"""At least so many winning tiles must be unseen for 亮倒: players of middle strength reveal almost always. It
doubles wins and losses alike, and nobody who still chooses feeds it; ``hard`` weighs that."""


def normal_bot(view: View, rng: Rng) -> Action:
    """Return an answer chosen by thought; chance plays no part."""
    legal = view.legal
    if HU in legal:
        return HU
    if PIAO[0] in legal:
        return PIAO[min(1, len(legal) - 1)]
    if PASS in legal:
        return _claim(view)
    return _turn(view)


def _own(view: View) -> tuple[Laid, ...]:
    return view.melds[view.seat] if view.seat is not None else ()


def _claim(view: View) -> Action:
    """Answer an offer without 胡: kong if it costs no progress, pong if it brings some."""
    assert view.shown is not None, "a claim is for a tile"
    tile, hand, laid = view.shown[0], view.hand, _own(view)
    before = distance(hand, len(laid))
    kong = GANG_MING[tile]
    if kong in view.legal and distance(hand - 3 * ONE[tile], len(laid) + 1) <= before:
        return kong
    if PENG in view.legal and not (before <= 1 and not laid and _pairs(hand) >= 5):
        rest = hand - 2 * ONE[tile]
        after = min([distance(rest - ONE[out], len(laid) + 1) for out in distinct(rest)])
        if after < before:
            return PENG
    return PASS


def _pairs(hand: int) -> int:
    return sum([count // 2 for _, count in counts(hand)])


def _turn(view: View) -> Action:
    """Choose a kong, 亮倒 or a discard."""
    hand, laid, left = view.hand, _own(view), unseen(view)
    danger = dangers(view)
    kong = _kong(view, danger)
    if kong is not None:
        return kong
    discards = [DISCARDED[action] for action in view.legal if action in DISCARDED]
    if view.seat is not None and view.revealed[view.seat] is not None:
        return fallback(view)
    safe = [tile for tile in discards if not danger >> tile & 1] or discards
    ready = {
        tile: value
        for tile, mask in ready_discards(hand, not laid)
        if tile in safe
        for value in (_waiting(view, hand - ONE[tile], laid, left),)
        if mask and value > 0
    }
    if ready:
        tile = max(ready, key=lambda at: (ready[at], -at))
        return _reveal(view, tile, laid, left) or DISCARD[tile]
    return DISCARD[_efficient(view, safe, laid, left)]


def _kong(view: View, danger: int) -> Action | None:
    """Return an own kong that does not set the hand back, if there is one."""
    hand, laid = view.hand, _own(view)
    if view.drawn < 0 and danger:
        return None
    best = min([distance(hand - ONE[out], len(laid)) for out in distinct(hand)])
    for action in view.legal:
        kind, tile = PLAIN.get(action, ("", -1))
        if kind == AN and distance(hand - 4 * ONE[tile], len(laid) + 1) <= best:
            return action
        if kind == BU and not danger >> tile & 1 and distance(hand - ONE[tile], len(laid)) <= best:
            return action
    return None


def _waiting(view: View, hand: int, laid: Iterable[Laid], left: list[int]) -> int:
    """Return what a ready hand may expect: unseen winning tiles, each times its 番, as far as it may win."""
    melds = tuple(laid)
    total = 0
    for tile in tiles_of_mask(waits_of(hand, melds)):
        win = best_win(view.rules, hand + ONE[tile], melds, tile, Moment(), full=False)
        assert win is not None, "a wait wins"
        # A win of 1番 may have to be drawn, or to wait for 亮倒; it counts half.
        small = win.fan == 1 and view.rules.min_fan != "none"
        total += left[tile] * (1 if small else 2 * min(win.fan, 4))
    return total


def _reveal(view: View, tile: int, laid: tuple[Laid, ...], left: list[int]) -> Action | None:
    """Return the 亮倒 with this discard that hides most, if the wait is good enough."""
    actions = [action for action in view.legal if action not in PLAIN and split_liang(action)[0] == tile]
    waits = tiles_of_mask(waits_of(view.hand - ONE[tile], laid))
    if not actions or sum([left[wait] for wait in waits]) < REVEAL_LEFT_MIN:
        return None
    if view.wall_left < 8 and view.rules.hz in ("ljlc", "suizhou", "shiyan"):
        return None
    return max(actions, key=lambda action: (len(action), action))


def _efficient(view: View, tiles: list[int], laid: tuple[Laid, ...], left: list[int]) -> int:
    """Return the discard after which most unseen tiles bring the hand nearer; by worth among equals."""
    hand, number = view.hand, len(laid)
    after = {tile: distance(hand - ONE[tile], number) for tile in tiles}
    best = min(after.values())
    near = [tile for tile in tiles if after[tile] == best]
    if len(near) == 1:
        return near[0]
    return max(
        near, key=lambda tile: (_accepting(hand - ONE[tile], number, best, left), -worth(hand, tile), tile)
    )


def _accepting(hand: int, melds: int, now: int, left: list[int]) -> int:
    """Return how many unseen tiles bring a hand nearer."""
    candidates: set[int] = set()
    for tile in distinct(hand):
        candidates.add(tile)
        if SUIT[tile] < 3:
            candidates |= {tile + step for step in (-2, -1, 1, 2) if 0 <= RANK[tile] + step <= 8}
    return sum(
        [left[tile] for tile in sorted(candidates) if left[tile] and distance(hand + ONE[tile], melds) < now]
    )

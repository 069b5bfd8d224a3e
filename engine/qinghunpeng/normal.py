"""A bot that plays for speed and sense: the nearest patterns, the tiles that still come, cheap claims."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from engine.face import Action, Rng
from engine.mahjong.tiles import ONE, distinct
from engine.qinghunpeng.actions import DISCARD, DISCARDED, HU, MEANING, PASS
from engine.qinghunpeng.bot import worth
from engine.qinghunpeng.melds import AN, BU, CHI, MING, Laid
from engine.qinghunpeng.melds import PENG as PONG
from engine.qinghunpeng.plans import CLEAN, MIXED, PUNGS, WINDS, Plan, nearest, plans_of
from engine.qinghunpeng.sight import unseen
from engine.qinghunpeng.view import View

WEIGHTS: Final = {MIXED: 4, PUNGS: 5, CLEAN: 7, WINDS: 7}
"""What a tile that brings a plan nearer counts: richer patterns count more, but not in full proportion,
since a plan is judged long before it is won."""


def normal_bot(view: View, rng: Rng) -> Action:
    """Return an answer chosen by thought; chance plays no part."""
    legal = view.legal
    if HU in legal:
        return HU
    if PASS in legal:
        return best_claim(view)
    return best_kong(view) or DISCARD[best_discard(view)]


def own_melds(view: View) -> tuple[Laid, ...]:
    """Return the melds of the view's seat."""
    return view.melds[view.seat] if view.seat is not None else ()


def best_claim(view: View) -> Action:
    """Return the claim that brings the hand nearest to a pattern, or a pass if none brings it nearer.

    A kong that costs nothing is taken, since it draws again.
    """
    assert view.shown is not None, "a claim is for a tile"
    tile, hand, laid = view.shown[0], view.hand, own_melds(view)
    best, chosen = nearest(hand, laid), PASS
    for action in sorted(view.legal, reverse=True):
        kind, low = MEANING[action]
        if kind == MING:
            if nearest(hand - 3 * ONE[tile], (*laid, Laid(MING, tile))) <= best:
                return action
        elif kind in (PONG, CHI):
            after = _after_claim(hand, laid, kind, tile, low)
            if after < best:
                best, chosen = after, action
    return chosen


def _after_claim(hand: int, laid: Sequence[Laid], kind: str, tile: int, low: int) -> int:
    """Return the distance after a claim and the best discard."""
    if kind == PONG:
        rest, meld = hand - 2 * ONE[tile], Laid(PONG, tile)
    else:
        rest = hand + ONE[tile] - ONE[low] - ONE[low + 1] - ONE[low + 2]
        meld = Laid(CHI, low)
    melds = (*laid, meld)
    return min([nearest(rest - ONE[out], melds) for out in distinct(rest)])


def best_kong(view: View) -> Action | None:
    """Return an own kong that does not set the hand back, if there is one."""
    kongs = [action for action in view.legal if MEANING[action][0] in (AN, BU)]
    if not kongs:
        return None
    hand, laid = view.hand, own_melds(view)
    best = min([nearest(hand - ONE[out], laid) for out in distinct(hand)])
    for action in kongs:
        kind, tile = MEANING[action]
        if kind == AN and nearest(hand - 4 * ONE[tile], (*laid, Laid(AN, tile))) <= best:
            return action
        if kind == BU and nearest(hand - ONE[tile], laid) <= best:
            return action
    return None


def best_discard(view: View) -> int:
    """Return the discard after which the hand is nearest to a pattern and most tiles bring it nearer."""
    tiles = [DISCARDED[action] for action in view.legal if action in DISCARDED]
    hand, laid = view.hand, own_melds(view)
    plans = plans_of(laid)
    after = {tile: _distances(plans, hand - ONE[tile], len(laid)) for tile in tiles}
    best = min([min(found, default=0) for found in after.values()])
    near = [tile for tile in tiles if min(after[tile], default=0) == best]
    if len(near) == 1:
        return near[0]
    left = unseen(view)
    return max(
        near,
        key=lambda tile: (
            _outlook(plans, after[tile], hand - ONE[tile], len(laid), left),
            -worth(hand, tile),
            tile,
        ),
    )


def _distances(plans: Iterable[Plan], hand: int, melds: int) -> list[int]:
    return [plan.distance(hand, melds) for plan in plans]


def _outlook(
    plans: Sequence[Plan], distances: Sequence[int], hand: int, melds: int, left: Sequence[int]
) -> int:
    """Return how much comes to a hand: tiles that bring a plan nearer, by what the plan is worth.

    The nearest plans count in full, those one tile farther an eighth.
    """
    best = min(distances, default=0)
    total = 0
    for plan, distance in zip(plans, distances, strict=True):
        if distance > best + 1:
            continue
        weight = WEIGHTS[plan.kind] * (8 if distance == best else 1)
        total += weight * sum([left[tile] for tile in plan.accepted(hand, melds, distance)])
    return total

"""A bot that goes by expectation, and searches in guesses of the hidden tiles where that leaves doubt."""

from __future__ import annotations

from typing import Final

from engine.face import Action, Rng
from engine.kawuxing.actions import DISCARD, DISCARDED, HU, PASS, PENG, PIAO, PLAIN, split_liang
from engine.kawuxing.guess import guess
from engine.kawuxing.hard_outlook import Outlook, accepts, lasting
from engine.kawuxing.hard_policy import playout_policy
from engine.kawuxing.melds import PENG as PONG
from engine.kawuxing.melds import Laid
from engine.kawuxing.normal import normal_bot
from engine.kawuxing.position import Position
from engine.kawuxing.view import View
from engine.mahjong.distance import distance
from engine.mahjong.tiles import ONE, distinct
from engine.search import Budget, search

FAR_MAX: Final = 1
"""Hands farther from ready go by the tiles that come and by risk; their waits are not looked through."""

CLOSE: Final = 0.1
"""Candidates within so many stakes of the best expectation are searched."""

SWING_MAX: Final = 16.0
"""A playout counts for so many stakes at most; rare huge wins would drown everything else."""

BUDGET: Final = Budget(playouts=48, plies=1_200, doubt=1.5)
"""The work of one decision: over 130 decisions 24 ms of CPU on the average and 184 ms at most,
uncompiled; six in ten need no search."""

FAR_STAKE: Final = 3.0
"""Stakes that a far hand is likely to win from the first turn on."""

TURNS: Final = 15
"""The turns of a seat in a round that is played to its end."""

SEARCHED_MAX: Final = 4


def hard_bot(view: View, rng: Rng) -> Action:
    """Return the action of the best expectation; among close ones, the best in playouts."""
    ranked = ranking(view, rng)
    best = ranked[0][1]
    close = [action for value, action in ranked if value >= ranked[0][0] - CLOSE][:SEARCHED_MAX]
    if len(close) == 1:
        return best
    return search(view, rng, close, guess, playout_policy, points, BUDGET).action


def points(position: Position, seat: int) -> float:
    """Return the stakes a seat has won or lost, bounded."""
    return max(-SWING_MAX, min(SWING_MAX, position.points[seat] / position.stake))


def ranking(view: View, rng: Rng) -> list[tuple[float, Action]]:
    """Return the actions worth a thought with their expectations, the best first; often only one."""
    plain = normal_bot(view, rng)
    seat = view.seat
    assert seat is not None, "a spectator is not asked"
    melds = view.melds[seat]
    if plain == HU or len(view.legal) == 1 or PIAO[0] in view.legal or view.revealed[seat] is not None:
        return [(0.0, plain)]
    if PASS in view.legal:
        if PENG not in view.legal or plain not in (PENG, PASS) or distance(view.hand, len(melds)) > FAR_MAX:
            return [(0.0, plain)]
        return _sorted(_claims(view, melds), plain)
    if plain in PLAIN and PLAIN[plain][0] != "discard":
        return [(0.0, plain)]
    return _sorted(_discards(view, melds), plain) or [(0.0, plain)]


def _sorted(found: list[tuple[float, Action]], plain: Action) -> list[tuple[float, Action]]:
    """Return ways by expectation, among equals what the bot would do without it first."""
    return sorted(found, key=lambda way: (-round(way[0], 6), way[1] != plain, way[1]))


def _claims(view: View, melds: tuple[Laid, ...]) -> list[tuple[float, Action]]:
    """Return 碰 and pass with their expectations."""
    assert view.shown is not None, "a claim is for a tile"
    outlook, tile = Outlook(view), view.shown[0]
    rest, laid = view.hand - 2 * ONE[tile], (*melds, Laid(PONG, tile))
    ways = [(rest - ONE[out], out) for out in distinct(rest) if not outlook.danger >> out & 1]
    values = [
        outlook.value(hand, laid) - outlook.risk(out)
        for hand, out in ways
        if distance(hand, len(laid)) <= FAR_MAX
    ]
    # Who passes discards later; what that risks at least is the fair comparison.
    later = min([outlook.risk(out) for out in distinct(view.hand)])
    passed = (outlook.value(view.hand, melds) - later, PASS)
    return [(max(values), PENG), passed] if values else [passed]


def _discards(view: View, melds: tuple[Laid, ...]) -> list[tuple[float, Action]]:
    """Return the discards and reveals that keep the hand near, with their expectations."""
    hand, number = view.hand, len(melds)
    tiles = [DISCARDED[action] for action in view.legal if action in DISCARDED]
    far = {tile: distance(hand - ONE[tile], number) for tile in tiles}
    least = min(far.values())
    outlook = Outlook(view)
    if least > FAR_MAX:
        return _far_discards(view, outlook, {tile: at for tile, at in far.items() if at == least})
    reveals: dict[int, Action] = {}
    for action in view.legal:
        if action not in PLAIN:
            # The longest hides most.
            tile = split_liang(action)[0]
            reveals[tile] = max(reveals.get(tile, ""), action, key=len)
    found: list[tuple[float, Action]] = []
    for tile in tiles:
        if far[tile] > max(1, least) or outlook.danger >> tile & 1:
            continue
        rest = hand - ONE[tile]
        if far[tile] == 0:
            silent, revealed = outlook.ready(rest, melds)
            found.append((lasting(silent, outlook.turns) - outlook.risk(tile), DISCARD[tile]))
            if tile in reveals:
                found.append((lasting(revealed, outlook.turns) - outlook.risk(tile), reveals[tile]))
        else:
            found.append((outlook.value(rest, melds) - outlook.risk(tile), DISCARD[tile]))
    return found


def _far_discards(view: View, outlook: Outlook, far: dict[int, int]) -> list[tuple[float, Action]]:
    """Return the discards of a far hand that do not set it back, by what they leave and what they risk."""
    number = len(view.melds[view.seat or 0])
    comes: dict[int, int] = {}
    for tile in far:
        if not outlook.danger >> tile & 1:
            rest = view.hand - ONE[tile]
            comes[tile] = sum([outlook.left[at] for at in accepts(rest, number)])
    most = max(comes.values(), default=0) or 1
    stake = FAR_STAKE * outlook.turns / TURNS
    return [(stake * come / most - outlook.risk(tile), DISCARD[tile]) for tile, come in comes.items()]

"""A bot that goes by expectation: what the own hand is likely to win against what a discard may cost."""

from __future__ import annotations

from math import sqrt
from typing import Final

from engine.face import Action, Rng
from engine.mahjong.tiles import ONE, distinct
from engine.qinghunpeng.actions import DISCARD, DISCARDED, HU, MEANING, PASS, PENG
from engine.qinghunpeng.hard_outlook import Outlook
from engine.qinghunpeng.melds import KONGS, Laid
from engine.qinghunpeng.melds import PENG as PONG
from engine.qinghunpeng.normal import normal_bot, own_melds
from engine.qinghunpeng.plans import nearest
from engine.qinghunpeng.view import View

BACK: Final = 0.4
"""What is left of a hand's expectation for each tile it is set back."""


def hard_bot(view: View, rng: Rng) -> Action:
    """Return the action of the best expectation.

    No search follows: playouts among close candidates made a deal 25 times as long and gained nothing that
    could be measured (docs/performance.md, "The bots").
    """
    return ranking(view, rng)[0][1]


def ranking(view: View, rng: Rng) -> list[tuple[float, Action]]:
    """Return the actions worth a thought with what they are worth, the best first; often only one."""
    plain = normal_bot(view, rng)
    if plain == PASS:
        return [(0.0, _free_pong(view) or PASS)]
    if plain == HU or PASS in view.legal or len(view.legal) == 1 or MEANING[plain][0] in KONGS:
        return [(0.0, plain)]
    outlook, melds, hand = Outlook(view), own_melds(view), view.hand
    tiles = [DISCARDED[action] for action in view.legal if action in DISCARDED]
    offences = {tile: outlook.offence(hand - ONE[tile], melds) for tile in tiles}
    nearest = min([far for far, _ in offences.values()])
    if nearest <= 1:
        # So near, the waits are looked through one by one: what they pay counts, not only how many come.
        look = outlook.next_ready if nearest else outlook.ready
        for tile, (far, _) in offences.items():
            if far == nearest:
                offences[tile] = far, look(hand - ONE[tile], melds)
    most = max([comes for far, comes in offences.values() if far == nearest]) or 1.0
    stake = outlook.stake(hand - ONE[DISCARDED[plain]], melds)
    found: list[tuple[float, Action]] = []
    for tile, (far, comes) in offences.items():
        kept = sqrt(comes / most) if far == nearest else BACK ** (far - nearest)
        found.append((stake * min(1.0, kept) - outlook.risk(tile), DISCARD[tile]))
    return sorted(found, key=lambda way: (-round(way[0], 6), way[1] != plain, way[1]))


def _free_pong(view: View) -> Action | None:
    """Return a pong that does not set back a hand that is not ready; ``normal`` takes what brings it nearer.

    A triplet that lies is one of four for good, may become a kong, and skips the turns of others.
    """
    if PENG not in view.legal or HU in view.legal:
        return None
    assert view.shown is not None, "a claim is for a tile"
    tile, melds = view.shown[0], own_melds(view)
    before = nearest(view.hand, melds)
    rest, laid = view.hand - 2 * ONE[tile], (*melds, Laid(PONG, tile))
    if before < 1 or min([nearest(rest - ONE[out], laid) for out in distinct(rest)]) > before:
        return None
    return PENG

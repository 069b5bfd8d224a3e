"""What a seat of 卡五星 waits for, for lessons: by its own view alone."""

from __future__ import annotations

from engine.kawuxing.actions import DISCARDED, split_liang
from engine.kawuxing.fans import waits_of
from engine.kawuxing.normal_sight import unseen
from engine.kawuxing.view import View
from engine.mahjong.tiles import ONE, TILE_TEXTS, size_of, tiles_of_mask
from engine.waits import Wait


def waits_after(view: View, action: str | None) -> tuple[Wait, ...]:
    """Return what the hand waits for as it stands (``None``) or after a discard; else nothing.

    亮倒 is a discard too. 起胡 and 过水 are not looked at: they go by how and when a tile comes.
    """
    if view.seat is None:
        return ()
    hand = view.hand
    if action is not None:
        tile = split_liang(action)[0] if action.startswith("liang ") else DISCARDED.get(action, -1)
        if tile < 0:
            return ()
        hand -= ONE[tile]
    if size_of(hand) % 3 != 1:
        return ()
    left = unseen(view)
    mask = waits_of(hand, view.melds[view.seat])
    return tuple([Wait(TILE_TEXTS[tile], left[tile]) for tile in tiles_of_mask(mask)])

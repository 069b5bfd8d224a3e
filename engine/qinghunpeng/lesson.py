"""What a seat of 清混碰 waits for, for lessons: by its own view alone."""

from __future__ import annotations

from typing import Final

from engine.mahjong.tiles import HONOURS, KINDS, ONE, SUIT, TILE_TEXTS, size_of, tiles_of_mask
from engine.mahjong.wins import wait_mask
from engine.qinghunpeng.actions import DISCARDED
from engine.qinghunpeng.patterns import SUITS_MASK, ZIMO, Moment, best_win
from engine.qinghunpeng.sight import unseen
from engine.qinghunpeng.view import View
from engine.waits import Wait

_HONOURS: Final = sum([1 << tile for tile in range(KINDS) if SUIT[tile] == HONOURS])
_DRAWN: Final = Moment(ZIMO)


def waits_after(view: View, action: str | None) -> tuple[Wait, ...]:
    """Return what the hand waits for as it stands (``None``) or after a discard; else nothing.

    A tile counts that would win if it were drawn now, by any pattern (乱风向 among them).
    """
    if view.seat is None:
        return ()
    hand = view.hand
    if action is not None:
        if action not in DISCARDED:
            return ()
        hand -= ONE[DISCARDED[action]]
    if size_of(hand) % 3 != 1:
        return ()
    melds = view.melds[view.seat]
    mask = wait_mask(hand, False)
    if not hand & SUITS_MASK and all(SUIT[meld.tile] == HONOURS for meld in melds):
        mask |= _HONOURS
    left, exposed = unseen(view), len(view.flowers[view.seat])
    return tuple(
        [
            Wait(TILE_TEXTS[tile], left[tile])
            for tile in tiles_of_mask(mask)
            if best_win(view.rules, hand + ONE[tile], melds, tile, exposed, _DRAWN, full=False) is not None
        ]
    )

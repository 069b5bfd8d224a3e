"""亮倒 and 扣: which reveals there are, and which kongs they still allow (Rule 7)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from engine.kawuxing.actions import liang
from engine.kawuxing.fans import own_copies, waits_of
from engine.kawuxing.melds import AN, BU, MING, PENG, Laid
from engine.kawuxing.rules import RuleSet
from engine.mahjong.tiles import FIELD, ONE, POW, SHIFT, counts, tiles_of_mask
from engine.mahjong.wins import ready_discards, wait_mask


def hidden_sets(hand: int, melds: Sequence[Laid], waits: int) -> tuple[tuple[int, ...], ...]:
    """Return every choice of 扣 triplets that keeps the waits of a ready hand, checked jointly.

    Args:
        hand: 13 tiles, melds counted as three.
        melds: The laid melds.
        waits: The waits of the whole hand, as bits.
    """
    triplets = [tile for tile, count in counts(hand) if count >= 3]
    found: list[tuple[int, ...]] = [()]
    for size in range(1, len(triplets) + 1):
        found += [kou for kou in combinations(triplets, size) if keeps_waits(hand, melds, waits, kou)]
    return tuple(found)


def keeps_waits(hand: int, melds: Sequence[Laid], waits: int, kou: Sequence[int]) -> bool:
    """Return whether the rest of a hand waits for the same tiles if these triplets are fixed."""
    if not kou:
        return True
    rest = hand - sum([3 * ONE[tile] for tile in kou])
    mask = wait_mask(rest, False) & ~own_copies(hand, melds)
    for tile, count in counts(hand):
        if count == 4:
            mask &= ~(1 << tile)
    return mask == waits


def liang_actions(hand: int, melds: Sequence[Laid], banned: int) -> list[str]:
    """Return every 亮倒 of a hand with a tile to discard, sorted by text.

    Args:
        hand: 14 tiles, melds counted as three.
        melds: The laid melds.
        banned: Tiles that may not be discarded, as bits.
    """
    actions = []
    for tile, mask in ready_discards(hand, not melds):
        if banned >> tile & 1:
            continue
        rest = hand - ONE[tile]
        waits = mask & ~own_copies(rest, melds)
        if waits:
            actions += [liang(tile, kou) for kou in hidden_sets(rest, melds, waits)]
    actions.sort()
    return actions


def kong_keeps(rules: RuleSet, hand: int, melds: Sequence[Laid], waits: int, kind: str, tile: int) -> int:
    """Return the waits after a revealed seat's kong, 0 if it may not be made.

    Args:
        rules: The options.
        hand: The hand as it is before the kong.
        melds: The laid melds.
        waits: The waits that were shown.
        kind: ``an``, ``bu`` or ``ming``.
        tile: The tile.
    """
    after = hand - {AN: 4, BU: 1, MING: 3}[kind] * ONE[tile]
    laid = [Laid(BU, tile) if meld == (PENG, tile) else meld for meld in melds]
    if kind != BU:
        laid.append(Laid(kind, tile))
    mask = waits_of(after, laid)
    if rules.reveal_kong_check == "same_waits" and mask != waits:
        return 0
    return mask


def banned_discards(hand: int, dangerous: int) -> int:
    """Return the tiles that may not be discarded under ``ban_feeding``, none if every tile is dangerous."""
    tiles = [tile for tile in tiles_of_mask(dangerous) if (hand >> SHIFT[tile] & FIELD) // POW[tile] % 5]
    held = counts(hand)
    return 0 if len(tiles) == len(held) else sum([1 << tile for tile in tiles])

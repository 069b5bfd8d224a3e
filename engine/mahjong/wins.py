"""The win check and the waits, from the tables."""

from __future__ import annotations

from typing import Final

from engine.mahjong.tables import HONOUR_CODES, HONOUR_FITS, SUIT_CODES, SUIT_FITS
from engine.mahjong.tiles import FIELD, FIELD_BITS, ONE, RANK, counts_of_field, tiles_of_mask

_TWO: Final = 2 * FIELD_BITS
_THREE: Final = 3 * FIELD_BITS
_RANKS: Final = 511


def code_of(hand: int) -> int:
    """Return the sum of the codes of a hand's fields (``tables.py``).

    ``code & 15 == 1`` is a standard win, whatever number of tiles is held; ``code < 16`` is pairs only.
    """
    return (
        SUIT_CODES[hand & FIELD]
        + SUIT_CODES[hand >> FIELD_BITS & FIELD]
        + SUIT_CODES[hand >> _TWO & FIELD]
        + HONOUR_CODES[hand >> _THREE]
    )


def is_win(hand: int, seven_pairs: bool) -> bool:
    """Return whether the hand is complete: sets and a pair or, if asked for, nothing but pairs.

    Args:
        hand: The concealed tiles with the winning one, 3n + 2 of them.
        seven_pairs: Whether seven pairs win; only sensible with 14 tiles.
    """
    code = (
        SUIT_CODES[hand & FIELD]
        + SUIT_CODES[hand >> FIELD_BITS & FIELD]
        + SUIT_CODES[hand >> _TWO & FIELD]
        + HONOUR_CODES[hand >> _THREE]
    )
    return code & 15 == 1 or (seven_pairs and code < 16)


def wait_mask(hand: int, seven_pairs: bool) -> int:
    """Return the tiles that complete a hand of 3n + 1 tiles, as bits by tile.

    A tile of which the hand holds four is never among them; copies in melds are the caller's business.
    """
    characters, dots = hand & FIELD, hand >> FIELD_BITS & FIELD
    bamboo, honours = hand >> _TWO & FIELD, hand >> _THREE
    code_m, code_p = SUIT_CODES[characters], SUIT_CODES[dots]
    code_s, code_z = SUIT_CODES[bamboo], HONOUR_CODES[honours]
    code = code_m + code_p + code_s + code_z
    shape = code & 15
    mask = 0
    # The other fields must be whole (0) and then this one needs the pair, or hold the pair (1).
    if shape < 4:
        rest = shape - (code_p & 15)
        if rest < 2:
            mask |= (SUIT_FITS[dots] >> (0 if rest else 9) & _RANKS) << 9
        rest = shape - (code_s & 15)
        if rest < 2:
            mask |= (SUIT_FITS[bamboo] >> (0 if rest else 9) & _RANKS) << 18
        rest = shape - (code_m & 15)
        if rest < 2:
            mask |= SUIT_FITS[characters] >> (0 if rest else 9) & _RANKS
        rest = shape - (code_z & 15)
        if rest < 2:
            mask |= (HONOUR_FITS[honours] >> (0 if rest else 9) & _RANKS) << 27
    if seven_pairs and code < 32:
        mask |= _odd_tiles(hand)
    return mask


def waits(hand: int, seven_pairs: bool) -> tuple[int, ...]:
    """Return the tiles that complete a hand of 3n + 1 tiles, ascending (see ``wait_mask``)."""
    mask = wait_mask(hand, seven_pairs)
    return tiles_of_mask(mask) if mask else ()


def _odd_tiles(hand: int) -> int:
    """Return the tiles held an odd number of times."""
    mask, base = 0, 0
    while hand:
        for rank, count in counts_of_field(hand & FIELD):
            if count & 1:
                mask |= 1 << (base + rank)
        hand >>= FIELD_BITS
        base += 9
    return mask


def ready_discards(hand: int, seven_pairs: bool) -> list[tuple[int, int]]:
    """Return the discards that leave a hand of 3n + 2 tiles ready, with the waits they leave, ascending.

    A field that is no part of a win must be mended by the discard or by the winning tile. So a hand with
    three such fields is never ready; with two the discard comes out of one and the other waits; with one it
    comes out of that one, or out of a field of whole sets, a triplet of which becomes the pair.
    """
    fields = [hand & FIELD, hand >> FIELD_BITS & FIELD, hand >> _TWO & FIELD, hand >> _THREE]
    codes = [SUIT_CODES[fields[0]], SUIT_CODES[fields[1]], SUIT_CODES[fields[2]], HONOUR_CODES[fields[3]]]
    bad = [field for field in (0, 1, 2, 3) if codes[field] & 15 == 2]
    if seven_pairs and sum(codes) >> 4 <= 2:
        tried = [0, 1, 2, 3]
    elif len(bad) > 2:
        return []
    elif len(bad) == 2:
        one, two = bad
        tried = [one] if _fit(fields, two) else []
        if _fit(fields, one):
            tried.append(two)
    elif len(bad) == 1 and not _fit(fields, bad[0]):
        tried = bad
    else:
        tried = [0, 1, 2, 3]
    found = []
    for field in tried:
        for rank, _ in counts_of_field(fields[field]):
            tile = 9 * field + rank
            mask = wait_mask(hand - ONE[tile], seven_pairs)
            if mask:
                found.append((tile, mask))
    return found


def _fit(fields: list[int], field: int) -> int:
    return HONOUR_FITS[fields[3]] if field == 3 else SUIT_FITS[fields[field]]


def is_suit_five(tile: int) -> bool:
    """Return whether the tile is the 5 of a suit."""
    return RANK[tile] == 4 and tile < 27

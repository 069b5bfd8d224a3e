"""The fair deal: commitment, nonce chains, wall and first dealer (docs/fair-deal.md)."""

from __future__ import annotations

import hmac
from collections.abc import Iterator, Sequence
from hashlib import sha256
from struct import Struct

SEED_BYTES = 32
"""Length of a seed, of a nonce and of a commitment."""


_EIGHT_WORDS = Struct(">8I").unpack


def lp(part: bytes) -> bytes:
    """Return a part behind its length in two bytes, big-endian."""
    return len(part).to_bytes(2, "big") + part


def commit(round_id: str, seed: bytes) -> bytes:
    """Return the commitment to a seed, published before any nonce of the round."""
    return sha256(b"paiju-commit-1" + lp(round_id.encode()) + seed).digest()


def follows(link: bytes, nonce: bytes) -> bool:
    """Say whether a nonce is the next of the chain whose last known link is `link`."""
    return len(nonce) == SEED_BYTES and sha256(b"paiju-nonce-1" + nonce).digest() == link


def wall_order(seed: bytes, round_id: str, nonces: Sequence[bytes], cards: int) -> list[int]:
    """Return, place by place, which card of the deck's fixed order lies there.

    Args:
        seed: 32 bytes.
        round_id: `<match_id>/<round_no>`.
        nonces: By seat; empty for a seat that gave none.
        cards: Number of cards in the deck.
    """
    words = _words(_key(b"paiju-deal-1", seed, round_id, nonces))
    order = list(range(cards))
    for top in range(cards, 1, -1):
        at = _below(top, words)
        order[top - 1], order[at] = order[at], order[top - 1]
    return order


def draw_dealer(seed: bytes, round_id: str, nonces: Sequence[bytes]) -> int:
    """Return the seat that deals the first round of a match."""
    return _below(len(nonces), _words(_key(b"paiju-dealer-1", seed, round_id, nonces)))


def _key(label: bytes, seed: bytes, round_id: str, nonces: Sequence[bytes]) -> bytes:
    message = label + lp(round_id.encode()) + b"".join(map(lp, nonces))
    return hmac.digest(seed, message, "sha256")


def _words(key: bytes) -> Iterator[int]:
    block = 0
    while True:
        yield from _EIGHT_WORDS(hmac.digest(key, block.to_bytes(8, "big"), "sha256"))
        block += 1


def _below(bound: int, words: Iterator[int]) -> int:
    limit = (1 << 32) - (1 << 32) % bound
    while (word := next(words)) >= limit:
        pass
    return word % bound

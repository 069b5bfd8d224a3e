"""The fair deal, recomputed: commitment, nonce chains, shuffle and first dealer (docs/fair-deal.md)."""

import hashlib
import hmac
from collections.abc import Iterator, Sequence
from typing import Final

COMMIT_LABEL: Final = b"paiju-commit-1"
NONCE_LABEL: Final = b"paiju-nonce-1"
DEAL_LABEL: Final = b"paiju-deal-1"
DEALER_LABEL: Final = b"paiju-dealer-1"

SECRET_BYTES: Final = 32
"""Length of a seed, a nonce and a commitment."""

PREFIXED_BYTES_MAX: Final = 0xFFFF
"""A length prefix has two bytes."""

WORD_BYTES: Final = 4
WORDS: Final = 1 << 32

CHAIN_STEPS_MAX: Final = 100_000
"""More rounds than a match can have."""


class DealError(Exception):
    """An input of the fair deal has the wrong shape."""


def lp(data: bytes) -> bytes:
    """Return `data` behind its own length in two bytes, big-endian.

    Raises:
        DealError: `data` is longer than 65,535 bytes.
    """
    if len(data) > PREFIXED_BYTES_MAX:
        raise DealError(f"a part of {len(data)} bytes does not fit a two-byte length")
    return len(data).to_bytes(2, "big") + data


def _secret(data: bytes, what: str) -> bytes:
    if len(data) != SECRET_BYTES:
        raise DealError(f"{what} has {len(data)} bytes, not {SECRET_BYTES}")
    return data


def commitment_of(round_id: str, seed: bytes) -> bytes:
    """Return what is published before any nonce of the round is revealed."""
    return hashlib.sha256(COMMIT_LABEL + lp(round_id.encode()) + _secret(seed, "the seed")).digest()


def next_link(nonce: bytes) -> bytes:
    """Return `H(nonce)`: the link that was revealed one round earlier."""
    return hashlib.sha256(NONCE_LABEL + _secret(nonce, "a nonce")).digest()


def chain_of(secret: bytes, rounds: int) -> tuple[bytes, ...]:
    """Return `c_0 … c_rounds`; `c_0` is given at sitting down, `c_k` is revealed in round k.

    Raises:
        DealError: The secret is not 32 bytes or `rounds` is negative or absurd.
    """
    if not 0 <= rounds <= CHAIN_STEPS_MAX:
        raise DealError(f"a chain of {rounds} links is out of range")
    links = [_secret(secret, "the secret")]
    for _ in range(rounds):
        links.append(next_link(links[-1]))
    return tuple(reversed(links))


def is_revealed(previous: bytes, nonce: bytes) -> bool:
    """Say whether `nonce` is the link that must follow `previous` in its seat's chain."""
    return len(nonce) == SECRET_BYTES and next_link(nonce) == previous


def _key(label: bytes, seed: bytes, round_id: str, nonces: Sequence[bytes | None]) -> bytes:
    said = b"".join(lp(b"" if nonce is None else _secret(nonce, "a nonce")) for nonce in nonces)
    return hmac.new(_secret(seed, "the seed"), label + lp(round_id.encode()) + said, hashlib.sha256).digest()


def words_of(key: bytes) -> Iterator[int]:
    """Yield 32-bit numbers from `HMAC-SHA256(key, counter)`, counter 0, 1, … in eight bytes, for ever."""
    counter = 0
    while True:
        block = hmac.new(key, counter.to_bytes(8, "big"), hashlib.sha256).digest()
        for at in range(0, len(block), WORD_BYTES):
            yield int.from_bytes(block[at : at + WORD_BYTES], "big")
        counter += 1


def pick(words: Iterator[int], choices: int) -> int:
    """Return a number below `choices`, each equally likely; words that would favour some are thrown away.

    >>> pick(iter([0xFFFFFFFF, 5]), 3)
    2
    """
    fair_below = WORDS - WORDS % choices
    for word in words:
        if word < fair_below:
            return word % choices
    raise DealError("the stream of words ended")


def shuffled(seed: bytes, round_id: str, nonces: Sequence[bytes | None], cards: int) -> tuple[int, ...]:
    """Return, for each place of the wall, the index in the deck's fixed order of the card that lies there.

    Args:
        seed: 32 bytes.
        round_id: `<match_id>/<round_no>`.
        nonces: One for each seat, seat 0 first; None for a seat that gave none.
        cards: Size of the deck.

    Raises:
        DealError: A seed or nonce is not 32 bytes.
    """
    words = words_of(_key(DEAL_LABEL, seed, round_id, nonces))
    wall = list(range(cards))
    for last in range(cards - 1, 0, -1):
        other = pick(words, last + 1)
        wall[last], wall[other] = wall[other], wall[last]
    return tuple(wall)


def first_dealer(seed: bytes, round_id: str, nonces: Sequence[bytes | None]) -> int:
    """Return the seat that deals round 1 of a match; later dealers follow the game's succession."""
    if not nonces:
        raise DealError("no seats")
    return pick(words_of(_key(DEALER_LABEL, seed, round_id, nonces)), len(nonces))

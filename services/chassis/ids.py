"""Names and chance as a parameter: from the operating system, or from a seed.

This is the only module of the services that draws from chance.
"""

from __future__ import annotations

import random
import secrets
from typing import Protocol

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
"""Crockford's base 32: no i, l, o, u."""

_LENGTH = 20
"""100 bits: never met twice."""


class Ids(Protocol):
    """What the services know of chance."""

    def new(self, prefix: str = "", separator: str = "_") -> str:
        """Return a new name, `<prefix>_<20 letters and digits>`; without a prefix only the letters and
        digits.
        """

    def token(self, n: int) -> bytes:
        """Return `n` secret bytes."""

    def below(self, n: int) -> int:
        """Return a whole number from 0 to `n - 1`, each as likely."""

    def jitter(self) -> float:
        """Return a number from 0 up to but without 1, for spreading retries; not secret."""


class SystemIds:
    """Chance from the operating system."""

    def new(self, prefix: str = "", separator: str = "_") -> str:
        """See `Ids.new`."""
        return _name(prefix, separator, secrets.randbits(5 * _LENGTH))

    def token(self, n: int) -> bytes:
        """See `Ids.token`."""
        return secrets.token_bytes(n)

    def below(self, n: int) -> int:
        """See `Ids.below`."""
        return secrets.randbelow(n)

    def jitter(self) -> float:
        """See `Ids.jitter`."""
        return random.random()


class SeededIds:
    """Chance from a seed: the same seed gives the same names, for tests and simulation only."""

    def __init__(self, seed: int | str) -> None:
        self._random = random.Random(seed)

    def new(self, prefix: str = "", separator: str = "_") -> str:
        """See `Ids.new`."""
        return _name(prefix, separator, self._random.getrandbits(5 * _LENGTH))

    def token(self, n: int) -> bytes:
        """See `Ids.token`."""
        return self._random.randbytes(n)

    def below(self, n: int) -> int:
        """See `Ids.below`."""
        return self._random.randrange(n)

    def jitter(self) -> float:
        """See `Ids.jitter`."""
        return self._random.random()


def _name(prefix: str, separator: str, bits: int) -> str:
    letters = "".join(_ALPHABET[bits >> 5 * i & 31] for i in range(_LENGTH))
    return f"{prefix}{separator}{letters}" if prefix else letters

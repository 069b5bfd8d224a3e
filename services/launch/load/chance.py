"""Chance for a load test: streams that follow from the seed, each for one purpose.

With a stream per player and purpose, one player's dropped connection changes nobody else's choices.
"""

from __future__ import annotations

import math

from services.chassis.ids import SeededIds


class Stream:
    """One stream of numbers.

    Args:
        seed: Of the whole test.
        purpose: What it is for; another purpose gives another stream.
    """

    __slots__ = ("_ids",)

    def __init__(self, seed: str, *purpose: object) -> None:
        self._ids = SeededIds(" ".join(["paiju-load-1", *map(str, purpose), seed]))

    def randrange(self, stop: int, /) -> int:
        """Return an integer from 0 to `stop - 1`; what bots draw from."""
        return self._ids.below(stop)

    def uniform(self) -> float:
        """Return a number from 0 up to but without 1."""
        return self._ids.jitter()

    def bytes32(self) -> bytes:
        """Return 32 bytes; only as secret as the seed."""
        return self._ids.token(32)

    def exponential(self, mean: float) -> float:
        """Return a waiting time of a Poisson process."""
        return -math.log(1.0 - self.uniform()) * mean

    def lognormal(self, median: float, sigma: float) -> float:
        """Return a time that people take: skewed to the right; half are below the median."""
        if not sigma:
            return median
        # Box and Muller, "A note on the generation of random normal deviates", 1958.
        radius = math.sqrt(-2.0 * math.log(1.0 - self.uniform()))
        return median * math.exp(sigma * radius * math.cos(2.0 * math.pi * self.uniform()))

    def geometric(self, mean: float) -> int:
        """Return a whole number from 1 on, with that mean (at least 1)."""
        if mean <= 1:
            return 1
        return 1 + int(math.log(1.0 - self.uniform()) / math.log(1.0 - 1.0 / mean))

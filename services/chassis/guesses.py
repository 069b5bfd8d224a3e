"""How often something short that can be guessed may be guessed wrong."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator, Hashable
from contextlib import asynccontextmanager

from services.chassis.clock import Clock
from services.chassis.errors import Refusal
from services.chassis.limits import Rate, TokenBucket

WAIT_S = 5.0
"""A guess waits no longer for those before it."""


class Guess:
    """One guess while it is looked at."""

    def __init__(self) -> None:
        self.is_wrong = False

    def wrong(self) -> None:
        """It was wrong, and counts."""
        self.is_wrong = True


class _Guesser:
    """Who guesses: what he has left, and how many of his guesses are being looked at."""

    def __init__(self, rate: Rate, clock: Clock) -> None:
        self.bucket = TokenBucket(rate, clock)
        self.under_way = 0
        self.one_done = asyncio.Condition()


class Guesses:
    """Wrong guesses by key, at most `rate`, however many are made at once; right ones cost nothing.

    A guess that might be one too many waits for what becomes of those under way. When no more may be wrong,
    no guess is looked at, right ones neither: else the answer would tell which is right.

    Args:
        keys_max: Beyond it the keys used least recently are forgotten.
    """

    def __init__(self, rate: Rate, clock: Clock, keys_max: int = 100_000) -> None:
        self._rate = rate
        self._clock = clock
        self._keys_max = keys_max
        self._guessers: OrderedDict[Hashable, _Guesser] = OrderedDict()

    @asynccontextmanager
    async def one(self, key: Hashable) -> AsyncIterator[Guess]:
        """Look at a guess of `key` within the block, which says if it is `wrong`.

        Raises:
            Refusal: RATE_LIMITED with `retry_ms`: too many were wrong; DEADLINE_EXCEEDED: those before it
                are looked at for too long.
        """
        guesser = self._of(key)
        await self._enter(guesser)
        guess = Guess()
        try:
            yield guess
        finally:
            guesser.under_way -= 1
            if guess.is_wrong:
                guesser.bucket.allow()
            async with guesser.one_done:
                guesser.one_done.notify()

    async def _enter(self, guesser: _Guesser) -> None:
        async with guesser.one_done:
            try:
                async with self._clock.timeout(WAIT_S):
                    while (wait_s := guesser.bucket.wait_s(1 + guesser.under_way)) and guesser.under_way:
                        await guesser.one_done.wait()
            except TimeoutError:
                raise Refusal("DEADLINE_EXCEEDED") from None
            finally:
                # Whoever leaves the row wakes the next, who may have to be refused as well.
                guesser.one_done.notify()
            if wait_s:
                raise Refusal("RATE_LIMITED", retry_ms=int(wait_s * 1000) + 1)
            guesser.under_way += 1

    def _of(self, key: Hashable) -> _Guesser:
        guesser = self._guessers.get(key)
        if guesser is None:
            guesser = self._guessers[key] = _Guesser(self._rate, self._clock)
            if len(self._guessers) > self._keys_max:
                self._guessers.popitem(last=False)
        else:
            self._guessers.move_to_end(key)
        return guesser

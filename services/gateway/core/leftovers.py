"""When the collector should look for what ended connections have left behind."""

from __future__ import annotations

from typing import Final

ENDED_PER_LOOK: Final = 500
"""An ended connection leaves some 100 objects in cycles, most of them aiohttp's, and 35 KiB in all."""

ENDED_MAX: Final = 2_000
"""So many are waited for at most: 70 MB."""

CALM_S: Final = 5.0
"""Without anybody who comes: a look takes a fifth of a second with 1,500 connections, and when all of them
return at once they should not wait for it."""


class Leftovers:
    """Counts connections that come and go; see the module. Times are seconds of one monotonic clock."""

    def __init__(self) -> None:
        self._ended = 0
        self._looks = 0
        self._opened_at = float("-inf")

    def opened(self, now: float) -> None:
        """Somebody came."""
        self._opened_at = now

    def ended(self) -> None:
        """Somebody left."""
        self._ended += 1

    def looks(self, now: float) -> int:
        """Return how often everything should have been looked at by now."""
        is_calm = now - self._opened_at >= CALM_S
        if self._ended >= (ENDED_PER_LOOK if is_calm else ENDED_MAX):
            self._ended = 0
            self._looks += 1
        return self._looks

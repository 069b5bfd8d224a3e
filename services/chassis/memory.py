"""The collector of cycles, kept away from what lives long.

Each full collection looks at every container of the process, and nobody is served meanwhile: with 2,000
tables or 1,500 connections that is a fifth of a second (docs/performance.md, docs/load.md). What lives long
is no garbage, so looking at it again and again finds nothing. Once a second what has survived its youth is
therefore set aside (`gc.freeze`); objects that are set aside are freed as ever when nobody refers to them.
What holds cycles when it ends (shards, connections) is found when everything is looked at again: whoever has
such says how much of it has ended.
"""

from __future__ import annotations

import gc
from collections.abc import Callable

from services.chassis.clock import Clock

EVERY_S = 1.0

_watched: list[Callable[[], int]] = []
"""Of all that set aside: the collector is the process's, and so is this."""


async def set_aside(clock: Clock, releases: Callable[[], int]) -> None:
    """Set aside what lives long, until cancelled. Of several in one process the first does it for all.

    Args:
        clock: Time.
        releases: Another number whenever so much has ended that everything should be looked at again.
    """
    _watched.append(releases)
    seen: list[int] = []
    try:
        while True:
            await clock.sleep(EVERY_S)
            if _watched[0] is not releases:
                continue
            now = [count() for count in _watched]
            if now != seen:
                seen = now
                gc.unfreeze()
                gc.collect()
            else:
                gc.collect(1)
            gc.freeze()
    finally:
        _watched.remove(releases)
        gc.unfreeze()

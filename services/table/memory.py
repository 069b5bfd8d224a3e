"""The collector of cycles, kept away from what lives long.

Each full collection looks at every container of the process, and nobody plays meanwhile: with 2,000 tables
that is a fifth of a second (docs/performance.md). Tables hold no cycles, so looking at them again and again
finds nothing. Once a second what has survived its youth is therefore set aside (`gc.freeze`); objects that
are set aside are freed as ever when nobody refers to them. Shards do hold cycles: when one was let go,
everything is looked at again once.
"""

from __future__ import annotations

import gc
from collections.abc import Callable

from services.chassis.clock import Clock

EVERY_S = 1.0


async def set_aside(clock: Clock, releases: Callable[[], int]) -> None:
    """Set aside what lives long, until cancelled; of the process, so only one may run.

    Args:
        clock: Time.
        releases: How many shards were let go so far.
    """
    seen = releases()
    try:
        while True:
            await clock.sleep(EVERY_S)
            if releases() != seen:
                seen = releases()
                gc.unfreeze()
                gc.collect()
            else:
                gc.collect(1)
            gc.freeze()
    finally:
        gc.unfreeze()

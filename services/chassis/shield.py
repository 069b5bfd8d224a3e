"""Work that goes on when whoever waits for it is cancelled."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TypeVar

from services.chassis import log
from services.chassis.errors import Outage

T = TypeVar("T")


async def shielded(work: asyncio.Future[T], what: str, outages: tuple[type[Exception], ...] = (Outage,)) -> T:
    """Return what comes of some work, which nothing that happens to the caller cuts short.

    When the caller is cancelled before that, nobody is left to hear of a failure, which asyncio would then
    report as a defect: an outage is logged as what it is, anything else with its traceback.

    Args:
        work: What goes on.
        what: Names it in the log.
        outages: What it raises when the world fails.

    Raises:
        asyncio.CancelledError: The caller was cancelled; the work goes on.
        Exception: Whatever the work raises.
    """
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        if not work.cancelled():
            work.add_done_callback(partial(_unheard, what, outages))
        raise


def _unheard(what: str, outages: tuple[type[Exception], ...], work: asyncio.Future[T]) -> None:
    if work.cancelled() or (error := work.exception()) is None:
        return
    if isinstance(error, outages):
        log.get().warning("unheard_outage", what=what, why=repr(error)[:200])
    else:
        log.get().error("unheard_defect", what=what, exc_info=error)

"""`paiju reconcile`: prove the book of a deployment, from its database alone."""

from __future__ import annotations

from services.chassis.clock import Clock, SystemClock
from services.chassis.db import Database
from services.economy.store.proof import Proof, prove


async def reconcile(db: Database, clock: Clock | None = None) -> Proof:
    """Return what was checked and what is wrong, from one snapshot; changes nothing.

    Args:
        db: Economy's database.
        clock: The system's, if none is given.
    """
    now_ms = (clock or SystemClock()).now_ms()
    return await db.read(lambda connection: prove(connection, now_ms))

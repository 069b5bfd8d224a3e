"""`paiju reconcile`: prove the book of a deployment, from its database alone."""

from __future__ import annotations

from services.chassis.db import Database
from services.economy.store.proof import Proof, prove


async def reconcile(db: Database) -> Proof:
    """Return what was checked and what is wrong, from one snapshot; changes nothing."""
    return await db.read(prove)

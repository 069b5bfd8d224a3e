"""Forgets people whose time has come."""

from __future__ import annotations

from functools import partial

from services.accounts.store import deletion
from services.chassis import log
from services.chassis.clock import Clock
from services.chassis.db import Database
from services.chassis.errors import Outage
from services.chassis.outbox import Outbox

_log = log.get(service="accounts")


class Deletions:
    """Looks now and then; several at once are safe."""

    def __init__(self, db: Database, clock: Clock, outbox: Outbox, look_s: float) -> None:
        self._db = db
        self._clock = clock
        self._outbox = outbox
        self._look_s = look_s

    async def run(self) -> None:
        """Look until cancelled."""
        while True:
            try:
                while await self.forget_due():
                    pass
            except Outage as outage:
                _log.warning("deletions_interrupted", why=str(outage))
            await self._clock.sleep(self._look_s)

    async def forget_due(self) -> int:
        """Forget those whose time has come, at most one batch; return how many.

        Raises:
            Outage: The database can't be reached.
        """
        due = await self._db.read(lambda connection: deletion.due(connection, self._clock.now_ms()))
        forgotten = 0
        for player_id in due:
            # One transaction each: who signs in at this moment is let in, or is gone, and holds up nobody.
            forget = partial(deletion.forget, player_id=player_id, now_ms=self._clock.now_ms())
            forgotten += await self._db.run(forget)
        if forgotten:
            self._outbox.poke()
            _log.info("people_forgotten", count=forgotten)
        return forgotten

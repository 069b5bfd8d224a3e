"""SQLite on the event loop itself, for simulation: no threads, so every run is the same."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from sqlalchemy import Connection, Executable
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import StaticPool

from services.chassis.clock import Clock
from services.chassis.db.port import translate
from services.chassis.db.sqlite import sqlite_engine
from services.chassis.errors import Outage

T = TypeVar("T")


class InlineDatabase:
    """One SQLite database on one connection; in memory unless a URL is given.

    It outlives a simulated process: give the same one to its next incarnation.

    Args:
        clock: Others run before and after each transaction, never within.
        url: `sqlite://` for memory.
        step: Called before and after each transaction: a simulation may crash the process there.
    """

    dialect = "sqlite"

    def __init__(
        self, clock: Clock, url: str = "sqlite://", step: Callable[[str], None] = lambda operation: None
    ) -> None:
        self._clock = clock
        self._step = step
        self.engine = sqlite_engine(url, StaticPool)
        self.is_up = True
        """Set it to False for an outage."""

    async def run(self, fn: Callable[[Connection], T]) -> T:
        """See `Database.run`."""
        self._step("transact")
        await self._clock.sleep(0)
        if not self.is_up:
            raise Outage("the database is down")
        try:
            with self.engine.begin() as connection:
                result = fn(connection)
        except DBAPIError as error:
            translated = translate(error)
            if translated is error:
                raise
            raise translated from error
        self._step("committed")
        await self._clock.sleep(0)
        return result

    async def read(self, fn: Callable[[Connection], T]) -> T:
        """See `Database.read`."""
        return await self.run(fn)

    async def fetch(self, statement: Executable, parameters: Mapping[str, Any]) -> Sequence[tuple[Any, ...]]:
        """See `Database.fetch`."""
        return await self.run(
            lambda connection: [tuple(row) for row in connection.execute(statement, parameters)]
        )

    async def scan(self, fn: Callable[[Connection], T]) -> T:
        """See `Database.scan`."""
        return await self.run(fn)

    async def close(self) -> None:
        """Do nothing: the data is for the next incarnation."""

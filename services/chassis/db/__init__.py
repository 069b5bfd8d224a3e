"""Databases behind one verb: `await db.run(fn)` runs `fn(connection)` in one transaction, off the event loop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

from sqlalchemy import Connection

T = TypeVar("T")


class Database(Protocol):
    """SQLAlchemy Core behind one verb; SQLite and PostgreSQL alike."""

    @property
    def dialect(self) -> str:
        """`sqlite` or `postgresql`."""

    async def run(self, fn: Callable[[Connection], T]) -> T:
        """Run `fn` in one transaction and return its result once that is committed.

        If `fn` raises, its own changes are rolled back and the exception is yours; a cancelled caller doesn't cut the
        transaction short. `fn` must have no other effects: on PostgreSQL it runs again after a serialisation failure or
        deadlock. It runs in another thread, so it gets and returns plain values.

        Raises:
            Outage: The database can't be reached, is full or locked; the outcome may be unknown.
        """

    async def read(self, fn: Callable[[Connection], T]) -> T:
        """Run `fn`, which only reads, on one snapshot, beside the writers."""

    async def close(self) -> None:
        """End what is running and disconnect; twice does nothing."""

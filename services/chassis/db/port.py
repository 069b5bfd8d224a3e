"""What a database promises, and how the failures of drivers are read."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from typing import Protocol, TypeVar

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError

from services.chassis.errors import Outage

T = TypeVar("T")

_SQLITE_OUTAGES = (
    "SQLITE_BUSY",
    "SQLITE_LOCKED",
    "SQLITE_FULL",
    "SQLITE_IOERR",
    "SQLITE_CANTOPEN",
    "SQLITE_READONLY",
)
_RETRIED = ("40001", "40P01")
"""SQLSTATE of a serialisation failure and of a deadlock: nothing was done, and trying again is right."""


class Database(Protocol):
    """SQLAlchemy Core behind one verb; SQLite and PostgreSQL alike."""

    @property
    def dialect(self) -> str:
        """`sqlite` or `postgresql`."""

    async def run(self, fn: Callable[[Connection], T]) -> T:
        """Run `fn` in one transaction, and return its result once that is committed.

        If `fn` raises, its own changes are rolled back and the exception is yours. A cancelled caller
        doesn't cut the transaction short. `fn` must have no other effects: on PostgreSQL it runs again
        after a serialisation failure or a deadlock. It runs in another thread, so it gets and returns
        plain values.

        Raises:
            Outage: The database can't be reached, is full or locked; the outcome may be unknown.
        """

    async def read(self, fn: Callable[[Connection], T]) -> T:
        """Run `fn`, which only reads, on one snapshot, beside the writers.

        Raises:
            Outage: As `run`.
        """

    async def close(self) -> None:
        """End what is running and disconnect; twice does nothing."""


class TryAgain(Exception):
    """The transaction lost against another, and nothing of it was done."""


def translate(error: DBAPIError) -> Exception:
    """Return what a driver's failure is: `TryAgain`, an `Outage`, or itself (a constraint, or a defect of
    ours).
    """
    original = error.orig
    if isinstance(original, sqlite3.Error):
        name = getattr(original, "sqlite_errorname", "") or ""
        if name.startswith(_SQLITE_OUTAGES):
            return Outage(f"SQLite: {name}: {original}")
        return error
    state = getattr(original, "sqlstate", None)
    if state in _RETRIED:
        return TryAgain(str(original))
    if error.connection_invalidated or (
        isinstance(error, OperationalError | InterfaceError) and _is_outage(state)
    ):
        return Outage(f"PostgreSQL: {original}")
    return error


def _is_outage(state: str | None) -> bool:
    # 08 connection, 53 resources, 57 operator intervention, 58 system; none = the connection broke.
    return state is None or state[:2] in ("08", "53", "57", "58")

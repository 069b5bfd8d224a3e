"""What a database promises, and how the failures of drivers are read."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar
from urllib.parse import unquote

from sqlalchemy import URL, Connection, Dialect, Executable
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError
from sqlalchemy.sql import ClauseElement
from sqlalchemy.sql.compiler import SQLCompiler

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
_SQLITE_DAMAGE = ("SQLITE_NOTADB", "SQLITE_CORRUPT")
STATEMENTS_MAX = 64
"""Different statements of a database that `fetch` runs."""
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

    async def fetch(self, statement: Executable, parameters: Mapping[str, Any]) -> Sequence[tuple[Any, ...]]:
        """Run one statement that reads a few rows by an index, on what is committed at this moment.

        For what is read very often: no thread and no transaction around it, a third to a seventh of what
        `read` costs. On SQLite the event loop itself reads. What was committed before the call is seen.

        Args:
            statement: Made once, not at each call: it is compiled when it is first seen, and kept.
            parameters: Its bound values, as the driver takes them; rows come as the driver gives them.

        Raises:
            Outage: As `run`.
        """

    async def scan(self, fn: Callable[[Connection], T]) -> T:
        """Run `fn`, which reads much and long, on one snapshot: beside the writers and the other readers, on
        a connection of its own, with no limit of time for a statement. One at a time.

        Raises:
            Outage: As `run`.
        """

    async def close(self) -> None:
        """End what is running and disconnect; twice does nothing."""


class Statements:
    """Statements as a driver takes them, each compiled once."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._compiled: dict[Executable, Statement] = {}

    def of(self, statement: Executable) -> Statement:
        """Return a statement for the driver."""
        found = self._compiled.get(statement)
        if found is None:
            assert isinstance(statement, ClauseElement), "what can be executed can be compiled"
            compiled = statement.compile(dialect=self._dialect)
            assert isinstance(compiled, SQLCompiler), "it reads rows"
            assert len(self._compiled) < STATEMENTS_MAX, "statements are made once, not at each call"
            bound = {name: value for name, value in compiled.params.items() if value is not None}
            found = self._compiled[statement] = Statement(
                str(compiled), bound, tuple(compiled.positiontup or ())
            )
        return found


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement in the driver's own words."""

    sql: str
    bound: Mapping[str, Any]
    """Values that stand in the statement itself."""
    positions: tuple[str, ...]
    """The names of its question marks; empty if the driver takes names."""


class TryAgain(Exception):
    """The transaction lost against another, and nothing of it was done."""


def translate(error: DBAPIError, file: str | None = None) -> Exception:
    """Return what a driver's failure is: `TryAgain`, an `Outage`, or itself (a constraint, or a defect of
    ours).

    Args:
        error: As SQLAlchemy raises it.
        file: The file of a SQLite database, to be named.
    """
    original = error.orig
    if isinstance(original, sqlite3.Error):
        name = getattr(original, "sqlite_errorname", "") or ""
        where = f"SQLite: {file}" if file else "SQLite"
        if name.startswith(_SQLITE_DAMAGE):
            return Outage(f"{where}: damaged, or not a database ({original}); restore it from a backup")
        if name.startswith(_SQLITE_OUTAGES):
            return Outage(f"{where}: {name}: {original}")
        return error
    state = getattr(original, "sqlstate", None)
    if state in _RETRIED:
        return TryAgain(str(original))
    if error.connection_invalidated or (
        isinstance(error, OperationalError | InterfaceError) and _is_outage(state)
    ):
        return Outage(f"PostgreSQL: {original}")
    return error


def file_of(url: URL) -> str | None:
    """Return the file of a SQLite database, for people to read; None for another."""
    if url.get_backend_name() != "sqlite" or not url.database:
        return None
    return unquote(url.database.removeprefix("file:")) if "uri" in url.query else url.database


def _is_outage(state: str | None) -> bool:
    # 08 connection, 53 resources, 57 operator intervention, 58 system; none = the connection broke.
    return state is None or state[:2] in ("08", "53", "57", "58")

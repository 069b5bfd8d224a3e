"""Reading from PostgreSQL on the event loop itself: one connection, prepared statements, no transaction."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, Final

import psycopg
from sqlalchemy import Engine, Executable
from sqlalchemy.exc import DBAPIError

from services.chassis.db.port import Statement, Statements, translate
from services.chassis.errors import Outage

TRIES: Final = 2
"""A connection that broke while nobody used it is found out by the first try."""
SILENT_MS: Final = 10_000
"""A server that answers nothing for so long, not even to the kernel, is gone."""


class Fetcher:
    """Runs statements that read, one after the other; connects when it is first asked.

    Args:
        engine: Of the same database: whose dialect words the statements.
        statement_ms: A statement takes no longer.
    """

    def __init__(self, engine: Engine, statement_ms: int, connect_s: int) -> None:
        self._statements = Statements(engine.dialect)
        self._engine = engine
        # By an index the plan is the same whatever the values are; to plan costs thrice what asking does.
        self._options = (
            f"-c statement_timeout={statement_ms} -c default_transaction_read_only=on "
            "-c plan_cache_mode=force_generic_plan"
        )
        self._connect_s = connect_s
        self._connection: psycopg.AsyncConnection[tuple[Any, ...]] | None = None
        self._cursor: psycopg.AsyncCursor[tuple[Any, ...]] | None = None
        self._turn = asyncio.Lock()

    async def fetch(self, statement: Executable, parameters: Mapping[str, Any]) -> Sequence[tuple[Any, ...]]:
        """Return the rows of a statement.

        Raises:
            Outage: The server can't be reached.
        """
        asked = self._statements.of(statement)
        async with self._turn:
            for tried in range(TRIES):
                try:
                    return await self._ask(asked, parameters)
                except psycopg.Error as error:
                    broken = self._connection is None or self._connection.broken
                    if broken:
                        await self._drop()
                    if not broken or tried == TRIES - 1:
                        raise _read(error, asked.sql) from error
        raise AssertionError("the last try returns or raises")

    async def close(self) -> None:
        """Disconnect, once what is asked is answered."""
        async with self._turn:
            await self._drop()

    async def _ask(self, asked: Statement, parameters: Mapping[str, Any]) -> Sequence[tuple[Any, ...]]:
        if self._cursor is None:
            self._connection = await self._connect()
            self._cursor = self._connection.cursor()
        await self._cursor.execute(asked.sql, {**asked.bound, **parameters}, prepare=True)
        return await self._cursor.fetchall()

    async def _connect(self) -> psycopg.AsyncConnection[tuple[Any, ...]]:
        url = self._engine.url.set(drivername="postgresql").render_as_string(hide_password=False)
        return await psycopg.AsyncConnection.connect(
            url,
            autocommit=True,
            connect_timeout=self._connect_s,
            options=self._options,
            tcp_user_timeout=SILENT_MS,
            keepalives_idle=SILENT_MS // 2000,
            keepalives_interval=1,
            keepalives_count=SILENT_MS // 2000,
        )

    async def _drop(self) -> None:
        connection, self._connection, self._cursor = self._connection, None, None
        if connection is not None:
            await connection.close()


def _read(error: psycopg.Error, sql: str) -> Exception:
    found = DBAPIError.instance(sql, None, error, psycopg.Error)
    return translate(found) if isinstance(found, DBAPIError) else Outage(str(error))

"""PostgreSQL through psycopg, in a small pool of threads with a connection each."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine, Executable, create_engine
from sqlalchemy.exc import DBAPIError

from services.chassis.clock import Clock
from services.chassis.db.port import TryAgain, translate
from services.chassis.db.postgres_fetch import Fetcher
from services.chassis.errors import Outage
from services.chassis.ids import Ids
from services.chassis.shield import shielded

T = TypeVar("T")

TRIES_MAX = 8
"""Lost against other transactions so often, the outage is ours to tell."""
STATEMENT_MS = 10_000
IDLE_MS = 5_000
"""Who stands still within a transaction (SIGSTOP, a lost machine) keeps its rows from others no longer: the
server ends its session, and it hears of an outage. Less than `STATEMENT_MS`: who waits for them gets them.
"""
CONNECT_S = 5


class PostgresDatabase:
    """A database of a PostgreSQL server (15 or later)."""

    dialect = "postgresql"

    def __init__(self, url: str, clock: Clock, ids: Ids, connections: int = 8) -> None:
        self._clock = clock
        self._ids = ids
        self._engine = postgres_engine(url, connections, idle_ms=IDLE_MS)
        self._reading = self._engine.execution_options(
            isolation_level="REPEATABLE READ", postgresql_readonly=True
        )
        self._pool = ThreadPoolExecutor(connections, "postgres")
        # Made when it is first used: most processes never scan.
        self._scanning: Engine | None = None
        self._scanner = ThreadPoolExecutor(1, "postgres-scanner")
        self._fetcher = Fetcher(self._engine, STATEMENT_MS, CONNECT_S)
        self._url = url
        self._ended = False

    async def run(self, fn: Callable[[Connection], T]) -> T:
        """See `Database.run`."""
        return await self._run(self._engine, self._pool, fn)

    async def read(self, fn: Callable[[Connection], T]) -> T:
        """See `Database.read`."""
        return await self._run(self._reading, self._pool, fn)

    async def fetch(self, statement: Executable, parameters: Mapping[str, Any]) -> Sequence[tuple[Any, ...]]:
        """See `Database.fetch`."""
        if self._ended:
            raise Outage("the database is closed")
        return await self._fetcher.fetch(statement, parameters)

    async def scan(self, fn: Callable[[Connection], T]) -> T:
        """See `Database.scan`."""
        if self._scanning is None:
            self._scanning = postgres_engine(self._url, 1, statement_ms=0).execution_options(
                isolation_level="REPEATABLE READ", postgresql_readonly=True
            )
        return await self._run(self._scanning, self._scanner, fn)

    async def close(self) -> None:
        """See `Database.close`."""
        if not self._ended:
            self._ended = True
            loop = asyncio.get_running_loop()
            await self._fetcher.close()
            await loop.run_in_executor(None, self._pool.shutdown)
            await loop.run_in_executor(None, self._scanner.shutdown)
            self._engine.dispose()
            if self._scanning is not None:
                self._scanning.dispose()

    async def _run(self, engine: Engine, pool: ThreadPoolExecutor, fn: Callable[[Connection], T]) -> T:
        for tried in range(TRIES_MAX):
            if self._ended:
                raise Outage("the database is closed")
            done = asyncio.get_running_loop().run_in_executor(pool, _transact, engine, fn)
            try:
                return await shielded(done, "transaction", (Outage, TryAgain))
            except TryAgain:
                await self._clock.sleep(0.005 * 2**tried * (0.5 + self._ids.jitter()))
        raise Outage(f"PostgreSQL: lost {TRIES_MAX} times against other transactions")


def _transact(engine: Engine, fn: Callable[[Connection], T]) -> T:
    try:
        with engine.begin() as connection:
            return fn(connection)
    except DBAPIError as error:
        translated = translate(error)
        if translated is error:
            raise
        raise translated from error


def postgres_engine(
    url: str, connections: int = 8, statement_ms: int = STATEMENT_MS, idle_ms: int = 0
) -> Engine:
    """Return an engine on psycopg for a plain `postgresql://` URL.

    Args:
        url: The server and the database.
        connections: How many at most.
        statement_ms: For one statement; 0 = as long as it takes.
        idle_ms: Between two statements of a transaction; 0 = as long as it takes.
    """
    if url.startswith("postgresql://"):
        url = url.replace("postgresql://", "postgresql+psycopg://", 1)
    return create_engine(
        url,
        pool_size=connections,
        max_overflow=0,
        pool_pre_ping=True,
        connect_args={
            "connect_timeout": CONNECT_S,
            "options": f"-c statement_timeout={statement_ms} "
            f"-c idle_in_transaction_session_timeout={idle_ms}",
        },
    )

"""SQLite with one writer thread that commits for many callers at once."""

from __future__ import annotations

import asyncio
import queue
import sqlite3
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar, cast
from urllib.parse import quote

from sqlalchemy import Connection, Engine, Executable, create_engine, event
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool, Pool, PoolProxiedConnection

from services.chassis.clock import Clock
from services.chassis.db.port import Database, Statements, file_of, translate
from services.chassis.db.postgres import PostgresDatabase
from services.chassis.errors import Outage
from services.chassis.ids import Ids

T = TypeVar("T")

GROUP_MAX = 256
"""At most so many callers share a transaction."""
WAITING_MAX = 20_000
"""More callers than this are turned away."""
BUSY_MS = 10_000


@dataclass(slots=True)
class _Job:
    fn: Callable[[Connection], Any]
    loop: asyncio.AbstractEventLoop
    future: asyncio.Future[Any]
    result: Any = None
    error: BaseException | None = None

    def answer(self) -> None:
        try:
            self.loop.call_soon_threadsafe(self._set)
        except RuntimeError:
            # The loop has ended, and with it whoever waited.
            return

    def _set(self) -> None:
        if self.future.done():
            return
        if self.error is not None:
            self.future.set_exception(self.error)
        else:
            self.future.set_result(self.result)


class SqliteDatabase:
    """One file in WAL mode, `synchronous=FULL`: what is committed survives a power cut."""

    dialect = "sqlite"

    def __init__(self, url: str, *, reads_only: bool = False) -> None:
        file = make_url(url).database
        assert file not in (None, "", ":memory:"), "an in-memory database is for InlineDatabase"
        if not reads_only:
            Path(str(file)).parent.mkdir(parents=True, exist_ok=True)
        self._engine = sqlite_engine(url, reads_only=reads_only)
        self._writer = _Thread(self._engine, "sqlite-writer", is_reader=False)
        self._reader = _Thread(self._engine, "sqlite-reader", is_reader=True)
        self._scanner: _Thread | None = None
        self._statements = Statements(self._engine.dialect)
        self._looking: PoolProxiedConnection | None = None
        self._ended = False

    async def run(self, fn: Callable[[Connection], T]) -> T:
        """See `Database.run`."""
        return await self._writer.run(fn)

    async def read(self, fn: Callable[[Connection], T]) -> T:
        """See `Database.read`."""
        return await self._reader.run(fn)

    async def fetch(self, statement: Executable, parameters: Mapping[str, Any]) -> Sequence[tuple[Any, ...]]:
        """See `Database.fetch`."""
        if self._ended:
            raise Outage("the database is closed")
        asked = self._statements.of(statement)
        values = {**asked.bound, **parameters}
        try:
            if self._looking is None:
                self._looking = _looking(self._engine)
            looking = cast(sqlite3.Connection, self._looking.dbapi_connection)
            return looking.execute(asked.sql, [values[name] for name in asked.positions]).fetchall()
        except sqlite3.Error:
            # If somebody recovers or empties the write-ahead log, the reader waits for him, and not the loop.
            # Whatever else it is, the reader says it.
            rows = await self.read(lambda connection: connection.execute(statement, parameters).all())
            return [tuple(row) for row in rows]

    async def scan(self, fn: Callable[[Connection], T]) -> T:
        """See `Database.scan`."""
        if self._scanner is None:
            self._scanner = _Thread(self._engine, "sqlite-scanner", is_reader=True)
        return await self._scanner.run(fn)

    async def close(self) -> None:
        """See `Database.close`."""
        self._ended = True
        await self._writer.end()
        await self._reader.end()
        if self._scanner is not None:
            await self._scanner.end()
        if self._looking is not None:
            self._looking.close()
            self._looking = None
        self._engine.dispose()


def _looking(engine: Engine) -> PoolProxiedConnection:
    """Return a connection for the event loop: it never waits, and writes nothing."""
    made = engine.raw_connection()
    cursor = made.cursor()
    cursor.execute("PRAGMA busy_timeout=0")
    cursor.execute("PRAGMA query_only=ON")
    cursor.close()
    return made


class _Thread:
    """A thread with one connection that runs what it is given: writers in groups, readers each on a
    snapshot.
    """

    def __init__(self, engine: Engine, name: str, is_reader: bool) -> None:
        self._engine = engine
        self._is_reader = is_reader
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._ended = False
        self._thread = threading.Thread(target=self._loop, name=name, daemon=True)
        self._thread.start()

    async def run(self, fn: Callable[[Connection], T]) -> T:
        if self._ended:
            raise Outage("the database is closed")
        if self._jobs.qsize() > WAITING_MAX:
            raise Outage("too many callers wait for the database")
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()
        self._jobs.put(_Job(fn, loop, future))
        # The thread ends what it has begun, whoever waits for it.
        return await future

    async def end(self) -> None:
        if not self._ended:
            self._ended = True
            self._jobs.put(None)
            await asyncio.get_running_loop().run_in_executor(None, self._thread.join)

    def _loop(self) -> None:
        connection: Connection | None = None
        is_open = True
        while is_open:
            jobs, is_open = self._next()
            if not jobs:
                continue
            try:
                if connection is None or connection.closed or connection.invalidated:
                    connection = self._engine.connect()
                self._work(connection, jobs)
            except DBAPIError as error:
                _drop(connection)
                connection = None
                _fail(jobs, translate(error, file_of(self._engine.url)))
            except Exception as error:  # noqa: BLE001 - whatever broke the group, every caller must be told
                _drop(connection)
                connection = None
                _fail(jobs, error)
            for job in jobs:
                job.answer()
        _drop(connection)

    def _next(self) -> tuple[list[_Job], bool]:
        """Return the jobs that wait (waiting for the first), and False once the end has been asked for."""
        jobs: list[_Job] = []
        job = self._jobs.get()
        while job is not None:
            jobs.append(job)
            if len(jobs) == GROUP_MAX or (self._is_reader and jobs):
                return jobs, True
            try:
                job = self._jobs.get_nowait()
            except queue.Empty:
                return jobs, True
        return jobs, False

    def _work(self, connection: Connection, jobs: list[_Job]) -> None:
        if self._is_reader:
            connection = connection.execution_options(paiju_read=True)
        with connection.begin():
            for job in jobs:
                # Alone, the transaction itself is the savepoint: `run_alone` raises through it.
                if len(jobs) == 1:
                    job.result = self._alone(connection, job)
                    break
                point = connection.begin_nested()
                try:
                    job.result = job.fn(connection)
                except BaseException as error:  # noqa: BLE001 - it is the caller's, and is raised there
                    job.error = self._read(error)
                    point.rollback()
                else:
                    point.commit()
            if len(jobs) == 1 and jobs[0].error is not None:
                connection.get_transaction().rollback()  # type: ignore[union-attr] # begun above

    def _alone(self, connection: Connection, job: _Job) -> Any:
        try:
            return job.fn(connection)
        except BaseException as error:  # noqa: BLE001 - it is the caller's, and is raised there
            job.error = self._read(error)
            return None

    def _read(self, error: BaseException) -> BaseException:
        return translate(error, file_of(self._engine.url)) if isinstance(error, DBAPIError) else error


def _fail(jobs: list[_Job], error: Exception) -> None:
    for job in jobs:
        job.error = job.error or error


def _drop(connection: Connection | None) -> None:
    if connection is not None:
        try:
            connection.close()
        except DBAPIError:
            connection.invalidate()


def sqlite_engine(url: str, poolclass: type[Pool] = NullPool, *, reads_only: bool = False) -> Engine:
    """Return an engine whose transactions begin when they are told to, and are durable when committed.

    With `reads_only` nothing is written, and a file that is missing is not made.
    """
    pragmas = [f"busy_timeout={BUSY_MS}", "cache_size=-16000"]
    if reads_only:
        file = make_url(url).database or ""
        source = make_url(url).set(database=f"file:{quote(file)}", query={"mode": "ro", "uri": "true"})
        pragmas.append("query_only=ON")
    else:
        source = make_url(url)
        pragmas += ["journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"]
    engine = create_engine(source, poolclass=poolclass, connect_args={"check_same_thread": False})

    @event.listens_for(engine, "connect")
    def on_connect(raw: Any, record: Any) -> None:
        raw.isolation_level = None
        cursor = raw.cursor()
        for pragma in pragmas:
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    @event.listens_for(engine, "begin")
    def on_begin(connection: Connection) -> None:
        reads = reads_only or connection.get_execution_options().get("paiju_read", False)
        connection.exec_driver_sql("BEGIN" if reads else "BEGIN IMMEDIATE")

    return engine


def open_database(
    url: str, clock: Clock, ids: Ids, connections: int = 8, *, reads_only: bool = False
) -> Database:
    """Return the database at a URL: `sqlite:///file` or `postgresql://…`; with `reads_only`, a SQLite file is
    opened so that it can't be changed.
    """
    if url.startswith("sqlite"):
        return SqliteDatabase(url, reads_only=reads_only)
    return PostgresDatabase(url, clock, ids, connections)

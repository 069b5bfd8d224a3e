"""Everything that happened, brought together in a folder, to be checked when the servers are gone.

| file | what |
|---|---|
| `streams/<NAME>.msgpack` | each message of a stream (`Entry`) |
| `streams/KEPT_TABLE_LOG_<n>.msgpack` | what was left of a log at the end, when it had been purged |
| `economy.db`, `table.db` | the databases, as SQLite |
| `transcripts/<load>/*.jsonl` | what the players were told and said (`services/launch/load/tape.py`) |
| `logs/<process>.<life>.log` | what each process has logged, JSON lines |
| `faults.jsonl` | what was done to whom, and when |

The tables' log is purged as it grows, so a mirror in the broker keeps all of it from the start.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import nats
from nats.errors import Error as NatsError
from nats.js import JetStreamContext
from nats.js.api import StorageType, StreamConfig, StreamSource
from nats.js.errors import NotFoundError
from sqlalchemy import Engine, MetaData, create_engine, insert, select
from sqlalchemy.engine import make_url

from services.chassis.db import migrate
from services.economy.store import room_cards, schema, topup_schema
from services.launch.permissions import OPERATOR
from services.table import store as table_store
from tests.chaos.deployment import Deployment
from tests.support.deployed import password_of

LOGS = "TABLE_LOG_"
MIRROR = "CHAOS_"
KEPT = "KEPT_"
EXPECTED = "Nats-Expected-Last-Subject-Sequence"
FACTS = ("ROUNDS", "AUDITS", "LEDGER", "MATCHES", "DLQ")
ROWS = 500


class Entry(msgspec.Struct, array_like=True, frozen=True):
    """A message of a stream."""

    seq: int
    subject: str
    at_ms: int
    msg_id: str
    expected_last: int
    """-1: not known, for a mirror does not keep it."""
    payload: bytes


@asynccontextmanager
async def jetstream(deployment: Deployment) -> AsyncIterator[JetStreamContext]:
    """Connect as the operator."""
    connection = await nats.connect(
        servers=deployment.broker.url.split(","),
        user=OPERATOR,
        password=password_of(OPERATOR),
        error_cb=_in_silence,
        max_reconnect_attempts=-1,
    )
    try:
        yield connection.jetstream(timeout=10)
    finally:
        await connection.close()


async def _in_silence(_: Exception) -> None:
    """Be where nats-py would print a traceback."""


async def mirror_logs(js: JetStreamContext, replicas: int) -> None:
    """Have the broker keep a copy of each of the tables' logs, which nobody purges."""
    for name in await names(js):
        if name.startswith(LOGS):
            await js.add_stream(
                StreamConfig(
                    name=f"{MIRROR}{name}",
                    mirror=StreamSource(name=name),
                    storage=StorageType.FILE,
                    num_replicas=replicas,
                )
            )


async def names(js: JetStreamContext) -> list[str]:
    """Return the names of all streams."""
    return sorted(info.config.name or "" for info in await js.streams_info())


async def mirrored(js: JetStreamContext) -> bool:
    """Return whether the mirrors have all that the logs have."""
    for name in await names(js):
        if name.startswith(LOGS):
            there, here = await js.stream_info(name), await js.stream_info(f"{MIRROR}{name}")
            if here.state.last_seq < there.state.last_seq:
                return False
    return True


async def read(js: JetStreamContext, stream: str, after: int = 0) -> list[Entry]:
    """Return all messages of a stream after a sequence."""
    try:
        last = (await js.stream_info(stream)).state.last_seq
    except NotFoundError:
        return []
    found: list[Entry] = []
    if last <= after:
        return found
    from nats.js.api import ConsumerConfig, DeliverPolicy

    config = ConsumerConfig(deliver_policy=DeliverPolicy.BY_START_SEQUENCE, opt_start_seq=after + 1)
    subscription = await js.pull_subscribe(">", stream=stream, config=config)
    try:
        while True:
            for message in await subscription.fetch(500, timeout=10):
                meta, headers = message.metadata, message.headers or {}
                found.append(
                    Entry(
                        meta.sequence.stream,
                        message.subject,
                        int(meta.timestamp.timestamp() * 1000),
                        headers.get("Nats-Msg-Id", ""),
                        int(headers.get(EXPECTED, -1)),
                        message.data,
                    )
                )
                await message.ack()
            if found and found[-1].seq >= last:
                return found
    finally:
        await subscription.unsubscribe()


async def read_surely(js: JetStreamContext, stream: str) -> list[Entry]:
    """Return all messages of a stream; a consumer whose leader is not known yet is asked for again."""
    async with asyncio.timeout(60):
        while True:
            try:
                return await read(js, stream)
            except (NatsError, TimeoutError):
                await asyncio.sleep(0.2)


async def gather(deployment: Deployment) -> None:
    """Write the streams and the databases into the folder."""
    streams = deployment.folder / "streams"
    streams.mkdir(exist_ok=True)
    async with jetstream(deployment) as js:
        async with asyncio.timeout(60):
            while not await mirrored(js):
                await asyncio.sleep(0.1)
        for name in await names(js):
            if name.startswith((MIRROR, LOGS)) or name in FACTS:
                kept = KEPT if name.startswith(LOGS) else ""
                file = streams / f"{kept}{name.removeprefix(MIRROR)}.msgpack"
                write_stream(file, await read_surely(js, name))
    for service, parts in (
        ("economy", (schema.metadata, topup_schema.metadata, room_cards.metadata)),
        ("table", (table_store.metadata,)),
    ):
        file = deployment.folder / f"{service}.db"
        await asyncio.to_thread(copy, service, deployment.database_url(service), file, parts)


def write_stream(file: Path, entries: Iterable[Entry]) -> None:
    """Write the messages of a stream."""
    file.write_bytes(msgspec.msgpack.encode(list(entries)))


def read_stream(file: Path) -> list[Entry]:
    """Return the messages of a stream; none where there is no such file."""
    return msgspec.msgpack.decode(file.read_bytes(), type=list[Entry]) if file.exists() else []


def read_streams(folder: Path) -> Iterator[tuple[str, list[Entry]]]:
    """Return name and messages of each of the tables' logs, whole as the mirror has them."""
    for file in sorted((folder / "streams").glob(f"{LOGS}*.msgpack")):
        yield file.stem, read_stream(file)


def read_kept(folder: Path) -> Iterator[tuple[str, list[Entry]]]:
    """Return name and messages of what was left of each of the tables' logs."""
    for file in sorted((folder / "streams").glob(f"{KEPT}{LOGS}*.msgpack")):
        yield file.stem.removeprefix(KEPT), read_stream(file)


def copy(service: str, url: str, file: Path, parts: Sequence[MetaData]) -> None:
    """Copy the tables of a service's database into a SQLite file that has what else belongs to them."""
    file.unlink(missing_ok=True)
    migrate(f"sqlite:///{file}", service)
    source, target = engine_of(url), create_engine(f"sqlite:///{file}")
    try:
        with source.connect() as there, target.begin() as here:
            for table in (table for metadata in parts for table in metadata.sorted_tables):
                rows: list[dict[str, Any]] = [dict(row._mapping) for row in there.execute(select(table))]
                for start in range(0, len(rows), ROWS):
                    here.execute(insert(table), rows[start : start + ROWS])
    finally:
        source.dispose()
        target.dispose()


def engine_of(url: str) -> Engine:
    """Return what reads a database of a deployment."""
    made = make_url(url)
    return create_engine(
        made.set(drivername="postgresql+psycopg") if made.drivername == "postgresql" else made
    )

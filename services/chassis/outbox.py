"""Events that leave if, and only if, their transaction was committed: at least once, roughly in order of
writing.
"""

from __future__ import annotations

import asyncio
from typing import Any

from google.protobuf import descriptor_pool, message_factory
from google.protobuf.message import Message
from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    column,
    delete,
    func,
    select,
    update,
)

from services.chassis import log
from services.chassis.bus.port import Bus
from services.chassis.bus.registry import event_of
from services.chassis.clock import Clock
from services.chassis.db.inserts import upsert
from services.chassis.db.port import Database
from services.chassis.errors import Defect, Outage
from services.chassis.metrics import Metrics

LOOK_S = 0.5
"""The relay looks this often, unless it is poked."""
BATCH = 200
KEPT_MS = 24 * 3600 * 1000
"""What was sent is kept for a day, for whoever must look into something."""
RETRY_S_MAX = 5.0


def outbox_table(metadata: MetaData) -> Table:
    """Return the table `outbox` for a service's metadata; its migration makes it by `create_outbox(op)`."""
    if "outbox" in metadata.tables:
        return metadata.tables["outbox"]
    unsent = column("sent_at_ms").is_(None)
    return Table(
        "outbox",
        metadata,
        Column("id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=True),
        Column("event_id", String(200), nullable=False, unique=True),
        Column("type", String(200), nullable=False),
        Column("payload", LargeBinary, nullable=False),
        Column("sent_at_ms", BigInteger),
        Index("outbox_unsent", "id", sqlite_where=unsent, postgresql_where=unsent),
    )


_OUTBOX = outbox_table(MetaData())


def create_outbox(op: Any) -> None:
    """Make the table, in a migration: `op` is `alembic.op`."""
    _OUTBOX.create(op.get_bind())


def put(connection: Connection, message: Message, event_id: str) -> None:
    """Write an event in the caller's transaction; the same `event_id` again is kept once, as it was first.

    Raises:
        Defect: The message is no fact that a stream keeps.
    """
    event = event_of(message)
    if not event.stream:
        raise Defect(f"{event.name} is kept by no stream")
    row = {"event_id": event_id, "type": event.name, "payload": message.SerializeToString()}
    connection.execute(
        upsert(connection, _OUTBOX).values(row).on_conflict_do_nothing(index_elements=["event_id"])
    )


class Outbox:
    """The relay of one database: `parts.spawn("economy-outbox", outbox.run())`. Several relays of a table
    are safe.
    """

    def __init__(
        self, db: Database, bus: Bus, clock: Clock, metrics: Metrics | None = None, name: str = ""
    ) -> None:
        self._db = db
        self._bus = bus
        self._clock = clock
        self._poked: asyncio.Future[None] | None = None
        self._is_poked = False
        self._waiting = (
            metrics.gauge("outbox_waiting", "Events written and not sent", ["name"]).labels(name)
            if metrics
            else None
        )

    def poke(self) -> None:
        """Say that a transaction with events was committed."""
        self._is_poked = True
        if self._poked is not None and not self._poked.done():
            self._poked.set_result(None)

    async def run(self) -> None:
        """Publish what is written, until cancelled."""
        failures = 0
        while True:
            try:
                sent = await self.relay_once()
                failures = 0
                if sent < BATCH:
                    await self._wait()
            except Outage as outage:
                failures += 1
                log.get().warning("outbox_interrupted", why=str(outage))
                await self._clock.sleep(min(RETRY_S_MAX, 0.1 * 2 ** min(failures, 6)))

    async def relay_once(self) -> int:
        """Publish what is there now, at most one batch; return how many.

        Raises:
            Outage: Something could not be published; what could is marked.
        """
        self._is_poked = False
        rows = await self._db.read(_unsent)
        if self._waiting is not None:
            self._waiting.set(len(rows))
        if not rows:
            return 0
        results = await asyncio.gather(*(self._publish(row) for row in rows), return_exceptions=True)
        sent = [
            row[0] for row, result in zip(rows, results, strict=True) if not isinstance(result, BaseException)
        ]
        now = self._clock.now_ms()
        if sent:
            await self._db.run(lambda connection: _mark(connection, sent, now))
        for result in results:
            if isinstance(result, BaseException):
                raise result
        return len(sent)

    async def _publish(self, row: tuple[int, str, str, bytes]) -> None:
        _, event_id, type_name, payload = row
        descriptor = descriptor_pool.Default().FindMessageTypeByName(type_name)
        message = message_factory.GetMessageClass(descriptor).FromString(payload)
        await self._bus.publish(message, event_id)

    async def _wait(self) -> None:
        if self._is_poked:
            return
        self._poked = asyncio.get_running_loop().create_future()
        try:
            async with self._clock.timeout(LOOK_S):
                await self._poked
        except TimeoutError:
            return
        finally:
            self._poked = None


def waiting(connection: Connection) -> int:
    """Return how many events are written and not sent."""
    unsent = select(func.count()).select_from(_OUTBOX).where(_OUTBOX.c.sent_at_ms.is_(None))
    return int(connection.execute(unsent).scalar_one())


def _unsent(connection: Connection) -> list[tuple[int, str, str, bytes]]:
    c = _OUTBOX.c
    rows = (
        select(c.id, c.event_id, c.type, c.payload).where(c.sent_at_ms.is_(None)).order_by(c.id).limit(BATCH)
    )
    return [(row[0], row[1], row[2], bytes(row[3])) for row in connection.execute(rows)]


def _mark(connection: Connection, ids: list[int], now: int) -> None:
    c = _OUTBOX.c
    connection.execute(update(_OUTBOX).where(c.id.in_(ids)).values(sent_at_ms=now))
    connection.execute(delete(_OUTBOX).where(c.sent_at_ms < now - KEPT_MS))

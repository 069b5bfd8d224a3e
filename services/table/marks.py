"""How far each shard's log is known to reach, kept beside it: what tells that a log has lost its end.

A log that is durable before anything is shown loses nothing when processes die. But a cluster whose servers
lose their power together may lose what they had not synced, and an operator may restore an older copy of a
store. Nothing in the log itself shows that; the mark in SQL does. It is a hint that is a second old at most,
never a lock: an owner serves without it while the database is away, and compares later.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from sqlalchemy import BigInteger, Column, Connection, Table, Text, insert, select, update

from services.chassis import log
from services.chassis.bus.port import LogEntry
from services.chassis.clock import Clock
from services.chassis.db import Database
from services.chassis.errors import Outage
from services.table.core.events import ShardCut
from services.table.journal import Entry
from services.table.store import metadata

WAIT_S = 1.0
"""So long a taking, or a release, waits for the database; without it the shard is served all the same."""

SKIP = 1_000_000
"""Numbers of frames left out after a loss: more than a match ever shows to a seat."""

WRITTEN_MAX = 4_096
"""Of so many messages it is remembered who wrote them: the mark is of one of the last second."""

_log = log.get(service="table")

shard_marks = Table(
    "shard_marks",
    metadata,
    Column("shard", Text, primary_key=True),
    Column("seq", BigInteger, nullable=False),
    Column("incarnation", Text, nullable=False),
    Column("epoch", BigInteger, nullable=False),
    Column("base", BigInteger, nullable=False),
)
"""`seq`: a message of the log that was acknowledged, and by which incarnation it was written."""


@dataclass(frozen=True)
class Mark:
    """A message that a shard's log is known to hold, and the epoch of who wrote it."""

    seq: int
    incarnation: str
    epoch: int
    base: int
    """What that epoch has more than the sequence of its `ShardTaken`."""


class Marks(Protocol):
    """Where marks are kept: not in the broker."""

    async def get(self, shard: str) -> Mark | None:
        """Return a shard's mark, None if there never was an owner.

        Raises:
            Outage: It can't be read now.
        """

    async def put(self, shard: str, mark: Mark) -> None:
        """Set a shard's mark, unless that of a later epoch is there.

        Raises:
            Outage: It can't be written now.
        """


class MarkStore:
    """Marks on SQLite or PostgreSQL."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def get(self, shard: str) -> Mark | None:
        """See `Marks.get`."""
        return await self._db.read(lambda connection: _get(connection, shard))

    async def put(self, shard: str, mark: Mark) -> None:
        """See `Marks.put`."""
        await self._db.run(lambda connection: _put(connection, shard, mark))


def _get(connection: Connection, shard: str) -> Mark | None:
    row = connection.execute(select(shard_marks).where(shard_marks.c.shard == shard)).one_or_none()
    return Mark(row.seq, row.incarnation, row.epoch, row.base) if row is not None else None


def _put(connection: Connection, shard: str, mark: Mark) -> None:
    values = {"seq": mark.seq, "incarnation": mark.incarnation, "epoch": mark.epoch, "base": mark.base}
    if _get(connection, shard) is None:
        connection.execute(insert(shard_marks), {"shard": shard, **values})
        return
    is_older = (shard_marks.c.shard == shard) & (shard_marks.c.epoch <= mark.epoch)
    connection.execute(update(shard_marks).where(is_older).values(values))


class Watch:
    """What one owner of a shard compares, and what it sets.

    Args:
        marks: Where marks are kept; None = nobody looks.
        clock: For waiting.
        shard: Its name.
        incarnation: The owner's.
    """

    def __init__(self, marks: Marks | None, clock: Clock, shard: str, incarnation: str) -> None:
        self._marks = marks
        self._clock = clock
        self._shard = shard
        self._incarnation = incarnation
        self.mark: Mark | None = None
        """As read, or as set since."""
        self.is_known = marks is None
        """Whether the mark was read."""
        self.fence = 0
        """The sequence of the owner's `ShardTaken`."""
        self.before = 0
        """The last sequence before that."""
        self.base = 0
        """What the epoch has more than `fence`: 0, unless the log has lost its end once."""
        self._written: dict[int, str] = {}
        """Sequence of the messages of the log → incarnation that wrote it, until that was compared."""

    async def read(self) -> None:
        """Learn the mark, if the database can be asked now."""
        if self.is_known or self._marks is None:
            return
        try:
            async with self._clock.timeout(WAIT_S):
                self.mark = await self._marks.get(self._shard)
        except (TimeoutError, Outage) as problem:
            _log.warning("mark_not_read", shard=self._shard, why=repr(problem))
            return
        self.is_known = True

    def note(self, entry: LogEntry, batch: Sequence[Entry]) -> None:
        """Take note of a message of the log."""
        self._written[entry.seq] = entry.msg_id.partition("/")[0]
        if len(self._written) > WRITTEN_MAX:
            del self._written[next(iter(self._written))]
        for table_id, event in batch:
            if not table_id and isinstance(event, ShardCut):
                self.base = max(self.base, event.base)

    def is_cut(self) -> bool:
        """Say whether the log has lost what the mark knows of."""
        mark = self.mark
        if mark is None:
            return False
        at_mark = self._written.get(mark.seq, "")
        is_other = bool(at_mark) and at_mark != mark.incarnation
        return mark.seq > self.before or is_other or mark.epoch >= self.fence + max(self.base, mark.base)

    def is_behind(self) -> bool:
        """Say whether the mark knows a base that the log, purged since, does not."""
        return self.mark is not None and self.mark.base > self.base

    def is_compared(self) -> None:
        """What the log holds was compared with the mark: it need not be remembered any more."""
        self._written.clear()

    def base_after(self) -> int:
        """Return a base by which the epoch is higher than any before."""
        assert self.mark is not None, "only a mark shows a loss"
        return max(self.base, self.mark.base, self.mark.epoch - self.fence + 1)

    def is_base_safe(self) -> bool:
        """Say whether the log may lose the message that names its base."""
        return not self.base or (self.mark is not None and self.mark.base >= self.base)

    async def set(self, seq: int, epoch: int) -> None:
        """Set the mark to a message that the log has acknowledged to this owner.

        Raises:
            Outage: It can't be set now.
        """
        if self._marks is None or (self.mark is not None and self.mark.seq == seq):
            return
        mark = Mark(seq, self._incarnation, epoch, self.base)
        await self._marks.put(self._shard, mark)
        self.mark = mark

    async def set_at_last(self, seq: int, epoch: int) -> None:
        """Set the mark when the shard was handed over, but keep nobody waiting for it."""
        try:
            async with self._clock.timeout(WAIT_S):
                await self.set(seq, epoch)
        except (TimeoutError, Outage) as problem:
            _log.warning("mark_not_set", shard=self._shard, why=repr(problem))

"""Reading the log of a shard into tables: up to an owner's fence, or along with it before there is one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import aclosing

from services.chassis import log
from services.chassis.bus.port import Bus, Fenced, LogEntry
from services.chassis.errors import Outage
from services.table.core.events import decode_batch
from services.table.marks import Watch
from services.table.tables import Tables

TAKES_MAX = 20
"""Tries to read the log without a purge passing by."""

ALONG_FOLD_S = 0.004
"""The same as `FOLD_S` for who only reads along: nobody waits for these tables yet, but for all else here."""

_log = log.get(service="table")


class LogReader:
    """Reads one shard's log.

    Args:
        bus: Where it is.
        subject: Its subject.
        watch: What compares it with its mark.
        make_tables: Makes the tables of the shard, still without any.
    """

    def __init__(self, bus: Bus, subject: str, watch: Watch, make_tables: Callable[[], Tables]) -> None:
        self._bus = bus
        self._subject = subject
        self._watch = watch
        self._make_tables = make_tables
        self.tables = make_tables()
        self.seq = 0
        """The last message read."""
        self.is_warm = False
        """All that was in the log when the reading began is folded."""
        self._fence = 0
        self._task: asyncio.Task[None] | None = None

    async def follow(self, is_warm: Callable[[], object]) -> None:
        """Read, and go on as the log grows, until `read_to` or cancelled; say once when it is all folded.

        Raises:
            Outage: The log can't be reached.
        """
        if not self._fence:
            self._task = asyncio.current_task()
            await self._run(is_warm)

    async def read_to(self, fence: int) -> None:
        """Read up to our own fence, from the beginning or from where `follow` is.

        Raises:
            Outage: The log can't be reached.
            Fenced: There is something behind the fence.
        """
        self._fence = fence
        task, self._task = self._task, None
        if task is not None and not task.done() and self.seq < fence:
            await asyncio.wait((task,))
        if task is None or self.seq < fence:
            if task is not None:
                _log.info("shard_read_afresh", subject=self._subject, read=self.seq, fence=fence)
                self._afresh()
            await self._run(lambda: None)
        elif not task.done():
            task.cancel()
            await asyncio.wait((task,))
        if self.seq > fence:
            raise Fenced(self._subject, fence, self.seq)

    def _afresh(self) -> None:
        self.tables, self.seq, self.is_warm = self._make_tables(), 0, False
        self._watch.is_compared()

    async def _run(self, is_warm: Callable[[], object]) -> None:
        for _ in range(TAKES_MAX):
            if await self._read(is_warm):
                return
            _log.info("shard_read_again", subject=self._subject)
            self._afresh()
        raise Outage(f"{self._subject}: a purge passes by all the time")

    async def _read(self, is_warm: Callable[[], object]) -> bool:
        """Return False if a purge has taken something from under us."""
        warm_at = 0
        if not self._fence:
            last = await self._bus.last(self._subject)
            warm_at = last.seq if last is not None else 0
            if not warm_at:
                self.is_warm = True
                is_warm()
        before: LogEntry | None = None
        async with aclosing(self._bus.read(self._subject)) as entries:
            async for entry in entries:
                if before is not None and entry.msg_id and entry.expected_last != before.seq:
                    return False
                batch = decode_batch(entry.payload) if entry.msg_id else ()
                self._watch.note(entry, batch)
                self.tables.replay(entry.seq, batch)
                self.seq = entry.seq
                if self._fence and entry.seq >= self._fence:
                    return True
                if not self._fence and entry.seq >= warm_at:
                    await self.tables.fold(ALONG_FOLD_S)
                    if not self.is_warm:
                        self.is_warm = True
                        is_warm()
                before = entry
        return False

"""One shard: taken by appending to its log, served while nobody else appends, dropped or handed over."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

from paiju.table.v1.wire_pb2 import ShardOwned

from engine.face import Game
from services.chassis import log
from services.chassis.bus import subject, subject_of
from services.chassis.bus.port import Bus, Fenced, LogEntry, Subscription
from services.chassis.clock import Clock
from services.chassis.errors import Outage
from services.chassis.ids import Ids
from services.chassis.metrics import Metrics
from services.table.core import events as e
from services.table.core.events import decode_batch, encode_batch
from services.table.desk import Desk
from services.table.journal import Journal, Writer
from services.table.minds import Minds
from services.table.outbox import Bank, Outbox, Records
from services.table.sessions import Outgoing, Sessions
from services.table.tables import STALL_GRACE_MS, Tables

GRACE_MS = 5_000
"""Every deadline is at least so long after a takeover."""

TAKES_MAX = 20
"""Tries to read the log without a purge passing by."""

_log = log.get(service="table")


@dataclass(frozen=True)
class Means:
    """What shards work with."""

    bus: Bus
    clock: Clock
    ids: Ids
    metrics: Metrics
    games: Mapping[str, Game]
    bank: Bank
    records: Records
    process: str
    writer: Writer
    rpc: Callable[[Shard, bytes], Awaitable[bytes | None]]
    """Answers a forwarded call about a table of a shard."""
    spawn: Callable[[str, Coroutine[Any, Any, None]], asyncio.Task[None]]
    """Keeps a task of the process."""
    grace_ms: int = GRACE_MS
    minds: Minds | None = None
    """Where slow bots think."""


class Shard:
    """See the module. `take`, then it serves until `release`, or until `lost` is called.

    Args:
        name: In hex.
        means: What it works with.
        lost: Called once if another owner has appended: the shard is dropped already.
    """

    def __init__(self, name: str, means: Means, lost: Callable[[Shard], None]) -> None:
        self.name = name
        self._means = means
        self._on_lost = lost
        self._subject = subject("table", "log", name)
        self.epoch = 0
        self.sessions = Sessions()
        self._out = Outgoing(means.bus, means.metrics, int(name, 16))
        self.tables = self._make_tables()
        self.journal: Journal
        self._desk: Desk
        self._outbox: Outbox
        self._task: asyncio.Task[None] | None = None
        self._subscriptions: list[Subscription] = []
        self._ended = asyncio.Event()
        self._ended_by_fence = asyncio.Event()
        self._gone: asyncio.Future[None]
        """Done as soon as this owner serves no more."""
        self.is_dropped = False

    def _make_tables(self) -> Tables:
        means = self._means
        return Tables(
            means.clock,
            means.ids,
            means.games,
            show=lambda table, frame: self._desk.show(table, frame),
            done=lambda table, answer: self._desk.done(table, answer),
            owes=lambda table: self._outbox.owes(table),
            closed=lambda table_id: self._desk.closed(table_id),
            minds=means.minds,
        )

    # Taking

    async def take(self) -> None:
        """Fence, replay, serve.

        Raises:
            Outage: The log can't be reached.
            Fenced: Others take it at the same time.
        """
        means = self._means
        self.epoch = await self._fence()
        await self._replay()
        self._out.epoch = self.epoch
        tables = self.tables
        journal = self.journal = Journal(
            means.bus,
            means.clock,
            means.metrics,
            self._subject,
            means.writer,
            self.epoch,
            tables.on_durable,
            tables.checkpoints,
        )
        journal.on_stall = lambda: tables.do_all(e.ShardStalled(tables.now(), STALL_GRACE_MS))
        self._desk = Desk(means.clock, tables, journal, self.sessions, self._out, self._lost)
        self._outbox = Outbox(means.bus, means.clock, means.ids, tables, means.bank, means.records)
        self._purges: asyncio.Queue[int] = asyncio.Queue()
        tables.purge_below = self._purges.put_nowait
        tables.serve(journal)
        self._gone = asyncio.get_running_loop().create_future()
        self._task = means.spawn(f"table-shard-{self.name}", self._run())
        try:
            await self._subscribe()
        except BaseException:
            self._ended.set()
            raise
        if self.is_dropped:
            await self._unsubscribe()
            raise Outage(f"shard {self.name} was lost at once")
        _log.info("shard_taken", shard=self.name, epoch=self.epoch, tables=len(tables.live))

    async def _subscribe(self) -> None:
        bus = self._means.bus
        commands = subject("table", "cmd", self.name)
        calls = subject("table", "rpc", self.name)
        self._subscriptions.append(await bus.serve(commands, self._handle))
        self._subscriptions.append(await bus.serve(calls, self._call, at_once=64))
        owned = ShardOwned(shard=int(self.name, 16), epoch=self.epoch, process=self._means.process)
        await bus.tell(subject_of(ShardOwned, key=self.name), owned.SerializeToString())

    async def _unsubscribe(self) -> None:
        for subscription in self._subscriptions:
            await subscription.stop()

    async def _fence(self) -> int:
        means = self._means
        for _ in range(TAKES_MAX):
            last = await means.bus.last(self._subject)
            taken = e.ShardTaken(
                means.clock.now_ms(), means.process, means.writer.next_id().partition("/")[0], means.grace_ms
            )
            try:
                return await means.bus.append(
                    self._subject,
                    encode_batch([("", taken)]),
                    last.seq if last is not None else 0,
                    means.writer.next_id(),
                )
            except Fenced:
                continue
        raise Outage(f"shard {self.name}: others append all the time")

    async def _replay(self) -> None:
        for _ in range(TAKES_MAX):
            if await self._read():
                return
            _log.info("shard_read_again", shard=self.name)
            self.tables = self._make_tables()
        raise Outage(f"shard {self.name}: a purge passes by all the time")

    async def _read(self) -> bool:
        """Read the log up to our own fence; False = a purge has taken something from under us."""
        before: LogEntry | None = None
        async with aclosing(self._means.bus.read(self._subject)) as entries:
            async for entry in entries:
                if before is not None and entry.expected_last != before.seq:
                    return False
                if entry.seq > self.epoch:
                    raise Fenced(self._subject, self.epoch, entry.seq)
                self.tables.replay(entry.seq, decode_batch(entry.payload))
                if entry.seq == self.epoch:
                    return True
                before = entry
        return False

    # Serving

    async def _handle(self, payload: bytes, subject_: str) -> bytes | None:
        return None if self.is_dropped else await self._desk.handle(payload, subject_)

    async def _call(self, payload: bytes, _: str) -> bytes | None:
        return None if self.is_dropped else await self._means.rpc(self, payload)

    async def _run(self) -> None:
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self.journal.run())
                tasks.create_task(self.tables.run())
                tasks.create_task(self._out.run())
                tasks.create_task(self._outbox.run())
                tasks.create_task(self._desk.run_heartbeats())
                tasks.create_task(self._desk.run_doubts())
                tasks.create_task(self._desk.run_absences())
                tasks.create_task(self._run_purges())
                tasks.create_task(self._run_fence())
                await self._ended.wait()
                raise _Ended
        except* (Fenced, _Ended):
            pass
        except* Exception as group:  # noqa: BLE001 - see the next line
            # A defect: this owner is of no use any more. The log is whole, and another start reads it.
            _log.error("shard_broken", shard=self.name, exc_info=group)
        finally:
            self.is_dropped = True
            self._gone.set_result(None)
        if not self._ended.is_set():
            _log.info("shard_fenced", shard=self.name, epoch=self.epoch)
            self._on_lost(self)
        await self._unsubscribe()

    def _lost(self) -> None:
        raise Fenced(self._subject, self.journal.last, 0)

    async def _run_fence(self) -> None:
        await self._ended_by_fence.wait()
        self._lost()

    async def _run_purges(self) -> None:
        while True:
            floor = await self._purges.get()
            try:
                await self._means.bus.purge(self._subject, floor)
            except Outage as outage:
                _log.warning("log_not_purged", shard=self.name, why=str(outage))

    async def done(self) -> None:
        """Return once all that is decided so far is durable.

        Raises:
            Outage: The shard was lost meanwhile: unknown.
        """
        durable: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.journal.hold(lambda: None if durable.done() else durable.set_result(None))
        await asyncio.wait((durable, self._gone), return_when=asyncio.FIRST_COMPLETED)
        if not durable.done():
            raise Outage(f"shard {self.name} was lost")

    async def check_owner(self) -> None:
        """Return if nobody else has appended; otherwise the shard is dropped.

        Raises:
            Outage: It was lost, or the log can't be asked.
        """
        if not await self.journal.is_owner():
            self._ended_by_fence.set()
            raise Outage(f"shard {self.name} was lost")

    async def release(self) -> None:
        """Take no more commands, append what is decided and the hand-over, and end."""
        if self._task is None or self._task.done():
            return
        await self._unsubscribe()
        quiet = self._means.spawn(f"table-shard-{self.name}-release", self._hand_over())
        await asyncio.wait((quiet, self._gone), return_when=asyncio.FIRST_COMPLETED)
        self._ended.set()
        await asyncio.wait((self._task,))
        quiet.cancel()
        _log.info("shard_released", shard=self.name, epoch=self.epoch)

    async def _hand_over(self) -> None:
        self.tables.is_closing = True
        await self.journal.quiet()
        self.journal.stage("", e.ShardReleased(self.tables.now()))
        await self.journal.quiet()
        await self._out.flush()


class _Ended(Exception):
    """The shard has been asked to end."""

"""One shard: taken by appending to its log, served while nobody else appends, dropped or handed over."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from paiju.table.v1.events_pb2 import RoundVoided
from paiju.table.v1.wire_pb2 import ShardOwned

from services.chassis import log
from services.chassis.bus import subject, subject_of
from services.chassis.bus.port import Fenced, Subscription
from services.chassis.errors import Outage
from services.table import cut
from services.table.core import events as e
from services.table.core.events import decode_batch, encode_batch
from services.table.desk import Desk
from services.table.journal import Journal
from services.table.leave import Leave
from services.table.log_clock import LogClock
from services.table.marks import SKIP, Watch
from services.table.means import Means
from services.table.outbox import Outbox
from services.table.reader import TAKES_MAX, LogReader
from services.table.sessions import Outgoing, Sessions
from services.table.tables import STALL_GRACE_MS, STOOD_STILL_S, Tables
from services.table.watch import Watchers
from services.table.watch_index import LiveIndex

MARK_S = 1.0
"""The mark of how far the log reaches is set so often, if it has grown."""

STUCK_S = 45.0
"""An append that takes longer: the shard is given back, perhaps another process reaches the log."""

_log = log.get(service="table")


class Shard:
    """See the module. `take`, then it serves until `release`, or until `lost` is called.

    Where it is known that it will be taken, `follow` makes the taking short.

    Args:
        name: In hex.
        means: What it works with.
        lost: Called once if another owner has appended: the shard is dropped already.
        failed: Called instead of `lost` if this owner is of no use: the log stays out of reach, or a defect.
    """

    def __init__(
        self,
        name: str,
        means: Means,
        lost: Callable[[Shard], None],
        failed: Callable[[Shard], None] | None = None,
    ) -> None:
        self.name = name
        self._means = means
        self._on_lost = lost
        self._on_failed = failed or lost
        self._clock = LogClock(means.clock)
        self._subject = subject("table", "log", name)
        self.epoch = 0
        self._incarnation = means.writer.next_id().partition("/")[0]
        self._watch = Watch(means.marks, means.clock, name, self._incarnation)
        self._voids: list[RoundVoided] | None = None
        """If the log was found to be cut: what is still to be told of it."""
        self.sessions = Sessions()
        self._out = Outgoing(means.bus, means.metrics, int(name, 16))
        self._reader = LogReader(means.bus, self._subject, self._watch, self._make_tables)
        self.tables = self._reader.tables
        self.journal: Journal
        self._desk: Desk
        self.watchers: Watchers
        self._leave: Leave
        self.live: LiveIndex
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
            self._clock,
            means.ids,
            means.games,
            show=lambda table, frame: self._desk.show(table, frame),
            done=lambda table, answer: self._desk.done(table, answer),
            owes=lambda table: self._outbox.owes(table),
            closed=lambda table_id: self._desk.closed(table_id),
            minds=means.minds,
            guard=means.guard,
        )

    # Taking

    @property
    def is_warm(self) -> bool:
        """Whether the log was read, but for what has come since."""
        return self._reader.is_warm

    async def follow(self, is_warm: Callable[[], object]) -> None:
        """Read along while another owner serves, until `take` or cancelled; `is_warm` is called once.

        Raises:
            Outage: The log can't be reached.
        """
        await self._reader.follow(is_warm)

    async def take(self) -> None:
        """Fence, replay, serve.

        Raises:
            Outage: The log can't be reached.
            Fenced: Others take it at the same time.
        """
        means, watch, began = self._means, self._watch, self._clock.monotonic()
        self.epoch = watch.fence = last = await self._fence()
        await watch.read()
        await self._reader.read_to(self.epoch)
        self.tables = self._reader.tables
        is_cut = watch.is_cut()
        if is_cut:
            last = await self._cut()
        elif watch.is_behind() and watch.mark is not None:
            watch.base = watch.mark.base
        if watch.is_known:
            watch.is_compared()
        self.epoch += watch.base
        self._out.epoch = self.epoch
        tables = self.tables
        journal = self.journal = Journal(
            means.bus,
            means.clock,
            means.metrics,
            self._subject,
            means.writer,
            last,
            tables.on_durable,
            tables.checkpoints,
        )
        journal.on_stall = lambda: tables.do_all(e.ShardStalled(tables.now(), STALL_GRACE_MS))
        self.watchers = Watchers(means.clock, means.games, tables, journal, self.sessions, self._out)
        self._leave = Leave(
            means.clock,
            tables,
            journal,
            self.sessions,
            self._out,
            self.watchers.tell_seats,
            self.watchers.left,
        )
        self.live = LiveIndex(means.clock, tables.live, self.watchers.watched, means.ratings)
        self._desk = Desk(
            means.clock,
            tables,
            journal,
            self.sessions,
            self._out,
            self._lost,
            self.watchers,
            self._leave,
            means.guard,
        )
        self._outbox = Outbox(means.bus, means.clock, means.ids, tables, means.bank, means.records)
        self._purges: asyncio.Queue[int] = asyncio.Queue()
        tables.purge_below = self._purges.put_nowait
        read_at = self._clock.monotonic()
        async with means.folding:
            await tables.fold()
            await self._serve(journal, is_cut, began)
        _log.info(
            "shard_taken",
            shard=self.name,
            epoch=self.epoch,
            tables=len(tables.live),
            read_ms=round((read_at - began) * 1000),
            made_ms=round((self._clock.monotonic() - read_at) * 1000),
        )

    async def _serve(self, journal: Journal, is_cut: bool, began: float) -> None:
        tables = self.tables
        tables.serve(journal)
        if self._clock.monotonic() - began > STOOD_STILL_S and tables.live:
            # The grace of the takeover has run since the fence: who could do nothing yet gets another.
            tables.do_all(e.ShardStalled(tables.now(), STALL_GRACE_MS))
        if is_cut:
            self._voids = cut.end_matches(tables)
        self._gone = asyncio.get_running_loop().create_future()
        self._task = self._means.spawn(f"table-shard-{self.name}", self._run())
        try:
            await self._subscribe()
        except BaseException:
            self._ended.set()
            raise
        if self.is_dropped:
            await self._unsubscribe()
            raise Outage(f"shard {self.name} was lost at once")

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
            self._watch.before = last.seq if last is not None else 0
            if last is not None and last.msg_id:
                self._clock.follow(max((event.at for _, event in decode_batch(last.payload)), default=0))
            taken = e.ShardTaken(self._clock.now_ms(), means.process, self._incarnation, means.grace_ms)
            batch, msg_id = encode_batch([("", taken)]), means.writer.next_id()
            try:
                return await means.bus.append(self._subject, batch, self._watch.before, msg_id)
            except Fenced:
                continue
        raise Outage(f"shard {self.name}: others append all the time")

    # Losses

    async def _cut(self) -> int:
        """Write down that the log has lost its end, before anything is shown."""
        watch, bus = self._watch, self._means.bus
        _log.error("log_cut", shard=self.name, known=watch.mark, found=watch.before)
        watch.base = watch.base_after()
        entries = [("", e.ShardCut(self._clock.now_ms(), watch.base, SKIP))]
        msg_id = self._means.writer.next_id()
        seq = await bus.append(self._subject, encode_batch(entries), watch.fence, msg_id)
        self.tables.replay(seq, entries)
        return seq

    async def _run_marks(self) -> None:
        """Compare, if that could not be done at once; then set the mark while the log grows."""
        watch, clock = self._watch, self._means.clock
        while not watch.is_known:
            await clock.sleep(MARK_S)
            await watch.read()
            if watch.is_cut() or watch.is_behind():
                # Taken again, and by then it is known.
                self._lost()
        if self._voids is not None:
            await self.done()
        while True:
            try:
                if self._voids:
                    await cut.publish_all(self._voids, self._means.bus.publish)
                    self._voids = None
                await watch.set(self.journal.last, self.epoch)
            except Outage as outage:
                _log.warning("mark_not_set", shard=self.name, why=str(outage))
            await clock.sleep(MARK_S)

    # Serving

    async def _handle(self, payload: bytes, subject_: str) -> bytes | None:
        return None if self.is_dropped else await self._desk.handle(payload, subject_)

    async def _call(self, payload: bytes, _: str) -> bytes | None:
        return None if self.is_dropped else await self._means.rpc(self, payload)

    async def _run(self) -> None:
        lost = self._on_lost
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self.journal.run())
                tasks.create_task(self.tables.run())
                tasks.create_task(self._out.run())
                tasks.create_task(self._outbox.run())
                tasks.create_task(self._desk.run_heartbeats())
                tasks.create_task(self._desk.doubts.run())
                tasks.create_task(self.watchers.run())
                tasks.create_task(self._leave.run())
                tasks.create_task(self._desk.run_absences())
                tasks.create_task(self._run_purges())
                tasks.create_task(self._run_fence())
                tasks.create_task(self._run_marks())
                tasks.create_task(self._run_stuck())
                await self._ended.wait()
                raise _Ended
        except* (Fenced, _Ended):
            pass
        except* _Stuck:
            lost = self._on_failed
            _log.error("shard_stuck", shard=self.name, limit_s=STUCK_S)
        except* Exception as group:  # noqa: BLE001 - see the next line
            # A defect: this owner is of no use any more. The log is whole, and another start reads it.
            lost = self._on_failed
            _log.error("shard_broken", shard=self.name, exc_info=group)
        finally:
            self.is_dropped = True
            self._gone.set_result(None)
        if not self._ended.is_set():
            _log.info("shard_fenced", shard=self.name, epoch=self.epoch)
            lost(self)
        await self._unsubscribe()

    def _lost(self) -> None:
        raise Fenced(self._subject, self.journal.last, 0)

    async def _run_fence(self) -> None:
        await self._ended_by_fence.wait()
        self._lost()

    async def _run_stuck(self) -> None:
        """Give the shard back if its log stays out of reach while the rest of the broker answers."""
        clock, journal = self._means.clock, self.journal
        waiting, since = "", clock.monotonic()
        while True:
            await clock.sleep(STUCK_S / 10)
            if not journal.in_flight_id or journal.in_flight_id != waiting:
                waiting, since = journal.in_flight_id, clock.monotonic()
                continue
            try:
                await (await self._means.bus.bucket("shards")).names()
            except Outage:
                # Nobody else reaches anything either.
                since = clock.monotonic()
            if clock.monotonic() - since >= STUCK_S:
                raise _Stuck

    async def _run_purges(self) -> None:
        while True:
            floor = await self._purges.get() - self._means.log_kept
            if floor <= 0:
                continue
            if not self._watch.is_base_safe():
                # Only this log knows its base: let the mark know it first.
                continue
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
        if self._watch.is_known and not self._voids:
            await self._watch.set_at_last(self.journal.last, self.epoch)
        _log.info("shard_released", shard=self.name, epoch=self.epoch)

    async def _hand_over(self) -> None:
        self.tables.is_closing = True
        await self.journal.quiet()
        self.journal.stage("", e.ShardReleased(self.tables.now()))
        await self.journal.quiet()
        await self._out.flush()


class _Ended(Exception):
    """The shard has been asked to end."""


class _Stuck(Exception):
    """The log can't be written for long."""

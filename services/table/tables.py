"""The live tables of one shard in its owner's memory: events, time, and what may leave once durable."""

from __future__ import annotations

import asyncio
import gc
import heapq
from collections.abc import Callable, Iterable, Mapping, Sequence

from engine.face import Game
from services.chassis import log
from services.chassis.clock import Clock
from services.chassis.ids import Ids
from services.table.core import events as e
from services.table.core import frames as f
from services.table.core.duties import NOW, consequence, due_event, next_due, slow_seats, to_think_of
from services.table.core.events import ENTRY_BYTES, encode_event
from services.table.core.state import CommandDone, Thought
from services.table.core.table import NEVER, Table
from services.table.journal import Encoded, Entry, Journal
from services.table.minds import Minds
from services.table.pace import Pace
from services.table.protection import Guard
from services.table.replay import Floor, Replay

CHECKPOINT_AFTER = 1_000
"""Messages of the log after which a table's last checkpoint is old."""

CHECKPOINT_PER_TABLE = 12
"""The same for each live table of the shard: with many of them there is still only one checkpoint to so many
messages, or a little more."""

PURGE_AFTER = 500
"""The log is purged when so many messages have become needless."""

FOLD_S = 0.2
"""So long the tables of one shard are made at a stretch: the others of the process don't stand still for
longer, and a shard that is taken together with others plays before they are all read."""

STALL_GRACE_MS = 5_000

LOOK_S = 1.0
"""An owner looks so often whether it stood still."""

STOOD_STILL_S = 2.0
"""An owner that looks so much too late was stopped, or had no processor: nobody's time runs out in it."""

_log = log.get(service="table")


class Tables:
    """See the module.

    Args:
        clock: Time.
        ids: Seeds of rounds and the choices of bots.
        games: The rules engine's registry.
        show: Called with a table and a frame of it that may leave now.
        done: Called with a table and a late answer that may leave now.
        owes: Called with a table that has durable debts to the world.
        closed: Called with the id of a table that is closed, once that is durable.
        minds: Where slow bots think; None = in line, when their answer is due.
        guard: Is asked between rounds who may play on; None = nobody is.
    """

    def __init__(
        self,
        clock: Clock,
        ids: Ids,
        games: Mapping[str, Game],
        *,
        show: Callable[[Table, f.Shown], None],
        done: Callable[[Table, CommandDone], None],
        owes: Callable[[Table], None],
        closed: Callable[[str], None],
        minds: Minds | None = None,
        guard: Guard | None = None,
    ) -> None:
        self._replay = Replay(games)
        self._floor = Floor()
        self._pace = Pace()
        self.live = self._replay.live
        self.closed = self._replay.closed
        self._clock = clock
        self._ids = ids
        self._games = games
        self._show = show
        self._done = done
        self._owes = owes
        self._is_closed = closed
        self._minds = minds
        self._guard = guard
        self._rests: dict[str, int] = {}
        """Table → count of the journal that its state rests on."""
        self._due: list[tuple[int, str]] = []
        self._due_at: dict[str, int] = {}
        self._wake = asyncio.Event()
        self._purged_below = 0
        self._floor_ms = 0
        self._wall_ms = clock.now_ms()
        self._started = self._looked_at = clock.monotonic()
        self.journal: Journal | None = None
        self.is_closing = False
        """The shard is being handed over: nothing more is appended."""
        self.purge_below: Callable[[int], None] = lambda _: None

    def now(self) -> int:
        """Return the shard's time: wall time at the taking plus what has passed since; never goes back."""
        passed_ms = int((self._clock.monotonic() - self._started) * 1000)
        self._floor_ms = max(self._floor_ms, self._wall_ms + passed_ms)
        return self._floor_ms

    # Replay

    def replay(self, seq: int, entries: Sequence[Entry]) -> None:
        """Take a message of the log that was written before this owner served."""
        self._replay.take(entries)
        self._floor.note(seq, entries)

    async def fold(self, stretch_s: float = FOLD_S) -> None:
        """Make the tables that the log tells of; others have their turn after each stretch."""
        while self._replay.is_behind and self._fold_some(stretch_s):
            await self._clock.sleep(0)

    def _fold_some(self, stretch_s: float) -> bool:
        """Return whether more is left."""
        until = self._clock.monotonic() + stretch_s
        # What is made here is kept: to look for garbage again and again while it grows would cost a third
        # more.
        is_collecting = gc.isenabled()
        gc.disable()
        try:
            while self._replay.fold():
                if self._clock.monotonic() >= until:
                    return True
        finally:
            if is_collecting:
                gc.enable()
        return False

    def serve(self, journal: Journal) -> None:
        """Begin to serve: everything known is in the log."""
        while self._replay.fold():
            pass
        self.journal = journal
        self._wall_ms, self._started = self._clock.now_ms(), self._clock.monotonic()
        self._looked_at = self._started
        self._floor_ms = max(self._floor_ms, self._replay.last_at)
        for table_id, table in self.live.items():
            self._rests[table_id] = 0
            table.durable_version = table.version
            self._think(table_id, table)
            self._look_between(table_id, table)
            self._schedule(table_id, table)
            if table.s.owed:
                self._owes(table)
        for table_id in sorted(self._replay.broken & self.live.keys()):
            self.do(table_id, (e.TableFrozen(self.now(), "REPLAY"),))
        self._replay.broken.clear()

    # Events

    def do(self, table_id: str, events: Iterable[e.TableEvent]) -> bool:
        """Apply events to a table, with what follows from them at once, and stage them all for the log.

        Returns False if they are not in the log: the shard is being handed over, or the table's rules broke.
        """
        journal = self.journal
        assert journal is not None, "only an owner that serves appends"
        if self.is_closing:
            return False
        for event in events:
            if not self._apply(table_id, event):
                return False
        table = self.live[table_id]
        while (event_ := self._consequence(table_id, table)) is not None:
            if not self._apply(table_id, event_):
                return True
        self._hold_outputs(table_id, table)
        self._think(table_id, table)
        self._look_between(table_id, table)
        self._schedule(table_id, table)
        return True

    def _consequence(self, table_id: str, table: Table) -> e.TableEvent | None:
        return consequence(table, self.now(), self._ids)

    def _apply(self, table_id: str, event: e.TableEvent) -> bool:
        """Apply and stage one event; a table whose rules break is frozen, and nothing is guessed."""
        assert self.journal is not None
        try:
            if isinstance(event, e.TableCreated):
                self.live[table_id] = Table.create(table_id, event, self._games)
            else:
                self.live[table_id].apply(event)
        except Exception as error:
            _log.error("table_frozen", table_id=table_id, event_name=type(event).__name__, exc_info=error)
            if table_id not in self.live or self.live[table_id].s.frozen:
                raise
            self._freeze(table_id, type(error).__name__)
            return False
        self.journal.stage(table_id, event)
        self._rests[table_id] = self.journal.applied
        return True

    def _freeze(self, table_id: str, why: str) -> None:
        broken = self.live[table_id]
        # What broke is not in the log: go back to what is.
        table = Table.restore(table_id, broken.base, tuple(broken.since[:-1]), self._games)
        table.version, table.durable_version = broken.version, broken.durable_version
        table.advance(self.now())
        table.outputs.clear()
        self.live[table_id] = table
        self.do(table_id, (e.TableFrozen(self.now(), why),))

    def settle(self, table_id: str) -> None:
        """Show what is due at a table now, so that what is told of it next is up to date."""
        table = self.live[table_id]
        if table.pending:
            table.advance(self.now())
            self._hold_outputs(table_id, table)
            self._schedule(table_id, table)

    def do_all(self, event: e.ShardStalled) -> None:
        """Tell every table something that concerns the shard."""
        assert self.journal is not None
        self.journal.stage("", event)
        for table_id, table in self.live.items():
            table.apply(event)
            self._rests[table_id] = self.journal.applied
            self._hold_outputs(table_id, table)
            self._schedule(table_id, table)

    def _hold_outputs(self, table_id: str, table: Table) -> None:
        if not table.outputs and table.durable_version == table.version:
            return
        outputs, table.outputs = table.outputs, []
        version = table.version
        assert self.journal is not None

        def release() -> None:
            table.durable_version = version
            for output in outputs:
                if isinstance(output, f.Shown):
                    self._show(table, output)
                else:
                    self._done(table, output)

        self.journal.hold(release)

    def is_durable(self, table_id: str) -> bool:
        """Say whether all of a table's events are in the log."""
        assert self.journal is not None
        return self._rests.get(table_id, 0) <= self.journal.durable

    def _think(self, table_id: str, table: Table) -> None:
        """Let the slow bots of a table think of what they are asked."""
        if self._minds is None or table.position is None:
            return
        for number in slow_seats(table):
            thought = to_think_of(table, number, self.now())
            if thought is None:
                continue
            table.thoughts[number] = thought

            def done(action: str, thought: Thought = thought) -> None:
                thought.action = action
                thought.give_up_at = thought.give_up_at if action else 0
                if self.live.get(table_id) is table:
                    self._schedule(table_id, table)

            seed = int.from_bytes(self._ids.token(8), "big")
            game, bot = table.game.name, table.s.seats[number].bot
            self._minds.ask(game, bot, table.position.view(number), seed, done)

    def _look_between(self, table_id: str, table: Table) -> None:
        if table.s.phase == "between" and self._guard is not None:
            self._guard.between(self, table_id, table)

    # Acknowledgements

    def on_durable(self, seq: int, entries: Sequence[Entry]) -> None:
        """Take note that a batch is in the log."""
        self._floor.note(seq, entries)
        touched = dict.fromkeys(table_id for table_id, _ in entries)
        for table_id in list(self.live) if "" in touched else touched:
            table = self.live.get(table_id)
            if table is None or not self.is_durable(table_id):
                continue
            if table.s.owed:
                self._owes(table)
            if table_id not in self._due_at:
                # Its time came before it was durable, or it has none.
                self._schedule(table_id, table)
        for table_id, event in entries:
            if isinstance(event, e.TableClosed):
                self._replay.note_closing(table_id, event)
                self._rests.pop(table_id, None)
                self._is_closed(table_id)
        self._purge(seq)

    def checkpoints(self, bytes_left: int) -> Sequence[Encoded]:
        """Return checkpoints of the tables whose last one is too old, as far as there is room."""
        assert self.journal is not None
        made: list[Encoded] = []
        last = self.journal.last
        after = max(CHECKPOINT_AFTER, CHECKPOINT_PER_TABLE * len(self.live))
        self._pace.advance(last, len(self.live) / after)
        for table_id, seq in self._floor.kept.items():
            if not self._pace.allows((last - seq) / after, len(made)):
                break
            table = self.live.get(table_id)
            if table is None:
                continue
            event = e.TableCheckpoint(self.now(), table_id, table.base, tuple(table.since))
            raw = encode_event(event)
            bytes_left -= len(raw) + ENTRY_BYTES
            if bytes_left < 0:
                break
            made.append((table_id, event, raw))
        self._pace.spend(len(made))
        return made

    def _purge(self, seq: int) -> None:
        floor = self._floor.below(seq)
        if floor - self._purged_below >= PURGE_AFTER:
            self._purged_below = floor
            self.purge_below(floor)

    # Time

    def _schedule(self, table_id: str, table: Table) -> None:
        due = next_due(table)
        if due == NOW:
            due = self.now()
        if due >= NEVER:
            self._due_at.pop(table_id, None)
            return
        if self._due_at.get(table_id) != due:
            self._due_at[table_id] = due
            heapq.heappush(self._due, (due, table_id))
            if self._due[0][0] == due:
                self._wake.set()

    async def run(self) -> None:
        """Do what time makes due, until cancelled."""
        while True:
            self._wake.clear()
            wait_ms = self._tick()
            if wait_ms is None or wait_ms > 0:
                wait_s = LOOK_S if wait_ms is None else min(LOOK_S, wait_ms / 1000)
                try:
                    async with self._clock.timeout(wait_s):
                        await self._wake.wait()
                except TimeoutError:
                    continue
            else:
                await self._clock.sleep(0)

    def _tick(self) -> int | None:
        """Do all that is due now, once per table; return for how long nothing is due."""
        assert self.journal is not None
        stood_still = self._stood_still()
        if self.journal.is_stalled or self.is_closing:
            return 100
        if stood_still and self.live:
            # What players have said meanwhile is still to be heard.
            self.do_all(e.ShardStalled(self.now(), STALL_GRACE_MS))
        now = self.now()
        due_now: list[str] = []
        while self._due and self._due[0][0] <= now:
            at, table_id = heapq.heappop(self._due)
            if self._due_at.get(table_id) == at:
                del self._due_at[table_id]
                due_now.append(table_id)
        for table_id in due_now:
            if table_id in self.live:
                self._due_table(table_id, self.live[table_id], now)
        return self._due[0][0] - now if self._due else None

    def _stood_still(self) -> bool:
        now = self._clock.monotonic()
        since, self._looked_at = now - self._looked_at, now
        return since > LOOK_S + STOOD_STILL_S

    def _due_table(self, table_id: str, table: Table, now: int) -> None:
        table.advance(now)
        self._hold_outputs(table_id, table)
        if not self.is_durable(table_id):
            # What nobody has seen yet can't be answered or missed; the acknowledgement looks again.
            return
        try:
            event = due_event(table, now, self._ids)
        except Exception as error:  # noqa: BLE001 - a bot or the rules broke: this table is frozen, not the others
            _log.error("table_frozen", table_id=table_id, exc_info=error)
            event = e.TableFrozen(now, type(error).__name__)
        if event is not None:
            self.do(table_id, (event,))
        else:
            self._schedule(table_id, table)

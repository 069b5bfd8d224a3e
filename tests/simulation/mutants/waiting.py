"""Mutants of time, of who is there, and of what is kept: by them nothing is lost at once."""

from __future__ import annotations

from typing import Any

from services.chassis.lease import Ownership
from services.chassis.shard_keys import ShardKeys
from services.gateway.bus.shard import ShardLink
from services.table.core import commands, frames
from services.table.core.state import Seat
from services.table.core.table import Table
from services.table.desk import Desk
from services.table.outbox import Outbox
from services.table.sessions import Session, Sessions
from services.table.tables import Tables
from services.table.watch import Watchers
from tests.simulation.mutants.planting import Patch, mutant


@mutant("time-outs-in-time", "not-late")
def an_owner_that_stood_still_takes_that_time_from_its_seats(patch: Patch) -> None:
    """Time: while its process is stopped, or gets no processor, nobody's time runs out."""
    patch.setattr(Tables, "_stood_still", lambda self: False)


@mutant("time-outs-in-time")
def resumed_promises_more_than_is_granted(patch: Patch) -> None:
    """Grace: seats are told of it what is so; nobody's time runs out before what he was shown."""
    tell = Table.tell

    def boast(self: Table, body: frames.Body, at: int | None = None) -> None:
        tell(self, frames.Resumed(2 * body.grace_ms) if isinstance(body, frames.Resumed) else body, at)

    patch.setattr(Table, "tell", boast)


@mutant("time-outs-in-time", "not-late", "secrecy")
def a_tables_time_is_the_wall_clock(patch: Patch) -> None:
    """Time: an owner measures with its monotonic clock, whatever becomes of the wall clock."""

    def now(self: Tables) -> int:
        self._floor_ms = max(self._floor_ms, self._clock.now_ms())
        return self._floor_ms

    patch.setattr(Tables, "now", now)


@mutant("not-late")
def a_timer_is_left_at_the_deadline_before(patch: Patch) -> None:
    """Time: with each event what is due next is due anew. Here an earlier moment does not move the timer."""
    schedule = Tables._schedule

    def once(self: Tables, table_id: str, table: Table) -> None:
        if table_id not in self._due_at:
            schedule(self, table_id, table)

    patch.setattr(Tables, "_schedule", once)


@mutant("not-late")
def a_drained_process_keeps_its_keys(patch: Patch) -> None:
    """Drain: hand over, then free the key. Here others come upon it when the lease has run out."""

    async def keep(self: ShardKeys, shard: str, revision: int) -> None:
        del self, shard, revision

    patch.setattr(ShardKeys, "free", keep)


@mutant("somebody-owns")
def shards_stay_where_they_are(patch: Patch) -> None:
    """Ownership: an owner that shouldn't, releases. Here one that joins gets only what somebody has left."""
    act = Ownership._act

    def stubborn(self: Ownership, shard: str, holder: Any, members: Any, tasks: Any) -> bool:
        return shard not in self._owned and act(self, shard, holder, members, tasks)

    patch.setattr(Ownership, "_act", stubborn)


@mutant("repeat-gets-first-answer", "refused-is-not-played")
def commands_are_not_remembered(patch: Patch) -> None:
    """Repeats: the last answers per player are kept by the id of the command, and given again."""
    patch.setattr(Seat, "remember", lambda self, command_id, digest, reason: None)


@mutant("repeat-gets-first-answer")
def a_repeated_command_gets_another_answer(patch: Patch) -> None:
    """Repeats: the same command again gets the first answer."""
    decide = commands.decide

    def other(*args: Any) -> Any:
        decision = decide(*args)
        is_again = isinstance(decision, commands.Again) and not isinstance(args[3], commands.Act)
        return commands.Refused("WRONG_PHASE") if is_again else decision

    patch.setattr(commands, "decide", other)


@mutant("frame-is-logged", "view-is-the-fold", "one-content-per-frame", "legal-is-accepted")
def a_view_leaves_before_what_it_shows_is_durable(patch: Patch) -> None:
    """Append: nothing is shown before the ack, a view neither."""
    make = Desk._attach

    def hasty(self: Desk, sender: Any, table: Table, command: Any) -> None:
        journal = self._journal
        journal.hold = lambda release: release()  # type: ignore[method-assign]
        try:
            make(self, sender, table, command)
        finally:
            del journal.hold

    patch.setattr(Desk, "_attach", hasty)


@mutant("newest-has-the-seat")
def an_older_connection_keeps_its_seat(patch: Patch) -> None:
    """Sessions: the newest connection of a player has the seat, and the older one is told."""
    add = Sessions.add

    def beside(self: Sessions, session: Session) -> Session | None:
        add(self, session)
        return None

    patch.setattr(Sessions, "add", beside)


@mutant("nobody-waits-for-ever")
def a_gateway_forgets_a_command_once_somebody_has_it(patch: Patch) -> None:
    """Commands: a gateway keeps each until it is answered or ten seconds old, and then says so."""
    send = ShardLink._send

    async def careless(self: ShardLink, batch: Any) -> None:
        await send(self, batch)
        for waiting in batch:
            self._waiting.forget(waiting.tag)

    patch.setattr(ShardLink, "_send", careless)


@mutant("records-are-kept")
def a_finished_round_is_told_and_not_kept(patch: Patch) -> None:
    """Records: a round that has ended is kept for replay before its debt is paid."""

    class Nowhere:
        async def keep(self, fact: Any) -> None:
            """Forget it."""

    make = Outbox.__init__

    def without(self: Outbox, *args: Any) -> None:
        make(self, *args)
        self._records = Nowhere()

    patch.setattr(Outbox, "__init__", without)


@mutant("secrecy")
def who_watches_sees_everything_at_once(patch: Patch) -> None:
    """Watching: public frames are shown as late as the table says."""
    begin = Watchers._begin

    def at_once(self: Watchers, table_id: str, table: Table) -> Any:
        watched = begin(self, table_id, table)
        if watched is not None:
            watched.lagging.delay_ms = 0
        return watched

    patch.setattr(Watchers, "_begin", at_once)

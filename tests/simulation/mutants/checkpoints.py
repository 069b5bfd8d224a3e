"""Mutants of checkpoints, of the floor, and of purging."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from services.table import tables
from services.table.core import events as e
from services.table.core.events import encode_event
from services.table.core.table import Table
from services.table.journal import Encoded, Entry
from services.table.outbox import Outbox
from services.table.replay import Floor, Replay
from services.table.tables import Tables
from tests.simulation.mutants.planting import LONG, LONG_AND_SLOW, Patch, mutant, slow_log

LOST = ("nobody-waits-for-ever", "somebody-owns", "created-once", "legal-is-accepted", "owner-is-the-log")
"""What is noticed when a table is gone."""


def _encoded(table_id: str, event: e.TableCheckpoint) -> Encoded:
    return table_id, event, encode_event(event)


@mutant("frame-is-logged", "one-content-per-frame", "answered-once", "never-frozen", *LOST)
def checkpoints_forget_what_has_happened_since(patch: Patch) -> None:
    """Checkpoints: one holds the state after everything staged before it."""
    make = Tables.checkpoints

    def short(self: Tables, bytes_left: int) -> Any:
        return [
            _encoded(table_id, e.TableCheckpoint(event.at, event.table_id, event.base, event.since[:-2]))
            for table_id, event, _ in make(self, bytes_left)
            if isinstance(event, e.TableCheckpoint) and len(event.since) > 3
        ]

    patch.setattr(Tables, "checkpoints", short)


@mutant("owner-is-the-log", "repeat-gets-first-answer")
def checkpoints_are_made_without_the_last_answers(patch: Patch) -> None:
    """Checkpoints: the last answer per player, and the last answered questions, are part of them."""
    rebase = Table.rebase

    def forgetful(self: Table) -> None:
        kept = [(seat.said, seat.answered) for seat in self.s.seats]
        for seat in self.s.seats:
            seat.said, seat.answered = [], []
        rebase(self)
        for seat, (said, answered) in zip(self.s.seats, kept, strict=True):
            seat.said, seat.answered = said, answered

    patch.setattr(Table, "rebase", forgetful)


@mutant("owner-is-the-log", "nobody-waits-for-ever", weather=LONG)
def the_floor_forgets_what_is_owed(patch: Patch) -> None:
    """Floor: no higher than a `RoundEnded` that `ROUNDS` has not acknowledged.

    Checkpoints carry the debts as well, which is the second guard; it is removed with it. Whoever owes makes
    a checkpoint at once, and pays a second later, so that it matters.
    """
    note, restore, make = Floor.note, Replay._restore, Tables.checkpoints

    def careless(self: Floor, seq: int, entries: Sequence[Entry]) -> None:
        note(self, seq, entries)
        self._unpublished.clear()

    def without_debts(self: Replay, event: e.TableCheckpoint) -> None:
        restore(self, event)
        self.live[event.table_id].s.owed = []

    def at_once(self: Tables, bytes_left: int) -> Sequence[Encoded]:
        owing = [(table_id, table) for table_id, table in self.live.items() if table.s.owed]
        return [
            *make(self, bytes_left),
            *(
                _encoded(table_id, e.TableCheckpoint(self.now(), table_id, table.base, tuple(table.since)))
                for table_id, table in owing[:2]
            ),
        ]

    pay = Outbox._pay

    async def late(self: Outbox, table: Table, owed: Any) -> Any:
        await self._clock.sleep(1.0)
        return await pay(self, table, owed)

    patch.setattr(Outbox, "_pay", late)
    patch.setattr(Floor, "note", careless)
    patch.setattr(Replay, "_restore", without_debts)
    patch.setattr(Tables, "checkpoints", at_once)


@mutant(*LOST)
def the_floor_is_that_of_one_table_only(patch: Patch) -> None:
    """Floor: the smallest over all live tables. Here it is that of the last one that made a checkpoint."""
    patch.setattr(Floor, "below", lambda self, last: next(reversed(self.kept.values()), last))


@mutant(*LOST)
def the_log_is_purged_by_how_many_to_keep(patch: Patch) -> None:
    """Purge: with `seq=floor`, never with `keep`. Here the last message is kept."""

    def keep_one(self: Tables, seq: int) -> None:
        if seq - self._purged_below >= tables.PURGE_AFTER:
            self._purged_below = seq
            self.purge_below(seq)

    patch.setattr(Tables, "_purge", keep_one)


@mutant(*LOST, weather=LONG_AND_SLOW)
def the_log_is_purged_before_the_checkpoint_is_acknowledged(patch: Patch) -> None:
    """Purge: only after the ack of the checkpoint that the floor rests on. The log is slow here."""
    slow_log(patch)
    make = Tables.checkpoints

    def hasty(self: Tables, bytes_left: int) -> Sequence[Encoded]:
        assert self.journal is not None
        made = make(self, bytes_left)
        if made:
            self._floor.note(self.journal.last, [(table_id, event) for table_id, event, _ in made])
            self._purge(self.journal.last)
        return made

    patch.setattr(Tables, "checkpoints", hasty)


@mutant(*LOST)
def a_checkpoint_met_on_the_way_is_skipped(patch: Patch) -> None:
    """Taking, step 3: a checkpoint met on the way replaces the table's state."""
    take = Replay.take

    def blind(self: Replay, entries: Sequence[Entry]) -> None:
        take(self, [pair for pair in entries if not isinstance(pair[1], e.TableCheckpoint)])

    patch.setattr(Replay, "take", blind)


@mutant("never-frozen", "owner-is-the-log", "frame-is-logged", "seed-is-committed", "audits-agree", "secrecy")
def the_seed_is_drawn_again_by_each_owner(patch: Patch) -> None:
    """All that another owner must repeat is an event: `RoundOpened` carries the seed."""
    replay = Tables.replay

    def forgetful(self: Tables, seq: int, entries: Sequence[Entry]) -> None:
        replay(self, seq, [(table_id, _reseeded(event)) for table_id, event in entries])

    patch.setattr(Tables, "replay", forgetful)


def _reseeded(event: e.AnyEvent) -> e.AnyEvent:
    if not isinstance(event, e.RoundOpened):
        return event
    return e.RoundOpened(
        event.at, event.round_no, bytes(32), event.commitment, event.dealer, event.draws_in_row
    )

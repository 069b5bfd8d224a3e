"""Mutants of what services tell each other: the outbox of tables, deliveries, audits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from services.chassis.bus.base import BaseBus
from services.chassis.bus.carrier import EVENT_ID, MSG_ID, TYPE
from services.chassis.bus.consumer import DurableConsumer
from services.chassis.bus.registry import event_of, subject_of
from services.chassis.errors import Outage
from services.table.bus import Ears
from services.table.core import events as e
from services.table.core.table import Table
from services.table.journal import Journal
from services.table.outbox import Outbox
from services.table.tables import Tables
from tests.simulation.mutants.planting import LONG, Patch, mutant


@mutant("nobody-waits-for-ever", "owner-is-the-log", weather=LONG)
def finished_rounds_are_published_from_memory_only(patch: Patch) -> None:
    """Outbox: `RoundFinished` is published again by every new owner until `ROUNDS` has acknowledged it."""
    serve = Tables.serve

    def forgetful(self: Tables, journal: Journal) -> None:
        for table in self.live.values():
            table.s.owed = [owed for owed in table.s.owed if not owed.key.startswith("finished/")]
        serve(self, journal)

    patch.setattr(Tables, "serve", forgetful)


@mutant("published-is-logged", "one-content-per-fact", "seed-is-committed", weather=LONG)
def a_round_is_published_before_its_end_is_durable(patch: Patch) -> None:
    """Outbox: `RoundFinished` is published only after the ack of its `RoundEnded`."""
    do, pay = Tables.do, Outbox._pay_table

    def hasty(self: Tables, table_id: str, events: Any) -> bool:
        is_done = do(self, table_id, events)
        table = self.live.get(table_id)
        if table is not None and any(owed.key.startswith("finished/") for owed in table.s.owed):
            self._owes(table)
        return is_done

    async def pay_table(self: Outbox, table_id: str) -> None:
        table = self._tables.live.get(table_id)
        if table is None or not table.s.owed or self._tables.is_durable(table_id):
            await pay(self, table_id)
            return
        for owed in table.s.owed:
            if owed.key.startswith("finished/"):
                try:
                    await self._pay(table, owed)
                except Outage:
                    return

    patch.setattr(Tables, "do", hasty)
    patch.setattr(Outbox, "_pay_table", pay_table)


@mutant("committed-first", "wallet-is-right", "nobody-waits-for-ever", "tickets-end", weather=LONG)
def a_fact_is_published_by_one_try(patch: Patch) -> None:
    """Outbox: a fact is owed until its stream has acknowledged it; a time-out is unknown."""

    async def once(self: BaseBus, message: Any, event_id: str) -> int:
        headers = {MSG_ID: event_id, EVENT_ID: event_id, TYPE: event_of(message).name}
        payload = message.SerializeToString()
        await self._store(event_of(message).stream, subject_of(message), payload, headers)
        return 0

    patch.setattr(BaseBus, "publish", once)


@mutant("committed-first", weather=LONG)
def a_round_begins_before_its_commitment_is_published(patch: Patch) -> None:
    """A fair deal: `RoundOpened` is in its stream before anybody hears of the round."""

    async def first(self: Outbox, table: Table, owed: Any, round_no: int) -> Any:
        del owed
        now = self._tables.now()
        return (e.RoundAnnounced(now, round_no, now + table.s.spec.timing.nonce_ms),)

    patch.setitem(Outbox._KINDS, "opened", first)


@mutant("one-content-per-fact", weather=LONG)
def two_copies_of_a_round_differ(patch: Patch) -> None:
    """Outbox: two copies of a round are byte-equal. Here each says when it was published.

    The stream's own two minutes against doubles are the second guard; they are removed with it.
    """
    publish = Outbox._publish

    async def stamped(self: Outbox, fact: Any, event_id: str) -> None:
        if event_id.startswith("finished:"):
            fact.ended_at_ms = self._tables.now()
            event_id = f"{event_id}:{fact.ended_at_ms}"
        await publish(self, fact, event_id)

    patch.setattr(Outbox, "_publish", stamped)


@mutant("nobody-waits-for-ever", "wallet-is-right", "tickets-end", weather=LONG)
def a_delivery_is_acknowledged_before_it_is_handled(patch: Patch) -> None:
    """Facts: a consumer acknowledges what it has stored. Here it acks first, and an outage loses the fact."""
    handle = DurableConsumer._handle

    async def hasty(self: DurableConsumer, stream: str, pairs: Sequence[Any]) -> None:
        await self._settle(raw.ack() for raw, _ in pairs)
        await handle(self, stream, pairs)

    patch.setattr(DurableConsumer, "_handle", hasty)


@mutant("nobody-waits-for-ever", "owner-is-the-log", weather=LONG)
def what_a_table_hears_is_acknowledged_although_its_owner_is_out_of_reach(patch: Patch) -> None:
    """Facts: table acknowledges an audit or a settlement once it is in the table's log."""
    on_settlements = Ears.on_settlements

    async def careless(self: Ears, deliveries: Sequence[Any]) -> None:
        try:
            await on_settlements(self, deliveries)
        except Outage:
            return

    patch.setattr(Ears, "on_settlements", careless)

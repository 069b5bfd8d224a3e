"""Mutants of the log itself: appending, fencing, taking a shard, handing it over."""

from __future__ import annotations

from contextlib import aclosing
from typing import Any

from services.chassis.bus.base import BaseBus
from services.chassis.bus.port import Durable, Fenced, FencedOff, Unknown
from services.chassis.lease import Ownership
from services.table.core import events as e
from services.table.core.events import decode_batch
from services.table.journal import Journal, Writer
from services.table.shard import Shard
from services.table.tables import Tables
from tests.simulation.mutants.planting import Patch, mutant


@mutant("frame-is-logged", "one-content-per-frame", "acknowledged-is-logged", "legal-is-accepted")
def frames_and_answers_leave_before_the_acknowledgement(patch: Patch) -> None:
    """Append: nothing is shown before the ack."""
    patch.setattr(Journal, "hold", lambda self, release: release())


@mutant("answered-once", "created-once", "frame-is-logged", "owner-is-the-log", "acknowledged-is-logged")
def a_fenced_owner_goes_on(patch: Patch) -> None:
    """Append: fenced = drop the shard at once. Here the owner takes the other's message for its own last one."""
    append = Journal._append

    async def stubborn(self: Journal) -> None:
        try:
            await append(self)
        except Fenced as fenced:
            self.last = fenced.last
            self.in_flight_id = ""

    patch.setattr(Journal, "_append", stubborn)


@mutant("frame-is-logged", "acknowledged-is-logged")
def a_fenced_owner_lets_out_what_it_held(patch: Patch) -> None:
    """Append: fenced = in silence; nothing is answered or shown for that batch or after it."""
    append = Journal._append

    async def loud(self: Journal) -> None:
        try:
            await append(self)
        except Fenced:
            while self._held:
                self._held.popleft()[1]()
            # The last words get out before the tasks of the shard are ended.
            await self._clock.sleep(0.5)
            raise

    patch.setattr(Journal, "_append", loud)


@mutant("frame-is-logged", "acknowledged-is-logged", "owner-is-the-log")
def message_ids_carry_no_incarnation(patch: Patch) -> None:
    """Append: `Nats-Msg-Id` = incarnation/counter; R3 answers `duplicate` by the id alone."""

    def next_id(self: Writer) -> str:
        self._count += 1
        return f"/{self._count}"

    patch.setattr(Writer, "next_id", next_id)
    # The doubt about the ownership is the second guard: it asks whose the last message is.
    patch.setattr(Writer, "wrote", lambda self, msg_id: True)


@mutant("answered-once", "created-once", "owner-is-the-log", "frame-is-logged")
def a_time_out_is_taken_as_failure(patch: Patch) -> None:
    """Append: a time-out is unknown; the same bytes go again with the same id. Here they go under a new one."""

    async def append(self: BaseBus, subject: str, payload: bytes, expected_last: int, msg_id: str) -> int:
        tries = 0
        while True:
            answer = await self.append_once(subject, payload, expected_last, f"{msg_id}/{tries}")
            if isinstance(answer, Durable):
                return answer.seq
            if isinstance(answer, FencedOff):
                raise Fenced(subject, expected_last, answer.last)
            tries += 1
            last = await self.last(subject)
            expected_last = last.seq if last is not None else 0

    patch.setattr(BaseBus, "append", append)


@mutant("frame-is-logged", "acknowledged-is-logged", "owner-is-the-log", "one-content-per-frame")
def a_time_out_is_taken_as_success(patch: Patch) -> None:
    """Append: a time-out is unknown. Here the batch counts as stored."""
    append_once = BaseBus.append_once

    async def hopeful(self: BaseBus, subject: str, payload: bytes, expected_last: int, msg_id: str) -> Any:
        answer = await append_once(self, subject, payload, expected_last, msg_id)
        if isinstance(answer, Unknown) and expected_last:
            last = await self.last(subject)
            return Durable(last.seq if last is not None else expected_last)
        return answer

    patch.setattr(BaseBus, "append_once", hopeful)


@mutant("answered-once", "owner-is-the-log")
def a_refused_append_is_believed_if_the_last_writer_is_the_same_process(patch: Patch) -> None:
    """10071: the last message's id must be exactly this batch's. Here the same incarnation is enough."""
    append_once = BaseBus.append_once

    async def trusting(self: BaseBus, subject: str, payload: bytes, expected_last: int, msg_id: str) -> Any:
        answer = await append_once(self, subject, payload, expected_last, msg_id)
        if isinstance(answer, FencedOff):
            last = await self.last(subject)
            if last is not None and last.msg_id.partition("/")[0] == msg_id.partition("/")[0]:
                return Durable(last.seq)
        return answer

    patch.setattr(BaseBus, "append_once", trusting)


@mutant("one-writer-at-a-time")
def an_owner_takes_a_shard_without_a_fence(patch: Patch) -> None:
    """Taking, step 2: append `ShardTaken` before the log is read."""

    async def unfenced(self: Shard) -> int:
        last = await self._means.bus.last(self._subject)
        return last.seq if last is not None else 0

    read = Shard._read

    async def of_what_is_there(self: Shard) -> bool:
        return True if not self.epoch else await read(self)

    patch.setattr(Shard, "_fence", unfenced)
    patch.setattr(Shard, "_read", of_what_is_there)


@mutant("owner-is-the-log", "frame-is-logged", "one-content-per-frame", "answered-once")
def the_log_is_read_before_the_fence_is_appended(patch: Patch) -> None:
    """Taking, step 3: read until the own `ShardTaken` comes back. Here what comes between is never seen."""

    async def take_first(self: Shard) -> int:
        last = await self._means.bus.last(self._subject)
        self.read_up_to = last.seq if last is not None else 0  # type: ignore[attr-defined]
        await self._means.clock.sleep(0.05)
        return await fence(self)

    async def read(self: Shard) -> bool:
        async with aclosing(self._means.bus.read(self._subject)) as entries:
            async for entry in entries:
                if entry.seq <= self.read_up_to or entry.seq == self.epoch:  # type: ignore[attr-defined]
                    self.tables.replay(entry.seq, decode_batch(entry.payload))
                if entry.seq == self.epoch:
                    return True
        return False

    fence = Shard._fence
    patch.setattr(Shard, "_fence", take_first)
    patch.setattr(Shard, "_read", read)


@mutant("owner-is-the-log", "frame-is-logged", "one-content-per-frame", "answered-once")
def the_reader_stops_where_the_log_seems_to_end(patch: Patch) -> None:
    """Taking, step 3: what a replica yields may end before the fence. Here the last few messages are missed."""
    read = Shard._read

    async def hasty(self: Shard) -> bool:
        replay = self.tables.replay

        def some(seq: int, batch: Any) -> None:
            if seq == self.epoch or self.epoch - seq > 3:
                replay(seq, batch)

        patch.setattr(self.tables, "replay", some)
        return await read(self)

    patch.setattr(Shard, "_read", hasty)


@mutant("owner-is-the-log", "one-content-per-frame", "frame-is-logged")
def the_first_owner_of_a_process_keeps_its_clock(patch: Patch) -> None:
    """Time of a table never goes back: a new owner's clock starts no earlier than the log's last event."""
    serve = Tables.serve

    def late(self: Tables, journal: Journal) -> None:
        self._replay.last_at = 0
        serve(self, journal)

    patch.setattr(Tables, "serve", late)


@mutant("owner-is-the-log", "waits-for-ever")
def shards_change_hands_by_whoever_writes_last(patch: Patch) -> None:
    """Ownership: the shard key is changed by compare-and-set only."""

    async def take(self: Ownership, shard: str, holder: Any) -> None:
        del holder
        keys, _ = await self._buckets()
        value = b'{"process":"%s","incarnation":"%s"}' % (self._me.encode(), self._incarnation.encode())
        try:
            self._owned[shard] = await keys.put(f"{self._group}.{shard}", value)
            await self._owner.take(shard)
        except Exception as error:  # noqa: BLE001 - as in the code it replaces
            await self._give_up(shard, error)
        finally:
            self._moved(shard)

    patch.setattr(Ownership, "_take", take)


@mutant("owner-is-the-log", "one-content-per-frame", "frame-is-logged")
def a_shard_is_handed_over_without_a_flush(patch: Patch) -> None:
    """Drain: flush, then append `ShardReleased`. Here what is staged is let out, and thrown away."""

    async def hand_over(self: Shard) -> None:
        self.tables.is_closing = True
        while self.journal._held:
            self.journal._held.popleft()[1]()
        self.journal._staged.clear()
        self.journal.stage("", e.ShardReleased(self.tables.now()))
        await self.journal.quiet()
        await self._out.flush()

    patch.setattr(Shard, "_hand_over", hand_over)

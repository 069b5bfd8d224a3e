"""Mutants of the log itself: appending, fencing, taking a shard, handing it over."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from services.chassis.bus.base import BaseBus
from services.chassis.bus.port import Durable, Fenced, FencedOff, Unknown
from services.gateway.bus.tables import Tables as GatewayTables
from services.table.core import events as e
from services.table.journal import Journal, Writer
from services.table.reader import LogReader
from services.table.shard import Shard
from tests.simulation.mutants.planting import SLOW, Patch, mutant


@mutant("frame-is-logged", "one-content-per-frame", "acknowledged-is-logged", "legal-is-accepted")
def frames_and_answers_leave_before_the_acknowledgement(patch: Patch) -> None:
    """Append: nothing is shown before the ack."""
    patch.setattr(Journal, "hold", lambda self, release: release())


@mutant(
    "answered-once",
    "created-once",
    "frame-is-logged",
    "owner-is-the-log",
    "acknowledged-is-logged",
    "fenced-writers",
    "committed-first",
)
def a_fenced_owner_goes_on(patch: Patch) -> None:
    """Append: fenced = drop the shard at once. Here it takes the other's message for its own."""
    append = Journal._append

    async def stubborn(self: Journal) -> None:
        try:
            await append(self)
        except Fenced as fenced:
            self.last = fenced.last
            self.in_flight_id = ""

    patch.setattr(Journal, "_append", stubborn)


@mutant("frame-is-logged", "acknowledged-is-logged", weather=SLOW)
def a_fenced_owner_lets_out_what_it_held(patch: Patch) -> None:
    """Append: fenced = in silence; nothing is answered or shown for that batch or after it.

    That a gateway drops what an old epoch says is the second guard; it is removed with it.
    """
    append, heard = Journal._append, GatewayTables._heard_epoch

    def any_epoch(self: GatewayTables, shard: int, epoch: int) -> bool:
        heard(self, shard, epoch)
        return True

    async def loud(self: Journal) -> None:
        try:
            await append(self)
        except Fenced:
            while self._held:
                self._held.popleft()[1]()
            # The last words get out before the tasks of the shard are ended.
            await self._clock.sleep(0.5)
            raise

    patch.setattr(GatewayTables, "_heard_epoch", any_epoch)
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
    """Append: a time-out is unknown; the same bytes go again with the same id. Here under a new one."""

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


@mutant("fenced-writers", "view-is-not-older", "owner-is-the-log", "no-gap", "answered-once", "time-goes-on")
def an_owner_takes_a_shard_without_a_fence(patch: Patch) -> None:
    """Taking, step 2: append `ShardTaken` before the log is read."""

    async def unfenced(self: Shard) -> int:
        last = await self._means.bus.last(self._subject)
        self._watch.before = last.seq if last is not None else 0
        return self._watch.before

    read_to = LogReader.read_to

    async def of_what_is_there(self: LogReader, fence: int) -> None:
        if fence:
            await read_to(self, fence)

    patch.setattr(Shard, "_fence", unfenced)
    patch.setattr(LogReader, "read_to", of_what_is_there)


@mutant(
    "owner-is-the-log",
    "frame-is-logged",
    "one-content-per-frame",
    "answered-once",
    "created-once",
    weather=SLOW,
)
def the_log_is_read_before_the_fence_is_appended(patch: Patch) -> None:
    """Taking, step 3: read until the own `ShardTaken` comes back. Here what comes between is never seen."""
    fence, read_to = Shard._fence, LogReader.read_to

    async def look_first(self: Shard) -> int:
        last = await self._means.bus.last(self._subject)
        self._reader.__dict__["read_up_to"] = last.seq if last is not None else 0
        await self._means.clock.sleep(2.0)
        return await fence(self)

    async def hasty(self: LogReader, fence: int) -> None:
        up_to = self.__dict__["read_up_to"]
        _leave_out(self, lambda seq: up_to < seq < fence)
        await read_to(self, fence)

    patch.setattr(Shard, "_fence", look_first)
    patch.setattr(LogReader, "read_to", hasty)


@mutant("owner-is-the-log", "frame-is-logged", "one-content-per-frame", "answered-once", "created-once")
def the_reader_stops_where_the_log_seems_to_end(patch: Patch) -> None:
    """Taking, step 3: what a replica yields may end before the fence. Here the last few are missed."""
    read_to = LogReader.read_to

    async def hasty(self: LogReader, fence: int) -> None:
        _leave_out(self, lambda seq: fence - 3 <= seq < fence)
        await read_to(self, fence)

    patch.setattr(LogReader, "read_to", hasty)


@mutant("owner-is-the-log", "frame-is-logged", "one-content-per-frame", "answered-once", "created-once")
def who_reads_along_does_not_read_on(patch: Patch) -> None:
    """Taking, step 3, by who has read along: what came since is read too. Here that is taken for all."""
    read_to = LogReader.read_to

    async def content(self: LogReader, fence: int) -> None:
        if self.is_warm:
            _leave_out(self, lambda seq: seq < fence)
        await read_to(self, fence)

    patch.setattr(LogReader, "read_to", content)


def _leave_out(reader: LogReader, is_missed: Callable[[int], bool]) -> None:
    """Let the tables of a shard not hear of some messages of the log."""
    replay = reader.tables.replay

    def some(seq: int, entries: Any) -> None:
        if not is_missed(seq):
            replay(seq, entries)

    reader.tables.replay = some  # type: ignore[method-assign]


@mutant(
    "owner-is-the-log",
    "one-content-per-frame",
    "frame-is-logged",
    "acknowledged-is-logged",
    weather=SLOW,
)
def a_shard_is_handed_over_without_a_flush(patch: Patch) -> None:
    """Drain: flush, then append `ShardReleased`. Here what is staged is let out, and thrown away."""

    async def hand_over(self: Shard) -> None:
        clock = self._means.clock
        until = clock.monotonic() + 3.0
        while not self.journal.in_flight_id and clock.monotonic() < until:
            await clock.sleep(0.001)
        self.tables.is_closing = True
        while self.journal._held:
            self.journal._held.popleft()[1]()
        self.journal._staged.clear()
        self.journal.stage("", e.ShardReleased(self.tables.now()))
        await self.journal.quiet()
        await self._out.flush()

    patch.setattr(Shard, "_hand_over", hand_over)

"""Who will own a shard reads along with its log: then taking it is short, and rests on the log alone."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import replace
from typing import Any

import pytest

from services.chassis.bus.broker import MemoryBroker
from services.chassis.bus.port import Fenced
from services.chassis.clock import run_virtual
from services.chassis.errors import Outage
from services.table.calls import Calls, Create
from services.table.core.state import encode_state
from services.table.marks import WRITTEN_MAX, Watch
from services.table.owner import AGAIN_S, COMING_MAX, TableOwner
from services.table.reader import LogReader
from services.table.shard import Shard
from tests.simulation.tables import Host, spec
from tests.support.process import full_registry
from tests.support.table_room import TABLE, Room

SECOND = "0-another1"


def room(test: Callable[[Room], Coroutine[Any, Any, None]]) -> Callable[[], None]:
    """Run a test in a room of its own, on a virtual clock."""

    def run() -> None:
        run_virtual(lambda clock: test(Room(clock)))

    run.__name__, run.__doc__ = test.__name__, test.__doc__
    return run


class Follower:
    """A process that reads along with shard 0, and can take it."""

    def __init__(self, at: Room, name: str = "next") -> None:
        self.host = Host(at.bus(name), at.clock, bank=at.bank, name=name, grace_ms=5_000)
        self.host.means = replace(self.host.means, marks=at.marks)
        at.hosts.append(self.host)
        self.shard = Shard("0", self.host.means, lambda shard: self.host.lost.append(shard.name))
        self._warm = asyncio.Event()
        self.task = self.host._spawn("follow", self.shard.follow(self._warm.set))

    async def warm(self) -> Follower:
        await self._warm.wait()
        return self

    @property
    def reader(self) -> LogReader:
        return self.shard._reader


def many_shards(at: Room) -> Host:
    """Return a process beside a log of sixteen shards."""
    at.registry = full_registry(log_shards=16, log_streams=1)
    at.broker = MemoryBroker(at.registry, at.clock)
    return Host(at.bus("next"), at.clock, name="next")


async def begin(at: Room, rounds: int = 4) -> None:
    await at.start("one")
    await at.sit()
    await Calls(at.bus("mm"), lambda _: at.shard).about(Create(TABLE, spec("p_a", rounds=rounds)))
    await at.player.play(until=lambda one: len(one.accepted) >= 3)


def looks(shard: Shard) -> dict[str, Any]:
    """Return everything that a shard's tables will go by."""
    return {
        table_id: (
            encode_state(table.s),
            table.questions,
            table.answers,
            table.pending,
            [
                ring.after(max(0, at.number - 3))
                for ring, at in zip(table.rings, table.s.listeners, strict=True)
                if at
            ],
            table.since,
        )
        for table_id, table in shard.tables.live.items()
    }


@room
async def test_who_read_along_has_what_who_reads_it_all_has_and_reads_only_what_came_since(at: Room) -> None:
    await begin(at)
    follower = await Follower(at).warm()
    await at.player.play(until=lambda one: len(one.accepted) >= 9)
    await Calls(at.bus("mm2"), lambda _: at.shard).about(Create(SECOND, spec("p_b")))
    await at.hosts[0].kill()
    read, replayed = follower.reader, []
    replay = read.tables.replay
    read.tables.replay = lambda seq, entries: (replayed.append(seq), replay(seq, entries))[1]  # type: ignore[func-returns-value,method-assign]
    await follower.shard.take()
    assert len(replayed) <= 2, "but for the fence it had read everything"
    assert set(follower.shard.tables.live) == {TABLE, SECOND}
    taken = looks(follower.shard)
    await follower.host.kill()
    afresh = Host(at.bus("afresh"), at.clock, name="afresh")
    reader = LogReader(
        afresh.bus,
        "paiju.table.log.0",
        Watch(None, at.clock, "0", "i"),
        Shard("0", afresh.means, lambda _: None)._make_tables,
    )
    await reader.read_to(follower.shard.epoch)
    await reader.tables.fold()
    other = Shard("0", afresh.means, lambda _: None)
    other.tables = reader.tables
    assert looks(other) == taken


@room
async def test_a_table_that_is_made_while_somebody_reads_along_ends_there_too(at: Room) -> None:
    await begin(at, rounds=1)
    follower = await Follower(at).warm()
    await at.player.play()
    await at.clock.sleep(30)
    assert at.shard.tables.live.keys() == follower.reader.tables.live.keys()
    assert at.shard.tables.closed == follower.reader.tables.closed


@room
async def test_the_match_goes_on_under_who_read_along(at: Room) -> None:
    await begin(at)
    follower = await Follower(at).warm()
    await at.hosts[0].kill()
    await follower.shard.take()
    await at.player.play()
    assert at.player.view.match_end.cause == "all_rounds"


@room
async def test_a_handover_to_who_read_along_loses_nothing(at: Room) -> None:
    await begin(at)
    follower = await Follower(at).warm()
    before = len(at.player.accepted)
    await at.shard.release()
    await follower.shard.take()
    assert follower.shard.epoch > at.shard.epoch
    await at.player.play()
    assert len(at.player.accepted) > before


@room
async def test_who_read_what_the_log_has_lost_since_is_not_believed(at: Room) -> None:
    await begin(at)
    older = at.copy()
    follower = await Follower(at).warm()
    await at.player.play(until=lambda one: len(one.accepted) >= 12)
    await at.hosts[0].kill()
    at.restore(older)
    with pytest.raises((Fenced, Outage)):
        # Its sequence is behind what was read: this owner is of no use, and the lease takes the shard anew.
        await follower.shard.take()
    await follower.host.kill()
    shard = await at.start("two")
    await at.player.play()
    assert not shard.is_dropped
    assert at.player.view.match_end.cause == "voided"


@room
async def test_a_reader_whose_log_was_out_of_reach_reads_it_anew(at: Room) -> None:
    await begin(at)
    follower = await Follower(at).warm()
    follower.task.cancel()
    await at.player.play(until=lambda one: len(one.accepted) >= 6)
    await at.hosts[0].kill()
    await follower.shard.take()
    await at.player.play()
    assert at.player.view.match_end.cause == "all_rounds"


@room
async def test_what_is_wanted_is_followed_and_nothing_else(at: Room) -> None:
    await at.start("one")
    host = Host(at.bus("next"), at.clock, name="next")
    told: list[int] = []
    owner = TableOwner(host.means)

    async def warm() -> None:
        told.append(len(owner.warm()))

    owner.on_warm = warm
    owner.expects((), ["0"])
    await at.clock.sleep(1)
    assert list(owner.warm()) == ["0"]
    assert told == [], "nobody waits for what would only be ours if its owner died"
    owner.expects(["0"], ())
    await at.clock.sleep(1)
    assert list(owner.warm()) == ["0"]
    owner.expects((), ())
    await at.clock.sleep(1)
    assert list(owner.warm()) == []
    assert not [task for task in host.tasks if not task.done()]


@room
async def test_what_is_coming_is_said_to_be_warm_once_all_of_it_is(at: Room) -> None:
    host = many_shards(at)
    owner = TableOwner(host.means)
    told: list[set[str]] = []

    async def warm() -> None:
        told.append(set(owner.warm()))

    owner.on_warm = warm
    names = [format(number, "x") for number in range(COMING_MAX + 3)]
    owner.expects(names, ["e", "f"])
    await at.clock.sleep(2)
    assert told == [set(names[:COMING_MAX])]
    owner.expects(names, ["e", "f"])
    await at.clock.sleep(2)
    assert told == [set(names[:COMING_MAX])], "the others have to wait until these were taken"
    owner.expects(names[COMING_MAX:], ["e", "f"])
    await at.clock.sleep(2)
    assert told[1:] == [set(names[COMING_MAX:])]
    await host.kill()


@room
async def test_a_log_that_a_newer_process_writes_ends_nobody_who_reads_along(at: Room) -> None:
    await begin(at)
    host = Host(at.bus("next"), at.clock, name="next")
    owner = TableOwner(host.means)
    owner.expects((), ["0"])
    await at.clock.sleep(1)
    assert list(owner.warm()) == ["0"]
    crashed: list[BaseException] = []

    def ended(task: asyncio.Task[None]) -> None:
        error = None if task.cancelled() else task.exception()
        if error is not None:
            crashed.append(error)

    for task in host.tasks:
        task.add_done_callback(ended)
    bus, log = at.bus("newer"), "paiju.table.log.0"
    last = await bus.last(log)
    assert last is not None
    seq = await bus.append(log, b"\x92\xcd\x03\xe7\x90", last.seq, "i_newer/1")
    await at.clock.sleep(1)
    for _ in range(8):
        owner.expects((), ["0"])
        await at.clock.sleep(0.5)
    assert list(owner.warm()) == [], "it can't be taken here at once"
    assert crashed == []
    # It is not read from its beginning with each look, and again after a while.
    assert not owner._followed
    await at.clock.sleep(AGAIN_S)
    owner.expects((), ["0"])
    await at.clock.sleep(1)
    assert "0" in owner._followed
    assert seq > last.seq
    await host.kill()


@room
async def test_the_lease_is_told_of_a_shard_that_another_has_taken(at: Room) -> None:
    await begin(at)
    old, new = (TableOwner(Host(at.bus(name), at.clock, name=name).means) for name in ("old", "new"))
    lost: list[str] = []
    old.on_lost = lost.append
    await old.take("0")
    await new.take("0")
    assert (lost, old.let_go) == ([], 0), "nobody has told it yet"
    await at.player.play()
    assert (lost, old.let_go, old.shard("0")) == (["0"], 1, None)
    assert new.shard("0") is not None


@room
async def test_without_standby_only_what_is_coming_is_followed(at: Room) -> None:
    host = many_shards(at)
    owner = TableOwner(host.means, is_standby=False)
    owner.expects(["1"], ["0"])
    await at.clock.sleep(1)
    assert list(owner.warm()) == ["1"]
    await host.kill()


def test_the_watch_remembers_no_more_than_it_may_need() -> None:
    class Entry:
        msg_id = "i/1"

        def __init__(self, seq: int) -> None:
            self.seq = seq

    watch = Watch(None, None, "0", "i")  # type: ignore[arg-type] # it does not wait here
    for seq in range(2 * WRITTEN_MAX):
        watch.note(Entry(seq), ())  # type: ignore[arg-type] # all that is looked at
    assert len(watch._written) == WRITTEN_MAX
    assert 2 * WRITTEN_MAX - 1 in watch._written

"""Who owns which shard: over memory and real NATS, with processes that come, go, drain and die."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field

import pytest

from services.chassis.bus.broker import Faults
from services.chassis.bus.memory import MemoryBus
from services.chassis.bus.nats import NatsBus
from services.chassis.bus.port import Conflict
from services.chassis.bus.registry import shard_freed_subject
from services.chassis.clock import Clock, SystemClock, VirtualClock, run_virtual
from services.chassis.lease import (
    DRAIN_SERVED_S_MAX,
    DRAIN_WARM_S_MAX,
    HURRY_S,
    Ownership,
    members_of,
    rendezvous,
)
from services.chassis.members import WARM_S_MAX
from tests.support.process import MemoryWorld

AnyBus = MemoryBus | NatsBus
SHARDS = ["0", "1", "2", "3", "4", "5", "6", "7"]


@dataclass
class Keeper:
    """An owner that notes what it is told; it fails to take what a test says."""

    serving: set[str] = field(default_factory=set)
    history: list[str] = field(default_factory=list)
    fails: set[str] = field(default_factory=set)
    takes: Callable[[str], Awaitable[None]] | None = None
    told: list[str] = field(default_factory=list)

    async def take(self, shard: str) -> None:
        self.history.append(f"take {shard}")
        if self.takes:
            await self.takes(shard)
        if shard in self.fails:
            raise ValueError("cannot")
        assert shard not in self.serving
        self.serving.add(shard)

    async def release(self, shard: str) -> None:
        self.history.append(f"release {shard}")
        self.serving.discard(shard)


def own(bus: AnyBus, clock: Clock, name: str, keeper: Keeper, incarnation: str = "") -> Ownership:
    return Ownership(
        bus,
        clock,
        group="table",
        process=name,
        incarnation=incarnation or f"{name}-1",
        shards=SHARDS,
        owner=keeper,
    )


@contextlib.asynccontextmanager
async def running(ownership: Ownership) -> AsyncIterator[None]:
    task = asyncio.ensure_future(ownership.run())
    try:
        yield
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


async def until(clock: Clock, condition: Callable[[], bool], seconds: float = 60.0) -> None:
    end = clock.monotonic() + seconds
    while not condition():
        assert clock.monotonic() < end, "it did not come to be in time"
        await clock.sleep(0.05)


async def shared_and_back(clock: Clock, bus: AnyBus) -> float:
    """Let a second process come and go; return how long its shards had nobody who serves them."""
    a, b = Keeper(), Keeper()
    first, second = own(bus, clock, "a", a), own(bus, clock, "b", b)
    async with running(first):
        await until(clock, lambda: a.serving == set(SHARDS))
        assert first.owned == SHARDS
        async with running(second):
            shared = {shard for shard in SHARDS if rendezvous(shard, ["a", "b"]) == "b"}
            await until(clock, lambda: b.serving == shared and a.serving | b.serving == set(SHARDS))
            assert a.serving.isdisjoint(b.serving)
            # What stays is never touched.
            assert [line for line in a.history if line.startswith("release")] == [
                f"release {shard}" for shard in sorted(b.serving)
            ]
            await second.drain()
            assert b.serving == set()
            drained = clock.monotonic()
            await until(clock, lambda: a.serving == set(SHARDS))
            return clock.monotonic() - drained


async def followed(clock: Clock, bus: AnyBus) -> float:
    """Let one of two processes die; return how long its shards had nobody who serves them."""
    a, b = Keeper(), Keeper()
    first, second = own(bus, clock, "a", a), own(bus, clock, "b", b)
    async with running(second):
        async with running(first):
            await until(
                clock, lambda: bool(a.serving) and bool(b.serving) and len(a.serving | b.serving) == 8
            )
        died = clock.monotonic()
        await until(clock, lambda: b.serving == set(SHARDS))
        return clock.monotonic() - died


@pytest.mark.usefixtures("quiet")
async def test_shards_are_shared_move_once_and_come_back(bus: AnyBus) -> None:
    await shared_and_back(SystemClock(), bus)


@pytest.mark.usefixtures("quiet")
async def test_the_dead_are_followed(bus: AnyBus) -> None:
    await followed(SystemClock(), bus)


@pytest.mark.parametrize(("scene", "seconds"), [(shared_and_back, 2.0), (followed, 4.3)])
def test_nobody_serves_a_shard_for_no_longer_than(
    scene: Callable[[Clock, AnyBus], Awaitable[float]], seconds: float
) -> None:
    async def main(clock: VirtualClock) -> float:
        return await scene(clock, MemoryWorld(clock).process("a").bus)

    assert run_virtual(main) < seconds


async def watch_unserved(clock: Clock, *keepers: Keeper) -> int:
    """Return how many shards had nobody at the same time, until cancelled."""
    most = 0
    with contextlib.suppress(asyncio.CancelledError):
        while True:
            most = max(most, len(set(SHARDS).difference(*(keeper.serving for keeper in keepers))))
            await clock.sleep(0.01)
    return most


@pytest.mark.parametrize("is_drain", [True, False])
def test_a_shard_is_served_until_the_one_before_it_is_served_where_it_went(is_drain: bool) -> None:
    async def main(clock: VirtualClock) -> int:
        world = MemoryWorld(clock)
        a, b = Keeper(), Keeper(takes=lambda _: clock.sleep(1.4))
        first, second = own(world.process("a").bus, clock, "a", a), own(world.process("b").bus, clock, "b", b)
        async with running(first):
            await until(clock, lambda: a.serving == set(SHARDS))
            watching = asyncio.ensure_future(watch_unserved(clock, a, b))
            async with running(second):
                shared = {shard for shard in SHARDS if rendezvous(shard, ["a", "b"]) == "b"}
                assert len(shared) > 1
                await until(clock, lambda: b.serving == shared and len(a.serving) + len(shared) == 8)
                if is_drain:
                    await first.drain()
                    await until(clock, lambda: b.serving == set(SHARDS))
                watching.cancel()
                return await watching

    assert run_virtual(main) == 1


def test_who_drains_does_not_wait_for_ever_for_one_who_never_serves() -> None:
    async def main(clock: VirtualClock) -> float:
        world = MemoryWorld(clock)
        a, b = Keeper(), Keeper(takes=lambda _: clock.sleep(100))
        first = own(world.process("a").bus, clock, "a", a)
        async with running(first):
            await until(clock, lambda: a.serving == set(SHARDS))
            async with running(own(world.process("b").bus, clock, "b", b)):
                await clock.sleep(2)
                began = clock.monotonic()
                await first.drain()
                assert a.serving == set()
                return clock.monotonic() - began

    assert run_virtual(main) < DRAIN_SERVED_S_MAX + 4


def test_a_restart_under_the_same_name_takes_back_at_once() -> None:
    async def main(clock: VirtualClock) -> float:
        world = MemoryWorld(clock)
        before, after = Keeper(), Keeper()
        async with running(own(world.process().bus, clock, "up", before, "i1")):
            await until(clock, lambda: before.serving == set(SHARDS))
        start = clock.monotonic()
        async with running(own(world.process().bus, clock, "up", after, "i2")):
            await until(clock, lambda: after.serving == set(SHARDS))
            return clock.monotonic() - start

    assert run_virtual(main) < 1.1


def test_a_shard_that_can_not_be_taken_is_given_back_and_tried_again() -> None:
    async def main(clock: VirtualClock) -> None:
        world = MemoryWorld(clock)
        keeper = Keeper(fails={"3"})
        ownership = own(world.process().bus, clock, "a", keeper)
        async with running(ownership):
            await until(clock, lambda: keeper.history.count("take 3") == 3)
            assert keeper.serving == set(SHARDS) - {"3"}
            assert "3" not in ownership.owned
            keeper.fails.clear()
            await until(clock, lambda: keeper.serving == set(SHARDS))

    run_virtual(main)


def test_a_slow_taking_does_not_stop_the_heart() -> None:
    async def main(clock: VirtualClock) -> None:
        world = MemoryWorld(clock)

        async def slowly(shard: str) -> None:
            await clock.sleep(20)

        a, b = Keeper(takes=slowly), Keeper()
        async with running(own(world.process("a").bus, clock, "a", a)):
            await clock.sleep(2)
            async with running(own(world.process("b").bus, clock, "b", b)):
                await clock.sleep(10)
                assert b.history == [], "every shard is in a's hands, who is alive"
                await until(clock, lambda: len(a.serving | b.serving) == 8 and bool(b.serving), 60)

    run_virtual(main)


def test_a_fenced_shard_is_forgotten_and_its_key_left_alone() -> None:
    async def main(clock: VirtualClock) -> None:
        world = MemoryWorld(clock)
        process = world.process()
        keeper = Keeper()
        ownership = own(process.bus, clock, "a", keeper)
        async with running(ownership):
            await until(clock, lambda: keeper.serving == set(SHARDS))
            keys = await process.bus.bucket("shards")
            before = await keys.get("table.5")
            assert before is not None
            stolen = await keys.update("table.5", b'{"process":"z","incarnation":"z-1"}', before.revision)
            alive = await process.bus.bucket("alive")
            keeper.serving.discard("5")
            ownership.lost("5")
            for _ in range(10):
                await alive.put("table.z", b'{"incarnation":"z-1","draining":true}')
                await clock.sleep(1)
            entry = await keys.get("table.5")
            assert entry is not None
            assert entry.revision == stolen
            assert "5" not in ownership.owned
            # Its holder dies: the shard is taken again.
            await until(clock, lambda: "5" in keeper.serving)

    run_virtual(main)


def test_a_key_that_another_took_meanwhile_is_not_taken() -> None:
    async def main(clock: VirtualClock) -> None:
        world = MemoryWorld(clock)
        process, keeper = world.process("a"), Keeper()
        keys = await process.bus.bucket("shards")
        await keys.put("table.5", b'{"process":"dead","incarnation":"d-1"}')

        def step(bus: str, operation: str) -> None:
            cell = world.broker.buckets["shards"].cells["table.5"]
            if operation == "update" and b"dead" in cell.value:
                # Between the look and the compare-and-set, another takes it.
                cell.value, cell.revision = b'{"process":"z","incarnation":"z-1"}', cell.revision + 100

        world.broker.step = step
        alive = await world.process("z").bus.bucket("alive")
        async with running(own(process.bus, clock, "a", keeper)):
            for _ in range(5):
                await alive.put("table.z", b'{"incarnation":"z-1","draining":true}')
                await clock.sleep(1)
        assert keeper.serving == set(SHARDS) - {"5"}
        assert "take 5" not in keeper.history
        entry = await keys.get("table.5")
        assert entry is not None
        assert b'"z"' in entry.value

    run_virtual(main)


def test_while_one_shard_drains_slowly_the_others_are_already_taken() -> None:
    async def main(clock: VirtualClock) -> None:
        world = MemoryWorld(clock)

        class Slow(Keeper):
            async def release(self, shard: str) -> None:
                if shard == min(self.serving):
                    await clock.sleep(30)
                await super().release(shard)

        a, b = Keeper(), Slow()
        leaving = own(world.process("b").bus, clock, "b", b)
        async with running(own(world.process("a").bus, clock, "a", a)), running(leaving):
            await until(clock, lambda: len(b.serving) > 1 and len(a.serving | b.serving) == 8)
            draining = asyncio.ensure_future(leaving.drain())
            # They go one after another, so that none waits long.
            await until(clock, lambda: len(a.serving) == 7, seconds=5.0)
            assert len(b.serving) == 1
            await draining
            await until(clock, lambda: a.serving == set(SHARDS), seconds=2.0)

    run_virtual(main)


@pytest.mark.usefixtures("quiet")
def test_who_waits_for_a_shard_takes_it_when_it_is_freed_and_not_with_the_next_look() -> None:
    async def main(clock: VirtualClock) -> None:
        world = MemoryWorld(clock)
        freed: dict[str, float] = {}
        waited: list[float] = []

        class Noting(Keeper):
            async def release(self, shard: str) -> None:
                await super().release(shard)
                freed[shard] = clock.monotonic()

        async def taken(shard: str) -> None:
            if shard in freed:
                waited.append(clock.monotonic() - freed[shard])

        a, b = Keeper(takes=taken), Noting()
        leaving = own(world.process("b").bus, clock, "b", b)
        async with running(own(world.process("a").bus, clock, "a", a)), running(leaving):
            await until(clock, lambda: bool(b.serving) and len(a.serving | b.serving) == 8)
            held = len(b.serving)
            await leaving.drain()
            await until(clock, lambda: a.serving == set(SHARDS), seconds=2.0)
        # The first may go before the heir has looked and knows that he waits; then nobody looks for any.
        assert len(waited) == held
        assert sorted(waited)[:-1] == [0.0] * (held - 1)

    run_virtual(main)


@pytest.mark.usefixtures("quiet")
async def test_word_that_a_shard_is_free_gives_nobody_what_is_not(bus: AnyBus) -> None:
    clock = SystemClock()
    a, b = Keeper(), Keeper()
    first, second = own(bus, clock, "a", a), own(bus, clock, "b", b)
    async with running(first):
        await until(clock, lambda: a.serving == set(SHARDS))
        async with running(second):
            await until(clock, lambda: len(b.serving) > 1 and len(a.serving | b.serving) == 8)
            for shard in SHARDS:
                for word in (b'{"revision": 1}', b'{"revision": 999999}', b"{}", b"[1]", b"\xff", b""):
                    await bus.tell(shard_freed_subject("table", shard), word)
            await clock.sleep(1.5)
            assert a.serving.isdisjoint(b.serving)
            assert a.serving | b.serving == set(SHARDS)
            taken = [line for keeper in (a, b) for line in keeper.history if line.startswith("take")]
            assert len(taken) == len(SHARDS) + len(b.serving)


@pytest.mark.usefixtures("quiet")
async def test_a_key_is_made_anew_whatever_is_believed_of_its_end(bus: AnyBus) -> None:
    keys = await bus.bucket("shards")
    revision = await keys.create("table.x", b"1")
    gone_at = await keys.delete("table.x", revision)
    assert gone_at > revision
    again = await keys.create("table.x", b"2", gone_at)
    with pytest.raises(Conflict):
        await keys.create("table.x", b"3", gone_at)
    await keys.delete("table.x", again)
    await keys.create("table.x", b"4", gone_at)
    await keys.create("table.never", b"5", 12_345)
    assert [(entry.key, entry.value) for entry in await keys.entries() if entry.key.startswith("table.")] == [
        ("table.never", b"5"),
        ("table.x", b"4"),
    ]


@pytest.mark.parametrize("seed", range(30))
def test_whatever_fails_all_shards_are_owned_again_and_two_never_think_so_for_long(seed: int) -> None:
    """Four processes crash, pause and come back on a faulty bus; afterwards each shard has exactly one
    owner.
    """

    async def main(clock: VirtualClock) -> None:
        faults = Faults(seed, lose_ack=0.1, lose_store=0.1)
        world = MemoryWorld(clock, seed, faults)
        random = world.process("chance").parts.ids
        living: dict[str, tuple[Ownership, Keeper, asyncio.Task[None], MemoryBus]] = {}

        def start(name: str, life: int) -> None:
            bus, keeper = world.process(name).bus, Keeper()
            ownership = own(bus, clock, name, keeper, f"{name}-{life}")
            living[name] = (ownership, keeper, asyncio.ensure_future(ownership.run()), bus)

        for number in range(4):
            start(f"p{number}", 0)
        for life in range(1, 25):
            await clock.sleep(random.jitter() * 4)
            name = f"p{random.below(4)}"
            _, _, task, bus = living[name]
            what = random.below(3)
            if what == 0:
                bus.crash()
                task.cancel()
                start(name, life)
            elif what == 1:
                bus.pause()
                await clock.sleep(random.jitter() * 6)
                bus.resume()
        faults.active = False
        await clock.sleep(15)
        owners = [shard for _, keeper, _, _ in living.values() for shard in keeper.serving]
        assert sorted(owners) == SHARDS
        for ownership, keeper, task, _ in living.values():
            assert set(ownership.owned) == keeper.serving
            assert not task.done()
            task.cancel()

    run_virtual(main)


def test_few_shards_move_when_a_process_comes() -> None:
    shards = [format(number, "x") for number in range(1000)]
    before = {shard: rendezvous(shard, ["a", "b", "c"]) for shard in shards}
    after = {shard: rendezvous(shard, ["c", "d", "b", "a"]) for shard in shards}
    moved = [shard for shard in shards if before[shard] != after[shard]]
    assert all(after[shard] == "d" for shard in moved)
    assert 180 < len(moved) < 320
    assert rendezvous("0", []) == ""


def test_a_shard_that_can_not_be_served_here_goes_to_another_and_comes_back() -> None:
    async def main(clock: VirtualClock) -> None:
        world = MemoryWorld(clock)
        a, b = Keeper(), Keeper()
        first = own(world.process("a").bus, clock, "a", a)
        async with running(first), running(own(world.process("b").bus, clock, "b", b)):
            await until(clock, lambda: bool(a.serving) and len(a.serving | b.serving) == 8)
            shard = min(a.serving)
            a.serving.discard(shard)
            first.failed(shard)
            await until(clock, lambda: shard in b.serving, 5)
            await clock.sleep(30)
            assert shard in b.serving
            assert shard not in a.serving
            # It may have been a passing fault: after a while the right owner has it again.
            await until(clock, lambda: shard in a.serving, 60)
            assert shard not in b.serving

    run_virtual(main)


def test_a_shard_that_nobody_else_could_serve_is_tried_again_where_it_failed() -> None:
    async def main(clock: VirtualClock) -> None:
        world = MemoryWorld(clock)
        keeper = Keeper()
        ownership = own(world.process("a").bus, clock, "a", keeper)
        async with running(ownership):
            await until(clock, lambda: keeper.serving == set(SHARDS))
            keeper.serving.discard("3")
            ownership.failed("3")
            await until(clock, lambda: keeper.serving == set(SHARDS), 5)

    run_virtual(main)


def test_a_shard_whose_taking_fails_again_and_again_is_left_to_another() -> None:
    async def main(clock: VirtualClock) -> None:
        world = MemoryWorld(clock)
        a, b = Keeper(fails=set(SHARDS)), Keeper()
        async with (
            running(own(world.process("a").bus, clock, "a", a)),
            running(own(world.process("b").bus, clock, "b", b)),
        ):
            await until(clock, lambda: b.serving == set(SHARDS), 30)
            assert all(a.history.count(f"take {shard}") <= 4 for shard in SHARDS)

    run_virtual(main)


def test_a_taking_that_hangs_is_given_up() -> None:
    async def main(clock: VirtualClock) -> None:
        world = MemoryWorld(clock)

        async def for_ever(shard: str) -> None:
            await clock.sleep(1e9)

        a, b = Keeper(takes=for_ever), Keeper()
        async with (
            running(own(world.process("a").bus, clock, "a", a)),
            running(own(world.process("b").bus, clock, "b", b)),
        ):
            await until(clock, lambda: b.serving == set(SHARDS), 200)

    run_virtual(main)


def test_a_process_says_its_load_and_how_late_it_is() -> None:
    async def main(clock: VirtualClock) -> None:
        world = MemoryWorld(clock)
        bus, keeper = world.process("a").bus, Keeper()
        ownership = Ownership(
            bus,
            clock,
            group="table",
            process="a",
            incarnation="a-1",
            shards=SHARDS,
            owner=keeper,
            load=lambda: dict.fromkeys(keeper.serving, 7),
        )
        async with running(ownership):
            await until(clock, lambda: keeper.serving == set(SHARDS))
            await clock.sleep(1)
            members = await members_of(await bus.bucket("alive"), "table")
            assert members["a"].load == dict.fromkeys(SHARDS, 7)
            assert members["a"].lag_ms < 20
            assert not members["a"].draining
            assert await members_of(await bus.bucket("alive"), "chat") == {}

    run_virtual(main)


def warming(bus: AnyBus, clock: Clock, name: str, keeper: Keeper, warm: Callable[[], list[str]]) -> Ownership:
    """Return an ownership that says which shards it could take at once, and notes what it is told."""

    def expects(coming: Sequence[str], spare: Sequence[str]) -> None:
        line = f"coming {' '.join(coming)} spare {' '.join(spare)}"
        if not keeper.told or keeper.told[-1] != line:
            keeper.told.append(line)

    return Ownership(
        bus,
        clock,
        group="table",
        process=name,
        incarnation=f"{name}-1",
        shards=SHARDS,
        owner=keeper,
        expects=expects,
        warm=warm,
    )


def test_a_shard_waits_for_who_reads_along_but_not_for_ever() -> None:
    async def main(clock: VirtualClock) -> None:
        world = MemoryWorld(clock)
        a, b, ready = Keeper(), Keeper(), list[str]()
        async with running(warming(world.process("a").bus, clock, "a", a, list)):
            await until(clock, lambda: a.serving == set(SHARDS))
            async with running(warming(world.process("b").bus, clock, "b", b, lambda: ready)):
                theirs = [shard for shard in SHARDS if rendezvous(shard, ["a", "b"]) == "b"]
                await clock.sleep(WARM_S_MAX - 1)
                assert b.history == [], "they are served meanwhile"
                assert (
                    f"coming {' '.join(theirs)} spare {' '.join(sorted(set(SHARDS) - set(theirs)))}" in b.told
                )
                ready.append(theirs[1])
                await until(clock, lambda: b.history == [f"take {theirs[1]}"], 2.0)
                await clock.sleep(WARM_S_MAX - 2)
                assert len(b.history) == 1, "somebody gets ready there: the others wait on"
                await until(clock, lambda: b.serving == set(theirs), 2 + len(SHARDS))

    run_virtual(main)


@pytest.mark.parametrize("is_ready", [True, False])
def test_who_drains_waits_for_who_reads_along(is_ready: bool) -> None:
    async def main(clock: VirtualClock) -> float:
        world = MemoryWorld(clock)
        a, b = Keeper(), Keeper()
        first = warming(world.process("a").bus, clock, "a", a, list)
        warm = SHARDS if is_ready else []
        async with (
            running(first),
            running(warming(world.process("b").bus, clock, "b", b, lambda: warm)),
        ):
            await until(clock, lambda: len(a.serving) + len(b.serving) == 8 and bool(b.serving), 60)
            began = clock.monotonic()
            await first.drain()
            await until(clock, lambda: b.serving == set(SHARDS), 2.0)
            return clock.monotonic() - began

    took = run_virtual(main)
    assert took < 5 if is_ready else WARM_S_MAX < took < DRAIN_WARM_S_MAX + 6


def test_spare_is_what_would_be_ours_if_its_holder_died() -> None:
    async def main(clock: VirtualClock) -> None:
        world = MemoryWorld(clock)
        names = ("a", "b", "c")
        keepers = {name: Keeper() for name in names}
        async with contextlib.AsyncExitStack() as stack:
            for name in names:
                made = warming(world.process(name).bus, clock, name, keepers[name], lambda: SHARDS)
                await stack.enter_async_context(running(made))
            await until(clock, lambda: sum(len(one.serving) for one in keepers.values()) == 8, 30)
            await clock.sleep(10)
            for name in names:
                spare = [
                    shard
                    for shard in SHARDS
                    if (holder := rendezvous(shard, names)) != name
                    and rendezvous(shard, [one for one in names if one != holder]) == name
                ]
                assert keepers[name].told[-1] == f"coming  spare {' '.join(spare)}"

    run_virtual(main)


def test_whose_beats_stop_is_looked_for_so_often_that_his_end_is_seen_at_once() -> None:
    async def main(clock: VirtualClock) -> float:
        world = MemoryWorld(clock)
        a, b = Keeper(), Keeper()
        async with running(own(world.process("b").bus, clock, "b", b)):
            async with running(own(world.process("a").bus, clock, "a", a)):
                await until(clock, lambda: len(a.serving) + len(b.serving) == 8 and bool(a.serving), 60)
                await clock.sleep(1.01)
            died = clock.monotonic()
            await until(clock, lambda: b.serving == set(SHARDS))
            return clock.monotonic() - died

    assert run_virtual(main) < 3.0 + HURRY_S + 0.1

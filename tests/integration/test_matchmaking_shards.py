"""Where new tables go: to the process that has least to do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import orjson

from services.chassis.bus.memory import MemoryBus
from services.chassis.clock import VirtualClock, run_virtual
from services.matchmaking.shards import STALE_S, Shards
from tests.support.process import MemoryWorld


async def says(
    bus: MemoryBus, process: str, load: Mapping[str, int], *, draining: bool = False, lag_ms: int = 0
) -> None:
    """Be a table process that is alive."""
    said = {"incarnation": f"{process}-1", "draining": draining, "load": load, "lag_ms": lag_ms}
    await (await bus.bucket("alive")).put(f"table.{process}", orjson.dumps(said))


def test_tables_go_to_the_process_that_has_least_and_there_to_the_emptiest_shard() -> None:
    async def main(clock: VirtualClock) -> None:
        process = MemoryWorld(clock, log_shards=6).process("m")
        shards = Shards(process.parts)
        await says(process.bus, "a", {"0": 40, "1": 2})
        await says(process.bus, "b", {"2": 12, "3": 9})
        await says(process.bus, "c", {"4": 30, "5": 30})
        await shards.look()
        assert [shards.pick() for _ in range(3)] == ["3", "3", "3"]

    run_virtual(main)


def test_what_was_placed_since_the_last_report_counts() -> None:
    async def main(clock: VirtualClock) -> None:
        process = MemoryWorld(clock, log_shards=6).process("m")
        shards = Shards(process.parts)
        for name, own in (("a", ("0", "1")), ("b", ("2", "3")), ("c", ("4", "5"))):
            await says(process.bus, name, dict.fromkeys(own, 0))
        await shards.look()
        placed = Counter(shards.pick() for _ in range(60))
        assert set(placed.values()) == {10}, placed
        # Reports that do not hold them yet change nothing.
        await shards.look()
        assert set(Counter(shards.pick() for _ in range(6)).values()) == {1}

    run_virtual(main)


def test_who_drains_gets_none_and_who_is_late_only_if_all_are() -> None:
    async def main(clock: VirtualClock) -> None:
        process = MemoryWorld(clock, log_shards=3).process("m")
        shards = Shards(process.parts)
        await says(process.bus, "a", {"0": 0}, draining=True)
        await says(process.bus, "b", {"1": 5}, lag_ms=400)
        await says(process.bus, "c", {"2": 900})
        await shards.look()
        assert {shards.pick() for _ in range(20)} == {"2"}
        await says(process.bus, "c", {"2": 900}, lag_ms=400)
        await shards.look()
        assert {shards.pick() for _ in range(20)} == {"1"}

    run_virtual(main)


def test_when_nobody_is_heard_every_shard_gets_its_part() -> None:
    async def main(clock: VirtualClock) -> None:
        process = MemoryWorld(clock, log_shards=4).process("m")
        shards = Shards(process.parts)
        assert {shards.pick() for _ in range(200)} == {"0", "1", "2", "3"}
        await says(process.bus, "a", {"2": 1})
        await shards.look()
        assert {shards.pick() for _ in range(50)} == {"2"}
        process.world.broker.is_up = False
        await clock.sleep(STALE_S + 1)
        await shards.look()
        assert {shards.pick() for _ in range(200)} == {"0", "1", "2", "3"}

    run_virtual(main)

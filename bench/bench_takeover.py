"""Tables whose owner is killed, comes back, and is drained: for how long each of them stands still.

    python -m bench.bench_takeover [--tables 2000] [--rate 1500] [--shards 8] [--streams 4] [--sync always]
        [--quick] [--json]

Two `paiju serve table` processes on a real nats-server share one core; the names are such that the first one
owns every shard while it lives. Three persons with nonces sit at each table, and their actions go on arriving
all the while (`bench/table_driver.py`). *Killed*: SIGKILL to the first process; the time of a table runs from
the signal to its first frame from the new owner, and to the first answer of a seat that is accepted there.
*Back*: the first process starts again, and its shards are handed back to it. *Drained*: SIGTERM. There the
time of a table runs from the last word of its old owner. In between the log of a shard is read and folded
again in the bench's own process.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import os
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import uvloop

from bench.bench_table_open import quantile, timing
from bench.table_driver import Driver
from bench.table_seats import Heard, Move
from bench.table_world import Served, World, world
from engine import GAMES
from services.chassis import log
from services.chassis.bus import subject
from services.chassis.bus.port import Bus
from services.chassis.lease import rendezvous
from services.table.core.events import decode_batch
from services.table.replay import Replay

FIRST = "table-1"
WAIT_S_MAX = 60.0


def stand_in(shards: int) -> str:
    """Return a name that owns no shard while the first process lives."""
    names = (f"table-{number}" for number in range(2, 1_000_000))
    shard_names = [format(shard, "x") for shard in range(shards)]
    return next(name for name in names if all(rendezvous(at, [FIRST, name]) == FIRST for at in shard_names))


def spread(values: list[float]) -> dict[str, float]:
    """Return the least, middle and largest of seconds."""
    return {
        "min_s": round(min(values), 2),
        "p50_s": round(quantile(values, 0.5), 2),
        "p99_s": round(quantile(values, 0.99), 2),
        "max_s": round(max(values), 2),
    }


async def moved(driver: Driver, move: Move, rate: float, tables: list[str]) -> None:
    """Play on until every table has a new owner that has accepted something."""
    deadline = time.perf_counter() + WAIT_S_MAX
    while len(move.first_accepted) < len(tables) or len(move.first_frame) < len(tables):
        assert time.perf_counter() < deadline, (
            f"{len(move.first_frame)} tables seen, {len(move.first_accepted)} played at, of {len(tables)}"
        )
        await driver.play(rate, 0.2)


def figures(driver: Driver, move: Move, since: dict[str, float]) -> dict[str, Any]:
    """Return how long the tables stood still."""
    heard = driver.heard
    return {
        "tables": len(since),
        "frame": spread([move.first_frame[table_id] - at for table_id, at in since.items()]),
        "play": spread([move.first_accepted[table_id] - at for table_id, at in since.items()]),
        "slowest_action_ms": round(max(heard.answer_ms, default=0.0)),
        "refused": dict(heard.refused),
        "load_average": round(os.getloadavg()[0], 1),
    }


async def phase(
    driver: Driver, rate: float, tables: list[str], act: Any, *, from_act: bool
) -> dict[str, Any]:
    """Let something happen to the owner, and return what it did to the tables."""
    driver.heard = Heard()
    move = driver.watch_move()
    began = time.perf_counter()
    act()
    await moved(driver, move, rate, tables)
    shards = {table_id: int(table_id.partition("-")[0], 16) for table_id in tables}
    since = {at: began if from_act else move.left_at[shard] for at, shard in shards.items()}
    return figures(driver, move, since)


async def replayed(bus: Bus, shard: str) -> dict[str, float]:
    """Read and fold the log of a shard as a new owner does, and say how quickly."""
    log_subject = subject("table", "log", shard)
    last = await bus.last(log_subject)
    assert last is not None, "the log has been written"
    batches = []
    wall, cpu = time.perf_counter(), time.process_time()
    async for entry in bus.read(log_subject):
        batches.append(entry.payload)
        if entry.seq >= last.seq:
            break
    read = time.perf_counter() - wall, time.process_time() - cpu
    replay = Replay(GAMES)
    wall, cpu = time.perf_counter(), time.process_time()
    events = 0
    for payload in batches:
        entries = decode_batch(payload)
        events += sum(len(getattr(event, "since", (0,))) for _, event in entries)
        replay.take(entries)
    # As a new owner folds (`Tables.fold`).
    gc.disable()
    while replay.fold():
        pass
    gc.enable()
    fold = time.perf_counter() - wall, time.process_time() - cpu
    return {
        "messages": len(batches),
        "bytes": sum(map(len, batches)),
        "events": events,
        "tables": len(replay.live),
        "read_s": round(read[0], 3),
        "fold_s": round(fold[0], 3),
        "events_per_s": round(events / (read[0] + fold[0])),
        "events_per_cpu_s": round(events / (read[1] + fold[1])),
    }


async def run(asked: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """Set the tables, move them three times, and return the figures."""
    with world(folder, asked.shards, asked.streams, asked.sync) as made:
        first, second = processes(made, asked.shards)
        bus = await made.connect("driver")
        driver = await Driver(bus).open()
        tables = await driver.create(asked.tables, asked.shards, timing(0))
        await driver.attach(tables)
        await driver.until_in_play(int(asked.tables * 0.95))
        # Until the tables are anywhere in their rounds, and most have been written down in checkpoints.
        await driver.warm(asked.warm * asked.tables, 2 * asked.rate)
        found: dict[str, Any] = {}
        rate = asked.rate
        found["killed"] = await phase(
            driver, rate, tables, lambda: first.process.send_signal(signal.SIGKILL), from_act=True
        )
        first.process.wait()
        found["replay"] = await replayed(bus, "0")
        await driver.play(rate, 3.0)
        again: list[Served] = []
        found["back"] = await phase(
            driver, rate, tables, lambda: again.append(made.table(FIRST, pinned=True)), from_act=False
        )
        await driver.play(rate, asked.settle)
        found["drained"] = await phase(
            driver, rate, tables, lambda: again[0].process.send_signal(signal.SIGTERM), from_act=False
        )
        assert again[0].process.wait(30) == 0
        assert second.process.poll() is None, "the stand-in lives"
        await driver.close()
        await bus.close()
        return found


def processes(made: World, shards: int) -> tuple[Served, Served]:
    """Start the owner and its stand-in."""
    first = made.table(FIRST, pinned=True)
    first.until_ready()
    second = made.table(stand_in(shards), pinned=True)
    second.until_ready()
    return first, second


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tables", type=int, default=2000)
    parser.add_argument("--rate", type=float, default=1500.0)
    parser.add_argument("--warm", type=float, default=15.0, help="actions a table before the first kill")
    parser.add_argument(
        "--settle",
        type=float,
        default=15.0,
        help="seconds before the drain; the stand-in reads all anew in the first of them",
    )
    parser.add_argument("--shards", type=int, default=8)
    parser.add_argument("--streams", type=int, default=4)
    parser.add_argument("--sync", default="always")
    parser.add_argument("--quick", action="store_true", help="200 tables")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    if asked.quick:
        asked.tables, asked.rate = 200, 300.0
    log.configure("error")
    with (
        tempfile.TemporaryDirectory(prefix="paiju-bench-") as folder,
        asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner,
    ):
        found = runner.run(run(asked, Path(folder)))
    if asked.json:
        sys.stdout.write(json.dumps(found) + "\n")
        return
    for name, row in found.items():
        print(f"{name}: " + "  ".join(f"{key} {value}" for key, value in row.items()))


if __name__ == "__main__":
    main()

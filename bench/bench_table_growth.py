"""What an action costs with few and with many tables in the process, at one rate of actions; their memory.

    python -m bench.bench_table_growth [--tables 2000] [--base 100] [--rate 1000] [--seconds 6] [--shards 8]
        [--streams 4] [--sync always] [--settle 5] [--full] [--profile] [--json]

Processes and players are those of `bench/bench_table_open.py`. The few are measured before and after the
many, so that a change of the machine in between shows; the ratio is to the mean of both. Everything that a
process does for tables at rest (heartbeats, timers, checkpoints) is in the cost. Before it is measured they
are played unequally, so that they are all over their rounds (the ends are dear; `actions_per_round` shows
whether each had as many), and play on at that rate for `--settle` seconds: the warming asks for more than a
process can do, which leaves checkpoints for later. `--full` is 10,000 tables. `--profile` says in which part
of the process the difference lies (`bench/sampled.py`).
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import shutil
import signal
import sys
import tempfile
from pathlib import Path
from typing import Any

import uvloop

from bench.bench_table_open import measured, timing
from bench.profile_parts import by_part
from bench.table_driver import Driver
from bench.table_world import resident_kib, world
from services.chassis import log

WARM_RATE = 3_500.0
SPREAD = 60.0
"""Actions between the tables played least and most before it is measured: some two rounds."""

SHOWN = (
    "actions_per_s",
    "table_us",
    "broker_us",
    "actions_per_round",
    "beats_per_s",
    "checkpoints_per_action",
    "frame_p99_ms",
)


async def cost(asked: argparse.Namespace, folder: Path, tables: int, settle_s: float) -> dict[str, Any]:
    """Return the figures with so many tables."""
    with world(folder, asked.shards, asked.streams, asked.sync) as made:
        sample = folder / "samples.json" if asked.profile else None
        table = made.table("table-1", pinned=True, sample=sample)
        table.until_ready()
        bus = await made.connect("driver")
        driver = await Driver(bus).open()
        base = resident_kib(table.pid)
        table_ids = await driver.create(tables, asked.shards, timing(0))
        await driver.attach(table_ids)
        await driver.until_in_play(int(tables * 0.95), 180.0)
        in_play = resident_kib(table.pid)
        # Tables must be anywhere in their rounds, or the many play beginnings or ends only.
        await driver.warm(asked.warm * tables, WARM_RATE)
        await driver.spread(SPREAD, WARM_RATE)
        await driver.play(asked.rate, settle_s)
        if sample is not None:
            os.kill(table.pid, signal.SIGUSR1)
        found = await measured(made, table, driver, asked.rate, asked.seconds)
        found["tables"] = tables
        if sample is not None:
            os.kill(table.pid, signal.SIGUSR2)
            for _ in range(200):
                if sample.exists() and sample.stat().st_size:
                    break
                await asyncio.sleep(0.05)
            found["profile"] = by_part(sample, found["table_us"])
            if asked.keep:
                Path(asked.keep).mkdir(exist_ok=True)
                shutil.copy(sample, Path(asked.keep) / f"samples-{tables}.json")
        found["rss_kib_per_table_dealt"] = round((in_play - base) / tables, 1)
        found["rss_kib_per_table"] = round((resident_kib(table.pid) - base) / tables, 1)
        await driver.close()
        await bus.close()
        return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tables", type=int, default=2000)
    parser.add_argument("--base", type=int, default=100)
    parser.add_argument("--rate", type=float, default=1000.0)
    parser.add_argument("--seconds", type=float, default=6.0)
    parser.add_argument("--warm", type=float, default=6.0, help="actions of each table before it is measured")
    parser.add_argument("--settle", type=float, default=5.0)
    parser.add_argument("--shards", type=int, default=8)
    parser.add_argument("--streams", type=int, default=4)
    parser.add_argument("--sync", default="always")
    parser.add_argument("--full", action="store_true", help="10,000 tables; some minutes")
    parser.add_argument("--profile", action="store_true", help="say where the difference lies")
    parser.add_argument("--keep", default="", help="a folder for the samples of --profile")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    if asked.full:
        asked.tables, asked.seconds, asked.warm, asked.settle = 10_000, 15.0, 10.0, 60.0
    log.configure("error")
    rows = []
    for tables in (asked.base, asked.tables, asked.base):
        with (
            tempfile.TemporaryDirectory(prefix="paiju-bench-") as folder,
            asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner,
        ):
            settle_s = min(5.0, asked.settle) if tables == asked.base else asked.settle
            rows.append(runner.run(cost(asked, Path(folder), tables, settle_s)))
    few = (rows[0]["table_us"] + rows[2]["table_us"]) / 2
    ratio = round(rows[1]["table_us"] / few, 3)
    if asked.json:
        sys.stdout.write(json.dumps({"rows": rows, "ratio": ratio}) + "\n")
        return
    for row in rows:
        print(f"{row['tables']:>6} tables: " + "  ".join(f"{name} {row[name]}" for name in SHOWN))
        kib = row["rss_kib_per_table_dealt"], row["rss_kib_per_table"]
        print(f"        resident KiB a table: {kib[0]} dealt, {kib[1]} after")
    if asked.profile:
        base, many = ({part: us for part, us, _ in row["profile"]} for row in rows[:2])
        for part in sorted(many, key=lambda part: base.get(part, 0.0) - many[part]):
            before, after = base.get(part, 0.0), many[part]
            print(f"{part:45} {before:6.0f} {after:6.0f}  {after - before:+6.0f} µs")
    print(f"an action with {asked.tables} tables costs {ratio} times one with {asked.base}")


if __name__ == "__main__":
    main()

"""One table process on a core of its own, played from outside at a fixed rate: what an action costs whom.

    python -m bench.bench_table_open [--tables 2000] [--rate 3000] [--seconds 8] [--shards 8] [--streams 4]
        [--sync always] [--pause-ms 0] [--runs 1] [--profile] [--quick] [--json]

`paiju serve table` is pinned to one core; nats-server (one node, `sync_interval: always`) and the driver of
`bench/table_driver.py` share the others. Three persons with nonces sit at each table of 跑胡子. Actions
arrive as a Poisson process at the given rate, then at half of it; an action is an answer that was accepted,
which it is only once it is in the log. *Frame* is the time from when an action was due to the first frame of
its own seat that follows from it, through driver, broker, log and back. Below saturation of the other cores
the figures count.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import uvloop

from bench.profile_parts import by_part, hottest
from bench.table_driver import Driver
from bench.table_seats import Heard
from bench.table_world import Served, World, busy_s, cpu_of, resident_kib, world
from services.chassis import log

BUCKETS = "paiju_table_events_per_append_bucket"


def timing(pause_ms: int) -> str:
    """Return the waits of the tables: nobody's time runs out."""
    waits = {"claim_pause_ms": pause_ms, "turn_ms": 600_000, "claim_ms": 600_000, "between_ms": 0}
    return json.dumps(waits | {"nonce_ms": 10_000, "seat_ms": 600_000})


def quantile(values: list[float], share: float) -> float:
    """Return the value below which this share lies."""
    return sorted(values)[min(len(values) - 1, int(len(values) * share))] if values else 0.0


async def measured(
    made: World, table: Served, driver: Driver, rate: float, seconds: float, settle_s: float = 2.0
) -> dict[str, Any]:
    """Play at a rate, and return the figures."""
    other = min(made.others)
    if settle_s:
        await driver.play(rate, settle_s)
    before = table.metrics()
    driver.heard = heard = Heard()
    cpu = {"table": cpu_of(table.pid), "broker": cpu_of(made.broker_pid), "driver": time.process_time()}
    busy = busy_s(made.core), busy_s(other)
    wall = await driver.play(rate, seconds)
    spent = {
        "table": cpu_of(table.pid) - cpu["table"],
        "broker": cpu_of(made.broker_pid) - cpu["broker"],
        "driver": time.process_time() - cpu["driver"],
    }
    cores = (busy_s(made.core) - busy[0]) / wall, (busy_s(other) - busy[1]) / wall
    after = table.metrics()
    actions = max(1, heard.accepted)
    gained = {name: after[name] - before.get(name, 0.0) for name in after}
    appends = gained["paiju_table_appends_total"]
    return {
        "offered_per_s": rate,
        "actions_per_s": round(heard.accepted / wall),
        "actions_per_core_s": round(heard.accepted / spent["table"]),
        "table_us": round(spent["table"] / actions * 1e6),
        "broker_us": round(spent["broker"] / actions * 1e6),
        "driver_us": round(spent["driver"] / actions * 1e6),
        "table_load": round(spent["table"] / wall, 2),
        "own_core_load": round(cores[0], 2),
        "other_core_load": round(cores[1], 2),
        "frame_p50_ms": round(quantile(heard.frame_ms, 0.5), 1),
        "frame_p99_ms": round(quantile(heard.frame_ms, 0.99), 1),
        "answer_p50_ms": round(quantile(heard.answer_ms, 0.5), 1),
        "answer_p99_ms": round(quantile(heard.answer_ms, 0.99), 1),
        "frames_per_action": round(heard.frames / actions, 2),
        "beats_per_s": round(heard.beats / wall),
        "appends_per_s": round(appends / wall),
        "events_per_append": round(gained["paiju_table_events_total"] / max(1.0, appends), 2),
        "log_bytes_per_action": round(gained["paiju_table_append_bytes_total"] / actions),
        "checkpoints_per_action": round(gained["paiju_table_checkpoints_total"] / actions, 3),
        "histogram": histogram(gained),
        "refused": dict(heard.refused),
        "gaps": heard.gaps,
        "actions_per_round": round(actions / max(1, heard.rounds), 1),
        "starved": heard.starved,
        "load_average": round(os.getloadavg()[0], 1),
    }


def histogram(gained: dict[str, float]) -> dict[str, float]:
    """Return the share of appends with at most so many events, from the service's own histogram."""
    below = {
        name.partition('le="')[2].rstrip('"}'): count
        for name, count in gained.items()
        if name.startswith(BUCKETS)
    }
    whole = below.get("+Inf", 0.0)
    return (
        {edge.removesuffix(".0"): round(count / whole, 3) for edge, count in below.items()} if whole else {}
    )


async def run(asked: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """Set the tables, play at the rate and at half of it, and return the figures."""
    with world(folder, asked.shards, asked.streams, asked.sync) as made:
        sample = folder / "samples.json" if asked.profile else None
        table = made.table("table-1", pinned=True, sample=sample)
        table.until_ready()
        bus = await made.connect("driver")
        driver = await Driver(bus).open()
        base = resident_kib(table.pid)
        table_ids = await driver.create(asked.tables, asked.shards, timing(asked.pause_ms))
        await driver.attach(table_ids)
        await driver.until_in_play(int(asked.tables * 0.95))
        # Everybody is somewhere else in his round before anything is measured.
        await driver.warm(asked.warm * asked.tables, asked.rate)
        found: dict[str, Any] = {}
        if asked.profile:
            os.kill(table.pid, signal.SIGUSR1)
        for name, rate in (("full", asked.rate), ("half", asked.rate / 2)):
            found[name] = await measured(made, table, driver, rate, asked.seconds)
            if asked.profile and name == "full":
                os.kill(table.pid, signal.SIGUSR2)
        found["rss_kib_per_table"] = round((resident_kib(table.pid) - base) / asked.tables, 1)
        await driver.close()
        await bus.close()
        if sample is not None:
            for _ in range(100):
                if sample.exists() and sample.stat().st_size:
                    break
                await asyncio.sleep(0.05)
            found["profile"] = by_part(sample, found["full"]["table_us"])
            found["hottest"] = hottest(sample, found["full"]["table_us"])
        return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tables", type=int, default=2000)
    parser.add_argument("--rate", type=float, default=3000.0)
    parser.add_argument("--seconds", type=float, default=8.0)
    parser.add_argument("--warm", type=float, default=15.0, help="actions a table before it is measured")
    parser.add_argument("--shards", type=int, default=8)
    parser.add_argument("--streams", type=int, default=4)
    parser.add_argument("--sync", default="always")
    parser.add_argument("--pause-ms", type=int, default=0)
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--profile", action="store_true", help="say where the time goes")
    parser.add_argument("--quick", action="store_true", help="one short run with 400 tables")
    parser.add_argument(
        "--nice", type=int, default=0, help="below 0: before other work of the machine (as root)"
    )
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    if asked.quick:
        asked.tables, asked.rate, asked.seconds, asked.warm, asked.runs = 400, 1000.0, 5.0, 10.0, 1
    log.configure("error")
    if asked.nice:
        os.nice(asked.nice)
    runs = []
    for _ in range(asked.runs):
        with (
            tempfile.TemporaryDirectory(prefix="paiju-bench-") as folder,
            asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner,
        ):
            runs.append(runner.run(run(asked, Path(folder))))
        if not asked.json:
            show(runs[-1])
    if asked.json:
        sys.stdout.write(json.dumps(runs) + "\n")
    elif len(runs) > 1:
        for name in ("full", "half"):
            costs = [found[name]["table_us"] for found in runs]
            p99 = [found[name]["frame_p99_ms"] for found in runs]
            print(f"{name}: table us/action min {min(costs)} median {statistics.median(costs)}")
            print(f"{name}: frame p99 ms min {min(p99)} median {statistics.median(p99)}")


def show(found: dict[str, Any]) -> None:
    """Print one run."""
    for name, row in found.items():
        if isinstance(row, dict):
            print(f"{name}: " + "  ".join(f"{key} {value}" for key, value in row.items()))
        elif isinstance(row, list):
            print(name)
            for part, micros, share in row:
                print(f"  {part:64} {micros:7.1f} us {share:6.1%}")
        else:
            print(f"{name}: {row}")


if __name__ == "__main__":
    main()

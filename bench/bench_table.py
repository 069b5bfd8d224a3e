"""Tables of bots at full speed in one process, on a real NATS server: actions per second, and their cost.

    python -m bench.bench_table [--tables 100] [--seconds 8] [--shards 4] [--game all] [--bot normal]
        [--profile] [--json]

Claim pause and waits are 0, so that every bot answers as soon as its question is durable. A spectator listens
to every table. An action is an answer in the log. The time of an action is from its decision to its
acknowledgement (ack) and to the arrival of its frame at a listener (frame). `nats` syncs by timer,
`nats-always` every write before it is acknowledged; `memory` is the same without a broker, so that the ratio
tells the broker's part in one run. `--game all` plays every game in turn, on `nats` alone.
"""

from __future__ import annotations

import argparse
import asyncio
import cProfile
import functools
import json
import pstats
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import uvloop
from paiju.table.v1 import play_pb2 as p
from paiju.table.v1.wire_pb2 import Command, OutBatch

from engine import GAMES
from services.chassis import log
from services.chassis.bus import subject
from services.chassis.bus.broker import MemoryBroker
from services.chassis.bus.memory import MemoryBus
from services.chassis.bus.nats import NatsBus, NatsLogin
from services.chassis.bus.port import Bus
from services.chassis.bus.registry import Registry
from services.chassis.bus.streams import ensure_streams
from services.chassis.clock import SystemClock
from services.chassis.ids import SystemIds
from services.chassis.metrics import Metrics
from services.table.calls import Calls, Create
from services.table.core import events as e
from services.table.core.events import Spec
from services.table.shard import Shard
from tests.simulation.tables import Host, spec
from tests.support.nats import NatsServer
from tests.support.process import full_registry

TIMING = '{"claim_pause_ms":0,"turn_ms":60000,"claim_ms":60000,"nonce_ms":0,"between_ms":0}'
PARTS = {
    "rules engine": ("/engine/",),
    "fold and frames (core)": ("/services/table/core/",),
    "journal, timers, outbox, desk": (
        "/services/table/journal.py",
        "/services/table/tables.py",
        "/services/table/outbox.py",
        "/services/table/desk.py",
        "/services/table/shard.py",
        "/services/table/sessions.py",
        "/services/table/encode.py",
    ),
    "bus (chassis)": ("/services/chassis/",),
    "nats client": ("/nats/",),
    "encodings (msgspec, protobuf, json, hashes)": (
        "msgspec",
        "encode",
        "Encoder",
        "SerializeToString",
        "ParseFromString",
        "FromString",
        "/json/",
        "_hashlib",
        "sha256",
        "digest",
    ),
    "event loop": ("/asyncio/", "uvloop", "select", "/contextlib.py"),
}


class Meter:
    """Counts answers and how long they take."""

    def __init__(self) -> None:
        self.actions = 0
        self.events = 0
        self.appends = 0
        self.ack_ms: list[float] = []
        self.frame_ms: list[float] = []
        self.rounds = 0

    def watch(self, shard: Shard) -> None:
        """Look over the shoulder of a shard's journal."""
        journal = shard.journal
        stage, on_durable = journal.stage, journal._on_durable
        times: dict[int, float] = {}

        def staged(table_id: str, event: e.AnyEvent) -> None:
            if isinstance(event, e.Answered):
                times[id(event)] = time.perf_counter()
            stage(table_id, event)

        def durable(seq: int, entries: Any) -> None:
            now = time.perf_counter()
            self.appends += 1
            self.events += len(entries)
            for _, event in entries:
                if isinstance(event, e.Answered):
                    self.actions += 1
                    self.ack_ms.append((now - times.pop(id(event), now)) * 1000)
                elif isinstance(event, e.RoundEnded):
                    self.rounds += 1
            on_durable(seq, entries)

        journal.stage = staged  # type: ignore[method-assign]
        journal._on_durable = durable

    async def hear(self, payload: bytes, _: str) -> None:
        """Take what a gateway would take; look into every eighth batch."""
        if len(self.frame_ms) % 8:
            self.frame_ms.append(self.frame_ms[-1])
            return
        now_ms = time.time() * 1000
        for out in OutBatch.FromString(payload).outs:
            if out.frame:
                self.frame_ms.append(now_ms - p.Frame.FromString(out.frame).at_ms)
                break
        else:
            if self.frame_ms:
                self.frame_ms.append(self.frame_ms[-1])


@dataclass(frozen=True)
class Load:
    """What is played."""

    tables: int
    shards: int
    seconds: float
    game: str
    bot: str

    def registry(self) -> Registry:
        """Return the facts and logs of so many shards."""
        return full_registry(log_shards=self.shards, log_streams=min(self.shards, 2))

    def spec(self) -> Spec:
        """Return what each table is made from."""
        return spec(rounds=64, timing=TIMING, game=self.game, bot=self.bot)


async def measure(bus: Bus, load: Load, server_cpu: Any) -> dict[str, float]:
    """Play, and return the figures."""
    shards, tables, seconds = load.shards, load.tables, load.seconds
    clock, meter = SystemClock(), Meter()
    host = Host(bus, clock, SystemIds(), name="bench")
    owned = {format(number, "x"): await host.take(format(number, "x")) for number in range(shards)}
    await bus.listen(subject("gateway", "out", "bench"), meter.hear)
    calls = Calls(bus, owned.get)
    for number in range(tables):
        shard = format(number % shards, "x")
        table_id = f"{shard}-bench{number:05d}"
        await calls.about(Create(table_id, load.spec()))
        attach = p.TableCommand(table_id=table_id, attach=p.Attach(spectate=True))
        owned[shard]._desk.take("bench", Command(player_id="p_x", session=table_id, tag=1, command=attach))
    for served in owned.values():
        meter.watch(served)
    await clock.sleep(1.0)
    meter.actions = meter.events = meter.appends = meter.rounds = 0
    meter.ack_ms.clear()
    meter.frame_ms.clear()
    wall, cpu, broker = time.perf_counter(), time.process_time(), server_cpu()
    await clock.sleep(seconds)
    wall, cpu, broker = time.perf_counter() - wall, time.process_time() - cpu, server_cpu() - broker
    figures = {
        "tables": tables,
        "actions_per_s": meter.actions / wall,
        "actions_per_cpu_s": meter.actions / cpu,
        "cpu_us_per_action": cpu / max(1, meter.actions) * 1e6,
        "broker_cpu_us_per_action": broker / max(1, meter.actions) * 1e6,
        "rounds_per_s": meter.rounds / wall,
        "events_per_append": meter.events / max(1, meter.appends),
        "appends_per_s": meter.appends / wall,
        "ack_p50_ms": quantile(meter.ack_ms, 0.5),
        "ack_p99_ms": quantile(meter.ack_ms, 0.99),
        "frame_p50_ms": quantile(meter.frame_ms, 0.5),
        "frame_p99_ms": quantile(meter.frame_ms, 0.99),
    }
    await host.kill()
    return {name: round(value, 2) for name, value in figures.items()}


def quantile(values: list[float], share: float) -> float:
    """Return the value below which this share lies."""
    return sorted(values)[int(len(values) * share)] if values else 0.0


def cpu_of(pid: int) -> float:
    """Return the processor seconds of another process (0 where /proc is not to be had)."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / 100


async def on_nats(load: Load, always: bool = False) -> dict[str, float]:
    """Measure against a real server."""
    registry = load.registry()
    with tempfile.TemporaryDirectory() as folder:
        extra = f'jetstream {{\n  store_dir: "{folder}/store"\n  sync_interval: always\n}}' if always else ""
        server = NatsServer(Path(folder), extra=extra).start()
        try:
            bus = await NatsBus.connect(
                NatsLogin(server.url), registry, SystemClock(), SystemIds(), Metrics(), "bench"
            )
            await ensure_streams(bus.jetstream, registry)
            process = server._process
            found = await measure(bus, load, lambda: cpu_of(process.pid) if process is not None else 0.0)
            await bus.close()
            return found
        finally:
            server.stop()


async def in_memory(load: Load) -> dict[str, float]:
    """Measure the same without a broker."""
    registry = load.registry()
    clock = SystemClock()
    broker = MemoryBroker(registry, clock)
    bus = MemoryBus(broker, registry, clock, SystemIds(), Metrics(), "bench")
    found = await measure(bus, load, lambda: 0.0)
    await bus.close()
    return found


def by_part(profile: cProfile.Profile, actions: float) -> list[tuple[str, float, float]]:
    """Return (part, microseconds per action, share) from a profile, largest first."""
    spent: dict[str, float] = defaultdict(float)
    total = 0.0
    stats: Any = pstats.Stats(profile)
    for (file, _, function), (_, _, own, _, _) in stats.stats.items():
        name = f"{file}:{function}"
        if "select.epoll" in name or "run_until_complete" in name or "'run'" in name:
            continue
        part = next((part for part, marks in PARTS.items() if any(mark in name for mark in marks)), "other")
        spent[part] += own
        total += own
    return sorted(
        ((part, own / max(1.0, actions) * 1e6, own / total) for part, own in spent.items()),
        key=lambda row: -row[1],
    )


def played(run: Callable[[Load], Coroutine[Any, Any, dict[str, float]]], load: Load) -> dict[str, float]:
    """Return what one run measured, on a loop of its own."""
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(run(load))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--tables", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=8.0)
    parser.add_argument("--shards", type=int, default=4)
    parser.add_argument("--game", default="paohuzi", choices=[*GAMES, "all"])
    parser.add_argument("--bot", default="random", help="a bot that the game has")
    parser.add_argument(
        "--profile", action="store_true", help="say where the time goes (on the standard loop)"
    )
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    log.configure("error")
    first = "paohuzi" if asked.game == "all" else asked.game
    load = Load(asked.tables, asked.shards, asked.seconds, first, asked.bot)
    runs: dict[str, Any] = {
        "nats": on_nats,
        "nats-always": functools.partial(on_nats, always=True),
        "memory": in_memory,
    }
    found: dict[str, dict[str, float]] = {}
    if asked.game == "all":
        for game in GAMES:
            found[game] = played(on_nats, replace(load, game=game))
        base = found[first]["actions_per_cpu_s"]
        found["ratio"] = {
            f"{game}_to_{first}": round(found[game]["actions_per_cpu_s"] / base, 3) for game in GAMES
        }
    else:
        for name, run in runs.items():
            found[name] = played(run, load)
        memory = found["memory"]["actions_per_cpu_s"]
        found["ratio"] = {"nats_to_memory": round(found["nats"]["actions_per_cpu_s"] / memory, 3)}
    if asked.json:
        sys.stdout.write(json.dumps(found) + "\n")
    else:
        for name, row in found.items():
            sys.stdout.write(f"{name}: " + "  ".join(f"{key} {value:,}" for key, value in row.items()) + "\n")
    if asked.profile:
        profile = cProfile.Profile(time.process_time)
        profile.enable()
        with asyncio.Runner() as runner:
            figures = runner.run(on_nats(load))
        profile.disable()
        actions = figures["actions_per_s"] * (asked.seconds + 1)
        for part, micros, share in by_part(profile, actions):
            sys.stdout.write(f"{part:46} {micros:8.1f} us/action {share:6.1%}\n")


if __name__ == "__main__":
    main()

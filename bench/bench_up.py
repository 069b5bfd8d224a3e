"""A whole `paiju up` with tables of bots at full speed: actions a second, latency, where the time goes.

    python -m bench.bench_up [--tables 100] [--seconds 20] [--no-profile] [--json]

A real process of all nine services with its nats-server (`sync_interval: always`) and SQLite files. Three
bots play at each table for coins, with claim pause and waits 0, so that every round also passes the audit,
the ledger and the statistics. Five signed-in spectators listen to four tables each through the gateway's
WebSocket; the latency is from an event's time in the log to the arrival of its frame there. An action is an
answer in the log. A second run under cProfile gives the shares of processor time by part; it is slower, so
the rates are those of the first run.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import pstats
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

import aiohttp
import grpc
from paiju.table.v1 import play_pb2 as play
from paiju.table.v1 import table_service_pb2 as pb
from paiju.table.v1.table_service_pb2_grpc import TableServiceStub

from services.chassis.auth import service_token
from tests.support.person import Person
from tests.support.up import ROOT

TIMING = '{"claim_pause_ms":0,"turn_ms":60000,"claim_ms":60000,"nonce_ms":0,"between_ms":0}'
UP = ("up", "--port", "0", "--json")
WATCHED = 4
"""Tables that one connection may listen to."""
IDLE = ("run_until_complete", "poll", "acquire", "wait", "select")
"""Where a process waits, as the profiler names it."""
PARTS = {
    "table: fold, frames, duties": ("/services/table/core/",),
    "table: log, outbox, sessions": ("/services/table/",),
    "rules engine and bots": ("/engine/",),
    "scoring": ("/services/scoring/",),
    "economy": ("/services/economy/",),
    "progress, anticheat": ("/services/progress/", "/services/anticheat/"),
    "gateway": ("/services/gateway/", "/aiohttp/"),
    "other services": ("/services/matchmaking/", "/services/chat/", "/services/accounts/"),
    "chassis": ("/services/chassis/",),
    "nats-py": ("/nats/",),
    "SQL": ("/sqlalchemy/", "sqlite3"),
    "protobuf, MessagePack": ("/google/protobuf", "msgspec", "_upb"),
}


def start(data: Path, profile: Path | None) -> tuple[subprocess.Popen[bytes], dict[str, Any]]:
    """Start `paiju up` and return it with what it announced."""
    profiler = ["-m", "cProfile", "-o", str(profile)] if profile else []
    process = subprocess.Popen(
        [sys.executable, *profiler, "-m", "services.launch", *UP, "--data", str(data)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "protos")])},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert process.stdout is not None
    line = process.stdout.readline()
    assert line, f"paiju up ended with {process.wait()}"
    return process, json.loads(line)


async def open_tables(said: dict[str, Any], data: Path, tables: int) -> list[str]:
    """Make the tables, as matchmaking would, and return their ids."""
    key = (data / "keys" / "service").read_bytes().decode()
    metadata = (("authorization", f"Bearer {service_token(key, 'matchmaking', int(time.time()))}"),)
    spec = pb.TableSpec(
        game="paohuzi",
        preset="tongyi-qmt",
        rounds=64,
        seats=[pb.SeatSpec(player_id="bot:normal")] * 3,
        stake=pb.StakeSpec(currency="gold", buy_in=1_000_000, base_stake=1, minimum=1),
        timing_json=TIMING,
        spectators=True,
    )
    made = [f"{number % 4:x}-bench{number}" for number in range(tables)]
    async with grpc.aio.insecure_channel(said["grpc"]) as channel:
        stub = TableServiceStub(channel)
        for table_id in made:
            await stub.CreateTable(pb.CreateTableRequest(table_id=table_id, spec=spec), metadata=metadata)
    return made


async def watching(url: str, table_ids: list[str]) -> Person:
    """Return a signed-in spectator of these tables."""
    person = Person(url)
    await person.sign_in()
    await person.connect()
    for table_id in table_ids:
        answer = await person.door.command(table_id, attach=play.Attach(spectate=True))
        assert not answer.reason, answer
    return person


async def metrics_of(said: dict[str, Any]) -> dict[str, float]:
    """Return the sums of the counters this bench needs."""
    sums: dict[str, float] = defaultdict(float)
    async with aiohttp.ClientSession() as http, http.get(said["metrics"]) as answer:
        for line in (await answer.text()).splitlines():
            if not line.startswith("#"):
                name, _, value = line.rpartition(" ")
                sums[name.partition("{")[0]] += float(value)
    return sums


async def measure(data: Path, said: dict[str, Any], pid: int, tables: int, seconds: float) -> dict[str, Any]:
    """Play for some seconds and return the figures."""
    made = await open_tables(said, data, tables)
    people = [await watching(said["url"], made[at : at + WATCHED]) for at in range(0, 5 * WATCHED, WATCHED)]
    broker = broker_of(data)
    for person in people:
        person.door.heard.clear()
    before, cpu, broker_cpu, began = await metrics_of(said), cpu_of(pid), cpu_of(broker), time.monotonic()
    late: list[float] = []
    while time.monotonic() - began < seconds:
        await asyncio.sleep(0.02)
        now_ms = time.time() * 1000
        for person in people:
            while person.door.heard:
                frames = person.door.heard.popleft().table_frames.frames
                late.extend(now_ms - play.Frame.FromString(frame).at_ms for frame in frames)
    after, spent, broker_spent = await metrics_of(said), cpu_of(pid) - cpu, cpu_of(broker) - broker_cpu
    took = time.monotonic() - began
    for person in people:
        await person.close()
    actions = after["paiju_table_answers_total"] - before["paiju_table_answers_total"]
    appends = after["paiju_table_appends_total"] - before["paiju_table_appends_total"]
    events = after["paiju_table_events_total"] - before["paiju_table_events_total"]
    rounds = after["paiju_scoring_audits_total"] - before["paiju_scoring_audits_total"]
    late.sort()
    return {
        "tables": tables,
        "actions_per_s": round(actions / took),
        "rounds_per_s": round(rounds / took, 1),
        "cpu_us_per_action": round(spent / actions * 1e6),
        "broker_cpu_us_per_action": round(broker_spent / actions * 1e6),
        "events_per_append": round(events / appends, 1),
        "frame_p50_ms": round(late[len(late) // 2]),
        "frame_p99_ms": round(late[len(late) * 99 // 100]),
        "frames_heard": len(late),
    }


def cpu_of(pid: int) -> float:
    """Return the processor seconds of a process so far (Linux); 0 for none."""
    if not pid:
        return 0.0
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def broker_of(data: Path) -> int:
    """Return the pid of the nats-server on a data folder's store (Linux)."""
    for process in Path("/proc").glob("[0-9]*/cmdline"):
        words = process.read_bytes().split(b"\0")
        if words[0].endswith(b"nats-server") and str(data).encode() in b" ".join(words):
            return int(process.parent.name)
    return 0


def shares(profile: Path) -> dict[str, float]:
    """Return each part's share of the profiled time of the main thread, waiting left out."""
    spent: dict[str, float] = defaultdict(float)
    stats: Any = pstats.Stats(str(profile))
    for (file, _, name), (_, _, own, _, _) in stats.stats.items():
        if any(word in name for word in IDLE):
            continue
        known = (part for part, marks in PARTS.items() if any(mark in file or mark in name for mark in marks))
        spent[next(known, "builtins" if file == "~" else "standard library and others")] += own
    whole = sum(spent.values())
    return {part: round(100 * own / whole, 1) for part, own in sorted(spent.items(), key=lambda i: -i[1])}


def run(tables: int, seconds: float, profile: Path | None) -> dict[str, Any]:
    """Start the platform, measure, end it."""
    with tempfile.TemporaryDirectory(prefix="paiju-bench-") as folder:
        data = Path(folder) / "data"
        process, said = start(data, profile)
        try:
            return asyncio.run(measure(data, said, process.pid, tables, seconds))
        finally:
            process.terminate()
            process.wait(60)


def main() -> None:
    """Run the bench and print its figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--no-profile", action="store_true")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    figures = run(asked.tables, asked.seconds, None)
    if not asked.no_profile:
        with tempfile.TemporaryDirectory(prefix="paiju-bench-") as folder:
            profile = Path(folder) / "profile"
            run(asked.tables, asked.seconds, profile)
            figures["share_percent"] = shares(profile)
    if asked.json:
        print(json.dumps(figures, ensure_ascii=False))
        return
    for name, value in figures.items():
        if isinstance(value, dict):
            print(name)
            for part, share in value.items():
                print(f"  {part:34} {share:5.1f} %")
        else:
            print(f"{name:28} {value}")


if __name__ == "__main__":
    main()

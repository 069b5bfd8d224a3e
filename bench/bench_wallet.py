"""How long a wallet takes to read at 1,000 reads a second that arrive by chance: through gRPC, and directly.

    python -m bench.bench_wallet [--rate 1000] [--seconds 8] [--players 2000] [--json]

Economy's API runs in a process of its own behind the chassis' gRPC server; this process calls `GetWallet` as
a gateway does, of players at random, each with a stake open. Arrivals are a Poisson process, and the time
counts from when a read was due. *direct* is the same read without gRPC, in one process with the arrivals;
*thread* the same once more by `Database.read`, in a thread and a transaction, to be compared. `cpu_us` is the
processor time of a read in the process that arrives (through gRPC the caller's, not the server's).
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any, cast

import grpc
import uvloop
from grpc_health.v1 import health_pb2, health_pb2_grpc
from paiju.economy.v1 import economy_service_pb2 as pb
from paiju.economy.v1 import economy_service_pb2_grpc
from paiju.economy.v1.economy_service_pb2_grpc import EconomyServiceStub

from services.chassis import log
from services.chassis.auth import Verifier, keys_on_bus
from services.chassis.bus.broker import MemoryBroker
from services.chassis.bus.memory import MemoryBus
from services.chassis.bus.registry import Registry
from services.chassis.clock import SystemClock
from services.chassis.config import PaijuSettings
from services.chassis.db import Database, migrate, open_database
from services.chassis.errors import Outage
from services.chassis.health import Health
from services.chassis.ids import SystemIds
from services.chassis.metrics import Metrics
from services.chassis.outbox import Outbox
from services.chassis.revocations import Revocations, revoked_on_bus
from services.chassis.rpc.server import CHANNEL_OPTIONS, GrpcRpc
from services.economy.api import ACCESS, EconomyApi
from services.economy.bus import Tellers
from services.economy.reads import WalletReads
from services.economy.settings import EconomySettings
from services.economy.store import stakes, wallets
from tests.support.forked import Forked
from tests.support.postgres import PostgresServer, postgres_binaries

KEY = "a key for measuring, of enough characters to do"
WARM_S = 2.0


def rpc_of(name: str, **settings: Any) -> tuple[GrpcRpc, MemoryBus]:
    """Return the RPC side of a process, and a bus that nothing is told over."""
    clock, ids, metrics = SystemClock(), SystemIds(), Metrics()
    registry = Registry()
    bus = MemoryBus(MemoryBroker(registry, clock), registry, clock, ids, metrics, name)
    verifier = Verifier(KEY, keys_on_bus(bus), clock, Revocations(revoked_on_bus(bus), clock))
    shared = PaijuSettings(dev=True, service_key=KEY, **settings)
    return GrpcRpc(shared, verifier, Health(), clock, ids, metrics, name), bus


def serve(url: str, said: int, until: int) -> None:
    """Serve economy's API until `until` can be read; write the port to `said`."""

    async def main() -> None:
        log.configure("error", as_json=True)
        rpc, bus = rpc_of("economy")
        clock, settings = SystemClock(), EconomySettings()
        db = open_database(url, clock, SystemIds())
        api = EconomyApi(db, clock, settings, Tellers(db, bus, Outbox(db, bus, clock)))
        rpc.serve("economy", economy_service_pb2_grpc.add_EconomyServiceServicer_to_server, api, ACCESS)
        await rpc.start()
        os.write(said, f"{rpc.port}\n".encode())
        await asyncio.get_running_loop().run_in_executor(None, os.read, until, 1)
        await rpc.stop(0.5)
        await db.close()

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(main())


async def fill(url: str, players: int) -> None:
    """Give everybody gold and a stake."""
    db, now_ms = open_database(url, SystemClock(), SystemIds()), SystemClock().now_ms()

    def some(connection: Any, part: range) -> None:
        grants = [(f"bench/{one}", "task", f"p_{one}", "gold", 5_000, "") for one in part]
        wallets.grant_many(connection, grants, now_ms)
        for one in part:
            stakes.open_stake(connection, f"m{one // 3}", one % 3, f"p_{one}", "gold", 3_000, 1, now_ms)

    for start in range(0, players, 100):
        await db.run(partial(some, part=range(start, min(start + 100, players))))
    # As PostgreSQL does by itself within a minute: a plan made before it knows the tables is a bad one.
    await db.run(lambda connection: connection.exec_driver_sql("ANALYZE"))
    await db.close()


async def arrivals(
    read: Callable[[str], Awaitable[object]], rate: float, seconds: float, players: int
) -> dict[str, float]:
    """Read wallets that arrive by chance, and return the latencies in milliseconds."""
    clock, chance = SystemClock(), random.Random(7)
    latencies: list[float] = []
    tasks: set[asyncio.Task[None]] = set()

    failures = 0

    async def one(due: float, player: str, counts: bool) -> None:
        nonlocal failures
        try:
            await read(player)
        except Outage:
            failures += 1
            return
        if counts:
            latencies.append((clock.monotonic() - due) * 1000)

    began, due, spent = clock.monotonic(), clock.monotonic(), time.process_time()
    while due < began + WARM_S + seconds:
        due += chance.expovariate(rate)
        if (wait := due - clock.monotonic()) > 0:
            await clock.sleep(wait)
        player = f"p_{chance.randrange(players)}"
        task = asyncio.ensure_future(one(due, player, due > began + WARM_S))
        tasks.add(task)
        task.add_done_callback(tasks.discard)
    await asyncio.gather(*list(tasks))
    latencies.sort()
    found = {f"p{share:g}_ms": latencies[int(len(latencies) * share / 100)] for share in (50, 90, 99, 99.9)}
    return {
        "reads_per_s": round(len(latencies) / seconds, 1),
        **{name: round(value, 3) for name, value in found.items()},
        "cpu_us": round(1e6 * (time.process_time() - spent) / (rate * (WARM_S + seconds))),
        "failures": failures,
    }


async def through_grpc(port: int, rate: float, seconds: float, players: int) -> dict[str, float]:
    """Read through the RPC, as a service."""
    rpc, _ = rpc_of("gateway", grpc_addresses={"economy": f"127.0.0.1:{port}"})
    stub = rpc.client(EconomyServiceStub, "economy")

    async def read(player: str) -> None:
        found = await stub.GetWallet(pb.GetWalletRequest(player_id=player))
        assert found.staked[0].amount == 3_000

    figures = await arrivals(read, rate, seconds, players)
    await rpc.stop(0.5)
    return figures


async def empty(port: int, rate: float, seconds: float, players: int) -> dict[str, float]:
    """Call what does nothing, on a channel like that of `through_grpc`."""
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}", CHANNEL_OPTIONS) as channel:
        check = health_pb2_grpc.HealthStub(channel).Check
        asked = health_pb2.HealthCheckRequest()

        async def read(_: str) -> None:
            await check(asked)

        return await arrivals(read, rate, seconds, players)


class InThreads:
    """A database whose `fetch` is a `read`: a thread and a transaction for each question."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self.dialect = db.dialect

    async def fetch(self, statement: Any, parameters: Any) -> list[tuple[Any, ...]]:
        """See `Database.fetch`."""
        return await self._db.read(lambda c: [tuple(row) for row in c.execute(statement, parameters)])


async def directly(
    url: str, rate: float, seconds: float, players: int, *, in_threads: bool = False
) -> dict[str, float]:
    """Read from the store."""
    db = open_database(url, SystemClock(), SystemIds())
    reads = WalletReads(cast(Database, InThreads(db)) if in_threads else db)

    async def read(player: str) -> None:
        found = await reads.read(player)
        assert found.staked[0].amount == 3_000

    figures = await arrivals(read, rate, seconds, players)
    await db.close()
    return figures


def measure(url: str, rate: float, seconds: float, players: int) -> dict[str, dict[str, float]]:
    """Return the figures of one database."""
    log.configure("error", as_json=True)
    migrate(url, "economy")
    asyncio.run(fill(url, players))
    said, until = os.pipe(), os.pipe()
    server = Forked(partial(serve, url, said[1], until[0]))
    port = int(os.read(said[0], 16))

    def run(what: Any) -> dict[str, float]:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            found: dict[str, float] = runner.run(what)
            return found

    try:
        figures = {
            "empty": run(empty(port, rate, seconds, players)),
            "grpc": run(through_grpc(port, rate, seconds, players)),
        }
    finally:
        os.write(until[1], b"e")
        server.wait()
    figures["direct"] = run(directly(url, rate, seconds, players))
    figures["thread"] = run(directly(url, rate, seconds, players, in_threads=True))
    return figures


def main(rate: float, seconds: float, players: int) -> dict[str, dict[str, dict[str, float]]]:
    """Return the figures by database."""
    figures = {}
    with tempfile.TemporaryDirectory() as folder:
        figures["sqlite"] = measure(f"sqlite:///{Path(folder)}/ledger.db", rate, seconds, players)
    binaries = postgres_binaries()
    if binaries is not None:
        server = PostgresServer(binaries).start()
        try:
            figures["postgresql"] = measure(server.database(), rate, seconds, players)
        finally:
            server.remove()
    return figures


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--rate", type=float, default=1_000)
    parser.add_argument("--seconds", type=float, default=8)
    parser.add_argument("--players", type=int, default=2_000)
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    measured = main(asked.rate, asked.seconds, asked.players)
    if asked.json:
        sys.stdout.write(json.dumps(measured) + "\n")
    else:
        for database, ways in measured.items():
            for way, row in ways.items():
                line = "  ".join(f"{name} {value:,}" for name, value in row.items())
                sys.stdout.write(f"{database:10} {way:6} {line}\n")

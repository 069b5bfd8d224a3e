"""Paiju as a deployment runs it, on one machine: broker, databases, and a process for each service."""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import psycopg
from nats.js import JetStreamContext
from nats.js.errors import KeyNotFoundError

from services.launch.catalog import SERVICES
from services.launch.permissions import OPERATOR
from tests.chaos.cluster import Cluster
from tests.chaos.network import NETWORK, Loopback, Network, Place
from tests.chaos.proxy import Proxy
from tests.chaos.reaper import ROOT, Reaper
from tests.support.deployed import password_of
from tests.support.ports import free_ports
from tests.support.postgres import PostgresServer, postgres_binaries

READY_S_MAX = 120.0
"""Generous: a dozen processes start at once on a machine of two cores."""

END_S_MAX = 60.0

TWICE = {"table": 2, "gateway": 2, "matchmaking": 2, "scoring": 2, "economy": 2}
"""Processes of each service in a full deployment; one of all others."""

ONCE_ON_SQLITE = ("economy", "scoring", "matchmaking")
"""A SQLite file is written by one process."""

PARTED = ("table-1", "gateway-1", "economy-1", "matchmaking-1")
"""Processes whose way to the broker can be cut, where there are no hosts that can be."""

JUDGE = "judge"
"""The host of whoever looks on; it is never cut off."""

DATABASES = "postgres-1"

TIMING = {"claim_pause_ms": 120, "nonce_ms": 400, "between_ms": 800, "turn_ms": 8_000, "claim_ms": 6_000}
"""Of the halls: shorter pauses than people want, so that more happens in a minute."""


@dataclass
class Member:
    """One process of the deployment; started again it is another *life*, with a log of its own."""

    name: str
    """`table-1`."""
    services: tuple[str, ...]
    env: dict[str, str]
    http_port: int
    folder: Path
    reaper: Reaper
    proxies: list[Proxy] = field(default_factory=list)
    place: Place = field(default_factory=Loopback)
    process: subprocess.Popen[bytes] | None = None
    lives: int = 0
    is_stopped: bool = False

    @property
    def service(self) -> str:
        return self.services[0]

    @property
    def is_running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    @property
    def pid(self) -> int:
        assert self.process is not None, f"{self.name} was never started"
        return self.process.pid

    @property
    def log(self) -> Path:
        """Of this life."""
        return self.folder / f"{self.name}.{self.lives}.log"

    def start(self) -> None:
        """Start it; it serves once `is_ready` says so."""
        assert not self.is_running, f"{self.name} runs"
        self.lives += 1
        self.folder.mkdir(parents=True, exist_ok=True)
        with self.log.open("wb") as log, self.place.inside():
            self.process = subprocess.Popen(
                [sys.executable, "-m", "services.launch", "serve", *self.services],
                cwd=ROOT,
                env=self.env,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self.reaper.watch(self.pid)

    def kill(self) -> None:
        """End it as SIGKILL does, its children too; twice does nothing more."""
        if self.is_running:
            assert self.process is not None
            os.killpg(self.pid, signal.SIGKILL)
            self.process.wait(10)
        self.is_stopped = False

    def stop(self) -> None:
        """Stop it in its tracks."""
        os.kill(self.pid, signal.SIGSTOP)
        self.is_stopped = True

    def go_on(self) -> None:
        """Let it go on."""
        os.kill(self.pid, signal.SIGCONT)
        self.is_stopped = False

    async def drain(self) -> int:
        """Ask it to end, and return its exit code.

        Raises:
            AssertionError: It does not end.
        """
        assert self.process is not None
        self.process.terminate()
        until = time.monotonic() + END_S_MAX
        while (code := self.process.poll()) is None:
            assert time.monotonic() < until, f"{self.name} does not end: {self.log}"
            await asyncio.sleep(0.05)
        return code

    def is_ready(self) -> bool:
        """Return whether it says that it serves.

        Raises:
            AssertionError: It has ended.
        """
        assert self.is_running, f"{self.name} ended: {self.log.read_text()[-2000:]}"
        try:
            url = f"http://{self.place.address}:{self.http_port}/readyz"
            with urllib.request.urlopen(url, timeout=5) as answer:
                return bool(answer.status == 200)
        except OSError:
            return False

    async def ready(self) -> None:
        """Return once it serves.

        Raises:
            AssertionError: It has ended, or takes longer than `READY_S_MAX`.
        """
        until = time.monotonic() + READY_S_MAX
        while not await asyncio.to_thread(self.is_ready):
            assert time.monotonic() < until, f"{self.name} is not ready: {self.log.read_text()[-2000:]}"
            await asyncio.sleep(0.1)


@dataclass(frozen=True)
class Size:
    """How much of everything.

    Attributes:
        processes: By service; what is not named runs once, together with the others like it in one process.
        replicas: Of the broker: 1, or 3.
        shards: Of tables.
        postgres: PostgreSQL instead of SQLite files.
        rounds: Of a match in the halls.
        timing: Of the halls.
        synced: PostgreSQL waits for the disk. Without, it outlives the death of processes, though
            not that of the machine, and its recovery need not touch every file on a busy disk.
    """

    processes: Mapping[str, int]
    replicas: int = 1
    shards: int = 8
    postgres: bool = True
    rounds: int = 3
    timing: Mapping[str, int] = field(default_factory=lambda: TIMING)
    synced: bool = True
    hosts: bool = False
    """Each process has a network namespace of its own, instead of the loopback that all share."""
    loads: int = 2
    """Processes of players."""

    def lives(self) -> list[tuple[str, tuple[str, ...]]]:
        """Return the name and the services of each process."""
        found: list[tuple[str, tuple[str, ...]]] = []
        for service in SERVICES:
            count = self.processes.get(service, 0)
            if not self.postgres and service in ONCE_ON_SQLITE:
                count = min(count, 1)
            found += [(f"{service}-{number + 1}", (service,)) for number in range(count)]
        rest = tuple(service for service in SERVICES if not self.processes.get(service))
        return [*found, ("rest-1", rest)] if rest else found


FULL = Size({service: TWICE.get(service, 1) for service in SERVICES})
SMALL = Size(
    {"table": 2, "gateway": 2, "economy": 1, "scoring": 1, "matchmaking": 1}, shards=4, rounds=2, synced=False
)
"""For the ordinary suite: what is killed runs alone, the rest in one process."""


class Deployment:
    """See the module. `stop` ends everything, as does our own end, however it comes."""

    def __init__(self, folder: Path, size: Size) -> None:
        self.folder = folder
        self.size = size
        self.reaper = Reaper()
        nodes = [f"nats-{number + 1}" for number in range(size.replicas)]
        self.network: Network | None = None
        if size.hosts:
            loads = [f"load-{number + 1}" for number in range(size.loads)]
            members = [name for name, _ in size.lives()]
            self.network = Network([JUDGE, *nodes, DATABASES, *loads, *members], crowds=loads)
        self._here = ExitStack()
        self.broker = Cluster(folder / "broker", [self.place(node) for node in nodes])
        self.postgres: PostgresServer | None = None
        self.members: dict[str, Member] = {}
        self.service_key = secrets.token_hex(32)
        self._database_url = f"sqlite:///{folder}/data/{{service}}.db"

    # Addresses

    def place(self, name: str) -> Place:
        """Return where a process runs."""
        return self.network.hosts[name] if self.network is not None else Loopback()

    @property
    def pages(self) -> list[str]:
        """Where the gateways show the page."""
        return [
            f"http://{member.place.address}:{member.env['PAIJU_GATEWAY_HTTP_PORT']}/"
            for member in self.of("gateway")
        ]

    @property
    def grpc(self) -> list[str]:
        """Where the gateways take gRPC."""
        return [f"{member.place.address}:{member.env['PAIJU_GRPC_PORT']}" for member in self.of("gateway")]

    def of(self, service: str) -> list[Member]:
        """Return the processes of a service."""
        return [member for member in self.members.values() if member.services == (service,)]

    async def owner_of(self, shard: str, js: JetStreamContext) -> str:
        """Return the name of the process that has the key of a shard of tables; empty = nobody."""
        try:
            entry = await (await js.key_value("shards")).get(f"table.{shard}")
        except KeyNotFoundError:
            return ""
        return str(json.loads(entry.value or b"{}").get("process", ""))

    async def owners(self, js: JetStreamContext) -> list[str]:
        """Return who has the key of each shard of tables; empty = nobody."""
        return [await self.owner_of(format(shard, "x"), js) for shard in range(self.size.shards)]

    def database_url(self, service: str) -> str:
        """Return where a service's database is."""
        return self._database_url.format(service=service)

    # Life

    async def start(self) -> None:
        """Start everything and return once all of it serves.

        Raises:
            AssertionError: Something does not start; the logs in the folder say why.
        """
        (self.folder / "data").mkdir(parents=True, exist_ok=True)
        # From now on this thread, and those that it starts, look at everything from there.
        self._here.enter_context(self.place(JUDGE).inside())
        await asyncio.to_thread(self._start_servers)
        await self._make_members()
        await self._migrate()
        for member in self.members.values():
            member.start()
        for member in self.members.values():
            await member.ready()

    def watch_servers(self) -> None:
        """Have the servers that were started anew ended with us."""
        for node in self.broker.nodes:
            if node.process is not None:
                self.reaper.watch(node.process.pid)
        if self.postgres is not None and self.postgres._process is not None:
            self.reaper.watch(self.postgres._process.pid)

    def restart_database(self) -> None:
        """Start PostgreSQL after it was stopped; return when it has recovered.

        Raises:
            AssertionError: It does not.
        """
        assert self.postgres is not None, "SQLite has no server to restart"
        try:
            with self.place(DATABASES).inside():
                self.postgres.start()
        except AssertionError:
            # On a busy disk recovery takes longer than a test of the databases would wait.
            until = time.monotonic() + READY_S_MAX
            while not _answers(self.postgres):
                assert time.monotonic() < until, "PostgreSQL does not recover"
                time.sleep(0.2)
        self.watch_servers()

    async def stop(self) -> None:
        """End everything; twice does nothing more."""
        for member in self.members.values():
            member.kill()
            for proxy in member.proxies:
                await proxy.stop()
        self.broker.kill()
        if self.postgres is not None:
            self.postgres.remove()
        self.reaper.finish()
        self._here.close()
        if self.network is not None:
            self.network.close()
            self.network = None

    def _start_servers(self) -> None:
        self.broker.start()
        if self.size.postgres:
            binaries = postgres_binaries()
            assert binaries is not None, "PostgreSQL is not installed; --database sqlite does without"
            place = self.place(DATABASES)
            with place.inside():
                self.postgres = PostgresServer(binaries, address=place.address).start()
            sync = "recovery_init_sync_method = syncfs" if self.size.synced else "fsync = off"
            with (self.postgres.folder / "data" / "postgresql.conf").open("a") as config:
                config.write(f"{sync}\n")
            assert self.postgres._process is not None
            self.postgres._process.send_signal(signal.SIGHUP)
            self._database_url = f"postgresql://paiju@{place.address}:{self.postgres.port}/paiju_{{service}}"
            _make_databases(self.postgres)
        self.watch_servers()

    async def _make_members(self) -> None:
        lives = self.size.lives()
        ports = free_ports(3 * len(lives))
        grpc: dict[str, list[str]] = {}
        for number, (name, services) in enumerate(lives):
            for service in services:
                grpc.setdefault(service, []).append(f"{self.place(name).address}:{ports[3 * number]}")
        addresses = {service: f"ipv4:{','.join(found)}" for service, found in grpc.items()}
        halls = self._write_halls()
        for number, (name, services) in enumerate(lives):
            grpc_port, http_port, page_port = ports[3 * number : 3 * number + 3]
            url, proxies = self.broker.url, []
            place = self.place(name)
            if name in PARTED and self.network is None:
                proxies = [Proxy(node.port) for node in self.broker.nodes]
                for proxy in proxies:
                    await proxy.start()
                url = ",".join(f"nats://127.0.0.1:{proxy.port}" for proxy in proxies)
            env = self._env(services[0] if len(services) == 1 else OPERATOR, url) | {
                "PAIJU_GRPC_HOST": place.address,
                "PAIJU_HTTP_HOST": place.address,
                "PAIJU_GATEWAY_HTTP_HOST": place.address,
                "PAIJU_ACCOUNTS_UNLIMITED_NETWORKS": f"127.0.0.0/8,{NETWORK}",
                "PAIJU_GRPC_PORT": str(grpc_port),
                "PAIJU_HTTP_PORT": str(http_port),
                "PAIJU_GATEWAY_HTTP_PORT": str(page_port),
                "PAIJU_GRPC_ADDRESSES": json.dumps(addresses),
                "PAIJU_MATCHMAKING_HALLS_FILE": str(halls),
                "PAIJU_MATCHMAKING_BOTS_AFTER_MS": "2000",
                "PAIJU_TABLE_BOT_PROCESSES": "0",
                "PAIJU_PROCESS": name,
            }
            self.members[name] = Member(
                name, services, env, http_port, self.folder / "logs", self.reaper, proxies, place
            )

    def _env(self, user: str, url: str) -> dict[str, str]:
        own = {name: value for name, value in os.environ.items() if not name.startswith("PAIJU_")}
        return own | {
            "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "protos")]),
            "PAIJU_NATS_URL": url,
            "PAIJU_NATS_USER": user,
            "PAIJU_NATS_PASSWORD": password_of(user),
            "PAIJU_STREAM_REPLICAS": str(self.size.replicas),
            "PAIJU_LOG_SHARDS": str(self.size.shards),
            # The judge's mirrors may be far behind after a broker was killed.
            "PAIJU_TABLE_LOG_KEPT": "1000000",
            "PAIJU_DATABASE_URL": self._database_url,
            "PAIJU_DATABASE_CONNECTIONS": "4",
            "PAIJU_SERVICE_KEY": self.service_key,
            "PAIJU_DATA_DIR": str(self.folder / "data"),
        }

    def _write_halls(self) -> Path:
        halls = json.loads((ROOT / "services/matchmaking/halls.json").read_text(encoding="utf-8"))
        for game in halls["games"]:
            game["bot"] = "bot:easy"
        for level in halls["levels"]:
            level |= {"timing": dict(self.size.timing), "rounds": self.size.rounds}
        file = self.folder / "halls.json"
        file.write_text(json.dumps(halls), encoding="utf-8")
        return file

    async def _migrate(self) -> None:
        log = self.folder / "migrate.log"
        with log.open("ab") as out:
            migration = subprocess.Popen(
                [sys.executable, "-m", "services.launch", "migrate"],
                cwd=ROOT,
                env=self._env(OPERATOR, self.broker.url),
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                start_new_session=True,
            )
        self.reaper.watch(migration.pid)
        assert await asyncio.to_thread(migration.wait, READY_S_MAX) == 0, log.read_text()[-2000:]


def _answers(server: PostgresServer) -> bool:
    try:
        psycopg.connect(_url(server), connect_timeout=2).close()
    except psycopg.OperationalError:
        return False
    return True


def _url(server: PostgresServer) -> str:
    return f"postgresql://paiju@{server.address}:{server.port}/postgres"


def _make_databases(server: PostgresServer) -> None:
    with psycopg.connect(_url(server), autocommit=True) as connection:
        for service in SERVICES:
            connection.execute(f'CREATE DATABASE "paiju_{service}" TEMPLATE template0'.encode())

"""The processes of the table benches: a broker that syncs always, `paiju serve table`, and their processors.

Table processes are what a deployment runs, after a `paiju migrate`; only the addresses are the bench's. One
core is the first table process's alone, everything else shares the rest (Linux).
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from services.chassis.bus.nats import NatsBus, NatsLogin
from services.chassis.bus.registry import Registry
from services.chassis.clock import SystemClock
from services.chassis.ids import SystemIds
from services.chassis.metrics import Metrics
from services.launch.heap import ASKING
from tests.support.nats import NatsServer
from tests.support.ports import free_ports
from tests.support.process import full_registry
from tests.support.real_process import SERVICE_KEY
from tests.support.up import ROOT

TICKS = os.sysconf("SC_CLK_TCK")
READY_S_MAX = 60.0


def cpu_of(pid: int) -> float:
    """Return the processor seconds of a process so far (Linux)."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def resident_kib(pid: int) -> int:
    """Return the resident memory of a process (Linux)."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") // 1024


def busy_s(core: int) -> float:
    """Return for how long a core has worked, whoever for (Linux)."""
    for line in Path("/proc/stat").read_text().splitlines():
        name, *values = line.split()
        if name == f"cpu{core}":
            user, nice, system, _idle, _wait, irq, softirq, *_ = map(int, values)
            return (user + nice + system + irq + softirq) / TICKS
    return 0.0


def cores() -> tuple[int, frozenset[int]]:
    """Return the table process's core, and the others (the same one, where there is only one)."""
    mine, *others = sorted(os.sched_getaffinity(0))
    return mine, frozenset(others or [mine])


@dataclass
class Served:
    """A `paiju serve` process."""

    process: subprocess.Popen[bytes]
    http_port: int
    log: Path
    grpc_port: int = 0
    page_port: int = 0

    @property
    def pid(self) -> int:
        """Of the process."""
        return self.process.pid

    def until_ready(self) -> None:
        """Return once it serves."""
        deadline = time.monotonic() + READY_S_MAX
        while True:
            assert self.process.poll() is None, self.log.read_text()[-3000:]
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{self.http_port}/readyz", timeout=5) as answer:
                    if answer.status == 200:
                        return
            except OSError:
                assert time.monotonic() < deadline, f"not ready: {self.log.read_text()[-3000:]}"
            time.sleep(0.05)

    def metrics(self) -> dict[str, float]:
        """Return every sample of `/metrics` by its full name."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.http_port}/metrics", timeout=20) as answer:
            lines = answer.read().decode().splitlines()
        return {
            name: float(value)
            for name, _, value in (line.rpartition(" ") for line in lines if not line.startswith("#"))
        }

    def end(self, how: signal.Signals = signal.SIGKILL) -> None:
        """End it, and wait for its end."""
        if self.process.poll() is None:
            self.process.send_signal(how)
            self.process.wait(60)


@dataclass
class World:
    """A broker and what is served on it."""

    folder: Path
    shards: int
    streams: int
    sync: str
    """`always`, or a duration such as `100ms`."""
    server: NatsServer = field(init=False)
    served: list[Served] = field(default_factory=list)
    core: int = field(init=False)
    others: frozenset[int] = field(init=False)

    def start(self) -> World:
        """Start the broker, and migrate what the table needs."""
        self.core, self.others = cores()
        # The broker and the bench itself share the other cores; children inherit it.
        os.sched_setaffinity(0, self.others)
        sync = f'jetstream {{\n  store_dir: "{self.folder}/nats/store"\n  sync_interval: {self.sync}\n}}'
        self.server = NatsServer(self.folder / "nats", extra=sync).start()
        migration = self._spawn(["migrate", "table"], "migrate", {})
        assert migration.wait(120) == 0, (self.folder / "migrate.log").read_text()
        return self

    def table(self, name: str, *, pinned: bool, sample: Path | None = None, **env: str) -> Served:
        """Start a table process, on the core of its own or beside the rest."""
        return self._serve("table", name, pinned, sample, env)

    def gateway(self, **env: str) -> Served:
        """Start a gateway beside the rest."""
        page = free_ports(1)[0]
        served = self._serve("gateway", "gateway", False, None, {"PAIJU_GATEWAY_HTTP_PORT": str(page), **env})
        served.page_port = page
        return served

    def _serve(
        self, service: str, name: str, pinned: bool, sample: Path | None, env: dict[str, str]
    ) -> Served:
        http, grpc = free_ports(2)
        own = {
            "PAIJU_HTTP_PORT": str(http),
            "PAIJU_GRPC_PORT": str(grpc),
            "PAIJU_PROCESS": name,
            "PAIJU_LOG_LEVEL": "info",
        }
        cores = {self.core} if pinned else self.others
        process = self._spawn(["serve", service], name, own | env, cores, sample)
        served = Served(process, http, self.folder / f"{name}.log", grpc)
        self.served.append(served)
        return served

    def _spawn(
        self,
        arguments: list[str],
        name: str,
        env: dict[str, str],
        cores: frozenset[int] | set[int] | None = None,
        sample: Path | None = None,
    ) -> subprocess.Popen[bytes]:
        module = ["bench.sampled", str(sample)] if sample is not None else ["services.launch"]
        if sample is not None:
            # The timer of the sampler would outlive the process's starting itself again.
            env = ASKING | env
        variables = {
            "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "protos")]),
            "PAIJU_NATS_URL": self.server.url,
            "PAIJU_SERVICE_KEY": SERVICE_KEY,
            "PAIJU_TABLE_PROTECTION": "false",
            "PAIJU_DATA_DIR": str(self.folder / "data"),
            "PAIJU_LOG_SHARDS": str(self.shards),
            "PAIJU_LOG_STREAMS": str(self.streams),
        }
        with (self.folder / f"{name}.log").open("ab") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", *module, *arguments],
                cwd=ROOT,
                env=os.environ | variables | env,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        if cores:
            os.sched_setaffinity(process.pid, cores)
        return process

    def registry(self) -> Registry:
        """Return the facts and logs that the processes know."""
        return full_registry(log_shards=self.shards, log_streams=self.streams)

    async def connect(self, name: str) -> NatsBus:
        """Return a connection of the bench's own."""
        ids = SystemIds()
        return await NatsBus.connect(
            NatsLogin(self.server.url), self.registry(), SystemClock(), ids, Metrics(), name
        )

    @property
    def broker_pid(self) -> int:
        """Of the nats-server."""
        process = self.server._process
        assert process is not None, "the broker runs"
        return process.pid

    def stop(self) -> None:
        """End everything."""
        for served in self.served:
            served.end()
        self.server.stop()


@contextmanager
def world(folder: Path, shards: int, streams: int, sync: str) -> Iterator[World]:
    """Start a broker for the table benches, and end everything on it."""
    before = os.sched_getaffinity(0)
    made = World(folder, shards, streams, sync)
    try:
        yield made.start()
    finally:
        made.stop()
        os.sched_setaffinity(0, before)

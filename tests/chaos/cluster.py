"""The broker of a deployment: one nats-server or a cluster of three, with the users of deploy/."""

from __future__ import annotations

import json
import signal
import subprocess
import time
import urllib.request
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.chaos.network import Loopback, Place
from tests.support.deployed import authorization
from tests.support.nats import nats_binary
from tests.support.ports import free_ports

START_S_MAX = 60.0


@dataclass
class Node:
    """One nats-server; started again it has the same store and the same ports."""

    name: str
    folder: Path
    port: int
    monitor: int
    cluster: str = ""
    """Lines of its configuration that make it one of a cluster."""
    place: Place = field(default_factory=Loopback)
    process: subprocess.Popen[bytes] | None = field(default=None, repr=False)

    @property
    def url(self) -> str:
        return f"nats://{self.place.address}:{self.port}"

    @property
    def is_running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    @property
    def pid(self) -> int:
        assert self.process is not None, f"{self.name} was never started"
        return self.process.pid

    def start(self) -> None:
        """Start it; `wait` returns when it listens."""
        assert not self.is_running, f"{self.name} runs"
        self.folder.mkdir(parents=True, exist_ok=True)
        config = self.folder / "nats.conf"
        config.write_text(
            f'server_name: "{self.name}"\nlisten: "{self.place.address}:{self.port}"\n'
            f'http: "{self.place.address}:{self.monitor}"\nmax_payload: 1MB\n'
            f'jetstream {{\n  store_dir: "{self.folder / "store"}"\n'
            "  sync_interval: always\n  max_memory_store: 64MB\n  max_file_store: 8GB\n}\n"
            f"{self.cluster}\n{authorization()}\n"
        )
        with (self.folder / "nats.log").open("ab") as log, self.place.inside():
            self.process = subprocess.Popen(
                [nats_binary(), "-c", str(config)], stdout=log, stderr=log, start_new_session=True
            )

    def wait(self) -> None:
        """Return once it says that its streams are usable.

        Raises:
            AssertionError: It ended, or took longer than `START_S_MAX`.
        """
        until = time.monotonic() + START_S_MAX
        while not self._is_healthy():
            log = self.folder / "nats.log"
            assert self.is_running, f"{self.name} ended: {log.read_text()[-2000:]}"
            assert time.monotonic() < until, f"{self.name} does not start: {log.read_text()[-2000:]}"
            time.sleep(0.05)

    def kill(self) -> None:
        """End it as SIGKILL does; twice does nothing more."""
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait(10)

    def _is_healthy(self) -> bool:
        try:
            url = f"http://{self.place.address}:{self.monitor}/healthz"
            with urllib.request.urlopen(url, timeout=2) as answer:
                return bool(answer.status == 200)
        except OSError:
            return False


class Cluster:
    """One node, or several that keep every stream together.

    Args:
        folder: Of stores and logs.
        places: Of its nodes; as many copies has each stream.
    """

    def __init__(self, folder: Path, places: Sequence[Place]) -> None:
        self.replicas = replicas = len(places)
        ports = free_ports(3 * replicas)
        routes = ports[2 * replicas :]
        addresses = [f"{place.address}:{port}" for place, port in zip(places, routes, strict=True)]
        peers = ", ".join(f"nats://{address}" for address in addresses)
        self.nodes = [
            Node(
                f"nats-{number + 1}",
                folder / f"nats-{number + 1}",
                ports[number],
                ports[replicas + number],
                # Clients are told of no other servers: one that is cut off must not find a way round.
                f'cluster {{\n  name: chaos\n  listen: "{addresses[number]}"\n  no_advertise: true\n'
                f"  routes: [{peers}]\n}}"
                if replicas > 1
                else "",
                place,
            )
            for number, place in enumerate(places)
        ]

    @property
    def url(self) -> str:
        """Where clients connect, all nodes."""
        return ",".join(node.url for node in self.nodes)

    def start(self) -> None:
        """Start whatever does not run, and return once all of it is usable."""
        for node in self.nodes:
            if not node.is_running:
                node.start()
        self.wait()

    def wait(self) -> None:
        """Return once all nodes are usable."""
        for node in self.nodes:
            node.wait()

    def kill(self) -> None:
        """End all of it as SIGKILL does."""
        for node in self.nodes:
            node.kill()

    def leader_of(self, stream: str) -> Node:
        """Return the node that leads a stream now; of a single one, that.

        Raises:
            AssertionError: None does.
        """
        if self.replicas == 1:
            return self.nodes[0]
        for node in self.nodes:
            url = (
                f"http://{node.place.address}:{node.monitor}/jsz?streams=true&accounts=true&leader_only=true"
            )
            try:
                with urllib.request.urlopen(url, timeout=5) as answer:
                    told = json.load(answer)
            except OSError:
                continue
            for account in told.get("account_details") or []:
                for found in account.get("stream_detail") or []:
                    if found["name"] == stream and found.get("cluster", {}).get("leader") == node.name:
                        return node
        raise AssertionError(f"nobody leads {stream}")

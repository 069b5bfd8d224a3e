"""deploy/compose.cluster.yml: its three commands make one broker that loses a server and nothing else."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nats
import pytest
import yaml
from nats.errors import Error as NatsError

from services.chassis.bus.streams import ensure_streams
from services.launch.catalog import SERVICES
from services.launch.permissions import OPERATOR
from tests.support.nats import nats_binary
from tests.support.ports import free_ports
from tests.support.process import full_registry

DEPLOY = Path(__file__).resolve().parents[2] / "deploy"
SECRETS = {
    line.split("=")[0]: f"secret-{number:064x}"
    for number, line in enumerate((DEPLOY / "example.env").read_text().splitlines(), 1)
    if re.match("[A-Z_]+=", line)
}
"""One for each that the example asks for."""


def compose(name: str) -> dict[str, Any]:
    """A compose file with its secrets filled in."""
    text = (DEPLOY / name).read_text(encoding="utf-8")
    filled = re.sub(r"\$\{([A-Z_]+)(:\?[^}]*)?\}", lambda match: SECRETS[match[1]], text)
    services: dict[str, Any] = yaml.safe_load(filled)["services"]
    return services


def configuration(folder: Path, name: str) -> Path:
    """nats.conf as it is deployed, but for the place of the store."""
    text = (DEPLOY / "nats.conf").read_text(encoding="utf-8")
    assert "store_dir: /data\n" in text
    own = folder / f"{name}.conf"
    own.write_text(text.replace("store_dir: /data\n", f'store_dir: "{folder / name}"\n'), encoding="utf-8")
    return own


SERVERS = ("nats", "nats-2", "nats-3")


class Servers:
    """The three, with their own commands; only hosts and ports are of this machine."""

    def __init__(self, folder: Path) -> None:
        clients, routes = free_ports(3), free_ports(3)
        self.routes = routes
        self.urls = [f"nats://127.0.0.1:{port}" for port in clients]
        services = compose("compose.cluster.yml")
        self._processes: list[subprocess.Popen[bytes]] = []
        for number, name in enumerate(SERVERS):
            arguments = [_here(each, routes, number) for each in services[name]["command"]]
            own = [f"--port={clients[number]}", "--addr=127.0.0.1", "--http_port=-1"]
            command = [str(nats_binary()), "-c", str(configuration(folder, name)), *arguments, *own]
            with (folder / f"{name}.log").open("wb") as log:
                process = subprocess.Popen(command, env=os.environ | SECRETS, stdout=log, stderr=log)
            self._processes.append(process)

    def kill(self, number: int) -> None:
        """End one as a power cut would."""
        self._processes[number].kill()
        self._processes[number].wait(10)

    def close(self) -> None:
        """End what is left."""
        for process in self._processes:
            process.kill()
            process.wait(10)


def _here(argument: str, routes: list[int], number: int) -> str:
    for name, port in zip(SERVERS, routes, strict=True):
        argument = argument.replace(f"@{name}:6222", f"@127.0.0.1:{port}")
    return argument.replace("@0.0.0.0:6222", f"@127.0.0.1:{routes[number]}")


@pytest.fixture
def servers(tmp_path: Path) -> Iterator[Servers]:
    """They are ended afterwards."""
    running = Servers(tmp_path)
    yield running
    running.close()


async def connected(servers: Servers) -> Any:
    """A connection of the operator, once one of them listens."""
    password = SECRETS["NATS_PASSWORD_OPERATOR"]
    return await until_answered(
        lambda: nats.connect(servers.urls, user=OPERATOR, password=password, error_cb=quiet)
    )


async def quiet(_: Exception) -> None:
    """Servers that do not listen yet, or are dead, are what this is about."""


async def until_answered(call: Any) -> Any:
    """Ask until the cluster has a leader for it."""
    while True:
        try:
            return await call()
        except (NatsError, OSError):
            await asyncio.sleep(0.05)


async def test_the_three_keep_every_stream_together_and_one_may_die(servers: Servers) -> None:
    client = await connected(servers)
    js = client.jetstream(timeout=5)
    registry = full_registry()
    await until_answered(lambda: ensure_streams(js, registry, 3))
    infos = await js.streams_info()
    assert {info.config.num_replicas for info in infos} == {3}
    subject = "paiju.accounts.player_created.p_a"
    stored = await until_answered(lambda: js.publish(subject, b"one", headers={"Nats-Msg-Id": "one"}))
    servers.kill(0)
    again = await until_answered(lambda: js.publish(subject, b"one", headers={"Nats-Msg-Id": "one"}))
    assert (again.seq, again.duplicate) == (stored.seq, True)
    after = await until_answered(lambda: js.publish(subject, b"two", headers={"Nats-Msg-Id": "two"}))
    assert after.seq == stored.seq + 1
    await client.close()


def test_every_process_is_told_of_the_three() -> None:
    laid_over, one = compose("compose.cluster.yml"), compose("compose.yml")
    urls = ",".join(f"nats://{name}:4222" for name in SERVERS)
    for name in (*SERVICES, "migrate"):
        assert laid_over[name]["environment"] == {"PAIJU_NATS_URL": urls, "PAIJU_STREAM_REPLICAS": "3"}
        assert one[name]["environment"]["PAIJU_NATS_URL"] == "nats://nats:4222"
    for name in ("nats-2", "nats-3"):
        assert laid_over[name]["entrypoint"] == one["nats"]["entrypoint"]
        assert laid_over[name]["volumes"] == ["./nats.conf:/etc/paiju/nats.conf:ro", f"{name}:/data"]


async def test_a_server_with_another_password_is_let_into_no_cluster(
    servers: Servers, tmp_path: Path
) -> None:
    ports = free_ports(2)
    pair = [f"nats://cluster:guessed@127.0.0.1:{port}" for port in (ports[0], servers.routes[0])]
    options = ["--name=stranger", "--cluster_name=paiju", f"--cluster={pair[0]}", f"--routes={pair[1]}"]
    own = [f"--port={ports[1]}", "--addr=127.0.0.1", "--http_port=-1"]
    log = tmp_path / "stranger.log"
    command = [str(nats_binary()), "-c", str(configuration(tmp_path, "own")), *options, *own, f"--log={log}"]
    process = subprocess.Popen(command, env=os.environ | SECRETS)
    try:
        async with asyncio.timeout(60):
            while not log.exists() or "authorization violation" not in log.read_text().lower():
                await asyncio.sleep(0.02)
        assert "authentication error" in (tmp_path / "nats.log").read_text().lower()
    finally:
        process.kill()
        process.wait(10)

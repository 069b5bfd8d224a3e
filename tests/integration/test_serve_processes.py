"""The deployment in small: each service in a process of its own, with its own login, after a migration."""

import asyncio
import json
import signal
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from services.launch.catalog import SERVICES
from services.launch.exits import OK, OUTAGE, USAGE
from services.launch.permissions import OPERATOR
from tests.support.deployed import deployed_broker, password_of
from tests.support.ports import free_ports
from tests.support.up import spawn


@dataclass
class Deployed:
    """Nine processes."""

    broker: str
    http: dict[str, int]
    page: int
    logs: dict[str, Path]
    processes: dict[str, subprocess.Popen[bytes]]


def environment(folder: Path, url: str, user: str, grpc: dict[str, int], **more: object) -> dict[str, str]:
    """Return the variables of one process."""
    values = {
        "PAIJU_NATS_URL": url,
        "PAIJU_NATS_USER": user,
        "PAIJU_NATS_PASSWORD": password_of(user),
        "PAIJU_SERVICE_KEY": "one key that all services of this test share",
        "PAIJU_DATA_DIR": str(folder),
        "PAIJU_GRPC_ADDRESSES": json.dumps({name: f"127.0.0.1:{port}" for name, port in grpc.items()}),
    }
    return values | {name: str(value) for name, value in more.items()}


@pytest.fixture(scope="module")
def deployed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployed]:
    """The whole deployment, migrated and started."""
    folder = tmp_path_factory.mktemp("deployed")
    broker = deployed_broker(folder / "nats").start()
    ports = free_ports(2 * len(SERVICES) + 1)
    grpc = dict(zip(SERVICES, ports, strict=False))
    http = dict(zip(SERVICES, ports[len(SERVICES) :], strict=False))
    data = folder / "data"
    logs = {name: folder / f"{name}.log" for name in (*SERVICES, "migrate")}
    processes: dict[str, subprocess.Popen[bytes]] = {}
    try:
        for _ in range(2):  # a second migration does nothing more
            migration = spawn(
                "migrate", env=environment(data, broker.url, OPERATOR, grpc), log=logs["migrate"]
            )
            migration.communicate(timeout=120)
            assert migration.returncode == OK, logs["migrate"].read_text()
        for name in SERVICES:
            own = {"PAIJU_GRPC_PORT": grpc[name], "PAIJU_HTTP_PORT": http[name]}
            if name == "gateway":
                own["PAIJU_GATEWAY_HTTP_PORT"] = ports[-1]
            processes[name] = spawn(
                "serve", name, env=environment(data, broker.url, name, grpc, **own), log=logs[name]
            )
        yield Deployed(broker.url, http, ports[-1], logs, processes)
    finally:
        for process in processes.values():
            process.kill()
            process.communicate()
        broker.stop()


def status(url: str) -> int:
    """Return the status of a page, 0 while nobody listens."""
    try:
        with urllib.request.urlopen(url, timeout=5) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code
    except OSError:
        return 0


async def all_ready(deployed: Deployed) -> None:
    """Return once every process says that it serves."""
    async with asyncio.timeout(90):
        for name, port in deployed.http.items():
            while status(f"http://127.0.0.1:{port}/readyz") != 200:
                assert deployed.processes[name].poll() is None, deployed.logs[name].read_text()[-3000:]
                await asyncio.sleep(0.1)


async def test_every_service_serves_alone_and_the_gateway_shows_the_page(deployed: Deployed) -> None:
    await all_ready(deployed)
    assert status(f"http://127.0.0.1:{deployed.page}/") == 200


async def test_a_call_through_the_gateway_reaches_a_service_in_another_process(deployed: Deployed) -> None:
    from paiju.table.v1 import table_service_pb2

    await all_ready(deployed)
    method = "paiju.table.v1.TableService/ListGames"
    request = urllib.request.Request(
        f"http://127.0.0.1:{deployed.page}/call/{method}",
        data=table_service_pb2.ListGamesRequest().SerializeToString(),
        method="POST",
    )
    with urllib.request.urlopen(request, timeout=20) as answer:
        assert answer.status == 200
        assert b"paohuzi" in answer.read()


async def test_nobody_was_refused_anything_at_the_broker(deployed: Deployed) -> None:
    await all_ready(deployed)
    refused = {
        name: log for name in SERVICES if "violation" in (log := deployed.logs[name].read_text().lower())
    }
    assert refused == {}


def test_sigterm_ends_a_service_in_order(deployed: Deployed) -> None:
    process = deployed.processes["chat"]
    process.send_signal(signal.SIGTERM)
    assert process.wait(30) == OK


@pytest.mark.parametrize(
    ("changed", "code", "said"),
    [
        ({"PAIJU_SERVICE_KEY": "short"}, USAGE, "PAIJU_SERVICE_KEY"),
        ({"PAIJU_GRPC_PORT": "many"}, USAGE, "PAIJU_GRPC_PORT"),
        ({"PAIJU_NATS_PASSWORD": "guessed"}, OUTAGE, "login"),
    ],
)
def test_a_service_that_cannot_start_says_why_in_one_line(
    deployed: Deployed, tmp_path: Path, changed: dict[str, str], code: int, said: str
) -> None:
    variables = environment(tmp_path, deployed.broker, "gateway", {}) | changed
    process = spawn("serve", "gateway", env=variables, log=tmp_path / "log")
    process.communicate(timeout=90)
    lines = [line for line in (tmp_path / "log").read_text().splitlines() if line.startswith("paiju: ")]
    assert process.returncode == code
    assert len(lines) == 1
    assert said in lines[0]

"""`paiju up` in earnest: one folder, one platform, one broker, whatever is killed."""

import asyncio
import json
import os
import signal
import socket
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from services.launch.exits import HELD, OK, OUTAGE
from tests.support.up import Up, servers_on, spawn

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    """One platform for the tests that only look at it."""
    with Up(tmp_path_factory.mktemp("up") / "data") as running:
        yield running


def fetched(url: str) -> tuple[int, bytes]:
    """Return status and body of a page."""
    with urllib.request.urlopen(url, timeout=10) as answer:
        return answer.status, answer.read()


def run(log: Path, *arguments: str) -> tuple[int, str]:
    """Run a command to its end and return its exit code and what it said on standard error."""
    process = spawn(*arguments, env={}, log=log)
    process.communicate(timeout=60)
    return process.returncode, log.read_text(encoding="utf-8")


def test_the_page_is_served(up: Up) -> None:
    status, body = fetched(up.said.url)
    assert status == 200
    assert b"<html" in body.lower()


def test_one_port_shows_the_metrics_of_all_services_and_their_health(up: Up) -> None:
    status, body = fetched(up.said.metrics)
    assert status == 200
    assert b"paiju_" in body
    status, body = fetched(up.said.metrics.replace("/metrics", "/readyz"))
    assert status == 200


def test_a_second_up_on_the_same_folder_refuses_and_names_the_first(up: Up, tmp_path: Path) -> None:
    before = servers_on(up.data)
    code, said = run(tmp_path / "log", "up", "--data", str(up.data), "--port", "0")
    assert code == HELD
    assert said.count("\n") == 1
    assert f"in use by process {up.said.pid}" in said
    assert servers_on(up.data) == before, "the first one's broker was not touched"


def test_a_port_that_is_taken_is_said_in_one_line(tmp_path: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = str(other.getsockname()[1])
        code, said = run(tmp_path / "log", "up", "--data", str(tmp_path / "data"), "--port", port)
    assert code == OUTAGE
    assert said.startswith(f"paiju: port {port} is taken")
    assert said.count("\n") == 1


def test_the_book_of_a_running_platform_adds_up(up: Up, tmp_path: Path) -> None:
    process = spawn("reconcile", "--data", str(up.data), "--json", env={}, log=tmp_path / "log")
    answer, _ = process.communicate(timeout=60)
    assert process.returncode == OK, (tmp_path / "log").read_text()
    assert json.loads(answer)["ok"] is True


def test_ctrl_c_ends_everything_in_order(tmp_path: Path) -> None:
    with Up(tmp_path / "data") as running:
        assert len(servers_on(running.data)) == 1
        assert running.end() == OK
        assert servers_on(running.data) == []


def test_after_a_kill_a_start_at_once_serves_again_with_exactly_one_broker(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with Up(data) as first:
        [killed] = servers_on(data)
        first.kill()
    with Up(data) as second:
        assert fetched(second.said.url)[0] == 200
        [server] = servers_on(data)
        assert server != killed
        assert second.end() == OK


async def test_a_broker_that_dies_alone_is_started_again_where_it_was(tmp_path: Path) -> None:
    with Up(tmp_path / "data") as running:
        [first] = servers_on(running.data)
        port = json.loads((running.data / "nats/server.json").read_text())["port"]
        os.kill(first, signal.SIGKILL)
        async with asyncio.timeout(60):
            while (found := servers_on(running.data)) in ([first], []):
                await asyncio.sleep(0.05)
        assert len(found) == 1
        async with asyncio.timeout(60):
            while json.loads((running.data / "nats/server.json").read_text())["port"] != port:
                await asyncio.sleep(0.05)
        assert running.process.poll() is None
        assert running.end() == OK


async def test_a_start_that_is_interrupted_leaves_no_broker(tmp_path: Path) -> None:
    data = tmp_path / "data"
    process = spawn("up", "--data", str(data), "--port", "0", env={}, log=tmp_path / "log")
    async with asyncio.timeout(60):
        while not servers_on(data):
            await asyncio.sleep(0.01)
        process.terminate()
        process.communicate()
        while servers_on(data):
            await asyncio.sleep(0.01)

"""The embedded nats-server: one per store, whatever happens to the process that started it."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import nats
import pytest
from nats.js.api import StreamConfig

from services.chassis.clock import SystemClock
from services.chassis.ids import SystemIds
from services.launch.broker import Broker
from services.launch.process import Identity

ROOT = Path(__file__).resolve().parents[2]

ORPHAN = """
import asyncio, os, signal, sys
from pathlib import Path
from services.chassis.clock import SystemClock
from services.chassis.ids import SystemIds
from services.launch import broker, process
if sys.argv[2] == "untethered":  # as on a system without parent-death signals
    process._TETHER = process._TETHER.replace('sys.platform == "linux"', "False")
async def main():
    await broker.Broker(Path(sys.argv[1]), SystemClock(), SystemIds()).start()
asyncio.run(main())
os.kill(os.getpid(), signal.SIGKILL)
"""


def orphan(folder: Path, tether: str) -> Identity:
    """Start a broker in a process that is then killed, and return the server's identity."""
    done = subprocess.run(
        [sys.executable, "-c", ORPHAN, str(folder), tether],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=False,
    )
    assert done.returncode == -signal.SIGKILL
    said = json.loads((folder / "server.json").read_text())
    return Identity(said["pid"], said["started"])


async def gone(server: Identity) -> bool:
    """Return whether the server ends by itself."""
    try:
        async with asyncio.timeout(60):
            while server.is_alive():
                await asyncio.sleep(0.01)
    except TimeoutError:
        return False
    return True


@pytest.fixture
async def broker(tmp_path: Path) -> AsyncIterator[Broker]:
    server = Broker(tmp_path, SystemClock(), SystemIds())
    yield server
    await server.stop()


@pytest.mark.skipif(sys.platform != "linux", reason="parent-death signals are Linux's")
async def test_the_server_ends_when_its_parent_is_killed(tmp_path: Path) -> None:
    assert await gone(orphan(tmp_path, "tethered"))


async def test_a_start_ends_the_server_that_a_killed_run_left_behind(tmp_path: Path, broker: Broker) -> None:
    leftover = orphan(tmp_path, "untethered")
    assert leftover.is_alive()
    await broker.start()
    assert not leftover.is_alive()


async def test_a_start_leaves_a_stranger_alone_that_now_has_the_number(
    tmp_path: Path, broker: Broker
) -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as stranger:
        content = {"pid": stranger.pid, "started": "long ago", "port": 4222}
        (tmp_path / "server.json").write_text(json.dumps(content))
        await broker.start()
        assert stranger.poll() is None
        stranger.communicate(b"\n")


async def test_what_was_acknowledged_is_there_after_a_restart(broker: Broker) -> None:
    await broker.start()
    client = await nats.connect(broker.url, user=broker.user, password=broker.password)
    stream = client.jetstream()
    await stream.add_stream(StreamConfig(name="FACTS", subjects=["facts.>"]))
    await stream.publish("facts.one", b"kept")
    await client.close()
    port = broker.port
    await broker.stop()
    await broker.start()
    assert broker.port == port, "clients find a restarted server where it was"
    client = await nats.connect(broker.url, user=broker.user, password=broker.password)
    assert (await client.jetstream().get_last_msg("FACTS", "facts.one")).data == b"kept"
    await client.close()


async def test_nobody_connects_without_the_password(broker: Broker) -> None:
    await broker.start()
    with pytest.raises(nats.errors.Error, match=r"(?i)authorization"):
        await nats.connect(broker.url, allow_reconnect=False)


async def test_every_write_is_synced_before_it_is_acknowledged(tmp_path: Path, broker: Broker) -> None:
    await broker.start()
    assert "sync_interval: always" in (tmp_path / "nats.conf").read_text()


async def test_the_data_folder_may_be_called_anything(tmp_path: Path) -> None:
    folder = tmp_path / 'a 100%?#$x {牌局} "q\\n'
    folder.mkdir()
    server = Broker(folder, SystemClock(), SystemIds())
    await server.start()
    assert (folder / "store").is_dir()
    await server.stop()

"""Two real gateway processes before one table process: who loses one goes on through the other."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from paiju.table.v1 import play_pb2 as p

from services.chassis.auth import KEYS_BUCKET
from services.chassis.bus import Registry
from services.chassis.bus.nats import NatsBus, NatsLogin
from services.chassis.clock import SystemClock
from services.chassis.ids import SystemIds
from services.chassis.metrics import Metrics
from services.launch.exits import OK
from tests.integration.test_gateway_bad_input import TABLE, Seat, create_at, play_on
from tests.integration.test_serve_processes import status
from tests.support.nats import NatsServer
from tests.support.play_client import WebSocketClient
from tests.support.ports import free_ports
from tests.support.real_process import KID, SERVICE_KEY, Tokens
from tests.support.table_owner import until
from tests.support.up import spawn

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="processes are killed"),
]

WAIT_S = 90.0


@dataclass
class Platform:
    """A broker, a table process and two gateways."""

    nats_url: str
    grpc: int
    pages: list[int]
    ready: list[int]
    processes: list[subprocess.Popen[bytes]]
    """Of the table, then of the gateways."""
    log: Path
    tokens: Tokens


@pytest.fixture
def platform(nats_server: NatsServer, tmp_path: Path) -> Iterator[Platform]:
    ports = free_ports(8)
    log = tmp_path / "processes.log"

    def environment(grpc: int, http: int, page: int) -> dict[str, str]:
        return {
            "PAIJU_NATS_URL": nats_server.url,
            "PAIJU_SERVICE_KEY": SERVICE_KEY,
            "PAIJU_TABLE_PROTECTION": "false",
            "PAIJU_DATA_DIR": str(tmp_path / "data"),
            "PAIJU_GRPC_ADDRESSES": json.dumps({"table": f"127.0.0.1:{ports[0]}"}),
            "PAIJU_GRPC_PORT": str(grpc),
            "PAIJU_HTTP_PORT": str(http),
            "PAIJU_GATEWAY_HTTP_PORT": str(page),
        }

    migration = spawn("migrate", "table", "gateway", env=environment(0, 0, 0), log=log)
    migration.communicate(timeout=120)
    assert migration.returncode == OK, log.read_text(encoding="utf-8")
    processes = [
        spawn("serve", name, env=environment(*at), log=log)
        for name, at in (("table", [*ports[0:2], 0]), ("gateway", ports[2:5]), ("gateway", ports[5:8]))
    ]
    try:
        yield Platform(
            nats_server.url,
            ports[0],
            [ports[4], ports[7]],
            [ports[1], ports[3], ports[6]],
            processes,
            log,
            Tokens(),
        )
    finally:
        for process in processes:
            process.kill()
            process.communicate()


async def begin(platform: Platform) -> None:
    """Return once all serve, tokens of ours are believed, and the table is there."""
    async with asyncio.timeout(WAIT_S):
        for port, process in zip(platform.ready, platform.processes, strict=True):
            while status(f"http://127.0.0.1:{port}/readyz") != 200:
                assert process.poll() is None, platform.log.read_text(encoding="utf-8")[-3000:]
                await asyncio.sleep(0.1)
    ids, clock = SystemIds(), SystemClock()
    bus = await NatsBus.connect(NatsLogin(platform.nats_url), Registry(), clock, ids, Metrics(), "test")
    await (await bus.bucket(KEYS_BUCKET)).put(KID, platform.tokens.public)
    await bus.close()
    await create_at(f"127.0.0.1:{platform.grpc}", TABLE, "p_ann", "p_bob", "bot:random")


async def connect(platform: Platform, gateway: int, player: str) -> Seat:
    client = await WebSocketClient.connect(f"http://127.0.0.1:{platform.pages[gateway]}/")
    assert (await client.hello(platform.tokens.token(player))).welcome.player_id == player
    return Seat(client, player)


def online(seat: Seat) -> list[bool]:
    """Return who of the two people is there, as one of them was last told."""
    seat.read()
    return [shown.online for shown in seat.seats[:2]]


async def test_a_player_of_a_killed_gateway_is_missed_and_plays_on_through_the_other(
    platform: Platform,
) -> None:
    await begin(platform)
    ann, bob = await connect(platform, 0, "p_ann"), await connect(platform, 1, "p_bob")
    for seat in (ann, bob):
        await seat.attach()
        assert not (await seat.say("sit", sit=p.Sit())).reason
    await play_on(ann, bob)
    await until(lambda: online(bob) == [True, True], WAIT_S)

    platform.processes[1].kill()
    await until(lambda: ann.client.ended, WAIT_S)
    await ann.client.close()
    await until(lambda: online(bob) == [False, True], WAIT_S)

    # He comes back through the gateway that lives, from where he stopped, and misses nothing.
    again = await connect(platform, 1, "p_ann")
    again.epoch, again.number, again.round_id, again.question = (
        ann.epoch,
        ann.number,
        ann.round_id,
        ann.question,
    )
    await again.attach()
    await until(lambda: online(bob) == [True, True], WAIT_S)
    again.read()
    assert again.number > ann.number
    await play_on(again, bob)

    # A second connection of his, now that there is one gateway: the newest wins here as well.
    newest = await connect(platform, 1, "p_ann")
    await newest.attach()
    told = await again.client.wait_for(lambda r: r.HasField("table_detached"), WAIT_S)
    assert told.table_detached.reason == "REPLACED"
    for seat in (again, newest, bob):
        await seat.client.close()

"""An action through the real gateway: what it costs the gateway, the table process and the broker.

    python -m bench.bench_table_edge [--tables 100] [--rate 300] [--seconds 10] [--shards 8] [--streams 4]
        [--sync always] [--json]

`paiju serve table` has a core of its own; `paiju serve gateway`, nats-server and the players share the
others. Each of the three persons of a table has a WebSocket; actions arrive as in
`bench/bench_table_open.py`. The players cost as much as what they are to measure, so the rate is low, and
costs are those of processes that are woken for each action: at higher rates, where one batch carries many
actions, they are lower.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import aiohttp
import uvloop
from paiju.gateway.v1.gateway_service_pb2 import Hello, PlayRequest, PlayResponse
from paiju.table.v1 import play_pb2 as p

from bench.bench_table_open import measured, timing
from bench.table_driver import Driver
from bench.table_seats import Heard, Seat
from bench.table_world import cpu_of, world
from services.chassis import log
from services.chassis.auth import KEYS_BUCKET
from tests.support.real_process import KID, Tokens

UNLIMITED = "1000000"
LIMITS = (
    "CONNECTIONS_PER_ADDRESS_MAX",
    "ADDRESS_REQUESTS_BURST",
    "MESSAGES_BURST",
    "MESSAGES_PER_S",
    "PLAYER_MESSAGES_BURST",
    "PLAYER_MESSAGES_PER_S",
)
"""What would hold back so many players from one address; lifted."""


class EdgeDriver(Driver):
    """Players who come through the gateway, each with a connection of his own."""

    def __init__(self, *args: Any, url: str, tokens: Tokens, http: aiohttp.ClientSession) -> None:
        super().__init__(*args)
        self._url = url
        self._tokens = tokens
        self._http = http
        self._sockets: dict[str, aiohttp.ClientWebSocketResponse] = {}
        self._sending: set[asyncio.Task[None]] = set()

    async def connect(self, table_ids: list[str]) -> None:
        """Open the connections of everybody who will sit at these tables."""
        loop = asyncio.get_running_loop()
        for table_id in table_ids:
            for number in range(3):
                seat = Seat(table_id, number)
                socket = await self._http.ws_connect(f"{self._url}/play")
                hello = Hello(access_token=self._tokens.token(seat.player, seconds=3_000))
                await socket.send_bytes(PlayRequest(id=1, hello=hello).SerializeToString())
                welcome = PlayResponse.FromString((await socket.receive()).data)
                assert welcome.HasField("welcome"), welcome
                self._sockets[seat.session] = socket
                self._tasks.append(loop.create_task(self._listen(seat.session, socket)))

    def _send(self, seat: Seat, kind: str, command: p.TableCommand) -> int:
        self._tag += 1
        self._asked[self._tag] = (kind, seat)
        request = PlayRequest(id=self._tag, table=command).SerializeToString()
        task = asyncio.get_running_loop().create_task(self._sockets[seat.session].send_bytes(request))
        self._sending.add(task)
        task.add_done_callback(self._sending.discard)
        return self._tag

    async def _listen(self, session: str, socket: aiohttp.ClientWebSocketResponse) -> None:
        async for message in socket:
            response = PlayResponse.FromString(message.data)
            seat, now = self.seats[session], time.perf_counter()
            kind = response.WhichOneof("body")
            if kind == "table_frames":
                for frame in response.table_frames.frames:
                    self._frame(seat, p.Frame.FromString(frame), now)
            elif kind == "command_answer":
                self._take_answer(response.reply_to, response.command_answer, now)
            elif kind == "table_snapshot":
                self._view(seat, p.TableView.FromString(response.table_snapshot.view), now)
            else:
                raise AssertionError(response)


async def run(asked: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """Play through the gateway and return the figures."""
    with world(folder, asked.shards, asked.streams, asked.sync) as made:
        table = made.table("table-1", pinned=True)
        table.until_ready()
        bus = await made.connect("driver")
        tokens = Tokens()
        await (await bus.bucket(KEYS_BUCKET)).put(KID, tokens.public)
        gateway = made.gateway(**{f"PAIJU_GATEWAY_{limit}": UNLIMITED for limit in LIMITS})
        gateway.until_ready()
        url = f"http://127.0.0.1:{gateway.page_port}"
        async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as http:
            driver = EdgeDriver(bus, url=url, tokens=tokens, http=http)
            table_ids = await driver.create(asked.tables, asked.shards, timing(0))
            await driver.connect(table_ids)
            await driver.attach(table_ids)
            await driver.until_in_play(int(asked.tables * 0.95))
            driver.heard = Heard()
            await driver.play(asked.rate, asked.warm)
            before = cpu_of(gateway.pid), driver.heard.accepted
            found = await measured(made, table, driver, asked.rate, asked.seconds, settle_s=0.0)
            spent = cpu_of(gateway.pid) - before[0]
            found["gateway_us"] = round(spent / max(1, driver.heard.accepted) * 1e6)
            found["connections"] = 3 * asked.tables
            await driver.close()
        await bus.close()
        return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tables", type=int, default=100)
    parser.add_argument("--rate", type=float, default=300.0)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--warm", type=float, default=3.0)
    parser.add_argument("--shards", type=int, default=8)
    parser.add_argument("--streams", type=int, default=4)
    parser.add_argument("--sync", default="always")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    log.configure("error")
    with (
        tempfile.TemporaryDirectory(prefix="paiju-bench-") as folder,
        asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner,
    ):
        found = runner.run(run(asked, Path(folder)))
    if asked.json:
        sys.stdout.write(json.dumps(found) + "\n")
        return
    print("  ".join(f"{name} {value}" for name, value in found.items()))


if __name__ == "__main__":
    main()

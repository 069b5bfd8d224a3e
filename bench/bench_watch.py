"""What watching costs a table process: a thousand viewers against one; and how long the list of tables takes.

    python -m bench.bench_watch [--viewers 1000] [--seconds 8] [--tables 10000] [--calls 300] [--json]

`paiju serve table` has a core of its own; `paiju serve gateway`, nats-server and the viewers share the rest.
Bots play at one table. Its process is measured with one viewer, with many, and with one again, each behind a
WebSocket of his own; the figure is its processor time per frame that viewers were shown, as a ratio. Then so
many tables of bots are made, and the list of live tables is asked for over gRPC with changing filters.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import aiohttp
import grpc
import uvloop
from paiju.gateway.v1.gateway_service_pb2 import Hello, PlayRequest, PlayResponse
from paiju.table.v1 import play_pb2 as p
from paiju.table.v1 import watch_service_pb2 as w
from paiju.table.v1.watch_service_pb2_grpc import WatchServiceStub

from bench.bench_table_edge import LIMITS, UNLIMITED
from bench.table_world import Served, World, cpu_of, world
from services.chassis import log
from services.chassis.auth import KEYS_BUCKET
from services.chassis.bus.port import Bus
from services.table.calls import Calls, Create
from tests.simulation.tables import spec
from tests.support.real_process import KID, Tokens

TABLE = "0-watched1"
LIVELY = '{"claim_pause_ms":20,"nonce_ms":50,"between_ms":100}'
AT_REST = '{"claim_pause_ms":600000,"between_ms":600000}'
GAMES = ("paohuzi", "doudizhu", "kawuxing")
SHARDS = 8
AT_ONCE = 32
SETTLE_S = 10.0
"""What making so many tables has left to do is done by then."""


class Viewers:
    """People who watch the table, each with a connection of his own."""

    def __init__(self, http: aiohttp.ClientSession, url: str, tokens: Tokens) -> None:
        self._http, self._url, self._tokens = http, url, tokens
        self._tasks: list[asyncio.Task[None]] = []
        self._sockets: list[aiohttp.ClientWebSocketResponse] = []
        self.frames: list[int] = []
        """Of each."""

    async def come(self, count: int) -> None:
        """Let so many begin to watch, and wait until all have been shown something."""
        slots = asyncio.Semaphore(AT_ONCE)

        async def one(number: int) -> None:
            async with slots:
                socket = await self._http.ws_connect(f"{self._url}/play")
                token = self._tokens.token(f"p_viewer{number}", seconds=3_000)
                await socket.send_bytes(
                    PlayRequest(id=1, hello=Hello(access_token=token)).SerializeToString()
                )
                await socket.receive()
                watch = p.TableCommand(table_id=TABLE, attach=p.Attach(spectate=True))
                await socket.send_bytes(PlayRequest(id=2, table=watch).SerializeToString())
                while PlayResponse.FromString((await socket.receive()).data).reply_to != 2:
                    pass
            self._sockets.append(socket)
            self.frames.append(0)
            self._tasks.append(asyncio.create_task(self._listen(len(self.frames) - 1, socket)))

        await asyncio.gather(*(one(number) for number in range(count)))

    async def _listen(self, number: int, socket: aiohttp.ClientWebSocketResponse) -> None:
        async for message in socket:
            self.frames[number] += len(PlayResponse.FromString(message.data).table_frames.frames)

    async def leave(self) -> None:
        """Let all go."""
        for task in self._tasks:
            task.cancel()
        for socket in self._sockets:
            await socket.close()
        await asyncio.gather(*self._tasks, return_exceptions=True)


async def watched(table: Served, url: str, tokens: Tokens, viewers: int, seconds: float) -> dict[str, Any]:
    """Return what the table process spends on a frame with so many viewers."""
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as http:
        people = Viewers(http, url, tokens)
        await people.come(viewers)
        await asyncio.sleep(1.0)
        before, spent, began = list(people.frames), cpu_of(table.pid), time.perf_counter()
        sent = table.metrics()["paiju_table_frames_out_total"]
        await asyncio.sleep(seconds)
        spent, took = cpu_of(table.pid) - spent, time.perf_counter() - began
        shown = [now - then for now, then in zip(people.frames, before, strict=True)]
        sent = table.metrics()["paiju_table_frames_out_total"] - sent
        await people.leave()
    frames = max(shown)
    assert min(shown) >= 0.5 * frames > 0, f"some are left behind: {min(shown)} of {frames} frames"
    return {
        "viewers": viewers,
        "frames_per_s": round(frames / took, 1),
        "frames_sent_by_table": int(sent),
        "frames_shown": sum(shown),
        "table_us_per_frame": round(spent / frames * 1e6, 1),
    }


async def listing(bus: Bus, table: Served, tokens: Tokens, tables: int, calls: int) -> dict[str, Any]:
    """Return how long the list of live tables takes."""
    chance, made = random.Random(1), iter(range(tables))
    remote = Calls(bus, lambda _: None)

    async def create() -> None:
        for number in made:
            what = spec(game=GAMES[number % len(GAMES)], timing=AT_REST)
            await remote.about(Create(f"{number % SHARDS:x}-live{number:06d}", what))

    await asyncio.gather(*(create() for _ in range(AT_ONCE)))
    metadata = (("authorization", f"Bearer {tokens.token('p_looker', seconds=3_000)}"),)
    took: list[float] = []
    async with grpc.aio.insecure_channel(f"127.0.0.1:{table.grpc_port}") as channel:
        stub = WatchServiceStub(channel)
        total = 0
        while total < tables * 0.99:
            await asyncio.sleep(0.5)
            total = (await stub.ListLiveTables(w.ListLiveTablesRequest(), metadata=metadata)).total
        await asyncio.sleep(SETTLE_S)
        token = ""
        for _ in range(calls):
            order = chance.choice((w.LIVE_ORDER_VIEWERS, w.LIVE_ORDER_NEWEST))
            request = w.ListLiveTablesRequest(game=chance.choice(("", *GAMES)), order=order, page_size=50)
            if token and chance.random() < 0.3:
                request.page_token, request.game, request.order = token, "", w.LIVE_ORDER_NEWEST
            elif chance.random() < 0.3:
                # Bots have no rating: the whole list is gone through, and nothing is found.
                request.rating_min = chance.randint(1, 2_000)
            began = time.perf_counter()
            answer = await stub.ListLiveTables(request, metadata=metadata)
            took.append(time.perf_counter() - began)
            assert len(answer.tables) == (0 if request.rating_min else 50)
            if request.order == w.LIVE_ORDER_NEWEST and not (request.game or request.rating_min):
                token = answer.next_page_token
            # As a person would: the list is made anew once a second, and that is in the figures.
            await asyncio.sleep(0.02)
    took.sort()
    return {
        "tables": total,
        "calls": calls,
        "list_p50_ms": round(took[len(took) // 2] * 1e3, 2),
        "list_p99_ms": round(took[int(len(took) * 0.99)] * 1e3, 2),
    }


async def run(asked: argparse.Namespace, made: World) -> dict[str, Any]:
    """Measure both."""
    table = made.table("table-1", pinned=True)
    table.until_ready()
    bus, tokens = await made.connect("bench"), Tokens()
    await (await bus.bucket(KEYS_BUCKET)).put(KID, tokens.public)
    gateway = made.gateway(**{f"PAIJU_GATEWAY_{limit}": UNLIMITED for limit in LIMITS})
    gateway.until_ready()
    await Calls(bus, lambda _: None).about(Create(TABLE, spec(rounds=64, timing=LIVELY)))
    url = f"http://127.0.0.1:{gateway.page_port}"
    rows = [await watched(table, url, tokens, viewers, asked.seconds) for viewers in (1, asked.viewers, 1)]
    one = (rows[0]["table_us_per_frame"] + rows[2]["table_us_per_frame"]) / 2
    listed = await listing(bus, table, tokens, asked.tables, asked.calls)
    await bus.close()
    return {"rows": rows, "ratio": round(rows[1]["table_us_per_frame"] / one, 3), "list": listed}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--viewers", type=int, default=1_000)
    parser.add_argument("--seconds", type=float, default=8.0)
    parser.add_argument("--tables", type=int, default=10_000)
    parser.add_argument("--calls", type=int, default=300)
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    log.configure("error")
    with (
        tempfile.TemporaryDirectory(prefix="paiju-bench-") as folder,
        world(Path(folder), SHARDS, 4, "always") as made,
        asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner,
    ):
        found = runner.run(run(asked, made))
    if asked.json:
        sys.stdout.write(json.dumps(found) + "\n")
        return
    for row in found["rows"]:
        print("  ".join(f"{name} {value}" for name, value in row.items()))
    print(f"a frame with {asked.viewers} viewers costs the table process {found['ratio']} times one with 1")
    print("  ".join(f"{name} {value}" for name, value in found["list"].items()))


if __name__ == "__main__":
    main()

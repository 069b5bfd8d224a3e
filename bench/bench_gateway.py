"""The players' door: memory per connection, and CPU per action, beside a bare WebSocket echo in the same run.

    python -m bench.bench_gateway [--connections 1000] [--players 100] [--actions 100] [--json]

The gateway, an owner of the shards (which answers, and plays nothing) and the echo each have a process of
their own. An action is one message in and two out: the answer and a frame. A round trip of the echo is one
in and one out of about the same size. In the end all connections of the door are cut and come back at once:
connected, greeted, at their table; beside as many bare WebSockets that connect and echo once.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import multiprocessing
import os
import tempfile
import time
from collections.abc import Awaitable, Callable, Coroutine
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import aiohttp
import uvloop
from aiohttp import web
from paiju.gateway.v1.gateway_service_pb2 import Hello, PlayRequest, PlayResponse
from paiju.table.v1.play_pb2 import Act, Attach, TableCommand

from services.chassis import log
from services.chassis.bus import Registry
from services.chassis.bus.nats import NatsBus, NatsLogin
from services.chassis.clock import SystemClock
from services.chassis.ids import SystemIds
from services.chassis.metrics import Metrics
from services.gateway.app import WIRING, Gateway
from services.gateway.settings import GatewaySettings
from tests.support.nats import NatsServer
from tests.support.real_process import running
from tests.support.table_owner import TableOwner

SHARDS = 4
UNLIMITED = 1_000_000
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


def resident() -> int:
    """Return the resident bytes of this process."""
    gc.collect()
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * PAGE_BYTES


def collection_ms() -> float:
    """Return the processor time of one full collection: nobody is served meanwhile."""
    began = time.thread_time()
    gc.collect()
    return (time.thread_time() - began) * 1000


async def answer_until_told(pipe: Connection) -> None:
    """Answer "cpu" with CPU seconds and "memory" with (resident bytes, a full collection's ms), until told to
    end. To ask for memory costs a collection, which is nobody's action.
    """
    loop = asyncio.get_running_loop()
    while (asked := await loop.run_in_executor(None, pipe.recv)) != "end":
        pipe.send(time.process_time() if asked == "cpu" else (resident(), collection_ms()))


async def gateway(pipe: Connection, nats_url: str, folder: str, players: int) -> None:
    """Serve the gateway; say its address and the players' tokens."""
    log.configure("error", as_json=True)
    own = GatewaySettings(
        http_port=0,
        connections_per_address_max=UNLIMITED,
        strangers_per_address_max=UNLIMITED,
        hello_s=3600,
        idle_s=3600,
        probe_s=3600,
        address_requests_burst=UNLIMITED,
        messages_burst=UNLIMITED,
        player_messages_burst=UNLIMITED,
    )
    async with running(nats_url, Path(folder), [WIRING], {"gateway": own}) as world:
        service = world.services["gateway"]
        assert isinstance(service, Gateway)
        pipe.send((service.url, [world.tokens.token(f"p_{n}", seconds=600) for n in range(players)]))
        await answer_until_told(pipe)


async def owner(pipe: Connection, nats_url: str) -> None:
    """Own every shard."""
    bus = await NatsBus.connect(
        NatsLogin(nats_url), Registry(), SystemClock(), SystemIds(), Metrics(), "owner"
    )
    for shard in range(SHARDS):
        await TableOwner(bus, shard).start()
    pipe.send("ready")
    await answer_until_told(pipe)


async def echo(pipe: Connection) -> None:
    """Serve a WebSocket that returns what it gets."""

    async def handle(request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse(compress=False)
        await socket.prepare(request)
        async for message in socket:
            await socket.send_bytes(message.data)
        return socket

    app = web.Application()
    app.router.add_get("/play", handle)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    pipe.send(f"http://127.0.0.1:{runner.addresses[0][1]}/")
    await answer_until_told(pipe)


def start(work: Callable[..., Coroutine[Any, Any, None]], *arguments: Any) -> Connection:
    """Start a process of its own, and return the way to it."""
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    context.Process(target=run, args=(work, there, *arguments), daemon=True).start()
    return here


def run(work: Callable[..., Coroutine[Any, Any, None]], pipe: Connection, *arguments: Any) -> None:
    """Be such a process."""
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(work(pipe, *arguments))


def memory(pipe: Connection) -> tuple[int, float]:
    """Return a process's (resident bytes, a full collection's ms)."""
    pipe.send("memory")
    answer: tuple[int, float] = pipe.recv()
    return answer


def cpu_s(pipe: Connection) -> float:
    """Return the processor time that a process has used."""
    pipe.send("cpu")
    used: float = pipe.recv()
    return used


async def say(socket: aiohttp.ClientWebSocketResponse, request: PlayRequest, answers: int) -> None:
    """Send a message, and wait for so many."""
    await socket.send_bytes(request.SerializeToString())
    for _ in range(answers):
        message = await socket.receive()
        assert message.type is aiohttp.WSMsgType.BINARY, message
        if request.HasField("hello"):
            assert PlayResponse.FromString(message.data).HasField("welcome"), message.data


async def timed(
    pipe: Connection, count: int, loops: list[Callable[[list[float]], Awaitable[None]]]
) -> dict[str, float]:
    """Run loops at once; return rate, CPU of the process per round, and percentiles of their times."""
    times: list[float] = []
    cpu, began = cpu_s(pipe), time.perf_counter()
    await asyncio.gather(*(loop(times) for loop in loops))
    seconds, used = time.perf_counter() - began, cpu_s(pipe) - cpu
    times.sort()
    return {
        "per_s": round(count / seconds),
        "cpu_us": round(used / count * 1e6, 1),
        "p50_ms": round(times[len(times) // 2] * 1000, 2),
        "p99_ms": round(times[len(times) * 99 // 100] * 1000, 2),
        "max_ms": round(times[-1] * 1000, 2),
    }


async def measure(connections: int, players: int, actions: int) -> dict[str, Any]:
    """Return all figures."""
    folder = tempfile.mkdtemp()
    server = NatsServer(Path(folder) / "nats").start()
    door = start(gateway, server.url, folder, connections)
    url, tokens = door.recv()
    tables = start(owner, server.url)
    tables.recv()
    mirror = start(echo)
    mirror_url = mirror.recv()
    result: dict[str, Any] = {"connections": connections, "players": players, "actions": actions}
    try:
        async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as http:
            base = memory(door)[0]
            sockets = [await http.ws_connect(url + "play") for _ in range(connections)]
            for socket, token in zip(sockets, tokens, strict=True):
                await say(socket, PlayRequest(id=1, hello=Hello(access_token=token)), 1)
            result["idle_kib"] = round((memory(door)[0] - base) / connections / 1024, 1)
            for n, socket in enumerate(sockets):
                command = TableCommand(table_id=f"{n % SHARDS}-table{n // 3}", attach=Attach())
                await say(socket, PlayRequest(id=2, table=command), 2)
            attached = memory(door)
            result["attached_kib"] = round((attached[0] - base) / connections / 1024, 1)
            result["collection_ms"] = round(attached[1], 1)

            def player(n: int) -> Callable[[list[float]], Awaitable[None]]:
                async def play(times: list[float]) -> None:
                    for question in range(actions):
                        act = Act(round_id="r/1", question=question, action="discard s9")
                        command = TableCommand(table_id=f"{n % SHARDS}-table{n // 3}", act=act)
                        began = time.perf_counter()
                        await say(sockets[n], PlayRequest(id=question + 3, table=command), 2)
                        times.append(time.perf_counter() - began)

                return play

            result["gateway"] = await timed(door, players * actions, [player(n) for n in range(players)])
            mirrors = [await http.ws_connect(mirror_url + "play") for _ in range(players)]

            def reflected(n: int) -> Callable[[list[float]], Awaitable[None]]:
                async def play(times: list[float]) -> None:
                    act = Act(round_id="r/1", question=n, action="discard s9")
                    request = PlayRequest(id=n + 3, table=TableCommand(table_id="0-table", act=act))
                    for _ in range(actions):
                        began = time.perf_counter()
                        await say(mirrors[n], request, 1)
                        times.append(time.perf_counter() - began)

                return play

            result["echo"] = await timed(mirror, players * actions, [reflected(n) for n in range(players)])
        # The session is closed: everybody was cut off.
        async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as http:

            def returning(n: int) -> Callable[[list[float]], Awaitable[None]]:
                async def come_back(times: list[float]) -> None:
                    began = time.perf_counter()
                    socket = await http.ws_connect(url + "play")
                    await say(socket, PlayRequest(id=1, hello=Hello(access_token=tokens[n])), 1)
                    command = TableCommand(table_id=f"{n % SHARDS}-table{n // 3}", attach=Attach())
                    await say(socket, PlayRequest(id=2, table=command), 2)
                    times.append(time.perf_counter() - began)

                return come_back

            result["back"] = await timed(door, connections, [returning(n) for n in range(connections)])

            async def bare(times: list[float]) -> None:
                began = time.perf_counter()
                socket = await http.ws_connect(mirror_url + "play")
                await say(socket, PlayRequest(id=1), 1)
                times.append(time.perf_counter() - began)

            result["bare"] = await timed(mirror, connections, [bare] * connections)
    finally:
        for pipe in (door, tables, mirror):
            pipe.send("end")
        server.stop()
    result["ratio_cpu"] = round(result["gateway"]["cpu_us"] / result["echo"]["cpu_us"], 2)
    result["ratio_back_cpu"] = round(result["back"]["cpu_us"] / result["bare"]["cpu_us"], 2)
    return result


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--connections", type=int, default=1000)
    parser.add_argument("--players", type=int, default=100)
    parser.add_argument("--actions", type=int, default=100)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    figures = asyncio.run(measure(given.connections, min(given.players, given.connections), given.actions))
    if given.json:
        print(json.dumps(figures))
        return
    print(f"an idle connection takes {figures['idle_kib']} KiB, one at a table {figures['attached_kib']} KiB")
    print(f"a full collection with all of them takes {figures['collection_ms']} ms")
    for name in ("gateway", "echo"):
        at = figures[name]
        times = f"p50 {at['p50_ms']} ms  p99 {at['p99_ms']} ms"
        print(f"{name:8} {at['per_s']:>6}/s  {at['cpu_us']:>6} us CPU  {times}")
    print(f"an action costs {figures['ratio_cpu']} times a bare round trip")
    for name in ("back", "bare"):
        at = figures[name]
        times = f"p50 {at['p50_ms']} ms  p99 {at['p99_ms']} ms  max {at['max_ms']} ms"
        print(f"{name:8} {at['per_s']:>6}/s  {at['cpu_us']:>6} us CPU  {times}")
    print(f"a return costs {figures['ratio_back_cpu']} times a bare connection")


if __name__ == "__main__":
    main()

"""Three processes of `paiju serve table`: they come, go, die, stand still and go on, while people play."""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import sqlite3
import subprocess
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager, closing
from pathlib import Path

import pytest
from paiju.table.v1.wire_pb2 import CommandBatch, CommandBatchReply

from services.chassis.bus import subject
from services.chassis.bus.nats import NatsBus, NatsLogin
from services.chassis.bus.registry import Registry
from services.chassis.clock import SystemClock
from services.chassis.errors import Outage
from services.chassis.ids import SystemIds
from services.chassis.lease import members_of, rendezvous
from services.chassis.metrics import Metrics
from services.launch.exits import OK
from services.table.app import TABLE_LOG, WIRING
from services.table.calls import Calls, Create
from services.table.core.events import Answered, decode_batch
from tests.simulation.client import Door, Player
from tests.simulation.tables import spec
from tests.support.nats import Broker
from tests.support.up import spawn

SHARDS = [format(number, "x") for number in range(6)]
NAMES = ("table-a", "table-b", "table-c")
TIMING = '{"claim_pause_ms":50,"nonce_ms":300,"between_ms":200,"turn_ms":8000,"claim_ms":8000}'
WAIT_S = 90.0
SERVICE_KEY = "a key that all services of a test share, long enough"


class Processes:
    """The table processes by name, and a connection that looks on."""

    def __init__(self, broker: Broker, folder: Path, bus: NatsBus) -> None:
        self.bus = bus
        self._url = broker.url
        self._replicas = broker.replicas
        self._folder = folder
        self.running: dict[str, subprocess.Popen[bytes]] = {}

    def environment(self, name: str) -> dict[str, str]:
        return {
            "PAIJU_NATS_URL": self._url,
            "PAIJU_STREAM_REPLICAS": str(self._replicas),
            "PAIJU_SERVICE_KEY": SERVICE_KEY,
            "PAIJU_DATA_DIR": str(self._folder),
            "PAIJU_LOG_SHARDS": str(len(SHARDS)),
            "PAIJU_LOG_STREAMS": "2",
            "PAIJU_PROCESS": name,
            "PAIJU_GRPC_ADDRESSES": json.dumps({"economy": "127.0.0.1:1"}),
            "PAIJU_TABLE_PROTECTION": "false",
            # Nothing is purged, so that every answer that was taken can be looked for.
            "PAIJU_TABLE_LOG_KEPT": "1000000",
            "PAIJU_DRAIN_S": "20",
        }

    def log(self, name: str) -> str:
        return (self._folder / f"{name}.log").read_text()

    def start(self, name: str) -> None:
        path = self._folder / f"{name}.log"
        self.running[name] = spawn("serve", "table", env=self.environment(name), log=path)

    def migrate(self) -> None:
        made = spawn("migrate", env=self.environment("migrate"), log=self._folder / "migrate.log")
        made.communicate(timeout=WAIT_S)
        assert made.returncode == OK, self.log("migrate")

    def signal(self, name: str, what: signal.Signals) -> None:
        os.kill(self.running[name].pid, what)

    async def stand_still(self, name: str) -> None:
        """Stop a process, at a moment in which it does not write to the file that all share.

        In such a moment it has the file's lock, and no round could be kept until it goes on (docs/chaos.md).
        """
        async with asyncio.timeout(WAIT_S):
            while True:
                self.signal(name, signal.SIGSTOP)
                if await asyncio.to_thread(self._can_write):
                    return
                self.signal(name, signal.SIGCONT)
                await asyncio.sleep(0.02)

    def _can_write(self) -> bool:
        with closing(sqlite3.connect(self._folder / "table.db", timeout=0.5, isolation_level=None)) as file:
            try:
                file.execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError:
                return False
            file.execute("ROLLBACK")
            return True

    async def ended(self, name: str) -> int:
        return await asyncio.to_thread(self.running.pop(name).wait, WAIT_S)

    async def holders(self) -> dict[str, str]:
        """Return who holds which shard's key."""
        entries = await (await self.bus.bucket("shards")).entries()
        return {
            entry.key.partition(".")[2]: json.loads(entry.value)["process"]
            for entry in entries
            if entry.key.startswith("table.")
        }

    async def settled(self, *names: str) -> float:
        """Return how long it took until every shard is served by whom rendezvous hashing names."""
        wanted = {shard: rendezvous(shard, names) for shard in SHARDS}
        began = self.bus.clock.monotonic()
        async with asyncio.timeout(WAIT_S):
            while True:
                try:
                    if await self.holders() == wanted and await self._loads() == set(SHARDS):
                        return self.bus.clock.monotonic() - began
                except Outage:
                    pass
                await asyncio.sleep(0.1)

    async def _loads(self) -> set[str]:
        members = await members_of(await self.bus.bucket("alive"), "table")
        return {shard for member in members.values() if not member.draining for shard in member.load}

    def end(self) -> None:
        for process in self.running.values():
            process.send_signal(signal.SIGCONT)
            process.kill()
            process.communicate()


class Prober:
    """Asks a shard for a sign of life all the time: what a command would meet."""

    def __init__(self, bus: NatsBus, shard: str) -> None:
        self._bus = bus
        self._subject = subject("table", "cmd", shard)
        self._task = asyncio.ensure_future(self._run())
        self.epoch = 0
        self.answered_at = 0.0
        self.pauses: list[float] = []
        """Between the last answer of an owner and the first one of the next."""

    async def _run(self) -> None:
        clock = self._bus.clock
        batch = CommandBatch(gateway="probe").SerializeToString()
        while True:
            try:
                reply = await self._bus.request(self._subject, batch, timeout_s=0.3)
            except Outage:
                await asyncio.sleep(0.02)
                continue
            epoch, now = CommandBatchReply.FromString(reply).epoch, clock.monotonic()
            if epoch > self.epoch and self.epoch:
                self.pauses.append(now - self.answered_at)
            self.epoch, self.answered_at = max(epoch, self.epoch), now
            await asyncio.sleep(0.02)

    async def next_owner(self, epoch: int) -> float:
        """Return the pause before the owner that came after an epoch."""
        async with asyncio.timeout(WAIT_S):
            while self.epoch <= epoch:
                await asyncio.sleep(0.02)
        return self.pauses[-1]

    async def stop(self) -> None:
        self._task.cancel()
        await asyncio.wait({self._task})


class Playing:
    """Who plays, by shard, and the tasks that do it."""

    def __init__(self, players: dict[str, Player]) -> None:
        self.players = players
        self.tasks = {shard: asyncio.ensure_future(player.play()) for shard, player in players.items()}

    def check(self) -> None:
        """Check that nobody has seen what must never be seen."""
        for task in self.tasks.values():
            assert not task.done() or task.exception() is None, task.exception()

    async def all_go_on(self, count: int = 3) -> None:
        """Return once every player has had further answers taken."""
        wanted = {shard: len(player.accepted) + count for shard, player in self.players.items()}
        waiting = list(self.players.values())
        try:
            async with asyncio.timeout(WAIT_S):
                while waiting:
                    await asyncio.sleep(0.05)
                    self.check()
                    waiting = [
                        player
                        for shard, player in self.players.items()
                        if len(player.accepted) < wanted[shard] and player.view.phase != "finished"
                    ]
        except TimeoutError:
            first = waiting[0]
            raise AssertionError(f"{first.player} waits for ever, and sees\n{first.view}") from None

    async def end(self) -> None:
        for task in self.tasks.values():
            task.cancel()
        await asyncio.gather(*self.tasks.values(), return_exceptions=True)


@asynccontextmanager
async def playing(bus: NatsBus) -> AsyncIterator[Playing]:
    """Let one person play at a table of each shard, as long as the block lasts."""
    door = await Door(bus, bus.clock).open()
    players: dict[str, Player] = {}
    calls = Calls(bus, lambda _: None)
    for shard in SHARDS:
        table_id, name = f"{shard}-cluster1", f"p_{shard}"
        call = Create(table_id, spec(name, rounds=64, timing=TIMING))
        async with asyncio.timeout(WAIT_S):
            while True:
                try:
                    await calls.about(call)
                except Outage:
                    await asyncio.sleep(0.05)
                else:
                    break
        players[shard] = Player(door, name, table_id, random.Random(int(shard, 16)))
    people = Playing(players)
    try:
        yield people
        people.check()
    finally:
        await people.end()


async def check_log(bus: NatsBus, player: Player, shard: str) -> None:
    """Check that a shard's log is one chain, and holds every answer that was taken, once."""
    log = TABLE_LOG.subject(shard)
    last = await bus.last(log)
    assert last is not None
    answers: dict[tuple[str, int], list[str]] = {}
    before = None
    async with asyncio.timeout(WAIT_S), aclosing(bus.read(log)) as entries:
        async for entry in entries:
            assert before is None or entry.expected_last == before
            before = entry.seq
            for table_id, event in decode_batch(entry.payload):
                if isinstance(event, Answered) and event.seat == 0:
                    answers.setdefault((table_id, event.question), []).append(event.action)
            if entry.seq >= last.seq:
                break
    assert player.accepted
    for given in player.accepted:
        assert answers[player.table_id, given.question] == [given.action]


@pytest.fixture
async def processes(broker: Broker, tmp_path: Path) -> AsyncIterator[Processes]:
    registry = Registry(WIRING.says, WIRING.hears, [TABLE_LOG], log_shards=len(SHARDS), log_streams=2)
    clock, ids = SystemClock(), SystemIds()
    bus = await NatsBus.connect(NatsLogin(broker.url), registry, clock, ids, Metrics(), "test")
    made = Processes(broker, tmp_path, bus)
    await asyncio.to_thread(made.migrate)
    try:
        yield made
    finally:
        made.end()
        await bus.close()


@pytest.mark.slow
async def test_processes_join_drain_die_and_stand_still_while_people_play(
    processes: Processes, broker: Broker
) -> None:
    bus, said = processes.bus, []
    for stream in await bus.jetstream.streams_info():
        assert stream.config.num_replicas == broker.replicas, stream.config.name
        for consumer in await bus.jetstream.consumers_info(stream.config.name or ""):
            # 0 = as many as the stream has.
            assert consumer.config.num_replicas in (None, 0, broker.replicas)
    processes.start("table-a")
    await processes.settled("table-a")
    async with playing(bus) as people:
        await people.all_go_on()
        for name in NAMES[1:]:
            processes.start(name)
        said.append(f"two join: settled {await processes.settled(*NAMES):.2f} s after their start")
        await people.all_go_on()

        # A deploy: one is asked to end, and is started again.
        shard, owner = "0", (await processes.holders())["0"]
        others = [name for name in NAMES if name != owner]
        prober = Prober(bus, shard)
        await people.all_go_on(1)
        epoch = prober.epoch
        processes.signal(owner, signal.SIGTERM)
        said.append(f"drain: a table paused {await prober.next_owner(epoch):.2f} s")
        assert await processes.ended(owner) == OK
        await processes.settled(*others)
        await people.all_go_on()
        processes.start(owner)
        said.append(f"one joins: settled {await processes.settled(*NAMES):.2f} s after its start")

        # A crash.
        await people.all_go_on(1)
        epoch = prober.epoch
        processes.signal(owner, signal.SIGKILL)
        said.append(f"takeover of a killed one: a table paused {await prober.next_owner(epoch):.2f} s")
        await processes.ended(owner)
        await processes.settled(*others)
        await people.all_go_on()

        # One stands still for longer than its lease, and goes on: it owns nothing by then.
        shard, owner = next((at, who) for at, who in sorted((await processes.holders()).items()))
        (other,) = [name for name in others if name != owner]
        await prober.stop()
        prober = Prober(bus, shard)
        async with asyncio.timeout(WAIT_S):
            while not prober.epoch:
                await asyncio.sleep(0.02)
        epoch = prober.epoch
        await processes.stand_still(owner)
        said.append(f"takeover of a still one: a table paused {await prober.next_owner(epoch):.2f} s")
        await processes.settled(other)
        await people.all_go_on()
        processes.signal(owner, signal.SIGCONT)
        await processes.settled(*others)
        await people.all_go_on()
        await prober.stop()
    for shard, player in people.players.items():
        await check_log(bus, player, shard)
    for name in NAMES:
        log = processes.log(name)
        for crash in ("shard_broken", "Traceback", "bus_task_crashed", "shard_not_taken"):
            assert crash not in log, log[-3000:]
    print(f"R{broker.replicas}: " + "; ".join(said))

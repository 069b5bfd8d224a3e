"""A small world on a faulty bus and a virtual clock: tables, an auditor, the book of money, and people.

Everything comes from one seed: what is lost, late, doubled; which process dies or sleeps at which await, and
what people play. After a while the world heals, every match must come to its end, and the book must add up.
"""

from __future__ import annotations

import asyncio
import random
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from google.protobuf.message import Message
from paiju.accounts.v1.events_pb2 import PlayerCreated
from paiju.economy.v1 import economy_service_pb2_grpc
from paiju.economy.v1.economy_service_pb2 import ReconcileRequest
from paiju.economy.v1.events_pb2 import RoundSettled
from paiju.scoring.v1.events_pb2 import VERDICT_AGREED, RoundAudited
from paiju.table.v1 import table_service_pb2 as s
from paiju.table.v1 import table_service_pb2_grpc
from paiju.table.v1.events_pb2 import MatchFinished, RoundFinished

from engine import GAMES
from engine.face import Game
from services.chassis.bus.broker import Faults
from services.chassis.clock import VirtualClock
from services.chassis.errors import Outage
from services.chassis.run import Wiring
from services.economy.app import WIRING as ECONOMY
from services.scoring.app import WIRING as SCORING
from services.table.app import TABLE_LOG
from services.table.app import WIRING as TABLE
from services.table.core import events as e
from services.table.core.events import decode_batch
from services.table.core.frames import Shown
from services.table.core.table import Table
from services.table.encode import FrameEncoder
from services.table.settings import TableSettings
from tests.simulation.client import Door, Player
from tests.simulation.script import observables
from tests.support.process import MemoryProcess, MemoryWorld, full_registry

OPEN = TableSettings().games
"""The games of the world: each seed has tables of several."""

FAULTY_S = 40.0
HEALED_S = 900.0
STEP_CRASH = 0.002
"""How often a process dies at one of its awaits."""
STEP_PAUSE = 0.0015
"""How often it sleeps, longer than its lease lives: when it wakes up, it is a zombie."""
STAKES = {"base_stake": 10, "buy_in": 3000, "minimum": 100}
TIMING = '{"turn_ms":4000,"claim_ms":3000,"between_ms":2000,"seat_ms":120000,"linger_ms":86000000}'


def played_at(seed: int, number: int) -> tuple[Game, str]:
    """Return the game and the preset of a table of a world: one after another, seed by seed."""
    game = GAMES[OPEN[(seed + number) % len(OPEN)]]
    presets = list(game.presets)
    return game, presets[(seed // len(OPEN) + number) % len(presets)]


@dataclass
class Member:
    """A process of the world that may die and be started again."""

    name: str
    wirings: tuple[Wiring, ...]
    process: MemoryProcess | None = None
    services: list[Any] = field(default_factory=list)
    starts: int = 0
    crashing: bool = False


class World:
    """One run from one seed."""

    def __init__(self, clock: VirtualClock, seed: int, tables: int = 3, healed_s: float = HEALED_S) -> None:
        self.seed = seed
        self.healed_s = healed_s
        self.clock = clock
        self.rng = random.Random(seed)
        self.faults = Faults(
            seed=seed,
            lose_store=0.02,
            late_store=0.005,
            lose_ack=0.04,
            lose_told=0.02,
            repeat_told=0.01,
            delay_s=0.02,
            lose_delivery_ack=0.02,
        )
        rpc_faults = Faults(seed=seed + 1, lose_told=0.03, delay_s=0.02)
        self.wirings = (TABLE, ECONOMY, SCORING)
        self.memory = MemoryWorld(
            clock,
            seed,
            self.faults,
            rpc_faults,
            replicas=(1, 3)[seed % 2],
            registry=full_registry(
                log_shards=2, log_streams=1, consumes=tuple(c for w in self.wirings for c in w.hears)
            ),
        )
        self.rpc_faults = rpc_faults
        self.members = [
            Member("table-a", (TABLE,)),
            Member("table-b", (TABLE,)),
            Member("money", (ECONOMY, SCORING)),
        ]
        self.appended: dict[str, list[tuple[int, bytes]]] = defaultdict(list)
        self.facts: list[Message] = []
        self.table_ids = [f"{n % 2:x}-sim{seed}x{n}" for n in range(tables)]
        self.players: list[Player] = []
        self.crashes = 0
        self.pauses = 0
        self._tap()

    # Faults

    def _tap(self) -> None:
        """Keep every message of the logs, purged or not; and let processes die and sleep at their awaits."""
        broker = self.memory.broker
        store = broker.store

        def tapped(
            name: str,
            subject: str,
            payload: bytes,
            headers: dict[str, str],
            msg_id: str,
            expected: int | None,
        ) -> tuple[bool, int]:
            before = broker.stream(name).last_seq
            is_stored, seq = store(name, subject, payload, headers, msg_id, expected)
            if is_stored and seq > before and name.startswith("TABLE_LOG"):
                self.appended[subject].append((seq, payload))
            return is_stored, seq

        broker.store = tapped  # type: ignore[method-assign]
        broker.step = self._step

    def _step(self, bus: str, operation: str) -> None:
        if not self.faults.active:
            return
        member = next((m for m in self.members if m.process is not None and m.process.bus.name == bus), None)
        if member is None or member.crashing:
            return
        draw = self.rng.random()
        if draw < STEP_CRASH:
            self.crash(member)
        elif draw < STEP_CRASH + STEP_PAUSE and member.name.startswith("table"):
            self.pauses += 1
            assert member.process is not None
            sleeper = member.process.bus
            sleeper.pause()
            self.clock.call_at(self.clock.monotonic() + self.rng.uniform(0.5, 9.0), sleeper.resume)

    def crash(self, member: Member) -> None:
        """Kill a process; it starts again after a while."""
        assert member.process is not None
        self.crashes += 1
        member.crashing = True
        self.clock.call_at(self.clock.monotonic(), member.process.crash)

    async def _keep_alive(self, member: Member) -> None:
        """Start a process, and again whenever it has died."""
        while True:
            if member.process is None or member.crashing:
                if member.starts:
                    await self.clock.sleep(self.rng.uniform(0.1, 4.0))
                await self._start(member)
            await self.clock.sleep(0.25)

    async def _start(self, member: Member) -> None:
        member.starts += 1
        process = member.process = self.memory.process(member.name)
        # Every machine's wall clock is wrong in its own way.
        process.parts.clock = VirtualClock(skew_ms=self.rng.randrange(-1_500, 1_500))
        member.crashing = False
        member.services = []
        try:
            for wiring in member.wirings:
                settings = wiring.settings()
                member.services.append(await wiring.wire(settings, process.parts))
            await process.rpc.start()
            for service in member.services:
                await service.start()
        except Outage:
            if not member.crashing:
                self.crash(member)

    # People

    async def _people(self, door: Door) -> None:
        stub = table_service_pb2_grpc.TableServiceStub
        client: Any = self.people.parts.rpc.client(stub, "table")
        async with asyncio.TaskGroup() as tasks:
            for number, table_id in enumerate(self.table_ids):
                seated = [f"p_{table_id}-{name}".replace("-", "_") for name in ("a", "b")[: 1 + number % 2]]
                tasks.create_task(self._table(client, door, number, table_id, seated))

    async def _table(self, client: Any, door: Door, number: int, table_id: str, seated: list[str]) -> None:
        for name in seated:
            await self._until_done(partial(self._welcome, name))
        game, preset = played_at(self.seed, number)
        seats = [*seated, *[f"bot:{('random', 'normal')[self.seed % 2]}"] * (game.seats - len(seated))]
        made = s.TableSpec(
            game=game.name,
            preset=preset,
            rounds=2,
            seats=[s.SeatSpec(player_id=player) for player in seats],
            stake=s.StakeSpec(currency="gold", **STAKES) if number % 3 < 2 else None,
            timing_json=TIMING,
            spectators=True,
        )
        request = s.CreateTableRequest(table_id=table_id, spec=made)
        await self._until_done(lambda: client.CreateTable(request))
        async with asyncio.TaskGroup() as tasks:
            for name in seated:
                player = Player(door, name, table_id, random.Random(f"{name}"))
                player.nags = 0.3
                self.players.append(player)
                tasks.create_task(player.play())

    async def _welcome(self, player: str) -> None:
        await self.people.bus.publish(
            PlayerCreated(player_id=player, welcome=True, created_at_ms=self.clock.now_ms()),
            f"created:{player}",
        )

    async def _until_done(self, call: Callable[[], Awaitable[Any]]) -> Any:
        while True:
            try:
                return await call()
            except Outage:
                await self.clock.sleep(0.5)

    # Running

    async def run(self) -> None:
        """Live through the faults, heal, come to the end, and judge."""
        self.people = self.memory.process("people")
        await self.people.rpc.start()
        door = await Door(self.people.bus, self.clock).open()
        await self._until_done(self._listen)
        async with asyncio.TaskGroup() as tasks:
            keepers = [tasks.create_task(self._keep_alive(member)) for member in self.members]
            playing = tasks.create_task(self._people(door))
            await self.clock.sleep(FAULTY_S)
            self.faults.active = self.rpc_faults.active = False
            async with self.clock.timeout(self.healed_s):
                await playing
                await self._until(self._is_settled)
            for keeper in keepers:
                keeper.cancel()
        await self._judge()
        for member in self.members:
            if member.process is not None:
                member.process.crash()
        self.people.crash()

    async def _listen(self) -> None:
        async def hear(deliveries: Sequence[Any]) -> None:
            self.facts.extend(delivery.message for delivery in deliveries)

        types = [RoundFinished, RoundAudited, RoundSettled, MatchFinished]
        await self.people.bus.consume("sim-facts", types, hear, batch=50)

    async def _until(self, condition: Callable[[], bool]) -> None:
        while not condition():
            await self.clock.sleep(0.5)

    def _tables(self) -> dict[str, Table]:
        """Return the tables as the present owners have them."""
        found: dict[str, Table] = {}
        for member in self.members[:2]:
            if member.process is None or member.crashing or not member.services:
                continue
            for name in ("0", "1"):
                shard = member.services[0].owner.shard(name)
                if shard is not None and not shard.is_dropped:
                    found |= shard.tables.live
        return found

    def _is_settled(self) -> bool:
        tables = self._tables()
        settled = {fact.round_id for fact in self.facts if isinstance(fact, RoundSettled)}
        finished = {fact.round_id for fact in self.facts if isinstance(fact, RoundFinished)}
        matches = {fact.match_id for fact in self.facts if isinstance(fact, MatchFinished)}
        return (
            set(tables) >= set(self.table_ids)
            and all(table.s.phase == "finished" and not table.s.owed for table in tables.values())
            and finished <= settled
            and matches == set(self.table_ids)
        )

    # Judging

    async def _judge(self) -> None:
        await self._judge_log()
        self._judge_facts()
        assert self.memory.broker.stream("DLQ").last_seq == 0, "a consumer met a defect"
        stub: Any = self.people.parts.rpc.client(economy_service_pb2_grpc.EconomyServiceStub, "economy")
        report = await self._until_done(lambda: stub.Reconcile(ReconcileRequest()))
        assert not report.findings, f"the book is wrong: {list(report.findings)}"

    async def _judge_log(self) -> None:
        """Nothing acknowledged is missing in the log or there twice; owners have exactly its fold."""
        answers: dict[tuple[str, int, int], e.Answered] = {}
        folded: dict[str, Table] = {}
        for name in ("0", "1"):
            for _, payload in self.appended[TABLE_LOG.subject(name)]:
                for table_id, event in decode_batch(payload):
                    self._fold(folded, name, table_id, event, answers)
        for player in self.players:
            seat = player.view.seat
            for given in player.accepted:
                found = answers.get((player.table_id, seat, given.question))
                assert found is not None, (
                    f"{given} was acknowledged to {player.player}, and is not in the log"
                )
                assert (found.action, found.cause) == (given.action, ""), f"{given} is in the log as {found}"
            sent = player.tried
            for (table_id, of, number), event in answers.items():
                if (table_id, of, event.cause) == (player.table_id, seat, ""):
                    assert (number, event.action) in sent, f"{player.player} never said {event}"
        live = self._tables()
        for table_id in self.table_ids:
            live[table_id].advance(1 << 60)
            folded[table_id].advance(1 << 60)
            mine, its = observables(folded[table_id]), observables(live[table_id])
            assert mine["state"] == its["state"], f"the owner of {table_id} does not have what its log says"
        encoder = FrameEncoder()
        for player in self.players:
            frames = {
                frame.number: frame
                for frame in folded[player.table_id].outputs
                if isinstance(frame, Shown) and frame.listener == player.view.seat
            }
            for number, seen in player.frames.items():
                assert encoder.encode(frames[number]) == seen, (
                    f"{player.player} saw frame {number} differently"
                )

    def _fold(
        self,
        folded: dict[str, Table],
        shard: str,
        table_id: str,
        event: e.AnyEvent,
        answers: dict[tuple[str, int, int], e.Answered],
    ) -> None:
        if isinstance(event, e.TableCreated):
            assert table_id not in folded, f"{table_id} was created twice"
            folded[table_id] = Table.create(table_id, event, GAMES)
        elif isinstance(event, e.ShardTaken | e.ShardStalled):
            for at, table in folded.items():
                if at.startswith(f"{shard}-"):
                    table.apply(event)
        elif not isinstance(event, e.ShardReleased | e.TableCheckpoint):
            if isinstance(event, e.Answered):
                key = (table_id, event.seat, event.question)
                assert key not in answers, f"question {key} was answered twice"
                answers[key] = event
            folded[table_id].apply(event)

    def _judge_facts(self) -> None:
        """One content per round, agreed by scoring, settled once; coins move from seat to seat only."""
        finished: dict[str, RoundFinished] = {}
        for fact in self.facts:
            if isinstance(fact, RoundFinished):
                assert finished.setdefault(fact.round_id, fact) == fact, f"{fact.round_id} has two contents"
            if isinstance(fact, RoundAudited):
                assert fact.verdict == VERDICT_AGREED, f"{fact.round_id}: {fact.differences}"
        settled = {fact.round_id: fact for fact in self.facts if isinstance(fact, RoundSettled)}
        transfers = Counter(fact.transfer_id for fact in settled.values() if fact.transfer_id)
        assert all(count == 1 for count in transfers.values())
        for fact in settled.values():
            assert sum(seat.coins for seat in fact.seats) == 0, f"{fact.round_id} makes or loses coins"
        for player in self.players:
            assert player.view.phase == "finished"

"""Accounts, money, tables and matchmaking together, in memory and in virtual time: who may play."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final

from google.protobuf.message import Message
from paiju.accounts.v1 import protection_service_pb2 as pb
from paiju.accounts.v1.events_pb2 import PlayerCreated
from paiju.accounts.v1.protection_service_pb2_grpc import ProtectionServiceStub
from paiju.gateway.v1.gateway_service_pb2 import Notice
from paiju.matchmaking.v1.matchmaking_service_pb2_grpc import MatchmakingServiceStub
from paiju.table.v1 import table_service_pb2 as table_pb
from paiju.table.v1.events_pb2 import RoundFinished, RoundOpened
from paiju.table.v1.table_service_pb2_grpc import TableServiceStub

from services.accounts import protection_api
from services.accounts.app import WIRING as ACCOUNTS
from services.accounts.core.limits import UNLIMITED
from services.accounts.store import people
from services.chassis import auth, outbox
from services.chassis.bus import subject_of
from services.chassis.bus.port import Delivery
from services.chassis.clock import VirtualClock, run_virtual
from services.chassis.errors import Outage
from services.chassis.run import Wiring
from services.economy.app import WIRING as ECONOMY
from services.matchmaking import placer
from services.matchmaking.app import WIRING as MATCHMAKING
from services.matchmaking.settings import MatchmakingSettings
from services.scoring.app import WIRING as SCORING
from services.table.app import WIRING as TABLE
from tests.simulation.client import Door, Player
from tests.support.process import MemoryProcess, MemoryWorld, full_registry

WIRINGS: Final = (ACCOUNTS, ECONOMY, SCORING, TABLE, MATCHMAKING)
TIMING: Final = '{"claim_pause_ms":3000,"nonce_ms":300,"between_ms":3000,"turn_ms":15000,"claim_ms":10000}'


class Platform:
    """See the module. Each service has a process of its own."""

    def __init__(self, clock: VirtualClock, seed: int = 1) -> None:
        self.clock = clock
        registry = full_registry(
            consumes=tuple(one for wiring in WIRINGS for one in wiring.hears),
            buckets=tuple(one for wiring in WIRINGS for one in wiring.buckets),
        )
        self.world = MemoryWorld(clock, seed=seed, registry=registry)
        self.processes: dict[str, MemoryProcess] = {}
        self.services: dict[str, Any] = {}
        self.notices: dict[str, list[tuple[int, Notice]]] = {}
        """By player: when, and what."""
        self.asked: list[pb.CheckPlayRequest] = []
        self.heard: list[Any] = []
        self._tables = 0

    async def start(self) -> Platform:
        """Start everything."""
        self.here = self.world.process("gateway")
        rpc: Any = self.here.rpc
        self.protection = rpc.client(ProtectionServiceStub, "accounts")
        self.tables = rpc.client(TableServiceStub, "table")
        self.matchmaking = rpc.client(MatchmakingServiceStub, "matchmaking")
        await self.here.rpc.start()
        await self.here.bus.consume("test-rounds", (RoundOpened, RoundFinished), self._hear)
        for wiring in WIRINGS:
            await self.serve(wiring)
        self.door = await Door(self.here.bus, self.clock).open()
        await self.clock.sleep(3)
        return self

    async def serve(self, wiring: Wiring) -> None:
        """Start a service in a process of its own."""
        name = wiring.name
        process = self.processes[name] = self.world.process(name)
        settings = MatchmakingSettings(match_every_ms=10_000) if wiring is MATCHMAKING else wiring.settings()
        self.services[name] = await wiring.wire(settings, process.parts)
        await process.rpc.start()
        await self.services[name].start()

    def kill(self, name: str) -> None:
        """End a service's process at once."""
        process = self.processes.pop(name)
        process.crash()
        self.world.network.leave(process.rpc)
        self.world.processes.remove(process)
        del self.services[name]

    async def stop(self) -> None:
        """End everything in order."""
        for service in reversed(list(self.services.values())):
            await service.stop()
        for process in self.world.processes:
            await process.stop()

    async def _hear(self, deliveries: Sequence[Delivery[Message]]) -> None:
        self.heard.extend(one.message for one in deliveries)

    # People

    async def person(self, name: str) -> str:
        """Return a new player with a key, a wallet and open ears."""
        player_id = f"p_{name}"
        now_ms = self.clock.now_ms()
        await self.world.database("accounts").run(
            lambda c: people.sign_in(
                c, name.encode().ljust(32, b"."), "unknown", player_id, UNLIMITED, now_ms
            )
        )
        created = PlayerCreated(player_id=player_id, created_at_ms=now_ms, welcome=True)
        await self.here.bus.publish(created, f"player_created:{player_id}")
        heard = self.notices[player_id] = []

        async def hear(payload: bytes, _: str) -> None:
            heard.append((self.clock.now_ms(), Notice.FromString(payload)))

        await self.here.bus.listen(subject_of(Notice, key=player_id), hear)
        await self.clock.sleep(1)
        return player_id

    def endings(self, player_id: str) -> list[tuple[int, pb.PlayEnding]]:
        """Return when a player was told that his time ends, and what."""
        return [
            (at_ms, one.play_ending)
            for at_ms, one in self.notices[player_id]
            if one.WhichOneof("body") == "play_ending"
        ]

    async def call(self, stub: Any, method: str, player_id: str, request: Message) -> Any:
        """Call in the name of a player."""
        with auth.acting_for(player_id):
            return await getattr(stub, method)(request)

    async def declare(self, player_id: str, band: pb.AgeBand.ValueType) -> None:
        """Say how old somebody is."""
        await self.call(self.protection, "DeclareAge", player_id, pb.DeclareAgeRequest(band=band))

    async def limit(self, player_id: str, minutes: int = 0, loss: int = 0) -> None:
        """Set own limits."""
        limits = pb.PlayLimits(day_minutes=minutes, day_loss=loss)
        await self.call(self.protection, "SetLimits", player_id, pb.SetLimitsRequest(limits=limits))

    async def exclude(self, player_id: str, hours: int = 24 * 7) -> int:
        """Exclude somebody; return until when."""
        until_ms = self.clock.now_ms() + hours * 3_600_000
        request = pb.ExcludeSelfRequest(until_ms=until_ms)
        await self.call(self.protection, "ExcludeSelf", player_id, request)
        return until_ms

    async def protection_of(self, player_id: str) -> pb.Protection:
        """Return what protects somebody."""
        found = await self.call(
            self.protection, "GetProtection", player_id, pb.GetProtectionRequest(player_id=player_id)
        )
        made: pb.Protection = found.protection
        return made

    # Tables

    async def table(
        self,
        *players: str,
        rounds: int = 40,
        stake: table_pb.StakeSpec | None = None,
        bot: str = "random",
    ) -> str:
        """Return a new table of 跑胡子 with these players, and bots on the other seats."""
        self._tables += 1
        table_id = f"0-protected{self._tables}"
        seats = [table_pb.SeatSpec(player_id=player) for player in players]
        seats += [table_pb.SeatSpec(player_id=f"bot:{bot}")] * (3 - len(players))
        spec = table_pb.TableSpec(
            game="paohuzi", preset="tongyi-qmt", seats=seats, rounds=rounds, timing_json=TIMING, stake=stake
        )
        while True:
            try:
                await self.tables.CreateTable(table_pb.CreateTableRequest(table_id=table_id, spec=spec))
            except Outage:
                await self.clock.sleep(0.5)
            else:
                return table_id

    def player(self, player_id: str, table_id: str) -> Player:
        """Return a client of a player at a table."""
        session = f"s-{player_id}-{table_id}"
        return Player(self.door, player_id, table_id, random.Random(player_id), session=session)

    def rounds(self, table_id: str) -> list[tuple[int, int]]:
        """Return when the rounds of a table opened and ended, of those that ended."""
        opened = {one.round_id: one.opened_at_ms for one in self.heard if isinstance(one, RoundOpened)}
        return [
            (opened[one.round_id], one.ended_at_ms)
            for one in self.heard
            if isinstance(one, RoundFinished) and one.table_id == table_id
        ]

    def last_opened(self, table_id: str) -> int:
        """Return when the last round of a table opened."""
        return max(
            one.opened_at_ms
            for one in self.heard
            if isinstance(one, RoundOpened) and one.table_id == table_id
        )


def play(scene: Callable[[Platform], Awaitable[None]], start_ms: int, monkeypatch: Any) -> None:
    """Run a scene in virtual time, from a moment on; what accounts is asked stands in `asked`."""

    async def main(clock: VirtualClock) -> None:
        platform = Platform(clock)
        answer = protection_api.ProtectionApi.CheckPlay

        async def noted(self: Any, request: pb.CheckPlayRequest, context: Any) -> pb.CheckPlayResponse:
            platform.asked.append(request)
            return await answer(self, request, context)

        # Whoever writes pokes them: looking more often than this only costs time.
        monkeypatch.setattr(outbox, "LOOK_S", 5.0)
        monkeypatch.setattr(placer, "RETRY_S", 5.0)
        monkeypatch.setattr(protection_api.ProtectionApi, "CheckPlay", noted)
        await platform.start()
        await scene(platform)
        await platform.stop()

    run_virtual(main, start_ms)

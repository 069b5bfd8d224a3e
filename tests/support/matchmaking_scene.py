"""One matchmaking process and its peers in virtual time, for tests."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from paiju.gateway.v1.gateway_service_pb2 import Notice
from paiju.matchmaking.v1 import matchmaking_service_pb2 as pb

from services.chassis.bus import subject_of
from services.chassis.clock import VirtualClock, run_virtual
from services.chassis.errors import Refusal
from services.matchmaking.app import FINISHED, wire
from services.matchmaking.settings import MatchmakingSettings
from tests.support.matchmaking_peers import Player, RoomCards, Tables, Wallets, serve_peers
from tests.support.process import MemoryProcess, MemoryWorld, full_registry

HALL = "paohuzi/tongyi-qmt/novice"


class Scene:
    """One matchmaking process and its peers, in virtual time."""

    def __init__(self, clock: VirtualClock, seed: int = 1) -> None:
        self.clock = clock
        self.world = MemoryWorld(clock, seed=seed, registry=full_registry(consumes=(FINISHED,)))
        self.tables, self.wallets, self.cards = Tables(), Wallets(), RoomCards()
        self.notices: dict[str, list[Notice]] = {}
        self.process: MemoryProcess
        self.service: Any
        self._request = 0

    async def start(self, **settings: Any) -> Scene:
        self.peers = self.world.process("peers")
        serve_peers(self.peers.parts, self.tables, self.wallets, self.cards)
        await self.peers.rpc.start()
        await self.start_matchmaking(**settings)
        return self

    async def start_matchmaking(self, **settings: Any) -> None:
        self.process = self.world.process(f"matchmaking{len(self.world.processes)}")
        given = {"writes_per_s": 1000, "writes_burst": 1000} | settings
        self.service = await wire(MatchmakingSettings(protection=False, **given), self.process.parts)
        await self.process.rpc.start()
        await self.service.start()
        await self.clock.sleep(2)

    async def stop(self) -> None:
        await self.service.stop()
        for process in self.world.processes:
            await process.stop()
        assert self.tables.violations == []

    async def player(self, name: str) -> Player:
        player_id = f"p_{name}"
        self.notices[player_id] = []

        async def hear(payload: bytes, subject: str) -> None:
            self.notices[player_id].append(Notice.FromString(payload))

        await self.peers.bus.listen(subject_of(Notice, key=player_id), hear)
        return Player(self.peers.parts, player_id)

    async def ticket(self, player: Player, hall: str = HALL, **more: Any) -> pb.Ticket:
        self._request += 1
        request = pb.CreateTicketRequest(request_id=f"r{self._request}", hall_id=hall, **more)
        ticket: pb.Ticket = (await player.call("CreateTicket", request)).ticket
        return ticket

    async def look(self, player: Player, ticket: pb.Ticket) -> pb.Ticket:
        found: pb.Ticket = (
            await player.call("GetTicket", pb.GetTicketRequest(ticket_id=ticket.ticket_id))
        ).ticket
        return found

    async def room(self, player: Player, **more: Any) -> pb.Room:
        self._request += 1
        wish = {"game": "paohuzi", "preset": "tongyi-qmt"} | more
        made: pb.Room = (
            await player.call("CreateRoom", pb.CreateRoomRequest(request_id=f"r{self._request}", **wish))
        ).room
        return made

    async def join(self, player: Player, room: pb.Room) -> pb.Room:
        request = pb.JoinRoomRequest(room_code=room.room_code)
        room_now: pb.Room = (await player.call("JoinRoom", request)).room
        return room_now

    async def see(self, player: Player, room: pb.Room) -> pb.Room:
        request = pb.GetRoomRequest(room_code=room.room_code)
        room_now: pb.Room = (await player.call("GetRoom", request)).room
        return room_now

    async def ready(self, player: Player, room: pb.Room) -> pb.Room:
        request = pb.SetRoomReadyRequest(room_code=room.room_code, ready=True)
        room_now: pb.Room = (await player.call("SetRoomReady", request)).room
        return room_now

    async def finish(self, table_id: str) -> None:
        await self.peers.bus.publish(self.tables.finish(table_id), event_id=f"finished:{table_id}")
        await self.clock.sleep(1)


def play(scene: Callable[[Scene], Awaitable[None]], **settings: Any) -> None:
    """Run a scene in virtual time."""

    async def main(clock: VirtualClock) -> None:
        made = await Scene(clock).start(**settings)
        await scene(made)
        await made.stop()

    run_virtual(main)


async def refused(reason: str, call: Awaitable[Any]) -> Refusal:
    with pytest.raises(Refusal) as found:
        await call
    assert found.value.reason == reason
    return found.value

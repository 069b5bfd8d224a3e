"""A friend is invited to a room: matchmaking is asked which, accounts tells him."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from paiju.accounts.v1 import friend_service_pb2 as pb
from paiju.accounts.v1 import presence_service_pb2 as presence_pb
from paiju.accounts.v1.friend_service_pb2_grpc import FriendServiceStub
from paiju.accounts.v1.presence_service_pb2_grpc import PresenceServiceStub
from paiju.gateway.v1.gateway_service_pb2 import Notice
from paiju.matchmaking.v1 import matchmaking_service_pb2 as rooms
from paiju.matchmaking.v1.matchmaking_service_pb2_grpc import MatchmakingServiceStub

from services.accounts import app as accounts_app
from services.chassis import auth
from services.chassis.bus import subject_of
from services.chassis.errors import Outage, Refusal
from services.matchmaking import app as matchmaking_app
from services.matchmaking.settings import MatchmakingSettings
from tests.support.accounts import RunningAccounts, until
from tests.support.matchmaking_peers import RoomCards, Tables, Wallets, serve_peers
from tests.support.process import MemoryWorld, full_registry


class Scene:
    """Accounts, matchmaking, and what its people hear."""

    def __init__(self, world: MemoryWorld, people: RunningAccounts, caller: Any) -> None:
        self.people, self.caller = people, caller
        self.friends: Any = caller.rpc.client(FriendServiceStub, "accounts")
        self.presence: Any = caller.rpc.client(PresenceServiceStub, "accounts")
        self.rooms: Any = caller.rpc.client(MatchmakingServiceStub, "matchmaking")
        self.heard: list[pb.FriendNotice] = []

    async def person(self) -> str:
        return (await self.people.sign_in()).profile.player_id

    async def befriend(self, one: str, other: str) -> None:
        with auth.acting_for(one):
            await self.friends.AskFriend(pb.AskFriendRequest(player_id=other))
        with auth.acting_for(other):
            await self.friends.AcceptFriend(pb.AcceptFriendRequest(player_id=one))

    async def listen(self, player: str) -> None:
        async def hear(payload: bytes, subject: str) -> None:
            self.heard.append(Notice.FromString(payload).friend)

        await self.caller.bus.listen(subject_of(Notice, key=player), hear)

    async def room(self, owner: str) -> rooms.Room:
        request = rooms.CreateRoomRequest(request_id=f"of-{owner}", game="paohuzi", preset="tongyi-qmt")
        async with asyncio.timeout(30):
            while True:
                try:
                    with auth.acting_for(owner):
                        return (await self.rooms.CreateRoom(request)).room  # type: ignore[no-any-return]
                except Outage:
                    await asyncio.sleep(0.05)

    async def invite(self, host: str, guest: str) -> str:
        with auth.acting_for(host):
            return str((await self.friends.InviteFriend(pb.InviteFriendRequest(player_id=guest))).room_code)

    async def invitations(self, player: str) -> list[tuple[str, str]]:
        with auth.acting_for(player):
            answer = await self.presence.ListRoomInvitations(presence_pb.ListRoomInvitationsRequest())
        return [(one.profile.player_id, one.room_code) for one in answer.invitations]


@pytest.fixture
async def scene(world: MemoryWorld) -> AsyncIterator[Scene]:
    hears = (*matchmaking_app.WIRING.hears, *accounts_app.WIRING.hears)
    world.broker.ensure(full_registry(consumes=hears))
    peers = world.process("peers")
    serve_peers(peers.parts, Tables(), Wallets(), RoomCards())
    await peers.rpc.start()
    people = await RunningAccounts(world).start()
    process = world.process("matchmaking")
    service = await matchmaking_app.wire(MatchmakingSettings(protection=False), process.parts)
    await process.rpc.start()
    await service.start()
    yield Scene(world, people, peers)
    await service.stop()
    await people.service.stop()


async def test_a_friend_is_invited_to_the_room_one_sits_in_and_to_no_other(scene: Scene) -> None:
    host, friend, stranger = [await scene.person() for _ in range(3)]
    await scene.befriend(host, friend)
    await scene.listen(friend)
    with pytest.raises(Refusal, match="NOT_IN_ROOM"):
        await scene.invite(host, friend)
    room = await scene.room(host)
    with pytest.raises(Refusal, match="FRIEND_ONLY"):
        await scene.invite(host, stranger)
    assert await scene.invite(host, friend) == room.room_code
    await until(lambda: scene.heard)
    (told,) = scene.heard
    assert (told.invited.room_code, told.invited.game, told.invited.preset) == (
        room.room_code,
        "paohuzi",
        "tongyi-qmt",
    )
    assert told.invited.profile.player_id == host
    # Nobody is called again and again: two at once, then one in a quarter of a minute.
    with pytest.raises(Refusal, match="RATE_LIMITED"):
        await scene.invite(host, friend)


async def test_who_was_away_finds_the_invitation_as_long_as_the_room_waits(scene: Scene) -> None:
    host, friend, third = [await scene.person() for _ in range(3)]
    await scene.befriend(host, friend)
    room = await scene.room(host)
    await scene.invite(host, friend)
    assert await scene.invitations(friend) == [(host, room.room_code)]
    assert await scene.invitations(host) == []
    # A room that is full waits for nobody; when a place is free it waits again.
    code = rooms.JoinRoomRequest(room_code=room.room_code)
    for other in (third, await scene.person()):
        with auth.acting_for(other):
            await scene.rooms.JoinRoom(code)
    assert await scene.invitations(friend) == []
    with auth.acting_for(third):
        await scene.rooms.LeaveRoom(rooms.LeaveRoomRequest(room_code=room.room_code))
    assert await scene.invitations(friend) == [(host, room.room_code)]
    # Who sits there needs no invitation.
    with auth.acting_for(friend):
        await scene.rooms.JoinRoom(code)
    assert await scene.invitations(friend) == []
    with auth.acting_for(friend):
        await scene.rooms.LeaveRoom(rooms.LeaveRoomRequest(room_code=room.room_code))
    # He who invited has left: it is not his room any more.
    with auth.acting_for(host):
        await scene.rooms.LeaveRoom(rooms.LeaveRoomRequest(room_code=room.room_code))
    assert await scene.invitations(friend) == []


async def test_an_invitation_that_was_put_away_stays_away(scene: Scene) -> None:
    host, friend = [await scene.person() for _ in range(2)]
    await scene.befriend(host, friend)
    await scene.room(host)
    await scene.invite(host, friend)
    for _ in range(2):
        with auth.acting_for(friend):
            await scene.presence.DismissRoomInvitation(
                presence_pb.DismissRoomInvitationRequest(player_id=host)
            )
        assert await scene.invitations(friend) == []
    with pytest.raises(Refusal, match="INVALID_ARGUMENT"), auth.acting_for(friend):
        await scene.presence.DismissRoomInvitation(presence_pb.DismissRoomInvitationRequest(player_id="x y"))
    await scene.invite(host, friend)
    assert len(await scene.invitations(friend)) == 1


async def test_nobody_is_invited_to_a_room_without_a_free_place(scene: Scene) -> None:
    host, friend = [await scene.person() for _ in range(2)]
    await scene.befriend(host, friend)
    room = await scene.room(host)
    with auth.acting_for(host):
        await scene.rooms.FillRoomWithBots(
            rooms.FillRoomWithBotsRequest(room_code=room.room_code, bot="easy")
        )
    with pytest.raises(Refusal, match="ROOM_FULL"):
        await scene.invite(host, friend)

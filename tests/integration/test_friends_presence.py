"""Friends see who is here, of those who show it; an invitation waits for who was away."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from paiju.accounts.v1 import presence_service_pb2 as pb
from paiju.accounts.v1.friend_service_pb2 import (
    AcceptFriendRequest,
    AskFriendRequest,
    BlockPlayerRequest,
    ListFriendIdsRequest,
    RemoveFriendRequest,
    UnblockPlayerRequest,
)
from paiju.accounts.v1.friend_service_pb2_grpc import FriendServiceStub
from paiju.accounts.v1.presence_service_pb2_grpc import PresenceServiceStub
from paiju.gateway.v1.gateway_service_pb2 import PeopleHere

from services.accounts.export import Export
from services.accounts.store import presence as store
from services.chassis import auth
from services.chassis.bus import subject_of
from tests.support.accounts import RunningAccounts


class Friends:
    """Accounts, and what its people call."""

    def __init__(self, people: RunningAccounts) -> None:
        self.people = people
        self.friends: Any = people.gateway.rpc.client(FriendServiceStub, "accounts")
        self.presence: Any = people.gateway.rpc.client(PresenceServiceStub, "accounts")

    async def persons(self, count: int) -> list[str]:
        return [(await self.people.sign_in()).profile.player_id for _ in range(count)]

    async def befriend(self, one: str, other: str) -> None:
        with auth.acting_for(one):
            await self.friends.AskFriend(AskFriendRequest(player_id=other))
        with auth.acting_for(other):
            await self.friends.AcceptFriend(AcceptFriendRequest(player_id=one))

    async def sees(self, player: str) -> tuple[list[str], bool]:
        with auth.acting_for(player):
            answer = await self.presence.ListFriendsPresence(pb.ListFriendsPresenceRequest())
        return list(answer.here), answer.is_shown

    async def show(self, player: str, shown: bool) -> None:
        with auth.acting_for(player):
            await self.presence.SetPresenceShown(pb.SetPresenceShownRequest(is_shown=shown))

    async def say(self, **said: Any) -> None:
        message = PeopleHere(**said)
        await self.people.bus.tell(subject_of(message), message.SerializeToString())

    async def until_sees(self, player: str, here: list[str]) -> None:
        async with asyncio.timeout(30):
            while (await self.sees(player))[0] != here:
                await asyncio.sleep(0.01)


@pytest.fixture
def friends(people: RunningAccounts) -> Friends:
    return Friends(people)


async def test_friends_see_who_is_here_and_nobody_else_does(friends: Friends) -> None:
    anna, bo, stranger = await friends.persons(3)
    await friends.befriend(anna, bo)
    for player in (anna, bo, stranger):
        # At two gateways: who leaves one of them is here still.
        await friends.say(gateway="one", here=[player])
        await friends.say(gateway="two", here=[player])
    await friends.say(gateway="two", gone=[bo])
    # What is told comes in its order: with the stranger's friend all of it has come.
    last, other = await friends.persons(2)
    await friends.befriend(last, other)
    await friends.say(gateway="one", here=[other])
    await friends.until_sees(last, [other])
    assert await friends.sees(anna) == ([bo], True)
    assert await friends.sees(stranger) == ([], True)
    await friends.say(gateway="one", gone=[bo])
    await friends.until_sees(anna, [])


async def test_who_hides_is_not_seen_nor_looked_for_and_sees_others_as_before(friends: Friends) -> None:
    anna, bo = await friends.persons(2)
    await friends.befriend(anna, bo)
    await friends.say(gateway="one", here=[anna, bo])
    await friends.until_sees(anna, [bo])
    for _ in range(2):
        await friends.show(bo, False)
    assert await friends.sees(anna) == ([], True)
    assert await friends.sees(bo) == ([anna], False)
    # The list of live tables looks for friends by this: his table is not found through him either.
    assert list((await friends.friends.ListFriendIds(ListFriendIdsRequest(player_id=anna))).player_ids) == []
    for _ in range(2):
        await friends.show(bo, True)
    assert await friends.sees(anna) == ([bo], True)


@pytest.mark.parametrize("way", ["remove", "block", "is_blocked"])
async def test_who_is_no_friend_any_more_sees_nothing(friends: Friends, way: str) -> None:
    anna, bo = await friends.persons(2)
    await friends.befriend(anna, bo)
    await friends.say(gateway="one", here=[anna, bo])
    await friends.until_sees(anna, [bo])
    await friends.until_sees(bo, [anna])
    kept = store.Invitation(anna, "123456", "paohuzi", "tongyi-qmt", 1, 10**15)
    await friends.people.db.run(lambda c: store.invite(c, bo, kept, now_ms=1))
    one, other = (bo, anna) if way == "is_blocked" else (anna, bo)
    with auth.acting_for(one):
        if way == "remove":
            await friends.friends.RemoveFriend(RemoveFriendRequest(player_id=other))
        else:
            await friends.friends.BlockPlayer(BlockPlayerRequest(player_id=other))
    assert (await friends.sees(anna), await friends.sees(bo)) == (([], True), ([], True))
    # Friends again, the invitation of before does not come back.
    with auth.acting_for(one):
        if way != "remove":
            await friends.friends.UnblockPlayer(UnblockPlayerRequest(player_id=other))
    await friends.befriend(one, other)
    assert await friends.people.db.read(lambda c: store.invited(c, bo, now_ms=1)) == []


async def test_what_is_held_of_a_person_is_exported_and_goes_with_him(friends: Friends) -> None:
    anna, bo = await friends.persons(2)
    await friends.befriend(anna, bo)
    await friends.show(anna, False)
    kept = store.Invitation(bo, "123456", "paohuzi", "tongyi-qmt", 1, 10**15)
    await friends.people.db.run(lambda c: store.invite(c, anna, kept, now_ms=1))
    export = Export(friends.people.db, friends.people.gateway.rpc)
    held = next(section for section in export.sections if section.name == "friends")
    told, _ = await held.fetch(anna, "")
    assert told["is_shown"] is False
    assert [one["room_code"] for one in told["room_invitations"]] == ["123456"]
    await friends.people.db.run(lambda c: store.forget(c, anna))
    assert await friends.people.db.read(lambda c: store.everything(c, anna)) == {
        "is_shown": True,
        "room_invitations": [],
    }


async def test_the_last_invitation_of_each_friend_is_kept_twenty_in_all_and_none_past_its_time(
    friends: Friends,
) -> None:
    db = friends.people.db
    anna, *others = await friends.persons(store.INVITATIONS_MAX + 2)
    for other in others:
        await friends.befriend(other, anna)

    async def invite(inviter: str, code: str, at_ms: int, expires_at_ms: int = 10**15) -> None:
        kept = store.Invitation(inviter, code, "paohuzi", "tongyi-qmt", at_ms, expires_at_ms)
        await db.run(lambda c: store.invite(c, anna, kept, now_ms=at_ms))

    async def codes(now_ms: int) -> list[str]:
        found = await db.read(lambda c: store.invited(c, anna, now_ms))
        return [one.room_code for one, _ in found]

    await invite(others[0], "100000", 1)
    await invite(others[0], "100001", 2)
    assert await codes(2) == ["100001"]
    await invite(others[1], "200000", 3, expires_at_ms=5)
    assert await codes(4) == ["200000", "100001"]
    assert await codes(5) == ["100001"]
    for number, other in enumerate(others[1:], 10):
        await invite(other, f"3000{number}", number)
    assert await codes(100) == [f"3000{number}" for number in range(29, 9, -1)]

"""Friends: asked, accepted, declined, removed, blocked, in pages; on real databases, with many at once."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator
from typing import Any

import pytest
from google.protobuf.field_mask_pb2 import FieldMask
from paiju.accounts.v1 import accounts_service_pb2 as accounts_pb
from paiju.accounts.v1 import friend_service_pb2 as pb
from paiju.accounts.v1.friend_service_pb2_grpc import FriendServiceStub
from paiju.gateway.v1.gateway_service_pb2 import Notice
from sqlalchemy import func, select, update

from services.accounts.deletions import Deletions
from services.accounts.export import Export
from services.accounts.store import schema
from services.accounts.store.friends_schema import asks, blocks, friends, requests
from services.chassis.bus import subject_of
from services.chassis.errors import Refusal
from tests.support.accounts import RunningAccounts, bearer, quick_settings, until
from tests.support.process import MemoryWorld

NONE, FRIENDS, ASKED = pb.FRIENDSHIP_UNSPECIFIED, pb.FRIENDSHIP_FRIENDS, pb.FRIENDSHIP_ASKED
ASKS, BLOCKED = pb.FRIENDSHIP_ASKS, pb.FRIENDSHIP_BLOCKED


class Person:
    """A player and his page."""

    def __init__(self, people: RunningAccounts, signed_in: accounts_pb.SignInGuestResponse) -> None:
        self.id = signed_in.profile.player_id
        self.nickname = signed_in.profile.nickname
        self.metadata = bearer(signed_in.tokens.access_token)
        self.stub = people.gateway.rpc.client(FriendServiceStub, "accounts", timeout_s=20.0)
        self.told: list[pb.FriendNotice] = []

    async def call(self, method: str, **fields: Any) -> Any:
        request = getattr(pb, f"{method}Request")(**fields)
        return await getattr(self.stub, method)(request, metadata=self.metadata)

    async def ask(self, other: Person) -> int:
        answer = await self.call("AskFriend", player_id=other.id)
        assert answer.player_id == other.id
        return int(answer.friendship)

    async def does(self, method: str, other: Person) -> int:
        return int((await self.call(method, player_id=other.id)).friendship)

    async def accept(self, other: Person) -> pb.Friend:
        answer: pb.AcceptFriendResponse = await self.call("AcceptFriend", player_id=other.id)
        return answer.friend

    async def sees(self, other: Person) -> int:
        return int((await self.call("GetFriendship", player_id=other.id)).friendship)

    async def friends(self) -> list[str]:
        return [one.profile.player_id for one in (await self.call("ListFriends")).friends]

    async def received(self) -> list[str]:
        return await self._requests(pb.REQUEST_DIRECTION_IN)

    async def sent(self) -> list[str]:
        return await self._requests(pb.REQUEST_DIRECTION_OUT)

    async def _requests(self, direction: int) -> list[str]:
        found = await self.call("ListFriendRequests", direction=direction)
        assert found.total == len(found.requests)
        return [one.profile.player_id for one in found.requests]


class Village:
    """Accounts and the people in it."""

    def __init__(self, people: RunningAccounts) -> None:
        self.people = people

    async def person(self) -> Person:
        made = Person(self.people, await self.people.sign_in())

        async def hear(payload: bytes, subject: str) -> None:
            made.told.append(Notice.FromString(payload).friend)

        await self.people.bus.listen(subject_of(Notice, key=made.id), hear)
        return made

    async def persons(self, count: int) -> list[Person]:
        return [await self.person() for _ in range(count)]

    async def rows(self) -> dict[str, int]:
        def read(connection: Any) -> dict[str, int]:
            return {
                table.name: connection.scalar(select(func.count()).select_from(table))
                for table in (friends, requests, blocks, asks)
            }

        return await self.people.db.read(read)


@pytest.fixture
def village(people: RunningAccounts) -> Village:
    return Village(people)


@pytest.fixture
async def strict(people_world: MemoryWorld) -> AsyncIterator[Village]:
    """A village in which little is allowed."""
    settings = quick_settings(
        friends_max=2, friend_requests_max=3, friend_asks_per_day=4, friend_blocks_max=1
    )
    running = await RunningAccounts(people_world, settings).start()
    yield Village(running)
    await running.service.stop()


async def test_one_asks_the_other_accepts_and_both_hear_of_it(village: Village) -> None:
    wang, li = await village.persons(2)
    assert await wang.ask(li) == ASKED
    assert (await wang.sees(li), await li.sees(wang)) == (ASKED, ASKS)
    assert (await wang.sent(), await li.received()) == ([li.id], [wang.id])
    await until(lambda: li.told)
    assert li.told[0].asked.profile.nickname == wang.nickname
    friend = await li.accept(wang)
    assert (friend.profile.player_id, await wang.friends(), await li.friends()) == (
        wang.id,
        [li.id],
        [wang.id],
    )
    assert (await wang.sees(li), await li.sees(wang)) == (FRIENDS, FRIENDS)
    assert (await wang.sent(), await li.received()) == ([], [])
    await until(lambda: wang.told)
    assert wang.told[0].accepted.profile.player_id == li.id
    assert not friend.profile.theme, "what is the owner's alone is in no list"


async def test_a_repeat_finds_it_done_and_tells_nobody_again(village: Village) -> None:
    wang, li = await village.persons(2)
    assert [await wang.ask(li) for _ in range(3)] == [ASKED] * 3
    first, second = await li.accept(wang), await li.accept(wang)
    assert first == second
    assert await wang.ask(li) == FRIENDS
    assert [await wang.does("RemoveFriend", li) for _ in range(2)] == [NONE, NONE]
    assert [await wang.does("BlockPlayer", li) for _ in range(2)] == [BLOCKED, BLOCKED]
    assert [await wang.does("UnblockPlayer", li) for _ in range(2)] == [NONE, NONE]
    assert [await wang.does("WithdrawFriendRequest", li) for _ in range(2)] == [NONE, NONE]
    assert [await li.does("DeclineFriend", wang) for _ in range(2)] == [NONE, NONE]
    assert await village.rows() == {"friends": 0, "friend_requests": 0, "friend_blocks": 0, "friend_asks": 1}
    assert [(len(one.told)) for one in (wang, li)] == [1, 1]


async def test_two_who_ask_each_other_are_friends(village: Village) -> None:
    wang, li = await village.persons(2)
    assert (await wang.ask(li), await li.ask(wang)) == (ASKED, FRIENDS)
    assert (await wang.friends(), await li.friends()) == ([li.id], [wang.id])
    for _ in range(4):
        one, two = await village.persons(2)
        answers = await asyncio.gather(one.ask(two), two.ask(one))
        assert sorted(answers) == [FRIENDS, ASKED]
        assert (await one.friends(), await two.friends()) == ([two.id], [one.id])


async def test_who_accepts_removes_and_blocks_at_once_leaves_nothing_half(village: Village) -> None:
    for number in range(6):
        wang, li = await village.persons(2)
        await wang.ask(li)
        await asyncio.gather(
            li.accept(wang),
            li.accept(wang),
            wang.does("RemoveFriend", li),
            li.does("RemoveFriend", wang) if number % 2 else wang.does("BlockPlayer", li),
            return_exceptions=True,
        )
        both = [await wang.friends(), await li.friends()]
        assert both in ([[], []], [[li.id], [wang.id]])
        if not number % 2:
            assert (both, await wang.sees(li)) == ([[], []], BLOCKED)
    counts = await village.rows()
    assert counts["friends"] % 2 == 0


async def test_one_who_is_blocked_gets_the_answers_of_one_who_is_not(village: Village) -> None:
    """Whatever he calls, and in whatever order: the two transcripts are equal."""
    wang, li, zhao = await village.persons(3)
    await wang.does("BlockPlayer", li)

    async def transcript(asker: Person) -> list[Any]:
        said: list[Any] = []
        for step in (
            "AskFriend",
            "AskFriend",
            "WithdrawFriendRequest",
            "AskFriend",
            "AcceptFriend",
            "RemoveFriend",
        ):
            try:
                said.append(await asker.call(step, player_id=wang.id))
            except Refusal as refusal:
                said.append((refusal.reason, refusal.details))
            said.append(await asker.sees(wang))
            said.append(await asker.sent())
            said.append(await asker.friends())
        said.append((await asker.call("FindPlayers", nickname=wang.nickname)).profiles[0].player_id)
        return said

    blocked, free = await transcript(li), await transcript(zhao)
    assert blocked == free
    assert (ASKED, [wang.id]) == (blocked[1], blocked[2])
    await until(lambda: wang.told)
    assert {one.asked.profile.player_id for one in wang.told} == {zhao.id}
    assert await wang.received() == [zhao.id]
    with pytest.raises(Refusal, match="FRIEND_BLOCKED"):
        await wang.ask(li)
    with pytest.raises(Refusal, match="FRIEND_BLOCKED"):
        await wang.accept(li)
    # What waited unseen is seen once he is let in again.
    assert await wang.does("UnblockPlayer", li) == ASKS
    assert await wang.received() == [zhao.id, li.id] or await wang.received() == [li.id, zhao.id]
    await wang.accept(li)
    assert await li.friends() == [wang.id]


async def test_blocking_a_friend_looks_to_him_as_if_he_was_removed(village: Village) -> None:
    wang, li, zhao = await village.persons(3)
    for friend in (li, zhao):
        await wang.ask(friend)
        await friend.accept(wang)
    await wang.does("BlockPlayer", li)
    await wang.does("RemoveFriend", zhao)
    seen = [
        (await one.sees(wang), await one.friends(), await one.ask(wang), await one.sent())
        for one in (li, zhao)
    ]
    assert seen[0] == seen[1] == (NONE, [], ASKED, [wang.id])
    listed = await wang.call("ListBlockedPlayers")
    assert ([one.profile.player_id for one in listed.blocked], listed.total) == ([li.id], 1)


async def test_a_declined_request_waits_on_for_him_who_asked(village: Village) -> None:
    wang, li = await village.persons(2)
    await wang.ask(li)
    assert await li.does("DeclineFriend", wang) == NONE
    assert (await li.received(), await wang.sent(), await wang.sees(li)) == ([], [li.id], ASKED)
    assert await wang.ask(li) == ASKED
    assert await li.received() == []
    # Who has thought better of it asks, or accepts, and they are friends.
    assert await li.ask(wang) == FRIENDS
    assert await wang.friends() == [li.id]


async def test_limits_are_told_by_reason_and_nobody_passes_them_at_once(strict: Village) -> None:
    wang, *others = await strict.persons(7)
    for other in others[:3]:
        await wang.ask(other)
    with pytest.raises(Refusal, match="FRIEND_REQUESTS_FULL"):
        await wang.ask(others[3])
    await wang.does("WithdrawFriendRequest", others[0])
    await wang.ask(others[0])
    await wang.does("WithdrawFriendRequest", others[0])
    with pytest.raises(Refusal, match="FRIEND_ASKS_SPENT"):
        await wang.ask(others[0])
    # Three ask somebody at once, who has room for three; then his list is full, also for who is blocked.
    first = others[0]
    await first.does("BlockPlayer", others[5])
    with pytest.raises(Refusal, match="FRIEND_BLOCKS_FULL"):
        await first.does("BlockPlayer", others[4])
    asked = await asyncio.gather(*(one.ask(first) for one in others[1:]), return_exceptions=True)
    reasons = Counter(one.reason if isinstance(one, Refusal) else "" for one in asked)
    assert reasons == {"": 3, "FRIEND_INBOX_FULL": 2}
    # Two places for friends, and three who are accepted at once.
    await first.does("UnblockPlayer", others[5])
    waiting = [one for one in others if one.id in await first.received()]
    accepted = await asyncio.gather(*(first.accept(one) for one in waiting), return_exceptions=True)
    assert Counter(type(one).__name__ for one in accepted) == {"Friend": 2, "Refusal": 1}
    assert [one.reason for one in accepted if isinstance(one, Refusal)] == ["FRIENDS_FULL"]
    assert len(await first.friends()) == 2
    newcomer = await strict.person()
    with pytest.raises(Refusal, match="FRIENDS_FULL"):
        await first.ask(newcomer)
    await strict.people.db.run(lambda c: c.execute(update(asks).values(day=asks.c.day - 1)))
    assert await wang.ask(others[4]) in (ASKED, FRIENDS), "a new day"


async def test_a_request_ends_unanswered_and_can_be_made_again(village: Village) -> None:
    wang, li = await village.persons(2)
    await wang.ask(li)
    past = update(requests).values(expires_at_ms=village.people.clock.now_ms() - 1)
    await village.people.db.run(lambda connection: connection.execute(past))
    assert (await wang.sent(), await li.received(), await li.sees(wang)) == ([], [], NONE)
    with pytest.raises(Refusal, match="FRIEND_REQUEST_GONE"):
        await li.accept(wang)
    assert await wang.ask(li) == ASKED
    assert await li.received() == [wang.id]


async def test_by_nickname_one_is_asked_if_nobody_else_is_called_so(village: Village) -> None:
    wang, li, other = await village.persons(3)

    async def rename(person: Person, nickname: str) -> None:
        request = accounts_pb.UpdateProfileRequest(
            profile=accounts_pb.Profile(nickname=nickname), update_mask=FieldMask(paths=["nickname"])
        )
        await village.people.stub.UpdateProfile(request, metadata=person.metadata)

    await rename(li, "李四 爱打牌")
    answer = await wang.call("AskFriend", nickname="李四 爱打牌")
    assert (answer.player_id, answer.friendship) == (li.id, ASKED)
    with pytest.raises(Refusal, match="NOT_FOUND"):
        await wang.call("AskFriend", nickname="李四")
    await rename(other, "李四 爱打牌")
    with pytest.raises(Refusal, match="NICKNAME_NOT_UNIQUE"):
        await wang.call("AskFriend", nickname="李四 爱打牌")
    found = await wang.call("FindPlayers", nickname="李四　爱打牌")
    assert [one.player_id for one in found.profiles] == [li.id, other.id]
    assert not (await li.call("FindPlayers", nickname="%")).profiles


async def test_lists_come_in_pages_and_miss_nobody(village: Village) -> None:
    wang, *others = await village.persons(6)
    for other in others:
        await other.ask(wang)
    found: list[str] = []
    token = ""
    while True:
        page = await wang.call("ListFriendRequests", page_size=2, page_token=token)
        found += [one.profile.player_id for one in page.requests]
        assert (page.total, len(page.requests) <= 2) == (5, True)
        assert all(one.expires_at_ms > one.since_ms for one in page.requests)
        token = page.next_page_token
        if not token:
            break
    assert sorted(found) == sorted(other.id for other in others)
    for other in others:
        await wang.accept(other)
    first = await wang.call("ListFriends", page_size=3)
    rest = await wang.call("ListFriends", page_size=3, page_token=first.next_page_token)
    listed = [one.profile.player_id for page in (first, rest) for one in page.friends]
    assert (sorted(listed), first.total, first.most) == (sorted(found), 5, 200)
    assert not rest.next_page_token


BAD: list[tuple[str, dict[str, Any], str]] = [
    ("AskFriend", {}, "INVALID_ARGUMENT"),
    ("AskFriend", {"player_id": "p_x", "nickname": "x"}, "INVALID_ARGUMENT"),
    ("AskFriend", {"player_id": "bot:normal"}, "INVALID_ARGUMENT"),
    ("AskFriend", {"player_id": "p_" + "x" * 64}, "NOT_FOUND"),
    ("AskFriend", {"player_id": "p_x\x00"}, "INVALID_ARGUMENT"),
    ("AskFriend", {"nickname": "x" * 13}, "INVALID_ARGUMENT"),
    ("FindPlayers", {"nickname": " \x00"}, "INVALID_ARGUMENT"),
    ("BlockPlayer", {"player_id": "p_nobody"}, "NOT_FOUND"),
    ("ListFriends", {"page_size": 101}, "INVALID_ARGUMENT"),
    ("ListFriends", {"page_token": "1.x"}, "INVALID_ARGUMENT"),
    ("ListFriendRequests", {"direction": 7}, "INVALID_ARGUMENT"),
    ("InviteFriend", {"player_id": "p_nobody"}, "FRIEND_ONLY"),
    ("ListFriendIds", {"player_id": "p_x"}, "PERMISSION_DENIED"),
]


async def test_bad_input_is_refused_by_reason(village: Village) -> None:
    wang = await village.person()
    for method, fields, reason in BAD:
        with pytest.raises(Refusal) as refused:
            await wang.call(method, **fields)
        assert refused.value.reason == reason, (method, fields)
    assert await village.rows() == {"friends": 0, "friend_requests": 0, "friend_blocks": 0, "friend_asks": 0}


async def test_nobody_is_his_own_friend(village: Village) -> None:
    wang = await village.person()
    for method in ("AskFriend", "AcceptFriend", "RemoveFriend", "BlockPlayer"):
        with pytest.raises(Refusal, match="FRIEND_SELF"):
            await wang.call(method, player_id=wang.id)


async def test_who_is_deleted_is_nobodys_friend_and_what_is_held_is_in_the_export(village: Village) -> None:
    people = village.people
    wang, li, zhao, qian = await village.persons(4)
    await wang.ask(li)
    await li.accept(wang)
    await zhao.ask(wang)
    await wang.ask(qian)
    await qian.does("DeclineFriend", wang)
    await wang.does("BlockPlayer", zhao)
    sections = Export(people.db, people.process.parts.rpc).sections
    section = next(one for one in sections if one.name == "friends")
    found, cursor = await section.fetch(wang.id, "")
    assert cursor == ""
    assert [one["friend_id"] for one in found["friends"]] == [li.id]
    assert [one["asker_id"] for one in found["requests_received"]] == [zhao.id]
    assert [one["blocked_id"] for one in found["blocked"]] == [zhao.id]
    assert [set(one) for one in found["requests_sent"]] == [{"asked_id", "asked_at_ms", "expires_at_ms"}]
    json.dumps(found)

    table, now_ms = schema.players, people.clock.now_ms()
    due = update(table).where(table.c.player_id == wang.id).values(deletes_at_ms=now_ms - 1)
    await people.db.run(lambda connection: connection.execute(due))
    outbox: Any = people.service._outbox
    assert await Deletions(people.db, people.clock, outbox, 60.0).forget_due() == 1
    counts = await village.rows()
    assert (counts["friends"], counts["friend_requests"], counts["friend_blocks"]) == (0, 0, 0)
    assert await li.friends() == []
    for method in ("AskFriend", "AcceptFriend", "BlockPlayer"):
        with pytest.raises(Refusal, match="NOT_FOUND"):
            await li.call(method, player_id=wang.id)


async def test_whether_somebody_is_suspended_is_not_told(village: Village) -> None:
    people = village.people
    wang, li, zhao = await village.persons(3)
    await zhao.ask(li)
    await li.accept(zhao)
    _, admin = await people.staff("admin")
    until_ms = people.clock.now_ms() + 86_400_000
    request = accounts_pb.SuspendPlayerRequest(player_id=li.id, until_ms=until_ms, reason="he was rude")
    await people.stub.SuspendPlayer(request, metadata=admin)
    assert await wang.ask(li) == ASKED
    assert (await wang.sent(), await zhao.friends()) == ([li.id], [li.id])
    assert await zhao.does("RemoveFriend", li) == NONE


async def test_a_service_may_ask_for_all_friends_of_a_player(village: Village) -> None:
    wang, li, zhao = await village.persons(3)
    for other in (li, zhao):
        await wang.ask(other)
        await other.accept(wang)
    stub = village.people.gateway.rpc.client(FriendServiceStub, "accounts")
    answer = await stub.ListFriendIds(pb.ListFriendIdsRequest(player_id=wang.id))
    assert list(answer.player_ids) == sorted([li.id, zhao.id])

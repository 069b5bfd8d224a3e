"""Chat over RPC and bus, its store on real databases."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from paiju.accounts.v1.events_pb2 import AccountDeleted
from paiju.chat.v1 import chat_service_pb2 as pb
from paiju.chat.v1 import chat_service_pb2_grpc
from paiju.table.v1.table_service_pb2 import SeatSpec, TableSpec

from services.chassis import auth
from services.chassis.bus import subject_of
from services.chassis.config import ServiceSettings
from services.chassis.db import Database, migrate
from services.chassis.errors import Outage, Refusal
from services.chassis.run import Parts, Service, Wiring
from services.chat import store
from services.chat.app import WIRING
from services.chat.settings import ChatSettings
from tests.support.asking import ask_until
from tests.support.matchmaking_peers import Tables, Wallets, serve_peers
from tests.support.nats import NatsServer
from tests.support.real_process import running
from tests.support.table_owner import until

CHANNEL = "table/0-table1"


TABLES = Tables()


class Peers:
    name = "table"

    async def start(self) -> None: ...

    async def stop(self) -> None: ...


async def wire_peers(settings: ServiceSettings, parts: Parts) -> Service:
    serve_peers(parts, TABLES, Wallets())
    return Peers()


PEERS = Wiring("table", wire_peers, ServiceSettings, has_database=False)


class Room:
    """A table with Ann and Bob, and what core listeners heard of its channel."""

    def __init__(self, parts: Parts) -> None:
        self.parts = parts
        self.tables = TABLES
        seats = [SeatSpec(player_id=player) for player in ("p_ann", "p_bob", "bot:normal")]
        self.tables.specs = {"0-table1": TableSpec(seats=seats)}
        self.tables.phases = {"0-table1": "playing"}
        self.tables.is_down = False
        self.posted: list[pb.MessagePosted] = []
        self._stub: Any = parts.rpc.client(chat_service_pb2_grpc.ChatServiceStub, "chat")
        self._request = 0

    async def hear(self, payload: bytes, subject: str) -> None:
        self.posted.append(pb.MessagePosted.FromString(payload))

    async def say(self, player: str, text: str = "", phrase: str = "", **more: str) -> pb.ChatMessage:
        self._request += 1
        given = {"request_id": f"r{self._request}", "channel": CHANNEL} | more
        with auth.acting_for(player):
            response = await self._stub.PostMessage(pb.PostMessageRequest(text=text, phrase=phrase, **given))
        message: pb.ChatMessage = response.message
        return message

    async def read(self, player: str, channel: str = CHANNEL) -> list[pb.ChatMessage]:
        with auth.acting_for(player):
            return list((await self._stub.ListMessages(pb.ListMessagesRequest(channel=channel))).messages)


@pytest.fixture
async def room(
    shared_nats: NatsServer, tmp_path: Path, request: pytest.FixtureRequest
) -> AsyncIterator[Room]:
    given = {"messages_per_s": 1000, "messages_burst": 1000} | getattr(request, "param", {})
    own = {"chat": ChatSettings(**given)}
    async with running(shared_nats.url, tmp_path, [PEERS, WIRING], own) as world:
        made = Room(world.parts)
        await world.parts.bus.listen(subject_of(pb.MessagePosted, key=CHANNEL), made.hear)
        yield made


async def refused(reason: str, call: Any) -> None:
    with pytest.raises(Refusal) as found:
        await call
    assert found.value.reason == reason


async def test_what_is_said_is_told_once_and_can_be_read_by_members(room: Room) -> None:
    first = await room.say("p_ann", "  你好\u200b！ ")
    second = await room.say("p_bob", phrase="phrase_03")
    assert (first.text, first.phrase, first.player_id) == ("你好！", "", "p_ann")
    assert (second.text, second.phrase) == ("", "phrase_03")
    await until(lambda: len(room.posted) == 2)
    assert {posted.message.message_id for posted in room.posted} == {first.message_id, second.message_id}
    assert await room.read("p_bob") == [first, second]


@pytest.mark.parametrize(
    ("rule", "text", "phrase"),
    [("", "", ""), ("phrases", "PHRASES_ONLY", ""), ("no", "CHAT_OFF", "CHAT_OFF")],
)
async def test_a_room_says_what_may_be_said_at_its_table_and_everything_can_be_read(
    room: Room, rule: str, text: str, phrase: str
) -> None:
    room.tables.specs["0-table1"].chat = rule
    said = []
    for words, reason in (({"text": "你好"}, text), ({"phrase": "phrase_03"}, phrase)):
        if reason:
            await refused(reason, room.say("p_ann", **words))
        else:
            said.append(await room.say("p_ann", **words))
    await refused("NOT_A_MEMBER", room.say("p_eve", phrase="phrase_03"))
    assert await room.read("p_bob") == said


async def said_by(room: Room, player: str, page_size: int = 0) -> list[pb.ChatMessage]:
    """Return what a player has said, page by page."""
    request = pb.ListPlayerMessagesRequest(player_id=player, page_size=page_size)
    found: list[pb.ChatMessage] = []
    while True:
        answer = await room._stub.ListPlayerMessages(request)
        found += answer.messages
        if not answer.next_page_token:
            return found
        request.page_token = answer.next_page_token


async def test_what_one_player_has_said_is_exported_and_forgotten_with_him(room: Room) -> None:
    mine = [await room.say("p_ann", f"I say {number}") for number in range(5)]
    theirs = await room.say("p_bob", "I say something else")
    assert await said_by(room, "p_ann", page_size=2) == mine[::-1]
    await refused("INVALID_ARGUMENT", said_by(room, "p_ann", page_size=101))
    await room.parts.bus.publish(AccountDeleted(player_id="p_ann", at_ms=1), "account_deleted:p_ann")
    await ask_until(lambda: said_by(room, "p_ann"), lambda found: not found)
    assert await room.read("p_bob") == [theirs]


async def test_only_members_speak_and_read(room: Room) -> None:
    await refused("NOT_A_MEMBER", room.say("p_eve", "hi"))
    await refused("NOT_A_MEMBER", room.read("p_eve"))
    await refused("NOT_A_MEMBER", room.say("bot:normal", "hi"))
    for channel in ("", "table/", "table/0-none", "guild/1", "table/0-table1/x", "table/*"):
        await refused("CHANNEL_UNKNOWN", room.say("p_ann", "hi", channel=channel))
        await refused("CHANNEL_UNKNOWN", room.read("p_ann", channel))


async def test_while_the_table_cannot_be_asked_nobody_is_let_in_by_mistake(room: Room) -> None:
    room.tables.is_down = True
    with pytest.raises(Outage):
        await room.say("p_eve", "hi")


async def test_a_repeat_posts_nothing_new_and_other_content_is_refused(room: Room) -> None:
    first = await room.say("p_ann", "hi", request_id="once")
    assert await room.say("p_ann", "hi", request_id="once") == first
    await refused("REQUEST_ID_REUSED", room.say("p_ann", "ho", request_id="once"))
    assert (await room.say("p_bob", "hi", request_id="once")).message_id != first.message_id
    await until(lambda: len(room.posted) == 2)
    assert len(await room.read("p_ann")) == 2


async def test_bad_messages_have_reasons(room: Room) -> None:
    await refused("TEXT_EMPTY", room.say("p_ann", ""))
    await refused("TEXT_TOO_LONG", room.say("p_ann", "x" * 121))
    await refused("PHRASE_UNKNOWN", room.say("p_ann", phrase="phrase_99"))
    await refused("INVALID_ARGUMENT", room.say("p_ann", "x", "phrase_01"))
    await refused("INVALID_ARGUMENT", room.say("p_ann", "x", request_id=""))
    assert await room.read("p_ann") == []


@pytest.mark.parametrize("room", [{"messages_per_s": 0.01, "messages_burst": 3}], indirect=True)
async def test_one_player_may_say_only_so_much_and_others_do_not_suffer(room: Room) -> None:
    for _ in range(3):
        await room.say("p_ann", "spam")
    await refused("RATE_LIMITED", room.say("p_ann", "spam"))
    await room.say("p_bob", "hi")


@pytest.mark.parametrize("room", [{"kept_per_channel": 5}], indirect=True)
async def test_a_channel_keeps_its_last_messages(room: Room) -> None:
    for n in range(12):
        await room.say("p_ann", f"number {n}")
    assert [message.text for message in await room.read("p_bob")] == [f"number {n}" for n in range(7, 12)]


async def test_what_is_said_is_in_no_log(room: Room, capfd: pytest.CaptureFixture[str]) -> None:
    await room.say("p_ann", "a planted secret")
    await refused("NOT_A_MEMBER", room.say("p_eve", "a planted secret"))
    await until(lambda: room.posted)
    heard = capfd.readouterr()
    assert "planted" not in heard.out + heard.err


@pytest.fixture
async def kept(db: Database, database_url: str) -> Database:
    migrate(database_url, "chat")
    return db


def message(n: int, channel: str = CHANNEL, at_ms: int = 0) -> pb.ChatMessage:
    return pb.ChatMessage(message_id=f"m{n}", channel=channel, player_id="p_ann", text="hi", at_ms=at_ms or n)


async def test_one_request_many_times_at_once_is_one_message(kept: Database) -> None:
    async def post(n: int) -> str:
        while True:
            try:
                write = partial(store.post, message=message(n), request_id="same", kept=50)
                return (await kept.run(write)).message_id
            except store.PostedAtOnce:
                continue

    ids = await asyncio.gather(*(post(n) for n in range(8)))
    assert len(set(ids)) == 1
    assert await kept.read(store.count) == 1


async def test_channels_are_bounded_apart_and_forgotten_when_silent(kept: Database) -> None:
    for n in range(20):
        channel = f"table/0-table{n % 2}"
        await kept.run(partial(store.post, message=message(n, channel, n + 1), request_id=f"r{n}", kept=3))
    assert await kept.read(store.count) == 6
    found = await kept.read(partial(store.last, channel="table/0-table1", most=50))
    assert [one.message_id for one in found] == ["m15", "m17", "m19"]
    assert await kept.run(partial(store.forget, before_ms=19)) == 0
    assert await kept.run(partial(store.forget, before_ms=20)) == 3
    assert await kept.read(store.count) == 3

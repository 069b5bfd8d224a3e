"""All nine services behind the gateway: a person, two bots, and everything a match touches."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path

import grpc
import pytest
from paiju.accounts.v1 import accounts_service_pb2 as accounts
from paiju.chat.v1 import chat_service_pb2 as chat
from paiju.economy.v1 import economy_service_pb2 as economy
from paiju.economy.v1 import economy_service_pb2_grpc
from paiju.gateway.v1.gateway_service_pb2 import CallResult
from paiju.matchmaking.v1 import matchmaking_service_pb2 as matchmaking
from paiju.table.v1 import table_service_pb2 as tables
from paiju.table.v1.play_pb2 import DissolveVote, Frame, SetAutoPlay

from services.gateway.app import Gateway, make
from services.gateway.settings import GatewaySettings
from services.launch.catalog import wirings
from services.matchmaking.settings import HALLS, MatchmakingSettings
from tests.support.nats import NatsServer
from tests.support.person import MATCHMAKING, Person
from tests.support.play_client import WebSocketClient
from tests.support.real_process import World, running

HALL = "paohuzi/tongyi-qmt/novice"
TIMING = {
    "claim_pause_ms": 0,
    "turn_ms": 5000,
    "claim_ms": 5000,
    "nonce_ms": 2000,
    "between_ms": 500,
    "seat_ms": 20000,
}
ROUNDS = 2
WAIT_S = 90.0

pytestmark = pytest.mark.slow


@pytest.fixture
async def platform(nats_server: NatsServer, tmp_path: Path) -> AsyncIterator[World]:
    halls = json.loads(HALLS.read_text(encoding="utf-8"))
    for level in halls["levels"]:
        level |= {"timing": TIMING, "rounds": ROUNDS}
    file = tmp_path / "halls.json"
    file.write_text(json.dumps(halls), encoding="utf-8")
    own = {
        "gateway": GatewaySettings(http_port=0),
        "matchmaking": MatchmakingSettings(halls_file=file),
    }
    async with running(nats_server.url, tmp_path, wirings(), own) as world:
        yield world


def url(world: World) -> str:
    gateway = world.services["gateway"]
    assert isinstance(gateway, Gateway)
    return gateway.url


async def coins(person: Person) -> tuple[int, int]:
    """Return the gold in a person's wallet, and in his stakes."""
    request = economy.GetWalletRequest(player_id=person.player_id)
    wallet = await person.call(
        "paiju.economy.v1.EconomyService/GetWallet", request, economy.GetWalletResponse
    )
    gold = {money.currency: money.amount for money in wallet.balances}.get("gold", 0)
    return gold, {money.currency: money.amount for money in wallet.staked}.get("gold", 0)


async def until_coins(person: Person, gold: int, seconds: float = 60.0) -> None:
    async with asyncio.timeout(seconds):
        while (await coins(person))[0] != gold:
            await asyncio.sleep(0.1)


async def sit_down(person: Person) -> None:
    await person.sign_in()
    await person.connect()
    await until_coins(person, 20_000)
    await person.find_a_match(HALL)
    await person.attach()
    await person.sit()


async def call(person: Person, method: str, request: matchmaking.CreateTicketRequest) -> CallResult:
    return await person.door.call(f"{MATCHMAKING}/{method}", request.SerializeToString())


async def test_a_person_and_two_bots_play_a_match_for_coins(platform: World) -> None:
    person = Person(url(platform))
    await sit_down(person)
    assert await coins(person) == (17_000, 3_000)

    again = matchmaking.CreateTicketRequest(request_id="again", hall_id=HALL)
    refused = await call(person, "CreateTicket", again)
    assert (refused.error.reason, refused.error.details["table_id"]) == ("ALREADY_PLAYING", person.table_id)
    where = await person.call(
        f"{MATCHMAKING}/GetWhereabouts",
        matchmaking.GetWhereaboutsRequest(),
        matchmaking.GetWhereaboutsResponse,
    )
    assert where.table_id == person.table_id

    said = chat.PostMessageRequest(request_id="c1", channel=f"table/{person.table_id}", phrase="phrase_01")
    posted = await person.call("paiju.chat.v1.ChatService/PostMessage", said, chat.PostMessageResponse)
    heard = await person.door.wait_for(lambda response: response.notice.HasField("chat"))
    assert heard.notice.chat == posted.message

    by_kind: dict[str, list[Frame]] = {"round_end": [], "round_settlement": [], "match_end": []}

    def is_over(frame: Frame) -> bool:
        kind = frame.WhichOneof("body") or ""
        if kind in by_kind and (kind != "round_settlement" or frame.round_settlement.settled):
            by_kind[kind].append(frame)
        return bool(by_kind["match_end"]) and len(by_kind["round_settlement"]) == len(by_kind["round_end"])

    await person.play(is_over, WAIT_S)
    ends, settled = by_kind["round_end"], by_kind["round_settlement"]
    assert by_kind["match_end"][0].match_end.rounds_played == len(ends) == ROUNDS
    assert {frame.round_settlement.verdict for frame in settled} == {"AGREED"}
    numbers = [frame.number for frame in person.frames]
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    seat = next(s.seat for s in person.view.seats if s.player_id == person.player_id)
    paid = [frame.round_settlement for frame in settled]
    won = sum(one.coins[seat] - one.fees[seat] for one in paid)
    await until_coins(person, 20_000 + won)
    assert (await coins(person))[1] == 0

    free = matchmaking.CreateTicketRequest(request_id="next", hall_id=HALL)
    async with asyncio.timeout(60):
        while (answer := await call(person, "CreateTicket", free)).error.reason:
            assert answer.error.reason in {"ALREADY_PLAYING", "RATE_LIMITED"}, answer
            await asyncio.sleep(0.5)

    record = await person.call(
        "paiju.table.v1.TableService/GetRecord",
        tables.GetRecordRequest(round_id=ends[0].round_end.round_id),
        tables.GetRecordResponse,
    )
    assert record.record == ends[0].round_end.record
    await person.close()


async def test_another_gateway_takes_over_in_the_middle_of_a_round(platform: World) -> None:
    person = Person(url(platform))
    await sit_down(person)
    await person.play(lambda frame: frame.HasField("play") and frame.play.HasField("question"), WAIT_S)
    before = len(person.frames)
    first = platform.services["gateway"]
    await first.stop()
    assert await person.door.wait_end() == "SHUTTING_DOWN"
    await person.close()

    second = make(GatewaySettings(http_port=0), platform.parts, "gw-second")
    await second.start()
    person.url = second.url
    await person.connect()
    await person.attach()
    answer = await person.door.command(person.table_id, "auto", set_auto_play=SetAutoPlay(on=True))
    assert answer.reason == ""
    await person.play(lambda frame: frame.HasField("round_end"), WAIT_S)
    numbers = [frame.number for frame in person.frames]
    assert len(numbers) > before
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    await person.close()
    await second.stop()
    platform.process._started.remove(first)


async def test_friends_in_a_room_talk_and_end_their_match_together(platform: World) -> None:
    ann, bob = Person(url(platform)), Person(url(platform))
    for person in (ann, bob):
        await person.sign_in()
        await person.connect()
    wish = matchmaking.CreateRoomRequest(request_id="room", game="paohuzi", preset="876cc", rounds=2)
    made = await ann.call(f"{MATCHMAKING}/CreateRoom", wish, matchmaking.CreateRoomResponse)
    code = made.room.room_code
    join = matchmaking.JoinRoomRequest(room_code=code)
    await bob.call(f"{MATCHMAKING}/JoinRoom", join, matchmaking.JoinRoomResponse)
    fill = matchmaking.FillRoomWithBotsRequest(room_code=code)
    await ann.call(f"{MATCHMAKING}/FillRoomWithBots", fill, matchmaking.FillRoomWithBotsResponse)
    ready = matchmaking.SetRoomReadyRequest(room_code=code, ready=True)
    for person in (ann, bob):
        await person.call(f"{MATCHMAKING}/SetRoomReady", ready, matchmaking.SetRoomReadyResponse)
    for person in (ann, bob):
        told = await person.door.wait_for(lambda r: r.notice.room.state == "playing")
        person.table_id = told.notice.room.table_id
        await person.attach()
        await person.sit()
    for person in (ann, bob):
        await person.play(lambda frame: frame.HasField("round_opening"), 20)

    said = chat.PostMessageRequest(request_id="c1", channel=f"table/{ann.table_id}", text="你好")
    await ann.call("paiju.chat.v1.ChatService/PostMessage", said, chat.PostMessageResponse)
    heard = await bob.door.wait_for(lambda response: response.notice.HasField("chat"))
    assert (heard.notice.chat.text, heard.notice.chat.player_id) == ("你好", ann.player_id)

    for person in (ann, bob):
        vote = DissolveVote(agree=True)
        assert (await person.door.command(person.table_id, "vote", dissolve_vote=vote)).reason == ""
    ended = await bob.play(lambda frame: frame.HasField("match_end"), 30)
    assert ended.match_end.cause == "dissolved"
    await bob.door.wait_for(lambda response: response.notice.room.state == "closed", 20)
    where = await bob.call(
        f"{MATCHMAKING}/GetWhereabouts",
        matchmaking.GetWhereaboutsRequest(),
        matchmaking.GetWhereaboutsResponse,
    )
    assert not where.HasField("room")
    for person in (ann, bob):
        await person.close()


async def test_signing_out_closes_the_connection_and_the_token_is_worth_nothing(platform: World) -> None:
    person = Person(url(platform))
    await person.sign_in()
    await person.connect()
    channel = grpc.aio.insecure_channel(f"127.0.0.1:{platform.rpc.port}")
    bearer = (("authorization", f"Bearer {person._token}"),)
    wallet = economy_service_pb2_grpc.EconomyServiceStub(channel).GetWallet
    await wallet(economy.GetWalletRequest(), metadata=bearer)
    method = "paiju.accounts.v1.AccountsService/RevokeSession"
    result = await person.door.call(method, accounts.RevokeSessionRequest().SerializeToString())
    assert not result.HasField("error"), result
    assert await person.door.wait_end(1.0) == "SESSION_REVOKED"
    await person.close()
    again = await WebSocketClient.connect(person.url)
    assert (await again.hello(person._token)).refused.reason == "SESSION_REVOKED"
    await again.close()
    # The services' own door knows, too.
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await wallet(economy.GetWalletRequest(), metadata=bearer)
    assert refused.value.code() is grpc.StatusCode.UNAUTHENTICATED
    await channel.close()

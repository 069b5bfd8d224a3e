"""What a client can get wrong at a real table, through both doors: each has its reason, nothing is lost."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
import pytest_asyncio
from paiju.chat.v1.chat_service_pb2 import MessagePosted
from paiju.gateway.v1.gateway_service_pb2 import Ping, PlayRequest, PlayResponse
from paiju.table.v1 import play_pb2 as p
from paiju.table.v1 import table_service_pb2 as tables
from paiju.table.v1.table_service_pb2_grpc import TableServiceStub
from paiju.table.v1.wire_pb2 import Command, CommandBatch

from services.chassis import log
from services.chassis.auth import service_token
from services.chassis.bus import subject, subject_of
from services.chassis.clock import SystemClock
from services.chassis.errors import Outage
from services.gateway.settings import GatewaySettings
from services.launch.catalog import wirings
from services.table.settings import TableSettings
from tests.support.nats import NatsServer
from tests.support.play_client import GrpcClient, PlayClient, WebSocketClient
from tests.support.real_process import SERVICE_KEY, World, running
from tests.support.table_owner import until

TABLE = "0-abcdefghjkmnpqrstvwx"
TIMING = (
    '{"claim_pause_ms":0,"nonce_ms":200,"between_ms":0,"turn_ms":600000,"claim_ms":600000,"seat_ms":600000}'
)
LIST_GAMES = "paiju.table.v1.TableService/ListGames"
WAIT_S = 60.0


@pytest.fixture(scope="module")
def nats(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsServer]:
    server = NatsServer(tmp_path_factory.mktemp("nats")).start()
    yield server
    server.stop()


@pytest_asyncio.fixture
async def world(
    nats_server: NatsServer, tmp_path: Path, request: pytest.FixtureRequest
) -> AsyncIterator[World]:
    """A gateway and a table service, with one table of two people and a bot."""
    own = GatewaySettings(http_port=0, **getattr(request, "param", {}))
    given = {"gateway": own, "table": TableSettings(protection=False)}
    async with running(nats_server.url, tmp_path, wirings(["table", "gateway"]), given) as made:
        await create(made, TABLE, "p_ann", "p_bob", "bot:random")
        yield made


Connect = Callable[[str], Awaitable["Seat"]]


@pytest_asyncio.fixture(params=["websocket", "grpc"])
async def connect(world: World, request: pytest.FixtureRequest) -> AsyncIterator[Connect]:
    seats: list[Seat] = []

    async def make(player: str) -> Seat:
        client: PlayClient
        if request.param == "websocket":
            client = await WebSocketClient.connect(world.services["gateway"].url)  # type: ignore[attr-defined]
        else:
            client = GrpcClient(f"127.0.0.1:{world.rpc.port}")
        assert (await client.hello(world.tokens.token(player))).welcome.player_id == player
        seats.append(Seat(client, player))
        return seats[-1]

    yield make
    for seat in seats:
        await seat.client.close()


async def create(world: World, table_id: str, *players: str) -> None:
    """Make a table, as soon as its shard is served."""
    await create_at(f"127.0.0.1:{world.rpc.port}", table_id, *players)


async def create_at(address: str, table_id: str, *players: str) -> None:
    """Make a table at a table process, as soon as its shard is served."""
    spec = tables.TableSpec(
        game="paohuzi",
        preset="tongyi-qmt",
        rounds=1,
        seats=[tables.SeatSpec(player_id=player) for player in players],
        timing_json=TIMING,
    )
    token = service_token(SERVICE_KEY, "matchmaking", SystemClock().now_ms() // 1000)
    async with grpc.aio.insecure_channel(address) as channel, asyncio.timeout(WAIT_S):
        while True:
            try:
                await TableServiceStub(channel).CreateTable(
                    tables.CreateTableRequest(table_id=table_id, spec=spec),
                    metadata=(("authorization", f"Bearer {token}"),),
                )
            except grpc.aio.AioRpcError as error:
                if error.code() is not grpc.StatusCode.UNAVAILABLE:
                    raise
                await asyncio.sleep(0.1)
            else:
                return


class Seat:
    """A player at the table, with all he was shown of it."""

    def __init__(self, client: PlayClient, player_id: str) -> None:
        self.client = client
        self.player_id = player_id
        self.epoch = 0
        self.number = 0
        self.round_id = ""
        self.question: p.Question | None = None
        self.seats: list[p.SeatState] = []
        self.is_over = False

    async def attach(self) -> None:
        answer = await self.say(attach=p.Attach(epoch=self.epoch, number=self.number))
        assert not answer.reason, answer

    async def say(self, command_id: str = "", table_id: str = TABLE, **body: Any) -> p.CommandAnswer:
        return await self.client.command(table_id, command_id, **body)

    async def reason(self, command_id: str = "", table_id: str = TABLE, **body: Any) -> str:
        """Return why a command was refused, whoever refused it."""
        command = p.TableCommand(table_id=table_id, command_id=command_id, **body)
        answer = await self.client.ask(table=command)
        return answer.command_answer.reason or answer.refused.reason

    def read(self) -> None:
        """Take what has come, and see that no frame is missing and none comes twice."""
        for response in list(self.client.heard):
            if response.HasField("table_snapshot"):
                view = p.TableView.FromString(response.table_snapshot.view)
                self.epoch, self.number = response.table_snapshot.epoch, view.number
                self.seats = list(view.seats)
                self._ask(view.play)
            for raw in response.table_frames.frames:
                frame = p.Frame.FromString(raw)
                assert frame.number == self.number + 1, "a frame is missing, or came twice"
                self.epoch, self.number = response.table_frames.epoch, frame.number
                if frame.HasField("play"):
                    self._ask(frame.play)
                self.is_over |= frame.HasField("round_end")
                if frame.HasField("seats_changed"):
                    self.seats = list(frame.seats_changed.seats)
        self.client.heard = type(self.client.heard)(
            response
            for response in self.client.heard
            if not response.HasField("table_frames") and not response.HasField("table_snapshot")
        )

    def _ask(self, play: p.Play) -> None:
        self.round_id = play.round_id
        self.question = play.question if play.HasField("question") else None

    def act(self, question: int, action: str, round_id: str = "") -> p.Act:
        return p.Act(round_id=round_id or self.round_id, question=question, action=action)

    async def settle(self, looks: int = 3) -> None:
        """Read on until nothing more has come for so many looks: the table waits for people."""
        quiet = 0
        async with asyncio.timeout(WAIT_S):
            while quiet < looks:
                await asyncio.sleep(0.1)
                self.read()
                answer = await self.say(attach=p.Attach(epoch=self.epoch, number=self.number))
                quiet = quiet + 1 if answer.number == self.number else 0

    async def answer(self) -> bool:
        """Answer the open question with the last choice; False = it was withdrawn in that moment."""
        assert self.question is not None
        number, action = self.question.number, self.question.actions[-1]
        self.question = None
        said = await self.say(act=self.act(number, action))
        assert said.reason in ("", "QUESTION_CLOSED"), said
        return not said.reason


async def seated(connect: Connect) -> tuple[Seat, Seat]:
    """Return who owes an answer, and the other one; the table waits for people alone."""
    ann, bob = await connect("p_ann"), await connect("p_bob")
    for seat in (ann, bob):
        await seat.attach()
        assert not (await seat.say("sit", sit=p.Sit())).reason
    while True:
        here, other = await asked(ann, bob)
        for seat in (here, other):
            await seat.settle()
        assert not here.is_over, "a round that is over with the deal: one of thousands"
        # A question can be withdrawn, because somebody else's claim comes first.
        if here.question is not None:
            return here, other


async def asked(ann: Seat, bob: Seat) -> tuple[Seat, Seat]:
    """Return who owes an answer, and the other one, as soon as somebody does."""

    def somebody() -> bool:
        ann.read()
        bob.read()
        return ann.question is not None or bob.question is not None or ann.is_over

    await until(somebody, WAIT_S)
    return (ann, bob) if ann.question is not None else (bob, ann)


async def play_on(ann: Seat, bob: Seat) -> None:
    """Give some answers that are accepted, as long as the round lasts."""
    accepted = 0
    while accepted < 4:
        seat, _ = await asked(ann, bob)
        if ann.is_over:
            return
        accepted += await seat.answer()


async def test_every_wrong_command_has_its_reason_and_the_table_goes_on(
    connect: Connect, world: World
) -> None:
    here, other = await seated(connect)
    eve = await connect("p_eve")
    for seat in (here, other):
        await seat.settle(looks=10)
    assert here.question is not None
    number, actions = here.question.number, list(here.question.actions)
    before = here.number, other.number
    not_mine = f"{TABLE}/9"

    wrong: list[tuple[Seat, str, dict[str, Any], str]] = [
        # Tables that are not his, or none.
        (eve, "", {"act": here.act(number, actions[0])}, "NOT_SEATED"),
        (eve, "r", {"ready": p.Ready()}, "NOT_SEATED"),
        (eve, "l", {"leave": p.Leave()}, "NOT_SEATED"),
        (eve, "s", {"sit": p.Sit()}, "NOT_SEATED"),
        (eve, "", {"attach": p.Attach()}, "NOT_SEATED"),
        (eve, "", {"attach": p.Attach(spectate=True)}, "SPECTATORS_NOT_ALLOWED"),
        (here, "", {"table_id": "0-nosuchtable", "attach": p.Attach()}, "TABLE_UNKNOWN"),
        (here, "x", {"table_id": "1-nosuchtable", "leave": p.Leave()}, "TABLE_UNKNOWN"),
        (here, "", {"table_id": "ffff-abcdef", "attach": p.Attach()}, "NOT_FOUND"),
        (here, "", {"table_id": "0-../../etc", "attach": p.Attach()}, "INVALID_ARGUMENT"),
        (here, "", {"table_id": "0-*", "attach": p.Attach()}, "INVALID_ARGUMENT"),
        (here, "", {"table_id": "", "attach": p.Attach()}, "INVALID_ARGUMENT"),
        (here, "", {"table_id": "0-" + "a" * 5_000, "attach": p.Attach()}, "INVALID_ARGUMENT"),
        (here, "nothing", {}, "INVALID_ARGUMENT"),
        # Questions that are another's, or none.
        (other, "", {"act": other.act(number + 1_000, actions[0], here.round_id)}, "UNKNOWN_QUESTION"),
        (here, "", {"act": here.act(number + 1_000, actions[0])}, "UNKNOWN_QUESTION"),
        (here, "", {"act": here.act(number, actions[0], not_mine)}, "UNKNOWN_QUESTION"),
        (here, "", {"act": here.act(number, actions[0], "0-anothertable/1")}, "INVALID_ARGUMENT"),
        (here, "", {"act": here.act(number, actions[0], f"{TABLE}/01")}, "INVALID_ARGUMENT"),
        (here, "", {"act": here.act(0, actions[0])}, "INVALID_ARGUMENT"),
        (here, "", {"act": here.act(number, "discard")}, "ACTION_MALFORMED"),
        (here, "", {"act": here.act(number, "discard s1; drop table")}, "ACTION_MALFORMED"),
        (here, "", {"act": here.act(number, "x" * 257)}, "MESSAGE_TOO_LARGE"),
        (here, "", {"act": here.act(number, "x" * 5_000)}, "MESSAGE_TOO_LARGE"),
        # Everything else out of turn.
        (here, "", {"ready": p.Ready()}, "INVALID_ARGUMENT"),
        (here, "c" * 65, {"ready": p.Ready()}, "INVALID_ARGUMENT"),
        (here, "r1", {"ready": p.Ready()}, "WRONG_PHASE"),
        (here, "sit", {"sit": p.Sit(nonce_head=b"n" * 32)}, "COMMAND_ID_REUSED"),
        (here, "sit2", {"sit": p.Sit()}, "ALREADY_SEATED"),
        (here, "sit3", {"sit": p.Sit(nonce_head=b"short")}, "INVALID_ARGUMENT"),
        (
            here,
            "n1",
            {"reveal_nonce": p.RevealNonce(round_id=here.round_id, nonce=b"n" * 32)},
            "NONCE_NOT_DUE",
        ),
        (here, "v1", {"dissolve_vote": p.DissolveVote(agree=False)}, "NO_VOTE"),
    ]
    for seat, command_id, body, reason in wrong:
        assert await seat.reason(command_id, **body) == reason, (seat.player_id, command_id, body)
    here.read()
    other.read()
    assert (here.number, other.number) == before, "nothing happened at the table"

    # The question is still open, takes one answer, and gives the first one again to a repeat.
    first = here.act(number, actions[-1])
    here.question = None
    assert not (await here.say(act=first)).reason
    assert not (await here.say(act=first)).reason
    different = next(action for action in actions if action != actions[-1])
    assert (await here.say(act=here.act(number, different))).reason == "ALREADY_ANSWERED"
    here.read()
    at = here.number
    assert not (await here.say(act=first)).reason
    here.read()
    assert here.number >= at
    await play_on(here, other)


async def test_whoever_claims_another_epoch_or_number_gets_the_truth(connect: Connect, world: World) -> None:
    here, _ = await seated(connect)
    await here.settle(looks=10)
    epoch, number = here.epoch, here.number
    assert number > 2
    for claimed_epoch, claimed, gets in (
        (epoch - 1, number - 2, 2),  # an owner before: the frames since
        (epoch, number - 1, 1),
        (epoch, number, 0),
        (0, 0, None),  # nothing: a view
        (epoch + 1_000, number, 0),  # one that is to come: the log shows that it isn't
        (epoch, number + 1_000, None),  # frames that were never shown: a view
        (2**63, 2**63, None),
    ):
        here.client.heard.clear()
        answer = await here.say(attach=p.Attach(epoch=claimed_epoch, number=claimed))
        assert not answer.reason, answer
        assert answer.number == number
        shown = [r for r in here.client.heard if r.HasField("table_snapshot")]
        frames = [raw for r in here.client.heard for raw in r.table_frames.frames]
        if gets is None:
            assert [p.TableView.FromString(r.table_snapshot.view).number for r in shown] == [number]
            assert not frames
        else:
            assert not shown
            assert [p.Frame.FromString(raw).number for raw in frames] == [
                *range(number - gets + 1, number + 1)
            ]
    here.client.heard.clear()
    here.number = number
    assert await here.answer()


@pytest.mark.parametrize("world", [{"messages_per_s": 50, "messages_burst": 100}], indirect=True)
async def test_a_flood_of_one_is_refused_with_the_time_to_wait_and_nobody_else_notices(
    connect: Connect, world: World
) -> None:
    here, other = await seated(connect)
    for n in range(400):
        await other.client.send(PlayRequest(id=10_000 + n, ping=Ping(at_ms=n)))
    # Meanwhile the other one plays.
    assert await here.answer()
    refused = await other.client.wait_for(lambda r: r.HasField("refused"), WAIT_S)
    assert refused.refused.reason == "RATE_LIMITED"
    retry_ms = int(refused.refused.details["retry_ms"])
    assert 0 < retry_ms <= 1_000
    # The flood was not tenfold: the connection survives it, and serves again after that time.
    async with asyncio.timeout(WAIT_S):
        while True:
            answer = await other.client.ask(ping=Ping(at_ms=7))
            if answer.HasField("pong"):
                break
            await asyncio.sleep(int(answer.refused.details["retry_ms"]) / 1000)
    other.read()
    here.read()


@pytest.mark.parametrize(
    "world", [{"player_messages_per_s": 0.01, "player_messages_burst": 30}], indirect=True
)
async def test_a_player_gets_no_more_by_more_connections(connect: Connect, world: World) -> None:
    first, second = await connect("p_ann"), await connect("p_ann")
    reasons = []
    for n in range(40):
        answer = await (first, second)[n % 2].client.ask(ping=Ping())
        reasons.append(answer.refused.reason)
    assert reasons[:20] == [""] * 20
    assert reasons[-5:] == ["RATE_LIMITED"] * 5
    bob = await connect("p_bob")
    assert await bob.client.ping() == 7


async def test_a_method_has_a_limit_of_its_own_and_the_rest_of_the_connection_none_of_it(
    connect: Connect, world: World
) -> None:
    here, _ = await seated(connect)
    results = [await here.client.call(LIST_GAMES) for _ in range(40)]
    refused = [result.error for result in results if result.HasField("error")]
    assert {error.reason for error in refused} == {"RATE_LIMITED"}
    assert all(0 < int(error.details["retry_ms"]) <= 1_000 for error in refused)
    assert any(result.payload for result in results)
    assert await here.answer()


async def test_junk_on_the_bus_stops_neither_table_nor_gateway(world: World) -> None:
    bus = world.parts.bus
    client = await WebSocketClient.connect(world.services["gateway"].url)  # type: ignore[attr-defined]
    await client.hello(world.tokens.token("p_ann"))
    ann = Seat(client, "p_ann")
    await ann.attach()
    name = world.services["gateway"].hub.tables._name  # type: ignore[attr-defined]
    huge = CommandBatch(
        gateway="gw-huge",
        commands=[
            Command(
                player_id="p_bob",
                session="s",
                tag=n,
                command=p.TableCommand(table_id=TABLE, command_id="x" * 4_000),
            )
            for n in range(150)
        ],
    ).SerializeToString()
    assert len(huge) > 512 * 1024
    log.configure("critical", as_json=True)
    try:
        for junk in (b"", b"\xff" * 100, b"\x0a\xff\xff\xff\xff\x0f", b"x" * 900_000, huge):
            for target in (
                subject("gateway", "out", name),
                subject("gateway", "notice", "p_ann"),
                subject("table", "shard_owned", "0"),
                subject_of(MessagePosted, key=f"table/{TABLE}"),
            ):
                await bus.tell(target, junk)
            if junk:
                with pytest.raises(Outage):
                    await bus.request(subject("table", "cmd", "0"), junk, timeout_s=0.2)
        assert not (await ann.say("sit", sit=p.Sit())).reason
    finally:
        log.configure("warning", as_json=True)
        await client.close()


async def test_a_stream_with_a_message_of_megabytes_ends_and_is_not_read(world: World) -> None:
    address = f"127.0.0.1:{world.rpc.port}"
    good = GrpcClient(address)
    await good.hello(world.tokens.token("p_ann"))
    async with grpc.aio.insecure_channel(address) as channel:
        play: Any = channel.stream_stream("/paiju.gateway.v1.GatewayService/Play")
        call = play(iter([b"\x12" + b"x" * 3_000_000]))
        with pytest.raises(grpc.aio.AioRpcError) as ended:
            _ = [PlayResponse.FromString(one) async for one in call]
    assert ended.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert await good.ping() == 7
    await good.close()


async def test_commands_beyond_what_one_connection_may_have_waiting_are_refused(
    connect: Connect, world: World
) -> None:
    here, other = await seated(connect)
    ids = range(5_000, 5_050)
    for n in ids:
        # A question that nobody knows is answered late: only the log can tell that it is none.
        act = other.act(1_000_000, "pass", here.round_id)
        await other.client.send(PlayRequest(id=n, table=p.TableCommand(table_id=TABLE, act=act)))
    reasons = []
    for n in ids:
        answer = await other.client.wait_for(lambda r, n=n: r.reply_to == n, WAIT_S)  # type: ignore[misc] # n is bound
        reasons.append(answer.refused.reason or answer.command_answer.reason)
    assert set(reasons) == {"TOO_MANY_CALLS", "UNKNOWN_QUESTION"}
    assert reasons.count("UNKNOWN_QUESTION") >= 32
    assert await here.answer()

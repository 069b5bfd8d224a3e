"""On a bus that loses, repeats and reorders, under owners that come and go, a client sees each frame once."""

from __future__ import annotations

import asyncio
import random

import pytest
from paiju.gateway.v1.gateway_service_pb2 import Hello, PlayRequest, PlayResponse
from paiju.table.v1.play_pb2 import Act, Attach, TableCommand, TableView

from services.chassis.auth import KEYS_BUCKET
from services.chassis.bus.broker import Faults
from services.chassis.clock import VirtualClock, run_virtual
from services.gateway.app import make
from services.gateway.core.framing import leading_number
from services.gateway.hub import Hub
from services.gateway.session import Session
from services.gateway.settings import GatewaySettings
from tests.support.process import MemoryWorld
from tests.support.real_process import KID, Tokens
from tests.support.table_owner import TableOwner

TABLES = ("0-table1", "0-table2")
ACTS = 25


class Client:
    """A player at one table who loses his connection now and then, and keeps (epoch, number)."""

    def __init__(self, storm: Storm, number: int) -> None:
        self.storm = storm
        self.player_id = f"p_{number}"
        self.table_id = TABLES[number % 2]
        self.chance = random.Random(f"{storm.seed}/{number}")
        self.is_steady = number < 3
        """Keeps its connection."""
        self.epoch = 0
        self.last = 0
        self.acted = 0
        self._session: Session | None = None
        self._answers: dict[int, asyncio.Future[PlayResponse]] = {}
        self._next = 1

    @property
    def session(self) -> Session:
        assert self._session is not None
        return self._session

    async def play(self) -> None:
        while self.acted < ACTS:
            async with asyncio.TaskGroup() as group:
                hub = self.storm.hub
                self._session = hub.open("test", "here", lambda: None)
                reader = group.create_task(self._hear(self._session))
                await self._stay(10**6 if self.is_steady else self.chance.uniform(0.5, 8))
                if self.is_steady and self.acted == ACTS and not self._session.is_closed:
                    await self._see_all()
                await self._session.end()
                reader.cancel()
            await self.storm.clock.sleep(self.chance.random())

    async def _see_all(self) -> None:
        """What was lost on the way comes on this very connection, without being asked for by the client."""
        async with self.storm.clock.timeout(30):
            while self.last < ACTS and not self.session.is_closed:
                await self.storm.clock.sleep(0.1)

    async def catch_up(self) -> None:
        """Connect once more, in a healed world, and hear what is left."""
        async with asyncio.TaskGroup() as group:
            self._session = self.storm.hub.open("test", "here", lambda: None)
            reader = group.create_task(self._hear(self._session))
            await self._say_hello()
            await self.storm.clock.sleep(15)
            reader.cancel()

    async def _stay(self, seconds: float) -> None:
        until = self.storm.clock.monotonic() + seconds
        await self._say_hello()
        while self.acted < ACTS and self.storm.clock.monotonic() < until and not self.session.is_closed:
            answer = await self._ask(act=Act(question=self.acted + 1))
            if answer is not None and not answer.command_answer.reason:
                self.acted += 1
            await self.storm.clock.sleep(self.chance.random() * 0.3)

    async def _say_hello(self) -> None:
        tokens = self.storm.tokens
        seconds = self.storm.clock.now_ms() // 1000 - tokens.now_s() + 600
        hello = Hello(access_token=tokens.token(self.player_id, seconds=seconds))
        await self.session.handle(PlayRequest(id=10**6, hello=hello))
        await self._ask(attach=Attach(epoch=self.epoch, number=self.last))

    async def _ask(self, **body: Act | Attach) -> PlayResponse | None:
        request_id, self._next = self._next, self._next + 1
        answer: asyncio.Future[PlayResponse] = asyncio.get_running_loop().create_future()
        self._answers[request_id] = answer
        command = TableCommand(table_id=self.table_id, **body)  # type: ignore[arg-type] # one of the bodies
        await self.session.handle(PlayRequest(id=request_id, table=command))
        try:
            async with self.storm.clock.timeout(11):
                return await answer
        except TimeoutError:
            assert self.session.is_closed, "a command was never answered"
            return None

    async def _hear(self, session: Session) -> None:
        while responses := await session.outgoing():
            for response in responses:
                if waiting := self._answers.pop(response.reply_to, None):
                    waiting.set_result(response)
                if response.HasField("table_snapshot"):
                    number = TableView.FromString(response.table_snapshot.view).number
                    assert number >= self.last, f"{self.player_id} was sent back to {number} from {self.last}"
                    self.last, self.epoch = number, response.table_snapshot.epoch
                for frame in response.table_frames.frames:
                    number = leading_number(frame)
                    assert number == self.last + 1, f"{self.player_id} has {self.last} and got {number}"
                    self.last = number
                    self.epoch = max(self.epoch, response.table_frames.epoch)
                if response.HasField("table_detached"):
                    session.close("IDLE")


class Storm:
    """Two gateways, an owner that is replaced now and then, and clients."""

    def __init__(self, clock: VirtualClock, seed: int) -> None:
        self.clock = clock
        self.seed = seed
        self.chance = random.Random(seed)
        self.faults = Faults(seed, lose_told=0.08, repeat_told=0.05, delay_s=0.2)
        self.world = MemoryWorld(clock, seed, self.faults)
        self.tokens = Tokens()
        self.hubs: list[Hub] = []
        self.is_over = False

    @property
    def hub(self) -> Hub:
        return self.chance.choice(self.hubs)

    async def run(self) -> None:
        process = self.world.process("table")
        await (await process.bus.bucket(KEYS_BUCKET)).put(KID, self.tokens.public)
        self.owner = TableOwner(process.bus)
        settings = GatewaySettings(http_port=0, messages_burst=10**6, player_messages_burst=10**6)
        for name in ("gw-one", "gw-two"):
            gateway = make(settings, self.world.process(name).parts, name)
            await gateway.hub.tables.start()
            await gateway.hub.start()
            self.hubs.append(gateway.hub)
        await self.owner.start()
        clients = [Client(self, number) for number in range(6)]
        async with asyncio.TaskGroup() as group:
            background = [group.create_task(self.beats()), group.create_task(self.takeovers())]
            async with asyncio.TaskGroup() as playing:
                for client in clients:
                    playing.create_task(client.play())
            self.is_over = True
            self.faults.active = False
            await background[1]
            for client in clients:
                await client.catch_up()
            background[0].cancel()
        for client in clients:
            frames = self.owner.seats[client.table_id, client.player_id].frames
            assert len(frames) == ACTS, "an act was done twice, or never"
            assert client.last == ACTS
        for hub in self.hubs:
            await hub.stop()
            await hub.tables.stop()
        for made in self.world.processes:
            await made.stop()

    async def beats(self) -> None:
        while True:
            await self.clock.sleep(1)
            await self.owner.beat()

    async def takeovers(self) -> None:
        while not self.is_over:
            await self.clock.sleep(self.chance.uniform(1, 6))
            await self.owner.stop()
            await self.clock.sleep(self.chance.uniform(0, 3))
            await self.owner.start()


@pytest.mark.parametrize("seed", range(5))
def test_every_act_is_done_once_and_every_frame_is_seen_once_in_order(seed: int) -> None:
    async def main(clock: VirtualClock) -> None:
        await Storm(clock, seed).run()

    run_virtual(main)

"""A load test's player against a table that stalls, under a virtual clock: times count from the intent."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import aiohttp
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from paiju.gateway.v1.gateway_service_pb2 import (
    Goodbye,
    PlayRequest,
    PlayResponse,
    TableFrames,
    TableSnapshot,
    Welcome,
)
from paiju.table.v1.play_pb2 import CommandAnswer, Frame, TableView

from services.chassis.clock import VirtualClock, run_virtual
from services.launch.load.chance import Stream
from services.launch.load.client import Client, GaveUp
from services.launch.load.figures import Figures
from services.launch.load.link import ANSWER_S_MAX, Link
from services.launch.load.order import Order
from services.launch.load.sitting import STALL_S, Sitting
from services.launch.load.wires import Lost, Refused, WebSocketWire, Wire, post
from services.launch.load.world import World
from tests.support.told import Told, told

THINK_MS = 200.0
GAME = "paohuzi"


class StallingTable:
    """Plays one recorded round with whoever attaches: the next frames follow each answer, after a stall.

    It is a `Wire`, several one after the other: `cut` ends one, and `Client` opens the next.
    """

    def __init__(self, clock: VirtualClock, made: Told, stall_s: float) -> None:
        self.clock = clock
        self.view = made.view
        self.frames = made.frames
        self.stall_s = stall_s
        self.shown = 0
        self.acts: list[tuple[int, str]] = []
        self.attached: list[int] = []
        self.cut_after_act = 0
        self.stay_away_ms = 0
        """What the goodbye asks for."""
        self.refusals: list[str] = []
        """Reasons that the next answers get."""
        self.pings = 0
        self.out: asyncio.Queue[PlayResponse | None] = asyncio.Queue()

    async def send(self, request: PlayRequest) -> None:
        answer = PlayResponse(reply_to=request.id)
        if request.HasField("hello"):
            answer.welcome.CopyFrom(Welcome(player_id="p_1"))
        else:
            answer.command_answer.CopyFrom(CommandAnswer())
        if request.HasField("ping"):
            self.pings += 1
            answer.pong.at_ms = request.ping.at_ms
        command = request.table
        if command.HasField("attach"):
            self.attached.append(command.attach.number)
            self._show(command.attach.number)
        elif command.HasField("act") and self.refusals:
            answer.command_answer.reason = self.refusals.pop(0)
        elif command.HasField("act"):
            await self.clock.sleep(self.stall_s)
            known = (command.act.question, command.act.action) in self.acts
            self.acts.append((command.act.question, command.act.action))
            if len(self.acts) == self.cut_after_act:
                goodbye = Goodbye(reason="SHUTTING_DOWN", retry_after_ms=self.stay_away_ms)
                self.out.put_nowait(PlayResponse(goodbye=goodbye))
                self.out.put_nowait(None)
                return
            if not known:
                self._play_on()
        self.out.put_nowait(answer)

    async def receive(self) -> PlayResponse | None:
        return await self.out.get()

    async def close(self) -> None:
        self.out.put_nowait(None)

    async def cut(self) -> None:
        self.out.put_nowait(None)

    def reopened(self) -> StallingTable:
        self.out = asyncio.Queue()
        return self

    def _show(self, number: int) -> None:
        if not number:
            view = self.view.SerializeToString()
            self._say(PlayResponse(table_snapshot=TableSnapshot(table_id="0-table", epoch=7, view=view)))
            self._play_on()
            return
        self._frames([frame for frame in self.frames[: self.shown] if frame.number > number])

    def _play_on(self) -> None:
        """Show what follows, to the next question of the seat."""
        start = self.shown
        while self.shown < len(self.frames):
            self.shown += 1
            if self.frames[self.shown - 1].play.HasField("question"):
                break
        self._frames(self.frames[start : self.shown])

    def _frames(self, frames: list[Frame]) -> None:
        raw = [frame.SerializeToString() for frame in frames]
        self._say(PlayResponse(table_frames=TableFrames(table_id="0-table", epoch=7, frames=raw)))

    def _say(self, response: PlayResponse) -> None:
        self.out.put_nowait(response)


class AtTheTable(Client):
    table: StallingTable

    async def _open(self) -> Wire:
        return self.table.reopened()


@asynccontextmanager
async def sitting_at(clock: VirtualClock, table: StallingTable) -> AsyncIterator[Sitting]:
    order = Order("http://127.0.0.1:1/", think_ms=THINK_MS, think_sigma=0.0, policy="random", seed="9")
    async with asyncio.TaskGroup() as group:
        world = World(order, clock, Figures(), clock.monotonic(), group)
        client = AtTheTable(world, "0", "", "websocket")
        client.table = table
        client.account.renew_at_ms = 1 << 60
        world.spawn(client._keep())
        sitting = Sitting(client, "0-table", Stream("9", "t"), Stream("9", "c"), b"")
        await sitting.begin()
        yield sitting
        await client.go()
        world.end_all()


def open_view() -> Told:
    """A round from seat 0, told from a view at number 4 on."""
    made = told(GAME, 0)
    made.frames.pop()  # the answers will be others than those on record
    assert isinstance(made.view, TableView)
    return made


def test_an_answer_that_a_stalled_platform_takes_late_is_timed_from_when_it_was_meant() -> None:
    async def scene(clock: VirtualClock) -> None:
        table = StallingTable(clock, open_view(), stall_s=3.0)
        async with sitting_at(clock, table) as sitting:
            await clock.sleep(THINK_MS / 1000 + 3.1)
            times = sitting.figures.now.times
            assert len(table.acts) == 1
            assert times["action"].count == 1
            assert 2.999 < times["action"].percentile(100) < 3.001
            assert 2.999 < times["acknowledged"].percentile(100) < 3.001
            assert sitting.figures.now.counts["actions"] == 1

    run_virtual(scene)


def test_an_answer_without_acknowledgement_is_given_again_unchanged_after_the_reconnect() -> None:
    async def scene(clock: VirtualClock) -> None:
        table = StallingTable(clock, open_view(), stall_s=0.01)
        table.cut_after_act = 1
        async with sitting_at(clock, table) as sitting:
            await clock.sleep(2.0)
            assert len(table.acts) >= 2
            assert table.acts[0] == table.acts[1]
            assert table.attached[0] == 0
            assert table.attached[1] > table.view.number, "it names the last frame it has"
            figures = sitting.figures
            assert figures.goodbyes["SHUTTING_DOWN"] == 1
            assert figures.now.counts["reconnects"] == 1
            assert figures.wrong == {}
            assert figures.errors == {}

    run_virtual(scene)


def test_who_is_asked_to_stay_away_for_a_while_comes_back_no_sooner() -> None:
    async def scene(clock: VirtualClock) -> None:
        table = StallingTable(clock, open_view(), stall_s=0.01)
        table.cut_after_act, table.stay_away_ms = 1, 4_000
        async with sitting_at(clock, table) as sitting:
            await clock.sleep(1.0)
            before = len(table.attached)
            await clock.sleep(3.0)
            assert len(table.attached) == before
            await clock.sleep(1.0)
            assert len(table.attached) > before
            assert sitting.figures.now.times["resume"].max_us < 200_000, (
                "staying away as asked counts for nobody"
            )

    run_virtual(scene)


def test_a_question_without_an_answer_is_lost_after_a_while_and_a_later_one_is_not() -> None:
    class Mute:
        async def send(self, request: PlayRequest) -> None: ...

        async def receive(self) -> PlayResponse | None:
            return await asyncio.Future()

        async def close(self) -> None: ...

        async def cut(self) -> None: ...

    async def scene(clock: VirtualClock) -> None:
        link = Link(Mute(), clock, lambda _: None)
        async with asyncio.TaskGroup() as group:
            reader = group.create_task(link.run())
            first = group.create_task(asyncio.wait([asyncio.ensure_future(link.ping())]))
            await clock.sleep(10)
            second = group.create_task(link.ping())
            await clock.sleep(ANSWER_S_MAX - 10 - 0.1)
            link.give_up_old()
            await clock.sleep(0)
            assert not first.done()
            await clock.sleep(0.2)
            link.give_up_old()
            done, _ = await first
            assert str(done.pop().exception()) == "NO_ANSWER"
            assert not second.done()
            for task in (reader, second):
                task.cancel()

    run_virtual(scene)


def test_the_same_seed_gives_the_same_answers() -> None:
    async def scene(clock: VirtualClock, stall_s: float) -> list[tuple[int, str]]:
        table = StallingTable(clock, open_view(), stall_s)
        async with sitting_at(clock, table):
            await clock.sleep(20.0)
        return table.acts

    fast, slow = run_virtual(lambda clock: scene(clock, 0.0)), run_virtual(lambda clock: scene(clock, 1.0))
    assert len(fast) > 3
    assert slow == fast, "how fast the platform is changes nobody's mind"


def test_a_frame_that_never_comes_is_a_mistake_of_the_platform() -> None:
    async def scene(clock: VirtualClock) -> None:
        made = open_view()
        del made.frames[-2]
        table = StallingTable(clock, made, stall_s=0.0)
        async with sitting_at(clock, table) as sitting:
            await clock.sleep(20.0)
            assert sitting.figures.wrong["gap"] == 1
            assert sitting.figures.examples[0].startswith("gap: table 0-table: frame ")

    run_virtual(scene)


def test_an_answer_refused_while_the_table_moves_is_given_again_and_timed_from_when_it_was_meant() -> None:
    async def scene(clock: VirtualClock) -> None:
        table = StallingTable(clock, open_view(), stall_s=0.0)
        table.refusals = ["TABLE_UNAVAILABLE", "SHARD_BUSY", "TABLE_UNAVAILABLE"]
        async with sitting_at(clock, table) as sitting:
            await clock.sleep(THINK_MS / 1000 + 1.0)
            figures = sitting.figures
            assert figures.retries == {"act:TABLE_UNAVAILABLE": 2, "act:SHARD_BUSY": 1}
            # Waits of 0.1, 0.2 and 0.4 s, each at least half.
            assert figures.now.times["action"].max_us >= 350_000
            assert figures.errors == {}

    run_virtual(scene)


def test_an_answer_that_the_rules_refuse_is_not_given_again() -> None:
    async def scene(clock: VirtualClock) -> None:
        table = StallingTable(clock, open_view(), stall_s=0.0)
        table.refusals = ["QUESTION_CLOSED"]
        async with sitting_at(clock, table) as sitting:
            await clock.sleep(5.0)
            assert sitting.figures.refusals == {"act:QUESTION_CLOSED": 1}
            assert table.acts == []
            assert sitting.figures.now.counts["actions"] == 0

    run_virtual(scene)


def test_a_seat_that_hears_nothing_any_more_is_given_up_as_stalled() -> None:
    async def scene(clock: VirtualClock) -> None:
        table = StallingTable(clock, open_view(), stall_s=10_000.0)
        async with sitting_at(clock, table) as sitting:
            began = clock.monotonic()
            with pytest.raises(GaveUp, match="STALLED"):
                await sitting.play()
            assert STALL_S <= clock.monotonic() - began <= 1.5 * STALL_S

    run_virtual(scene)


def test_who_says_nothing_for_long_pings() -> None:
    async def scene(clock: VirtualClock) -> None:
        table = StallingTable(clock, open_view(), stall_s=0.0)
        table.refusals = ["QUESTION_CLOSED"]
        async with sitting_at(clock, table) as sitting:
            await clock.sleep(5.0)
            await sitting.client.look_after()
            assert table.pings == 0
            await clock.sleep(15.0)
            await sitting.client.look_after()
            assert table.pings == 1

    run_virtual(scene)


def test_who_finds_no_door_open_gives_up_when_his_patience_ends() -> None:
    class Outside(Client):
        async def _open(self) -> Wire:
            raise Lost("HTTP_503")

    async def scene(clock: VirtualClock) -> None:
        order = Order("http://127.0.0.1:1/", patience_s=7.0)
        async with asyncio.TaskGroup() as group:
            world = World(order, clock, Figures(), clock.monotonic(), group)
            client = Outside(world, "0", "", "websocket")
            keeper = world.spawn(client._keep())
            with pytest.raises(GaveUp, match="connect"):
                await client.link()
            assert clock.monotonic() == 7.0
            assert world.figures.retries["connect:HTTP_503"] > 3
            await client.go()
            keeper.cancel()

    run_virtual(scene)


def test_whose_gateway_is_gone_turns_to_another_with_the_next_try(monkeypatch: pytest.MonkeyPatch) -> None:
    urls = tuple(f"http://127.0.0.1:{port}/" for port in (1, 2, 3))
    tried: list[str] = []

    async def closed(url: str, source: str) -> WebSocketWire:
        tried.append(url)
        raise Lost("ClientConnectorError")

    async def scene(clock: VirtualClock) -> None:
        order = Order(urls[0], others=urls[1:], patience_s=7.0)
        async with asyncio.TaskGroup() as group:
            world = World(order, clock, Figures(), clock.monotonic(), group)
            clients = [Client(world, str(number), "", "websocket") for number in range(20)]
            keepers = [world.spawn(client._keep()) for client in clients[:1]]
            with pytest.raises(GaveUp, match="connect"):
                await clients[0].link()
            await clients[0].go()
            for keeper in keepers:
                keeper.cancel()
            assert {client._next_url() for client in clients[1:]} == set(urls), "they begin anywhere"

    monkeypatch.setattr(WebSocketWire, "open", closed)
    run_virtual(scene)
    assert len(tried) > 3
    first = urls.index(tried[0])
    assert tried == [urls[(first + number) % 3] for number in range(len(tried))]


def test_what_is_refused_for_ever_is_given_up_when_patience_ends() -> None:
    async def scene(clock: VirtualClock) -> None:
        async def busy() -> None:
            raise Refused("SHARD_BUSY")

        async with asyncio.TaskGroup() as group:
            order = Order("http://127.0.0.1:1/", patience_s=7.0)
            client = Client(World(order, clock, Figures(), 0.0, group), "0", "", "websocket")
            with pytest.raises(GaveUp, match="sit:SHARD_BUSY"):
                await client.trying("sit", busy)
            assert 7.0 < clock.monotonic() < 13.0

    run_virtual(scene)


async def test_a_page_where_an_answer_should_be_is_nobody_who_answers() -> None:
    async def page(_: web.Request) -> web.Response:
        return web.Response(status=502, text="<html>Bad Gateway</html>")

    app = web.Application()
    app.router.add_post("/call/{rest:.*}", page)
    async with TestServer(app) as server, aiohttp.ClientSession() as http:
        with pytest.raises(Lost, match="HTTP_502"):
            await post(http, str(server.make_url("/")), "any/Method", PlayRequest(), PlayResponse)

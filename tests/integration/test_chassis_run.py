"""A whole process on a real NATS server: wired, started, asked, drained, crashed."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from google.protobuf.message import Message
from paiju.progress.v1 import progress_service_pb2 as pb
from paiju.progress.v1 import progress_service_pb2_grpc as pb_grpc
from paiju.table.v1 import events_pb2

from services.chassis import auth
from services.chassis.auth import Principal
from services.chassis.bus import Consumes, Delivery
from services.chassis.bus.nats import NatsBus
from services.chassis.bus.streams import ensure_streams
from services.chassis.clock import SystemClock
from services.chassis.config import ConfigError, PaijuSettings, ServiceSettings, prefixed
from services.chassis.errors import Defect, Outage
from services.chassis.ids import SystemIds
from services.chassis.metrics import Metrics
from services.chassis.run import Parts, Running, Service, Wiring, nats_login, registry_of, serve
from tests.support.nats import NatsServer
from tests.support.process import settings_for_tests


class ToySettings(ServiceSettings):
    model_config = prefixed("PAIJU_TOY_")

    greeting: str = "hello"


@dataclass
class Toy:
    """A service that offers `progress`, hears rounds, and notes what happens to it."""

    name: str
    parts: Parts
    settings: ToySettings
    history: list[str]
    heard: list[str] = field(default_factory=list)
    callers: list[Principal] = field(default_factory=list)

    async def start(self) -> None:
        self.history.append(f"{self.name} starts")
        await self.parts.bus.consume(f"{self.name}-rounds", [events_pb2.RoundFinished], self.hear)

    async def stop(self) -> None:
        # The other services and the bus still work while one stops.
        await self.parts.bus.publish(
            events_pb2.RoundFinished(round_id="last", game="x"), f"{self.name}-stops"
        )
        self.history.append(f"{self.name} stops")

    async def hear(self, deliveries: Sequence[Delivery[Message]]) -> None:
        self.heard.extend(delivery.event_id for delivery in deliveries)

    async def GetSignIn(self, request: Any, context: Any) -> pb.GetSignInResponse:  # noqa: N802 - gRPC's name
        self.callers.append(auth.current())
        return pb.GetSignInResponse()

    SignIn = GetStatistics = ListStatisticsDays = SetStatisticsVisibility = GetSignIn


History = list[str]


def toys(history: History, names: Sequence[str] = ("first", "second")) -> list[Wiring]:
    def make(name: str) -> Wiring:
        async def wire(settings: ToySettings, parts: Parts) -> Service:
            history.append(f"{name} is wired")
            toy = Toy(name, parts, settings, history)
            if name == names[0]:
                access: auth.AccessTable = {
                    "GetSignIn": "player",
                    "SignIn": "service",
                    "GetStatistics": "public",
                    "ListStatisticsDays": "public",
                    "SetStatisticsVisibility": "public",
                }
                parts.rpc.serve(name, pb_grpc.add_ProgressServiceServicer_to_server, toy, access)
            return toy

        hears = (Consumes(f"{name}-rounds", (events_pb2.RoundFinished,)),)
        return Wiring(
            name, wire, ToySettings, says=(events_pb2.RoundFinished,), hears=hears, has_database=False
        )

    return [make(name) for name in names]


@pytest.fixture
async def settings(nats_server: NatsServer, tmp_path: Path) -> PaijuSettings:
    made = settings_for_tests(tmp_path, nats_url=nats_server.url, drain_s=2.0, log_level="error")
    registry = registry_of(toys([]), made)
    bus = await NatsBus.connect(nats_login(made), registry, SystemClock(), SystemIds(), Metrics())
    await ensure_streams(bus.jetstream, registry)
    await bus.close()
    return made


async def run_with(
    wirings: Sequence[Wiring], settings: PaijuSettings, then: Callable[[Running], Awaitable[None]]
) -> None:
    """Serve until `then` has done its work; raise what either raises."""
    until = asyncio.Event()

    async def on_ready(running: Running) -> None:
        try:
            await then(running)
        finally:
            until.set()

    async with asyncio.timeout(30):
        await serve(wirings, settings, on_ready, until)


async def test_a_process_starts_answers_consumes_and_ends_in_order(settings: PaijuSettings) -> None:
    history: History = []

    async def use(running: Running) -> None:
        first = running.services["first"]
        assert isinstance(first, Toy)
        assert first.settings.greeting == "hello"
        stub = running.parts.rpc.client(pb_grpc.ProgressServiceStub, "first")
        with auth.acting_for("p_1"):
            await stub.GetSignIn(pb.GetSignInRequest())
        assert (first.callers[0].id, first.callers[0].player_id) == ("up", "p_1")
        await running.parts.bus.publish(events_pb2.RoundFinished(round_id="m/1", game="x"), "r1")
        while "r1" not in first.heard:
            await asyncio.sleep(0.01)
        async with aiohttp.ClientSession(f"http://127.0.0.1:{running.http_port}") as http:
            async with http.get("/readyz") as answer:
                assert (answer.status, await answer.json()) == (200, {"first": True, "second": True})
            async with http.get("/healthz") as answer:
                assert answer.status == 200
            async with http.get("/metrics") as answer:
                text = await answer.text()
                assert 'paiju_rpc_seconds_count{code="OK",method="GetSignIn",service="first"} 1.0' in text
                assert 'paiju_bus_deliveries_total{durable="first-rounds",result="done"} 1.0' in text
            running.parts.health.set("second", False)
            async with http.get("/readyz") as answer:
                assert answer.status == 503

    await run_with(toys(history), settings, use)
    assert history == [
        "first is wired", "second is wired", "first starts", "second starts", "second stops", "first stops",
    ]  # fmt: skip


@pytest.mark.usefixtures("quiet")
async def test_a_task_that_crashes_stops_the_process_in_order_and_loudly(settings: PaijuSettings) -> None:
    history: History = []
    running_: list[Running] = []

    async def crash() -> None:
        raise ValueError("the table froze")

    def on_ready(running: Running) -> None:
        running_.append(running)
        running.parts.spawn("crasher", crash())

    with pytest.raises(Defect, match="the table froze"):
        async with asyncio.timeout(60):
            await serve(toys(history), settings, on_ready)
    assert history[-2:] == ["second stops", "first stops"]
    assert not running_[0].parts.bus.connected


async def test_sigterm_ends_a_process_in_order(settings: PaijuSettings) -> None:
    history: History = []
    async with asyncio.timeout(60):
        await serve(toys(history), settings, lambda running: os.kill(os.getpid(), signal.SIGTERM))
    assert history[-2:] == ["second stops", "first stops"]


@pytest.mark.usefixtures("quiet")
async def test_a_service_that_hangs_or_fails_while_stopping_does_not_keep_the_others(
    settings: PaijuSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    history: History = []
    stop = Toy.stop

    async def hang(self: Toy) -> None:
        if self.name == "third":
            raise ValueError("bug")
        if self.name == "second":
            await asyncio.Event().wait()
        await stop(self)

    monkeypatch.setattr(Toy, "stop", hang)

    async def nothing(running: Running) -> None:
        return

    quick = settings.model_copy(update={"drain_s": 0.2})
    await run_with(toys(history, ("first", "second", "third")), quick, nothing)
    assert history[-1] == "first stops"


async def test_a_bad_setting_of_a_service_and_a_taken_port_end_the_start(
    settings: PaijuSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def nothing(running: Running) -> None:
        raise AssertionError("must not serve")

    class Strict(ServiceSettings):
        model_config = prefixed("PAIJU_STRICT_")

        must: int

    (wiring,) = toys([], ("first",))
    with pytest.raises(ConfigError, match="PAIJU_STRICT_MUST"):
        await serve([Wiring("first", wiring.wire, Strict, has_database=False)], settings, nothing)

    taken = await asyncio.start_server(lambda reader, writer: None, "127.0.0.1", 0)
    port = taken.sockets[0].getsockname()[1]
    with pytest.raises(Outage, match=str(port)):
        await serve(toys([]), settings.model_copy(update={"http_port": port}), nothing)
    with pytest.raises(Outage, match=str(port)):
        await serve(toys([]), settings.model_copy(update={"grpc_port": port}), nothing)
    taken.close()

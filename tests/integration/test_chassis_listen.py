"""Who listens hears from then on, though many share one exchange with the broker."""

from __future__ import annotations

import asyncio

from services.chassis.bus import subject
from services.chassis.bus.nats import NatsBus, NatsLogin
from services.chassis.clock import SystemClock
from services.chassis.ids import SystemIds
from services.chassis.metrics import Metrics
from tests.support.nats import NatsServer
from tests.support.process import full_registry

LISTENERS = 200


async def connect(server: NatsServer) -> NatsBus:
    return await NatsBus.connect(
        NatsLogin(server.url), full_registry(), SystemClock(), SystemIds(), Metrics(), "test"
    )


async def test_what_is_told_as_soon_as_somebody_listens_is_heard_however_many_begin_at_once(
    nats_server: NatsServer,
) -> None:
    here, there = await connect(nats_server), await connect(nats_server)
    heard: list[str] = []

    async def hear(_: bytes, told: str) -> None:
        heard.append(told)

    async def begin(number: int) -> str:
        about = subject("gateway", "out", f"g{number}")
        # Some begin while the exchange of others is under way.
        for _ in range(number):
            await asyncio.sleep(0)
        await here.listen(about, hear)
        # By another connection: it overtakes a subscription that the server does not know yet.
        await there.tell(about, b"now")
        return about

    told = await asyncio.gather(*map(begin, range(LISTENERS)))
    async with asyncio.timeout(60):
        while len(heard) < len(told):
            await asyncio.sleep(0.01)
    assert sorted(heard) == sorted(told)
    await there.close()
    await here.close()


async def test_who_stops_waiting_does_not_stop_the_others(nats_server: NatsServer) -> None:
    bus = await connect(nats_server)
    heard = asyncio.Event()

    async def hear(_: bytes, told: str) -> None:
        heard.set()

    waiting = [
        asyncio.create_task(bus.listen(subject("gateway", "out", f"g{number}"), hear)) for number in range(3)
    ]
    await asyncio.sleep(0)
    waiting[0].cancel()
    await asyncio.gather(*waiting[1:])
    assert waiting[0].cancelled()
    await bus.tell(subject("gateway", "out", "g2"), b"now")
    async with asyncio.timeout(60):
        await heard.wait()
    await bus.close()


async def test_an_exchange_that_began_before_a_subscription_proves_nothing_of_it() -> None:
    bus = NatsBus(full_registry(), SystemClock(), SystemIds(), Metrics())
    gates: list[asyncio.Future[None]] = []

    async def flush(timeout: float) -> None:
        gates.append(asyncio.get_running_loop().create_future())
        await gates[-1]

    async def turn(number: int) -> None:
        while len(gates) < number:
            await asyncio.sleep(0)
        gates[number - 1].set_result(None)

    bus._client.flush = flush  # type: ignore[method-assign]  # when it answers is what this test is about
    first = asyncio.create_task(bus._settle())
    await asyncio.sleep(0.01)
    late = [asyncio.create_task(bus._settle()) for _ in range(50)]
    await turn(1)
    await turn(2)
    await first
    await asyncio.sleep(0.01)
    assert not any(task.done() for task in late)
    await turn(3)
    await turn(4)
    await asyncio.gather(*late)
    assert len(gates) == 4, "one exchange of two for each, shared by all who came meanwhile"

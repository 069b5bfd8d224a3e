"""Each user of the deployed broker may do what its service needs and nothing else: tried as each of them."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import nats
import pytest
from google.protobuf.message import Message
from nats.aio.client import Client

from services.chassis.bus.nats import NatsBus, NatsLogin
from services.chassis.bus.registry import event_of
from services.chassis.bus.streams import ensure_streams
from services.chassis.clock import SystemClock
from services.chassis.config import PaijuSettings
from services.chassis.ids import SystemIds
from services.chassis.metrics import Metrics
from services.chassis.run import Wiring, registry_of
from services.launch.catalog import SERVICES, wirings
from services.launch.permissions import OPERATOR, inbox_prefix
from tests.support.deployed import deployed_broker, password_of
from tests.support.nats import NatsServer


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsServer]:
    """The deployed broker, without streams."""
    server = deployed_broker(tmp_path_factory.mktemp("deployed")).start()
    yield server
    server.stop()


@pytest.fixture(scope="module")
def by_name() -> dict[str, Wiring]:
    """All wirings."""
    return {wiring.name: wiring for wiring in wirings()}


@pytest.fixture
async def migrated(broker: NatsServer, by_name: dict[str, Wiring]) -> NatsServer:
    """The same, with everything that the operator makes; making it again changes nothing."""
    registry = registry_of(list(by_name.values()), PaijuSettings(dev=True))
    login = NatsLogin(broker.url, OPERATOR, password_of(OPERATOR), inbox_prefix(OPERATOR))
    bus = await NatsBus.connect(login, registry, SystemClock(), SystemIds(), Metrics())
    await ensure_streams(bus.jetstream, registry)
    await bus.close()
    return broker


class Visitor:
    """A connection that remembers what the broker refused."""

    def __init__(self) -> None:
        self.client = Client()
        self.refused: list[str] = []

    async def note(self, error: Exception) -> None:
        self.refused.append(str(error).lower())

    async def _settle(self) -> None:
        """Return when the broker has answered all that was sent; the first ping may overtake it."""
        await self.client.flush()
        await self.client.flush()

    async def may_publish(self, subject: str, payload: bytes = b"") -> bool:
        """Publish, and return whether the broker took it; its refusal comes before its answer to the ping."""
        self.refused.clear()
        await self.client.publish(subject, payload)
        await self._settle()
        return not any("permissions violation" in line for line in self.refused)

    async def may_subscribe(self, subject: str) -> bool:
        """Subscribe, and return whether the broker allowed it."""
        self.refused.clear()
        subscription = await self.client.subscribe(subject)
        await self._settle()
        allowed = not any("permissions violation" in line for line in self.refused)
        if allowed:
            await subscription.unsubscribe()
        return allowed


@asynccontextmanager
async def logged_in(broker: NatsServer, user: str) -> AsyncIterator[Visitor]:
    """Connect as a service does."""
    visitor = Visitor()
    await visitor.client.connect(
        broker.url,
        user=user,
        password=password_of(user),
        inbox_prefix=inbox_prefix(user).encode(),
        error_cb=visitor.note,
        allow_reconnect=False,
    )
    try:
        yield visitor
    finally:
        await visitor.client.close()


def facts(wiring: Wiring) -> list[type[Message]]:
    """Return what a service publishes."""
    return list(wiring.says)


@pytest.mark.parametrize("service", SERVICES)
async def test_a_service_publishes_its_own_facts_and_nobody_elses(
    migrated: NatsServer, by_name: dict[str, Wiring], service: str
) -> None:
    async with logged_in(migrated, service) as visitor:
        own = {event_of(fact).prefix for fact in facts(by_name[service])}
        every = {event_of(fact).prefix for wiring in by_name.values() for fact in facts(wiring)}
        assert own <= every
        for prefix in sorted(every):
            assert await visitor.may_publish(f"{prefix}.test") is (prefix in own), prefix


@pytest.mark.parametrize("service", SERVICES)
async def test_a_service_hears_its_own_inbox_and_nobody_elses(migrated: NatsServer, service: str) -> None:
    async with logged_in(migrated, service) as visitor:
        for other in (*SERVICES, OPERATOR):
            allowed = await visitor.may_subscribe(f"{inbox_prefix(other)}.anything")
            assert allowed is (other == service), other


@pytest.mark.parametrize("service", SERVICES)
@pytest.mark.parametrize(
    "subject",
    [">", "paiju.>", "$JS.>", "$KV.>", "paiju.table.log.*", "paiju.table.round_finished.*", "$SYS.>"],
)
async def test_no_service_overhears_what_is_not_for_it(
    migrated: NatsServer, service: str, subject: str
) -> None:
    async with logged_in(migrated, service) as visitor:
        assert not await visitor.may_subscribe(subject)


@pytest.mark.parametrize("service", SERVICES)
@pytest.mark.parametrize(
    "call",
    [
        "STREAM.CREATE.THIEF",
        "STREAM.UPDATE.ROUNDS",
        "STREAM.DELETE.LEDGER",
        "STREAM.PURGE.LEDGER",
        "STREAM.MSG.DELETE.LEDGER",
        "STREAM.MSG.GET.ROUNDS",
        "DIRECT.GET.ROUNDS",
        "DIRECT.GET.TABLE_LOG_0",
        "CONSUMER.CREATE.ROUNDS",
        "CONSUMER.DURABLE.CREATE.ROUNDS.thief",
        "CONSUMER.CREATE.ROUNDS.thief.paiju.table.round_finished.*",
        "CONSUMER.DELETE.AUDITS.economy-settlement",
    ],
)
async def test_no_service_may_make_change_or_read_streams_beside_its_own(
    migrated: NatsServer, service: str, call: str
) -> None:
    async with logged_in(migrated, service) as visitor:
        assert not await visitor.may_publish(f"$JS.API.{call}", b"{}")


@pytest.mark.parametrize("service", SERVICES)
async def test_only_the_table_reads_and_writes_its_log(migrated: NatsServer, service: str) -> None:
    async with logged_in(migrated, service) as visitor:
        is_table = service == "table"
        for subject in (
            "$JS.API.STREAM.MSG.GET.TABLE_LOG_0",
            "$JS.API.CONSUMER.CREATE.TABLE_LOG_0.thief.paiju.table.log.0",
            "$JS.API.STREAM.PURGE.TABLE_LOG_0",
            "paiju.table.log.0",
            "$KV.shards.table.0",
            "$KV.alive.table.i_thief",
        ):
            assert await visitor.may_publish(subject, b"{}") is is_table, subject


@pytest.mark.parametrize("service", SERVICES)
async def test_every_service_reads_the_public_keys_and_only_accounts_writes_them(
    migrated: NatsServer, service: str
) -> None:
    async with logged_in(migrated, service) as visitor:
        assert await visitor.may_publish("$JS.API.STREAM.MSG.GET.KV_keys", b"{}")
        assert await visitor.may_publish("$KV.keys.forged", b"") is (service == "accounts")


@pytest.mark.parametrize("service", SERVICES)
async def test_a_service_asks_its_own_consumers_and_nobody_elses(
    migrated: NatsServer, by_name: dict[str, Wiring], service: str
) -> None:
    async with logged_in(migrated, service) as visitor:
        for name, wiring in by_name.items():
            for consumer in wiring.hears:
                for stream in consumer.by_stream():
                    asked = f"$JS.API.CONSUMER.MSG.NEXT.{stream}.{consumer.durable}"
                    assert await visitor.may_publish(asked, b'{"no_wait": true}') is (name == service), asked


async def test_a_wrong_password_is_refused(migrated: NatsServer) -> None:
    with pytest.raises(nats.errors.Error):
        await nats.connect(migrated.url, user="table", password="guess", allow_reconnect=False)

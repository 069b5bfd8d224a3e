"""Each user of the deployed broker may do what its service needs and nothing else: tried as each of them."""

import asyncio
import itertools
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import nats
import pytest
from google.protobuf.message import Message
from nats.aio.client import Client
from nats.aio.msg import Msg

from services.chassis.bus.nats import NatsBus, NatsLogin
from services.chassis.bus.port import NoResponders
from services.chassis.bus.registry import dlq_subject, event_of, replay_subject
from services.chassis.bus.streams import ensure_streams
from services.chassis.clock import SystemClock
from services.chassis.config import PaijuSettings
from services.chassis.ids import SystemIds
from services.chassis.metrics import Metrics
from services.chassis.run import Wiring, registry_of
from services.launch.catalog import SERVICES, wirings
from services.launch.permissions import OPERATOR, inbox_prefix
from tests.support.deployed import deployed_broker, deployed_cluster, password_of
from tests.support.nats import Admin, Broker


@pytest.fixture(scope="module", params=["R1", "R3"])
def broker(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    """The deployed broker, without streams: one server, and three."""
    deployed = deployed_broker if request.param == "R1" else deployed_cluster
    servers = deployed(tmp_path_factory.mktemp("deployed")).start()
    yield servers
    servers.stop()


@pytest.fixture(scope="module")
def by_name() -> dict[str, Wiring]:
    """All wirings."""
    return {wiring.name: wiring for wiring in wirings()}


@pytest.fixture(scope="module")
def migrated(broker: Broker, by_name: dict[str, Wiring]) -> Broker:
    """The same, with everything that the operator makes; making it again changes nothing."""

    async def migrate() -> None:
        registry = registry_of(list(by_name.values()), PaijuSettings(dev=True))
        login = NatsLogin(broker.url, OPERATOR, password_of(OPERATOR), inbox_prefix(OPERATOR))
        async with Admin(broker.url, user=OPERATOR, password=password_of(OPERATOR)) as admin:
            await admin.settle(broker.replicas)
        bus = await NatsBus.connect(login, registry, SystemClock(), SystemIds(), Metrics())
        await ensure_streams(bus.jetstream, registry, broker.replicas)
        assert await ensure_streams(bus.jetstream, registry, broker.replicas) == []
        await bus.close()

    asyncio.run(migrate())
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
async def logged_in(broker: Broker, user: str) -> AsyncIterator[Visitor]:
    """Connect as a service does."""
    visitor = Visitor()
    await visitor.client.connect(
        broker.url.split(","),
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
    migrated: Broker, by_name: dict[str, Wiring], service: str
) -> None:
    async with logged_in(migrated, service) as visitor:
        own = {event_of(fact).prefix for fact in facts(by_name[service])}
        every = {event_of(fact).prefix for wiring in by_name.values() for fact in facts(wiring)}
        assert own <= every
        for prefix in sorted(every):
            assert await visitor.may_publish(f"{prefix}.test") is (prefix in own), prefix


@pytest.mark.parametrize("service", SERVICES)
async def test_a_service_hears_its_own_inbox_and_nobody_elses(migrated: Broker, service: str) -> None:
    async with logged_in(migrated, service) as visitor:
        for other in (*SERVICES, OPERATOR):
            allowed = await visitor.may_subscribe(f"{inbox_prefix(other)}.anything")
            assert allowed is (other == service), other


@pytest.mark.parametrize("service", SERVICES)
@pytest.mark.parametrize(
    "subject",
    [">", "paiju.>", "$JS.>", "$KV.>", "paiju.table.log.*", "paiju.table.round_finished.*", "$SYS.>"],
)
async def test_no_service_overhears_what_is_not_for_it(migrated: Broker, service: str, subject: str) -> None:
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
        "CONSUMER.PAUSE.AUDITS.economy-settlement",
        "CONSUMER.LEADER.STEPDOWN.AUDITS.economy-settlement",
        "CONSUMER.LIST.ROUNDS",
        "CONSUMER.NAMES.ROUNDS",
        "STREAM.INFO.ROUNDS",
        "STREAM.LIST",
        "STREAM.NAMES",
        "STREAM.SNAPSHOT.TABLE_LOG_0",
        "STREAM.RESTORE.THIEF",
        "STREAM.LEADER.STEPDOWN.TABLE_LOG_0",
        "STREAM.PEER.REMOVE.TABLE_LOG_0",
        "STREAM.TEMPLATE.CREATE.THIEF",
        "STREAM.PURGE.KV_shards",
        "STREAM.PURGE.ROUNDS",
        "STREAM.DELETE.TABLE_LOG_0",
        "STREAM.UPDATE.TABLE_LOG_0",
        "STREAM.MSG.DELETE.TABLE_LOG_0",
        "DIRECT.GET.KV_shards",
        "DIRECT.GET.TABLE_LOG_0.paiju.table.log.0",
        "CONSUMER.CREATE.TABLE_LOG_0",
        "CONSUMER.CREATE.TABLE_LOG_0.thief",
        "CONSUMER.DURABLE.CREATE.TABLE_LOG_0.thief",
        "CONSUMER.CREATE.KV_alive.thief.$KV.alive.>",
        "META.LEADER.STEPDOWN",
        "SERVER.REMOVE",
        "ACCOUNT.PURGE.G",
        "INFO",
    ],
)
async def test_no_service_may_make_change_or_read_streams_beside_its_own(
    migrated: Broker, service: str, call: str
) -> None:
    async with logged_in(migrated, service) as visitor:
        assert not await visitor.may_publish(f"$JS.API.{call}", b"{}")


@pytest.mark.parametrize("service", SERVICES)
async def test_only_the_table_reads_and_writes_its_log(migrated: Broker, service: str) -> None:
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
    migrated: Broker, service: str
) -> None:
    async with logged_in(migrated, service) as visitor:
        assert await visitor.may_publish("$JS.API.STREAM.MSG.GET.KV_keys", b"{}")
        assert await visitor.may_publish("$KV.keys.forged", b"") is (service == "accounts")


@pytest.mark.parametrize("service", SERVICES)
async def test_a_service_asks_its_own_consumers_and_nobody_elses(
    migrated: Broker, by_name: dict[str, Wiring], service: str
) -> None:
    async with logged_in(migrated, service) as visitor:
        for name, wiring in by_name.items():
            for consumer in wiring.hears:
                for stream in consumer.by_stream():
                    asked = f"$JS.API.CONSUMER.MSG.NEXT.{stream}.{consumer.durable}"
                    assert await visitor.may_publish(asked, b'{"no_wait": true}') is (name == service), asked


async def test_a_wrong_password_is_refused(migrated: Broker) -> None:
    with pytest.raises(nats.errors.Error):
        await nats.connect(migrated.url.split(","), user="table", password="guess", allow_reconnect=False)


def concrete(subject: str) -> str:
    """Return a subject that a pattern stands for."""
    return subject.replace("*", "0").replace(">", "x.y")


@pytest.mark.parametrize("service", SERVICES)
async def test_a_service_tells_and_hears_only_what_it_declares(
    migrated: Broker, by_name: dict[str, Wiring], service: str
) -> None:
    """Above all: none but the table speaks to a gateway as a table, none but a gateway as a player."""
    own = by_name[service]
    async with logged_in(migrated, service) as visitor:
        for wiring in by_name.values():
            for subject in wiring.tells:
                allowed = await visitor.may_publish(concrete(subject))
                assert allowed is (subject in own.tells), f"{service} tells {subject}"
            for subject in wiring.listens:
                assert await visitor.may_subscribe(concrete(subject)) is (subject in own.listens), subject
    tells = {name for name, wiring in by_name.items() if "paiju.gateway.out.*" in wiring.tells}
    commands = {name for name, wiring in by_name.items() if "paiju.table.cmd.*" in wiring.tells}
    assert (tells, commands) == ({"table"}, {"gateway"})


@pytest.mark.parametrize("service", SERVICES)
async def test_a_service_writes_its_own_leases_and_buckets_and_nobody_elses(
    migrated: Broker, by_name: dict[str, Wiring], service: str
) -> None:
    own = {bucket.name for bucket in by_name[service].buckets}
    every = {bucket.name for wiring in by_name.values() for bucket in wiring.buckets}
    async with logged_in(migrated, service) as visitor:
        for other in SERVICES:
            for bucket in ("alive", "shards"):
                allowed = await visitor.may_publish(f"$KV.{bucket}.{other}.i_thief", b"{}")
                assert allowed is (other == service), f"{service} writes {bucket}.{other}"
        for bucket in every | {"keys", "revoked"}:
            allowed = await visitor.may_publish(f"$KV.{bucket}.forged", b"")
            assert allowed is (bucket in own), f"{service} writes {bucket}"


@pytest.mark.parametrize("service", SERVICES)
async def test_a_service_answers_for_its_own_consumers_and_nobody_elses(
    migrated: Broker, by_name: dict[str, Wiring], service: str
) -> None:
    async with logged_in(migrated, service) as visitor:
        for name, wiring in by_name.items():
            for consumer in wiring.hears:
                is_own = name == service
                buried = f"paiju.dlq.{consumer.durable}"
                assert await visitor.may_publish(buried, b"") is is_own, buried
                for stream in consumer.by_stream():
                    acknowledged = f"$JS.ACK.{stream}.{consumer.durable}.1.1.1.1.0"
                    assert await visitor.may_publish(acknowledged, b"+TERM") is is_own, acknowledged
                    info = f"$JS.API.CONSUMER.INFO.{stream}.{consumer.durable}"
                    assert await visitor.may_publish(info) is is_own, info


@pytest.mark.parametrize("service", SERVICES)
async def test_a_service_takes_its_own_replays_asks_for_none_and_reads_nothing_that_was_put_aside(
    migrated: Broker, by_name: dict[str, Wiring], service: str
) -> None:
    async with logged_in(migrated, service) as visitor:
        for name, wiring in by_name.items():
            for consumer in wiring.hears:
                subject = replay_subject(consumer.durable)
                assert await visitor.may_subscribe(subject) is (name == service), subject
                assert not await visitor.may_publish(subject, b"forged"), subject
        assert not await visitor.may_publish(dlq_subject("resolved"), b"")
        assert not await visitor.may_publish("$JS.API.STREAM.MSG.GET.DLQ", b"{}")
        assert not await visitor.may_publish("$JS.API.CONSUMER.CREATE.DLQ.thief.paiju.dlq.*", b"{}")


@pytest.mark.parametrize("service", SERVICES)
async def test_a_service_puts_nothing_into_anothers_inbox(migrated: Broker, service: str) -> None:
    async with logged_in(migrated, service) as visitor:
        for other in (*SERVICES, OPERATOR):
            if other != service:
                assert not await visitor.may_publish(f"{inbox_prefix(other)}.0.1", b"forged"), other


@pytest.mark.usefixtures("quiet")
async def test_nobody_has_a_stream_speak_for_him(migrated: Broker) -> None:
    """The broker lets a pull name any subject for its deliveries: who listens there must not take them."""
    registry = registry_of(wirings(), PaijuSettings(dev=True))
    login = NatsLogin(migrated.url, "gateway", password_of("gateway"), inbox_prefix("gateway"))
    metrics = Metrics()
    gateway = await NatsBus.connect(login, registry, SystemClock(), SystemIds(), metrics)
    heard: list[bytes] = []

    async def hear(payload: bytes, _: str) -> None:
        heard.append(payload)

    await gateway.listen("paiju.gateway.out.0", hear)
    async with logged_in(migrated, "table") as table, logged_in(migrated, "scoring") as thief:
        assert await table.may_publish("paiju.table.round_finished.test", b"planted")
        pull = "$JS.API.CONSUMER.MSG.NEXT.ROUNDS.scoring"
        request = b'{"batch": 1, "no_wait": true}'
        async with asyncio.timeout(30):
            while b"bus_forged_total 0.0" in metrics.text():
                await thief.client.publish(pull, request, reply="paiju.gateway.out.0")
                await asyncio.sleep(0.05)
        await table.client.publish("paiju.gateway.out.0", b"of the table")
        async with asyncio.timeout(30):
            while b"of the table" not in heard:
                await asyncio.sleep(0.05)
    assert heard == [b"of the table"]
    await gateway.close()


async def until_answered(visitor: Visitor, asked: str) -> None:
    """Return once somebody answers: in a cluster other servers hear of a subscription a moment later."""
    async with asyncio.timeout(30):
        while True:
            try:
                await visitor.client.request(asked, b"?", timeout=30)
                return
            except nats.errors.NoRespondersError:
                await asyncio.sleep(0.05)


@asynccontextmanager
async def serving(broker: Broker, service: str, metrics: Metrics) -> AsyncIterator[NatsBus]:
    """Connect as a service's own bus."""
    registry = registry_of(wirings(), PaijuSettings(dev=True))
    login = NatsLogin(broker.url, service, password_of(service), inbox_prefix(service))
    bus = await NatsBus.connect(login, registry, SystemClock(), SystemIds(), metrics)
    try:
        yield bus
    finally:
        await bus.close()


async def answers_to(broker: Broker, visitor: Visitor, asked: str, name: str) -> list[bool]:
    """Have the operator ask a service that listens to `asked`, and return which of its two answers it may
    give."""
    heard: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    async def hear(message: Msg) -> None:
        if not heard.done():
            heard.set_result(message.reply)

    await visitor.client.subscribe(asked, cb=hear)
    await visitor.client.flush()
    async with logged_in(broker, OPERATOR) as operator:
        inbox = operator.client.new_inbox()
        await operator.client.subscribe(f"{inbox}.*")
        async with asyncio.timeout(30):
            # In a cluster the other servers hear of a subscription a moment after its own.
            for number in itertools.count():
                await operator.client.publish(asked, b"?", reply=f"{inbox}.{number}")
                await operator.client.flush()
                await asyncio.sleep(0.05)
                if heard.done():
                    break
        reply = heard.result()
        assert reply.startswith(inbox), name
        return [await visitor.may_publish(reply), await visitor.may_publish(reply)]


@pytest.mark.parametrize("service", SERVICES)
async def test_who_is_asked_answers_once_and_who_is_never_asked_has_no_right_to_answer(
    migrated: Broker, by_name: dict[str, Wiring], service: str
) -> None:
    wiring = by_name[service]
    replays = [replay_subject(consumer.durable) for consumer in wiring.hears]
    asked = concrete((replays or list(wiring.listens))[0])
    async with logged_in(migrated, service) as visitor:
        assert await answers_to(migrated, visitor, asked, service) == [bool(replays), False]


@pytest.mark.usefixtures("quiet")
async def test_nobody_writes_into_a_log_by_having_its_owner_answer_there(migrated: Broker) -> None:
    """The table may write its log, and the gateway, who may ask it, says where the answer is to go."""
    metrics = Metrics()

    async def answer(payload: bytes, _: str) -> bytes:
        return payload

    async with serving(migrated, "table", metrics) as table, logged_in(migrated, "gateway") as gateway:
        before = await table.last("paiju.table.log.1")
        await table.serve("paiju.table.cmd.1", answer)
        await until_answered(gateway, "paiju.table.cmd.1")
        for elsewhere in ("paiju.table.log.1", "paiju.gateway.out.0", "$KV.shards.table.1"):
            assert await gateway.may_publish("paiju.table.cmd.1", b"forged"), "it may ask"
            await gateway.client.publish("paiju.table.cmd.1", b"forged", reply=elsewhere)
        # Asked last and answered in order: the others were looked at before.
        assert (await gateway.client.request("paiju.table.cmd.1", b"asked", timeout=30)).data == b"asked"
        assert await table.last("paiju.table.log.1") == before
        assert b"bus_forged_total 3.0" in metrics.text()
        assert await (await table.bucket("shards")).get("table.1") is None


@pytest.mark.usefixtures("quiet")
async def test_what_a_stream_delivers_is_no_answer(migrated: Broker) -> None:
    """Who is asked knows where the answer goes, and could have the server put a stream's message there."""
    payload = b"planted"
    async with (
        serving(migrated, "gateway", Metrics()) as gateway,
        logged_in(migrated, "table") as table,
        logged_in(migrated, "scoring") as scoring,
    ):
        assert await table.may_publish("paiju.table.round_finished.test", payload)

        async def hear(message: Msg) -> None:
            before = await deliveries()
            pull = b'{"batch": 1, "no_wait": true}'
            while await deliveries() == before:
                await scoring.client.publish(
                    "$JS.API.CONSUMER.MSG.NEXT.ROUNDS.scoring", pull, reply=message.reply
                )
            await message.respond(b"answered")

        async def deliveries() -> int:
            info = await scoring.client.request("$JS.API.CONSUMER.INFO.ROUNDS.scoring", timeout=30)
            return int(json.loads(info.data)["delivered"]["consumer_seq"])

        await table.client.subscribe("paiju.table.cmd.2", cb=hear)
        await table.client.flush()
        async with asyncio.timeout(30):
            while True:
                try:
                    assert await gateway.request("paiju.table.cmd.2", b"?", timeout_s=30) == b"answered"
                    break
                except NoResponders:
                    # In a cluster the gateway's server hears of a subscription a moment later.
                    await asyncio.sleep(0.05)

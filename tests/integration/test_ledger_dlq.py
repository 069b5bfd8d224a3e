"""`paiju dlq` on a real broker with economy's own handlers: replayed to its consumer, once."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence

import pytest
from google.protobuf.message import Message
from paiju.accounts.v1.events_pb2 import PlayerCreated
from typer.testing import CliRunner, Result

from services.chassis.bus import Delivery, dlq
from services.chassis.bus.nats import NatsBus, NatsLogin
from services.chassis.bus.streams import ensure_streams
from services.chassis.clock import SystemClock
from services.chassis.db import SqliteDatabase, migrate
from services.chassis.errors import Defect, Outage
from services.chassis.ids import SystemIds
from services.chassis.metrics import Metrics
from services.chassis.outbox import Outbox
from services.economy.bus import PLAYERS, Ears, Tellers
from services.economy.settings import EconomySettings
from services.economy.store import wallets
from services.economy.store.proof import prove
from services.launch.exits import NO, OK, OUTAGE, USAGE
from services.launch.main import app
from tests.support.nats import NatsServer
from tests.support.process import full_registry

pytestmark = pytest.mark.usefixtures("quiet")


class Place:
    """A broker, economy's consumer of new players, and an operator at a terminal."""

    def __init__(self, url: str, bus: NatsBus, db: SqliteDatabase) -> None:
        self.url = url
        self.bus = bus
        self.db = db
        self.error: Exception | None = Defect("a bug of last week")
        self.others: list[str] = []
        outbox = Outbox(db, bus, SystemClock())
        self.ears = Ears(db, SystemClock(), EconomySettings(), Tellers(db, bus, outbox), Metrics())

    async def on_players(self, deliveries: Sequence[Delivery[Message]]) -> None:
        if self.error is not None:
            raise self.error
        await self.ears.on_players(deliveries)

    async def on_others(self, deliveries: Sequence[Delivery[Message]]) -> None:
        self.others += [one.event_id for one in deliveries]

    async def paiju(self, *arguments: str) -> Result:
        """Run a command, in another thread as it has a loop of its own."""
        env = {"PAIJU_NATS_URL": self.url, "PAIJU_DEV": "1"}
        return await asyncio.to_thread(lambda: CliRunner().invoke(app, ["dlq", *arguments], env=env))

    async def gold(self, player_id: str) -> int:
        found = await self.db.read(lambda c: wallets.wallets_of(c, [player_id]))
        return int(found[player_id].balances[0].amount)

    async def put_aside(self, *players: str) -> list[int]:
        """Let the welcome of these players fail; return the numbers of the entries."""
        for player in players:
            await self.bus.publish(PlayerCreated(player_id=player, welcome=True), f"player_created:{player}")
        async with asyncio.timeout(30):
            while len(found := await dlq.entries(self.bus)) < len(players) or len(self.others) < len(players):
                await asyncio.sleep(0.01)
        return [entry.seq for entry in found]

    async def offered(self) -> None:
        """Return once the consumer takes replays."""
        async with asyncio.timeout(30):
            while not all(consumer.replays for consumer in self.bus.consumers):
                await asyncio.sleep(0.01)


@pytest.fixture
async def place(r1: NatsServer, sqlite_url: str) -> AsyncIterator[Place]:
    clock, registry = SystemClock(), full_registry(consumes=(PLAYERS,))
    bus = await NatsBus.connect(NatsLogin(r1.url), registry, clock, SystemIds(), Metrics(), "economy")
    await ensure_streams(bus.jetstream, registry)
    migrate(sqlite_url, "economy")
    db = SqliteDatabase(sqlite_url)
    made = Place(r1.url, bus, db)
    await bus.consume(PLAYERS.durable, PLAYERS.types, made.on_players, batch=10)
    await bus.consume("test-others", PLAYERS.types, made.on_others)
    await made.offered()
    yield made
    await bus.close()
    await db.close()


async def test_an_entry_is_listed_shown_replayed_to_its_consumer_and_done_with(place: Place) -> None:
    [seq] = await place.put_aside("p_a")
    listed = await place.paiju("list")
    assert listed.exit_code == OK, listed.output
    assert listed.output.splitlines()[-1] == "1 open entries"
    for part in (str(seq), "open", "economy-players", "PLAYERS 1", "Defect: a bug of last week"):
        assert part in listed.output
    shown = json.loads((await place.paiju("show", str(seq))).output)
    assert shown["fact"] == {"player_id": "p_a", "welcome": True}
    assert (shown["event_id"], shown["resolution"]) == ("player_created:p_a", None)

    again = await place.paiju("replay", str(seq))
    assert (again.exit_code, await place.gold("p_a")) == (NO, 0)
    assert "economy-players did not take it: Defect: a bug of last week" in again.stderr

    place.error = None
    done = await place.paiju("replay", str(seq))
    assert (done.exit_code, done.output) == (
        OK,
        f"{seq} replayed: economy-players took player_created:p_a\n",
    )
    assert await place.gold("p_a") == 20_000
    assert place.others == ["player_created:p_a"], "nobody else heard of it again"
    assert (await place.paiju("list")).output == "0 open entries\n"
    [kept] = json.loads((await place.paiju("list", "--all", "--json")).output)
    assert (kept["seq"], kept["resolution"]["outcome"]) == (seq, "replayed")


async def test_a_replay_that_was_killed_before_it_was_noted_pays_nothing_twice(place: Place) -> None:
    [seq] = await place.put_aside("p_a")
    place.error = None
    [entry] = await dlq.entries(place.bus)
    # The operator's process dies here: the consumer has taken it, and nobody has noted that.
    assert dlq.is_done(await dlq.give_again(place.bus, entry))
    assert await place.gold("p_a") == 20_000
    assert "1 open entries" in (await place.paiju("list")).output
    assert (await place.paiju("replay", str(seq))).exit_code == OK
    third = await place.paiju("replay", str(seq))
    assert third.exit_code == OK
    assert "was replayed at" in third.output
    assert "nothing was done" in third.output
    assert await place.gold("p_a") == 20_000
    # The gold and the room cards of one welcome.
    assert (await place.db.read(lambda c: prove(c, 1))).transfers == 2


async def test_several_are_replayed_in_the_order_given_up_to_the_first_that_fails(place: Place) -> None:
    first, second, third = await place.put_aside("p_a", "p_b", "p_c")
    place.error = None
    assert (await place.paiju("drop", str(second), "--reason", "of a test")).exit_code == OK
    done = await place.paiju("replay", str(first), str(second), str(third))
    assert done.exit_code == NO
    assert done.stdout.startswith(f"{first} replayed")
    assert f"{second} was dropped at" in done.stderr
    assert [await place.gold(player) for player in ("p_a", "p_b", "p_c")] == [20_000, 0, 0]


async def test_what_was_dropped_stays_with_its_reason(place: Place) -> None:
    [seq] = await place.put_aside("p_a")
    assert (await place.paiju("drop", str(seq), "--reason", "  ")).exit_code == USAGE
    dropped = await place.paiju("drop", str(seq), "--reason", "of a test")
    assert (dropped.exit_code, dropped.output) == (OK, f"{seq} dropped: of a test\n")
    assert (await place.paiju("drop", str(seq), "--reason", "again")).output == dropped.output
    place.error = None
    assert (await place.paiju("replay", str(seq))).exit_code == NO
    assert await place.gold("p_a") == 0


async def test_what_was_replayed_is_not_dropped_any_more(place: Place) -> None:
    [seq] = await place.put_aside("p_a")
    place.error = None
    assert (await place.paiju("replay", str(seq))).exit_code == OK
    refused = await place.paiju("drop", str(seq), "--reason", "of no use")
    assert refused.exit_code == NO
    assert f"{seq} was replayed at" in refused.stderr


async def test_an_outage_of_the_consumer_and_its_absence_are_told_apart_from_a_defect(place: Place) -> None:
    [seq] = await place.put_aside("p_a")
    place.error = Outage("the database is away")
    away = await place.paiju("replay", str(seq))
    assert away.exit_code == OUTAGE
    assert "did not take it: the database is away" in away.stderr
    for consumer in list(place.bus.consumers):
        await consumer.stop()
    gone = await place.paiju("replay", str(seq))
    assert gone.exit_code == OUTAGE
    assert "no process with the consumer economy-players is running" in gone.stderr
    assert "1 open entries" in (await place.paiju("list")).output


async def test_an_entry_that_is_not_there_is_refused(place: Place) -> None:
    for arguments in (("show", "9"), ("replay", "9"), ("drop", "9", "--reason", "of a test")):
        refused = await place.paiju(*arguments)
        assert refused.exit_code == USAGE
        assert "there is no entry 9" in refused.stderr


async def test_entries_of_one_consumer_are_listed_alone(place: Place) -> None:
    await place.put_aside("p_a", "p_b")
    assert "2 open entries" in (await place.paiju("list", "--durable", "economy-players")).output
    assert (await place.paiju("list", "--durable", "scoring")).output == "0 open entries\n"

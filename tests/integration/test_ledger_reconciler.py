"""What was played is what was paid: what the bus holds against the book, in memory and for real."""

from __future__ import annotations

import hashlib
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from google.protobuf.message import Message
from paiju.scoring.v1.events_pb2 import RoundAudited
from paiju.table.v1.events_pb2 import RoundFinished, RoundVoided
from sqlalchemy import Connection, text, update

from services.chassis.auth import Staff
from services.chassis.bus.broker import MemoryBroker
from services.chassis.bus.memory import MemoryBus
from services.chassis.bus.nats import NatsBus, NatsLogin
from services.chassis.bus.streams import ensure_streams
from services.chassis.clock import Clock, SystemClock, VirtualClock, run_virtual
from services.chassis.db import Database, InlineDatabase, PostgresDatabase, SqliteDatabase, migrate
from services.chassis.errors import Outage
from services.chassis.ids import SystemIds
from services.chassis.metrics import Metrics
from services.economy.core.disputes import engine_word
from services.economy.reconcile import (
    FIRST_S,
    HELD_MS,
    LOOK_S,
    READ,
    Reconciler,
    Report,
    prove_everything,
)
from services.economy.settings import EconomySettings
from services.economy.store import decisions, facts, proof_notes, rounds, schema, stakes, wallets
from tests.support.book import HOUSE_FLOAT, NOW_MS, PLAYERS, audited
from tests.support.process import full_registry

pytestmark = pytest.mark.usefixtures("quiet")
ANNA = Staff("p_anna", "disputes")
GRACE_S = 600


class Shifted(SystemClock):
    """The system's clock, so many milliseconds ahead."""

    ahead_ms = 0

    def now_ms(self) -> int:
        return super().now_ms() + self.ahead_ms


class Platform:
    """What tables and scoring publish, the book that economy keeps, and a reconciler of one process."""

    def __init__(self, bus: NatsBus | MemoryBus, db: Database, clock: Clock) -> None:
        self.bus = bus
        self.db = db
        self.clock = clock
        self.metrics = Metrics()
        self.settings = EconomySettings(proof_every_s=3_600, proof_grace_s=GRACE_S)
        self.reconciler = self.another("one")

    def another(self, process: str) -> Reconciler:
        return Reconciler(self.db, self.bus, self.clock, self.settings, self.metrics, process)

    async def run(self, fn: Any, *arguments: Any) -> Any:
        return await self.db.run(lambda connection: fn(connection, *arguments))

    async def seat(self, match: str) -> None:
        for player in PLAYERS[:2]:
            key = f"w/{match}/{player}"
            await self.run(wallets.grant, key, "task", player, "gold", 1_000, "", NOW_MS)
        for seat, player in enumerate(PLAYERS):
            await self.run(stakes.open_stake, match, seat, player, "gold", 500, HOUSE_FLOAT, NOW_MS)

    async def publish(self, message: Message, event_id: str = "") -> None:
        await self.bus.publish(message, event_id or f"{type(message).__name__}:{message}")

    async def play(self, match: str, number: int, record: bytes = b"") -> bytes:
        """Publish the record of a round, and return it."""
        record = record or f"record of {match}/{number}".encode()
        await self.publish(
            RoundFinished(
                round_id=f"{match}/{number}", match_id=match, round_no=number, game="paohuzi",
                record=record, for_coins=True,
            )
        )  # fmt: skip
        return record

    def audit(self, match: str, number: int, record: bytes = b"", **more: Any) -> RoundAudited:
        message = audited(match, number, **more)
        record = record or f"record of {match}/{number}".encode()
        message.record_sha256 = hashlib.sha256(record).digest()
        return message

    async def hear(self, *messages: RoundAudited | RoundVoided) -> None:
        """Take words in as economy's consumers do."""
        batch = [
            facts.from_audited(one) if isinstance(one, RoundAudited) else facts.from_voided(one)
            for one in messages
        ]
        now_ms = self.clock.now_ms()
        await self.db.run(lambda connection: rounds.hear(connection, batch, now_ms))

    async def settle(self, match: str, number: int, **more: Any) -> None:
        """Play a round, audit it, and take that in."""
        await self.play(match, number)
        word = self.audit(match, number, **more)
        await self.publish(word)
        await self.hear(word)

    async def prove(self, ahead_s: int = 0) -> Report:
        """Prove now, whether or not it is due; `ahead_s` seconds later than it is."""
        assert isinstance(self.clock, Shifted)
        self.clock.ahead_ms += ahead_s * 1000
        await self.run(Connection.execute, update(proof_notes.runs).values(done_at_ms=0, until_ms=0))
        report = await self.reconciler.look()
        assert report is not None
        return report


BOTH = pytest.mark.parametrize(
    "platform", ["memory-sqlite", pytest.param("nats-postgres", marks=pytest.mark.postgres)], indirect=True
)
"""For what depends on the databases' and the broker's own ways."""


@pytest.fixture
async def platform(request: pytest.FixtureRequest) -> AsyncIterator[Platform]:
    clock, ids, registry = Shifted(), SystemIds(), full_registry(consumes=(READ,))
    bus: NatsBus | MemoryBus
    db: Database
    if getattr(request, "param", "memory-sqlite") == "memory-sqlite":
        bus = MemoryBus(MemoryBroker(registry, clock), registry, clock, ids, Metrics(), "test")
        url = request.getfixturevalue("sqlite_url")
        migrate(url, "economy")
        db = SqliteDatabase(url)
    else:
        server, url = request.getfixturevalue("r1"), request.getfixturevalue("postgres_url")
        bus = await NatsBus.connect(NatsLogin(server.url), registry, clock, ids, Metrics(), "test")
        await ensure_streams(bus.jetstream, registry)
        migrate(url, "economy")
        db = PostgresDatabase(url, clock, ids, connections=4)
    yield Platform(bus, db, clock)
    await bus.close()
    await db.close()


@BOTH
async def test_rounds_that_were_paid_are_proven_once(platform: Platform) -> None:
    await platform.seat("0-m")
    for number in range(1, 4):
        await platform.settle("0-m", number, points=((6, -3, -3), (0, 0, 0), (-2, 1, 1))[number - 1])
    report = await platform.prove()
    assert report.findings == ()
    assert (report.is_whole, report.records, report.proven, report.under_way) == (True, 6, 3, 0)
    await platform.settle("0-m", 4)
    report = await platform.prove()
    assert (report.findings, report.records, report.proven) == ((), 2, 1)


async def test_a_round_on_its_way_is_no_finding_until_it_is_late(platform: Platform) -> None:
    await platform.seat("0-m")
    await platform.play("0-m", 1)
    report = await platform.prove()
    assert (report.findings, report.under_way, report.proven) == ((), 1, 0)
    late = await platform.prove(ahead_s=GRACE_S + 1)
    assert late.findings == (
        "round 0-m/1: waits: it was played to its end, but the book knows no audit of it",
    )
    word = platform.audit("0-m", 1)
    await platform.publish(word)
    late = await platform.prove(ahead_s=GRACE_S + 1)
    assert any("its audit was published, but the book has not taken it in" in one for one in late.findings)
    await platform.hear(word)
    assert (await platform.prove()).findings == ()


async def test_a_round_that_waits_for_one_that_never_came_is_named(platform: Platform) -> None:
    await platform.seat("0-m")
    await platform.settle("0-m", 2)
    assert (await platform.prove()).under_way == 1
    late = await platform.prove(ahead_s=GRACE_S + 1)
    assert late.findings == ("round 0-m/2: waits: audited, but an earlier round of its match is not done",)


@BOTH
async def test_an_open_dispute_accounts_for_its_round_and_for_those_behind_it(platform: Platform) -> None:
    await platform.seat("0-m")
    record = await platform.play("0-m", 1)
    dispute = platform.audit("0-m", 1, verdict="DISPUTED")
    await platform.publish(dispute)
    await platform.hear(dispute)
    await platform.settle("0-m", 2)
    report = await platform.prove(ahead_s=GRACE_S + 1)
    assert (report.findings, report.disputed, report.proven) == ((), 2, 0)
    word = engine_word(record, "0-m/1", dispute.record_sha256)
    decision = decisions.Decision("0-m/1", "SCORING", "looked at it", ANNA, "r", word, record)
    await platform.run(decisions.resolve, decision, platform.clock.now_ms())
    report = await platform.prove()
    assert (report.findings, report.disputed, report.proven) == ((), 0, 2)


async def test_a_round_that_was_decided_to_be_void_is_accounted_for(platform: Platform) -> None:
    await platform.seat("0-m")
    await platform.play("0-m", 1)
    dispute = platform.audit("0-m", 1, verdict="DISPUTED")
    await platform.publish(dispute)
    await platform.hear(dispute)
    decision = decisions.Decision("0-m/1", "VOID", "looked at it", ANNA, "r", "no_record", b"")
    await platform.run(decisions.resolve, decision, platform.clock.now_ms())
    report = await platform.prove(ahead_s=GRACE_S + 1)
    assert (report.findings, report.proven) == ((), 1)


@BOTH
async def test_two_records_of_a_round_are_a_finding_for_ever(platform: Platform) -> None:
    await platform.seat("0-m")
    await platform.settle("0-m", 1)
    await platform.play("0-m", 1, b"another")
    said = "round 0-m/1: two records of it that differ are in ROUNDS"
    assert (await platform.prove()).findings == (said,)
    assert (await platform.prove(ahead_s=7200)).findings == (said,)


async def test_the_same_record_and_the_same_audit_again_are_no_finding(platform: Platform) -> None:
    await platform.seat("0-m")
    await platform.settle("0-m", 1)
    await platform.publish(
        RoundFinished(
            round_id="0-m/1", match_id="0-m", round_no=1, game="paohuzi", record=b"record of 0-m/1"
        ),
        "again",
    )
    again = platform.audit("0-m", 1, auditor="paiju-scoring 2")
    await platform.publish(again, "again")
    await platform.hear(again)
    report = await platform.prove(ahead_s=GRACE_S + 1)
    assert (report.findings, report.proven) == ((), 1)


async def test_an_audit_of_another_record_is_found(platform: Platform) -> None:
    await platform.seat("0-m")
    await platform.play("0-m", 1)
    word = platform.audit("0-m", 1, record=b"another")
    await platform.publish(word)
    await platform.hear(word)
    assert (await platform.prove()).findings == ("round 0-m/1: the audit is of another record",)


async def test_money_that_moved_for_a_round_nobody_played_is_found(platform: Platform) -> None:
    await platform.seat("0-m")
    await platform.settle("0-m", 1)
    forged = platform.audit("0-m", 2)
    await platform.publish(forged)
    await platform.hear(forged)
    assert (await platform.prove()).findings == ()
    late = await platform.prove(ahead_s=GRACE_S + 1)
    assert late.findings == ("round 0-m/2: settled, but no record of it is in ROUNDS",)


@BOTH
async def test_such_a_round_is_found_among_what_is_new_too(platform: Platform) -> None:
    await platform.seat("0-m")
    await platform.settle("0-m", 1)
    for _ in range(3):
        assert (await platform.prove(ahead_s=3_600)).findings == ()
    forged = platform.audit("0-m", 2)
    await platform.publish(forged)
    await platform.hear(forged)
    report = await platform.prove(ahead_s=3_600)
    assert (report.is_whole, report.findings) == (
        False,
        ("round 0-m/2: settled, but no record of it is in ROUNDS",),
    )


@BOTH
async def test_two_audits_that_contradict_are_found_until_a_person_has_looked(platform: Platform) -> None:
    await platform.seat("0-m")
    await platform.settle("0-m", 1)
    second = platform.audit("0-m", 1, points=(8, -4, -4))
    await platform.publish(second, "second")
    await platform.hear(second)
    [finding] = (await platform.prove()).findings
    assert finding.startswith("round 0-m/1: a second word (audit) contradicts the first")
    digest = facts.from_audited(second).digest
    look = decisions.Look("0-m/1", "audit_contradicts", digest, "a known bug", ANNA, "r")
    await platform.run(decisions.acknowledge, look, platform.clock.now_ms())
    assert (await platform.prove()).findings == ()


async def test_a_round_that_was_played_and_voided_is_found(platform: Platform) -> None:
    await platform.seat("0-m")
    await platform.play("0-m", 1)
    void = RoundVoided(round_id="0-m/1", match_id="0-m", round_no=1, game="paohuzi")
    await platform.publish(void)
    await platform.hear(void)
    assert (await platform.prove()).findings == ("round 0-m/1: voided, though it was played to its end",)


async def test_an_audit_that_makes_no_sense_is_found(platform: Platform) -> None:
    word = platform.audit("0-m", 1)
    word.round_no = 7
    await platform.publish(word)
    late = await platform.prove(ahead_s=GRACE_S + 1)
    assert late.findings == ("round 0-m/1: its audit was published, but the book has not taken it in",)


async def test_everything_anew_finds_what_the_hourly_proof_found(platform: Platform) -> None:
    """What `paiju reconcile` does, with notes of its own: it does not trust those of the service."""
    await platform.seat("0-m")
    await platform.settle("0-m", 1)
    await platform.play("0-m", 2)
    await platform.prove()
    notes = InlineDatabase(platform.clock)
    await notes.run(proof_notes.make)

    class Everything:
        async def each(self, take: Any) -> None:
            await platform.bus.sweep("test-everything", READ.types, take, 10)

    found = await prove_everything(platform.db, notes, Everything(), platform.clock, 0)
    assert found.findings == (
        "round 0-m/2: waits: it was played to its end, but the book knows no audit of it",
    )
    assert (found.is_whole, found.records, found.proven) == (True, 3, 1)
    alone = await prove_everything(platform.db, notes, None, platform.clock, 0)
    assert (alone.findings, alone.records) == ((), None)


async def test_what_is_new_is_proven_hourly_and_everything_once_a_day(platform: Platform) -> None:
    await platform.seat("0-m")
    await platform.settle("0-m", 1)
    kinds = [(await platform.prove(ahead_s=3_600)).is_whole for _ in range(27)]
    # The second run has no mark old enough to begin after; the 26th is a day after the first two.
    assert kinds == [True, True, *[False] * 23, True, False]


async def test_a_change_to_what_is_old_brings_a_whole_proof_at_once(platform: Platform) -> None:
    await platform.seat("0-m")
    await platform.settle("0-m", 1)
    wholes = [(await platform.prove(ahead_s=3_600)).is_whole for _ in range(3)]
    assert wholes == [True, True, False]
    change = "UPDATE accounts SET balance = balance + 7 WHERE id = 'wallet/p_a'"
    await platform.run(Connection.execute, text(change))
    report = await platform.prove(ahead_s=3_600)
    assert report.is_whole
    assert set(report.findings) == {
        "all accounts in gold sum to 7, not 0",
        "account wallet/p_a gold: balance 507, entries sum to 500",
    }


@BOTH
async def test_one_process_proves_at_a_time_and_another_takes_over_from_one_that_is_gone(
    platform: Platform,
) -> None:
    assert isinstance(platform.clock, Shifted)
    now_ms = platform.clock.now_ms()
    assert await platform.run(proof_notes.claim, "gone", now_ms, now_ms + HELD_MS)
    other = platform.another("two")
    assert await other.look() is None
    platform.clock.ahead_ms += HELD_MS + 1
    assert await other.look() is not None
    assert await platform.reconciler.look() is None, "not due any more"


@BOTH
async def test_a_database_that_is_away_ends_a_run_and_the_next_one_finishes_it(platform: Platform) -> None:
    await platform.seat("0-m")
    await platform.settle("0-m", 1)
    real, broken = platform.db, 2

    class Away:
        dialect = real.dialect

        def __getattr__(self, name: str) -> Any:
            return getattr(real, name)

        async def run(self, fn: Any) -> Any:
            nonlocal broken
            broken -= 1
            if broken < 0:
                raise Outage("the database is away")
            return await real.run(fn)

    settings, metrics = platform.settings, Metrics()
    failing = Reconciler(Away(), platform.bus, platform.clock, settings, metrics, "one")
    with pytest.raises(Outage):
        await failing.look()
    report = await platform.prove()
    assert report.findings == ()
    async with platform.clock.timeout(30):
        while not report.proven:
            # What was given back comes again after a moment.
            report = await platform.prove()
    assert report.proven == 1


# On its own, in virtual time


def test_it_runs_hourly_by_itself_tells_what_it_found_and_how_old_that_is(
    capsys: pytest.CaptureFixture[str],
) -> None:
    async def main(clock: VirtualClock) -> None:
        registry = full_registry()
        bus = MemoryBus(MemoryBroker(registry, clock), registry, clock, SystemIds(), Metrics(), "test")
        db = InlineDatabase(clock)
        migrate(db.engine, "economy")
        platform = Platform(bus, db, clock)
        task = bus.keeper.keep(platform.reconciler.run(), "reconciler")

        def shown(name: str) -> float:
            lines = platform.metrics.text().decode().splitlines()
            return next(float(line.split()[1]) for line in lines if line.startswith(f"paiju_economy_{name} "))

        await platform.seat("0-m")
        await platform.settle("0-m", 1)
        await clock.sleep(FIRST_S - 1)
        assert shown("proof_seconds_count") == 0
        await clock.sleep(2)
        assert (shown("proof_seconds_count"), shown("proof_findings")) == (1, 0)
        await clock.sleep(1_800)
        assert 1_800 - LOOK_S <= shown("proof_age_seconds") <= 1_800
        change = "UPDATE accounts SET balance = balance + 7 WHERE id = 'wallet/p_a'"
        await platform.run(Connection.execute, text(change))
        await clock.sleep(1_800 + LOOK_S)
        assert (shown("proof_seconds_count"), shown("proof_findings")) == (2, 2)
        assert shown("proof_age_seconds") <= LOOK_S
        held = await db.read(proof_notes.standing)
        assert json.loads(held.report)["findings"][0] == "all accounts in gold sum to 7, not 0"
        wallet = await db.read(lambda c: c.execute(schema.accounts.select()).all())
        assert next(row.balance for row in wallet if row.id == "wallet/p_a") == 507, "nothing was mended"
        task.cancel()
        await bus.close()

    run_virtual(main)

"""Scoring as it runs: rounds in, first audits out; what is missing waits, what contradicts alerts."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

import pytest
from google.protobuf.message import Message
from paiju.scoring.v1 import scoring_service_pb2 as pb
from paiju.scoring.v1.events_pb2 import VERDICT_AGREED, VERDICT_DISPUTED, RoundAudited
from paiju.scoring.v1.scoring_service_pb2_grpc import ScoringServiceStub
from paiju.table.v1.events_pb2 import RoundFinished, RoundOpened
from sqlalchemy import select

from services.chassis import auth
from services.chassis.bus.port import Delivery
from services.chassis.clock import VirtualClock, run_virtual
from services.chassis.db import Database, migrate, schema_differences
from services.chassis.errors import Refusal
from services.scoring import store
from services.scoring.app import wire
from services.scoring.settings import ScoringSettings
from tests.support.finished import PlayedMatch
from tests.support.process import MemoryWorld, system_ids


class Running:
    """A process with scoring in it, and a table that talks to it."""

    def __init__(self, world: MemoryWorld, settings: ScoringSettings) -> None:
        self.settings = settings
        self.process = world.process("scoring", system_ids())
        self.table = world.process("table", system_ids())
        self.audits: dict[str, RoundAudited] = {}
        self.heard: list[str] = []
        self.stub = self.table.rpc.client(ScoringServiceStub, "scoring")

    async def start(self) -> Running:
        self.service = await wire(self.settings, self.process.parts)
        await self.process.rpc.start()
        await self.service.start()
        await self.table.rpc.start()

        async def handler(deliveries: Sequence[Delivery[Message]]) -> None:
            for one in deliveries:
                assert isinstance(one.message, RoundAudited)
                assert one.event_id == f"audit:{one.message.round_id}"
                self.audits[one.message.round_id] = one.message
                self.heard.append(one.message.round_id)

        await self.table.bus.consume("test-audits", (RoundAudited,), handler)
        return self

    async def say(self, *facts: Message, again: str = "") -> None:
        for fact in facts:
            name = fact.DESCRIPTOR.name
            await self.table.bus.publish(fact, f"{name}:{fact.round_id}{again}")  # type: ignore[attr-defined]

    async def audit_of(self, round_id: str) -> RoundAudited:
        await until(lambda: round_id in self.audits)
        return self.audits[round_id]

    def metric(self, line: str) -> bool:
        return line.encode() in self.process.parts.metrics.text()


async def until(holds: Callable[[], Any], seconds: float = 30) -> None:
    async with asyncio.timeout(seconds):
        while not holds():
            await asyncio.sleep(0.01)


@pytest.fixture
async def scoring(world: MemoryWorld) -> AsyncIterator[Running]:
    running = await Running(world, ScoringSettings(opening_wait_ms=60_000)).start()
    yield running
    await running.service.stop()


async def test_the_migrations_make_exactly_the_tables_of_the_code(database_url: str, db: Database) -> None:
    migrate(database_url, "scoring")
    assert await db.run(lambda c: schema_differences(c, store.metadata)) == []


async def test_what_is_kept_is_read_back_on_every_database(database_url: str, db: Database) -> None:
    migrate(database_url, "scoring")
    opening = store.Opening("0-m/1", b"c" * 32, (b"h" * 32, b""), 7)
    message = RoundAudited(round_id="0-m/1", verdict=VERDICT_AGREED, record_sha256=b"r" * 32)
    audit = store.Audit(message, 2, 1, (b"n" * 32, None))
    alert = store.Alert("0-m/1", "record", b"x" * 32)
    assert await db.run(lambda c: store.keep(c, [opening], ["0-m/2"], [audit], [alert, alert], 1)) == [audit]
    assert await db.run(lambda c: store.keep(c, [opening], ["0-m/2"], [audit], [alert], 2)) == []
    known = await db.read(lambda c: store.load(c, ["0-m/1", "0-m/2"]))
    assert known.openings == {"0-m/1": opening}
    assert known.audits == {"0-m/1": audit}
    assert known.voids == {"0-m/2"}


async def test_a_whole_match_is_agreed_round_by_round(scoring: Running) -> None:
    match = PlayedMatch()
    for _ in range(6):
        await scoring.say(*match.round())
    for number in range(1, 7):
        audit = await scoring.audit_of(f"0-m/{number}")
        assert audit.verdict == VERDICT_AGREED, audit.differences
        assert sum(seat.points for seat in audit.seats) == 0
        assert [seat.player_id for seat in audit.seats] == ["p_a", "p_b", "bot:normal"]
        assert [seat.is_bot for seat in audit.seats] == [False, False, True]
        assert (audit.for_coins, audit.nonces_given) == (True, 2)
        assert json.loads(audit.settlement_json) == {"base_stake": 10, "win_cap_by_balance": False}
    stored = await scoring.stub.GetAudit(pb.GetAuditRequest(round_id="0-m/3"))
    assert stored.audit == scoring.audits["0-m/3"]


async def test_the_same_rounds_again_are_audited_once(scoring: Running) -> None:
    facts = PlayedMatch().round()
    await scoring.say(*facts)
    await scoring.audit_of("0-m/1")
    await scoring.say(*facts, again="again")
    opened, finished = PlayedMatch(match_id="0-n").round()
    await scoring.say(opened, finished)
    await scoring.audit_of("0-n/1")
    assert scoring.heard == ["0-m/1", "0-n/1"]
    assert not scoring.metric('paiju_scoring_alerts_total{kind="record"} 1.0')


async def test_another_record_of_the_same_round_alerts_and_the_first_stays(scoring: Running) -> None:
    opened, finished = PlayedMatch().round()
    await scoring.say(opened, finished)
    first = await scoring.audit_of("0-m/1")
    other = RoundFinished()
    other.CopyFrom(finished)
    other.record = finished.record.replace(b"@40 bot", b"@41 bot", 1)
    assert other.record != finished.record
    await scoring.say(other, again="another")
    await until(lambda: scoring.metric('paiju_scoring_alerts_total{kind="record"} 1.0'))
    assert (await scoring.stub.GetAudit(pb.GetAuditRequest(round_id="0-m/1"))).audit == first
    db = scoring.process.parts.db("scoring")
    (alert,) = await db.read(lambda c: c.execute(select(store.alerts)).all())
    assert alert.sha256 == hashlib.sha256(other.record).digest()


async def test_another_commitment_after_the_first_alerts_and_does_not_count(scoring: Running) -> None:
    opened, finished = PlayedMatch().round()
    forged = RoundOpened()
    forged.CopyFrom(opened)
    forged.commitment = b"f" * 32
    await scoring.say(opened)
    await scoring.say(forged, again="forged")
    await scoring.say(finished)
    assert (await scoring.audit_of("0-m/1")).verdict == VERDICT_AGREED
    await until(lambda: scoring.metric('paiju_scoring_alerts_total{kind="opening"} 1.0'))


async def test_a_seed_that_was_not_committed_is_disputed(scoring: Running) -> None:
    opened, finished = PlayedMatch().round()
    opened.commitment = b"f" * 32
    await scoring.say(opened, finished)
    audit = await scoring.audit_of("0-m/1")
    assert audit.verdict == VERDICT_DISPUTED
    assert [each.field for each in audit.differences] == ["commitment"]
    assert scoring.metric('paiju_scoring_audits_total{verdict="disputed"} 1.0')


async def test_a_finished_round_waits_for_its_opening(scoring: Running) -> None:
    match = PlayedMatch()
    first, second = match.round(), match.round()
    await scoring.say(first[1])
    await until(lambda: scoring.metric("paiju_scoring_waiting 1.0"))
    await scoring.say(*second)
    await asyncio.sleep(0.3)
    await until(lambda: scoring.metric("paiju_scoring_waiting 1.0"))
    assert scoring.heard == []
    await scoring.say(first[0])
    assert (await scoring.audit_of("0-m/1")).verdict == VERDICT_AGREED
    assert (await scoring.audit_of("0-m/2")).verdict == VERDICT_AGREED


async def test_an_opening_that_never_comes_is_a_dispute_in_the_end(world: MemoryWorld) -> None:
    scoring = await Running(world, ScoringSettings(opening_wait_ms=0)).start()
    await scoring.say(PlayedMatch().round()[1])
    audit = await scoring.audit_of("0-m/1")
    assert audit.verdict == VERDICT_DISPUTED
    assert [(each.field, each.scoring) for each in audit.differences] == [("commitment", "none was heard")]
    await scoring.service.stop()


async def test_a_wrong_dealer_in_a_later_round_is_disputed(scoring: Running) -> None:
    match = PlayedMatch()
    await scoring.say(*match.round())
    match.dealer = (match.dealer + 1) % 3
    await scoring.say(*match.round())
    assert (await scoring.audit_of("0-m/1")).verdict == VERDICT_AGREED
    audit = await scoring.audit_of("0-m/2")
    assert "dealer" in [each.field for each in audit.differences]


async def test_a_seat_that_missed_a_round_may_not_give_nonces_again(scoring: Running) -> None:
    match = PlayedMatch(silent_from={0: 2})
    await scoring.say(*match.round())
    await scoring.say(*match.round())
    match.silent_from = {}
    await scoring.say(*match.round())
    assert (await scoring.audit_of("0-m/2")).verdict == VERDICT_AGREED
    assert (await scoring.audit_of("0-m/2")).nonces_given == 1
    audit = await scoring.audit_of("0-m/3")
    assert [each.field for each in audit.differences] == ["nonce 0"]


async def test_a_nonce_that_skips_a_link_is_disputed(scoring: Running) -> None:
    match = PlayedMatch()
    await scoring.say(*match.round())
    match.revealed[1] += 1
    await scoring.say(*match.round())
    assert [each.field for each in (await scoring.audit_of("0-m/2")).differences] == ["nonce 1"]


async def test_a_nonce_of_the_first_round_must_follow_from_the_head(scoring: Running) -> None:
    match = PlayedMatch()
    match.revealed[0] += 1
    await scoring.say(*match.round())
    assert [each.field for each in (await scoring.audit_of("0-m/1")).differences] == ["nonce 0"]


async def test_after_a_voided_round_nonces_are_checked_against_the_head(scoring: Running) -> None:
    match = PlayedMatch()
    await scoring.say(*match.round())
    await scoring.say(*match.skip())
    await scoring.say(*match.round())
    assert (await scoring.audit_of("0-m/3")).verdict == VERDICT_AGREED
    await scoring.say(*match.skip())
    match.chains[0] = [b"x" * 32] * len(match.chains[0])
    await scoring.say(*match.round())
    assert [each.field for each in (await scoring.audit_of("0-m/5")).differences] == ["nonce 0"]


async def test_a_voided_round_with_another_seed_than_committed_alerts(scoring: Running) -> None:
    match = PlayedMatch()
    opened, voided = match.skip()
    voided.seed = b"s" * 32
    await scoring.say(opened, voided)
    await until(lambda: scoring.metric('paiju_scoring_alerts_total{kind="void_seed"} 1.0'))


async def test_a_commitment_that_came_after_the_play_is_disputed(scoring: Running) -> None:
    """The record says that the play took an hour; the stream had both facts within a moment."""
    await scoring.say(*PlayedMatch(pace_ms=60_000).round())
    audit = await scoring.audit_of("0-m/1")
    assert [(each.field, each.scoring) for each in audit.differences] == [
        ("commitment", "heard after the first action")
    ]


async def test_a_round_whose_earlier_one_never_comes_is_audited_in_the_end(world: MemoryWorld) -> None:
    scoring = await Running(world, ScoringSettings(opening_wait_ms=0)).start()
    match = PlayedMatch()
    match.round()
    await scoring.say(*match.round())
    assert (await scoring.audit_of("0-m/2")).verdict == VERDICT_AGREED
    assert scoring.metric("paiju_scoring_waiting 0.0")
    await scoring.service.stop()


async def test_a_fact_that_says_other_than_its_record_is_disputed(scoring: Running) -> None:
    opened, finished = PlayedMatch().round()
    finished.seats[0].player_id = "p_thief"
    await scoring.say(opened, finished)
    audit = await scoring.audit_of("0-m/1")
    assert audit.verdict == VERDICT_DISPUTED
    assert [each.field for each in audit.differences] == ["players"]


@pytest.mark.parametrize("record", [b"", b"\xff\xfe", b"Paiju-Record: 1\n" + b"x" * 700_000])
async def test_an_unreadable_record_is_disputed(scoring: Running, record: bytes) -> None:
    opened, finished = PlayedMatch().round()
    finished.record = record
    await scoring.say(opened, finished)
    audit = await scoring.audit_of("0-m/1")
    assert (audit.verdict, len(audit.seats)) == (VERDICT_DISPUTED, 0)
    assert audit.round_id == "0-m/1"


def test_it_runs_in_line_on_a_virtual_clock() -> None:
    async def main(clock: VirtualClock) -> str:
        world = MemoryWorld(clock)
        scoring = Running(world, ScoringSettings(opening_wait_ms=5_000))
        await scoring.start()
        match = PlayedMatch()
        opened, finished = match.round()
        await scoring.say(opened, finished, match.round()[1])
        await clock.sleep(60)
        await scoring.service.stop()
        for process in world.processes:
            await process.stop()
        return " ".join(f"{name} {audit.verdict}" for name, audit in scoring.audits.items())

    assert run_virtual(main) == f"0-m/1 {VERDICT_AGREED} 0-m/2 {VERDICT_DISPUTED}"


async def test_audits_in_other_processes_give_the_same(world: MemoryWorld) -> None:
    scoring = await Running(world, ScoringSettings(processes=1)).start()
    await scoring.say(*PlayedMatch().round())
    assert (await scoring.audit_of("0-m/1")).verdict == VERDICT_AGREED
    await scoring.service.stop()


# RPCs


def hand(**changes: Any) -> pb.ScoreHandRequest:
    request = pb.ScoreHandRequest(
        game="paohuzi",
        preset="876cc",
        concealed=[
            *["s2"] * 3,
            *["s7"] * 3,
            *["s10"] * 3,
            *["b2"] * 3,
            *["b7"] * 3,
            *["b10"] * 3,
            "s1",
            "s1",
        ],
        card="s1",
        source="self",
    )
    for name, value in changes.items():
        if isinstance(value, list):
            getattr(request, name)[:] = value
        else:
            setattr(request, name, value)
    return request


async def test_anyone_may_have_a_hand_scored_and_explained(scoring: Running) -> None:
    answer = await scoring.stub.ScoreHand(hand())
    assert answer.can_hu
    assert answer.huxi == sum(meld.huxi for meld in answer.melds)
    assert answer.fan >= 1
    assert answer.winner_gain == 2 * answer.per_loser
    assert answer.explanation_zh
    assert answer.explanation_en
    assert not (await scoring.stub.ScoreHand(hand(card="b9"))).can_hu


async def test_a_hand_of_kawuxing_is_scored_in_its_own_words(scoring: Running) -> None:
    tiles = ["p4", "p6", "s1", "s1", "s1", "s7", "s8", "s9", "z5", "z5"]
    request = pb.ScoreHandRequest(
        game="kawuxing", preset="seed004", concealed=tiles, card="p5", source="discard"
    )
    request.exposed.add(kind="peng", cards=["p5"] * 3)
    answer = await scoring.stub.ScoreHand(request)
    assert answer.can_hu
    assert {name.name: name.fan for name in answer.names} == {"卡五星": 2, "明四归一": 2}
    assert (answer.fan, answer.per_loser, answer.winner_gain) == (4, 40, 40)
    assert "卡五星：2 番（§5）" in answer.explanation_zh
    request.preset = "876cc"
    with pytest.raises(Refusal, match="PRESET_UNKNOWN") as caught:
        await scoring.stub.ScoreHand(request)
    assert "xiangyang" in str(caught.value)


@pytest.mark.parametrize(
    ("changes", "reason", "detail"),
    [
        ({"game": "mahjong"}, "GAME_UNKNOWN", "paohuzi"),
        ({"preset": "nowhere"}, "PRESET_UNKNOWN", "tongyi-qmt"),
        ({"options_json": '{"nonsense":1}'}, "HAND_INVALID", "nonsense"),
        ({"options_json": '{"min_xi":"many"}'}, "HAND_INVALID", "min_xi"),
        ({"options_json": "[1]"}, "OPTIONS_INVALID", "object"),
        ({"options_json": "[" * 4000}, "OPTIONS_INVALID", "JSON"),
        ({"options_json": " " * 5000}, "OPTIONS_INVALID", "long"),
        ({"concealed": ["s1"] * 29}, "HAND_INVALID", "cards"),
        ({"concealed": ["s1" * 20]}, "HAND_INVALID", "long"),
        ({"concealed": ["x9"]}, "HAND_INVALID", "x9"),
        ({"source": "heaven"}, "HAND_INVALID", "heaven"),
    ],
)
async def test_a_hand_that_cannot_be_is_refused_by_name(
    scoring: Running, changes: dict[str, Any], reason: str, detail: str
) -> None:
    with pytest.raises(Refusal, match=reason) as caught:
        await scoring.stub.ScoreHand(hand(**changes))
    assert detail in str(caught.value)


async def test_anyone_may_have_a_record_audited_without_consequences(scoring: Running) -> None:
    opened, finished = PlayedMatch().round()
    alone = (await scoring.stub.AuditRecord(pb.AuditRecordRequest(record=finished.record))).audit
    assert alone.verdict == VERDICT_AGREED
    heard = pb.AuditRecordRequest(record=finished.record, commitment=opened.commitment)
    assert (await scoring.stub.AuditRecord(heard)).audit == alone
    heard.commitment = b"f" * 32
    assert (await scoring.stub.AuditRecord(heard)).audit.verdict == VERDICT_DISPUTED
    heard.commitment = b"f"
    with pytest.raises(Refusal, match="INVALID_ARGUMENT"):
        await scoring.stub.AuditRecord(heard)
    with pytest.raises(Refusal, match="RECORD_TOO_LARGE"):
        await scoring.stub.AuditRecord(pb.AuditRecordRequest(record=b"x" * (256 * 1024 + 1)))
    with auth.acting_for("p_a"), pytest.raises(Refusal, match="NOT_FOUND"):
        await scoring.stub.GetAudit(pb.GetAuditRequest(round_id="0-m/1"))


async def test_too_many_callers_are_refused_and_none_is_kept_waiting(world: MemoryWorld) -> None:
    scoring = await Running(world, ScoringSettings(calls_at_once=2)).start()
    record = PlayedMatch().round()[1].record
    calls = [scoring.stub.AuditRecord(pb.AuditRecordRequest(record=record)) for _ in range(12)]
    results = await asyncio.gather(*calls, return_exceptions=True)
    assert sum(isinstance(result, pb.AuditRecordResponse) for result in results) >= 2
    refused = [result for result in results if isinstance(result, Refusal)]
    assert {refusal.reason for refusal in refused} == {"RATE_LIMITED"}
    await scoring.stub.AuditRecord(pb.AuditRecordRequest(record=record))
    await scoring.service.stop()

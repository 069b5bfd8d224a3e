"""The RPCs about disputes: who may call, what is refused, what is shown when tables or scoring are away."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import pytest
from paiju.economy.v1 import dispute_service_pb2 as pb
from paiju.economy.v1.dispute_events_pb2 import OUTCOME_ENGINE, OUTCOME_SCORING, OUTCOME_VOID
from paiju.economy.v1.dispute_service_pb2_grpc import DisputeServiceStub
from paiju.scoring.v1.events_pb2 import RoundAudited
from paiju.table.v1 import evidence_service_pb2_grpc
from paiju.table.v1.events_pb2 import RoundFinished, RoundSeat
from sqlalchemy import Connection, delete

from engine import GAMES
from services.chassis import auth
from services.chassis.db import Database
from services.chassis.errors import Outage, Refusal
from services.economy.app import wire
from services.economy.settings import EconomySettings
from services.economy.store import rounds, stakes, wallets
from services.economy.store.facts import from_audited
from services.scoring.app import wire as wire_scoring
from services.scoring.core.audit import audit_alone
from services.scoring.settings import ScoringSettings
from services.scoring.verdicts import as_message
from services.table.evidence_api import ACCESS as EVIDENCE_ACCESS
from services.table.evidence_api import EvidenceApi
from services.table.store import RecordStore, record_players, records
from tests.support.book import HOUSE_FLOAT, NOW_MS
from tests.support.process import MemoryWorld, system_ids
from tests.support.told import ROUND, played

STAFF = frozenset({"disputes"})
MATCH = ROUND.rpartition("/")[0]


def wrong_record() -> bytes:
    """Return a played record in which the engine has paid double."""
    record = played("doudizhu")[2]
    head, _, result = record.rpartition(b"\nResult: ")
    told = json.loads(result)
    told["points"] = [2 * points for points in told["points"]]
    written = json.dumps(told, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    return head + b"\nResult: " + written.encode() + b"\n"


def audited() -> RoundAudited:
    """Return what scoring says of it."""
    message = as_message(audit_alone(wrong_record()))
    assert message.verdict != 1, "it is disputed"
    message.table_id, message.for_coins = MATCH, True
    return message


class Court:
    """Economy with one disputed round, and the way to it."""

    def __init__(self, stub: Any, db: Database) -> None:
        self._stub = stub
        self.db = db

    async def call(
        self, method: str, request: Any, player: str = "p_staff", roles: frozenset[str] = STAFF
    ) -> Any:
        """Call as somebody."""
        with auth.acting_for(player, roles):
            return await getattr(self._stub, method)(request)

    async def resolve(self, outcome: Any = OUTCOME_VOID, **more: Any) -> Any:
        values = {"round_id": ROUND, "outcome": outcome, "reason": "looked at", "request_id": "r"} | more
        return await self.call("ResolveDispute", pb.ResolveDisputeRequest(**values))

    async def whole(self) -> pb.Dispute:
        answer = await self.call("GetDispute", pb.GetDisputeRequest(round_id=ROUND))
        found: pb.Dispute = answer.dispute
        return found


def _seat(seat: int, player: str, connection: Connection) -> None:
    """Give somebody gold, and put some of it at stake."""
    if not player.startswith("bot:"):
        wallets.grant(connection, player, "task", player, "gold", 1_000, "", NOW_MS)
    stakes.open_stake(connection, MATCH, seat, player, "gold", 500, HOUSE_FLOAT, NOW_MS)


@asynccontextmanager
async def opened(world: MemoryWorld) -> AsyncIterator[Court]:
    """Run economy with a disputed round of three seats."""
    process = world.process("economy", system_ids())
    service = await wire(EconomySettings(), process.parts)
    await process.rpc.start()
    await service.start()
    other = world.process("gateway", system_ids())
    await other.rpc.start()
    db = world.database("economy")
    audit = audited()
    players = [seat.player_id for seat in audit.seats]
    for seat, player in enumerate(players):
        await db.run(partial(_seat, seat, player))
    await db.run(lambda c: rounds.hear(c, [from_audited(audit)], NOW_MS))
    yield Court(other.rpc.client(DisputeServiceStub, "economy"), db)
    await service.stop()


@pytest.fixture
async def alone(world: MemoryWorld) -> AsyncIterator[Court]:
    """Economy while neither tables nor scoring can be reached."""
    async with opened(world) as court:
        yield court


@pytest.fixture
async def court(world: MemoryWorld) -> AsyncIterator[Court]:
    """Economy with tables that kept the record, and scoring."""
    tables = world.process("table", system_ids())
    store = RecordStore(world.database("table"))
    seats = [
        RoundSeat(seat=seat.seat, player_id=seat.player_id, is_bot=seat.is_bot) for seat in audited().seats
    ]
    await store.keep(
        RoundFinished(
            round_id=ROUND,
            match_id=MATCH,
            game="doudizhu",
            preset="classic@1",
            seats=seats,
            record=wrong_record(),
        )
    )
    tables.parts.rpc.serve(
        "table",
        evidence_service_pb2_grpc.add_EvidenceServiceServicer_to_server,
        EvidenceApi(GAMES, store),
        EVIDENCE_ACCESS,
    )
    await tables.rpc.start()
    auditor = world.process("scoring", system_ids())
    scoring = await wire_scoring(ScoringSettings(processes=0), auditor.parts)
    await auditor.rpc.start()
    await scoring.start()
    async with opened(world) as running:
        yield running
    await scoring.stop()


@pytest.mark.parametrize(
    "method", ["ListDisputes", "GetDispute", "ResolveDispute", "ListAlerts", "AcknowledgeAlert"]
)
async def test_only_staff_for_disputes_may_call(alone: Court, method: str) -> None:
    request = getattr(pb, f"{method}Request")()
    for roles in (frozenset[str](), frozenset({"support"}), frozenset({"money"})):
        with pytest.raises(Refusal, match="PERMISSION_DENIED"):
            await alone.call(method, request, "p_a", roles)


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"outcome": 0}, "INVALID_ARGUMENT"),
        ({"outcome": 9}, "INVALID_ARGUMENT"),
        ({"reason": "ok"}, "REASON_REQUIRED"),
        ({"reason": " \n "}, "REASON_REQUIRED"),
        ({"reason": "x" * 501}, "REASON_REQUIRED"),
        ({"request_id": ""}, "INVALID_ARGUMENT"),
        ({"request_id": "x" * 201}, "INVALID_ARGUMENT"),
        ({"round_id": ""}, "INVALID_ARGUMENT"),
        ({"round_id": "0-table/01x"}, "INVALID_ARGUMENT"),
        ({"round_id": "x" * 300 + "/1"}, "INVALID_ARGUMENT"),
        ({"round_id": "0-other/1"}, "DISPUTE_UNKNOWN"),
    ],
)
async def test_a_decision_that_says_too_little_is_refused(
    alone: Court, more: dict[str, Any], reason: str
) -> None:
    with pytest.raises(Refusal, match=reason):
        await alone.resolve(**more)
    listed = await alone.call("ListDisputes", pb.ListDisputesRequest(state="open"))
    assert [one.round_id for one in listed.disputes] == [ROUND]


@pytest.mark.parametrize(
    "request_",
    [
        pb.ListDisputesRequest(state="closed"),
        pb.ListDisputesRequest(page_size=-1),
        pb.ListDisputesRequest(page_size=101),
        pb.ListDisputesRequest(page_token="x"),
        pb.ListDisputesRequest(page_token="1~" + "x" * 300),
        pb.ListAlertsRequest(state="resolved"),
        pb.ListAlertsRequest(page_token="1~no digest"),
        pb.ListAlertsRequest(page_token="1~a:zz"),
    ],
)
async def test_a_list_is_asked_for_in_its_own_words(alone: Court, request_: Any) -> None:
    method = type(request_).__name__.removesuffix("Request")
    with pytest.raises(Refusal, match="INVALID_ARGUMENT"):
        await alone.call(method, request_)


async def test_an_admin_may_do_what_staff_for_disputes_may(alone: Court) -> None:
    listed = await alone.call("ListDisputes", pb.ListDisputesRequest(), "p_boss", frozenset({"admin"}))
    assert (listed.open, [one.round_id for one in listed.disputes]) == (1, [ROUND])


async def test_a_player_reads_his_own_held_stakes_only(alone: Court) -> None:
    with pytest.raises(Refusal, match="PERMISSION_DENIED"):
        await alone.call("ListHeldStakes", pb.ListHeldStakesRequest(player_id="p_else"), "p_a", frozenset())
    answer = await alone.call("ListHeldStakes", pb.ListHeldStakesRequest(), "p_a", frozenset())
    assert not answer.held


async def test_while_tables_and_scoring_are_away_a_dispute_is_shown_as_far_as_it_is_known(
    alone: Court,
) -> None:
    whole = await alone.whole()
    assert set(whole.missing) == {"record", "engine", "scoring", "deal"}
    assert whole.scoring.is_usable
    assert (whole.engine.is_usable, whole.engine.unusable) == (False, "no_record")
    assert len(whole.scoring.coins) == 3
    with pytest.raises(Outage):
        await alone.resolve(OUTCOME_ENGINE)
    answer = await alone.resolve(OUTCOME_SCORING)
    assert list(answer.coins) == list(whole.scoring.coins)


async def test_a_dispute_is_shown_whole_and_stays_so_when_the_tables_forget(
    court: Court, world: MemoryWorld
) -> None:
    whole = await court.whole()
    assert list(whole.missing) == ["deal"], (
        "scoring has not heard of it: the word was put into economy's mouth"
    )
    assert whole.record == wrong_record()
    assert whole.record_is_the_one_judged
    assert [2 * points for points in whole.scoring.points] == list(whole.engine.points)
    assert whole.engine.again == "other", "the engine of this process is right"
    assert whole.scoring.again == "same"
    assert len(whole.engine.explanation_zh) > 1
    assert len(whole.scoring.explanation_en) > 1
    assert not whole.deal.is_kept, "no commitment was heard before the deal"
    answer = await court.resolve(OUTCOME_ENGINE)
    assert list(answer.coins) == list(whole.engine.coins)

    def forget(connection: Any) -> None:
        connection.execute(delete(record_players))
        connection.execute(delete(records))

    await world.database("table").run(forget)
    again = await court.whole()
    assert again.record == wrong_record(), "kept with the decision"
    assert again.summary.resolved_by == "p_staff"

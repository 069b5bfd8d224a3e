"""The figures in real databases, and the service on a bus: each event counts once."""

import asyncio
from functools import partial

import pytest
from paiju.anticheat.v1 import anticheat_service_pb2 as pb
from paiju.anticheat.v1.anticheat_service_pb2_grpc import AnticheatServiceStub
from paiju.scoring.v1 import events_pb2 as scoring_events
from paiju.table.v1 import events_pb2 as table_events

from services.anticheat import store
from services.anticheat.app import AnticheatSettings, wire
from services.anticheat.core.counts import PairCounts, PlayerCounts
from services.chassis.db import Database, migrate
from services.chassis.errors import Refusal
from tests.support.process import MemoryProcess
from tests.unit.test_anticheat_observe import a_record, by_people


async def test_an_event_heard_twice_counts_once(db: Database, database_url: str) -> None:
    migrate(database_url, "anticheat")
    counts = [PlayerCounts("p_a", rounds=1, wins=1, points=6)]
    pairs = [PairCounts("p_a", "p_b", rounds=1, points_from_other=3)]
    assert await db.run(lambda c: store.count_once(c, "m/1", "audited", counts, pairs))
    assert not await db.run(lambda c: store.count_once(c, "m/1", "audited", counts, pairs))
    assert await db.run(lambda c: store.count_once(c, "m/2", "audited", counts, pairs))
    row = await db.read(lambda c: store.player_row(c, "p_a"))
    assert row is not None
    assert (row["rounds"], row["wins"], row["points"]) == (2, 2, 12)
    assert await db.read(lambda c: store.pair_rows(c, "p_a", None)) == [
        {
            "player_id": "p_a",
            "other_id": "p_b",
            "rounds": 2,
            "wins": 0,
            "other_wins": 0,
            "points_from_other": 6,
            "wins_on_other": 0,
        }
    ]


async def test_the_median_is_of_the_last_512_answers(db: Database, database_url: str) -> None:
    migrate(database_url, "anticheat")
    for number, ms in enumerate([100] * 3 + [2000] * 2):
        count = PlayerCounts("p_a", actions=171, answer_ms=(ms,) * 171)
        write = partial(store.count_once, round_id=f"m/{number}", what="observed", player_counts=[count])
        await db.run(write)
    row = await db.read(lambda c: store.player_row(c, "p_a"))
    assert row is not None
    assert row["answer_ms_median"] == 2000  # of all 855 it would be 100
    assert row["actions"] == 5 * 171


async def test_many_writers_at_once_lose_nothing(db: Database, database_url: str) -> None:
    migrate(database_url, "anticheat")
    people = ["p_a", "p_b", "p_c"]

    async def one(number: int) -> None:
        counts = [PlayerCounts(p, rounds=1) for p in (people if number % 2 else reversed(people))]
        await db.run(lambda c: store.count_once(c, f"m/{number}", "audited", counts))

    async with asyncio.TaskGroup() as tasks:
        for number in range(60):
            tasks.create_task(one(number))
    rows = [await db.read(partial(store.player_row, player_id=person)) for person in people]
    assert [row and row["rounds"] for row in rows] == [60, 60, 60]


async def test_the_service_hears_rounds_and_tells_operators(process: MemoryProcess) -> None:
    parts = process.parts
    service = await wire(AnticheatSettings(), parts)
    await process.rpc.start()
    await service.start()
    record = by_people(a_record(), {})
    finished = table_events.RoundFinished(round_id="m-1/1", match_id="m-1", game="paohuzi", record=record)
    audit = scoring_events.RoundAudited(
        round_id="m-1/1",
        match_id="m-1",
        game="paohuzi",
        verdict=scoring_events.VERDICT_AGREED,
        from_seat=1,
        seats=[
            scoring_events.AuditedSeat(seat=0, player_id="p_a", points=4, won=True),
            scoring_events.AuditedSeat(seat=1, player_id="p_b", points=-2),
            scoring_events.AuditedSeat(seat=2, player_id="bot:normal", points=-2, is_bot=True),
        ],
    )
    for copy in ("first", "again"):
        await parts.bus.publish(finished, event_id=f"finished-{copy}")
        await parts.bus.publish(audit, event_id=f"audit-{copy}")
    caller = process.rpc.client(AnticheatServiceStub, "anticheat")
    async with parts.clock.timeout(60):
        while True:
            answer = await caller.GetPlayerStatistics(pb.GetPlayerStatisticsRequest(player_id="p_a"))
            if answer.statistics.rounds and answer.statistics.actions:
                break
            await parts.clock.sleep(0.01)
    assert (answer.statistics.rounds, answer.statistics.wins, answer.statistics.points) == (1, 1, 4)
    pair = await caller.GetPairStatistics(pb.GetPairStatisticsRequest(player_id="p_a"))
    assert [(p.other_id, p.points_from_other, p.wins_on_other) for p in pair.statistics] == [("p_b", 2, 1)]
    with pytest.raises(Refusal, match="INVALID_ARGUMENT"):
        await caller.GetPlayerStatistics(pb.GetPlayerStatisticsRequest())
    await service.stop()

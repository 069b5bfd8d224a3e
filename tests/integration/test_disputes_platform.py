"""A running platform whose engine is wrong by one line: the round is disputed, stakes wait, people decide."""

from __future__ import annotations

import asyncio
import json
import urllib.request
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path

import pytest
from paiju.economy.v1 import dispute_service_pb2 as pb
from paiju.economy.v1 import economy_service_pb2 as economy
from paiju.economy.v1.dispute_events_pb2 import OUTCOME_ENGINE, OUTCOME_SCORING, OUTCOME_VOID, Outcome
from paiju.progress.v1 import progress_service_pb2 as progress

from services.launch.exits import OK
from tests.support.person import ECONOMY, Person
from tests.support.up import Up, spawn
from tests.support.wrong_engine import (
    HALL,
    dispute,
    held_by,
    leave,
    make_staff,
    until,
    until_disputed,
    wrong_platform,
)

OUTCOMES = (OUTCOME_ENGINE, OUTCOME_SCORING, OUTCOME_VOID)


@pytest.fixture
async def up(tmp_path: Path) -> AsyncIterator[Up]:
    with wrong_platform(tmp_path) as running:
        yield running


async def seated(up: Up) -> Person:
    """Return a person at a table with bots."""
    person = Person(up.said.url, bot="normal")
    await person.sign_in()
    await person.connect()
    await person.wait_for_the_welcome()
    await person.find_a_match(HALL)
    await person.attach()
    await person.sit()
    return person


async def staffed(up: Up) -> Person:
    """Return somebody of the staff."""
    staff = Person(up.said.url)
    await staff.sign_in()
    await make_staff(up, staff.player_id)
    await staff.sign_in()
    await staff.connect()
    return staff


def reconciled(up: Up, log: Path) -> bool:
    """Return whether `paiju reconcile` finds nothing."""
    process = spawn("reconcile", "--data", str(up.data), "--json", env={}, log=log)
    answer, _ = process.communicate(timeout=60)
    assert process.returncode == OK, (answer, log.read_text("utf-8"))
    return bool(json.loads(answer)["ok"])


def metric(up: Up, name: str) -> float:
    """Return a figure of the platform."""
    with urllib.request.urlopen(up.said.metrics, timeout=10) as answer:
        lines = answer.read().decode().splitlines()
    return float(next(line.rpartition(" ")[2] for line in lines if line.startswith(f"{name} ")))


async def test_a_wrong_engine_is_disputed_and_each_way_of_deciding_leaves_a_book_that_adds_up(
    up: Up, tmp_path: Path
) -> None:
    people = await asyncio.gather(*(seated(up) for _ in OUTCOMES))
    before = {person.player_id: sum(await person.gold()) for person in people}
    round_ids = await asyncio.gather(*(until_disputed(person) for person in people))

    # The match waits, and whoever leaves ends it; his stake goes on waiting.
    ends = await asyncio.gather(*(leave(person) for person in people))
    assert {frame.match_end.cause for frame in ends} == {"left"}
    for person, round_id in zip(people, round_ids, strict=True):
        held = await until(partial(_closing, person))
        assert (held.round_id, held.match_id) == (round_id, person.table_id)
        gold, staked = await person.gold()
        assert (gold + staked, staked) == (before[person.player_id], held.money.amount)
    assert metric(up, "paiju_economy_disputes_open") == len(people)
    assert "round_disputed" in up.data.with_name("data.log").read_text("utf-8")
    assert reconciled(up, tmp_path / "open.log"), "an open dispute is lawful"

    # Nobody else may look.
    refused = await people[0].door.call(
        "paiju.economy.v1.DisputeService/ListDisputes", pb.ListDisputesRequest().SerializeToString()
    )
    assert refused.error.reason == "PERMISSION_DENIED"

    staff = await staffed(up)
    listed = await dispute(
        staff, "ListDisputes", pb.ListDisputesRequest(state="open"), pb.ListDisputesResponse
    )
    assert {one.round_id for one in listed.disputes} == set(round_ids)
    assert listed.open == len(people)
    for person, round_id, outcome in zip(people, round_ids, OUTCOMES, strict=True):
        await _decide(staff, person, round_id, outcome, before[person.player_id])
    listed = await dispute(
        staff, "ListDisputes", pb.ListDisputesRequest(state="open"), pb.ListDisputesResponse
    )
    assert not listed.disputes
    assert metric(up, "paiju_economy_disputes_open") == 0
    assert reconciled(up, tmp_path / "decided.log")
    for person in (*people, staff):
        await person.close()


async def _closing(person: Person) -> pb.HeldStake | None:
    held = (await held_by(person)).held
    return held[0] if held and held[0].is_closing else None


async def _rounds_of(person: Person) -> int:
    """Return how many rounds the statistics of a person count."""
    got = await person.call(
        "paiju.progress.v1.ProgressService/GetStatistics",
        progress.GetStatisticsRequest(),
        progress.GetStatisticsResponse,
    )
    return sum(one.rounds for one in got.statistics)


async def _decide(
    staff: Person, person: Person, round_id: str, outcome: Outcome.ValueType, gold: int
) -> None:
    """Look at a dispute whole, decide it, and see the person's money follow."""
    got = await dispute(staff, "GetDispute", pb.GetDisputeRequest(round_id=round_id), pb.GetDisputeResponse)
    whole = got.dispute
    assert not whole.missing
    assert whole.record_is_the_one_judged
    assert whole.deal.is_kept, whole.deal
    assert [list(side.points) for side in (whole.engine, whole.scoring)] == [
        [2 * points for points in whole.scoring.points],
        list(whole.scoring.points),
    ]
    assert "points" in {one.field for one in whole.differences}
    assert whole.engine.explanation_zh
    assert whole.scoring.explanation_en
    assert (whole.engine.again, whole.scoring.again) == ("same", "same")
    me = next(seat.seat for seat in whole.seats if seat.player_id == person.player_id)
    assert whole.seats[me].stake_state == "closing"
    moves = {OUTCOME_ENGINE: list(whole.engine.coins), OUTCOME_SCORING: list(whole.scoring.coins)}
    request = pb.ResolveDisputeRequest(
        round_id=round_id, outcome=outcome, reason="both sides were read", request_id=f"decide {round_id}"
    )
    answers = [await dispute(staff, "ResolveDispute", request, pb.ResolveDisputeResponse) for _ in range(2)]
    assert answers[0] == answers[1], "a repeat gets the first answer"
    assert list(answers[0].coins) == moves.get(outcome, [])
    won = moves.get(outcome, [0] * len(whole.seats))[me]

    async def is_home() -> bool:
        return await person.gold() == (gold + won, 0)

    await until(is_home)
    settlement = await person.play(lambda frame: frame.round_settlement.settled, 20)
    assert settlement.round_settlement.verdict == ("VOIDED" if outcome == OUTCOME_VOID else "DECIDED")
    [decided] = (await held_by(person)).decided
    assert (decided.round_id, decided.outcome, decided.coins) == (round_id, outcome, won)
    # The statistics follow the decision: a round that is void was not played.
    if outcome == OUTCOME_VOID:
        assert await _rounds_of(person) == 0
    else:
        assert await until(partial(_rounds_of, person)) == 1
    entries = await person.call(
        f"{ECONOMY}/ListEntries", economy.ListEntriesRequest(), economy.ListEntriesResponse
    )
    settlements = [entry for entry in entries.entries if entry.kind == "settlement"]
    assert [entry.amount for entry in settlements if entry.reference == round_id] == ([won] if won else [])

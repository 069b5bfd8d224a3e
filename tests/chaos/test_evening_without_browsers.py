"""A room's evening over the players' door alone, while the processes below it are killed: the short form of
`test_evening_in_browsers.py`."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from paiju.matchmaking.v1 import matchmaking_service_pb2 as pb
from paiju.table.v1.play_pb2 import Frame

from services.scoring.core.audit import audit_alone
from tests.chaos.evening import ROUNDS, WAIT_S, Evening
from tests.support.person import MATCHMAKING, Person

pytestmark = [pytest.mark.chaos, pytest.mark.slow]

TIMING = {
    "claim_pause_ms": 20,
    "nonce_ms": 20_000,
    "turn_ms": 60_000,
    "claim_ms": 60_000,
    "between_ms": 60_000,
}
"""No clock plays for anybody: all goes on by answers alone."""


@pytest.fixture
async def evening(tmp_path: Path) -> AsyncIterator[Evening]:
    made = Evening(tmp_path, TIMING)
    try:
        await made.start()
        yield made
    finally:
        await made.stop()


@pytest.fixture
async def people(evening: Evening) -> AsyncIterator[list[Person]]:
    """Three guests with a connection each."""
    made = [Person(evening.pages[0], bot="normal") for _ in range(3)]
    try:
        for person in made:
            await person.sign_in()
            await person.connect()
        yield made
    finally:
        for person in made:
            await person.close()


async def ask(person: Person, method: str, **request: Any) -> Any:
    """Call matchmaking as somebody."""
    message = getattr(pb, f"{method}Request")(**request)
    return await person.call(f"{MATCHMAKING}/{method}", message, getattr(pb, f"{method}Response"))


def opens(round_no: int) -> Any:
    """Return what tells the opening of a round."""

    def is_it(frame: Frame) -> bool:
        return frame.HasField("round_opening") and frame.round_opening.round_id.endswith(f"/{round_no}")

    return is_it


def ends(frame: Frame) -> bool:
    return frame.HasField("match_end")


async def comes_back(person: Person) -> None:
    """Play a little, lose everything a page knows, and come back to the same seat."""
    await person.play(lambda frame: person.answered >= 2, WAIT_S)
    seat = person.view.seat
    await person.close()
    await person.connect()
    found = (await ask(person, "GetWhereabouts")).table_id
    assert found == person.table_id
    await person.attach(from_nothing=True)
    await person.play(opens(2), WAIT_S)
    assert person.view.seat == seat


async def test_a_room_plays_its_evening_while_matchmaking_and_the_table_are_killed(
    evening: Evening, people: list[Person]
) -> None:
    anna, bob, carl = people
    rules = pb.RoomRules(chat="phrases", watching="yes")
    made = await ask(
        anna,
        "CreateRoom",
        request_id="evening",
        game="paohuzi",
        preset="tongyi-qmt",
        options_json='{"discard_hu":true}',
        rounds=ROUNDS,
        rules=rules,
    )
    code = made.room.room_code
    await ask(bob, "JoinRoom", room_code=code)
    await ask(anna, "SetRoomReady", room_code=code, ready=True)

    await evening.restart("matchmaking-1")
    room = (await ask(carl, "JoinRoom", room_code=code)).room
    assert [place.player_id for place in room.places] == [person.player_id for person in people]
    assert [place.ready for place in room.places] == [True, False, False]
    for person in (bob, carl):
        await ask(person, "SetRoomReady", room_code=code, ready=True, rules_no=room.rules_no)

    async with asyncio.timeout(WAIT_S):
        while not (table_id := (await ask(anna, "GetRoom", room_code=code)).room.table_id):
            await asyncio.sleep(0.05)
    for person in people:
        person.table_id = table_id
        await person.attach()
        await person.sit()
    await asyncio.gather(anna.play(opens(2), WAIT_S), comes_back(bob), carl.play(opens(2), WAIT_S))
    epoch = anna.epoch

    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(evening.kill_owner(table_id))
        tasks.create_task(evening.restart("matchmaking-1"))
        for person in people:
            tasks.create_task(person.play(ends, WAIT_S))
    assert anna.epoch > epoch, "the table was another's before"

    async with asyncio.timeout(WAIT_S):
        while len((await ask(anna, "GetRoomSheet", table_id=table_id)).rounds) < ROUNDS:
            await asyncio.sleep(0.1)
        while (await ask(anna, "ListRooms", state="closed", page_size=1)).rooms == []:
            await asyncio.sleep(0.1)
    sheets = [await ask(person, "GetRoomSheet", table_id=table_id) for person in people]
    assert sheets[0] == sheets[1] == sheets[2]
    records = evening.records(table_id)
    assert [one.round_id for one in sheets[0].rounds] == [record.round_id for record in records]
    assert [list(one.points) for one in sheets[0].rounds] == [record.result["points"] for record in records]
    assert [record.seats for record in records] == [tuple(person.player_id for person in people)] * ROUNDS
    for record in records:
        assert json.loads(record.options)["discard_hu"] is True
        assert audit_alone(record.text.encode()).agreed
        assert {action.cause for action in record.actions} <= {""}, "nobody was played for"
    sums = [sum(points) for points in zip(*(one.points for one in sheets[0].rounds), strict=True)]
    assert list(sheets[0].room.scores) == sums
    for person in people:
        numbers = [frame.number for frame in person.frames]
        assert len(numbers) == len(set(numbers)), "no frame was shown under two numbers"

    new = (await ask(carl, "Rematch", table_id=table_id)).room
    for person in (anna, bob):
        new = (await ask(person, "Rematch", table_id=table_id)).room
    assert new.room_code != code
    assert [place.player_id for place in new.places] == [person.player_id for person in people]
    assert (new.owner_id, new.rules, new.options_json) == (carl.player_id, room.rules, room.options_json)

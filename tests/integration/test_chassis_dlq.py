"""What a consumer put aside is read, given to it again, and done with, once: in memory, R1 and R3."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from google.protobuf.message import Message
from paiju.accounts.v1.events_pb2 import PlayerCreated
from paiju.bus.v1.replay_pb2 import OUTCOME_DEFECT, OUTCOME_DONE, OUTCOME_OUTAGE
from paiju.table.v1.events_pb2 import RoundFinished, RoundVoided

from services.chassis.bus import Delivery, NoResponders, dlq
from services.chassis.errors import Defect, Outage

pytestmark = pytest.mark.usefixtures("quiet")


class Ear:
    """A consumer that fails as it is told to."""

    def __init__(self) -> None:
        self.took: list[Delivery[Message]] = []
        self.error: Exception | None = None

    async def __call__(self, deliveries: Sequence[Delivery[Message]]) -> None:
        if self.error is not None:
            raise self.error
        self.took.extend(deliveries)


async def until(holds: Callable[[], Any]) -> Any:
    """Return what `holds` returns once that is true."""
    async with asyncio.timeout(30):
        while not (found := await holds()):
            await asyncio.sleep(0.01)
        return found


async def put_aside(bus: Any) -> tuple[Ear, Ear, dlq.Entry]:
    """Let one of two consumers of the same fact fail; return both and the entry."""
    failing, other = Ear(), Ear()
    failing.error = Defect("the\nworld is wrong")
    await bus.consume("test-failing", (PlayerCreated,), failing)
    await bus.consume("test-other", (PlayerCreated,), other)
    await bus.publish(PlayerCreated(player_id="p_a", welcome=True), "player_created:p_a")
    [entry] = await until(lambda: dlq.entries(bus))

    async def heard() -> bool:
        return len(other.took) == 1

    await until(heard)
    return failing, other, entry


async def give(bus: Any, entry: dlq.Entry) -> Any:
    """Give it again, once the consumer offers to take it."""
    async with asyncio.timeout(30):
        while True:
            try:
                return await dlq.give_again(bus, entry)
            except NoResponders:
                await asyncio.sleep(0.01)


async def test_an_entry_names_the_fact_its_consumer_and_the_reason_in_one_line(bus: Any) -> None:
    _, _, entry = await put_aside(bus)
    assert (entry.durable, entry.stream, entry.subject) == (
        "test-failing",
        "PLAYERS",
        "paiju.accounts.player_created.p_a",
    )
    assert entry.reason == "Defect: the world is wrong"
    assert entry.event_id == "player_created:p_a"
    assert entry.resolution is None
    assert 0 < entry.stored_at_ms <= entry.at_ms
    assert PlayerCreated.FromString(entry.payload).player_id == "p_a"


async def test_only_the_consumer_that_put_it_aside_gets_it_again_as_it_was(bus: Any) -> None:
    failing, other, entry = await put_aside(bus)
    failing.error = None
    assert (await give(bus, entry)).outcome == OUTCOME_DONE
    [took] = failing.took
    assert took.event_id == entry.event_id
    assert (took.seq, took.subject, took.at_ms) == (entry.stream_seq, entry.subject, entry.stored_at_ms)
    assert len(other.took) == 1


async def test_what_fails_again_is_told_and_is_not_put_aside_twice(bus: Any) -> None:
    failing, _, entry = await put_aside(bus)
    answer = await give(bus, entry)
    assert (answer.outcome, answer.why) == (OUTCOME_DEFECT, "Defect: the world is wrong")
    failing.error = Outage("no database")
    answer = await give(bus, entry)
    assert (answer.outcome, answer.why) == (OUTCOME_OUTAGE, "no database")
    assert await dlq.entries(bus) == [entry]


async def test_the_first_word_about_an_entry_counts(bus: Any) -> None:
    _, _, entry = await put_aside(bus)
    await dlq.resolve(bus, entry, "dropped", "of no\n use")
    await dlq.resolve(bus, entry, "replayed", "too late")
    [found] = await dlq.entries(bus)
    assert found.resolution is not None
    assert (found.resolution.outcome, found.resolution.why) == ("dropped", "of no use")


async def test_without_its_consumer_nothing_is_replayed(bus: Any) -> None:
    failing, _, entry = await put_aside(bus)
    await give(bus, entry)
    for consumer in list(bus.consumers):
        await consumer.stop()
    with pytest.raises(NoResponders):
        await dlq.give_again(bus, entry)
    assert failing.took == []


async def test_what_can_not_be_read_is_put_aside_and_fails_again(bus: Any) -> None:
    ear = Ear()
    await bus.consume("test-ear", (PlayerCreated,), ear)
    headers = {"Nats-Msg-Id": "junk"}
    await bus.store_until_known("PLAYERS", "paiju.accounts.player_created.x", b"\xff\xff", headers)
    [entry] = await until(lambda: dlq.entries(bus))
    assert (await give(bus, entry)).outcome == OUTCOME_DEFECT
    assert entry.event_id == "junk"


# Sweeping and reading


def voided(number: int) -> RoundVoided:
    return RoundVoided(round_id=f"m/{number}", match_id="m", round_no=number, game="paohuzi")


async def swept_up_to(bus: Any, types: Any, ear: Ear, count: int) -> None:
    """Sweep until so many were handed over: in a cluster a durable may know a fact a moment later."""

    async def swept() -> bool:
        await bus.sweep("test-sweep", types, ear, batch=3)
        return len(ear.took) >= count

    await until(swept)


async def test_a_sweep_hands_over_what_is_there_once_and_returns(bus: Any) -> None:
    ear = Ear()
    types = (RoundVoided, RoundFinished, PlayerCreated)
    await bus.sweep("test-sweep", types, ear, batch=3)
    assert ear.took == []
    for number in range(1, 8):
        await bus.publish(voided(number), f"v{number}")
    await bus.publish(PlayerCreated(player_id="p_a"), "p")
    await swept_up_to(bus, types, ear, 8)
    assert sorted(one.event_id for one in ear.took) == ["p", *(f"v{number}" for number in range(1, 8))]
    await bus.sweep("test-sweep", types, ear, batch=3)
    assert len(ear.took) == 8
    await bus.publish(voided(9), "v9")
    await swept_up_to(bus, types, ear, 9)
    assert ear.took[-1].event_id == "v9"


async def test_an_outage_ends_a_sweep_and_what_was_not_handled_comes_again(bus: Any) -> None:
    ear = Ear()
    ear.error = Outage("no database")
    await bus.publish(voided(1), "v1")

    async def refused() -> bool:
        try:
            await bus.sweep("test-sweep", (RoundVoided,), ear)
        except Outage as outage:
            return str(outage) == "no database"
        return False

    await until(refused)
    ear.error = None

    async def swept() -> bool:
        await bus.sweep("test-sweep", (RoundVoided,), ear)
        return bool(ear.took)

    await until(swept)
    assert [one.event_id for one in ear.took] == ["v1"]


async def test_what_a_stream_keeps_is_read_to_its_end(bus: Any) -> None:
    for number in range(1, 4):
        await bus.publish(voided(number), f"v{number}")
    await bus.publish(PlayerCreated(player_id="p_a"), "p")
    subjects = ("paiju.table.round_voided.*", "paiju.table.round_finished.*")
    found = [kept async for kept in bus.kept("ROUNDS", subjects)]
    assert [kept.headers["Paiju-Event-Id"] for kept in found] == ["v1", "v2", "v3"]
    assert [kept.seq async for kept in bus.kept("ROUNDS", subjects[:1], found[1].seq)] == [
        found[1].seq,
        found[2].seq,
    ]
    assert [kept async for kept in bus.kept("CHAT", ("paiju.chat.>",))] == []

"""The rules of the shard log, one by one, on a bus whose faults are chosen."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Coroutine
from dataclasses import replace
from typing import Any

import pytest
from google.protobuf.message import Message
from paiju.economy.v1.dispute_events_pb2 import OUTCOME_ENGINE, OUTCOME_VOID, DisputeResolved, RoundDisputed
from paiju.economy.v1.events_pb2 import RoundSettled, SettledSeat
from paiju.table.v1 import play_pb2 as p
from paiju.table.v1.events_pb2 import RoundFinished, RoundOpened

from engine import GAMES
from engine.errors import IllegalAction
from engine.fair_deal import wall_order
from services.chassis.bus.broker import Faults, MemoryBroker
from services.chassis.bus.memory import MemoryBus
from services.chassis.bus.port import Delivery
from services.chassis.clock import VirtualClock, run_virtual
from services.chassis.errors import Outage, Refusal
from services.chassis.ids import SeededIds
from services.chassis.metrics import Metrics
from services.table import calls as calls_module
from services.table import desk, doubts, tables
from services.table.bus import Ears
from services.table.calls import Calls, Close, Create, Get, Note, Seats
from services.table.core import events as e
from services.table.core.duties import DISPUTE_WAIT_MS
from services.table.core.events import Stake, decode_batch
from tests.simulation.client import Door, Player
from tests.simulation.processes import ProcessClock
from tests.simulation.tables import FAST, Host, MemoryBank, spec
from tests.support.process import full_registry

TABLE = "0-shard1"
LOG = "paiju.table.log.0"
CALM = '{"claim_pause_ms":100,"nonce_ms":300,"between_ms":100,"turn_ms":4000,"claim_ms":4000}'
STAKE = Stake("gold", 1000, 1, 10)


class Lab:
    """A broker, and whatever connects to it."""

    def __init__(self, clock: VirtualClock, replicas: int = 1) -> None:
        self.clock = clock
        self.registry = full_registry(log_shards=2, log_streams=1)
        self.faults = Faults(1, active=False)
        self.broker = MemoryBroker(self.registry, clock, replicas, self.faults)
        self._made = 0

    def bus(self, name: str) -> MemoryBus:
        self._made += 1
        ids = SeededIds(f"{name}{self._made}")
        return MemoryBus(self.broker, self.registry, self.clock, ids, Metrics(), name)

    def host(self, name: str = "host", bank: MemoryBank | None = None) -> Host:
        self._made += 1
        return Host(self.bus(name), self.clock, SeededIds(f"{name}{self._made}"), bank, name=name)

    async def door(self) -> Door:
        return await Door(self.bus("gw"), self.clock).open()

    def calls(self) -> Calls:
        return Calls(self.bus("caller"), lambda _: None)

    def log(self) -> list[tuple[int, tuple[tuple[str, e.AnyEvent], ...]]]:
        stream = self.broker.stream("TABLE_LOG_0")
        return [(k.seq, decode_batch(k.payload)) for k in stream.messages.values() if k.subject == LOG]

    def events(self, kind: type[e.Event] = e.Event) -> list[Any]:
        return [event for _, entries in self.log() for _, event in entries if isinstance(event, kind)]

    async def until(self, condition: Callable[[], object], seconds: float = 60) -> None:
        async with self.clock.timeout(seconds):
            while not condition():
                await self.clock.sleep(0.01)


def lab(test: Callable[[Lab], Coroutine[Any, Any, None]]) -> Callable[[], None]:
    """Run a test in a world of its own, on a virtual clock."""

    def run() -> None:
        run_virtual(lambda clock: test(Lab(clock)))

    run.__name__, run.__doc__ = test.__name__, test.__doc__
    return run


async def table(
    at: Lab, *people: str, timing: str = CALM, rounds: int = 1, stake: Stake | None = None
) -> None:
    await at.calls().about(Create(TABLE, spec(*people, rounds=rounds, timing=timing, stake=stake)))


def hold_acks(at: Lab) -> Callable[[], None]:
    """Let nothing more be acknowledged (though it is stored) until the returned function is called."""
    at.faults.lose_ack, at.faults.active = 1.0, True

    def release() -> None:
        at.faults.active = False

    return release


def pause(host: Host) -> None:
    """Stop a process as SIGSTOP does."""
    assert isinstance(host.bus, MemoryBus)
    host.bus.pause()


def resume(host: Host) -> None:
    """Let it go on."""
    assert isinstance(host.bus, MemoryBus)
    host.bus.resume()


@lab
async def test_nothing_is_shown_or_answered_before_it_is_durable(at: Lab) -> None:
    await at.host().take()
    await table(at, "p_a")
    door = await at.door()
    player = Player(door, "p_a", TABLE, random.Random(1))
    await player.play(until=lambda one: bool(one.view.play.HasField("question")))
    question, number = player.view.play.question, player.last
    release = hold_acks(at)
    act = p.Act(round_id=player.view.play.round_id, question=question.number, action=question.actions[0])
    tag = door.next_tag()
    await door.send("p_a", player.session, tag, p.TableCommand(table_id=TABLE, act=act))
    bad = door.next_tag()
    await door.send(
        "p_a", player.session, bad, p.TableCommand(table_id=TABLE, command_id="r", ready=p.Ready())
    )
    await at.clock.sleep(1.0)
    assert tag not in player.answers, "accepted before it was durable"
    assert bad not in player.answers, "refused on ground of what was not durable"
    assert player.last == number, "shown before it was durable"
    release()
    await at.until(lambda: tag in player.answers and bad in player.answers and player.last > number)
    assert not player.answers[tag].reason
    assert player.answers[bad].reason == "WRONG_PHASE"
    answers = [a for a in at.events(e.Answered) if a.seat == 0 and a.question == question.number]
    assert len(answers) == 1, "an append whose answer was lost is the same append"


@lab
async def test_a_repeat_in_flight_waits_for_the_same_acknowledgement(at: Lab) -> None:
    await at.host().take()
    await table(at, "p_a")
    door = await at.door()
    player = Player(door, "p_a", TABLE, random.Random(1))
    await player.play(until=lambda one: bool(one.view.play.HasField("question")))
    question = player.view.play.question
    release = hold_acks(at)
    act = p.Act(round_id=player.view.play.round_id, question=question.number, action=question.actions[0])
    tags = [door.next_tag(), door.next_tag()]
    for tag in tags:
        await door.send("p_a", player.session, tag, p.TableCommand(table_id=TABLE, act=act))
    await at.clock.sleep(1.0)
    assert not player.answers.keys() & set(tags)
    release()
    await at.until(lambda: set(tags) <= player.answers.keys())
    assert all(not player.answers[tag].reason for tag in tags)
    assert len([a for a in at.events(e.Answered) if a.seat == 0 and a.question == question.number]) == 1


@lab
async def test_a_fenced_owner_answers_shows_and_publishes_nothing(at: Lab) -> None:
    old, new = at.host("old"), at.host("new")
    shard = await old.take()
    await table(at, "p_a")
    door = await at.door()
    player = Player(door, "p_a", TABLE, random.Random(1))
    await player.play(until=lambda one: bool(one.view.play.HasField("question")))
    question = player.view.play.question
    pause(old)
    after = await new.take()
    assert after.epoch > shard.epoch
    # The zombie still holds its subscriptions: it hears the answer as the new owner does.
    resume(old)
    act = p.Act(round_id=player.view.play.round_id, question=question.number, action=question.actions[0])
    answer = await player.say(act=act)
    assert not answer.reason
    await at.until(lambda: old.lost)
    assert shard.is_dropped
    assert len([a for a in at.events(e.Answered) if a.seat == 0 and a.question == question.number]) == 1
    await player.play()
    assert player.view.phase == "finished"


@lab
async def test_an_owner_that_hears_of_an_unknown_question_checks_the_log_before_it_answers(at: Lab) -> None:
    host = at.host()
    await host.take()
    await table(at, "p_a")
    player = Player(await at.door(), "p_a", TABLE, random.Random(1))
    await player.play(until=lambda one: bool(one.view.play.HasField("question")))
    question = player.view.play.question
    act = p.Act(round_id=player.view.play.round_id, question=question.number + 1, action=question.actions[0])
    asked = 0
    last = host.bus.last

    async def counted(subject: str) -> Any:
        nonlocal asked
        asked += 1
        return await last(subject)

    host.bus.last = counted  # type: ignore[method-assign]
    answers = await asyncio.gather(*(player.say(act=act) for _ in range(5)))
    assert {answer.reason for answer in answers} == {"UNKNOWN_QUESTION"}
    assert asked <= 2, "the log is asked once for all that wait"
    before = at.clock.monotonic()
    assert (await player.say(act=act)).reason == "UNKNOWN_QUESTION"
    waited = at.clock.monotonic() - before
    assert waited >= doubts.DOUBT_PAUSE_S * 0.5, "the log is asked once a second at most"


@lab
async def test_a_zombie_that_hears_of_a_question_it_does_not_know_drops_the_shard_in_silence(at: Lab) -> None:
    old, new = at.host("old"), at.host("new")
    shard = await old.take()
    await table(at, "p_a", "p_b")
    door = await at.door()
    players = [Player(door, name, TABLE, random.Random(name)) for name in ("p_a", "p_b")]
    async with asyncio.TaskGroup() as tasks:
        for player in players:
            tasks.create_task(player.play(until=lambda one: one.view.phase == "playing"))
    # The new owner serves; the old one sleeps, and the players go on.
    pause(old)
    await new.take()
    async with asyncio.TaskGroup() as tasks:
        for player in players:
            tasks.create_task(
                player.play(until=lambda one: len(one.accepted) >= 2 or one.view.phase == "finished")
            )
    resume(old)
    async with asyncio.TaskGroup() as tasks:
        for player in players:
            tasks.create_task(player.play())
    await at.until(lambda: shard.is_dropped)
    assert all(player.view.phase == "finished" for player in players)


@lab
async def test_the_log_is_read_again_when_a_purge_passes_the_reader(at: Lab) -> None:
    host = at.host()
    shard = await host.take()
    await table(at, "p_a", timing=FAST)
    player = Player(await at.door(), "p_a", TABLE, random.Random(1))
    await player.play(until=lambda one: len(one.accepted) >= 2)
    await shard.release()
    reader = at.host("reader")
    read = reader.bus.read
    reads = 0

    def holed(subject: str, from_seq: int = 1) -> Any:
        nonlocal reads
        reads += 1

        async def entries() -> Any:
            count = 0
            async for entry in read(subject, from_seq):
                count += 1
                if not (reads == 1 and count == 3):
                    yield entry

        return entries()

    reader.bus.read = holed  # type: ignore[method-assign]
    after = await reader.take()
    assert reads == 2
    assert TABLE in after.tables.live
    await player.play()


@lab
async def test_checkpoints_roll_and_the_log_is_purged_below_them_and_nothing_is_lost(at: Lab) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tables, "CHECKPOINT_AFTER", 20)
        patch.setattr(tables, "PURGE_AFTER", 5)
        host = at.host()
        await host.take()
        await table(at, "p_a", rounds=4, timing=FAST)
        player = Player(await at.door(), "p_a", TABLE, random.Random(1))
        await player.play(until=lambda one: one.view.round_no >= 3 and len(one.accepted) > 6)
        await at.until(lambda: at.events(e.TableCheckpoint))
        first, _ = at.log()[0]
        assert first > 20, "the log was never purged"
        assert not at.events(e.TableCreated), "the creation is purged; its table lives on in a checkpoint"
        await host.kill()
        after = await at.host("after").take()
        assert after.tables.live[TABLE].s.rounds_played >= 2
        await player.play()
        assert player.view.match_end.rounds_played == 4


@lab
async def test_messages_are_kept_for_whoever_copies_the_log_and_a_new_owner_reads_over_them(at: Lab) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tables, "CHECKPOINT_AFTER", 20)
        patch.setattr(tables, "PURGE_AFTER", 10)
        host = at.host()
        host.means = replace(host.means, log_kept=60)
        await host.take()
        await table(at, "p_a", rounds=4, timing=FAST)
        player = Player(await at.door(), "p_a", TABLE, random.Random(1))
        await player.play(until=lambda one: at.log()[0][0] > 1 and one.view.round_no >= 3)
        entries = at.log()
        checkpoints = [
            seq for seq, batch in entries for _, event in batch if isinstance(event, e.TableCheckpoint)
        ]
        assert len([seq for seq, _ in entries if seq < checkpoints[-1]]) >= 60
        await host.kill()
        after = await at.host("after").take()
        assert TABLE in after.tables.live
        await player.play()
        assert player.view.match_end.rounds_played == 4


@lab
async def test_a_finished_round_is_published_by_the_next_owner_if_the_first_could_not(at: Lab) -> None:
    first = at.host("first")
    await first.take()
    await table(at, "p_a", timing=FAST)
    player = Player(await at.door(), "p_a", TABLE, random.Random(1))
    publish = first.bus.publish

    async def only_openings(message: Any, event_id: str) -> int:
        if isinstance(message, RoundOpened):
            return await publish(message, event_id)
        raise Outage("the stream is out of reach")

    first.bus.publish = only_openings  # type: ignore[method-assign]
    await player.play()
    ended = at.events(e.RoundEnded)
    assert len(ended) == 1
    assert not at.broker.stream("ROUNDS").lasts.get("paiju.table.round_finished.paohuzi")
    await first.kill()
    second = at.host("second")
    await second.take()
    await at.until(lambda: at.broker.stream("ROUNDS").lasts.get("paiju.table.round_finished.paohuzi"))
    seq = at.broker.stream("ROUNDS").lasts["paiju.table.round_finished.paohuzi"]
    fact = RoundFinished.FromString(at.broker.stream("ROUNDS").messages[seq].payload)
    assert fact.record == ended[0].record
    await at.until(lambda: [d for d in at.events(e.OutboxDone) if d.key == "match"])
    assert [d.key for d in at.events(e.OutboxDone)] == ["finished/1", "match"], "as they were owed"
    assert second.records.kept[fact.round_id] == fact


@lab
async def test_a_stake_is_asked_for_again_under_the_same_name_until_the_bank_answers(at: Lab) -> None:
    bank = MemoryBank()
    bank.outages = 4
    await at.host(bank=bank).take()
    await table(at, "p_a", stake=STAKE)
    player = Player(await at.door(), "p_a", TABLE, random.Random(1))
    await player.play(until=lambda one: one.view.phase == "playing")
    assert bank.open == {(TABLE, seat): 1000 for seat in range(3)}
    assert [seat.stake for seat in player.view.seats] == [1000] * 3


@lab
async def test_a_seat_whose_stake_is_refused_is_not_taken_and_the_match_ends_unplayed(at: Lab) -> None:
    bank = MemoryBank()
    bank.refuse["p_a"] = "PERMISSION_DENIED"
    await at.host(bank=bank).take()
    timing = '{"seat_ms":3000}'
    await table(at, "p_a", stake=STAKE, timing=timing)
    player = Player(await at.door(), "p_a", TABLE, random.Random(1))
    await player.attach()
    assert (await player.say("sit", sit=p.Sit())).reason == "PERMISSION_DENIED"
    await at.until(lambda: player.view.phase == "finished")
    assert player.view.match_end.cause == "left"
    await at.until(lambda: len(bank.closed) == 3)
    assert not at.events(e.RoundOpened)


@lab
async def test_creating_a_table_twice_makes_one_and_other_content_is_refused(at: Lab) -> None:
    await at.host().take()
    calls = at.calls()
    made = Create(TABLE, spec("p_a", timing=CALM))
    first = await calls.about(made)
    assert await calls.about(made) == first
    with pytest.raises(Refusal, match="TABLE_EXISTS"):
        await calls.about(Create(TABLE, spec("p_b", timing=CALM)))
    assert len(at.events(e.TableCreated)) == 1


@lab
async def test_calls_about_a_table_are_answered_by_the_owner_wherever_they_land(at: Lab) -> None:
    await at.host().take()
    calls = at.calls()
    with pytest.raises(Refusal, match="TABLE_UNKNOWN"):
        await calls.about(Get("0-nobody1"))
    with pytest.raises(Outage):
        await calls.about(Get("1-nobody1"))
    await table(at, "p_a")
    (found,) = await calls.about(Get(TABLE))
    assert found.phase == "seating"
    assert [seat.player_id for seat in found.seats] == ["p_a", "bot:random", "bot:random"]
    assert [one.table_id for one in await calls.call("0", Seats("p_a"))] == [TABLE]
    assert await calls.call("0", Seats("p_b")) == ()
    await calls.about(Close(TABLE, "CLOSED"))
    (found,) = await calls.about(Get(TABLE))
    assert found.phase == "finished"
    assert await calls.call("0", Seats("p_a")) == ()


@lab
async def test_a_dispute_suspends_the_match_until_the_house_closes_it(at: Lab) -> None:
    await at.host().take()
    await table(at, "p_a", rounds=3, timing=FAST.replace('"between_ms":0', '"between_ms":5000'))
    player = Player(await at.door(), "p_a", TABLE, random.Random(1))
    async with at.clock.timeout(60):
        await player.play(until=lambda one: one.view.phase == "between")
    calls = at.calls()
    for _ in range(2):
        await calls.about(Note(TABLE, e.Audited(0, 1, False, "test 1")))
    assert len(at.events(e.Audited)) == 1, "the same audit again is nothing new"
    await at.until(lambda: player.view.paused.reason == "ROUND_DISPUTED")
    await at.clock.sleep(30)
    assert len(at.events(e.RoundOpened)) == 1
    assert player.view.phase == "between"
    await calls.about(Close(TABLE, "CLOSED"))
    await at.until(lambda: player.view.phase == "finished")
    assert player.view.match_end.cause == "voided"
    assert player.view.settlement.verdict == "DISPUTED"


@lab
async def test_a_dispute_that_comes_late_suspends_the_match_after_the_round_in_play(at: Lab) -> None:
    await at.host().take()
    await table(at, "p_a", rounds=5, timing=CALM)
    player = Player(await at.door(), "p_a", TABLE, random.Random(1))
    playing = asyncio.ensure_future(player.play())
    await at.until(lambda: len(at.events(e.RoundOpened)) == 2)
    await at.calls().about(Note(TABLE, e.Audited(0, 1, False, "test 1")))
    await at.until(lambda: player.view.paused.reason == "ROUND_DISPUTED")
    await at.clock.sleep(30)
    assert len(at.events(e.RoundOpened)) == 2
    playing.cancel()


async def disputed(at: Lab, **more: Any) -> tuple[Player, Calls]:
    """Return a player at a table whose first round waits for a person."""
    await table(at, "p_a", rounds=3, timing=FAST.replace('"between_ms":0', '"between_ms":5000'), **more)
    player = Player(await at.door(), "p_a", TABLE, random.Random(1))
    async with at.clock.timeout(60):
        await player.play(until=lambda one: one.view.phase == "between")
    calls = at.calls()
    await calls.about(Note(TABLE, e.Audited(0, 1, False, "test 1")))
    await at.until(lambda: player.view.paused.reason == "ROUND_DISPUTED")
    return player, calls


@lab
async def test_a_match_that_waits_for_a_person_ends_after_a_minute_and_its_stakes_are_asked_to_close(
    at: Lab,
) -> None:
    bank = MemoryBank()
    await at.host(bank=bank).take()
    player, _ = await disputed(at, stake=STAKE)
    began = at.clock.now_ms()
    await at.until(lambda: player.view.phase == "finished", 90)
    assert at.clock.now_ms() - began == pytest.approx(DISPUTE_WAIT_MS, abs=2_000)
    assert player.view.match_end.cause == "disputed"
    await at.until(lambda: len(bank.closed) == 3)
    assert player.view.settlement.verdict == "DISPUTED", "economy keeps them until somebody has decided"


@lab
async def test_a_new_owner_goes_on_counting_the_same_minute(at: Lab) -> None:
    await at.host().take()
    player, _ = await disputed(at)
    began = at.clock.now_ms()
    await at.clock.sleep(40)
    await at.host("other").take()
    await player.attach()
    await at.until(lambda: player.view.phase == "finished", 90)
    assert at.clock.now_ms() - began == pytest.approx(DISPUTE_WAIT_MS, abs=6_000)
    assert player.view.match_end.cause == "disputed"


@lab
async def test_who_leaves_while_a_round_waits_ends_the_match_at_once(at: Lab) -> None:
    await at.host().take()
    player, _ = await disputed(at)
    began = at.clock.now_ms()
    await player.say("bye", leave=p.Leave())
    await at.until(lambda: player.view.phase == "finished")
    assert at.clock.now_ms() - began < 5_000
    assert player.view.match_end.cause == "left"


@lab
async def test_a_match_goes_on_when_the_engine_was_right(at: Lab) -> None:
    await at.host().take()
    player, calls = await disputed(at)
    await calls.about(Note(TABLE, e.Settled(0, 1, (), (), "ENGINE")))
    await at.until(lambda: player.view.settlement.settled)
    assert player.view.settlement.verdict == "DECIDED"
    await at.until(lambda: len(at.events(e.RoundOpened)) == 2)
    assert not player.view.paused.reason


async def overruled(at: Lab, outcome: str) -> Player:
    """Return a player whose match has ended because a person found the engine wrong."""
    await at.host().take()
    player, calls = await disputed(at)
    began = at.clock.now_ms()
    await calls.about(Note(TABLE, e.Settled(0, 1, (), (), outcome)))
    await at.until(lambda: player.view.phase == "finished")
    assert at.clock.now_ms() - began < 5_000
    assert player.view.match_end.cause == "disputed"
    assert len(at.events(e.RoundOpened)) == 1
    return player


@lab
async def test_a_match_whose_engine_was_wrong_goes_on_no_more(at: Lab) -> None:
    player = await overruled(at, "SCORING")
    assert player.view.settlement.verdict == "DECIDED"


@lab
async def test_a_match_whose_round_was_voided_goes_on_no_more(at: Lab) -> None:
    player = await overruled(at, "VOID")
    assert player.view.settlement.verdict == "VOIDED"
    assert player.view.settlement.settled


@lab
async def test_a_round_that_scoring_agreed_to_can_still_wait_for_a_person(at: Lab) -> None:
    await at.host().take()
    await table(at, "p_a", rounds=3, timing=FAST.replace('"between_ms":0', '"between_ms":5000'), stake=STAKE)
    player = Player(await at.door(), "p_a", TABLE, random.Random(1))
    async with at.clock.timeout(60):
        await player.play(until=lambda one: one.view.phase == "between")
    calls = at.calls()
    await calls.about(Note(TABLE, e.Audited(0, 1, True, "test 1")))
    for _ in range(2):
        await calls.about(Note(TABLE, e.Audited(0, 1, False, "paiju-economy")))
    assert len(at.events(e.Audited)) == 2, "the same again is nothing new"
    await at.until(lambda: player.view.paused.reason == "ROUND_DISPUTED")
    await calls.about(Note(TABLE, e.Settled(0, 1, (0, 0, 0), (1000, 1000, 1000), "ENGINE")))
    await calls.about(Note(TABLE, e.Audited(0, 1, False, "late")))
    assert len(at.events(e.Audited)) == 2, "a decided round waits no more"


@lab
async def test_a_table_hears_what_waits_for_a_person_and_what_he_decided(at: Lab) -> None:
    await at.host().take()
    await table(at, "p_a", rounds=3, timing=FAST.replace('"between_ms":0', '"between_ms":5000'), stake=STAKE)
    player = Player(await at.door(), "p_a", TABLE, random.Random(1))
    async with at.clock.timeout(60):
        await player.play(until=lambda one: one.view.phase == "between")
    ears = Ears(at.calls())

    async def hear(message: Message) -> None:
        await ears.on_settlements([Delivery(message, "e", 1, "s", 1, 0)])

    waits = RoundDisputed(
        round_id=f"{TABLE}/1", match_id=TABLE, round_no=1, table_id=TABLE, cause="stakes_missing"
    )
    await hear(waits)
    await at.until(lambda: player.view.paused.reason == "ROUND_DISPUTED")
    settled = DisputeResolved(round_no=1, table_id=TABLE, outcome=OUTCOME_ENGINE, for_coins=True)
    await hear(settled)
    assert not at.events(e.Settled), "its coins are told by RoundSettled"
    seats = [SettledSeat(seat=seat, coins=0, stake_after=1_000) for seat in range(3)]
    await hear(RoundSettled(round_no=1, table_id=TABLE, seats=seats, for_coins=True, decided=OUTCOME_ENGINE))
    await at.until(lambda: len(at.events(e.RoundOpened)) == 2)
    async with at.clock.timeout(60):
        await player.play(until=lambda one: one.view.phase == "between" and one.view.round_no == 2)
    waits.round_no, settled.round_no, settled.outcome = 2, 2, OUTCOME_VOID
    await hear(waits)
    await hear(settled)
    await at.until(lambda: player.view.phase == "finished")
    assert player.view.settlement.verdict == "VOIDED"
    assert [event.outcome for event in at.events(e.Settled)] == ["ENGINE", "VOID"]


@lab
async def test_the_newest_connection_of_a_player_wins_and_an_old_goodbye_does_not_count(at: Lab) -> None:
    await at.host().take()
    await table(at, "p_a", timing='{"seat_ms":60000}')
    door = await at.door()
    old = Player(door, "p_a", TABLE, random.Random(1), session="old")
    new = Player(door, "p_a", TABLE, random.Random(1), session="new")
    await old.attach()
    await new.attach()
    await at.until(lambda: old.detached)
    assert old.detached == "REPLACED"
    await old.say(detach=p.Detach())
    await at.clock.sleep(0.5)
    assert new.view.seats[0].online
    await new.say(detach=p.Detach())
    (found,) = await at.calls().about(Get(TABLE))
    assert not found.seats[0].online


@lab
async def test_tables_and_spectators_beyond_the_most_are_refused_and_seats_are_not(at: Lab) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(calls_module, "TABLES_PER_SHARD_MAX", 1)
        patch.setattr(desk, "SESSIONS_PER_TABLE_MAX", 2)
        await at.host().take()
        await table(at, "p_a", timing='{"seat_ms":60000}')
        with pytest.raises(Refusal, match="SHARD_BUSY"):
            await at.calls().about(Create("0-second1", spec("p_a", timing=CALM)))
        door = await at.door()
        reasons = []
        for number in range(3):
            watcher = Player(door, f"p_w{number}", TABLE, random.Random(1), spectate=True)
            reasons.append((await watcher.attach()).reason)
        assert reasons == ["", "", "SHARD_BUSY"]
        assert not (await Player(door, "p_a", TABLE, random.Random(1)).attach()).reason


@lab
async def test_a_stranger_may_watch_only_where_spectators_are_allowed(at: Lab) -> None:
    await at.host().take()
    await at.calls().about(Create("0-closed1", spec("p_a", timing=CALM, spectators=False)))
    door = await at.door()
    for spectate, reason in ((False, "NOT_SEATED"), (True, "SPECTATORS_NOT_ALLOWED")):
        stranger = Player(
            door, "p_x", "0-closed1", random.Random(1), spectate=spectate, session=f"s{spectate}"
        )
        assert (await stranger.attach()).reason == reason
        assert not stranger.frames
        assert not stranger.view.table_id


@lab
async def test_what_got_lost_on_the_way_is_asked_for_and_a_long_absence_gets_a_view(at: Lab) -> None:
    await at.host().take()
    await table(at, "p_a", rounds=2, timing=FAST)
    door = await at.door()
    player = Player(door, "p_a", TABLE, random.Random(1))
    twin = Player(door, "p_b", TABLE, random.Random(1), spectate=True)
    at.faults.lose_told, at.faults.active = 0.2, True
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(player.play())
        tasks.create_task(twin.play())
    at.faults.active = False
    late = Player(door, "p_a", TABLE, random.Random(1), session="late")
    await late.attach()
    await player.attach()
    player.check_view(late.view)
    assert late.view == player.view


@lab
async def test_after_a_takeover_every_deadline_has_grace_and_a_forfeit_waits(at: Lab) -> None:
    first = at.host("first")
    await first.take()
    await table(at, "p_a", timing=CALM)
    player = Player(await at.door(), "p_a", TABLE, random.Random(1))
    await player.play(until=lambda one: bool(one.view.play.HasField("question")))
    question = player.view.play.question.number
    await first.kill()
    await at.clock.sleep(60)
    before = at.clock.now_ms()
    await at.host("second").take()
    await player.attach()
    assert player.view.play.question.number == question
    assert player.view.play.question.deadline_at_ms >= before + 1_000
    await at.clock.sleep(0.9)
    assert not [a for a in at.events(e.Answered) if a.cause == "timeout"]
    await at.until(lambda: [a for a in at.events(e.Answered) if a.cause == "timeout"])


@lab
async def test_nobodys_time_runs_out_while_the_log_is_out_of_reach(at: Lab) -> None:
    await at.host().take()
    await table(at, "p_a", "p_b", timing=CALM)
    door = await at.door()
    players = [Player(door, name, TABLE, random.Random(name)) for name in ("p_a", "p_b")]
    async with asyncio.TaskGroup() as tasks:
        for player in players:
            tasks.create_task(player.play(until=lambda one: one.view.phase == "playing"))
    release = hold_acks(at)
    leaving = asyncio.ensure_future(players[0].say(detach=p.Detach()))
    await at.clock.sleep(30)
    assert not [a for a in at.events(e.Answered) if a.cause == "timeout"]
    release()
    await at.until(lambda: at.events(e.ShardStalled))
    await leaving
    stalled = at.events(e.ShardStalled)[0]
    await at.until(lambda: [a for a in at.events(e.Answered) if a.cause == "timeout"])
    late = next(a for a in at.events(e.Answered) if a.cause == "timeout")
    assert late.at >= stalled.at + tables.STALL_GRACE_MS


@lab
async def test_a_takeover_that_takes_longer_than_its_grace_grants_another(at: Lab) -> None:
    first = at.host("first")
    await first.take()
    await table(at, "p_a", timing=CALM)
    player = Player(await at.door(), "p_a", TABLE, random.Random(1))
    await player.play(until=lambda one: bool(one.view.play.HasField("question")))
    await first.kill()
    release = hold_acks(at)
    taking = asyncio.ensure_future(at.host("second").take())
    await at.clock.sleep(30)
    release()
    await taking
    served = at.clock.now_ms()
    await at.until(lambda: [a for a in at.events(e.Answered) if a.cause == "timeout"])
    late = next(a for a in at.events(e.Answered) if a.cause == "timeout")
    assert late.at >= served + tables.STALL_GRACE_MS


@lab
async def test_nobodys_time_runs_out_while_the_owner_stands_still(at: Lab) -> None:
    clock = ProcessClock(0)
    await Host(at.bus("stopped"), clock, SeededIds("stopped"), name="stopped").take()
    await table(at, "p_a", timing=CALM)
    player = Player(await at.door(), "p_a", TABLE, random.Random(1))
    await player.play(until=lambda one: bool(one.view.play.HasField("question")))
    deadline = player.view.play.question.deadline_at_ms
    clock.stop()
    await at.clock.sleep(60)
    clock.go_on()
    went_on = clock.now_ms()
    assert went_on > deadline
    await at.clock.sleep(tables.STALL_GRACE_MS / 1000 - 0.1)
    assert not [a for a in at.events(e.Answered) if a.cause == "timeout"]
    asked = player.view.play
    act = p.Act(round_id=asked.round_id, question=asked.question.number, action=asked.question.actions[0])
    answer = await player.say(act=act)
    assert not answer.reason, "what was asked before may still be answered"
    assert [s.grace_ms for s in at.events(e.ShardStalled)] == [tables.STALL_GRACE_MS]


@lab
async def test_a_table_whose_rules_break_is_frozen_and_the_others_play_on(at: Lab) -> None:
    host = at.host()
    shard = await host.take()
    await table(at, "p_a", timing=CALM)
    await at.calls().about(Create("0-other1", spec("p_c", timing=FAST)))
    door = await at.door()
    player = Player(door, "p_a", TABLE, random.Random(1))
    await player.play(until=lambda one: bool(one.view.play.HasField("question")))

    def break_down(seat: int, action: str) -> Any:
        raise ZeroDivisionError

    class Broken:
        def __init__(self, position: Any) -> None:
            self._position = position
            self.apply = break_down

        def __getattr__(self, name: str) -> Any:
            return getattr(self._position, name)

    live = shard.tables.live[TABLE]
    live.position = Broken(live.position)
    question = player.view.play.question
    act = p.Act(round_id=player.view.play.round_id, question=question.number, action=question.actions[0])
    unanswered = asyncio.ensure_future(player.say(act=act))
    await at.until(lambda: player.view.paused.reason == "TABLE_FROZEN")
    assert not [a for a in at.events(e.Answered) if a.seat == 0], "what broke is not in the log"
    assert (await unanswered).reason == "TABLE_FROZEN"
    assert (await player.say("bye", leave=p.Leave())).reason == "TABLE_FROZEN"
    other = Player(door, "p_c", "0-other1", random.Random(1))
    await other.play()
    assert other.view.phase == "finished"
    await host.kill()
    after = await at.host("after").take()
    assert after.tables.live[TABLE].s.frozen
    await at.calls().about(Close(TABLE, "CLOSED"))
    await player.play()
    assert player.view.match_end.cause == "voided"


@lab
async def test_a_table_that_cannot_be_replayed_is_frozen_and_does_not_take_its_shard_with_it(at: Lab) -> None:
    """A new version of the rules may refuse what an old one has logged."""
    first = at.host("first")
    old = await first.take()
    await table(at, "p_a", timing=CALM)
    await at.calls().about(Create("0-other1", spec("p_c", timing=FAST)))
    door = await at.door()
    player = Player(door, "p_a", TABLE, random.Random(1))
    await player.play(until=lambda one: len(one.accepted) >= 2)
    await first.kill()
    bad = player.accepted[-1].action
    round_ = old.tables.live[TABLE].round
    places = wall_order(round_.seed, f"{TABLE}/1", round_.nonces, 80)
    its_wall = [GAMES["paohuzi"].deck()[place] for place in places]

    class NewRules:
        def __init__(self, game: Any) -> None:
            self._game = game

        def __getattr__(self, name: str) -> Any:
            return getattr(self._game, name)

        def deal(self, rules: Any, wall: Any, dealer: int, draws_in_row: int = 0) -> Any:
            position = self._game.deal(rules, wall, dealer, draws_in_row)
            apply = position.apply

            class Strict:
                def __getattr__(self, name: str) -> Any:
                    return getattr(position, name)

                def apply(self, seat: int, action: str) -> Any:
                    if list(wall) == its_wall and (seat, action) == (0, bad):
                        raise IllegalAction(seat, action)
                    return apply(seat, action)

            return Strict()

    games: Any = {"paohuzi": NewRules(GAMES["paohuzi"])}
    for name in ("second", "third"):
        host = at.host(name)
        host.means = replace(host.means, games=games)
        shard = await host.take()
        await shard.done()
        assert shard.tables.live[TABLE].s.frozen
        assert len(at.events(e.TableFrozen)) == 1, "it is frozen once"
        if name == "second":
            await host.kill()
    await player.attach()
    assert player.view.paused.reason == "TABLE_FROZEN"
    assert (await player.say("bye", leave=p.Leave())).reason == "TABLE_FROZEN"
    other = Player(door, "p_c", "0-other1", random.Random(1))
    async with at.clock.timeout(300):
        await other.play()
    assert other.view.phase == "finished"
    await at.calls().about(Close(TABLE, "CLOSED"))
    await at.until(lambda: player.view.phase == "finished")
    assert player.view.match_end.cause == "voided"


@lab
async def test_oversized_and_unreadable_commands_change_nothing(at: Lab) -> None:
    host = at.host()
    shard = await host.take()
    await table(at, "p_a")
    door = await at.door()
    player = Player(door, "p_a", TABLE, random.Random(1))
    await player.attach()
    staged = shard.journal.applied
    assert (await player.say("x" * 5_000, ready=p.Ready())).reason == "MESSAGE_TOO_LARGE"
    assert (await player.say()).reason == "INVALID_ARGUMENT"
    with pytest.raises(Outage):
        await door.bus.request("paiju.table.cmd.0", b"\xff\xff\xff", timeout_s=0.5)
    stranger = Player(door, "p_a", "0-nobody1", random.Random(1), session="elsewhere")
    assert (await stranger.attach()).reason == "TABLE_UNKNOWN"
    assert shard.journal.applied == staged

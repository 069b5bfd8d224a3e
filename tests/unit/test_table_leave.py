"""Watching by leave: who is asked, who may answer, and what becomes of it, on a virtual clock."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import pytest
from msgspec.structs import replace
from paiju.table.v1 import play_pb2 as p
from paiju.table.v1.wire_pb2 import Watching

from services.chassis.errors import Refusal
from services.table import leave
from services.table.calls import Close, Create
from services.table.core import events as e
from services.table.core.commands import LET_IN_MAX
from services.table.shard import Shard
from services.table.watch_calls import MayLike
from tests.simulation.client import Door, Player
from tests.simulation.tables import Host, spec
from tests.unit.test_table_shard import TABLE, Lab, lab

SLOW = '{"claim_pause_ms":700,"nonce_ms":300,"between_ms":3000,"turn_ms":600000,"claim_ms":600000}'
DELAY_MS = 5_000


class Person(Player):
    """Somebody at the table, or who wants to watch it; keeps what he is told of those who watch."""

    idle_s = 600.0

    def __init__(self, door: Door, name: str, *, spectate: bool = False, session: str = "") -> None:
        super().__init__(door, name, TABLE, random.Random(name), spectate=spectate, session=session)
        self.said: list[Watching] = []

    def hear(self, epoch: int, table_id: str, out: Any) -> None:
        if out.WhichOneof("body") == "watching":
            self.said.append(Watching.FromString(out.watching.SerializeToString()))
        super().hear(epoch, table_id, out)

    async def watch(self) -> str:
        return (await self.attach()).reason

    async def let(self, name: str, command_id: str, *, allow: bool) -> str:
        body = p.LetWatch(player_id=name, allow=allow)
        return (await self.say(command_id, let_watch=body)).reason

    @property
    def asked_by(self) -> Sequence[str]:
        return [ask.player_id for ask in self.said[-1].asks] if self.said else []

    @property
    def let_in(self) -> Sequence[str]:
        return list(self.said[-1].let_in) if self.said else []


async def opened(at: Lab, *people: str, host: Host | None = None) -> tuple[Shard, Door, list[Person]]:
    """Return the owner of a table whose watchers need leave, and its people, who play."""
    shard = await (host or at.host()).take()
    made = spec(*people, rounds=2, timing=SLOW, spectators=False)
    await at.calls().about(Create(TABLE, replace(made, watch_leave=True, watch_delay_ms=DELAY_MS)))
    door = await at.door()
    seats = [Person(door, name) for name in people]
    for seat in seats:
        await seat.attach()
        await seat.say("sit", sit=p.Sit())
    await at.until(lambda: seats[0].view.phase == "playing")
    return shard, door, seats


@lab
async def test_who_asks_waits_until_a_seat_lets_him_in_and_is_shown_the_table_late(at: Lab) -> None:
    shard, door, (ann, bob) = await opened(at, "p_ann", "p_bob")
    eve = Person(door, "p_eve", spectate=True)
    assert await eve.watch() == "WATCH_LEAVE_PENDING"
    await at.clock.sleep(0.1)
    for seat in (ann, bob):
        assert seat.asked_by == ["p_eve"]
    assert shard.watchers.watched() == {}
    assert not eve.view.table_id
    assert await bob.let("p_eve", "yes", allow=True) == ""
    await at.clock.sleep(0.1)
    for seat in (ann, bob):
        assert (seat.asked_by, seat.let_in) == ([], ["p_eve"])
    opening = ann.view.opening
    assert await eve.watch() == ""
    await at.until(lambda: eve.view.phase == "playing")
    assert eve.view.opening == opening
    assert eve.view.seat == -1
    assert not eve.view.play.HasField("question")
    await ann.attach()
    await at.clock.sleep(1.5)
    assert (ann.said[-1].viewers, ann.said[-1].delay_ms, ann.let_in) == (1, DELAY_MS, ["p_eve"])
    again = Person(door, "p_eve", spectate=True, session="another")
    assert await again.watch() == "", "leave is a person's, not a connection's"


@lab
async def test_one_no_is_a_no_for_a_minute_whoever_says_it(at: Lab) -> None:
    _, door, (ann, bob) = await opened(at, "p_ann", "p_bob")
    eve = Person(door, "p_eve", spectate=True)
    await eve.watch()
    assert await ann.let("p_eve", "no", allow=False) == ""
    assert await eve.watch() == "WATCH_LEAVE_REFUSED"
    assert await ann.let("p_eve", "no", allow=False) == "", "a repeat gets the first answer"
    assert await ann.let("p_eve", "no", allow=True) == "COMMAND_ID_REUSED"
    assert await bob.let("p_eve", "no", allow=False) == "", "said already"
    assert await bob.let("p_eve", "yes", allow=True) == "WATCH_NOT_ASKED", "he does not ask any more"
    await at.clock.sleep(leave.REFUSED_S - 5)
    assert await eve.watch() == "WATCH_LEAVE_REFUSED"
    await at.clock.sleep(6)
    assert await eve.watch() == "WATCH_LEAVE_PENDING"
    assert [(let.player, let.allow) for let in at.events(e.WatchLet)] == [("p_eve", False)]


@lab
async def test_who_is_sent_away_hears_so_and_is_shown_nothing_more(at: Lab) -> None:
    shard, door, (ann, bob) = await opened(at, "p_ann", "p_bob")
    eve = Person(door, "p_eve", spectate=True)
    await eve.watch()
    await ann.let("p_eve", "yes", allow=True)
    assert await bob.let("p_eve", "yes too", allow=True) == "", "let in already"
    assert await eve.watch() == ""
    await at.until(lambda: eve.view.phase == "playing")
    frames = len(eve.frames)
    assert await bob.let("p_eve", "away", allow=False) == ""
    await at.until(lambda: eve.detached == "WATCH_SENT_AWAY")
    assert shard.watchers.watched() == {}
    await ann.say("auto", set_auto_play=p.SetAutoPlay(on=True))
    await bob.say("auto", set_auto_play=p.SetAutoPlay(on=True))
    await at.clock.sleep(DELAY_MS / 1000 + 2)
    assert len(ann.frames) > 3
    assert len(eve.frames) == frames
    assert await eve.watch() == "WATCH_LEAVE_REFUSED"
    assert (ann.let_in, ann.said[-1].viewers) == ([], 0)


@lab
async def test_strangers_do_not_answer_and_seats_do_not_ask(at: Lab) -> None:
    _, door, (ann, bob) = await opened(at, "p_ann", "p_bob")
    eve, mal = Person(door, "p_eve", spectate=True), Person(door, "p_mal", spectate=True)
    await eve.watch()
    for liar in (eve, mal):
        assert await liar.let("p_eve", "mine", allow=True) == "NOT_SEATED"
    assert await ann.let("p_mal", "early", allow=True) == "WATCH_NOT_ASKED"
    assert await ann.let("", "nobody", allow=True) == "WATCH_NOT_ASKED"
    second = Person(door, "p_ann", spectate=True, session="second")
    assert await second.watch() == "SEATED_HERE"
    assert not bob.asked_by or bob.asked_by == ["p_eve"]
    await bob.say("leave", leave=p.Leave())
    assert await bob.let("p_eve", "late", allow=True) == "PLAYER_LEFT"
    assert at.events(e.WatchLet) == []


@lab
async def test_a_flood_of_askers_is_bounded_and_who_goes_away_waits_no_more(at: Lab) -> None:
    _, door, (ann, _) = await opened(at, "p_ann", "p_bob")
    askers = [Person(door, f"p_{number}", spectate=True) for number in range(20)]
    answers = [await asker.watch() for asker in askers]
    assert answers.count("WATCH_LEAVE_PENDING") == leave.ASKS_MAX
    assert set(answers[leave.ASKS_MAX :]) == {"WATCH_ASKS_FULL"}
    await at.clock.sleep(0.1)
    assert len(ann.asked_by) == leave.ASKS_MAX
    for _ in range(7):
        await at.clock.sleep(2)
        assert await askers[0].watch() == "WATCH_LEAVE_PENDING"
    assert ann.asked_by == ["p_0"], "the others have not asked again"
    assert await ann.let("p_1", "late", allow=True) == "WATCH_NOT_ASKED"
    for _ in range(24):
        await at.clock.sleep(2)
        await askers[0].watch()
    assert await askers[0].watch() == "WATCH_LEAVE_REFUSED", "silence for a minute is a no"
    assert ann.asked_by == []
    told = len(ann.said)
    await at.clock.sleep(20)
    assert len(ann.said) == told, "nobody asks: nothing is told"


@lab
async def test_leave_outlives_its_owner_and_a_question_is_asked_again(at: Lab) -> None:
    first = at.host("first")
    _, door, (ann, bob) = await opened(at, "p_ann", "p_bob", host=first)
    eve, mal = Person(door, "p_eve", spectate=True), Person(door, "p_mal", spectate=True)
    await eve.watch()
    await ann.let("p_eve", "yes", allow=True)
    assert await eve.watch() == ""
    await mal.watch()
    await at.clock.sleep(1)
    await first.kill()
    second = await at.host("second").take()
    await ann.attach()
    assert (ann.asked_by, ann.let_in) == ([], ["p_eve"])
    assert await eve.watch() == ""
    assert second.watchers.watched() == {TABLE: 1}
    assert await bob.let("p_mal", "yes", allow=True) == "WATCH_NOT_ASKED"
    assert await mal.watch() == "WATCH_LEAVE_PENDING"
    assert await bob.let("p_mal", "yes now", allow=True) == ""
    assert await mal.watch() == ""
    assert await ann.let("p_eve", "yes", allow=True) == "", "the first answer, from the log"


@lab
async def test_no_more_are_let_in_than_may_watch_and_only_they_may_like(at: Lab) -> None:
    _, door, (ann, _) = await opened(at, "p_ann", "p_bob")
    for number in range(LET_IN_MAX + 1):
        asker = Person(door, f"p_{number}", spectate=True)
        while (reason := await asker.watch()) != "WATCH_LEAVE_PENDING":
            assert reason == "WATCH_ASKS_FULL"
            await at.clock.sleep(1)
        said = await ann.let(asker.player, f"yes-{number}", allow=True)
        assert said == ("" if number < LET_IN_MAX else "WATCHERS_FULL")
    first = Person(door, "p_0", spectate=True)
    await first.watch()
    await at.until(lambda: first.view.play.events)
    calls = at.calls()
    seen = len(first.view.play.events)
    await calls.watch(MayLike(TABLE, "p_0", 1, seen))
    for who in ("p_stranger", f"p_{LET_IN_MAX}"):
        with pytest.raises(Refusal, match="PLAY_UNKNOWN"):
            await calls.watch(MayLike(TABLE, who, 1, seen))


@lab
async def test_nobody_is_let_in_after_the_match_and_leave_ends_with_the_table(at: Lab) -> None:
    _, door, (ann, bob) = await opened(at, "p_ann", "p_bob")
    eve, mal = Person(door, "p_eve", spectate=True), Person(door, "p_mal", spectate=True)
    await eve.watch()
    await ann.let("p_eve", "yes", allow=True)
    await eve.watch()
    await mal.watch()
    await at.calls().about(Close(TABLE, "CLOSED"))
    for seat in (ann, bob):
        await seat.say("bye", dissolve_vote=p.DissolveVote(agree=True))
    await at.until(lambda: ann.view.phase == "finished", 200)
    await at.clock.sleep(1.5)
    assert ann.asked_by == []
    assert await mal.watch() == "MATCH_OVER"
    assert await ann.let("p_mal", "late", allow=True) == "MATCH_OVER"
    await at.until(lambda: eve.view.phase == "finished", 30)
    await at.until(lambda: eve.detached == "TABLE_CLOSED", 1_000)

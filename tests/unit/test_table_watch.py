"""Those who watch are shown a table late, and nothing but what everybody may read: on a virtual clock."""

from __future__ import annotations

import asyncio
import random
from typing import Any

import pytest
from msgspec.structs import replace
from paiju.table.v1 import play_pb2 as p
from paiju.table.v1 import watch_service_pb2 as w
from paiju.table.v1.wire_pb2 import Command, CommandBatch, Feed, Watching

from services.chassis.bus import subject
from services.chassis.errors import Refusal
from services.table import watch_index
from services.table.calls import Create
from services.table.core import frames as f
from services.table.core.state import SPECTATORS
from services.table.encode import FrameEncoder
from services.table.shard import Shard
from services.table.watch_calls import Live, MayLike
from services.table.watch_index import Wanted
from tests.simulation.client import Door, Player, TableFold
from tests.simulation.tables import spec
from tests.unit.test_table_shard import Lab, lab

TABLE = "0-watched1"
DELAY_MS = 30_000
LIVELY = '{"claim_pause_ms":700,"nonce_ms":300,"between_ms":3000,"turn_ms":15000,"claim_ms":10000}'
LATE_MS_MAX = 250
"""A frame that is old enough is shown within so much."""


class Watcher(Player):
    """Watches, and notes when it was shown what."""

    idle_s = 600.0

    def __init__(self, at: Lab, door: Door, name: str, *, viewers: int = 0) -> None:
        super().__init__(
            door, "" if viewers else f"p_{name}", TABLE, random.Random(1), spectate=True, session=name
        )
        self.at = at
        self.viewers = viewers
        self.shown: list[tuple[int, p.Frame]] = []
        self.views: list[tuple[int, p.TableView]] = []
        self.said: list[Watching] = []

    def hear(self, epoch: int, table_id: str, out: Any) -> None:
        now = self.at.clock.now_ms()
        kind = out.WhichOneof("body")
        if kind == "frame":
            self.shown.append((now, p.Frame.FromString(out.frame)))
        elif kind == "view":
            self.views.append((now, p.TableView.FromString(out.view)))
        elif kind == "watching":
            self.said.append(out.watching)
        super().hear(epoch, table_id, out)

    async def attach(self) -> p.CommandAnswer:
        if not self.viewers:
            return await super().attach()
        attach = p.Attach(epoch=self.epoch, number=self.last, spectate=True)
        tag = self.door.next_tag()
        command = p.TableCommand(table_id=TABLE, attach=attach)
        batch = CommandBatch(
            gateway=self.door.name,
            commands=[
                Command(session=self.session, tag=tag, command=command, feed=Feed(viewers=self.viewers))
            ],
        )
        await self.door.bus.request(subject("table", "cmd", "0"), batch.SerializeToString(), timeout_s=1.0)
        await self.at.until(lambda: tag in self.answers)
        return self.answers[tag]


class Truth:
    """All public frames of the table, as they left its owner's hands."""

    def __init__(self, shard: Shard) -> None:
        self.frames: dict[int, p.Frame] = {}
        encoder = FrameEncoder()
        shown = shard.watchers.show

        def show(table: Any, frame: f.Shown) -> None:
            assert frame.listener == SPECTATORS
            self.frames[frame.number] = p.Frame.FromString(encoder.encode(frame))
            shown(table, frame)

        shard.watchers.show = show  # type: ignore[method-assign]

    def newest(self, until_ms: int) -> int:
        """Return the number of the last frame up to a moment."""
        return max((number for number, frame in self.frames.items() if frame.at_ms <= until_ms), default=0)

    def view_at(self, number: int, like: p.TableView) -> p.TableView:
        """Return what the frames up to a number add up to, at a table with the fixed features of a view."""
        fold = TableFold()
        start = p.TableView(
            table_id=like.table_id,
            match_id=like.match_id,
            game=like.game,
            preset=like.preset,
            options_json=like.options_json,
            rounds=like.rounds,
            seat=-1,
            timing_json=like.timing_json,
            base_stake=like.base_stake,
            room_code=like.room_code,
            fee=like.fee,
            phase="seating",
        )
        fold.start(start)
        for at in range(1, number + 1):
            fold.add(self.frames[at])
        return fold.view


async def opened(
    at: Lab, *people: str, delay_ms: int = DELAY_MS, rounds: int = 2, **more: Any
) -> tuple[Shard, Truth]:
    """Return the shard that owns the table, which plays, and what is true there."""
    shard = await at.host().take()
    truth = Truth(shard)
    made = replace(spec(*people, rounds=rounds, timing=LIVELY, **more), watch_delay_ms=delay_ms)
    await at.calls().about(Create(TABLE, made))
    return shard, truth


def check(watcher: Watcher, truth: Truth, delay_ms: int = DELAY_MS) -> None:
    """Hold everything that a watcher was shown against the truth and the delay."""
    for now, frame in watcher.shown:
        assert frame == truth.frames[frame.number]
        assert frame.at_ms + delay_ms <= now, (
            f"frame {frame.number} came {now - frame.at_ms} ms after it was true"
        )
        assert now <= frame.at_ms + delay_ms + LATE_MS_MAX
    for now, view in watcher.views:
        assert view.seat == -1
        assert not view.play.HasField("question")
        assert view.number <= truth.newest(now - delay_ms), "a view knows what is too young"
        if not view.number:
            assert view == p.TableView(
                table_id=TABLE,
                match_id=TABLE,
                seat=-1,
                phase="seating",
                game=view.game,
                preset=view.preset,
                options_json=view.options_json,
                rounds=view.rounds,
                timing_json=view.timing_json,
                base_stake=view.base_stake,
                room_code=view.room_code,
                seats=[
                    p.SeatState(seat=seat.seat, player_id=seat.player_id, taken=True, online=True)
                    for seat in view.seats
                ],
            )
            continue
        assert view.number >= truth.newest(now - delay_ms - LATE_MS_MAX)
        wanted = truth.view_at(view.number, view)
        assert view == wanted, f"view {view.number} is not the fold of the frames"


@lab
async def test_whoever_comes_when_is_shown_exactly_what_was_true_before_the_delay(at: Lab) -> None:
    _, truth = await opened(at, "p_a", rounds=3)
    door, chance = await at.door(), random.Random(7)
    watchers = [Watcher(at, door, f"w{number}") for number in range(12)]
    player = Player(door, "p_a", TABLE, random.Random(3))

    async def watch(watcher: Watcher, after_s: float) -> None:
        await at.clock.sleep(after_s)
        assert not (await watcher.attach()).reason

    async with asyncio.TaskGroup() as tasks:
        playing = tasks.create_task(player.play())
        for watcher in watchers:
            tasks.create_task(watch(watcher, chance.uniform(0, 90)))
        await playing
        await at.clock.sleep(DELAY_MS / 1000 + 1)
    assert truth.frames[max(truth.frames)].HasField("match_end")
    begun_late = 0
    for watcher in watchers:
        check(watcher, truth)
        assert watcher.last == max(truth.frames), "the end is shown too"
        assert watcher.view.match_end == truth.frames[watcher.last].match_end
        begun_late += not watcher.views[0][1].number
    assert 0 < begun_late < len(watchers), "some come in time for an old view, others too early"


@lab
async def test_a_new_owner_shows_nothing_earlier_and_nothing_twice(at: Lab) -> None:
    first = at.host("first")
    truth = Truth(await first.take())
    made = replace(spec("p_a", rounds=2, timing=LIVELY), watch_delay_ms=5_000)
    await at.calls().about(Create(TABLE, made))
    door = await at.door()
    player, watcher = Player(door, "p_a", TABLE, random.Random(3)), Watcher(at, door, "gw", viewers=4)
    assert not (await watcher.attach()).reason
    await player.play(until=lambda at: len(at.accepted) >= 8)
    await first.kill()
    second = await at.host("second").take()
    later = Truth(second)
    await player.attach()
    assert not (await watcher.attach()).reason
    await player.play()
    await at.clock.sleep(6)
    frames = truth.frames | later.frames
    for now, frame in watcher.shown:
        assert frame.at_ms + 5_000 <= now
    numbers = [frame.number for _, frame in watcher.shown]
    assert numbers == sorted(set(numbers))
    assert watcher.last == max(frames)
    assert any(frame.HasField("resumed") for _, frame in watcher.shown)


@lab
async def test_a_viewer_who_claims_to_have_seen_more_learns_nothing_by_it(at: Lab) -> None:
    _, truth = await opened(at, "p_a")
    door = await at.door()
    player = Player(door, "p_a", TABLE, random.Random(3))
    await player.play(until=lambda at: len(at.accepted) >= 3)
    for number in (1, 10**6, max(truth.frames)):
        liar = Watcher(at, door, f"liar{number}")
        liar.last = number
        answer = await liar.attach()
        assert not answer.reason
        assert answer.number <= truth.newest(at.clock.now_ms() - DELAY_MS)
        check(liar, truth)
        for body in ({"ready": p.Ready()}, {"act": p.Act(round_id=f"{TABLE}/1", question=1, action="pass")}):
            said = await liar.say("x", **body)
            assert said.reason == "NOT_SEATED"
            assert said.number <= truth.newest(at.clock.now_ms() - DELAY_MS), "the answer counts young frames"


@lab
async def test_who_sits_there_may_not_watch_and_a_stranger_gets_no_seat(at: Lab) -> None:
    await opened(at, "p_a", delay_ms=0)
    door = await at.door()
    seat = Player(door, "p_a", TABLE, random.Random(1))
    assert not (await seat.attach()).reason
    second = Player(door, "p_a", TABLE, random.Random(1), spectate=True, session="second")
    assert (await second.attach()).reason == "SEATED_HERE"
    stranger = Player(door, "p_x", TABLE, random.Random(1), session="stranger")
    assert (await stranger.attach()).reason == "NOT_SEATED"
    assert not second.frames
    assert not stranger.frames
    assert not stranger.view.table_id


@lab
async def test_viewers_are_counted_over_all_gateways_and_seats_are_told(at: Lab) -> None:
    shard, _ = await opened(at, "p_a")
    door = await at.door()
    player = Watcher(at, door, "seat")
    player.player, player.spectate = "p_a", False
    await player.attach()
    one, two = Watcher(at, door, "one", viewers=700), Watcher(at, door, "two", viewers=300)
    await one.attach()
    await two.attach()
    await at.clock.sleep(3)
    for listener in (player, one, two):
        assert (listener.said[-1].viewers, listener.said[-1].delay_ms) == (1_000, DELAY_MS)
    told = len(one.said)
    await at.clock.sleep(5)
    assert len(one.said) == told, "what is no news is not told"
    assert shard.watchers.watched() == {TABLE: 1_000}
    await two.say(detach=p.Detach())
    await at.clock.sleep(3)
    assert player.said[-1].viewers == 700
    await one.say(detach=p.Detach())
    assert shard.watchers.watched() == {}


@lab
async def test_a_play_can_be_liked_once_it_is_shown_and_not_by_who_sits_there(at: Lab) -> None:
    shard, _ = await opened(at, "p_a", rounds=1)
    calls, door = at.calls(), await at.door()
    with pytest.raises(Refusal, match="PLAY_UNKNOWN"):
        await calls.watch(MayLike(TABLE, "p_w", 1, 1))
    watcher, player = Watcher(at, door, "w"), Player(door, "p_a", TABLE, random.Random(3))
    await watcher.attach()
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(player.play())
        await at.until(lambda: len(watcher.view.play.events) >= 3, 200)
        seen = len(watcher.view.play.events)
        await calls.watch(MayLike(TABLE, "p_w", 1, seen))
        for round_no, event_no in ((1, seen + 1), (2, 1), (1, 0)):
            with pytest.raises(Refusal, match="PLAY_UNKNOWN"):
                await calls.watch(MayLike(TABLE, "p_w", round_no, event_no))
        with pytest.raises(Refusal, match="SEATED_HERE"):
            await calls.watch(MayLike(TABLE, "p_a", 1, seen))
        shard.watchers.liked(TABLE, 1, seen, 5)
        await at.clock.sleep(2)
        (liked,) = [liked for said in watcher.said for liked in said.liked]
        assert (liked.round_no, liked.event_no, liked.likes) == (1, seen, 5)


@lab
async def test_live_tables_are_found_by_game_hall_stake_and_person_in_order(at: Lab) -> None:
    await at.host().take()
    calls, door = at.calls(), await at.door()
    kinds = {
        "0-hall1": replace(spec("p_a"), hall_id="h/novice", watch_delay_ms=DELAY_MS),
        "0-hall2": replace(spec("p_b", game="doudizhu"), hall_id="h/adept"),
        "0-shut1": spec("p_c", spectators=False),
        "0-room1": spec("p_d", room_code="123456"),
    }
    for table_id, made in kinds.items():
        await calls.about(Create(table_id, replace(made, timing=spec(timing=LIVELY).timing)))
        seat = Player(door, made.players[0], table_id, random.Random(1), session=table_id)
        await seat.attach()
        await seat.say("sit", sit=p.Sit())
        await at.clock.sleep(1)
    watcher = Watcher(at, door, "w")
    watcher.table_id = "0-hall1"
    await watcher.attach()

    async def found(
        order: int = w.LIVE_ORDER_NEWEST, most: int = 9, after: Any = None, **more: Any
    ) -> list[str]:
        await at.clock.sleep(watch_index.FRESH_S)
        tables, total = await calls.live("0", Live(Wanted(**more), order, after, most))
        assert total >= len(tables)
        assert all(not table.is_room or more for table in tables)
        return [table.table_id for table in tables]

    assert await found() == ["0-hall2", "0-hall1"], "rooms are not listed, nor what may not be watched"
    assert await found(w.LIVE_ORDER_VIEWERS) == ["0-hall1", "0-hall2"]
    assert await found(game="doudizhu") == ["0-hall2"]
    assert await found(hall_id="h/novice") == ["0-hall1"]
    assert await found(base_stake_min=1) == []
    assert await found(players=("p_d",)) == ["0-room1"], "friends find the room of a friend"
    assert await found(players=("p_c",)) == []
    (newest,), total = await calls.live("0", Live(Wanted(), w.LIVE_ORDER_NEWEST, None, 1))
    assert (newest.table_id, total) == ("0-hall2", 2)
    after = watch_index.key_of(newest, w.LIVE_ORDER_NEWEST)
    assert await found(after=after) == ["0-hall1"]

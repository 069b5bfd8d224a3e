"""Who may not play gets no seat and no further round: real services on one virtual clock."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from paiju.accounts.v1 import protection_service_pb2 as pb
from paiju.matchmaking.v1 import matchmaking_service_pb2 as mm
from paiju.table.v1 import play_pb2 as p
from paiju.table.v1 import table_service_pb2 as table_pb

from services.accounts.app import WIRING as ACCOUNTS
from services.chassis.errors import Refusal
from services.table.app import WIRING as TABLE
from tests.simulation.client import Player
from tests.support.protected import Platform, play
from tests.unit.test_protection_calendar import at

MINUTE_MS = 60_000
HALL = "paohuzi/tongyi-qmt/novice"
STAKE = table_pb.StakeSpec(currency="gold", buy_in=3_000, base_stake=10, minimum=100)

Scene = Callable[[Platform], Awaitable[None]]
Run = Callable[[Scene, str], None]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Run:
    return lambda scene, when: play(scene, at(when), monkeypatch)


async def to_the_end(*players: Player) -> None:
    async with asyncio.timeout(4 * 3_600), asyncio.TaskGroup() as tasks:
        for player in players:
            tasks.create_task(player.play())
    await players[0].door.clock.sleep(5)  # until the last facts have gone round


def test_a_minor_leaves_after_the_round_in_which_his_window_ends(run: Run) -> None:
    async def scene(platform: Platform) -> None:
        child, adult = await platform.person("child"), await platform.person("adult")
        await platform.declare(child, pb.AGE_BAND_8_15)
        table_id = await platform.table(child, adult)
        mine, other = platform.player(child, table_id), platform.player(adult, table_id)
        await to_the_end(mine, other)
        end = at("2026-12-04 21:00")
        rounds = platform.rounds(table_id)
        assert len(rounds) >= 2
        # The round that ran was played to its end; none was opened after it.
        assert all(opened < end for opened, _ in rounds)
        assert max(ended for _, ended in rounds) >= end
        assert platform.last_opened(table_id) == max(opened for opened, _ in rounds)
        for view in (mine.view, other.view):
            assert (view.match_end.cause, view.match_end.rounds_played) == ("left", len(rounds))
        sent = mine.view.sent_away
        assert (sent.reason, sent.again_at_ms) == ("OUTSIDE_PLAY_WINDOW", at("2026-12-05 20:00"))
        assert "2026-12-05 20:00" in sent.message_zh
        assert "2026-12-05 20:00" in sent.message_en
        # The other sees that he left, and no more.
        assert [seat.left for seat in other.view.seats] == [True, False, False]
        assert not other.view.HasField("sent_away")
        assert not any(p.Frame.FromString(one).HasField("sent_away") for one in other.frames.values())
        # He was told ten minutes before, once; the adult was not.
        ((told_at, ending),) = platform.endings(child)
        assert (ending.ends_at_ms, ending.reason) == (end, "OUTSIDE_PLAY_WINDOW")
        assert ending.again_at_ms == at("2026-12-05 20:00")
        assert 9 * MINUTE_MS <= end - told_at <= 10 * MINUTE_MS
        assert platform.endings(adult) == []
        # One question for all of a table, after each round but the last; bots are in none of them.
        between = [one for one in platform.asked if one.HasField("last_round")]
        assert [one.last_round.round_id for one in between] == [
            f"{table_id}/{number}" for number in range(1, len(rounds) + 1)
        ]
        assert all([who.player_id for who in one.players] == [child, adult] for one in between)

    run(scene, "2026-12-04 20:46")


def test_a_days_time_is_counted_over_tables_and_ends_a_match(run: Run) -> None:
    async def scene(platform: Platform) -> None:
        name = await platform.person("a")
        await platform.limit(name, minutes=15)
        first = await platform.table(name, rounds=1)
        mine = platform.player(name, first)
        await to_the_end(mine)
        assert mine.view.match_end.cause == "all_rounds"
        played = sum(ended - opened for opened, ended in platform.rounds(first))
        assert (await platform.protection_of(name)).played_today_ms == played
        table_id = await platform.table(name)
        mine = platform.player(name, table_id)
        await to_the_end(mine)
        assert mine.view.match_end.cause == "left"
        assert mine.view.sent_away.reason == "DAILY_TIME_REACHED"
        played += sum(ended - opened for opened, ended in platform.rounds(table_id))
        assert (await platform.protection_of(name)).played_today_ms == played
        *before, last = platform.rounds(table_id)
        assert before, "a round is opened while time is left"
        assert played - (last[1] - last[0]) < 15 * MINUTE_MS <= played
        (_, ending), *more = platform.endings(name)
        assert ending.reason == "DAILY_TIME_REACHED"
        assert more == []
        # He gets no seat today, at no table and in no hall, and one tomorrow.
        again = at("2026-12-08 00:00")
        sits = await platform.player(name, await platform.table(name)).say("sit", sit=p.Sit())
        assert sits.reason == "DAILY_TIME_REACHED"
        assert "2026-12-08 00:00" in sits.message_en
        with pytest.raises(Refusal, match="DAILY_TIME_REACHED") as refused:
            await ticket(platform, name)
        assert refused.value.details["again_at_ms"] == str(again)
        await platform.clock.sleep((again - platform.clock.now_ms()) / 1000)
        assert (await platform.protection_of(name)).played_today_ms == 0
        assert (await ticket(platform, name)).ticket_id

    run(scene, "2026-12-07 23:25")


def test_losses_are_counted_from_settlements_and_end_a_match(run: Run) -> None:
    async def scene(platform: Platform) -> None:
        name = await platform.person("a")
        await platform.limit(name, loss=1)
        # Bots that win: at random nobody does.
        table_id = await platform.table(name, stake=STAKE, bot="normal")
        mine = platform.player(name, table_id)
        await to_the_end(mine)
        await platform.clock.sleep(10)
        found = await platform.protection_of(name)
        stake = mine.view.seats[0].stake
        assert found.net_today == stake - STAKE.buy_in <= -1
        assert mine.view.match_end.cause == "left"
        sent = mine.view.sent_away
        assert (sent.reason, sent.again_at_ms) == ("DAILY_LOSS_REACHED", at("2026-12-08 00:00"))
        assert found.verdict.reason == "DAILY_LOSS_REACHED"

    run(scene, "2026-12-07 12:00")


def test_who_excludes_himself_plays_his_round_and_nothing_after_it(run: Run) -> None:
    async def scene(platform: Platform) -> None:
        name, friend = await platform.person("a"), await platform.person("b")
        table_id = await platform.table(name)
        mine = platform.player(name, table_id)
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(to_the_end(mine))
            while mine.view.phase != "playing":
                await platform.clock.sleep(0.1)
            until_ms = await platform.exclude(name)
            assert mine.view.round_no == 1
        assert (mine.view.match_end.cause, mine.view.match_end.rounds_played) == ("left", 1)
        assert mine.view.sent_away.reason == "SELF_EXCLUDED"
        assert mine.view.sent_away.again_at_ms == until_ms
        # No seat, no ticket, no room of his own, no place in another's.
        other = platform.player(name, await platform.table(name))
        assert (await other.say("sit", sit=p.Sit())).reason == "SELF_EXCLUDED"
        with pytest.raises(Refusal, match="SELF_EXCLUDED"):
            await ticket(platform, name)
        with pytest.raises(Refusal, match="SELF_EXCLUDED"):
            await room(platform, name)
        code = (await room(platform, friend)).room_code
        join = mm.JoinRoomRequest(room_code=code)
        with pytest.raises(Refusal, match="SELF_EXCLUDED"):
            await platform.call(platform.matchmaking, "JoinRoom", name, join)
        with pytest.raises(Refusal, match="EXCLUSION_STANDS"):
            await platform.exclude(name, hours=24)
        assert (await platform.protection_of(name)).excluded_until_ms == until_ms

    run(scene, "2026-12-07 12:00")


def test_who_excludes_himself_in_a_room_does_not_start_it(run: Run) -> None:
    async def scene(platform: Platform) -> None:
        name = await platform.person("a")
        code = (await room(platform, name)).room_code
        await platform.exclude(name)
        request = mm.SetRoomReadyRequest(room_code=code, ready=True)
        with pytest.raises(Refusal, match="SELF_EXCLUDED"):
            await platform.call(platform.matchmaking, "SetRoomReady", name, request)

    run(scene, "2026-12-07 12:00")


def test_while_accounts_is_away_matches_go_on_and_only_who_is_known_sits_down(run: Run) -> None:
    async def scene(platform: Platform) -> None:
        known, stranger = await platform.person("known"), await platform.person("stranger")
        running = await platform.table(known, rounds=3)
        mine = platform.player(known, running)
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(to_the_end(mine))
            while mine.view.phase != "playing":
                await platform.clock.sleep(0.1)
            platform.kill("accounts")
        assert (mine.view.match_end.cause, mine.view.match_end.rounds_played) == ("all_rounds", 3)
        other = await platform.table(known, rounds=1)
        assert (await platform.player(known, other).say("sit", sit=p.Sit())).reason == ""
        refused = await platform.player(stranger, await platform.table(stranger)).say("sit", sit=p.Sit())
        assert refused.reason == "PROTECTION_UNAVAILABLE"
        with pytest.raises(Refusal, match="PROTECTION_UNAVAILABLE"):
            await ticket(platform, stranger)
        await platform.clock.sleep(16 * 60)
        later = await platform.player(known, await platform.table(known)).say("sit", sit=p.Sit())
        assert later.reason == "PROTECTION_UNAVAILABLE"
        # Back again, it hears what was played meanwhile.
        await platform.serve(ACCOUNTS)
        await platform.clock.sleep(30)
        rounds = [*platform.rounds(running), *platform.rounds(other)]
        assert len(rounds) == 4
        wanted = sum(ended - opened for opened, ended in rounds)
        assert (await platform.protection_of(known)).played_today_ms == wanted
        assert (await ticket(platform, stranger)).ticket_id

    run(scene, "2026-12-07 12:00")


def test_a_known_end_counts_while_accounts_is_away(run: Run) -> None:
    async def scene(platform: Platform) -> None:
        child = await platform.person("child")
        await platform.declare(child, pb.AGE_BAND_16_17)
        table_id = await platform.table(child)
        mine = platform.player(child, table_id)
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(to_the_end(mine))
            while mine.view.round_no < 2:
                await platform.clock.sleep(1)
            platform.kill("accounts")
        assert mine.view.match_end.cause == "left"
        sent = mine.view.sent_away
        assert (sent.reason, sent.again_at_ms) == ("OUTSIDE_PLAY_WINDOW", at("2026-12-05 20:00"))
        assert platform.last_opened(table_id) < at("2026-12-04 21:00")

    run(scene, "2026-12-04 20:53")


def test_another_owner_of_the_table_asks_again(run: Run) -> None:
    async def scene(platform: Platform) -> None:
        name = await platform.person("a")
        table_id = await platform.table(name)
        mine = platform.player(name, table_id)
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(to_the_end(mine))
            while mine.view.phase != "playing":
                await platform.clock.sleep(0.1)
            await platform.exclude(name)
            platform.kill("table")
            await platform.clock.sleep(30)
            await platform.serve(TABLE)
        assert (mine.view.match_end.cause, mine.view.match_end.rounds_played) == ("left", 1)
        # A fresh view tells it too: it is the sum of the frames.
        again = platform.player(name, table_id)
        await again.attach()
        assert again.view.sent_away == mine.view.sent_away

    run(scene, "2026-12-07 12:00")


async def ticket(platform: Platform, player_id: str) -> mm.Ticket:
    now = platform.clock.now_ms()
    request = mm.CreateTicketRequest(request_id=f"r{now}", hall_id=HALL, bots_now=True)
    made: mm.Ticket = (await platform.call(platform.matchmaking, "CreateTicket", player_id, request)).ticket
    return made


async def room(platform: Platform, player_id: str) -> mm.Room:
    request = mm.CreateRoomRequest(request_id="room", game="paohuzi", preset="tongyi-qmt")
    made: mm.Room = (await platform.call(platform.matchmaking, "CreateRoom", player_id, request)).room
    return made

"""Matchmaking as its callers see it: in memory on a virtual clock, and its store on real databases."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from paiju.matchmaking.v1 import matchmaking_service_pb2 as pb
from paiju.table.v1.events_pb2 import MatchFinished
from paiju.table.v1.table_service_pb2 import SeatSpec, TableSpec

from services.chassis.errors import Outage
from services.matchmaking.whereabouts import People
from tests.support.matchmaking_scene import HALL, Scene, play, refused


class TestTickets:
    def test_three_players_of_a_hall_get_one_table_with_its_stake(self) -> None:
        async def scene(s: Scene) -> None:
            players = [await s.player(name) for name in "abc"]
            tickets = [await s.ticket(player) for player in players]
            await s.clock.sleep(2)
            after = [await s.look(p, t) for p, t in zip(players, tickets, strict=True)]
            assert {t.state for t in after} == {"matched"}
            (table_id,) = {t.table_id for t in after}
            assert sorted(s.tables.players(table_id)) == ["p_a", "p_b", "p_c"]
            assert s.tables.specs[table_id].stake.buy_in == 3000
            assert table_id.split("-")[0] in "0123"
            assert s.notices["p_a"][-1].ticket == after[0]

        play(scene)

    def test_bots_come_after_eight_seconds_and_not_before(self) -> None:
        async def scene(s: Scene) -> None:
            a = await s.player("a")
            ticket = await s.ticket(a)
            assert ticket.bots_at_ms - ticket.created_at_ms == 8000
            await s.clock.sleep(7.5)
            assert (await s.look(a, ticket)).state == "waiting"
            await s.clock.sleep(1.5)
            after = await s.look(a, ticket)
            assert after.state == "matched"
            assert sorted(s.tables.players(after.table_id)) == ["bot:normal", "bot:normal", "p_a"]

        play(scene)

    def test_bots_come_at_once_when_asked(self) -> None:
        async def scene(s: Scene) -> None:
            a, b = await s.player("a"), await s.player("b")
            await s.ticket(a)
            ticket = await s.ticket(b, bots_now=True)
            await s.clock.sleep(0.5)
            after = await s.look(b, ticket)
            assert sorted(s.tables.players(after.table_id)) == ["bot:normal", "bot:normal", "p_b"]

        play(scene)

    def test_a_repeat_gets_the_same_ticket_and_other_content_is_refused(self) -> None:
        async def scene(s: Scene) -> None:
            a = await s.player("a")
            request = pb.CreateTicketRequest(request_id="once", hall_id=HALL)
            first = (await a.call("CreateTicket", request)).ticket
            s.wallets.coins = 0
            assert (await a.call("CreateTicket", request)).ticket == first
            other = pb.CreateTicketRequest(request_id="once", hall_id=HALL, bots_now=True)
            await refused("REQUEST_ID_REUSED", a.call("CreateTicket", other))

        play(scene)

    @pytest.mark.parametrize("call", ["CreateTicket", "CreateRoom"])
    def test_a_repeat_that_meets_its_first_try_gets_what_that_made(
        self, monkeypatch: pytest.MonkeyPatch, call: str
    ) -> None:
        async def scene(s: Scene) -> None:
            a = await s.player("a")
            request: Any = pb.CreateTicketRequest(request_id="once", hall_id=HALL)
            if call == "CreateRoom":
                request = pb.CreateRoomRequest(request_id="once", game="paohuzi", preset="876cc")
            honest = People.check_free
            made: list[Any] = []

            async def meeting(self: People, player_id: str) -> None:
                if not made:
                    made.append(None)
                    made.append(await a.call(call, request))
                await honest(self, player_id)

            monkeypatch.setattr(People, "check_free", meeting)
            assert await a.call(call, request) == made[1]

        play(scene)

    def test_one_live_ticket_a_player(self) -> None:
        async def scene(s: Scene) -> None:
            a = await s.player("a")
            ticket = await s.ticket(a)
            refusal = await refused("ALREADY_WAITING", s.ticket(a, "paohuzi/876cc/novice"))
            assert refusal.details["ticket_id"] == ticket.ticket_id
            await a.call("CancelTicket", pb.CancelTicketRequest(ticket_id=ticket.ticket_id))
            assert (await s.ticket(a, "paohuzi/876cc/novice")).state == "waiting"

        play(scene)

    def test_who_plays_is_refused_with_the_table_until_the_match_is_over(self) -> None:
        async def scene(s: Scene) -> None:
            a = await s.player("a")
            ticket = await s.ticket(a, bots_now=True)
            await s.clock.sleep(1)
            table_id = (await s.look(a, ticket)).table_id
            refusal = await refused("ALREADY_PLAYING", s.ticket(a))
            assert refusal.details["table_id"] == table_id
            await refused("ALREADY_PLAYING", s.room(a))
            await s.finish(table_id)
            assert (await s.ticket(a)).state == "waiting"

        play(scene)

    def test_a_missed_end_of_a_match_does_not_lock_a_player_out(self) -> None:
        async def scene(s: Scene) -> None:
            a = await s.player("a")
            ticket = await s.ticket(a, bots_now=True)
            await s.clock.sleep(1)
            s.tables.finish((await s.look(a, ticket)).table_id)  # nobody publishes it
            assert (await s.ticket(a)).state == "waiting"

        play(scene)

    def test_a_missed_end_is_found_by_looking_after_old_matches(self) -> None:
        async def scene(s: Scene) -> None:
            a = await s.player("a")
            ticket = await s.ticket(a, bots_now=True)
            await s.clock.sleep(1)
            s.tables.finish((await s.look(a, ticket)).table_id)
            await s.clock.sleep(11 * 60)
            assert not (await a.call("GetWhereabouts", pb.GetWhereaboutsRequest())).HasField("ticket")

        play(scene)

    def test_a_seat_that_matchmaking_knows_nothing_of_counts_too(self) -> None:
        async def scene(s: Scene) -> None:
            a = await s.player("a")
            s.tables.specs["0-elsewhere"] = TableSpec(seats=[SeatSpec(player_id="p_a")])
            s.tables.phases["0-elsewhere"] = "playing"
            assert (await refused("ALREADY_PLAYING", s.ticket(a))).details["table_id"] == "0-elsewhere"
            where = await a.call("GetWhereabouts", pb.GetWhereaboutsRequest())
            assert where.table_id == "0-elsewhere"

        play(scene)

    def test_a_match_is_no_waiting_any_more(self) -> None:
        async def scene(s: Scene) -> None:
            a = await s.player("a")
            ticket = await s.ticket(a)
            where = await a.call("GetWhereabouts", pb.GetWhereaboutsRequest())
            assert (where.ticket.ticket_id, where.table_id) == (ticket.ticket_id, "")
            await s.clock.sleep(60)
            table_id = (await s.look(a, ticket)).table_id
            where = await a.call("GetWhereabouts", pb.GetWhereaboutsRequest())
            assert (where.HasField("ticket"), where.table_id) == (False, table_id)
            assert table_id

        play(scene)

    def test_a_new_player_may_ask_before_his_welcome_has_come(self) -> None:
        async def scene(s: Scene) -> None:
            a = await s.player("a")
            s.wallets.of["p_a"] = 0
            s.wallets.untouched.add("p_a")

            async def welcome() -> None:
                await s.clock.sleep(2)
                s.wallets.of["p_a"] = 20_000
                s.wallets.untouched.discard("p_a")

            async with asyncio.TaskGroup() as group:
                group.create_task(welcome())
                ticket = group.create_task(s.ticket(a))
            assert ticket.result().state == "waiting"

        play(scene)

    def test_a_player_without_a_welcome_is_refused_after_a_while_and_one_who_lost_all_at_once(self) -> None:
        async def scene(s: Scene) -> None:
            a, b = await s.player("a"), await s.player("b")
            s.wallets.of |= {"p_a": 0, "p_b": 0}
            s.wallets.untouched.add("p_a")
            began = s.clock.monotonic()
            await refused("COINS_TOO_FEW", s.ticket(b))
            assert s.clock.monotonic() - began < 0.1
            await refused("COINS_TOO_FEW", s.ticket(a))
            assert 3 <= s.clock.monotonic() - began < 4

        play(scene)

    def test_a_hall_looks_into_the_wallet(self) -> None:
        async def scene(s: Scene) -> None:
            a = await s.player("a")
            s.wallets.of["p_a"] = 2999
            refusal = await refused("COINS_TOO_FEW", s.ticket(a))
            assert refusal.details["entry_min"] == "3000"
            s.wallets.of["p_a"] = 3000
            await s.ticket(a)

        play(scene)

    def test_a_cancelled_ticket_is_never_matched_and_a_matched_one_stays(self) -> None:
        async def scene(s: Scene) -> None:
            a, b = await s.player("a"), await s.player("b")
            first = await s.ticket(a)
            cancel = pb.CancelTicketRequest(ticket_id=first.ticket_id)
            assert (await a.call("CancelTicket", cancel)).ticket.state == "cancelled"
            await s.clock.sleep(20)
            assert (await s.look(a, first)).state == "cancelled"
            second = await s.ticket(b, bots_now=True)
            await s.clock.sleep(1)
            again = await b.call("CancelTicket", pb.CancelTicketRequest(ticket_id=second.ticket_id))
            assert again.ticket.state == "matched"
            await refused(
                "TICKET_UNKNOWN", a.call("CancelTicket", pb.CancelTicketRequest(ticket_id=second.ticket_id))
            )
            await refused("TICKET_UNKNOWN", a.call("GetTicket", pb.GetTicketRequest(ticket_id="t_none")))

        play(scene)

    @pytest.mark.parametrize("request_id", ["", "x" * 65, "a b", "ü"])
    def test_bad_input_is_refused_by_name(self, request_id: str) -> None:
        async def scene(s: Scene) -> None:
            a = await s.player("a")
            request = pb.CreateTicketRequest(request_id=request_id, hall_id=HALL)
            refusal = await refused("INVALID_ARGUMENT", a.call("CreateTicket", request))
            assert refusal.details["field"] == "request_id"
            assert (await refused("HALL_UNKNOWN", s.ticket(a, "paohuzi/none"))).details[
                "hall_id"
            ] == "paohuzi/none"

        play(scene)

    def test_halls_say_how_many_wait(self) -> None:
        async def scene(s: Scene) -> None:
            a = await s.player("a")
            await s.ticket(a)
            halls = (await a.call("ListHalls", pb.ListHallsRequest())).halls
            assert [h.waiting for h in halls if h.hall_id == HALL] == [1]
            assert sum(h.waiting for h in halls) == 1
            assert not (await a.call("ListHalls", pb.ListHallsRequest(game="chess"))).halls

        play(scene)

    def test_a_list_of_halls_says_what_each_costs_who_plays_and_whether_one_may_enter(self) -> None:
        async def scene(s: Scene) -> None:
            a, b = await s.player("a"), await s.player("b")
            await s.ticket(b, bots_now=True)
            await s.clock.sleep(1)
            s.wallets.of["p_a"] = 14_999
            listed = await a.call("ListHalls", pb.ListHallsRequest(game="paohuzi"))
            halls = {hall.hall_id: hall for hall in listed.halls}
            novice, junior = halls[HALL], halls[HALL.replace("novice", "junior")]
            assert listed.coins == 14_999
            assert (novice.fee, novice.minimum, novice.entry_min, novice.entry_max) == (
                20,
                300,
                3000,
                100_000,
            )
            assert (novice.level, novice.level_zh, novice.coin_zh) == ("novice", "新手场", "悟性")
            assert (novice.playing, junior.playing) == (1, 0), "bots are no people"
            assert (novice.refusal, novice.win_cap_by_balance) == ("", True)
            assert (junior.refusal, junior.fitting_hall_id) == ("COINS_TOO_FEW", HALL)
            assert "全名堂·新手场" in junior.refusal_zh
            assert "All names · Novice" in junior.refusal_en

        play(scene)

    def test_who_has_too_much_for_a_hall_is_sent_to_the_one_that_fits(self) -> None:
        async def scene(s: Scene) -> None:
            a = await s.player("a")
            s.wallets.of["p_a"] = 100_001
            refusal = await refused("COINS_TOO_MANY", s.ticket(a))
            assert refusal.details["fitting_hall_id"] == HALL.replace("novice", "junior")
            s.wallets.of["p_a"] = 100_000
            await s.ticket(a)

        play(scene)

    @pytest.mark.parametrize("reason", ["DAILY_WIN_CAP", "DAILY_LOSS_CAP"])
    def test_who_has_reached_a_cap_of_today_enters_nowhere(self, reason: str) -> None:
        async def scene(s: Scene) -> None:
            a = await s.player("a")
            s.wallets.capped["p_a"] = reason
            listed = (await a.call("ListHalls", pb.ListHallsRequest())).halls
            assert {hall.refusal for hall in listed} == {reason}
            assert "{" not in listed[0].refusal_zh + listed[0].refusal_en
            await refused(reason, s.ticket(a))
            await refused(reason, s.room(a, level="novice"))
            assert (await s.room(a)).level == "", "a room that plays for points costs nothing"

        play(scene)

    def test_a_room_that_takes_nobody_says_so_to_who_has_few_coins_too(self) -> None:
        async def scene(s: Scene) -> None:
            a, b, c, poor = [await s.player(name) for name in ("a", "b", "c", "poor")]
            s.wallets.of["p_poor"] = 0
            room = await s.room(a, level="novice")
            await refused("COINS_TOO_FEW", s.join(poor, room))
            for player in (b, c):
                await s.join(player, room)
            await refused("ROOM_FULL", s.join(poor, room))
            for player in (a, b, c):
                await s.ready(player, room)
            await s.clock.sleep(1)
            await refused("ROOM_PLAYING", s.join(poor, room))
            other = await s.room(await s.player("d"), level="novice")
            await s.clock.sleep(31 * 60)
            await refused("ROOM_CLOSED", s.join(poor, other))

        play(scene)

    def test_who_waits_for_his_welcome_is_refused_nowhere_and_who_lost_all_everywhere(self) -> None:
        async def scene(s: Scene) -> None:
            a, b = await s.player("a"), await s.player("b")
            s.wallets.of |= {"p_a": 0, "p_b": 0}
            s.wallets.untouched.add("p_a")
            for player, refusal in ((a, ""), (b, "COINS_TOO_FEW")):
                listed = (await player.call("ListHalls", pb.ListHallsRequest())).halls
                assert {hall.refusal for hall in listed} == {refusal}

        play(scene)

    def test_halls_are_listed_while_nobody_knows_who_may_enter(self) -> None:
        async def scene(s: Scene) -> None:
            a = await s.player("a")
            s.wallets.is_down = True
            listed = (await a.call("ListHalls", pb.ListHallsRequest())).halls
            assert {hall.refusal for hall in listed} == {"SERVICE_UNAVAILABLE"}

        play(scene)

    def test_a_room_may_play_for_coins_at_the_stakes_of_a_level(self) -> None:
        async def scene(s: Scene) -> None:
            a, b, c = [await s.player(name) for name in "abc"]
            wish = {"level": "junior", "options_json": '{"win_cap_by_balance":true}'}
            s.wallets.of["p_a"] = 14_999
            await refused("COINS_TOO_FEW", s.room(a, **wish))
            s.wallets.of["p_a"] = 15_000
            room = await s.room(a, **wish)
            assert (room.level, room.base_stake, room.buy_in, room.fee) == ("junior", 50, 15_000, 100)
            assert (room.entry_min, room.entry_max) == (15_000, 500_000)
            s.wallets.of["p_b"] = 500_001
            join = pb.JoinRoomRequest(room_code=room.room_code)
            await refused("COINS_TOO_MANY", b.call("JoinRoom", join))
            s.wallets.of["p_b"] = 500_000
            await b.call("JoinRoom", join)
            fill = pb.FillRoomWithBotsRequest(room_code=room.room_code)
            await refused("BOTS_NOT_FOR_COINS", a.call("FillRoomWithBots", fill))
            await c.call("JoinRoom", join)
            for player in (a, b):
                await s.ready(player, room)
            s.wallets.of["p_c"] = 0
            await refused("COINS_TOO_FEW", s.ready(c, room))
            s.wallets.of["p_c"] = 20_000
            await s.ready(c, room)
            await s.clock.sleep(1)
            (spec,) = s.tables.specs.values()
            assert (spec.stake.base_stake, spec.stake.buy_in, spec.stake.fee) == (50, 15_000, 100)
            assert spec.options_json == wish["options_json"]
            assert spec.room_code == room.room_code

        play(scene)

    def test_a_room_at_a_level_that_its_preset_has_not_is_refused(self) -> None:
        async def scene(s: Scene) -> None:
            a = await s.player("a")
            await refused("HALL_UNKNOWN", s.room(a, level="golden"))
            await refused("INVALID_ARGUMENT", s.room(a, level="../novice"))
            request = pb.CreateRoomRequest(request_id="once", game="paohuzi", preset="876cc", level="novice")
            first = (await a.call("CreateRoom", request)).room
            assert (await a.call("CreateRoom", request)).room == first
            request.level = ""
            await refused("REQUEST_ID_REUSED", a.call("CreateRoom", request))

        play(scene)

    def test_only_the_halls_of_games_whose_tables_are_open_are_there(self) -> None:
        async def scene(s: Scene) -> None:
            a = await s.player("a")
            halls = (await a.call("ListHalls", pb.ListHallsRequest())).halls
            assert {hall.game for hall in halls} == set(s.tables.seats)
            await refused("HALL_UNKNOWN", s.ticket(a, "doudizhu/classic/novice"))

        play(scene)

    def test_four_play_where_the_game_has_four_seats(self) -> None:
        async def scene(s: Scene) -> None:
            players = [await s.player(name) for name in "abcd"]
            for player in players[:3]:
                await s.ticket(player, "qinghunpeng/seed000/novice")
            await s.clock.sleep(2)
            assert not s.tables.specs
            await s.ticket(players[3], "qinghunpeng/seed000/novice")
            await s.clock.sleep(2)
            (table_id,) = s.tables.specs
            assert sorted(s.tables.players(table_id)) == ["p_a", "p_b", "p_c", "p_d"]

        play(scene)


class TestTables:
    @pytest.mark.parametrize("lost", ["before", "after", "defect"])
    def test_an_unknown_outcome_is_asked_for_again_under_the_same_id(self, lost: str) -> None:
        async def scene(s: Scene) -> None:
            s.tables.fail_before = 3 * (lost == "before")
            s.tables.fail_after = 3 * (lost == "after")
            s.tables.break_next = 3 * (lost == "defect")
            a = await s.player("a")
            ticket = await s.ticket(a, bots_now=True)
            await s.clock.sleep(5)
            assert (await s.look(a, ticket)).state == "matched"
            assert len(s.tables.specs) == 1
            assert s.tables.asked == 4

        play(scene)

    def test_a_table_that_hangs_keeps_no_other_waiting(self) -> None:
        async def scene(s: Scene) -> None:
            a, b = await s.player("a"), await s.player("b")
            s.tables.hang_next = 1
            first = await s.ticket(a, bots_now=True)
            await s.clock.sleep(0.5)
            second = await s.ticket(b, bots_now=True)
            await s.clock.sleep(1)
            assert (await s.look(a, first)).state == "waiting"
            assert (await s.look(b, second)).state == "matched"
            await s.clock.sleep(7)
            assert (await s.look(a, first)).state == "matched"

        play(scene)

    def test_a_crash_between_match_and_table_makes_no_second_table(self) -> None:
        async def scene(s: Scene) -> None:
            s.tables.fail_after = 10_000
            a = await s.player("a")
            ticket = await s.ticket(a, bots_now=True)
            await s.clock.sleep(1)
            assert s.tables.asked
            assert (await s.look(a, ticket)).state == "waiting"
            s.process.crash()
            s.tables.fail_after = 0
            await s.start_matchmaking()
            after = await s.look(a, ticket)
            assert (after.state, [after.table_id]) == ("matched", list(s.tables.specs))

        play(scene)

    def test_after_a_refusal_tickets_wait_on_from_when_they_came_and_fail_at_last(self) -> None:
        async def scene(s: Scene) -> None:
            a = await s.player("a")
            s.tables.refuse = "INVALID_ARGUMENT"
            ticket = await s.ticket(a, bots_now=True)
            await s.clock.sleep(10)
            after = await s.look(a, ticket)
            assert (after.state, after.reason, after.created_at_ms) == (
                "failed",
                "TABLE_REFUSED",
                ticket.created_at_ms,
            )
            assert s.tables.asked == 3
            assert s.notices["p_a"][-1].ticket.state == "failed"
            s.tables.refuse = ""
            again = await s.ticket(a, bots_now=True)
            await s.clock.sleep(1)
            assert (await s.look(a, again)).state == "matched"

        play(scene)

    def test_while_the_tables_are_down_nobody_new_waits_and_nothing_is_lost(self) -> None:
        async def scene(s: Scene) -> None:
            a, b = await s.player("a"), await s.player("b")
            ticket = await s.ticket(a)
            s.tables.is_down = True
            with pytest.raises(Outage):
                await s.ticket(b)
            await s.clock.sleep(60)
            assert (await s.look(a, ticket)).state == "waiting"
            s.tables.is_down = False
            await s.clock.sleep(2)
            assert (await s.look(a, ticket)).state == "matched"

        play(scene)


class TestRooms:
    def test_friends_meet_by_code_and_play_without_coins_once_all_are_ready(self) -> None:
        async def scene(s: Scene) -> None:
            a, b, c = [await s.player(name) for name in "abc"]
            room = await s.room(a, options_json='{"min_xi": 10}', rounds=4)
            assert len(room.room_code) == 6
            assert room.room_code.isdigit()
            join = pb.JoinRoomRequest(room_code=room.room_code)
            await b.call("JoinRoom", join)
            joined = (await c.call("JoinRoom", join)).room
            assert [place.player_id for place in joined.places] == ["p_a", "p_b", "p_c"]
            assert s.notices["p_a"][-1].room == joined
            for player in (a, b, c):
                await s.ready(player, room)
            await s.clock.sleep(1)
            now = (await a.call("GetRoom", pb.GetRoomRequest(room_code=room.room_code))).room
            assert now.state == "playing"
            spec = s.tables.specs[now.table_id]
            assert not spec.HasField("stake")
            assert (spec.room_code, spec.rounds, spec.options_json) == (room.room_code, 4, '{"min_xi": 10}')
            assert s.notices["p_c"][-1].room == now
            where = await b.call("GetWhereabouts", pb.GetWhereaboutsRequest())
            assert (where.room, where.table_id) == (now, now.table_id)
            await refused("ROOM_PLAYING", b.call("LeaveRoom", pb.LeaveRoomRequest(room_code=room.room_code)))
            await s.finish(now.table_id)
            assert s.notices["p_b"][-1].room.state == "closed"
            assert not (await b.call("GetWhereabouts", pb.GetWhereaboutsRequest())).HasField("room")
            await s.room(b)

        play(scene)

    def test_bots_fill_a_room_for_its_owner_only(self) -> None:
        async def scene(s: Scene) -> None:
            a, b = await s.player("a"), await s.player("b")
            room = await s.room(a)
            await b.call("JoinRoom", pb.JoinRoomRequest(room_code=room.room_code))
            fill = pb.FillRoomWithBotsRequest(room_code=room.room_code)
            await refused("NOT_ROOM_OWNER", b.call("FillRoomWithBots", fill))
            filled = (await a.call("FillRoomWithBots", fill)).room
            assert [p.player_id for p in filled.places] == ["p_a", "p_b", "bot:normal"]
            assert [p.ready for p in filled.places] == [False, False, True]
            await s.ready(a, room)
            await s.ready(b, room)
            await s.clock.sleep(1)
            assert len(s.tables.specs) == 1

        play(scene)

    def test_the_owner_may_name_the_bots_and_a_bot_the_game_does_not_have_is_refused(self) -> None:
        async def scene(s: Scene) -> None:
            a = await s.player("a")
            room = await s.room(a, game="qinghunpeng", preset="seed000")
            unknown = pb.FillRoomWithBotsRequest(room_code=room.room_code, bot="perfect")
            refusal = await refused("UNKNOWN_BOT", a.call("FillRoomWithBots", unknown))
            assert refusal.details["known"] == "easy, normal"
            fill = pb.FillRoomWithBotsRequest(room_code=room.room_code, bot="easy")
            filled = (await a.call("FillRoomWithBots", fill)).room
            assert [p.player_id for p in filled.places] == ["p_a", "bot:easy", "bot:easy", "bot:easy"]

        play(scene)

    def test_a_full_room_and_a_second_engagement_are_refused(self) -> None:
        async def scene(s: Scene) -> None:
            a, b, c, d = [await s.player(name) for name in "abcd"]
            room = await s.room(a)
            join = pb.JoinRoomRequest(room_code=room.room_code)
            for player in (b, c, b):
                await player.call("JoinRoom", join)
            await refused("ROOM_FULL", d.call("JoinRoom", join))
            refusal = await refused("ALREADY_IN_ROOM", s.ticket(b))
            assert refusal.details["room_code"] == room.room_code
            await refused("ALREADY_IN_ROOM", s.room(c))
            await s.ticket(d)
            other = await s.room(await s.player("e"))
            await refused(
                "ALREADY_WAITING", d.call("JoinRoom", pb.JoinRoomRequest(room_code=other.room_code))
            )

        play(scene)

    def test_who_leaves_frees_his_place_and_the_last_closes_the_room(self) -> None:
        async def scene(s: Scene) -> None:
            a, b = await s.player("a"), await s.player("b")
            room = await s.room(a)
            join = pb.JoinRoomRequest(room_code=room.room_code)
            leave = pb.LeaveRoomRequest(room_code=room.room_code)
            await b.call("JoinRoom", join)
            await b.call("LeaveRoom", leave)
            await b.call("LeaveRoom", leave)
            assert s.notices["p_a"][-1].room.places[1].player_id == ""
            await b.call("JoinRoom", join)
            await a.call("LeaveRoom", leave)
            await s.clock.sleep(0.1)
            heir = s.notices["p_b"][-1].room
            assert (heir.state, heir.owner_id) == ("open", "p_b")
            await b.call("LeaveRoom", leave)
            await s.clock.sleep(0.1)
            assert s.notices["p_b"][-1].room.state == "closed"
            await refused("ROOM_CLOSED", b.call("JoinRoom", join))
            await s.ticket(b)

        play(scene)

    def test_an_open_room_closes_when_its_time_is_over(self) -> None:
        async def scene(s: Scene) -> None:
            a = await s.player("a")
            room = await s.room(a)
            await s.clock.sleep(29 * 60)
            assert (await a.call("GetRoom", pb.GetRoomRequest(room_code=room.room_code))).room.state == "open"
            await s.clock.sleep(2 * 60)
            assert s.notices["p_a"][-1].room.state == "closed"
            await s.ticket(a)

        play(scene)

    def test_guessing_codes_is_limited_and_looking_at_ones_own_room_is_not(self) -> None:
        async def scene(s: Scene) -> None:
            a, eve = await s.player("a"), await s.player("eve")
            room = await s.room(a)
            for n in range(10):
                await refused("ROOM_UNKNOWN", eve.call("GetRoom", pb.GetRoomRequest(room_code=f"00000{n}")))
            await refused("RATE_LIMITED", eve.call("JoinRoom", pb.JoinRoomRequest(room_code=room.room_code)))
            for _ in range(30):
                await a.call("GetRoom", pb.GetRoomRequest(room_code=room.room_code))
            await refused("ROOM_UNKNOWN", a.call("GetRoom", pb.GetRoomRequest(room_code="12345")))

        play(scene)

    def test_options_are_checked_before_a_room_opens_and_a_repeat_opens_no_second(self) -> None:
        async def scene(s: Scene) -> None:
            a = await s.player("a")
            refusal = await refused("INVALID_ARGUMENT", s.room(a, preset="unheard-of"))
            assert refusal.details["known"] == "tongyi-qmt"
            assert (await refused("INVALID_ARGUMENT", s.room(a, game="chess"))).details["known"] == ", ".join(
                s.tables.seats
            )
            await refused("INVALID_ARGUMENT", s.room(a, rounds=65))
            await refused("INVALID_ARGUMENT", s.room(a, options_json="x" * 9000))
            request = pb.CreateRoomRequest(request_id="once", game="paohuzi", preset="tongyi-qmt")
            first = (await a.call("CreateRoom", request)).room
            assert first.rounds == 8
            assert (await a.call("CreateRoom", request)).room == first
            request.rounds = 4
            await refused("REQUEST_ID_REUSED", a.call("CreateRoom", request))

        play(scene)

    def test_a_refused_table_opens_the_room_again(self) -> None:
        async def scene(s: Scene) -> None:
            a = await s.player("a")
            room = await s.room(a)
            await a.call("FillRoomWithBots", pb.FillRoomWithBotsRequest(room_code=room.room_code))
            s.tables.refuse = "INVALID_ARGUMENT"
            await s.ready(a, room)
            await s.clock.sleep(1)
            now = s.notices["p_a"][-1].room
            assert (now.state, [p.ready for p in now.places]) == ("open", [False, True, True])
            s.tables.refuse = ""
            await s.ready(a, room)
            await s.clock.sleep(1)
            assert s.notices["p_a"][-1].room.state == "playing"

        play(scene)


class TestEnds:
    def test_an_end_heard_twice_or_before_the_table_was_known_to_be_made_is_one_end(self) -> None:
        async def scene(s: Scene) -> None:
            s.tables.fail_after = 10_000
            a = await s.player("a")
            ticket = await s.ticket(a, bots_now=True)
            await s.clock.sleep(1)
            (table_id,) = s.tables.specs
            await s.finish(table_id)
            s.tables.fail_after = 0
            await s.peers.bus.publish(MatchFinished(table_id=table_id, game="paohuzi"), event_id="again")
            await s.clock.sleep(2)
            assert (await s.look(a, ticket)).state == "matched"
            assert not (await a.call("GetWhereabouts", pb.GetWhereaboutsRequest())).HasField("ticket")
            assert len(s.tables.specs) == 1

        play(scene)

    def test_what_is_over_is_forgotten_in_the_end(self) -> None:
        async def scene(s: Scene) -> None:
            a = await s.player("a")
            ticket = await s.ticket(a, bots_now=True)
            await s.clock.sleep(1)
            await s.finish((await s.look(a, ticket)).table_id)
            await s.clock.sleep(50 * 60)
            assert (await s.look(a, ticket)).state == "matched"
            await s.clock.sleep(11 * 60)
            await refused("TICKET_UNKNOWN", s.look(a, ticket))

        play(scene, keep_hours=1, match_every_ms=10_000)

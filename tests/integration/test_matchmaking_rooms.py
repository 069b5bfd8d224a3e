"""An evening in friends' rooms: who owns, who sits where, what is agreed on, what it costs, once more."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from paiju.matchmaking.v1 import matchmaking_service_pb2 as pb
from paiju.table.v1.table_service_pb2 import RecordSummary

from services.chassis.errors import Outage
from services.matchmaking.core.room_rules import BadPrices, Rules, asked_for, parse_prices, rules_of
from services.matchmaking.settings import ROOM_CARDS
from tests.support.matchmaking_peers import Player
from tests.support.matchmaking_scene import Scene, play, refused


async def gathered(s: Scene, names: str = "abc", **wish: Any) -> tuple[list[Player], pb.Room]:
    """Return the first of these people's room, with all of them in it."""
    people = [await s.player(name) for name in names]
    room = await s.room(people[0], **wish)
    for one in people[1:]:
        room = await s.join(one, room)
    return people, room


async def ask(player: Player, method: str, room: pb.Room, **more: Any) -> Any:
    request = getattr(pb, f"{method}Request")(room_code=room.room_code, **more)
    return await player.call(method, request)


def seated(room: pb.Room) -> list[str]:
    return [place.player_id for place in room.places]


async def started(s: Scene, people: list[Player], room: pb.Room) -> pb.Room:
    for one in people:
        await s.ready(one, room)
    await s.clock.sleep(1)
    return await s.see(people[0], room)


class TestStrangers:
    def test_who_has_only_the_code_of_a_room_that_is_over_learns_that_and_no_more(self) -> None:
        async def scene(s: Scene) -> None:
            people, room = await gathered(s)
            stranger = await s.player("stranger")
            # While it waits and plays he sees whom he would join, or may watch.
            assert seated(await s.see(stranger, room)) == ["p_a", "p_b", "p_c"]
            playing = await started(s, people, room)
            assert (await s.see(stranger, room)).table_id == playing.table_id
            await s.peers.bus.publish(s.tables.finish(playing.table_id, (5, -2, -3)), event_id="finished")
            await s.clock.sleep(1)
            own, seen = await s.see(people[0], room), await s.see(stranger, room)
            assert (own.state, seated(own), own.table_id) == (
                "closed",
                ["p_a", "p_b", "p_c"],
                playing.table_id,
            )
            assert list(own.scores) == [5, -2, -3]
            assert (seen.state, seen.game, seen.rounds) == ("closed", room.game, room.rounds)
            assert (seated(seen), seen.owner_id, seen.table_id, list(seen.scores)) == ([""] * 3, "", "", [])

        play(scene)


class TestPlaces:
    def test_a_free_place_and_a_bots_are_taken_at_once_and_a_persons_once_he_agrees(self) -> None:
        async def scene(s: Scene) -> None:
            (a, b), room = await gathered(s, "ab", game="qinghunpeng", preset="seed000")
            moved = (await ask(b, "MoveSeat", room, seat=3)).room
            assert seated(moved) == ["p_a", "", "", "p_b"]
            await ask(a, "FillRoomWithBots", room)
            moved = (await ask(b, "MoveSeat", room, seat=1)).room
            assert seated(moved) == ["p_a", "p_b", "bot:normal", "bot:normal"]
            assert [place.ready for place in moved.places] == [False, False, True, True]
            asked = (await ask(b, "MoveSeat", room, seat=0)).room
            assert seated(asked) == seated(moved)
            assert asked.swaps == [pb.RoomSwap(from_player_id="p_b", to_player_id="p_a")]
            assert s.notices["p_a"][-1].room == asked
            await refused("SWAP_UNKNOWN", ask(b, "SwapSeats", room, from_player_id="p_a", accept=True))
            changed = (await ask(a, "SwapSeats", room, from_player_id="p_b", accept=True)).room
            assert seated(changed) == ["p_b", "p_a", "bot:normal", "bot:normal"]
            assert (changed.owner_id, list(changed.swaps)) == ("p_a", [])
            await refused("SWAP_UNKNOWN", ask(a, "SwapSeats", room, from_player_id="p_b", accept=True))
            await refused("INVALID_ARGUMENT", ask(a, "MoveSeat", room, seat=4))

        play(scene)

    def test_a_no_and_a_move_end_the_wish_and_two_wishes_are_an_agreement(self) -> None:
        async def scene(s: Scene) -> None:
            (a, b, c), room = await gathered(s)
            await ask(b, "MoveSeat", room, seat=0)
            said_no = (await ask(a, "SwapSeats", room, from_player_id="p_b", accept=False)).room
            assert (seated(said_no), list(said_no.swaps)) == (["p_a", "p_b", "p_c"], [])
            await ask(b, "MoveSeat", room, seat=0)
            only_one = (await ask(b, "MoveSeat", room, seat=2)).room
            assert [(one.from_player_id, one.to_player_id) for one in only_one.swaps] == [("p_b", "p_c")]
            agreed = (await ask(c, "MoveSeat", room, seat=1)).room
            assert (seated(agreed), list(agreed.swaps)) == (["p_a", "p_c", "p_b"], [])
            await ask(b, "MoveSeat", room, seat=0)
            await ask(b, "LeaveRoom", room)
            gone = await s.see(a, room)
            assert (seated(gone), list(gone.swaps)) == (["p_a", "p_c", ""], [])
            await refused("SWAP_UNKNOWN", ask(a, "SwapSeats", room, from_player_id="p_b", accept=True))

        play(scene)

    def test_who_changes_places_is_not_ready_any_more_and_the_others_are(self) -> None:
        async def scene(s: Scene) -> None:
            (a, b, c), room = await gathered(s)
            await s.ready(a, room)
            await s.ready(c, room)
            await ask(c, "MoveSeat", room, seat=1)
            changed = (await ask(b, "SwapSeats", room, from_player_id="p_c", accept=True)).room
            assert [(p.player_id, p.ready) for p in changed.places] == [
                ("p_a", True),
                ("p_c", False),
                ("p_b", False),
            ]

        play(scene)

    def test_the_owner_sends_people_away_and_they_stay_away_for_a_while(self) -> None:
        async def scene(s: Scene) -> None:
            (a, b, _c), room = await gathered(s)
            await refused("NOT_ROOM_OWNER", ask(b, "KickFromRoom", room, player_id="p_c"))
            await refused("INVALID_ARGUMENT", ask(a, "KickFromRoom", room, player_id="p_a"))
            await refused("NOT_IN_ROOM", ask(a, "KickFromRoom", room, player_id="p_x"))
            now = (await ask(a, "KickFromRoom", room, player_id="p_b")).room
            assert (await ask(a, "KickFromRoom", room, player_id="p_b")).room == now, (
                "a repeat changes nothing"
            )
            assert seated(now) == ["p_a", "", "p_c"]
            assert s.notices["p_b"][-1].room == now, "he is told that he has no place"
            refusal = await refused("KICKED_FROM_ROOM", s.join(b, room))
            assert refusal.details["minutes"] == "2"
            await s.clock.sleep(90)
            assert (await refused("KICKED_FROM_ROOM", s.join(b, room))).details["minutes"] == "1"
            await s.clock.sleep(30)
            assert seated(await s.join(b, room)) == ["p_a", "p_b", "p_c"]

        play(scene, kick_minutes=2)

    def test_the_owner_takes_a_bot_out_of_one_place(self) -> None:
        async def scene(s: Scene) -> None:
            (a,), room = await gathered(s, "a")
            await ask(a, "FillRoomWithBots", room)
            await refused("NOT_IN_ROOM", ask(a, "KickFromRoom", room, player_id="bot:easy", seat=1))
            now = (await ask(a, "KickFromRoom", room, player_id="bot:normal", seat=1)).room
            assert seated(now) == ["p_a", "", "bot:normal"]

        play(scene)


class TestOwners:
    def test_a_room_is_handed_over_and_its_old_owner_may_do_no_more_than_others(self) -> None:
        async def scene(s: Scene) -> None:
            (a, b, _c), room = await gathered(s)
            await refused("NOT_ROOM_OWNER", ask(b, "HandOverRoom", room, player_id="p_c"))
            await refused("NOT_IN_ROOM", ask(a, "HandOverRoom", room, player_id="p_x"))
            now = (await ask(a, "HandOverRoom", room, player_id="p_b")).room
            assert now.owner_id == "p_b"
            assert (await ask(a, "HandOverRoom", room, player_id="p_b")).room == now, (
                "a repeat changes nothing"
            )
            await refused("NOT_ROOM_OWNER", ask(a, "KickFromRoom", room, player_id="p_c"))
            await refused("NOT_ROOM_OWNER", ask(a, "CloseRoom", room))
            await ask(b, "KickFromRoom", room, player_id="p_c")

        play(scene)

    def test_the_next_in_turn_inherits_and_a_room_without_people_closes(self) -> None:
        async def scene(s: Scene) -> None:
            (a, b, c), room = await gathered(s)
            await ask(b, "LeaveRoom", room)
            await ask(a, "LeaveRoom", room)
            assert (await s.see(c, room)).owner_id == "p_c", "the next person, not the next place"
            await ask(c, "FillRoomWithBots", room)
            await ask(c, "LeaveRoom", room)
            assert (await s.see(c, room)).state == "closed", "bots do not wait for anybody"

        play(scene)

    def test_a_repeat_of_the_opening_finds_the_room_whoever_owns_it_and_whatever_it_plays_now(self) -> None:
        async def scene(s: Scene) -> None:
            a, b = await s.player("a"), await s.player("b")
            request = pb.CreateRoomRequest(request_id="once", game="paohuzi", preset="tongyi-qmt", rounds=4)
            room = (await a.call("CreateRoom", request)).room
            await s.join(b, room)
            await ask(a, "SetRoomRules", room, preset="tongyi-qmt", rounds=2)
            await ask(a, "HandOverRoom", room, player_id="p_b")
            again = (await a.call("CreateRoom", request)).room
            assert (again.room_code, again.rounds, again.owner_id) == (room.room_code, 2, "p_b")
            request.rules.to_score = 50
            await refused("REQUEST_ID_REUSED", a.call("CreateRoom", request))

        play(scene)

    def test_the_owner_closes_his_room_and_everybody_is_free(self) -> None:
        async def scene(s: Scene) -> None:
            (a, b), room = await gathered(s, "ab")
            await ask(a, "CloseRoom", room)
            await ask(a, "CloseRoom", room)
            assert s.notices["p_b"][-1].room.state == "closed"
            await s.ticket(b)

        play(scene)


class TestRules:
    def test_what_is_agreed_on_reaches_the_table(self) -> None:
        async def scene(s: Scene) -> None:
            rules = pb.RoomRules(to_score=60, payer="each", watching="yes", chat="phrases", voice=True)
            people, room = await gathered(s, rounds=64, rules=rules)
            assert (room.rules, room.rules_no, room.cards) == (rules, 1, 1)
            spec = s.tables.specs[(await started(s, people, room)).table_id]
            assert (spec.to_score, spec.spectators, spec.chat, spec.voice) == (60, True, "phrases", True)
            assert spec.watch_delay_ms == 30_000, "who watches helps nobody"
            assert json.loads(spec.timing_json)["misses"] == 3

        play(scene)

    @pytest.mark.parametrize(
        ("watching", "made"), [("no", (False, False, 0)), ("ask", (False, True, 30_000))]
    )
    def test_who_may_watch_is_one_of_nobody_who_is_let_in_and_friends(
        self, watching: str, made: tuple[bool, bool, int]
    ) -> None:
        async def scene(s: Scene) -> None:
            people, room = await gathered(s, rules=pb.RoomRules(watching=watching))
            spec = s.tables.specs[(await started(s, people, room)).table_id]
            assert (spec.spectators, spec.watch_leave, spec.watch_delay_ms) == made

        play(scene)

    def test_nobody_is_ready_for_rules_that_he_has_not_seen(self) -> None:
        async def scene(s: Scene) -> None:
            (a, b, c), room = await gathered(s)
            for one in (b, c):
                await s.ready(one, room)
            await refused("NOT_ROOM_OWNER", ask(b, "SetRoomRules", room, preset="tongyi-qmt"))
            changed = (
                await ask(
                    a, "SetRoomRules", room, preset="tongyi-qmt", rounds=16, options_json='{"min_xi":9}'
                )
            ).room
            assert (changed.rounds, changed.options_json, changed.rules_no) == (16, '{"min_xi":9}', 2)
            assert not any(place.ready for place in changed.places)
            assert s.notices["p_c"][-1].room == changed
            await refused("ROOM_RULES_CHANGED", ask(b, "SetRoomReady", room, ready=True, rules_no=1))
            await ask(b, "SetRoomReady", room, ready=True, rules_no=2)
            await refused("INVALID_ARGUMENT", ask(a, "SetRoomRules", room, preset="unheard-of"))
            await refused("HALL_UNKNOWN", ask(a, "SetRoomRules", room, preset="tongyi-qmt", level="x"))
            assert (await s.see(a, room)).rules_no == 2, "what is refused changes nothing"

        play(scene)

    def test_a_room_with_bots_cannot_be_made_to_play_for_coins(self) -> None:
        async def scene(s: Scene) -> None:
            (a,), room = await gathered(s, "a")
            await ask(a, "FillRoomWithBots", room)
            wish = {"preset": "tongyi-qmt", "level": "novice"}
            await refused("BOTS_NOT_FOR_COINS", ask(a, "SetRoomRules", room, **wish))
            for seat in (1, 2):
                await ask(a, "KickFromRoom", room, player_id="bot:normal", seat=seat)
            changed = (await ask(a, "SetRoomRules", room, **wish)).room
            assert (changed.level, changed.base_stake > 0) == ("novice", True)

        play(scene)

    @pytest.mark.parametrize(
        "rules",
        [{"payer": "me"}, {"watching": "all"}, {"chat": "loud"}, {"to_score": -1}, {"to_score": 100_001}],
    )
    def test_what_cannot_be_agreed_on_is_refused_by_name(self, rules: dict[str, Any]) -> None:
        async def scene(s: Scene) -> None:
            refusal = await refused(
                "INVALID_ARGUMENT", s.room(await s.player("a"), rules=pb.RoomRules(**rules))
            )
            assert refusal.details["field"] == f"rules.{next(iter(rules))}"

        play(scene)

    def test_rules_are_kept_exactly_and_rooms_of_before_have_the_usual_ones(self) -> None:
        rules = Rules(7, "winner", "yes", "no", True)
        assert rules_of(rules.as_json()) == rules
        assert rules_of("") == Rules() == asked_for(pb.RoomRules())


class TestRoomCards:
    def test_all_who_pay_are_named_once_before_the_table_is_made(self) -> None:
        async def scene(s: Scene) -> None:
            people, room = await gathered(s, rounds=16, rules=pb.RoomRules(payer="winner"))
            table_id = (await started(s, people, room)).table_id
            held = s.cards.held[table_id]
            assert (held.payer, held.cards, list(held.seats)) == ("winner", 3, ["p_a", "p_b", "p_c"])
            assert held.owner_id == "p_a"

        play(scene)

    def test_one_who_plays_with_bots_pays_nothing_and_short_matches_are_free(self) -> None:
        async def scene(s: Scene) -> None:
            (a,), room = await gathered(s, "a", rounds=64)
            await ask(a, "FillRoomWithBots", room)
            await started(s, [a], room)
            people, short = await gathered(s, "bcd", rounds=4)
            assert (await started(s, people, short)).state == "playing"
            assert s.cards.held == {}

        play(scene)

    def test_who_has_too_few_is_told_when_he_opens_and_when_he_is_ready(self) -> None:
        async def scene(s: Scene) -> None:
            s.wallets.cards = {"p_a": 1, "p_b": 0}
            refusal = await refused("ROOM_CARDS_TOO_FEW", s.room(await s.player("a"), rounds=8))
            assert (refusal.details["needed"], refusal.details["cards"]) == ("2", "1")
            (a, b), room = await gathered(s, "ab", rounds=8, rules=pb.RoomRules(payer="each"))
            await s.ready(a, room)
            await refused("ROOM_CARDS_TOO_FEW", s.ready(b, room))
            await refused("ROOM_CARDS_TOO_FEW", ask(a, "SetRoomRules", room, preset="tongyi-qmt", rounds=8))

        play(scene)

    def test_cards_that_are_gone_at_the_start_open_the_room_again_and_say_why(self) -> None:
        async def scene(s: Scene) -> None:
            people, room = await gathered(s)
            s.cards.refuse = "ROOM_CARDS_TOO_FEW"
            now = await started(s, people, room)
            assert (now.state, now.refusal, s.tables.specs) == ("open", "ROOM_CARDS_TOO_FEW", {})
            assert not any(place.ready for place in now.places)
            s.cards.refuse = ""
            assert (await started(s, people, room)).state == "playing"
            assert (await s.see(people[0], room)).refusal == ""

        play(scene)

    def test_a_table_that_is_refused_costs_nothing(self) -> None:
        async def scene(s: Scene) -> None:
            people, room = await gathered(s)
            s.tables.refuse = "INVALID_ARGUMENT"
            now = await started(s, people, room)
            assert (now.state, now.refusal) == ("open", "INVALID_ARGUMENT")
            assert s.cards.returned == list(s.cards.held)

        play(scene)

    def test_while_economy_is_away_the_room_waits_and_pays_once(self) -> None:
        async def scene(s: Scene) -> None:
            people, room = await gathered(s)
            s.cards.is_down = True
            assert (await started(s, people, room)).state == "open"
            await refused("ROOM_PLAYING", ask(people[1], "LeaveRoom", room))
            await s.clock.sleep(30)
            assert s.tables.specs == {}
            s.cards.is_down = False
            await s.clock.sleep(3)
            assert (await s.see(people[0], room)).state == "playing"
            assert list(s.cards.held) == list(s.tables.specs)

        play(scene)

    def test_prices_are_data_and_bad_data_is_refused(self) -> None:
        prices = parse_prices(ROOM_CARDS.read_text(encoding="utf-8"))
        assert prices.cards(4, Rules()) == 0
        assert prices.cards(5, Rules()) > 0
        assert prices.cards(64, Rules(payer="each")) < prices.cards(64, Rules())
        assert prices.messages()[-1].rounds_max == 0
        to_score = '"to_score": {"cards": 1, "cards_each": 1}'
        backwards = f"{_step(64, '1')},{_step(8, '1')}"
        for steps in ("", _step(8, "1"), _step(64, "1.5"), _step(64, "-1"), backwards):
            with pytest.raises(BadPrices):
                parse_prices(f'{{"steps": [{steps}], {to_score}}}')


def _step(rounds_max: int, cards: str) -> str:
    return f'{{"rounds_max": {rounds_max}, "cards": {cards}, "cards_each": 1}}'


class TestAfterTheMatch:
    def test_the_score_sheet_has_the_rounds_of_this_match_in_order_for_those_who_played(self) -> None:
        async def scene(s: Scene) -> None:
            people, room = await gathered(s)
            table_id = (await started(s, people, room)).table_id
            players = ["p_a", "p_b", "p_c"]
            now = s.clock.now_ms()
            s.tables.records = [
                *(
                    RecordSummary(round_id=f"0-later/{n}", players=["p_a"], ended_at_ms=now + 9)
                    for n in range(150)
                ),
                RecordSummary(
                    round_id=f"{table_id}/10", players=players, points=[3, -1, -2], ended_at_ms=now + 5
                ),
                RecordSummary(
                    round_id=f"{table_id}/2", players=players, points=[-2, 1, 1], ended_at_ms=now + 3
                ),
                *(RecordSummary(round_id=f"0-old/{n}", players=players, ended_at_ms=1) for n in range(500)),
            ]
            sheet = await people[0].call("GetRoomSheet", pb.GetRoomSheetRequest(table_id=table_id))
            assert [(one.round_no, list(one.points)) for one in sheet.rounds] == [
                (2, [-2, 1, 1]),
                (10, [3, -1, -2]),
            ]
            assert sheet.room.table_id == table_id
            assert not sheet.next_page_token
            paged = pb.GetRoomSheetRequest(table_id=table_id, page_size=1)
            first = await people[0].call("GetRoomSheet", paged)
            paged.page_token = first.next_page_token
            second = await people[0].call("GetRoomSheet", paged)
            assert [*first.rounds, *second.rounds] == list(sheet.rounds)
            assert (len(first.rounds), second.next_page_token) == (1, "")
            for bad in ({"page_size": 65}, {"page_size": -1}, {"page_token": "x"}):
                asked = pb.GetRoomSheetRequest(table_id=table_id, **bad)
                await refused("INVALID_ARGUMENT", people[0].call("GetRoomSheet", asked))
            eve = await s.player("eve")
            request = pb.GetRoomSheetRequest(table_id=table_id)
            await refused("ROOM_UNKNOWN", eve.call("GetRoomSheet", request))
            await refused("INVALID_ARGUMENT", eve.call("GetRoomSheet", pb.GetRoomSheetRequest(table_id="x")))

        play(scene)

    def test_once_more_with_the_same_people_places_and_rules(self) -> None:
        async def scene(s: Scene) -> None:
            rules = pb.RoomRules(chat="no", payer="each", watching="no")
            (a, b), room = await gathered(s, "ab", rounds=16, rules=rules)
            await ask(b, "MoveSeat", room, seat=2)
            await ask(a, "FillRoomWithBots", room)
            table_id = (await started(s, [a, b], room)).table_id
            request = pb.RematchRequest(table_id=table_id)
            await refused("ROOM_NOT_OVER", b.call("Rematch", request))
            await refused("ROOM_UNKNOWN", (await s.player("eve")).call("Rematch", request))
            await s.peers.bus.publish(s.tables.finish(table_id, (5, -2, -3)), event_id="finished")
            await s.clock.sleep(1)
            over = s.notices["p_a"][-1].room
            assert (over.state, list(over.scores)) == ("closed", [5, -2, -3])
            new = (await b.call("Rematch", request)).room
            assert new.room_code != room.room_code
            assert (new.owner_id, seated(new)) == ("p_b", ["", "bot:normal", "p_b"])
            assert (new.rules, new.rounds, new.cards) == (rules, 16, room.cards)
            assert s.notices["p_a"][-1].invite == new
            assert (await b.call("Rematch", request)).room == new, "a repeat"
            joined = (await a.call("Rematch", request)).room
            assert seated(joined) == ["p_a", "bot:normal", "p_b"], "in his old place"
            assert (await s.see(a, new)).state == "open"
            again = await started(s, [a, b], new)
            assert again.state == "playing"
            assert again.table_id != table_id

        play(scene)

    def test_all_who_ask_at_once_meet_and_who_is_elsewhere_is_told_so(self) -> None:
        async def scene(s: Scene) -> None:
            people, room = await gathered(s)
            table_id = (await started(s, people, room)).table_id
            await s.finish(table_id)
            request = pb.RematchRequest(table_id=table_id)
            rooms = [one.room for one in await asyncio.gather(*(p.call("Rematch", request) for p in people))]
            assert len({one.room_code for one in rooms}) == 1
            assert seated(await s.see(people[0], rooms[0])) == ["p_a", "p_b", "p_c"]
            await ask(people[2], "LeaveRoom", rooms[0])
            await s.ticket(people[2])
            await refused("ALREADY_WAITING", people[2].call("Rematch", request))

        play(scene)

    def test_a_room_that_nobody_came_back_to_is_opened_anew(self) -> None:
        async def scene(s: Scene) -> None:
            people, room = await gathered(s)
            table_id = (await started(s, people, room)).table_id
            await s.finish(table_id)
            request = pb.RematchRequest(table_id=table_id)
            first = (await people[0].call("Rematch", request)).room
            await ask(people[0], "LeaveRoom", first)
            second = (await people[1].call("Rematch", request)).room
            assert second.room_code != first.room_code
            assert seated(second) == ["", "p_b", ""]
            over = (await people[1].call("ListRooms", pb.ListRoomsRequest(state="closed"))).rooms
            assert [(one.room_code, one.next_room_code) for one in over] == [
                (room.room_code, second.room_code)
            ]

        play(scene)

    def test_ones_rooms_are_listed_newest_first_in_pages(self) -> None:
        async def scene(s: Scene) -> None:
            (a, b), _ = await gathered(s, "ab")
            codes = []
            await s.clock.sleep(1)
            await ask(b, "LeaveRoom", (await b.call("ListRooms", pb.ListRoomsRequest())).rooms[0])
            for n in range(5):
                one = await s.room(b, rounds=n + 1)
                codes.append(one.room_code)
                await ask(b, "CloseRoom", one)
            found, request = [], pb.ListRoomsRequest(page_size=2)
            while True:
                page = await b.call("ListRooms", request)
                found += [one.room_code for one in page.rooms]
                assert len(page.rooms) <= 2
                if not page.next_page_token:
                    break
                request.page_token = page.next_page_token
            assert sorted(found) == sorted(codes)
            assert [one.state for one in (await a.call("ListRooms", pb.ListRoomsRequest())).rooms] == ["open"]
            for bad in ({"page_token": "x"}, {"page_size": 101}, {"state": "burning"}, {"game": "?"}):
                await refused("INVALID_ARGUMENT", b.call("ListRooms", pb.ListRoomsRequest(**bad)))
            assert not (await b.call("ListRooms", pb.ListRoomsRequest(game="kawuxing"))).rooms
            await refused("INVALID_ARGUMENT", b.call("ListRooms", pb.ListRoomsRequest(watching="friends")))

        play(scene)

    def test_ones_rooms_are_listed_by_free_places_and_by_who_may_watch(self) -> None:
        async def scene(s: Scene) -> None:
            async def listed(player: Player, **wanted: Any) -> list[str]:
                page = await player.call("ListRooms", pb.ListRoomsRequest(**wanted))
                return [one.room_code for one in page.rooms]

            a, b = await s.player("a"), await s.player("b")
            shut = await s.room(a)
            await ask(a, "CloseRoom", shut)
            seen = await s.room(a, rules=pb.RoomRules(watching="yes"))
            assert await listed(a, free_places=True) == [seen.room_code], "a closed room has no free place"
            assert await listed(a, watching="yes") == [seen.room_code]
            assert await listed(a, watching="no") == [shut.room_code]
            await s.join(b, seen)
            assert await listed(b, free_places=True, watching="yes", game="paohuzi") == [seen.room_code]
            await ask(a, "FillRoomWithBots", seen)
            assert await listed(a, free_places=True) == []
            assert await listed(a, watching="yes", state="open") == [seen.room_code]

        play(scene)


class TestFaults:
    def test_matchmaking_may_die_in_the_middle_of_an_evening(self) -> None:
        """A second process goes on with the room: its rules, its owner, who was sent away, who asks whom."""

        async def scene(s: Scene) -> None:
            (a, b, c), room = await gathered(s, rules=pb.RoomRules(to_score=30))
            await ask(a, "HandOverRoom", room, player_id="p_b")
            await ask(c, "MoveSeat", room, seat=0)
            before = await s.see(a, room)
            s.process.crash()
            await s.start_matchmaking()
            assert await s.see(a, room) == before
            await ask(a, "SwapSeats", room, from_player_id="p_c", accept=True)
            now = await started(s, [a, b, c], room)
            assert (now.state, seated(now)) == ("playing", ["p_c", "p_b", "p_a"])
            assert s.tables.specs[now.table_id].to_score == 30

        play(scene)

    def test_a_table_whose_log_was_lost_gives_the_cards_back(self) -> None:
        async def scene(s: Scene) -> None:
            people, room = await gathered(s)
            table_id = (await started(s, people, room)).table_id
            del s.tables.specs[table_id], s.tables.phases[table_id]
            await s.clock.sleep(2 * 60)
            assert s.cards.returned == [table_id]
            assert (await s.see(people[0], room)).state == "closed"

        play(scene, look_after_minutes=1)

    def test_two_join_the_last_place_at_once_and_one_is_told_that_the_room_is_full(self) -> None:
        async def scene(s: Scene) -> None:
            (a, _b), room = await gathered(s, "ab")
            c, d = await s.player("c"), await s.player("d")
            got = await asyncio.gather(s.join(c, room), s.join(d, room), return_exceptions=True)
            assert sorted(getattr(one, "reason", "in") for one in got) == ["ROOM_FULL", "in"]
            assert len({place.player_id for place in (await s.see(a, room)).places}) == 3

        play(scene)

    def test_while_the_tables_are_away_rules_stay_as_they_are(self) -> None:
        async def scene(s: Scene) -> None:
            (a,), room = await gathered(s, "a")
            s.tables.is_down = True
            with pytest.raises(Outage):
                await ask(a, "SetRoomRules", room, preset="tongyi-qmt")
            s.tables.is_down = False
            assert (await s.see(a, room)).rules_no == 1

        play(scene)

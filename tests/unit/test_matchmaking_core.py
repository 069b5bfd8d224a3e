"""Who plays with whom, and what a table of a hall is made from."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.chassis.errors import Refusal
from services.matchmaking.core.halls import BadHalls, fitting, parse_halls, stakes_of
from services.matchmaking.core.matching import Waiting, match, next_bots_at_ms, seated
from services.matchmaking.settings import HALLS


def waiting(n: int, at: int = 0, bots: int = 8000) -> Waiting:
    return Waiting(f"t{n}", f"p{n}", at, at + bots)


def names(groups: list[tuple[Waiting, ...]]) -> list[list[str]]:
    return [[ticket.ticket_id for ticket in group] for group in groups]


class TestMatch:
    def test_three_who_wait_play_in_the_order_they_came(self) -> None:
        assert names(match([waiting(2, 20), waiting(1, 10), waiting(3, 30), waiting(4, 40)], 3, 50)) == [
            ["t1", "t2", "t3"]
        ]

    def test_two_wait_on_until_the_first_has_waited_long_enough_and_then_play_with_a_bot(self) -> None:
        pair = [waiting(1, 0), waiting(2, 5000)]
        assert match(pair, 3, 7999) == []
        assert names(match(pair, 3, 8000)) == [["t1", "t2"]]

    def test_who_wants_bots_at_once_gets_them_and_takes_nobody_along(self) -> None:
        now = [waiting(1, 0), waiting(2, 1, bots=0), waiting(3, 2)]
        assert names(match(now, 3, 3)) == [["t2"]]

    def test_a_player_who_waits_twice_is_a_defect(self) -> None:
        with pytest.raises(AssertionError):
            match([Waiting("t1", "p1", 0, 1), Waiting("t2", "p1", 0, 1)], 3, 5)

    @given(
        st.lists(st.tuples(st.integers(0, 20_000), st.sampled_from([0, 8000])), max_size=40),
        st.integers(2, 4),
        st.integers(0, 40_000),
    )
    def test_nobody_is_in_two_groups_and_nobody_waits_for_ever(
        self, made: list[tuple[int, int]], seats: int, now: int
    ) -> None:
        tickets = [waiting(n, at, bots) for n, (at, bots) in enumerate(made)]
        groups = match(tickets, seats, now)
        chosen = [ticket.ticket_id for group in groups for ticket in group]
        assert len(chosen) == len(set(chosen))
        rest = [ticket for ticket in tickets if ticket.ticket_id not in chosen]
        assert len(rest) < seats
        assert all(ticket.bots_at_ms > now for ticket in rest)
        assert all(1 <= len(group) <= seats for group in groups)
        together = [group for group in groups if len(group) > 1]
        assert not any(ticket.wants_bots_only for group in together for ticket in group)
        assert next_bots_at_ms(rest) == min((t.bots_at_ms for t in rest), default=None)

    def test_seats_are_taken_in_the_order_drawn(self) -> None:
        group = (waiting(1), waiting(2))
        assert seated(group, 3, "bot:b", [2, 0, 1]) == ["bot:b", "p1", "p2"]


class TestHalls:
    def test_the_halls_that_ship_are_every_preset_at_every_level_in_order_of_stake(self) -> None:
        halls = parse_halls(HALLS.read_text(encoding="utf-8"))
        assert next(iter(halls)) == "paohuzi/tongyi-qmt/novice"
        brought = [hall.stakes.buy_in for hall in halls.values()]
        assert brought == sorted(brought)
        levels = {hall.hall_id.rpartition("/")[2] for hall in halls.values()}
        queues = {hall.hall_id.rpartition("/")[0] for hall in halls.values()}
        assert len(levels) == 3
        assert set(halls) == {f"{queue}/{level}" for queue in queues for level in levels}
        novice = halls["paohuzi/876cc/novice"].stakes
        assert (novice.base_stake, novice.buy_in, novice.entry_min) == (10, 3000, 3000)
        assert halls["doudizhu/classic/novice"].stakes.base_stake == 30
        assert halls["kawuxing/seed004/senior"].stakes.base_stake == 40

    def test_the_harder_a_hall_the_more_it_takes_from_everybody_and_each_purse_finds_one(self) -> None:
        """Seed 003: each round takes the same from all who play, and more in a harder hall."""
        halls = parse_halls(HALLS.read_text(encoding="utf-8"))
        levels = [halls[f"paohuzi/tongyi-qmt/{level}"].stakes for level in ("novice", "junior", "senior")]
        assert [level.fee for level in levels] == sorted({level.fee for level in levels})
        for coins in (levels[0].entry_min, 20_000, 100_001, 500_001, 10**15):
            assert any(level.admits(coins) for level in levels), coins

    def test_seed_003_halls_play_by_its_word_and_its_rule(self) -> None:
        halls = parse_halls(HALLS.read_text(encoding="utf-8"))
        of_003 = halls["paohuzi/tongyi-qmt/novice"]
        assert (of_003.coin_zh, of_003.message(0).win_cap_by_balance) == ("悟性", True)
        assert json.loads(of_003.spec(["p_a", "p_b", "p_c"]).options_json) == {"win_cap_by_balance": True}
        other = halls["paohuzi/876cc/novice"]
        assert (other.coin_zh, other.message(0).win_cap_by_balance) == ("金币", False)
        assert other.spec(["p_a", "p_b", "p_c"]).options_json == ""

    def test_the_presets_that_ship_exist(self) -> None:
        from engine import GAMES

        halls = parse_halls(HALLS.read_text(encoding="utf-8")).values()
        assert {hall.game for hall in halls} >= set(GAMES)
        for hall in halls:
            if hall.game not in GAMES:
                continue  # it is listed once its tables are opened
            game = GAMES[hall.game]
            options = {**hall.options, "base_stake": hall.stakes.base_stake, "fee": hall.stakes.fee}
            assert game.ruleset(hall.preset, options).title == f"{hall.preset}@1"
            assert hall.bot.removeprefix("bot:") in game.bots

    def test_a_table_of_a_hall_has_its_stake(self) -> None:
        hall = parse_halls(HALLS.read_text(encoding="utf-8"))["paohuzi/tongyi-qmt/junior"]
        spec = hall.spec(["p_a", "p_b", "bot:normal"])
        assert (spec.game, spec.preset, spec.rounds) == ("paohuzi", "tongyi-qmt", 4)
        assert (spec.stake.currency, spec.stake.base_stake, spec.stake.buy_in) == ("gold", 50, 15_000)
        assert (spec.stake.minimum, spec.stake.fee) == (1500, 100)
        assert [seat.player_id for seat in spec.seats] == ["p_a", "p_b", "bot:normal"]

    def test_a_table_of_a_hall_may_be_watched_half_a_minute_late(self) -> None:
        for hall in parse_halls(HALLS.read_text(encoding="utf-8")).values():
            spec = hall.spec(["p_a", "p_b", "bot:normal"])
            assert (spec.spectators, spec.watch_delay_ms, spec.hall_id) == (True, 30_000, hall.hall_id)
            assert len(hall.hall_id) <= 64, "a table takes no longer name of a hall"
            assert json.loads(spec.timing_json)["misses"] == 2, "two misses in a row, and it is played for"

    def test_a_hall_admits_by_coins(self) -> None:
        data = json.loads(HALLS.read_text(encoding="utf-8"))
        data["levels"][0]["entry_max"] = 5000
        stakes = parse_halls(json.dumps(data))["paohuzi/tongyi-qmt/novice"].stakes
        stakes.admit(3000)
        stakes.admit(5000)
        for coins, reason in ((2999, "COINS_TOO_FEW"), (5001, "COINS_TOO_MANY")):
            with pytest.raises(Refusal, match=reason):
                stakes.admit(coins)

    @pytest.mark.parametrize(
        ("wished", "coins", "fits"),
        [
            ("novice", 100_001, "junior"),
            ("novice", 500_001, "senior"),
            ("senior", 20_000, "junior"),
            ("senior", 3_000, "novice"),
            ("junior", 2_999, ""),
        ],
    )
    def test_who_is_refused_is_told_where_he_fits(self, wished: str, coins: int, fits: str) -> None:
        halls = parse_halls(HALLS.read_text(encoding="utf-8"))
        hall = halls[f"kawuxing/xiaogan/{wished}"]
        found = fitting(halls, hall, coins)
        assert (found.stakes.level if found else "") == fits
        with pytest.raises(Refusal) as refused:
            hall.stakes.admit(coins, found)
        assert refused.value.details["fitting_hall_id"] == (f"kawuxing/xiaogan/{fits}" if fits else "")
        for language in ("zh-CN", "en"):
            text = refused.value.text(language)
            assert "{" not in text
            assert not found or (found.title_zh if language == "zh-CN" else found.title_en) in text

    def test_stakes_are_kept_as_text(self) -> None:
        stakes = parse_halls(HALLS.read_text(encoding="utf-8"))["doudizhu/qiang/senior"].stakes
        assert stakes_of(stakes.as_json()) == stakes
        assert stakes_of("") is None

    def test_bad_data_is_refused_with_all_its_problems(self) -> None:
        data = json.loads(HALLS.read_text(encoding="utf-8"))
        data["levels"][0] |= {"buy_in": 5000, "rounds": 0}
        data["levels"][1] |= {"fee": 15_000}
        with pytest.raises(BadHalls) as refused:
            parse_halls(json.dumps(data))
        assert len(refused.value.problems) == 3 * len(data["presets"])
        for fee in (-1, 1.5, "20", True, None):
            data = json.loads(HALLS.read_text(encoding="utf-8"))
            data["levels"][0]["fee"] = fee
            with pytest.raises(BadHalls):
                parse_halls(json.dumps(data))
        for junk in ("", "[]", "{}", '{"games":[],"presets":[],"levels":[]}'):
            with pytest.raises(BadHalls):
                parse_halls(junk)

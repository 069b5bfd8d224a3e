"""The course of a round of 清混碰: claims, kongs, the end, and what options change."""

import json
import re
from pathlib import Path

import pytest

from engine.errors import IllegalAction, NotAsked
from engine.mahjong.tiles import make_hand, parse_tile
from engine.qinghunpeng.flow_vectors import tiles_of_groups
from engine.qinghunpeng.melds import Laid
from engine.qinghunpeng.rules import OPTIONS
from tests.support.qinghunpeng_tables import FLUSH, GAME, IDLE, PUNGS, ended, laid, names, play, table


def test_a_robbed_kong_brings_no_win_on_a_replacement_and_pays_three_times() -> None:
    hands = ("p147 s147 z1234 m9", FLUSH, IDLE, IDLE)
    position = table(hands, "m9", melds=(laid("peng:m9"), (), (), ()), wall="s9 s9 m9")
    play(position, "0 gang bu m9", "1 hu")
    assert names(position) == ["清一色", "抢杠"]
    assert ended(position) == ("qianggang", [-30, 30, 0, 0])
    assert position.melds[0] == laid("peng:m9")


def test_a_concealed_kong_is_shown_and_cannot_be_robbed() -> None:
    position = table(("m9999 p147 s147 z1234", FLUSH, IDLE, IDLE), "m9", wall="s9 s8")
    play(position, "0 gang an m9")
    assert position.to_act() == (0,)
    assert position.view(1).melds[0] == (Laid("an", parse_tile("m9"), 0),)
    assert position.view(0).drawn == parse_tile("s8")


def test_the_single_tile_needs_its_pair_even_with_kongs_of_four() -> None:
    melds = laid("ming:m1", "bu:m4", "an:m7", "peng:m2")
    position = table(("m369 p147 s147 z12344", "z5", IDLE, IDLE), "z4", melds=((), melds, (), ()))
    play(position, "0 discard z4")
    assert (position.phase, position.turn) == ("turn", 1)
    won = table(("m369 p147 s147 z12345", "z5", IDLE, IDLE), "z5", melds=((), melds, (), ()))
    play(won, "0 discard z5", "1 hu")
    assert names(won) == ["混碰", "大吊车"]
    shanghai = table(
        ("m369 p147 s147 z12345", "z5", IDLE, IDLE), "z5", melds=((), melds, (), ()), dadiaoche_angang=False
    )
    play(shanghai, "0 discard z5", "1 hu")
    assert names(shanghai) == ["混碰"]


def test_any_honour_wins_thirteen_honours() -> None:
    hand = "z1122334455667"
    for tile in ("z4", "z7"):
        position = table((f"m258 p147 s369 z123 z6 {tile}", hand, IDLE, IDLE), tile)
        play(position, f"0 discard {tile}", "1 hu")
        assert names(position) == ["乱风向"]
        assert ended(position) == ("discard", [-20, 20, 0, 0])


def test_seven_pairs_of_suits_do_not_win() -> None:
    position = table(("m258 p147 s369 z1234 z2", "m1133557799 z11 z2", IDLE, IDLE), "z2")
    play(position, "0 discard z2")
    assert "hu" not in position.legal_actions(1)


def test_the_winners_of_one_tile_are_paid_apart_and_the_giver_deals() -> None:
    hands = ("m147 p147 s147 z1234 m9", FLUSH, IDLE, PUNGS)
    position = table(hands, "m9")
    play(position, "0 discard m9", "3 hu", "1 hu")
    outcome = position.outcome()
    assert outcome is not None
    assert ended(position) == ("discard", [-11, 10, 0, 1])
    assert GAME.succession(position.rules, 2, 3, outcome.result()) == (0, 0)
    assert outcome.result()["names"] == {"清一色": 10, "碰碰胡": 1}
    assert outcome.result()["score"] == 10


def test_with_head_bump_the_nearest_wins_alone() -> None:
    hands = ("m147 p147 s147 z1234 m9", FLUSH, IDLE, PUNGS)
    position = table(hands, "m9", head_bump=True)
    play(position, "0 discard m9", "3 hu")
    assert position.outcome() is None
    play(position, "1 hu")
    assert ended(position) == ("discard", [-10, 10, 0, 0])
    other = table(hands, "m9", head_bump=True)
    play(other, "0 discard m9", "1 chi m7", "3 hu")
    assert ended(other) == ("discard", [-1, 0, 0, 1])


def test_the_lock_keeps_melds_of_two_suits_from_runs() -> None:
    hands = ("m147 p147 s147 z1234 m3", "m12 p58 s258 z123", IDLE, IDLE)
    melds = ((), laid("chi:p1"), (), ())
    free = table(hands, "m3", melds=melds)
    play(free, "0 discard m3")
    assert free.legal_actions(1) == ("chi m1", "pass")
    locked = table(hands, "m3", melds=melds, claim_lock=True)
    play(locked, "0 discard m3")
    assert locked.to_act() == (1,)
    assert locked.phase == "turn"


def test_the_claimed_kind_may_be_discarded_only_where_nothing_else_is_held() -> None:
    hands = ("m147 p147 s147 z1234 m3", "m1245 p258 s258 z12 m3", IDLE, IDLE)
    position = table(hands, "m3", no_swap=True)
    play(position, "0 discard m3", "1 chi m1")
    with pytest.raises(IllegalAction):
        play(position, "1 discard m3")
    play(position, "1 discard m4")
    forced = table(
        ("m147 p147 s147 z1234 m3", "m33 m12", IDLE, IDLE),
        "m3",
        melds=((), laid("chi:m1", "chi:m4", "peng:z1"), (), ()),
        no_swap=True,
    )
    play(forced, "0 discard m3", "1 chi m1")
    assert forced.legal_actions(1) == ("discard m3",)


def test_the_claimed_kind_may_be_discarded_again_after_the_next_draw() -> None:
    hands = ("m147 p147 s147 z1234 m3", "m1245 p258 s258 z12 m3", IDLE, IDLE)
    position = table(hands, "m3", no_swap=True, wall="s9 s9 s8 s7 s6 s5")
    play(position, "0 discard m3", "1 chi m1", "1 discard z2")
    play(position, "2 discard z4", "3 discard z4", "0 discard z4")
    assert position.turn == 1
    assert "discard m3" in position.legal_actions(1)
    konged = table(
        ("m147 p147 s147 z1234 m3", "m1245 m3 p258 z2222 z3", IDLE, IDLE), "m3", no_swap=True, wall="s9 s8"
    )
    play(konged, "0 discard m3", "1 chi m1", "1 gang an z2")
    assert "discard m3" in konged.legal_actions(1)


def test_passing_a_win_bars_its_tile_until_the_next_draw() -> None:
    hands = ("m147 p147 s147 z1234 m9", IDLE + " m9", FLUSH, IDLE)
    position = table(hands, "m9", guo_hu="same_tile", wall="s9 s8 s7 s6 m9 s4")
    play(position, "0 discard m9", "2 pass")
    assert position.view(2).passed == 1 << parse_tile("m9")
    assert position.view(1).passed == 0
    play(position, "1 discard m9")
    assert position.legal_actions(2) == ("chi m7", "pass")
    play(position, "2 pass")
    assert position.view(2).passed == 0


def test_a_win_passed_in_the_own_turn_bars_the_tile_discarded() -> None:
    hands = (FLUSH + " m9", IDLE, IDLE, IDLE + " m9")
    position = table(hands, "m9", guo_hu="same_tile", wall="s9 s8 s7 s6 s5 s4")
    play(position, "0 discard m9")
    assert position.view(0).passed == 1 << parse_tile("m9")
    play(position, "1 discard s9", "2 discard s8", "3 discard m9")
    assert position.legal_actions(0) == ("chi m7", "pass")


def test_only_the_seat_after_may_take_a_run_and_a_pong_goes_first() -> None:
    hands = ("m147 p147 s147 z1234 m3", "m1245 p258 s258 z123", "m33 m12 p369 s369 z567", IDLE)
    position = table(hands, "m3")
    play(position, "0 discard m3")
    assert position.legal_actions(2) == ("pass", "peng")
    play(position, "1 chi m2")
    assert position.to_act() == (2,)
    play(position, "2 peng")
    assert position.turn == 2
    assert position.melds[1] == []
    waiting = table(hands, "m3")
    play(waiting, "0 discard m3", "2 pass", "1 chi m3")
    assert waiting.melds[1] == [Laid("chi", parse_tile("m3"), 0)]
    assert waiting.hands[1] == make_hand(tiles_of_groups("m12 p258 s258 z123"))


def test_after_a_claim_there_is_no_win_but_a_kong() -> None:
    hands = ("m147 p147 s147 z1234 z5", "m123456 p777 p7 z5 z5 z6", IDLE, IDLE)
    position = table(hands, "z5")
    play(position, "0 discard z5", "1 peng")
    assert "gang an p7" in position.legal_actions(1)
    assert "hu" not in position.legal_actions(1)


def test_with_no_tile_free_a_discard_can_only_be_won() -> None:
    hands = ("m147 p147 s147 z1234 m9", "m78 p258 s258 z12345", "m99 p369 s369 z12345", FLUSH)
    position = table(hands, "m9", wall="s9 s8", dead_wall=2)
    play(position, "0 discard m9")
    assert position.to_act() == (3,)
    play(position, "3 hu")
    assert names(position) == ["清一色", "海底"]
    drawn = table(hands, "m9", wall="s9 s8", dead_wall=2)
    play(drawn, "0 discard z1")
    assert ended(drawn) == ("huangzhuang", [0, 0, 0, 0])
    no_kong = table(("m9999 p147 s147 z1234", IDLE, IDLE, IDLE), "m9", wall="s9", dead_wall=1)
    assert "gang an m9" not in no_kong.legal_actions(0)


def test_three_claims_from_one_seat_bind_both() -> None:
    hands = ("m147 p147 s147 z1234 m9", IDLE, "m9", IDLE)
    melds = ((), (), laid("peng:m1:1", "peng:m2:1", "chi:m4:1", "chi:m5:1"), ())
    for bound, points in ((True, [-10, -10, 20, 0]), (False, [-10, 0, 10, 0])):
        position = table(hands, "m9", melds=melds, chengbao=bound)
        play(position, "0 discard m9", "2 hu")
        assert ended(position) == ("discard", points)
    own = table(("m9 m9", IDLE, IDLE, IDLE), "m9", melds=(melds[2], (), (), ()), chengbao=True)
    play(own, "0 hu")
    assert ended(own) == ("zimo", [50, -30, -10, -10])
    outcome = own.outcome()
    assert outcome is not None
    assert outcome.result()["wins"][0]["bound"] == [1]
    assert {payment.why for payment in outcome.payments} == {"自摸", "承包"}
    # Whoever gave the three is bound as well: the seat it fed pays further when it wins.
    other = table(
        (FLUSH + " m9", IDLE, "z5", IDLE), "m9", melds=((), (), laid(*["peng:m7:0"] * 3, "an:z1"), ())
    )
    assert other.rules.chengbao is False
    fed = table(
        (FLUSH + " m9", IDLE, "z5", IDLE),
        "m9",
        melds=((), (), laid("peng:p1:0", "ming:p2:0", "bu:p3:0", "an:z1:2"), ()),
        chengbao=True,
    )
    play(fed, "0 hu")
    assert ended(fed) == ("zimo", [50, -10, -30, -10])


def test_an_added_kong_still_counts_as_a_claim_from_the_pongs_giver() -> None:
    melds = (laid("peng:m1:2", "peng:m2:2", "peng:m9:2"), (), (), ())
    position = table(("m5569 m4", IDLE, IDLE, IDLE), "m9", melds=melds, wall="s9 m5", chengbao=True)
    play(position, "0 gang bu m9")
    assert position.melds[0][2] == Laid("bu", parse_tile("m9"), 2)
    assert position.view(1).melds == position.view(0).melds
    play(position, "0 hu")
    assert ended(position) == ("gangkai", [50, -10, -30, -10])


def test_a_bound_giver_pays_twice_and_a_bound_robbed_konger_six_times() -> None:
    melds = (laid("peng:m9"), (), laid("peng:m1:0", "peng:m2:0", "chi:m4:0"), ())
    hands = ("p147 s147 z1234 m9", IDLE, "m7899", IDLE)
    given = table(
        ("p147 s147 z1234 m9 m3 m6 m1", IDLE, "m7899", IDLE), "m9", melds=((), *melds[1:]), chengbao=True
    )
    play(given, "0 discard m6", "2 hu")
    assert ended(given) == ("discard", [-20, 0, 20, 0])
    robbed = table(hands, "m9", melds=melds, chengbao=True)
    play(robbed, "0 gang bu m9", "2 hu")
    assert ended(robbed) == ("qianggang", [-60, 0, 60, 0])


def test_the_first_round_of_discards_ends_with_a_second_discard() -> None:
    plain = "m123 p123 s123 m789 z1"
    hands = (IDLE + " z1", plain, IDLE, IDLE)
    first = table(hands, "z1", fresh=(0, 1, 2, 3))
    play(first, "0 discard z1", "1 hu")
    assert names(first) == ["平胡", "地胡"]
    assert ended(first) == ("discard", [-20, 20, 0, 0])
    again = table(hands, "z1", fresh=(1,))
    play(again, "0 discard z1")
    assert "hu" not in again.legal_actions(1)
    dealer = table(hands, "z1", fresh=(0, 1, 2, 3), dealer=1)
    play(dealer, "0 discard z1")
    assert "hu" not in dealer.legal_actions(1)


def test_the_shanghai_house_knows_no_win_at_the_first_chance() -> None:
    hands = (IDLE + " z1", "m123 p123 s123 m789 z1", IDLE, IDLE)
    position = table(hands, "z1", fresh=(0, 1, 2, 3), preset="shanghai")
    play(position, "0 discard z1")
    assert "hu" not in position.legal_actions(1)


def test_the_deal_moves_on_with_rotate_unless_the_dealer_won() -> None:
    rules = GAME.ruleset("seed000", {"dealer": "rotate"})
    assert GAME.succession(rules, 3, 0, {"winners": [1], "from": 2}) == (0, 0)
    assert GAME.succession(rules, 3, 0, {"winners": [1, 3], "from": 2}) == (3, 0)
    assert GAME.succession(rules, 3, 1, {"winners": [], "from": -1}) == (0, 2)
    assert GAME.succession(rules, 3, 1, None) == (0, 2)


def test_who_is_not_asked_is_refused() -> None:
    position = table((IDLE + " z1", IDLE, IDLE, IDLE), "z1")
    with pytest.raises(NotAsked):
        position.apply(2, "pass")
    with pytest.raises(IllegalAction):
        position.apply(0, "hu")


def test_the_document_lists_every_option_with_its_values_and_presets() -> None:
    text = (Path(__file__).parents[2] / "docs" / "games" / "qinghunpeng.md").read_text(encoding="utf-8")
    rows = {
        cells[0].split("`")[1]: cells
        for line in text.splitlines()
        if re.match(r"\| `\w+` \(§\d\) \|", line)
        for cells in ([cell.strip() for cell in line.strip("|").split("|")],)
    }
    assert list(rows) == list(OPTIONS)
    for name, info in OPTIONS.items():
        title, values, seed, shanghai, acts_in = rows[name]
        assert title == f"`{name}` ({info.rule})"
        assert acts_in == info.acts_in
        words = " ".join([f"`{value}`" for value in info.choices]) or "bool"
        assert values == (f"{info.low:,} to {info.high:,}" if info.high else words), name
        for preset, cell in (("seed000", seed), ("shanghai", shanghai or seed)):
            value = getattr(GAME.presets[preset], name)
            assert cell.strip("`") == (value if info.choices else json.dumps(value)), name

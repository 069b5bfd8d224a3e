"""The course of a round of 清混碰: flowers, claims, kongs, what options change, what everybody sees."""

import json
import re
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest

from engine.arena import shuffled
from engine.errors import IllegalAction, NotAsked, Refusal
from engine.mahjong.flowers import DECK, TEXTS, any_tile, split_word
from engine.mahjong.tiles import make_hand, parse_tile
from engine.qinghunpeng.flow_vectors import tiles_of_groups
from engine.qinghunpeng.game import Qinghunpeng
from engine.qinghunpeng.melds import Laid
from engine.qinghunpeng.position import Position
from engine.qinghunpeng.rules import OPTIONS
from engine.qinghunpeng.setup import SeatSetup, set_up
from engine.qinghunpeng.sight import unseen

GAME = Qinghunpeng()
IDLE = "m258 p147 s369 z1234"
"""A hand that takes no part."""
FLUSH = "m12345678 m55 m123"
"""Wins on m9 with 清一色; m3 and m6 complete it too."""
PUNGS = "p111 p222 s333 z33 m99"
"""Wins on m9 and z3 with 碰碰胡."""


def laid(*melds: str) -> list[Laid]:
    """Return melds such as `peng:m9` or `chi:m1:0`, the last with the seat it was taken from."""
    found = []
    for meld in melds:
        kind, tile, *source = meld.split(":")
        found.append(Laid(kind, parse_tile(tile), int(source[0]) if source else -1))
    return found


def table(
    hands: tuple[str, str, str, str],
    drawn: str,
    wall: str = "s9 s9 s8 s7",
    melds: Any = ((), (), (), ()),
    flowers: Any = ("", "", "", ""),
    fresh: tuple[int, ...] = (),
    **more: Any,
) -> Position:
    """Return a position in which seat 0 acts; `fresh` seats have not discarded; other words are options."""
    special = {name: more.pop(name) for name in ("after", "dealer", "turn", "times") if name in more}
    seats = [
        SeatSetup(
            tiles_of_groups(hand),
            own,
            () if seat in fresh else [parse_tile("z7")],
            tiles_of_groups(exposed),
        )
        for seat, (hand, own, exposed) in enumerate(zip(hands, melds, flowers, strict=True))
    ]
    return set_up(
        GAME.ruleset(more.pop("preset", "seed000"), more),
        seats,
        special.pop("turn", 0),
        wall=[any_tile(tile) for tile in wall.split()],
        drawn=parse_tile(drawn) if drawn else -1,
        **special,
    )


def play(position: Position, *steps: str) -> None:
    """Play steps such as `0 discard p5`."""
    for step in steps:
        seat, action = step.split(" ", 1)
        position.apply(int(seat), action)


def names(position: Position, seat: int | None = None) -> list[str]:
    outcome = position.outcome()
    assert outcome is not None
    wins = dict(outcome.wins)
    return [name for name, _ in wins[outcome.winners[0] if seat is None else seat].names]


def ended(position: Position) -> tuple[str, list[int]]:
    outcome = position.outcome()
    assert outcome is not None
    return outcome.how, list(outcome.points)


def dealt(hands: tuple[str, ...], wall: str, tail: str = "", dealer: int = 0, **options: Any) -> Position:
    """Deal hands (14 tiles to the dealer, by seat from the dealer), then a wall with a given tail."""
    first, *others = [tiles_of_groups(hand) for hand in hands]
    fourteenth = first.pop()
    blocks = [first, *others]
    order = [
        tile
        for start, end in ((0, 4), (4, 8), (8, 12), (12, 13))
        for block in blocks
        for tile in block[start:end]
    ]
    head = [*order, fourteenth, *[any_tile(text) for text in wall.split()]]
    end = [any_tile(text) for text in tail.split()]
    left = Counter(any_tile(text) for text in DECK)
    left.subtract([*head, *end])
    assert min(left.values()) >= 0, "a tile is there too often"
    draws = options.pop("draws", 0)
    preset = options.pop("preset", "seed000")
    whole = [TEXTS[tile] for tile in [*head, *left.elements(), *end]]
    return GAME.deal(GAME.ruleset(preset, options), whole, dealer, draws)


def test_the_deal_goes_in_fours_and_the_tail_replaces_flowers_seat_by_seat() -> None:
    wall = shuffled(GAME.deck(), Random(3))
    position = GAME.deal(GAME.ruleset("shanghai"), wall, 2)
    for turn, seat in enumerate((2, 3, 0, 1)):
        own = [wall[16 * block + 4 * turn + at] for block in range(3) for at in range(4)] + [wall[48 + turn]]
        own += [wall[52]] if seat == 2 else []
        view = position.view(seat)
        held = view.as_json()["hand"] + [text for text in view.as_json()["flowers"][seat] if text[0] == "f"]
        replaced = len(view.flowers[seat])
        assert not Counter(own) - Counter(held)
        assert len(held) == len(own) + replaced
    full = GAME.deal(GAME.ruleset("seed000"), wall, 2)
    exposed = [tile for flowers in full.flowers for tile in flowers]
    assert full.wall_left() == 91 - len(exposed)
    assert full.view(None).counts == (13, 13, 14, 13)


def test_lazy_flowers_stay_hidden_until_the_first_turn() -> None:
    hands = (
        "m147 p147 s147 z12345",
        "m258 p258 s258 z12 f12",
        "m369 p369 s369 z1234",
        "m159 p159 s159 z1234",
    )
    position = dealt(hands, "z6", "z7 s9 f3", preset="shanghai")
    assert position.view(1).kept == (any_tile("f1"), any_tile("f2"))
    assert position.view(0).counts == (14, 13, 13, 13)
    assert position.view(0).flowers == ((), (), (), ())
    events = position.apply(0, "discard z5")
    told = [event.text_for(1) for event in events if event.kind in ("flower", "supply", "draw")]
    assert told == [
        "flower 1 f1",
        "supply 1 f3",
        "flower 1 f2",
        "supply 1 s9",
        "flower 1 f3",
        "supply 1 z7",
        "draw 1 z6 head",
    ]
    hidden = [event.text_for(0) for event in events if event.kind in ("supply", "draw")]
    assert hidden == ["supply 1 ?"] * 3 + ["draw 1 ? head"]


def test_a_seat_that_claims_first_replaces_its_lazy_flowers_and_draws_nothing() -> None:
    hands = (
        "m147 p147 s147 z12345",
        "m258 p258 s258 z1234",
        "m369 p369 s369 z55 f12",
        "m159 p159 s159 z1234",
    )
    position = dealt(hands, "z6", "z7 z6", flowers="lazy")
    play(position, "0 discard z5")
    assert position.legal_actions(2) == ("pass", "peng")
    play(position, "2 peng")
    assert position.flowers[2] == [any_tile("f1"), any_tile("f2")]
    assert position.view(2).drawn == -1
    assert position.view(2).counts[2] == 11
    assert {"discard z6", "discard z7"} < set(position.legal_actions(2))
    assert position.wall_left() == 89


def test_a_hand_with_flowers_in_it_cannot_win() -> None:
    # Ten tiles and three flowers: with m9 there would be three sets and a pair.
    hands = ("m369 p147 s147 z12344", "m369 p258 s258 z1234", "m12345678 m55 f123", "m19 p1599 s159 z1235")
    position = dealt(hands, "z6", flowers="lazy")
    play(position, "0 discard m9")
    assert not any("hu" in position.legal_actions(seat) for seat in range(4))
    shown = dealt(hands, "z6", "m1 m2 m3", flowers="at_deal")
    play(shown, "0 discard m9")
    assert "hu" in shown.legal_actions(2)


def test_heavenly_win_survives_the_dealers_initial_flower() -> None:
    hands = ("m123456789 z55 z1 f1 z1", IDLE, "m369 p369 s258 z1234", "m147 p258 s147 z2346")
    position = dealt(hands, "z6", "z5")
    assert position.flowers[0] == [any_tile("f1")]
    assert "hu" in position.legal_actions(0)
    play(position, "0 hu")
    assert names(position) == ["混一色", "天胡"]
    assert ended(position) == ("zimo", [120, -40, -40, -40])


def test_two_flowers_in_a_row_are_one_chance_of_a_win_on_a_replacement() -> None:
    hands = (IDLE + " z6", "m123456789 z55 z1 z1", "m369 p369 s258 z1234", "m147 p258 s147 z2346")
    position = table(hands, "z6", wall="f1 s1 s2 z5 f2")
    play(position, "0 discard z6")
    assert position.view(1).drawn == parse_tile("z5")
    play(position, "1 hu")
    assert names(position) == ["混一色", "杠开"]
    assert ended(position) == ("gangkai", [-10, 30, -10, -10])
    # Not drawn in play: the same flowers at the deal.
    initial = dealt(("m123456789 z55 z1 f1 z1", *hands[2:], IDLE), "z6", "z5 f2")
    play(initial, "0 hu")
    assert "杠开" not in names(initial)


def test_the_chance_ends_with_the_discard() -> None:
    hands = (IDLE + " z6", "m123456789 z55 z1 z1", "m369 p369 s258 z1234", "m147 p258 s147 z2346")
    position = table(hands, "z6", wall="f1 s1 s2 s3 s4 z5 z6")
    play(position, "0 discard z6", "1 discard z6", "2 discard m3", "3 discard z6", "0 discard p1")
    assert position.after == "draw"
    assert position.view(1).drawn == parse_tile("s4")


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


def test_a_tile_is_never_won_with_a_fifth_copy() -> None:
    # m4 stands alone beside the run; its other three lie in the own kong's place.
    position = table(
        ("m258 p147 s369 z1234 m1", "m23456 p5 z11 z22", IDLE, IDLE), "m1", melds=((), laid("an:m1"), (), ())
    )
    with pytest.raises(IllegalAction):
        play(position, "0 hu")
    play(position, "0 discard m1")
    assert position.legal_actions(1) == ("chi m1", "pass")


def test_eight_flowers_win_before_the_drawer_sees_another_tile() -> None:
    flowers = ("", "f1234567", "", "")
    hands = (IDLE + " z6", "m123456789 z55 z1 z1", IDLE, IDLE)
    position = table(hands, "z6", wall="f8 s1 s2", flowers=flowers, fresh=(1,))
    play(position, "0 discard z6")
    assert ended(position) == ("bahua", [-40, 120, -40, -40])
    outcome = position.outcome()
    assert outcome is not None
    assert outcome.result()["card"] == "f8"
    assert outcome.result()["from"] == 1
    late = table(hands, "z6", wall="f8 s1 s2", flowers=flowers)
    play(late, "0 discard z6")
    assert late.to_act() == (1,)
    anytime = table(hands, "z6", wall="f8 s1 s2", flowers=flowers, bahua="anytime")
    play(anytime, "0 discard z6")
    assert ended(anytime)[0] == "bahua"


def test_eight_dealt_flowers_win_at_the_deal() -> None:
    hands = ("m14 p1 s1 f12345678 z12", IDLE, "m369 p369 s258 z1234", "m147 p258 s147 z2346")
    position = dealt(hands, "z6")
    assert ended(position) == ("bahua", [120, -40, -40, -40])
    assert position.to_act() == ()
    assert GAME.fold([text for event in position.opening_events() if (text := event.text_for(2))]) == (
        position.view(2)
    )


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


def test_a_flower_drawn_last_ends_the_round() -> None:
    position = table((IDLE + " m9", IDLE, IDLE, IDLE), "m9", wall="f1")
    play(position, "0 discard m9")
    assert ended(position)[0] == "huangzhuang"
    assert position.flowers[1] == [any_tile("f1")]


def test_drawn_rounds_double_later_wins_one_by_one() -> None:
    rules = GAME.ruleset("shanghai")
    assert GAME.succession(rules, 1, 0, None) == (1, 1)
    won = {"winners": [3], "from": 0}
    assert GAME.succession(rules, 1, 2, won) == (3, 1)
    assert GAME.succession(rules, 1, 0, won) == (3, 0)
    assert GAME.succession(GAME.ruleset("seed000"), 1, 2, won) == (3, 0)
    hands = ("m123456789 z55 z1 z5 z1", IDLE, "m369 p369 s258 z1234", "m147 p258 s147 z2346")
    doubled = dealt(hands, "z6", huangfan=True, draws=1)
    assert doubled.view(None).times == 2
    play(doubled, "0 hu")
    assert ended(doubled) == ("zimo", [240, -80, -80, -80])
    assert dealt(hands, "z6", huangfan=True, draws=0).times == 1
    assert dealt(hands, "z6", draws=5).times == 1
    capped = dealt(hands, "z6", huangfan=True, draws=1, cap=50)
    play(capped, "0 hu")
    assert ended(capped) == ("zimo", [150, -50, -50, -50])


def test_doubling_does_not_help_a_hand_over_the_least_points() -> None:
    hands = ("m258 p147 s369 z1234 z1", "m123123456789 z1", IDLE, IDLE)
    position = table(hands, "z1", min_ron=2, times=2)
    play(position, "0 discard z1")
    assert "hu" not in position.legal_actions(1)


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


def test_what_is_unseen_is_what_the_wall_and_the_others_hold() -> None:
    rng = Random(5)
    for preset in GAME.presets:
        position = GAME.deal(GAME.ruleset(preset), shuffled(GAME.deck(), rng), 1)
        while position.outcome() is None:
            seat = rng.choice(position.to_act())
            left = unseen(position.view(seat))
            others = sum(size for other, size in enumerate(position.view(seat).counts) if other != seat)
            assert sum(left) == position.wall_left() + others
            assert min(left) >= 0
            position.apply(seat, rng.choice(position.legal_actions(seat)))


def test_a_deal_of_other_tiles_is_refused() -> None:
    wall = list(GAME.deck())
    wall[0] = "f1"
    with pytest.raises(Refusal, match="permutation"):
        GAME.deal(GAME.ruleset("seed000"), wall, 0)
    with pytest.raises(Refusal, match="no tile"):
        GAME.deal(GAME.ruleset("seed000"), ["f9", *GAME.deck()[1:]], 0)


def test_who_is_not_asked_is_refused() -> None:
    position = table((IDLE + " z1", IDLE, IDLE, IDLE), "z1")
    with pytest.raises(NotAsked):
        position.apply(2, "pass")
    with pytest.raises(IllegalAction):
        position.apply(0, "hu")


def test_flowers_are_written_and_read() -> None:
    assert split_word("m1z7f8") == (0, 33, 41)
    assert len(DECK) == 144
    assert len(set(DECK)) == 42
    with pytest.raises(Refusal):
        split_word("f9")
    with pytest.raises(Refusal):
        any_tile("f0")


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

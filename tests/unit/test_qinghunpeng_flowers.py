"""The deal of 清混碰, its flowers, and what drawn rounds leave behind."""

from collections import Counter
from random import Random

import pytest

from engine.arena import shuffled
from engine.errors import Refusal
from engine.mahjong.flowers import DECK, any_tile, split_word
from engine.mahjong.tiles import parse_tile
from engine.qinghunpeng.sight import unseen
from tests.support.qinghunpeng_tables import GAME, IDLE, dealt, ended, names, play, table


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


def test_flowers_are_written_and_read() -> None:
    assert split_word("m1z7f8") == (0, 33, 41)
    assert len(DECK) == 144
    assert len(set(DECK)) == 42
    with pytest.raises(Refusal):
        split_word("f9")
    with pytest.raises(Refusal):
        any_tile("f0")

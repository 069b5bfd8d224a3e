"""The course of a round of 卡五星: what the options change in play, and what everybody sees."""

import random
import re
from collections import Counter
from typing import Any

import pytest

from engine.arena import play_round, shuffled
from engine.errors import IllegalAction, NotAsked, Refusal
from engine.kawuxing.deal import dice_of
from engine.kawuxing.flow_vectors import tiles_of_groups
from engine.kawuxing.game import Kawuxing
from engine.kawuxing.melds import Laid
from engine.kawuxing.position import Position
from engine.kawuxing.rules import OPTIONS
from engine.kawuxing.setup import SeatSetup, set_up
from engine.mahjong.tiles import TILE_TEXTS, parse_tile

GAME = Kawuxing()
IDLE = "p2369 s245789 z567"
"""A hand that takes no part."""
WAITS_P5 = "p46 s123456789 z55"
"""Wins on p5 with 卡五星."""


def laid(*melds: str) -> list[Laid]:
    return [Laid(kind, parse_tile(tile)) for kind, tile in (meld.split(":") for meld in melds)]


def table(
    hands: tuple[str, str, str], drawn: str, wall: str = "s9 s9 s8", melds: Any = ((), (), ()), **more: Any
) -> Position:
    """Return a position in which seat 0 acts; other keywords are options, but for those of `set_up`."""
    special = {
        name: more.pop(name) for name in ("after", "revealed", "dealer", "turn", "points") if name in more
    }
    seats = [
        SeatSetup(tiles_of_groups(hand), own, [parse_tile("z5")])
        for hand, own in zip(hands, melds, strict=True)
    ]
    if "revealed" in special:
        special["revealed"] = {
            seat: [parse_tile(tile) for tile in kou] for seat, kou in special["revealed"].items()
        }
    return set_up(
        GAME.ruleset("seed004", more),
        seats,
        special.pop("turn", 0),
        wall=[parse_tile(tile) for tile in wall.split()],
        drawn=parse_tile(drawn) if drawn else -1,
        **special,
    )


def play(position: Position, *steps: str) -> None:
    """Play steps such as `0 discard p5`."""
    for step in steps:
        seat, action = step.split(" ", 1)
        position.apply(int(seat), action)


def fans(position: Position) -> dict[str, int]:
    outcome = position.outcome()
    assert outcome is not None
    return dict(outcome.wins[0][1].names)


def points(position: Position) -> list[int]:
    outcome = position.outcome()
    assert outcome is not None
    return list(outcome.points)


def fresh(preset: str = "seed004", seed: int = 1, draws: int = 0, **options: Any) -> Position:
    wall = shuffled(GAME.deck(), random.Random(seed))
    return GAME.deal(GAME.ruleset(preset, options), wall, 0, draws)


def test_two_winners_of_one_discard_and_the_discarder_deals() -> None:
    position = table(("p124589 s1358 z67 p5 s3", WAITS_P5, "p34789 s23456799"), "p5")
    play(position, "0 discard p5", "2 hu", "1 hu")
    outcome = position.outcome()
    assert outcome is not None
    assert outcome.winners == (1, 2)
    assert points(position) == [-30, 20, 10]
    assert GAME.succession(position.rules, 0, 3, outcome.result()) == (0, 0)
    assert GAME.succession(GAME.ruleset("shiyan"), 0, 3, outcome.result()) == (0, 4)
    result = outcome.result()
    assert result["fan"] == 2
    assert result["names"] == {"卡五星": 2, "平胡": 1}
    assert [win["seat"] for win in result["wins"]] == [1, 2]


def test_a_robbed_kong_never_happened() -> None:
    position = table(
        ("p1892 s1583 z67 p5", WAITS_P5, IDLE), "p5", melds=(laid("peng:p5"), (), ()), min_fan="soft"
    )
    play(position, "0 gang bu p5")
    assert position.view(2).shown == (parse_tile("p5"), 0, "bu")
    play(position, "1 hu")
    assert points(position) == [-40, 40, 0]
    assert fans(position) == {"卡五星": 2, "抢杠胡": 2}
    assert position.melds[0] == laid("peng:p5")
    assert not position.konged[0]


def test_a_pong_on_the_last_discard_needs_its_option() -> None:
    hands = ("p124589 s1358 z67 p7 s3", "p7713 s14779 z567 s2", IDLE)
    closed = table(hands, "p7", wall="")
    play(closed, "0 discard p7")
    assert closed.outcome() is not None
    opened = table(hands, "p7", wall="", claim_last="hu_pong")
    play(opened, "0 discard p7")
    assert opened.legal_actions(1) == ("pass", "peng")
    play(opened, "1 peng", "1 discard s2")
    outcome = opened.outcome()
    assert outcome is not None
    assert (outcome.how, outcome.last_drawer) == ("huangzhuang", 0)


def test_an_abandoned_kong_may_be_forbidden() -> None:
    hands = ("p124589 s1358 z67 p7 s3", "p77713 s1479 z567 s2", IDLE)
    for option, offered in (("pay", True), ("forbid", False)):
        position = table(hands, "p7", abandoned_kong=option)
        play(position, "0 discard p7", "1 peng")
        assert ("gang bu p7" in position.legal_actions(1)) == offered


def test_a_kong_held_before_may_not_double() -> None:
    hands = ("p11112222 s158 z67 s3", IDLE, IDLE)
    doubled = table(hands, "p1", wall="z7 s9 s8")
    play(doubled, "0 gang an p1", "0 gang an p2")
    assert doubled.points == [120, -60, -60]
    single = table(hands, "p1", wall="z7 s9 s8", chain_requires_drawn=True)
    play(single, "0 gang an p1", "0 gang an p2")
    assert single.points == [80, -40, -40]
    drawn = table(("p1111222 s158 z67 s33", IDLE, IDLE), "p1", wall="p2 s9 s8", chain_requires_drawn=True)
    play(drawn, "0 gang an p1", "0 gang an p2")
    assert drawn.points == [120, -60, -60]


def test_passing_a_win_bars_lower_ones_until_the_own_draw() -> None:
    hands = ("p124589 s1358 z7 p5 s37", "p2369 s245789 z67 s3", "p34789 s23456799")
    position = table(hands, "p5", wall="p5 s9 s8 p5 s7", guo_hu="higher_fan")
    play(position, "0 discard p5", "2 pass")
    assert position.view(2).passed_fan == 1
    assert position.view(0).passed_fan == 0
    play(position, "1 discard p5")
    assert position.turn == 2
    assert position.view(2).passed_fan == 0


def test_passing_the_own_win_is_a_pass_too() -> None:
    position = table((WAITS_P5 + " p5", IDLE, IDLE), "p5", wall="p5 s9 s8", guo_hu="same_tile")
    play(position, "0 discard p5")
    assert position.view(0).passed_tiles == 1 << parse_tile("p5")
    play(position, "1 discard p5")
    assert position.turn == 2
    off = table((WAITS_P5 + " p5", IDLE, IDLE), "p5", wall="p5 s9 s8")
    play(off, "0 discard p5", "1 discard p5")
    assert off.legal_actions(0) == ("hu", "pass")


@pytest.mark.parametrize(("option", "paid"), [(False, 40), (True, 20)])
def test_who_held_only_dangerous_tiles_may_be_exempt_from_bao(option: bool, paid: int) -> None:
    melds = (laid("peng:p1", "peng:z6", "peng:z7", "peng:s1"), (), ())
    position = table(
        ("p25", "p69 s458 z5 s79 p6789 s3", "p34789 s23456799"),
        "p5",
        melds=melds,
        revealed={2: []},
        bao_exempt_forced=option,
    )
    play(position, "0 discard p5")
    assert points(position) == [-paid, 0, paid]


def test_a_face_up_triplet_is_konged_unasked_under_sha_ma() -> None:
    hands = ("p1245893 s1358 z67 p1", "p111 s234567 p46 z55", IDLE)
    position = table(hands, "p1", revealed={1: []}, sha_ma=True)
    play(position, "0 discard p1")
    assert position.melds[1] == laid("ming:p1")
    assert position.turn == 1
    hidden = table(hands, "p1", revealed={1: ["p1"]}, sha_ma=True)
    play(hidden, "0 discard p1")
    assert hidden.legal_actions(1) == ("gang ming p1", "pass")


def test_the_fourth_tile_of_a_face_up_triplet_is_konged_unasked_under_sha_ma() -> None:
    hands = ("p111 s234567 p46 z55 p1", IDLE, IDLE)
    position = table(hands, "p1", revealed={0: []}, sha_ma=True)
    assert position.melds[0] == laid("an:p1")
    assert table(hands, "p1", revealed={0: []}).legal_actions(0) == ("discard p1", "gang an p1")
    hidden = table(hands, "p1", revealed={0: ["p1"]}, sha_ma=True)
    assert hidden.legal_actions(0) == ("discard p1", "gang an p1")


def test_the_waits_may_change_by_a_kong_if_still_ready_is_enough() -> None:
    hands = ("p22223 s345678 z555", IDLE, IDLE)
    position = table(hands, "p2", revealed={0: []}, reveal_kong_check="still_ting")
    events = position.apply(0, "gang an p2")
    assert "waits 0 p3" in [event.text_for(1) for event in events]
    seen = position.view(1).revealed[0]
    assert seen is not None
    assert seen.waits == 1 << parse_tile("p3")


def test_hidden_triplets_are_seen_by_nobody_else() -> None:
    position = table(("p111 s234567 p46 z55 p9", IDLE, IDLE), "p9")
    events = position.apply(0, "liang p9 p1")
    told = [[event.text_for(reader) for event in events] for reader in (0, 1, None)]
    assert "liang 0 p4p6s2s3s4s5s6s7z5z5 p1 p5" in told[0]
    assert "liang 0 p4p6s2s3s4s5s6s7z5z5 ?1 p5" in told[1]
    assert told[1][:3] == told[2][:3]
    assert position.view(0).kou == (parse_tile("p1"),)
    assert position.view(1).kou == ()
    assert position.view(1).revealed == position.view(0).revealed


def test_two_hands_that_differ_in_a_hidden_triplet_look_the_same() -> None:
    told = []
    for hidden, other in (("p1", "s8"), ("s8", "p1")):
        hand = " ".join([f"{hidden[0]}{hidden[1] * 3}", "s234567 p46 z55 p9"])
        position = table((hand, IDLE, "p2369 s245779 z567"), "p9", wall=f"p9 {hidden} {other} s9")
        told.append(position.view(1).as_json())
        for event in position.apply(0, f"liang p9 {hidden}"):
            told[-1][str(len(told[-1]))] = event.text_for(1)
        told.append(position.view(1).as_json())
    assert told[0] == told[2]
    assert told[1] == told[3]


def test_a_reveal_may_need_tiles_in_the_wall() -> None:
    hands = (WAITS_P5 + " p9", IDLE, IDLE)
    assert "liang p9" in table(hands, "p9").legal_actions(0)
    assert "liang p9" in table(hands, "p9", reveal_min_wall=3).legal_actions(0)
    assert "liang p9" not in table(hands, "p9", reveal_min_wall=4).legal_actions(0)


def test_only_hidden_triplets_that_keep_the_waits_together_are_offered() -> None:
    offered = table(("p1112344488 z7", IDLE, IDLE), "z7", melds=(laid("peng:s1"), (), ())).legal_actions(0)
    assert [action for action in offered if action.startswith("liang z7")] == [
        "liang z7",
        "liang z7 p1",
        "liang z7 p4",
    ]


@pytest.mark.parametrize(("konged", "asked"), [(False, False), (True, True)])
def test_soft_opening_ends_with_the_own_kong_in_play(konged: bool, asked: bool) -> None:
    hands = ("p124589 s1358 z67 p5 s3", IDLE, "p111 s234567 p34 s99")
    position = table(hands, "p5", wall="z5 p1 s8 s1 s6 s5", min_fan="soft")
    play(position, "0 discard s3", "1 discard z5")
    play(position, *(["2 gang an p1", "2 discard s8"] if konged else ["2 discard p1"]))
    play(position, "0 discard p5")
    assert ("hu" in position.legal_actions(2)) == asked


def test_feeding_the_very_reveal_is_twice_without_bao() -> None:
    position = table((WAITS_P5 + " p5", "p34789 s23456799", IDLE), "p5")
    assert "liang p5" in position.legal_actions(0)
    play(position, "0 liang p5", "1 hu")
    assert points(position) == [-20, 20, 0]


def test_haidi_is_the_last_tile_or_its_discard() -> None:
    last = table((WAITS_P5 + " p5", IDLE, IDLE), "p5", wall="", fan_haidi=2)
    play(last, "0 hu")
    assert fans(last) == {"卡五星": 2, "海底捞": 2}
    fed = table(("p124589 s1358 z67 p5 s3", WAITS_P5, IDLE), "p5", wall="", fan_haidi=2)
    play(fed, "0 discard p5", "1 hu")
    assert fans(fed) == {"卡五星": 2, "海底炮": 2}
    early = table((WAITS_P5 + " p5", IDLE, IDLE), "p5", fan_haidi=2)
    play(early, "0 hu")
    assert fans(early) == {"卡五星": 2}


def test_tianhu_and_dihu_are_for_the_first_chance_only() -> None:
    hand = ["p4", "p6", *[f"s{rank}" for rank in range(1, 10)], "z5", "z5"]
    others = list(GAME.deck())
    for tile in [*hand, "p5", "p5"]:
        others.remove(tile)
    rest = [tile for tile in others if tile[0] == "s"] + [tile for tile in others if tile[0] != "s"]
    winner = iter(hand)
    spare = iter(rest)
    for who, dealt, expected in ((0, 39, "天胡"), (1, 40, "地胡")):
        winner, spare = iter(hand), iter(rest)
        wall = ["p5" if at == dealt else "" for at in range(84)]
        for at in range(39):
            block = at // 4 % 3 if at < 36 else at - 36
            wall[at] = next(winner) if block == who else ""
        left = [*spare, "p5"]
        wall = [tile or left.pop(0) for tile in wall]
        position = GAME.deal(GAME.ruleset("seed004", {"fan_tianhu": 8, "fan_dihu": 4}), wall, 0)
        if who:
            play(position, "0 " + GAME.fallback(position.view(0)))
        while position.outcome() is None and "hu" not in position.legal_actions(who):
            seat = position.to_act()[0]
            play(position, f"{seat} pass")
        play(position, f"{who} hu")
        assert expected in fans(position)


def test_turned_tiles_are_added_to_a_self_draw() -> None:
    hands = (WAITS_P5 + " p5", IDLE, IDLE)
    du = table(hands, "p5", wall="s9 s1", mai_ma="du")
    play(du, "0 hu")
    assert points(du) == [220, -110, -110]
    assert du.view(None).ma == (parse_tile("s9"),)
    liu = table(hands, "p5", wall="s2 p8 z5", mai_ma="liu")
    play(liu, "0 hu")
    assert points(liu) == [100, -50, -50]
    none = table(hands, "p5", wall="s9 s1", mai_ma="du", mai_ma_when="liang_zimo")
    play(none, "0 hu")
    assert points(none) == [40, -20, -20]
    fed = table(("p124589 s1358 z67 p5 s3", WAITS_P5, IDLE), "p5", mai_ma="du")
    play(fed, "0 discard p5", "1 hu")
    assert points(fed) == [-20, 20, 0]


def test_the_stakes_of_piao_are_in_the_order_of_their_texts() -> None:
    assert fresh(piao_max=10).legal_actions(0)[:4] == ("piao 0", "piao 1", "piao 10", "piao 2")


def test_a_stake_is_asked_before_the_deal_and_shown_when_all_are_in() -> None:
    position = fresh(piao_max=2)
    assert position.to_act() == (0, 1, 2)
    assert position.legal_actions(1) == ("piao 0", "piao 1", "piao 2")
    assert position.view(0).hand == 0
    play(position, "1 piao 2", "0 piao 0")
    assert position.view(1).piao == (-1, 2, -1)
    assert position.view(2).piao == (-1, -1, -1)
    with pytest.raises(NotAsked):
        position.apply(1, "piao 1")
    play(position, "2 piao 1")
    assert position.view(None).piao == (0, 2, 1)
    assert position.view(None).counts == (14, 13, 13)


def test_a_round_may_count_double() -> None:
    assert fresh("shiyan", draws=0).stake == 1
    assert fresh("shiyan", draws=2).stake == 2
    doubled = 0
    for seed in range(40):
        position = fresh(seed=seed, shanglou="dice")
        assert position.dice == dice_of(position.wall)
        assert position.stake == (20 if position.dice[0] == position.dice[1] else 10)
        assert position.view(None).dice == position.dice
        doubled += position.stake == 20
    assert 0 < doubled < 20


def test_the_wall_is_dealt_in_fours() -> None:
    position = fresh()
    wall = shuffled(GAME.deck(), random.Random(1))
    own = [*wall[0:4], *wall[12:16], *wall[24:28], wall[36], wall[39]]
    assert [str(tile) for tile in position.view(0).as_json()["hand"]] == sorted(own)
    assert position.view(1).as_json()["hand"] == sorted([*wall[4:8], *wall[16:20], *wall[28:32], wall[37]])
    assert position.view(0).as_json()["drawn"] == wall[39]
    assert position.wall_left() == 44


@pytest.mark.parametrize(("suits", "letters"), [("mp", "mpz"), ("ms", "msz"), ("ps", "psz")])
def test_other_suits_are_the_same_round_renamed(suits: str, letters: str) -> None:
    position = fresh(suits=suits)
    rename = dict(zip("psz", letters, strict=True))
    plain = fresh()
    assert position.tiles() == plain.tiles() == Counter(GAME.deck())
    names = [TILE_TEXTS[tile] for tile in position.wall]
    assert [rename[TILE_TEXTS[tile][0]] + TILE_TEXTS[tile][1] for tile in plain.wall] == names
    assert {tile[0] for tile in position.view(1).as_json()["hand"]} <= set(letters)
    while position.outcome() is None:
        seat = position.to_act()[0]
        position.apply(seat, GAME.bots["normal"](position.view(seat), random.Random(1)))
        assert position.tiles() == Counter(GAME.deck())


def test_the_dealer_after_huangzhuang_is_an_option() -> None:
    result = {"winners": [], "last_drawer": 2}
    assert GAME.succession(GAME.ruleset("seed004"), 1, 0, result) == (1, 1)
    assert GAME.succession(GAME.ruleset("seed004", {"draw_dealer": "last_drawer"}), 1, 0, result) == (2, 1)
    assert GAME.succession(GAME.ruleset("seed004"), 1, 4, None) == (1, 5)


def test_a_revealed_seat_never_pongs_and_plays_only_what_it_draws() -> None:
    position = table(("p1245893 s1358 z67 z5", WAITS_P5, IDLE), "z5", revealed={1: []})
    play(position, "0 discard z5")
    assert position.turn == 1
    assert position.legal_actions(1) == ("discard s9",)
    with pytest.raises(IllegalAction):
        position.apply(1, "discard p4")


def test_every_option_can_be_changed_and_refuses_what_it_cannot_be() -> None:
    rules = GAME.ruleset("seed004")
    for name, info in OPTIONS.items():
        assert info.doc.endswith(".")
        assert info.rule.startswith("§")
        assert info.acts_in in ("rules", "settlement")
        now = getattr(rules, name)
        if info.choices:
            other: Any = next(choice for choice in info.choices if choice != now)
        elif info.high:
            other = now + 1
        else:
            other = not now
        changed = GAME.ruleset("seed004", {name: other})
        assert getattr(changed, name) == other
        assert changed.preset == ("custom" if info.acts_in == "rules" else "seed004")
        assert GAME.ruleset_from(changed.title, changed.as_json()) == changed
        for wrong in ("no such value", None, 1.5, -1, 10**12):
            with pytest.raises(Refusal, match=name):
                GAME.ruleset("seed004", {name: wrong})


def test_a_win_is_explained_line_by_line() -> None:
    position = table(("p124589 s1358 z67 p5 s3", WAITS_P5, IDLE), "p5", revealed={1: []})
    play(position, "0 discard p5")
    outcome = position.outcome()
    assert outcome is not None
    lines = GAME.explain(position.rules, outcome)
    chinese, english = [line.zh for line in lines], [line.en for line in lines]
    assert "卡五星：×2（§5）" in chinese
    assert "座位 0 付座位 1（包胡）：80 分（§7）" in chinese
    assert "Seat 0 pays seat 1 (pays for both): 80 points (§7)" in english
    assert english[-2] == "Seat 1 in all: +80 (§8)"


def test_every_name_and_payment_has_its_english() -> None:
    rng = random.Random(4)
    for number in range(60):
        preset = list(GAME.presets)[number % 5]
        rules = GAME.ruleset(preset, {"fan_menqing": 2, "shukan": True})
        played = play_round(
            GAME, rules, shuffled(GAME.deck(), rng), 0, [GAME.bots["normal"]] * 3, rng, number % 2
        )
        for line in GAME.explain(rules, played.outcome):
            assert line.en.isprintable()
            assert not re.search(r"[mps][1-9]|z[5-7]", line.zh)


def test_the_fallback_throws_what_was_drawn_and_never_wins() -> None:
    position = table((WAITS_P5 + " p5", IDLE, IDLE), "p5")
    assert GAME.fallback(position.view(0)) == "discard p5"
    ponged = table(("p124589 s1358 z67 p7 s3", "p7713 s1479 z567 s2 z7", IDLE), "p7")
    play(ponged, "0 discard p7")
    assert GAME.fallback(ponged.view(1)) == "pass"
    play(ponged, "1 peng")
    assert GAME.fallback(ponged.view(1)) == "discard z6"


def test_the_normal_bot_beats_the_random_one() -> None:
    rng = random.Random(3)
    won = [0, 0, 0]
    rules = GAME.ruleset("seed004")
    for number in range(45):
        position = GAME.deal(rules, shuffled(GAME.deck(), rng), number % 3)
        while position.outcome() is None:
            seat = position.to_act()[0]
            bot = GAME.bots["normal" if seat == number % 3 else "random"]
            position.apply(seat, bot(position.view(seat), rng))
        outcome = position.outcome()
        assert outcome is not None
        for seat in outcome.winners:
            won[seat == number % 3] += 1
    assert won[1] > 30
    assert won[0] < 8


def test_the_normal_bot_reveals_a_good_wait_and_gives_no_gifts() -> None:
    rng = random.Random(0)
    wide = table(("p23 s123456789 z55 p9", IDLE, IDLE), "p9")
    assert GAME.bots["normal"](wide.view(0), rng) == "liang p9"
    danger = table(("p5 s123789 p1289 z67 s5", WAITS_P5, IDLE), "s5", revealed={1: []})
    assert GAME.bots["normal"](danger.view(0), rng) != "discard p5"

"""The bots of 清混碰: stronger kinds win more, and none knows what its view does not tell."""

import random
from typing import Any

import pytest

from engine.arena import duel, duel_deals, play_round, shuffled
from engine.mahjong.tiles import TILES, make_hand, parse_tiles
from engine.qinghunpeng.actions import HU, PASS, PENG
from engine.qinghunpeng.easy import easy_bot
from engine.qinghunpeng.game import Qinghunpeng
from engine.qinghunpeng.hard import hard_bot, ranking
from engine.qinghunpeng.hard_outlook import Outlook
from engine.qinghunpeng.melds import Laid
from engine.qinghunpeng.setup import SeatSetup, set_up
from engine.qinghunpeng.sight import discarded

GAME = Qinghunpeng()
PRESETS = sorted(GAME.presets)
HIDDEN = parse_tiles("p1p1p1p2p2p2p3p3p3p4p4p4p6")
"""A hand the asked seat does not see."""


def asked_views(preset: str, rounds: int, bot: str = "normal") -> list[tuple[Any, Any]]:
    """Return positions of whole rounds with a view of a seat that is asked."""
    rules, rng = GAME.ruleset(preset), random.Random(preset)
    found = []
    for number in range(rounds):
        position = GAME.deal(rules, shuffled(GAME.deck(), rng), number % 4, number % 2)
        while position.outcome() is None:
            seat = position.to_act()[-1]
            view = position.view(seat)
            found.append((position.clone(), view))
            position.apply(seat, GAME.bots[bot](view, rng))
    return found


def test_the_easy_bot_gains_points_from_a_random_one_with_confidence() -> None:
    rules = GAME.ruleset("seed000")
    found = duel(duel_deals(GAME, rules, easy_bot, GAME.bots["random"], 12))
    assert found.is_better, str(found)
    assert found.win_shares[0] > found.win_shares[1] + 0.05


def test_the_normal_bot_wins_more_rounds_than_the_easy_one() -> None:
    # In points it takes far more deals to tell them apart: bench/bench_bots.py.
    found = duel(duel_deals(GAME, GAME.ruleset("seed000"), GAME.bots["normal"], easy_bot, 48))
    assert found.win_shares[0] > found.win_shares[1] + 0.03


@pytest.mark.parametrize("preset", PRESETS)
def test_discards_are_counted_from_the_view_as_they_were(preset: str) -> None:
    for position, view in asked_views(preset, 4):
        assert discarded(view) == position.discarded


def test_the_hard_bot_answers_legally_and_repeats_itself() -> None:
    for _, view in asked_views("seed000", 3):
        answer = hard_bot(view, random.Random(9))
        assert answer in view.legal
        assert hard_bot(view, random.Random(10)) == answer


def river_table(other: SeatSetup) -> Any:
    """Return what seat 0 knows late in a round in which seat 1 has three melds."""
    hand = parse_tiles("m1m1m2m5m9p2p5p9s2s5s9z1z1z2")
    idle = SeatSetup(HIDDEN, river=[TILES["z7"]] * 3)
    seats = [SeatSetup(hand, river=[TILES["p4"]] * 4), other, idle, idle]
    return set_up(GAME.ruleset("seed000"), seats, 0, wall=[TILES["s7"]] * 20, drawn=TILES["z2"]).view(0)


def test_a_discard_risks_what_a_seat_with_melds_is_likely_to_wait_for() -> None:
    melds = [Laid("chi", TILES["s1"], 0), Laid("peng", TILES["s8"], 2), Laid("peng", TILES["z5"], 3)]
    river = parse_tiles("p1p2m3m4s5p6p7m7m8p3p4m6")
    outlook = Outlook(river_table(SeatSetup(HIDDEN[:4], melds, river)))
    risk = {text: outlook.risk(TILES[text]) for text in ("s2", "s9", "m5", "p9", "s5", "p2", "z1")}
    assert risk["s2"] > 0.05
    assert risk["s2"] == risk["s9"]
    # With a run of 条 on the table no other suit can win, and what lies in the river is all but safe.
    assert risk["m5"] < risk["s2"] / 5
    assert risk["p2"] <= risk["p9"] < risk["s2"] / 5
    assert risk["s5"] < risk["s2"] / 5
    assert risk["z1"] > risk["m5"]


def test_ready_hands_are_worth_what_their_live_waits_pay() -> None:
    view = river_table(SeatSetup(HIDDEN))
    outlook = Outlook(view)

    def hand(text: str) -> int:
        return make_hand(parse_tiles(text.replace(" ", "")))

    mixed = hand("m1 m2 m3 m4 m5 m6 m7 m8 z3 z3 z3 z4 z4")
    pure = hand("m1 m2 m3 m4 m5 m6 m7 m8 m2 m3 m4 m5 m5")
    nothing = hand("m1 m2 m3 p4 p5 p6 s7 s8 z3 z3 z3 z4 z4")
    assert outlook.ready(pure, ()) > outlook.ready(mixed, ()) > 0
    assert outlook.ready(nothing, ()) == 0


def test_the_easy_bot_throws_other_suits_first() -> None:
    answer = easy_bot(river_table(SeatSetup(HIDDEN)), random.Random(1))
    assert answer[8] in "ps"


def test_a_round_of_all_kinds_ends_and_adds_up() -> None:
    bots = [GAME.bots[name] for name in ("hard", "easy", "normal", "random")]
    rng = random.Random(3)
    done = play_round(GAME, GAME.ruleset("shanghai"), shuffled(GAME.deck(), rng), 0, bots, rng)
    assert sum(done.outcome.points) == 0


def test_ranking_puts_the_best_expectation_first() -> None:
    for _, view in asked_views("seed000", 1):
        values = [round(value, 6) for value, _ in ranking(view, random.Random(1))]
        assert values == sorted(values, reverse=True)


def test_a_pong_that_costs_nothing_is_taken_by_the_strong_bot_alone() -> None:
    taken = 0
    for _, view in asked_views("seed000", 6):
        if PASS not in view.legal or HU in view.legal:
            continue
        plain = GAME.bots["normal"](view, random.Random(1))
        strong = hard_bot(view, random.Random(1))
        assert strong == plain or (plain == PASS and strong == PENG)
        taken += strong != plain
    assert taken > 0

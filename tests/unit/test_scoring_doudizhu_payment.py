"""What a round of 斗地主 is worth, who speaks first next, and the options, by scoring's own code."""

import itertools
import json
from typing import Any

import pytest

from services.scoring.core.doudizhu import rules
from services.scoring.core.doudizhu.payment import Won, multiplier, succession
from services.scoring.core.doudizhu.result import result_after, result_of
from services.scoring.core.doudizhu.rules import OPTIONS, PRESETS, Options, options_of_record
from services.scoring.core.game import BadResult
from services.scoring.core.rules import BadOptions

CLASSIC = Options()


def won(last: int = 0, **more: Any) -> Won:
    return Won(**{"landlord": 0, "last": last, "bid": 1, "plays": (3, 2, 2), **more})


def test_points_always_add_up_to_zero_and_the_winners_gain() -> None:
    for last, robs, bombs, rockets, double in itertools.product(
        range(3), (0, 3), (0, 2), (0, 1), itertools.product((1, 2), repeat=3)
    ):
        for options in PRESETS.values():
            one = won(last, bid=3, robs=robs, bombs=bombs, rockets=rockets, double=double)
            points = one.points(options)
            assert sum(points) == 0
            assert (points[0] > 0) is (last == 0)
            assert points[1] * points[2] > 0


@pytest.mark.parametrize(
    ("last", "plays", "name"),
    [
        (0, (5, 0, 0), "春天"),
        (0, (1, 0, 0), "春天"),
        (0, (5, 0, 1), ""),
        (0, (5, 1, 0), ""),
        (1, (1, 5, 0), "反春天"),
        (2, (1, 5, 9), "反春天"),
        (1, (2, 5, 0), ""),
    ],
)
def test_spring_and_counter_spring(last: int, plays: tuple[int, ...], name: str) -> None:
    assert won(last, plays=plays).spring == name


@pytest.mark.parametrize(
    ("options", "counts", "fan"),
    [
        ({}, (0, 0, 0, False), 1),
        ({}, (2, 3, 1, True), 4 * 8 * 2 * 2),
        ({"rocket_mult": 4}, (0, 1, 1, False), 8),
        ({"bomb_mult": 3}, (0, 2, 1, False), 18),
        ({"bomb_mult": 1}, (0, 9, 1, False), 2),
        ({"spring": 3}, (0, 0, 0, True), 3),
        ({"spring": 1}, (0, 0, 0, True), 1),
        ({"bomb_cap": 1}, (0, 3, 1, False), 2),
        ({"bomb_cap": 1, "rocket_mult": 4}, (0, 3, 1, False), 4),
        ({"bomb_cap": 2}, (0, 5, 0, False), 4),
        ({"bomb_cap": 2}, (1, 5, 1, True), 2 * 4 * 2),
        ({"scoring": "linear"}, (0, 0, 0, False), 1),
        ({"scoring": "linear"}, (0, 2, 1, True), 5),
        ({"scoring": "linear"}, (1, 2, 1, True), 10),
        ({"scoring": "linear", "bomb_mult": 3, "rocket_mult": 4, "spring": 3}, (0, 2, 1, True), 10),
        ({"scoring": "linear", "bomb_cap": 2}, (0, 5, 1, False), 3),
    ],
)
def test_the_multiplier(options: dict[str, Any], counts: tuple[int, int, int, bool], fan: int) -> None:
    robs, bombs, rockets, is_spring = counts
    chosen = rules.with_overrides(CLASSIC, options)
    assert multiplier(chosen, robs, bombs, rockets, is_spring=is_spring) == fan


def test_who_speaks_first_next_and_how_many_redeals_lie_behind() -> None:
    for name, after_win, after_draw in (("random", -1, -1), ("winner", 2, 1), ("rotate", 2, 1)):
        options = Options(first_speaker=name)
        assert succession(options, 1, 4, 2) == (after_win, 0)
        assert succession(options, 1, 4, -1) == (after_draw, 5)
    assert succession(Options(first_speaker="rotate"), 2, 0, 2) == (0, 0)
    assert succession(Options(first_speaker="winner"), 2, 0, 0) == (0, 0)


def test_a_result_says_all_of_a_won_round() -> None:
    one = Won(landlord=1, last=0, bid=2, robs=1, bombs=3, plays=(2, 1, 3), double=(1, 2, 2))
    result = result_after(Options(bomb_cap=2), 2, 5, one)
    assert result.names == {"抢地主": 1, "炸弹": 3, "反春天": 1, "加倍": 2}
    assert (result.winners, result.how, result.landlord, result.last) == ((0, 2), "peasants", 1, 0)
    assert (result.fan, result.points) == (16, (64, -192, 128))
    assert (result.dealer_next, result.draws_in_row_next, result.huxi) == (-1, 0, 0)


def test_a_result_says_nothing_of_a_draw() -> None:
    result = result_after(Options(first_speaker="rotate"), 2, 5, None)
    assert (result.end, result.how, result.winners, result.points) == ("draw", "", (), (0, 0, 0))
    assert (result.landlord, result.last, result.double, result.names) == (-1, -1, (1, 1, 1), {})
    assert (result.dealer_next, result.draws_in_row_next) == (2, 6)


WRITTEN: dict[str, Any] = {
    "bid": 1,
    "bombs": 0,
    "dealer_next": -1,
    "double": [1, 1, 1],
    "draws_in_row_next": 0,
    "end": "win",
    "fan": 1,
    "from": -1,
    "how": "landlord",
    "landlord": 0,
    "last": 0,
    "names": {},
    "points": [2, -1, -1],
    "robs": 0,
    "rockets": 0,
    "spring": "",
    "winners": [0],
}


def test_a_result_is_read_back_as_it_is_written() -> None:
    assert result_of(WRITTEN) == result_after(CLASSIC, 0, 0, won())


@pytest.mark.parametrize(
    "change",
    [
        *[{"bid": 4}, {"bid": True}, {"bombs": -1}, {"dealer_next": 3}, {"dealer_next": -2}],
        *[{"double": [1, 1]}, {"double": [1, 1, 3]}, {"end": "hu"}, {"from": 0}, {"how": "zimo"}],
        *[{"landlord": None}, {"names": []}, {"names": {"炸弹": 0}}, {"points": [0, 0, 0.5]}],
        *[{"spring": None}, {"winners": [0, 1, 2]}, {"winners": [3]}, {"melds": []}, {"how": []}],
    ],
)
def test_a_result_with_a_wrong_value_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(BadResult):
        result_of({**WRITTEN, **change})


@pytest.mark.parametrize("key", sorted(WRITTEN))
def test_a_result_without_one_of_its_keys_is_refused(key: str) -> None:
    with pytest.raises(BadResult, match=key):
        result_of({name: value for name, value in WRITTEN.items() if name != key})


def _text(**changes: Any) -> str:
    given = {**json.loads(CLASSIC.canonical()), **changes}
    return json.dumps(given, sort_keys=True, separators=(",", ":"))


def test_the_options_of_a_record_are_those_of_its_preset() -> None:
    for title, options in PRESETS.items():
        assert options_of_record(options.canonical(), title) == options
    assert options_of_record(_text(base_stake=50, win_cap_by_balance=True), "classic@1").base_stake == 50
    assert options_of_record(_text(spring=3), "custom@0") == Options(spring=3)
    assert options_of_record(_text(fee=20), "classic@1").fee == 20
    assert len(OPTIONS) == 20


@pytest.mark.parametrize(
    ("text", "preset", "why"),
    [
        (_text(spring=3), "classic@1", "does not have this spring"),
        (_text(fee=0), "classic@1", "a fee of 0 is not spelt out"),
        (_text(fee=-1), "classic@1", "fee is a whole number"),
        (_text(), "qiang@1", "does not have this bid"),
        (_text(), "custom@0", "very options of classic@1"),
        (_text(base_stake=9), "custom@0", "very options of classic@1"),
        (_text(), "classic@2", "no preset"),
        (_text(), "classic", "no preset"),
        (_text(spring=4), "custom@0", "from 1 to 3"),
        (_text(spring=True), "custom@0", "from 1 to 3"),
        (_text(spring=None), "custom@0", "from 1 to 3"),
        (_text(bomb_cap=0), "custom@0", "from 1 to 14"),
        (_text(redeal_limit=100), "custom@0", "from 1 to 99"),
        (_text(bid="auction"), "custom@0", "one of score, qiang"),
        (_text(bid=[]), "custom@0", "one of score, qiang"),
        (_text(four_two=1), "custom@0", "true or false"),
        (_text(colour=1), "custom@0", "no option 'colour'"),
        (_text().replace('"spring":2,', ""), "classic@1", "missing: spring"),
        (_text().replace(",", ", "), "classic@1", "canonical"),
        (_text().replace('"spring":2', '"spring":2.0'), "classic@1", "from 1 to 3"),
        ("[]", "classic@1", "canonical"),
        ("{", "classic@1", "not JSON"),
        ("[" * 100_000, "classic@1", "not JSON"),
    ],
)
def test_options_that_are_not_those_of_a_record_are_refused(text: str, preset: str, why: str) -> None:
    with pytest.raises(BadOptions, match=why):
        options_of_record(text, preset)


def test_a_preset_may_be_named_without_its_version() -> None:
    assert rules.preset_named("qiang") == rules.preset_named("qiang@1") == Options(bid="qiang", double="on")
    with pytest.raises(BadOptions, match="there are classic@1, qiang@1, contest@1"):
        rules.preset_named("876cc")

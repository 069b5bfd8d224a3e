"""What 卡五星 costs as scoring reckons it: extras, 包胡, 买马, kongs, names; by hand."""

import random
from typing import Any

import pytest

from services.scoring.core.kawuxing import names, payment, shapes, tiles
from services.scoring.core.kawuxing.flow import hand_of, melds_of
from services.scoring.core.kawuxing.names import Moment, Win, best_win
from services.scoring.core.kawuxing.payment import Purse, horses_of
from services.scoring.core.kawuxing.rules import Options
from services.scoring.core.kawuxing.vectors import OPS

PLAIN = {"hand": "p123456 s789 s11 z55", "melds": [], "win": "z5"}
"""One 番; the triplet of the won z5 is its only one."""


def settled(liang: str = "FFF", fan: int = 1, giver: int = -1, **more: Any) -> list[int]:
    """Return the points of a win, options among the rest."""
    known = {"how", "w", "piao", "wall", "forced", "hand", "melds", "win", "konged"}
    given: dict[str, Any] = {**PLAIN, **{key: more[key] for key in known & more.keys()}}
    given["from"] = giver
    given["liang"] = [letter == "T" for letter in liang]
    options = Options(**{key: value for key, value in more.items() if key not in known})
    found = OPS["settle"](given, options)
    assert found["fan"] == fan
    delta: list[int] = found["delta"]
    assert sum(delta) == 0
    return delta


def test_piao_of_both_is_added_between_two_seats() -> None:
    assert settled(how="zimo", w=0, piao=[1, 2, 3]) == [90, -40, -50]
    assert settled(how="discard", w=0, piao=[1, 2, 3], giver=2) == [50, 0, -50]


def test_piao_is_neither_doubled_nor_capped() -> None:
    assert settled("TFF", how="zimo", w=0, piao=[1, 0, 5], cap=2) == [110, -30, -80]


def test_one_who_pays_for_all_pays_both_piao() -> None:
    # 2 × 2 for the tile; 1 + 2 of seat 1 and 1 + 3 of seat 2.
    assert settled("TFF", how="discard", w=0, piao=[1, 2, 3], giver=1) == [110, -110, 0]


def test_concealed_triplets_and_kongs_count_for_each_payer() -> None:
    # A self-drawn z5 is concealed: one triplet.
    assert settled(how="zimo", w=0, shukan=True) == [40, -20, -20]
    # Of a discard it is not.
    assert settled(how="discard", w=0, shukan=True, giver=1) == [10, -10, 0]
    # 222 is held, and the kong of z7 counts.
    hand: dict[str, Any] = {"hand": "p456 s222 s11 z55", "melds": [{"t": "ming", "tile": "z7"}], "win": "z5"}
    assert settled(how="discard", w=0, shukan=True, **hand, giver=1) == [30, -30, 0]
    assert settled(how="zimo", w=0, shukan=True, **hand) == [80, -40, -40]


def test_a_won_fourth_tile_leaves_the_three_that_were_held() -> None:
    hand: dict[str, Any] = {"hand": "p11123 s456789 z55", "melds": [], "win": "p1"}
    assert settled(fan=4, how="discard", w=0, shukan=True, **hand, giver=1) == [50, -50, 0]


def test_seven_pairs_have_no_triplets() -> None:
    hand: dict[str, Any] = {"hand": "p1111 s2222 z5566 s9", "melds": [], "win": "s9"}
    assert settled(fan=64, how="zimo", w=0, shukan=True, **hand) == [1280, -640, -640]


@pytest.mark.parametrize(("wall", "worth"), [("p1", 1), ("s9", 9), ("z5", 10), ("z7", 10), ("p5 s1", 5)])
def test_a_single_horse_counts_its_number(wall: str, worth: int) -> None:
    each = 10 + 10 * worth
    assert settled(how="zimo", w=0, mai_ma="du", wall=wall) == [2 * each, -each, -each]


@pytest.mark.parametrize(
    ("won", "wall", "worth"),
    [
        ("p1", "p147 s147", 6),
        ("p1", "p147 s25 z5", 4),
        ("p2", "p147 s25 z5", 3),
        ("p3", "p147 s25 z5", 1),
        ("p3", "p147 s25 s8", 6),
        ("z6", "p147 s25 z5", 1),
        ("z6", "p147 s258", 6),
        ("s7", "s7", 1),
        ("s8", "s7", 6),
    ],
)
def test_six_horses_count_dragons_and_those_of_the_won_tiles_class_or_six(
    won: str, wall: str, worth: int
) -> None:
    turned = tiles.kinds_of_groups(wall)[: payment.HORSES["liu"]]
    assert horses_of(Options(mai_ma="liu"), turned, tiles.kind_named(won)) == worth


def test_horses_run_only_on_a_self_draw() -> None:
    assert settled(how="discard", w=0, mai_ma="du", wall="p9", giver=1) == [10, -10, 0]
    assert settled(how="zimo", w=0, mai_ma="off", wall="p9") == [20, -10, -10]


def test_horses_may_run_for_the_revealed_only() -> None:
    assert settled(how="zimo", w=0, mai_ma="du", mai_ma_when="liang_zimo", wall="p2") == [20, -10, -10]
    revealed = settled("TFF", how="zimo", w=0, mai_ma="du", mai_ma_when="liang_zimo", wall="p2")
    assert revealed == [80, -40, -40]


def test_without_tiles_there_are_no_horses() -> None:
    assert horses_of(Options(mai_ma="du"), [], 0) == 0
    assert horses_of(Options(mai_ma="liu"), [], 0) == 0


def test_a_forced_discard_is_not_paid_for_all_where_so_chosen() -> None:
    common: dict[str, Any] = {"how": "discard", "w": 0, "forced": True, "giver": 1}
    assert settled("TFF", **common) == [40, -40, 0]
    assert settled("TFF", bao_exempt_forced=True, **common) == [20, -20, 0]


def test_the_cap_bounds_each_share() -> None:
    hand: dict[str, Any] = {
        "hand": "z77 p333 s99",
        "melds": [{"t": "peng", "tile": "z5"}, {"t": "peng", "tile": "z6"}],
    }
    big: dict[str, Any] = {**hand, "win": "z7", "how": "zimo", "w": 0}
    assert settled("FTF", 16, cap=20, **big) == [360, -200, -160]
    assert settled("FTF", 16, cap=16, **big) == [320, -160, -160]
    assert settled("FTF", 16, cap=8, reveal_outside_cap=True, **big) == [240, -160, -80]


def win(fan: int, kan: int = 0) -> Win:
    return Win(fan, {"诗": fan}, kan, False, (), 0)


@pytest.mark.parametrize(
    ("options", "units"),
    [
        ({}, 2 * 2 * 3),
        ({"cap": 4}, 2 * 4),
        ({"cap": 4, "bao_cap_total": True}, 4),
        ({"cap": 20, "bao_cap_total": True}, 12),
        ({"cap": 2, "reveal_outside_cap": True}, 2 * 2 * 2),
        ({"cap": 4, "reveal_outside_cap": True, "bao_cap_total": True}, 8),
        ({"bao_cap_total": True}, 12),
    ],
)
def test_both_shares_of_three_fan(options: dict[str, Any], units: int) -> None:
    purse = Purse(Options(**options), 5, revealed=[1])
    purse.pay_for_all(1, win(3), giver=0, third_wins=False)
    assert purse.points() == [-5 * units, 5 * units, 0]


def test_kongs_of_a_chain_double_until_it_breaks() -> None:
    purse = Purse(Options(), 1)
    for how, seat, giver in (("bu", 1, 1), ("an", 1, 1), ("ming", 0, 1), ("ming", 2, 0)):
        purse.pay_kong(seat, how, giver)
    # 1 from each, 2 × 2 from each, 2 × 4 from seat 1, 2 × 8 from seat 0.
    assert purse.points() == [-1 - 4 + 8 - 16, 2 + 8 - 8, -1 - 4 + 16]
    assert purse.kong_points() == purse.points()
    purse.pay_win(0, win(3), how="zimo", giver=0, horses=0)
    assert purse.kong_points() == [-13, 2, 11]
    assert purse.points() == [-13 + 6, 2 - 3, 11 - 3]


@pytest.mark.parametrize(
    ("winner", "payer", "self_drawn", "options", "factor"),
    [
        (0, 1, False, {}, 2),
        (1, 0, False, {}, 2),
        (1, 0, True, {}, 2),
        (1, 0, True, {"reveal_doubles_loser": "discard_only"}, 1),
        (1, 0, False, {"reveal_doubles_loser": "discard_only"}, 2),
        (1, 0, False, {"reveal_doubles_loser": "off"}, 1),
        (0, 1, False, {"reveal_doubles_loser": "off"}, 2),
        (0, 2, False, {}, 2),
        (0, 2, False, {"duifan": True}, 4),
        (0, 2, True, {"duifan": True}, 2),
        (0, 2, True, {"duifan": True, "duifan_on_zimo": True}, 4),
        (0, 2, True, {"duifan_on_zimo": True}, 2),
        (0, 2, True, {"reveal_doubles_loser": "off"}, 2),
    ],
)
def test_the_factor_between_two_seats(
    winner: int, payer: int, self_drawn: bool, options: dict[str, Any], factor: int
) -> None:
    purse = Purse(Options(**options), 1, revealed=[2, 0])
    assert purse.factor(winner, payer, is_self_drawn=self_drawn) == factor


def names_of(hand: str, won: str, melds: str = "", **more: Any) -> dict[str, int]:
    """Return the names of a win; `how`, `last`, `tianhu`, `dihu` and options among the rest."""
    at = {key: more.pop(key) for key in ("how", "last", "tianhu", "dihu") if key in more}
    laid = melds_of([dict(zip(("t", "tile"), meld.split(":"), strict=True)) for meld in melds.split()])
    found = best_win(
        hand_of(hand), laid, tiles.kind_named(won), Moment(**{"how": "zimo", **at}), Options(**more)
    )
    return found.names if found else {}


def test_the_last_tile_of_the_wall() -> None:
    hand = ("p123456 s789 s11 z55", "z5")
    assert names_of(*hand, last=True) == {"平胡": 1}
    assert names_of(*hand, last=True, fan_haidi=2) == {"海底捞": 2}
    assert names_of(*hand, last=True, how="discard", fan_haidi=2) == {"海底炮": 2}
    assert names_of(*hand, last=True, how="gangpao", fan_haidi=2) == {"海底炮": 2, "杠上炮": 2}
    assert names_of(*hand, last=True, how="gangkai", fan_haidi=3) == {"海底捞": 3, "杠上开花": 2}
    assert names_of(*hand, last=True, how="qianggang", fan_haidi=2) == {"抢杠胡": 2}


def test_the_first_tiles_of_a_round() -> None:
    hand = ("p123456 s789 s11 z55", "z5")
    assert names_of(*hand, tianhu=True, fan_tianhu=8) == {"天胡": 8}
    assert names_of(*hand, dihu=True, how="discard", fan_dihu=4) == {"地胡": 4}
    assert names_of(*hand, tianhu=True, dihu=True) == {"平胡": 1}


def test_names_worth_one_are_names_all_the_same() -> None:
    assert names_of("p12346 s111789 z55", "p5", fan_kawuxing=1) == {"卡五星": 1}
    assert names_of("p12346 s111789 z55", "p5", fan_kawuxing=1, du_bonus=1) == {"卡五星": 1}


def test_of_equal_products_the_one_with_more_names_counts_then_the_one_with_kawuxing() -> None:
    # 123 123 456 456 55 with the won 5: 卡五星 2 × 暗四归一 4 × 清一色 4 = 32, 龙七对 8 × 清一色 4 = 32.
    hand = ("p1122334455566", "p5")
    assert names_of(*hand, fan_long=8) == {"卡五星": 2, "暗四归一": 4, "清一色": 4}
    assert names_of(*hand, fan_long=16) == {"龙七对": 16, "清一色": 4}


def test_of_equal_readings_the_one_with_more_concealed_triplets_counts() -> None:
    # 111 222 333 or three runs 123: both 平胡.
    hand = hand_of("p111222333 s789 z5")
    found = best_win(hand, [], tiles.kind_named("z5"), Moment(how="zimo"), Options())
    assert found is not None
    assert (found.names, found.kan) == ({"平胡": 1}, 3)


@pytest.mark.parametrize("seed", range(40))
def test_partings_are_those_of_a_search_that_knows_nothing(seed: int) -> None:
    rng = random.Random(seed)
    hand: list[int] = []
    kinds = [rng.choice([9, 18, 27]) if rng.random() < 0.1 else rng.randrange(9, 15) for _ in range(8)]
    for _ in range(rng.choice([2, 3])):
        kind = rng.choice([each for each in kinds if each < 16])
        hand += [kind] * 3 if rng.random() < 0.5 else [kind, kind + 1, kind + 2]
    pair = rng.choice(kinds)
    counts = tiles.counted([*hand, pair, pair])
    assert set(map(tuple, map(sorted, shapes.partings(counts)))) == naive(counts)


def naive(counts: tiles.Counts) -> set[tuple[shapes.Part, ...]]:
    """Return the partings of some tiles, by trying every part at every place."""
    parts = [shapes.Part("pair", kind) for kind in range(tiles.KINDS)]
    parts += [shapes.Part("triplet", kind) for kind in range(tiles.KINDS)]
    parts += [shapes.Part("run", kind) for kind in range(27) if kind % 9 < 7]
    usable = [part for part in parts if all(counts[kind] for kind in part.kinds)]

    def tried(left: tiles.Counts, start: int, pairs: int) -> set[tuple[shapes.Part, ...]]:
        if not any(left):
            return {()} if pairs == 1 else set()
        found = set()
        for at in range(start, len(usable)):
            part = usable[at]
            rest = list(left)
            for kind in part.kinds:
                rest[kind] -= 1
            if min(rest) >= 0 and pairs + (part.shape == "pair") <= 1:
                for others in tried(rest, at, pairs + (part.shape == "pair")):
                    found.add(tuple(sorted((part, *others))))
        return found

    return tried(list(counts), 0, 0)


@pytest.mark.parametrize("seed", range(60))
def test_waits_are_the_tiles_that_complete_the_hand(seed: int) -> None:
    rng = random.Random(seed)
    among = tiles.kinds_in_play("ps")
    suit = among if seed % 3 else tuple(kind for kind in among if kind < 18)
    deck = [kind for kind in suit for _ in range(4)]
    if seed % 2:
        deck = [kind for kind in rng.sample(suit, 7) for _ in range(2)]
    counts = tiles.counted(rng.sample(deck, 13))
    nothing = [0] * tiles.KINDS
    expected = []
    for kind in among:
        more = list(counts)
        more[kind] += 1
        if more[kind] <= 4 and (naive(more) or (not any(count % 2 for count in more))):
            expected.append(kind)
    assert list(shapes.waits(counts, nothing, among)) == expected


def test_every_name_has_a_rule() -> None:
    assert set(names.RULE_OF) <= {"海底捞", "海底炮"}

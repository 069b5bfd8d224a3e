"""What a win of 清混碰 is worth, against a plain reading of the rules on lists of tiles."""

from random import Random
from typing import Any

import pytest

from bench.qinghunpeng_reference import Plain, laid_tiles
from engine.face import Line
from engine.mahjong.distance import distance
from engine.mahjong.flowers import DECK
from engine.mahjong.tiles import TILE_TEXTS, TILES, make_hand, parse_tile
from engine.qinghunpeng.flow_vectors import rules_of, tiles_of_groups
from engine.qinghunpeng.game import Qinghunpeng
from engine.qinghunpeng.melds import Laid
from engine.qinghunpeng.outcome import Outcome
from engine.qinghunpeng.patterns import DISCARD, QIANGGANG, ZIMO, Moment, Win, best_win, has_shape
from engine.qinghunpeng.plans import PUNGS, Plan, nearest, plans_of, pungs_distance
from engine.qinghunpeng.settle import bound_seats, win_payments

GAME = Qinghunpeng()
SEED = GAME.presets["seed000"]
OPTIONS: list[dict[str, Any]] = [
    {},
    {"formula_base": 2, "lezi": 7, "cap": 12},
    {"stack": "add", "cap": 30, "floor_haidi": 1},
    {"extra_can_start": "both", "tian_di_waive": False, "min_ron": 5},
    {"fixed_hunpeng": 0, "fixed_qingpeng": 0, "dadiaoche_angang": False},
    {"fixed_tianhu": 0, "fixed_dihu": 0, "floor_qianggang": 2, "floor_dadiaoche": 0},
]


def win_of(
    groups: str, win: str, *melds: str, flowers: int = 0, moment: Moment | None = None, **options: Any
) -> Win | None:
    """Return the win of a hand and a tile under the seed's rules with some options changed."""
    laid = [Laid(kind, parse_tile(tile)) for kind, tile in (meld.split(":") for meld in melds)]
    tile = parse_tile(win)
    hand = make_hand([*tiles_of_groups(groups), tile])
    rules = rules_of({"options": options})
    return best_win(rules, hand, laid, tile, flowers, moment or Moment())


def some_hand(rng: Random) -> tuple[list[str], list[tuple[str, str]], str] | None:
    """Return concealed tiles with the winning one, melds, and the winning tile; often a win."""
    style = rng.randrange(6)
    suits = rng.sample("mps", rng.choice((1, 1, 2, 3)))
    kinds = [tile for tile in TILE_TEXTS if tile[0] in suits or (style != 1 and tile[0] == "z")]
    if style == 0:
        kinds = [tile for tile in TILE_TEXTS if tile[0] == "z"]
    hand: list[str] = []
    melds: list[tuple[str, str]] = []
    for _ in range(4):
        tile = rng.choice(kinds)
        is_run = tile[0] != "z" and int(tile[1]) <= 7 and style in (1, 2, 3) and rng.random() < 0.7
        if rng.random() < 0.4:
            melds.append(("chi" if is_run else rng.choice(["peng", "an", "ming", "bu"]), tile))
        else:
            hand += [f"{tile[0]}{int(tile[1]) + step}" for step in (0, 1, 2)] if is_run else [tile] * 3
    hand += [rng.choice(kinds)] * 2
    if rng.random() < 0.3:
        hand[rng.randrange(len(hand))] = rng.choice(kinds)
    owned = [*hand, *laid_tiles(melds)]
    if max(owned.count(tile) for tile in owned) > 4:
        return None
    return sorted(hand), melds, rng.choice(hand)


def some_moment(rng: Random) -> Moment:
    how = rng.choice([ZIMO, DISCARD, QIANGGANG])
    return Moment(
        how,
        how == ZIMO and rng.random() < 0.3,
        how != QIANGGANG and rng.random() < 0.2,
        rng.choice(["", "", "di", "tian" if how == ZIMO else ""]) if how != QIANGGANG else "",
    )


@pytest.mark.parametrize("number", range(len(OPTIONS)))
def test_random_hands_are_worth_what_a_plain_search_finds(number: int) -> None:
    rules = GAME.ruleset("seed000", OPTIONS[number])
    rng = Random(number)
    won = 0
    for _ in range(1_500):
        made = some_hand(rng)
        if made is None:
            continue
        hand, melds, tile = made
        flowers, moment = rng.randrange(9), some_moment(rng)
        laid = [Laid(kind, TILES[text]) for kind, text in melds]
        win = best_win(rules, make_hand([TILES[text] for text in hand]), laid, TILES[tile], flowers, moment)
        expected = Plain(rules, hand, melds, tile, flowers).best(moment)
        assert (win is None) == (expected is None), (hand, melds, tile)
        if win is None or expected is None:
            continue
        won += 1
        points, _, names = expected
        assert (win.points, dict(win.names)) == (points, names), (hand, melds, tile)
        if win.sets:
            parts = [word[at : at + 2] for word in win.sets for at in range(0, len(word), 2)]
            assert sorted(parts) == hand
    assert won > 300


def test_the_words_of_a_reading_show_its_label() -> None:
    pungs = win_of("m111222333444 m5", "m5", moment=Moment(ZIMO))
    assert pungs is not None
    assert (pungs.pattern, pungs.sets) == ("清碰", ("m1m1m1", "m2m2m2", "m3m3m3", "m4m4m4", "m5m5"))
    runs = win_of("m111222333 z11 z2", "z2", "peng:z5", fixed_hunpeng=0)
    assert runs is None
    lower = win_of("m111222333 z1", "z1", "peng:z5", flowers=3, fixed_hunpeng=0)
    assert lower is not None
    assert (lower.pattern, lower.points, lower.flowers) == ("混一色", 6, 5)
    assert lower.sets == ("m1m2m3", "m1m2m3", "m1m2m3", "z1z1")
    laid_run = win_of("m111222 m3", "m3", "chi:m7", "chi:m7")
    assert laid_run is not None
    assert (laid_run.pattern, laid_run.sets) == ("清一色", ("m1m1m1", "m2m2m2", "m3m3"))


def test_equal_points_take_the_label_of_pungs() -> None:
    win = win_of("m111222333 z1", "z1", "an:z5", flowers=8)
    assert win is not None
    assert win.names == (("混碰", 10),)
    assert win.flowers == 0


def test_the_winning_tile_finishes_a_triplet_that_adds_flowers() -> None:
    dragon = win_of("m123456789 z55 z11", "z5")
    wind = win_of("m123456789 z55 z11", "z1")
    assert dragon is not None
    assert wind is not None
    assert (dragon.points, wind.points) == (3, 2)


@pytest.mark.parametrize(
    ("meld", "flowers"),
    [
        ("peng:m1", 0),
        ("ming:m1", 1),
        ("bu:m1", 1),
        ("an:m1", 2),
        ("peng:z4", 1),
        ("ming:z1", 2),
        ("bu:z1", 2),
        ("an:z1", 3),
        ("peng:z7", 2),
        ("ming:z7", 3),
        ("bu:z5", 3),
        ("an:z7", 4),
    ],
)
def test_a_kong_counts_its_tile_and_itself(meld: str, flowers: int) -> None:
    win = win_of("m45678922 z33", "m2", meld)
    assert win is not None
    assert win.flowers == flowers


def test_the_cap_holds_a_share_and_a_robbed_kong_pays_three_of_them() -> None:
    win = win_of("z111222555666 z7", "z7", moment=Moment(QIANGGANG), cap=30)
    assert win is not None
    assert win.points == 30
    payments = win_payments([(2, win)], QIANGGANG, 0, [()])
    assert [(pay.payer, pay.payee, pay.points, pay.why) for pay in payments] == [(0, 2, 90, "抢杠")]


def test_claims_bind_from_the_third_on_and_concealed_kongs_do_not_count() -> None:
    one = Laid("peng", 0, 3)
    melds = [[one, one, Laid("an", 5, 0)], [], [], []]
    assert bound_seats(melds, 0) == ()
    melds[0].append(Laid("chi", 9, 3))
    assert bound_seats(melds, 0) == (3,)
    assert bound_seats(melds, 3) == (0,)
    assert bound_seats(melds, 1) == ()


def test_a_shape_is_sets_and_a_pair_or_honours_alone() -> None:
    assert has_shape(make_hand(tiles_of_groups("z1122334455667 z7")), ())
    assert has_shape(make_hand(tiles_of_groups("z12")), [Laid("peng", TILES["z5"])] * 4)
    assert not has_shape(make_hand(tiles_of_groups("z12")), [Laid("peng", TILES["m5"])] * 4)
    assert not has_shape(make_hand(tiles_of_groups("m1122334455668 m9")), ())


def test_seven_pairs_can_be_left_out_of_the_distance() -> None:
    hand = make_hand(tiles_of_groups("m1133557799 z11 z2"))
    assert distance(hand, 0) == 0
    assert distance(hand, 0, False) > 0


def plain_pungs_distance(hand: list[str], melds: int) -> int:
    """Return the fewest exchanges to triplets and a pair, less one, by trying every choice of kinds."""
    counts = sorted((hand.count(tile) for tile in set(hand)), reverse=True) + [0] * 5
    best = 99
    for pair in range(len(counts)):
        rest = counts[:pair] + counts[pair + 1 :]
        kept = sum(min(3, count) for count in rest[: 4 - melds]) + min(2, counts[pair])
        best = min(best, 14 - 3 * melds - kept - 1)
    return best


def test_the_distance_to_triplets_is_the_least_number_of_exchanges() -> None:
    rng = Random(8)
    for _ in range(2_000):
        melds = rng.randrange(5)
        kinds = rng.sample(TILE_TEXTS, 7) if rng.random() < 0.7 else TILE_TEXTS
        deck = [tile for tile in DECK if tile in kinds]
        size = 13 - 3 * melds + rng.randrange(2)
        hand = rng.sample(deck, min(size, len(deck)))
        if len(hand) < size:
            continue
        packed = make_hand([TILES[tile] for tile in hand])
        assert pungs_distance(packed, melds) == plain_pungs_distance(hand, melds), (hand, melds)


def test_melds_leave_the_plans_that_can_still_win() -> None:
    def kinds(*melds: str) -> list[str]:
        laid = [Laid(kind, parse_tile(tile)) for kind, tile in (meld.split(":") for meld in melds)]
        return [plan.kind for plan in plans_of(laid)]

    assert len(kinds()) == 8
    assert kinds("chi:m1") == ["混一色", "清一色"]
    assert kinds("chi:m1", "peng:z1") == ["混一色"]
    assert kinds("peng:m1", "peng:p1") == ["碰碰胡"]
    assert kinds("peng:z1") == ["混一色", "混一色", "混一色", "碰碰胡", "乱风向"]
    assert kinds("chi:m1", "peng:p1") == []
    hand = make_hand(tiles_of_groups("m123 p123 s1"))
    assert nearest(hand, [Laid("chi", 0), Laid("chi", 9)]) > 8
    assert Plan(PUNGS, 0).distance(make_hand([0, 0, 0, 1, 1]), 3) == -1


def test_a_round_is_explained_line_by_line() -> None:
    win = win_of("m123456789 z55 z11", "z5", flowers=1)
    assert isinstance(win, Win)
    payments = win_payments([(1, win)], DISCARD, 3, [()])
    outcome = Outcome("hu", DISCARD, 3, TILES["z5"], (0, 4, 0, -4), ((1, win),), ((),), payments, 1)
    lines = GAME.explain(SEED, outcome)
    assert lines[:4] == (
        Line(
            "座位 1 胡 中",
            "一万二万三万，四万五万六万，七万八万九万，中中中，东东",
            "§3",
            "Seat 1 wins on 中",
            "一万二万三万, 四万五万六万, 七万八万九万, 中中中, 东东",
        ),
        Line("混一色", "4 分", "§4", "One suit and honours", "4 points"),
        Line("花数", "1＋3，至多 10", "§4", "Flowers", "1 + 3, at most 10"),
        Line("每份", "4 分", "§5", "A share", "4 points"),
    )
    assert lines[4].zh == "座位 3 付座位 1（放炮）：4 分（§5）"
    assert [line.value for line in lines[5:]] == ["+0", "+4", "+0", "-4"]

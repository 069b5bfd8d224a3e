"""What wins of 卡五星 are worth and who pays: every option of the score where it acts."""

import random
from typing import Any

import pytest

from bench import mahjong_reference as plain
from engine.kawuxing.deal import dice_of
from engine.kawuxing.fans import Moment, best_win
from engine.kawuxing.game import Kawuxing
from engine.kawuxing.melds import Laid
from engine.kawuxing.settle import liu_ma_worth, ma_worth
from engine.kawuxing.vectors import run_case
from engine.mahjong.tiles import TILES, make_hand, parse_tile

PLAIN = "p123456 s789 s11 z55"
"""Waits for s1 and z5; worth 1 on z5."""
BIG = {
    "hand": "z77 p333 s99",
    "melds": [{"t": "peng", "tile": "z5"}, {"t": "peng", "tile": "z6"}],
    "win": "z7",
}
"""Worth 16."""


def check(op: str, given: dict[str, Any], expect: dict[str, Any], **options: Any) -> None:
    case = {"id": "x", "op": op, "input": given, "expect": expect, "options": options}
    assert run_case(case) == []


def score(hand: str, win: str, fans: dict[str, int], melds: str = "", **options: Any) -> None:
    """Check the names of a win; melds as `peng:p1 an:p2`; `how` and the like may be among the options."""
    given: dict[str, Any] = {name: options.pop(name) for name in ("how", "last", "first") if name in options}
    laid = [{"t": kind, "tile": tile} for kind, tile in (word.split(":") for word in melds.split())]
    product = 1
    for fan in fans.values():
        product *= fan
    expect = {"win": True, "fans": fans, "fan": product}
    check("score", {"hand": hand, "win": win, "melds": laid, **given}, expect, **options)


def test_the_moment_has_names_only_where_the_option_gives_them() -> None:
    score(PLAIN, "z5", {"杠上开花": 2}, how="gangkai")
    score(PLAIN, "z5", {"杠上开花": 4}, how="gangkai", fan_gangkai=4)
    score(PLAIN, "z5", {"抢杠胡": 3}, how="qianggang", fan_qianggang=3)
    score(PLAIN, "z5", {"杠上炮": 4}, how="gangpao", fan_gangpao=4)
    score(PLAIN, "z5", {"平胡": 1}, how="zimo", last=True)
    score(PLAIN, "z5", {"海底捞": 2}, how="zimo", last=True, fan_haidi=2)
    score(PLAIN, "z5", {"海底炮": 2}, last=True, fan_haidi=2)
    score(PLAIN, "z5", {"天胡": 8}, how="zimo", first="tian", fan_tianhu=8)
    score(PLAIN, "z5", {"地胡": 4}, first="di", fan_dihu=4)
    score(PLAIN, "z5", {"平胡": 1}, first="di")


def test_menqing_is_for_hands_without_exposed_melds() -> None:
    score(PLAIN, "z5", {"门清": 2}, fan_menqing=2)
    score("p456 s789 s11 z55", "z5", {"门清": 2}, melds="an:p1", fan_menqing=2)
    score("p456 s789 s11 z55", "z5", {"平胡": 1}, melds="ming:p1", fan_menqing=2)
    score("p11 p33 s22 s66 z55 z77 s9", "s9", {"七对": 4}, fan_menqing=2)


def test_kawuxing_needs_the_five_in_the_middle_of_its_reading() -> None:
    score("p123 p46 s789 s111 z55", "p5", {"卡五星": 4}, fan_kawuxing=4)
    score("p2245667", "p5", {"卡五星": 2}, melds="peng:s1 peng:s9")
    score("p2245667", "p5", {"平胡": 1}, melds="peng:s1 peng:s9", kawuxing_mode="du")
    score("p4688", "p5", {"卡五星": 2, "独卡五星": 3}, melds="peng:s1 peng:s3 peng:s9", du_bonus=3)
    score("p67 p123 s789 s111 z55", "p5", {"平胡": 1})


def test_the_bonus_of_du_takes_part_in_the_choice_of_the_reading() -> None:
    hand = "p444 p55 p666 s111 z66"
    score(hand, "p5", {"卡五星": 2})
    score(hand, "p5", {"碰碰胡": 4}, fan_pengpenghu=4)


def test_sigui_has_three_scopes_and_a_switch() -> None:
    relaxed = {"hand": "p45 s123 s789 z55", "win": "p6", "melds": "peng:p4"}
    score(**relaxed, fans={"平胡": 1})
    score(**relaxed, fans={"明四归一": 2}, sigui_scope="full")
    score(**relaxed, fans={"平胡": 1}, sigui_scope="full", forced_sigui=True)
    pure = {"hand": "p45 p789 p111 p99", "win": "p6", "melds": "peng:p4"}
    score(**pure, fans={"清一色": 4, "明四归一": 2})
    score(**pure, fans={"清一色": 4}, sigui_scope="half")
    score("p1111 p23 p45678 p55", "p9", {"清一色": 4}, sigui_scope="half")
    score("p1111 p23 s456 s78 z55", "s9", {"暗四归一": 3}, sigui_scope="full", fan_an=3)
    score("p1111 p23 s456 s78 z55", "s9", {"平胡": 1})


def test_several_quads_multiply() -> None:
    score("p123 p45 p88", "p6", {"清一色": 4, "明四归一": 4}, melds="peng:p1 peng:p3")
    score("p1111 p2222 p3333 p9", "p9", {"超龙七对": 256, "清一色": 4})


def test_an_unmended_quad_needs_its_triplet_by_option() -> None:
    score("p4455566 s123777", "p5", {"卡五星": 2}, ansigui_needs_triplet=True)
    score("p2245556", "p5", {"卡五星": 2, "暗四归一": 4}, melds="peng:s1 peng:s9", ansigui_needs_triplet=True)


def test_shouzhuayi_by_its_options() -> None:
    melds = "peng:p1 peng:s2 peng:p7 an:s9"
    score("z6", "z6", {"碰碰胡": 2, "手抓一": 4}, melds=melds)
    score("z6", "z6", {"手抓一": 4}, melds=melds, szy_stacks_pph=False)
    score("z6", "z6", {"碰碰胡": 2}, melds=melds, szy_exclude_angang=True)
    score("z6", "z6", {"碰碰胡": 2}, melds=melds, szy_exclude_angang=True, szy_stacks_pph=False)


def test_dragons_count_only_as_the_rules_say() -> None:
    score("p123 s456 z7", "z7", {"小三元": 4}, melds="an:z5 bu:z6")
    score("p123 p9", "p9", {"大三元": 8}, melds="an:z5 bu:z6 peng:z7")
    score("p123 s456 s99 z66", "z6", {"平胡": 1}, melds="peng:z5")


def test_the_seven_pairs_table_is_an_option_and_forced_looks_at_the_won_tile() -> None:
    two = "p1111 p2222 s66 z55 z7"
    score(two, "z7", {"双龙七对": 64})
    score("p11 p33 s22 s66 z55 z77 s9", "s9", {"七对": 3}, fan_qidui=3)
    score(two, "z7", {"双龙七对": 32}, fan_shuanglong=32)
    score(two, "z7", {"七对": 4}, forced_longqidui=True)
    score("p111 p2222 s66 z55 z77", "p1", {"龙七对": 16}, forced_longqidui=True)


@pytest.mark.parametrize(
    ("liang", "how", "options", "delta"),
    [
        ([0, 1, 0], "zimo", {"reveal_doubles_loser": "discard_only"}, [20, -10, -10]),
        ([0, 1, 0], "discard", {"reveal_doubles_loser": "discard_only"}, [20, -20, 0]),
        ([0, 1, 0], "discard", {"reveal_doubles_loser": "off"}, [10, -10, 0]),
        ([1, 1, 0], "zimo", {"duifan": True}, [40, -20, -20]),
        ([1, 1, 0], "zimo", {"duifan": True, "duifan_on_zimo": True}, [60, -40, -20]),
        ([1, 1, 0], "discard", {"duifan": True}, [40, -40, 0]),
        ([1, 0, 0], "discard", {"bao_exempt_forced": True}, [40, -40, 0]),
        ([1, 0, 0], "discard", {"base": 3}, [12, -12, 0]),
    ],
)
def test_revealed_seats_pay_as_the_options_say(
    liang: list[int], how: str, options: dict[str, Any], delta: list[int]
) -> None:
    given = {
        "hand": PLAIN,
        "win": "z5",
        "how": how,
        "w": 0,
        "liang": liang,
        "from": 0 if how == "zimo" else 1,
    }
    check("settle", given, {"win": True, "delta": delta}, **options)


def test_a_forced_discard_may_be_exempt_from_bao() -> None:
    given = {"hand": PLAIN, "win": "z5", "w": 0, "liang": [1, 0, 0], "from": 1, "forced": True}
    check("settle", given, {"delta": [40, -40, 0]})
    check("settle", given, {"delta": [20, -20, 0]}, bao_exempt_forced=True)


@pytest.mark.parametrize(
    ("options", "points"),
    [
        ({"cap": 8}, 160),
        ({"cap": 8, "bao_cap_total": True}, 80),
        ({"cap": 8, "reveal_outside_cap": True}, 320),
        ({"cap": 8, "reveal_outside_cap": True, "bao_cap_total": True}, 160),
        ({"bao_cap_total": True}, 640),
        ({"cap": 64, "bao_cap_total": True}, 640),
        ({"cap": 40, "bao_cap_total": True}, 400),
    ],
)
def test_bao_under_a_cap(options: dict[str, Any], points: int) -> None:
    given = {**BIG, "w": 0, "liang": [1, 0, 0], "from": 1}
    check("settle", given, {"fan": 16, "delta": [points, -points, 0]}, **options)


def test_bao_may_leave_out_the_other_winner() -> None:
    winners = [{"w": 0, "hand": "p123 p34 s789 s111 z55"}, {"w": 2, "hand": "p46 s234 s567 s999 z66"}]
    given = {"win": "p5", "from": 1, "liang": [True, False, False], "winners": winners}
    check("multi", given, {"delta": [40, -60, 20], "next_dealer": 1})
    check("multi", given, {"delta": [20, -40, 20]}, bao_excludes_cowinner=True)


def test_the_chain_of_kongs_is_exponential_or_flat() -> None:
    events = [{"t": "an", "by": 0}, {"t": "bu", "by": 0}, {"t": "bu", "by": 0}]
    check("kongs", {"events": events}, {"delta": [160, -80, -80]})
    check("kongs", {"events": events}, {"delta": [120, -60, -60]}, chain="flat2")


READY = {"hand": "p123 p46 s789 s111 z55", "melds": []}
"""Best wait 2."""
SILENT = {"hand": "p123456 s789 s22 z77", "melds": []}
"""Best wait 1."""
UNREADY = {"hand": "p13479 s13479 z667", "melds": []}


@pytest.mark.parametrize(
    ("hz", "players", "liang", "first", "options", "delta"),
    [
        ("ljlc", (READY, SILENT, UNREADY), [1, 0, 0], 0, {}, [-80, 40, 40]),
        ("ljlc", (READY, SILENT, UNREADY), [0, 0, 0], None, {}, [0, 0, 0]),
        ("ljlc", (READY, SILENT, UNREADY), [1, 0, 0], 0, {"cap": 3}, [-60, 30, 30]),
        ("jtt", (READY, SILENT, UNREADY), [1, 0, 0], 0, {}, [30, 10, -40]),
        ("jtt", (READY, SILENT, UNREADY), [1, 0, 0], 0, {"jtt_pays_silent": True}, [30, 20, -50]),
        ("jtt", (READY, SILENT, UNREADY), [1, 0, 0], 0, {"cap": 1}, [0, 10, -10]),
        (
            "jtt",
            (READY, SILENT, UNREADY),
            [1, 0, 0],
            0,
            {"cap": 1, "reveal_outside_cap": True},
            [10, 10, -20],
        ),
        ("chadajiao", (READY, SILENT, UNREADY), [1, 0, 0], 0, {}, [40, 10, -50]),
        ("chadajiao", (READY, SILENT, READY), [1, 0, 0], 0, {}, [0, 0, 0]),
        ("xiaogan", (READY, SILENT, UNREADY), [1, 0, 0], 0, {}, [40, 10, -50]),
        ("xiaogan", (READY, SILENT, SILENT), [1, 0, 0], 0, {}, [-20, 10, 10]),
        ("xiaogan", (READY, SILENT, SILENT), [1, 1, 0], 1, {}, [-10, -10, 20]),
        ("suizhou", (READY, SILENT, UNREADY), [1, 0, 0], 0, {}, [10, 10, -20]),
        ("suizhou", (READY, SILENT, SILENT), [1, 0, 1], 2, {}, [10, 10, -20]),
        ("shiyan", (READY, SILENT, UNREADY), [1, 0, 0], 0, {}, [-30, 30, 0]),
        ("shiyan", (READY, SILENT, SILENT), [0, 0, 0], None, {}, [0, 0, 0]),
        ("none", (READY, SILENT, UNREADY), [1, 0, 0], 0, {}, [0, 0, 0]),
    ],
)
def test_huangzhuang(
    hz: str, players: Any, liang: list[int], first: int | None, options: dict[str, Any], delta: list[int]
) -> None:
    given = {"players": [{**one, "liang": bool(shown)} for one, shown in zip(players, liang, strict=True)]}
    check("huangzhuang", {**given, "first": first}, {"delta": delta}, hz=hz, **options)


def test_piao_and_ma_are_added_to_each_share_and_never_capped() -> None:
    given = {"hand": PLAIN, "win": "z5", "how": "zimo", "w": 0, "piao": [1, 2, 0], "ma": 7}
    check("settle", given, {"delta": [200, -110, -90]}, cap=1)
    given = {"hand": PLAIN, "win": "z5", "w": 0, "piao": [1, 2, 5], "liang": [1, 0, 0], "from": 1}
    check("settle", given, {"delta": [130, -130, 0]})


def test_shukan_counts_kongs_and_concealed_triplets() -> None:
    hand = {"hand": "p111 s222 z55 p99", "melds": [{"t": "ming", "tile": "s7"}], "win": "p9", "w": 0}
    check("settle", {**hand, "how": "zimo"}, {"delta": [120, -60, -60]}, shukan=True)
    check("settle", {**hand, "from": 2}, {"delta": [50, 0, -50]}, shukan=True)
    check("settle", {**hand, "from": 2}, {"delta": [20, 0, -20]})


def test_hidden_triplets_are_checked_jointly_and_own_all_four_copies() -> None:
    check("kou", {"hand": "p1111 p234 s123 s456", "kou": ["p1"]}, {"ok": True})
    check("kou", {"hand": "p2223 s345678 z555", "kou": ["z5"]}, {"ok": True})
    check("kou", {"hand": "p2223 s345678 z555", "kou": ["p2", "z5"]}, {"ok": False})


def test_turned_tiles_are_worth_their_number_or_their_class() -> None:
    assert [ma_worth(parse_tile(tile)) for tile in ("p1", "s9", "z5")] == [1, 9, 10]
    turned = [parse_tile(tile) for tile in ("p1", "s4", "p7", "p2", "z5", "z6")]
    assert liu_ma_worth(parse_tile("s1"), turned) == 5
    assert liu_ma_worth(parse_tile("z7"), turned) == 2
    assert liu_ma_worth(parse_tile("p3"), turned) == 2
    assert liu_ma_worth(parse_tile("p3"), turned[:4]) == 6
    assert liu_ma_worth(parse_tile("p3"), []) == 0


def test_dice_follow_from_the_wall_and_are_fair() -> None:
    rng = random.Random(1)
    wall = [TILES[tile] for tile in plain.DECK]
    seen = [0] * 7
    for _ in range(1_200):
        rng.shuffle(wall)
        assert dice_of(wall) == dice_of(list(wall))
        for die in dice_of(wall):
            seen[die] += 1
    assert seen[0] == 0
    assert all(300 < number < 500 for number in seen[1:])


Melds = list[tuple[str, str]]


def best_by_hand(tiles: list[str], melds: Melds, won: str, options: dict[str, Any]) -> int:
    """Return the product of the best reading, worked out on texts."""
    every = [*tiles, *[tile for _, tile in melds]]
    pure = len({tile[0] for tile in every}) == 1 and every[0][0] != "z"
    scope = options.get("sigui_scope", "seed")
    relaxed = not options.get("forced_sigui") and (scope == "full" or (scope == "seed" and pure))
    pongs = [tile for kind, tile in melds if kind == "peng" and tile in tiles]
    ming = len(pongs) if relaxed else pongs.count(won)
    quads = [tile for tile in sorted(set(tiles)) if tiles.count(tile) == 4 and (relaxed or tile == won)]
    four = len(melds) == 4 and not (options.get("szy_exclude_angang") and "an" in dict(melds))
    rest = list(tiles)
    rest.remove(won)
    owned = [*rest, *[tile for kind, tile in melds for _ in range(3 if kind == "peng" else 4)]]
    du = [tile for tile in plain.waits(rest, not melds) if owned.count(tile) < 4] == [won]
    best = 0
    for reading in plain.readings(tiles):
        sets = [one[0] for one in reading if one[0] == one[-1] and len(one) == 3]
        fan = (4 if pure else 1) * (4 if four else 1) * 2**ming
        if len(sets) + len(melds) == 4 and (options.get("szy_stacks_pph", True) or not four):
            fan *= 2
        middle = won[0] != "z" and won[1] == "5" and (won[0] + "4", won, won[0] + "6") in reading
        if middle and (du or options.get("kawuxing_mode", "any") == "any"):
            fan *= 2 * (options.get("du_bonus", 1) if du else 1)
        needs = options.get("ansigui_needs_triplet")
        fan *= 4 ** len([tile for tile in quads if tile in sets or not needs])
        dragons = len([tile for tile in [*sets, *[tile for _, tile in melds]] if tile[0] == "z"])
        pair = next(one[0] for one in reading if len(one) == 2)
        fan *= 8 if dragons == 3 else 4 if dragons == 2 and pair[0] == "z" else 1
        best = max(best, fan)
    if not melds and all(tiles.count(tile) % 2 == 0 for tile in tiles):
        four_equal = [tile for tile in set(tiles) if tiles.count(tile) == 4]
        dragon_pairs = int(won in four_equal) if options.get("forced_longqidui") else len(four_equal)
        best = max(best, 4 ** (1 + dragon_pairs) * (4 if pure else 1))
    return best


def some_win(rng: random.Random) -> tuple[list[str], Melds]:
    """Return the concealed tiles and the melds of a complete hand."""
    if rng.random() < 0.1:
        return sorted(rng.sample(plain.KINDS, rng.choice((6, 7))) * 2)[:14], []
    while True:
        tiles = plain.winning_tiles(rng, suits=rng.choice((1, 2)))
        melds: Melds = []
        for tile in sorted(set(tiles)):
            if tiles.count(tile) >= 3 and rng.random() < 0.6:
                rest = [kept for kept in tiles if kept != tile] + [tile] * (tiles.count(tile) - 3)
                if plain.is_win(rest, False):
                    tiles = rest
                    kind = "peng" if tile in rest else rng.choice(("peng", "an", "bu", "ming"))
                    melds.append((kind, tile))
        if len(tiles) + 3 * len(melds) == 14:
            return sorted(tiles), melds


CHANGES: tuple[dict[str, Any], ...] = (
    {},
    {"sigui_scope": "full"},
    {"sigui_scope": "half", "kawuxing_mode": "du"},
    {"sigui_scope": "full", "forced_sigui": True, "szy_stacks_pph": False},
    {"ansigui_needs_triplet": True, "du_bonus": 3, "forced_longqidui": True, "szy_exclude_angang": True},
)


@pytest.mark.parametrize("options", CHANGES)
def test_random_wins_are_worth_the_best_of_their_readings(options: dict[str, Any]) -> None:
    rng = random.Random(9)
    rules, large, open_hands = Kawuxing().ruleset("seed004", options), 0, 0
    for _ in range(1_500):
        tiles, melds = some_win(rng)
        if len(tiles) + 3 * len(melds) != 14:
            continue
        won = rng.choice(tiles)
        laid = [Laid(kind, TILES[tile]) for kind, tile in melds]
        win = best_win(rules, make_hand([TILES[tile] for tile in tiles]), laid, TILES[won], Moment())
        assert win is not None
        assert win.fan == best_by_hand(tiles, melds, won, options), (tiles, melds, won)
        large += win.fan >= 8
        open_hands += bool(melds)
    assert large > 100
    assert open_hands > 300

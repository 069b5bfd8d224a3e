"""The course of a round of 清混碰 where worked examples do not reach: deals, 承包, 荒番, lazy flowers."""

import itertools
import random
from collections import deque
from typing import Any

import pytest

from services.scoring.core.qinghunpeng import course, payment
from services.scoring.core.qinghunpeng.melds import Meld, allows_clean, triplet_flowers
from services.scoring.core.qinghunpeng.result import result_after
from services.scoring.core.qinghunpeng.rules import PRESETS, Options
from services.scoring.core.qinghunpeng.shapes import are_triplets, partings
from services.scoring.core.qinghunpeng.table import Ending, Over, Seat, Table, dealt, times_of
from services.scoring.core.qinghunpeng.tiles import DECK, KIND, TEXTS, counted, kinds_of
from services.scoring.core.qinghunpeng.worth import Moment, eight_flowers

FLUSH = "m12345678 m55 m123"


def table_of(
    options: Options, hands: tuple[str, str, str, str], wall: str = "p1 p2 p3", **more: Any
) -> Table:
    """Return a table in mid-game with these hands and nothing else."""
    table = Table(options, 0, deque(kinds_of(wall)), **more)
    for seat, hand in zip(table.seats, hands, strict=True):
        seat.hand, seat.has_begun, seat.discards = counted(kinds_of(hand)), True, 3
    return table


def play(table: Table, turn: course.Turn, *answers: tuple[int, str]) -> Ending | course.Questions:
    """Return how a round ends, or what is asked after the answers."""
    steps = course.going_on(table, turn)
    try:
        asked = next(steps)
        for seat, answer in answers:
            assert answer in asked[seat], asked
            asked = steps.send((seat, answer))
    except StopIteration as done:
        ending: Ending = done.value
        return ending
    return asked


def ended(table: Table, turn: course.Turn, *answers: tuple[int, str]) -> Ending:
    found = play(table, turn, *answers)
    assert isinstance(found, Ending), found
    return found


def asked(table: Table, turn: course.Turn, *answers: tuple[int, str]) -> course.Questions:
    found = play(table, turn, *answers)
    assert not isinstance(found, Ending), found
    return found


JUNK = "p258 s258 z12345 p9 s9"


# the deal


def test_the_deal_goes_round_in_fours_and_ends_with_one_each_and_the_dealers_fourteenth() -> None:
    table = dealt(Options(), 2, 0, DECK)
    assert table.seats[2].hand == counted(kinds_of("m111155559999 p45"))
    assert table.seats[3].hand == counted(kinds_of("m22226666 p11114"))
    assert table.seats[0].hand == counted(kinds_of("m33337777 p22224"))
    assert table.seats[1].hand == counted(kinds_of("m44448888 p33334"))
    assert len(table.wall) == 91
    assert TEXTS[table.wall[0]] == "p5"
    assert TEXTS[table.wall[-1]] == "f8"
    assert table.seats[2].joined == KIND["p5"]


def flowery(*at: int) -> list[int]:
    """Return a deck with the flowers f1, f2, … at these places; the others lie in the middle of the wall."""
    places = (*at, *range(80, 88))[:8]
    flowers = dict(zip(places, range(34, 42), strict=True))
    tiles = [tile for tile in DECK if tile < 34]
    random.Random(5).shuffle(tiles)
    return [flowers[place] if place in flowers else tiles.pop() for place in range(len(DECK))]


def test_each_seat_finishes_replacing_before_the_next_begins_and_exposes_the_lowest_first() -> None:
    tiles = flowery(52, 0, 4, 143, 140)
    table = dealt(Options(), 0, 0, tiles)
    assert [seat.kept for seat in table.seats] == [[35, 34], [36], [], []]
    assert next(course.whole_round(table)).keys() == {0}
    # f1 is exposed and gives f4, f2 gives place 142, f4 gives 141; only then f3 gives f5, and that 139.
    assert [seat.flowers for seat in table.seats] == [[34, 35, 37], [36, 38], [], []]
    assert len(table.wall) == 91 - 5
    assert table.seats[0].joined == tiles[141]
    assert table.seats[1].joined == tiles[139]


def test_lazy_flowers_stay_hidden_until_the_first_turn_and_then_come_before_the_draw() -> None:
    tiles = flowery(4, 5, 8)
    table = dealt(Options(flowers="lazy"), 0, 0, tiles)
    tail, head = [tiles[-1], tiles[-2]], tiles[53]
    steps = course.whole_round(table)
    asked = next(steps)
    assert (table.seats[1].kept, table.seats[2].kept) == ([34, 35], [36])
    rng = random.Random(1)
    while True:
        seat = min(asked)
        answers = [text for text in asked[seat] if text.startswith(("discard", "pass"))]
        answer = rng.choice(answers)
        asked = steps.send((seat, answer))
        if seat == 0 and asked.keys() == {1} and "pass" not in asked[1]:
            break
    assert table.seats[1].flowers == [34, 35]
    assert table.seats[1].joined == head
    assert all(table.seats[1].hand[tile] for tile in (*tail, head))
    assert table.seats[2].kept == [36]


def test_a_hand_short_of_hidden_flowers_does_not_win() -> None:
    options = Options(flowers="lazy")
    table = table_of(options, (JUNK + " m9", FLUSH, JUNK, JUNK))
    assert "hu" in asked(table, course.Turn(0, "head"), (0, "discard m9"))[1]
    table = table_of(options, (JUNK + " z6", JUNK, JUNK, JUNK), "p1 p2 p3 p4 p5 p6 p7")
    # Ten honours and three flowers: with any tile eleven, three sets and a pair, but not a hand.
    seat = table.seats[1]
    seat.hand, seat.kept, seat.has_begun = counted(kinds_of("z111 z222 z333 z6")), [34, 35, 36], False
    question = asked(table, course.Turn(0, "head"), (0, "discard z6"))
    assert question.keys() == {1}
    assert "pass" not in question[1]
    assert seat.flowers == [34, 35, 36]


def test_lazy_flowers_are_replaced_after_a_claim_and_before_the_tile_of_a_kong() -> None:
    options = Options(flowers="lazy")
    for answer, came in (("peng", 0), ("gang ming z6", 1)):
        table = table_of(options, (JUNK + " z6", JUNK, "z666 m147 p147 s14", JUNK), "p1 p3 s7 s9 m9")
        seat = table.seats[2]
        seat.kept, seat.has_begun, seat.discards = [38, 36], False, 0
        question = asked(table, course.Turn(0, "head"), (0, "discard z6"), (2, answer))
        assert question.keys() == {2}
        assert seat.flowers == [36, 38]
        assert len(table.wall) == 5 - 2 - came
        assert [seat.hand[KIND[tile]] for tile in ("m9", "s9", "s7")] == [1, 1, came]
        assert sum(seat.hand) == 11


@pytest.mark.parametrize(("dead", "drawn"), [(0, 91), (60, 31)])
def test_the_dead_wall_is_never_drawn(dead: int, drawn: int) -> None:
    table = dealt(Options(dead_wall=dead), 0, 0, flowery())
    turns = 0
    while table.free > 0:
        turns += 1
        try:
            table.draw(turns % 4, from_tail=turns % 3 == 0)
        except Over:  # a flower that cannot be replaced
            break
    with pytest.raises(Over) as over:
        table.draw(0, from_tail=False)
    assert over.value.ending.how == "huangzhuang"
    assert len(table.wall) == dead
    assert turns + sum(len(seat.flowers) for seat in table.seats) == drawn


# 八花


def test_eight_flowers_of_the_deal_win_before_the_last_is_replaced_and_before_tianhu() -> None:
    table = dealt(Options(), 0, 0, flowery(*range(4), *range(16, 20)))
    assert len(table.seats[0].kept) == 8
    with pytest.raises(StopIteration) as done:
        next(course.whole_round(table))
    ending = done.value.value
    assert (ending.how, ending.giver, ending.tile) == ("bahua", 0, KIND["f8"])
    assert len(table.wall) == 91 - 7
    assert payment.points_by_seat(ending, [()]) == (120, -40, -40, -40)


@pytest.mark.parametrize(("when", "wins"), [("off", False), ("opening", True), ("anytime", True)])
def test_eight_flowers_of_the_deal_by_option(when: str, wins: bool) -> None:
    table = dealt(Options(bahua=when), 0, 0, flowery())
    table.seats[3].flowers, table.seats[3].kept = list(range(34, 41)), [41]
    table.seats[3].hand = counted(kinds_of("m147 p147 s147 z123"))
    steps = course.whole_round(table)
    if wins:
        with pytest.raises(StopIteration):
            next(steps)
    else:
        assert next(steps).keys() == {0}


def test_eight_flowers_count_no_flowers_and_no_last_tile() -> None:
    win = eight_flowers(Options(cap=30), 2)
    assert (win.names, win.flowers, win.points, win.parting) == ({"八花": 40}, 0, 30, ())


@pytest.mark.parametrize(("dead", "is_last"), [(1, False), (2, False), (3, True)])
def test_the_last_tile_is_that_after_which_none_is_free(dead: int, is_last: bool) -> None:
    table = table_of(Options(dead_wall=dead), (FLUSH + " m9", FLUSH, JUNK, JUNK))
    table.seats[0].joined = KIND["m9"]
    assert course.drawn_moment(table, course.Turn(0, "head")).last == is_last
    assert course.given_moment(table, 1, 0, is_robbed=False).last == is_last
    assert not course.given_moment(table, 1, 0, is_robbed=True).last
    assert ("海底" in ended(table, course.Turn(0, "head"), (0, "hu")).wins[0].names) == is_last


# 承包


def bound_table(winner_melds: list[Meld], other_melds: list[Meld], **options: Any) -> Table:
    table = table_of(Options(**options), ("m1122", JUNK, JUNK, JUNK), times=1)
    table.seats[0].melds, table.seats[2].melds = winner_melds, other_melds
    return table


THREE = [Meld("peng", KIND["m5"], 2), Meld("chi", KIND["m6"], 2), Meld("bu", KIND["m9"], 2)]


def test_three_melds_from_one_seat_bind_both_ways() -> None:
    assert bound_table(THREE, [], chengbao=True).bound_to(0) == (2,)
    assert bound_table(THREE, [], chengbao=True).bound_to(2) == (0,)
    assert bound_table([], [meld._replace(source=0) for meld in THREE], chengbao=True).bound_to(0) == (2,)
    assert bound_table(THREE[:2], [THREE[2]._replace(source=0)], chengbao=True).bound_to(0) == ()
    assert bound_table(THREE, [], chengbao=False).bound_to(0) == ()
    own = [Meld("an", KIND["m5"], 0), Meld("an", KIND["m6"], 0), Meld("an", KIND["m9"], 0)]
    assert bound_table(own, [], chengbao=True).bound_to(0) == ()
    mixed = [THREE[0], THREE[1], THREE[2]._replace(source=3)]
    assert bound_table(mixed, [], chengbao=True).bound_to(0) == ()


@pytest.mark.parametrize(
    ("how", "giver", "points"),
    [
        ("zimo", 0, (50, -10, -30, -10)),
        ("gangkai", 0, (50, -10, -30, -10)),
        ("bahua", 0, (50, -10, -30, -10)),
        ("discard", 2, (20, 0, -20, 0)),
        ("discard", 3, (20, 0, -10, -10)),
        ("qianggang", 2, (60, 0, -60, 0)),
        ("qianggang", 1, (60, -30, -30, 0)),
    ],
)
def test_a_bound_seat_pays_more(how: str, giver: int, points: tuple[int, ...]) -> None:
    win = _ten()
    assert payment.points_by_seat(Ending(how, {0: win}, giver), [(2,)]) == points


def _ten() -> Any:
    table = table_of(Options(), (FLUSH, JUNK, JUNK, JUNK))
    win = table.given_win(0, KIND["m9"], Moment(by="discard"))
    assert win is not None
    assert win.points == 10
    return win


def test_winners_pay_each_other_if_they_are_bound() -> None:
    win = _ten()
    ending = Ending("discard", {0: win, 2: win}, 3)
    assert payment.points_by_seat(ending, [(2,), (0,)]) == (10, 0, 10, -20)
    assert payment.points_by_seat(ending, [(), ()]) == (10, 0, 10, -20)
    assert payment.points_by_seat(Ending("discard", {0: win, 1: win}, 3), [(2,), ()]) == (20, 10, -10, -20)


def test_a_claim_remembers_whose_tile_it_was() -> None:
    table = table_of(Options(), (JUNK + " z6", JUNK, "z66 m147 p147 s147 z7 z4", JUNK))
    asked(table, course.Turn(0, "head"), (0, "discard z6"), (2, "peng"))
    assert table.seats[2].melds == [Meld("peng", KIND["z6"], 0)]


# 荒番 and succession


def test_huangfan_doubles_and_is_used_up_one_at_a_time() -> None:
    options = Options(huangfan=True)
    assert [times_of(options, draws) for draws in (0, 1, 4)] == [1, 2, 2]
    assert times_of(Options(), 4) == 1
    won, drawn = Ending("zimo", {1: _ten()}, 1), Ending("huangzhuang", {})
    assert payment.succession(options, 0, 3, won) == (1, 2)
    assert payment.succession(options, 0, 0, won) == (1, 0)
    assert payment.succession(options, 0, 3, drawn) == (0, 4)
    assert payment.succession(Options(), 0, 3, won) == (1, 0)
    assert payment.succession(Options(), 0, 3, drawn) == (0, 4)


def test_a_doubled_win_is_bounded_again_and_its_least_points_are_counted_before() -> None:
    table = table_of(Options(cap=15, huangfan=True), (FLUSH + " m9", JUNK, JUNK, JUNK), times=2)
    table.seats[0].joined = KIND["m9"]
    ending = ended(table, course.Turn(0, "head"), (0, "hu"))
    assert ending.wins[0].points == 15
    assert result_after(table, 1, ending).points == (45, -15, -15, -15)
    short = table_of(Options(min_ron=11, huangfan=True), (JUNK + " m9", FLUSH, JUNK, JUNK), times=2)
    assert "hu" not in asked(short, course.Turn(0, "head"), (0, "discard m9"))[1]


def test_the_next_dealer() -> None:
    win = _ten()
    one, two = Ending("discard", {3: win}, 1), Ending("discard", {2: win, 3: win}, 1)
    nobody = Ending("huangzhuang", {})
    rotate = Options(dealer="rotate")
    assert [payment.succession(Options(), 2, 0, end)[0] for end in (one, two, nobody)] == [3, 1, 2]
    assert [payment.succession(rotate, 2, 0, end)[0] for end in (one, two, nobody)] == [3, 2, 3]
    assert payment.succession(rotate, 3, 0, nobody)[0] == 0


# 过水


GUO = Options(guo_hu="same_tile")


def test_a_passed_win_bars_the_kind_until_the_own_draw_even_if_the_seat_then_claims() -> None:
    table = table_of(GUO, (JUNK + " m9", JUNK + "", FLUSH, JUNK), "z6 z7 m9 z5 z6")
    asked(table, course.Turn(0, "head"), (0, "discard m9"), (2, "pass"))
    assert table.seats[2].barred == {KIND["m9"]}
    table.draw(2, from_tail=True)
    assert table.seats[2].barred == set()


def test_an_answer_other_than_hu_bars_whatever_it_is() -> None:
    table = table_of(GUO, (JUNK + " m9", FLUSH, JUNK, JUNK))
    asked(table, course.Turn(0, "head"), (0, "discard m9"), (1, "chi m7"))
    assert table.seats[1].barred == {KIND["m9"]}
    free = table_of(Options(), (JUNK + " m9", FLUSH, JUNK, JUNK))
    asked(free, course.Turn(0, "head"), (0, "discard m9"), (1, "chi m7"))
    assert free.seats[1].barred == set()


def test_a_passed_self_draw_bars_only_the_kind_discarded() -> None:
    table = table_of(GUO, (FLUSH + " m9", JUNK, JUNK, JUNK))
    table.seats[0].joined = KIND["m9"]
    asked(table, course.Turn(0, "head"), (0, "discard m1"))
    assert table.seats[0].barred == {KIND["m1"]}


def test_a_discard_that_passes_no_win_bars_nothing() -> None:
    table = table_of(GUO, (JUNK + " m9", JUNK, JUNK, JUNK))
    asked(table, course.Turn(0, "head"), (0, "discard m9"))
    assert table.seats[0].barred == set()


def test_a_barred_kind_cannot_be_robbed_but_another_can() -> None:
    for barred, is_asked in (("m9", False), ("m8", True)):
        table = table_of(GUO, (JUNK[:-3] + " m9", FLUSH, JUNK, JUNK))
        seat = table.seats[0]
        seat.hand = counted(kinds_of("p258 s258 z123 p9 m9"))
        seat.melds = [Meld("peng", KIND["m9"], 3)]
        table.seats[1].barred = {KIND[barred]}
        question = asked(table, course.Turn(0, "head"), (0, "gang bu m9"))
        assert (question.keys() == {1}) == is_asked


def test_a_passed_claim_without_a_win_bars_nothing() -> None:
    table = table_of(GUO, (JUNK + " z6", JUNK, "z66 m147 p147 s14 z77 z5", JUNK))
    asked(table, course.Turn(0, "head"), (0, "discard z6"), (2, "pass"))
    assert table.seats[2].barred == set()


# questions


def test_a_pong_is_added_to_and_a_chow_is_not() -> None:
    table = table_of(Options(), ("m14 z1122 p9 s9", JUNK, JUNK, JUNK))
    table.seats[0].melds = [
        Meld("chi", KIND["m1"], 3),
        Meld("ming", KIND["z1"], 3),
        Meld("peng", KIND["z2"], 1),
    ]
    kongs = [text for text in asked(table, course.Turn(0, "head"))[0] if text.startswith("gang")]
    assert kongs == ["gang bu z2"]


@pytest.mark.parametrize(("dead", "offered"), [(2, True), (3, False)])
def test_one_free_tile_is_enough_for_any_claim(dead: int, offered: bool) -> None:
    options = Options(dead_wall=dead)
    hands = ("z5555 m258 p258 s258 m3", "m12 z12345 p9 s9 z1234", "m333 z12345 p9 s9 z124", JUNK)
    question = asked(table_of(options, hands), course.Turn(0, "head"))
    assert ("gang an z5" in question[0]) == offered
    claims = play(table_of(options, hands), course.Turn(0, "head"), (0, "discard m3"))
    if offered:
        assert claims == {1: ("chi m1", "pass"), 2: ("gang ming m3", "pass", "peng")}
    else:
        assert isinstance(claims, Ending)


def test_a_run_lies_within_one_suit() -> None:
    table = table_of(Options(), (JUNK, "", "", ""))
    for one, other in itertools.combinations(range(34), 2):
        table.seats[1].hand = counted([one, other])
        for tile in range(34):
            if tile not in (one, other):
                offered = course.claim_question(table, 1, 0, tile, can_win=False)
                low, middle, high = sorted((tile, one, other))
                is_run = high < 27 and (middle, high) == (low + 1, low + 2) and low // 9 == high // 9
                assert offered == ((f"chi {TEXTS[low]}", "pass") if is_run else ())


@pytest.mark.parametrize("suit", "mps")
def test_every_kind_has_its_colour_in_hand_and_in_melds(suit: str) -> None:
    for kind, tile in enumerate(TEXTS[:34]):
        among = {suit: "清一色", "z": "混一色"}.get(tile[0])
        table = table_of(Options(), (f"{suit}123456789 {suit}234", JUNK, JUNK, JUNK))
        seat = table.seats[0]
        if seat.hand[kind] <= 2:
            seat.hand[kind] += 1
            win = table.given_win(0, kind, Moment(by="discard"))
            assert (win and win.pattern) == among, tile
        table = table_of(Options(), (f"{suit}123456789 {suit}5", JUNK, JUNK, JUNK))
        table.seats[0].melds = [Meld("peng", kind, 1)]
        win = table.given_win(0, KIND[f"{suit}5"], Moment(by="discard"))
        assert (win and win.pattern) == among, tile


# small parts


def test_the_ways_to_part_a_hand() -> None:
    def ways(text: str) -> int:
        return len(list(partings(counted(kinds_of(text)))))

    assert ways("m11") == 1
    assert ways("m12") == 0
    assert ways("m111") == 0
    assert ways("m11 m1") == 0
    assert ways("m111222333 z11") == 2
    # 55 with 111 222 333 444, 111 234 ×3 or 123 ×3 444; and 22 with 111 234 345 345.
    assert ways("m111222333444 m55") == 4
    assert ways("m1112345678999") == 0
    assert ways("m1112345678999 m5") == 1
    assert ways("m89 p1 z11") == 0
    assert ways("z123 z11") == 0
    assert ways("m789 z11") == 1
    assert ways("m11223 m3 z11") == 1
    assert ways("m1111 m22 m33") == 1


def test_every_way_uses_each_tile_once_and_has_one_pair() -> None:
    rng = random.Random(3)
    found = 0
    for _ in range(1_000):
        tiles = [kind for kind in DECK if kind < 5 or kind == 27]
        rng.shuffle(tiles)
        held = counted(tiles[: rng.choice([5, 8, 11, 14])])
        ways = list(partings(held))
        found += len(ways)
        assert len(ways) == len(set(ways))
        for way in ways:
            assert counted(kind for part in way for kind in part.kinds) == held
            assert [part.form for part in way].count("pair") == 1
        pungs = [way for way in ways if all(part.form != "run" for part in way)]
        assert are_triplets(held) == bool(pungs)
    assert found > 20


def test_flowers_of_melds() -> None:
    worth = {
        ("chi", "m1"): 0,
        ("peng", "m1"): 0,
        ("ming", "m1"): 1,
        ("bu", "m1"): 1,
        ("an", "m1"): 2,
        ("peng", "z1"): 1,
        ("ming", "z4"): 2,
        ("bu", "z4"): 2,
        ("an", "z4"): 3,
        ("peng", "z5"): 2,
        ("ming", "z7"): 3,
        ("an", "z7"): 4,
    }
    assert {key: Meld(key[0], KIND[key[1]]).flowers for key in worth} == worth
    assert [triplet_flowers(KIND[tile]) for tile in ("m1", "z1", "z4", "z5", "z7")] == [0, 1, 1, 2, 2]


@pytest.mark.parametrize(
    ("melds", "allowed"),
    [
        ("chi:m1", True),
        ("chi:m1 chi:m4", True),
        ("chi:m1 peng:p4", False),
        ("peng:m1 peng:p4 peng:s4", True),
        ("peng:m1 an:p4 chi:s4", False),
        ("chi:m1 peng:z4", True),
        ("chi:m1 peng:m9", True),
        ("chi:p1 peng:m9", False),
        ("chi:s1 peng:p9", False),
        ("chi:p1 peng:p9", True),
        ("chi:s7 peng:z1", True),
        ("peng:z1 peng:z4", True),
        ("", True),
    ],
)
def test_the_lock(melds: str, allowed: bool) -> None:
    laid = [Meld(word.split(":")[0], KIND[word.split(":")[1]]) for word in melds.split()]
    assert allows_clean(laid) == allowed


@pytest.mark.parametrize("preset", sorted(PRESETS))
def test_random_rounds_end_keep_their_tiles_and_sum_to_zero(preset: str) -> None:
    rng = random.Random(preset)
    for number in range(12):
        tiles = list(DECK)
        rng.shuffle(tiles)
        table = dealt(PRESETS[preset], number % 4, number % 3, tiles)
        steps = course.whole_round(table)
        ending: Ending | None = None
        try:
            questions = next(steps)
            while True:
                for question in questions.values():
                    assert list(question) == sorted(set(question))
                seat = rng.choice(sorted(questions))
                questions = steps.send((seat, rng.choice(questions[seat])))
        except StopIteration as done:
            ending = done.value
        assert ending is not None
        result = result_after(table, number % 3, ending)
        assert sum(result.points) == 0
        assert len(table.wall) + sum(_owned(seat) for seat in table.seats) <= len(DECK)


def _owned(seat: Seat) -> int:
    laid = sum(len(meld.kinds) for meld in seat.melds)
    return sum(seat.hand) + len(seat.kept) + len(seat.flowers) + laid

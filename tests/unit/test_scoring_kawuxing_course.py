"""The order of play of 卡五星 as scoring follows it: the deal, dice, 漂, forced acts, 亮倒, 过水, marks."""

import random
from collections import Counter
from collections.abc import Iterable
from typing import Any

import pytest

from services.scoring.core.kawuxing import course, tiles
from services.scoring.core.kawuxing.flow import hand_of, melds_of
from services.scoring.core.kawuxing.payment import Purse
from services.scoring.core.kawuxing.rules import Options
from services.scoring.core.kawuxing.table import Reveal, Seat, Table, Turn, dealt, dice_of, succession
from services.scoring.core.kawuxing.tiles import NAMES, kind_named, kinds_of_groups

WAITS_P5 = "p46 s123456789 z55"
IDLE = "p1379 s13579 z6 p8 s4 z7"
OTHER = "p1378 s1379 z667 p2 s6"


class Round:
    """A round from a position on, played by texts such as `0 discard p5`."""

    def __init__(
        self,
        hands: Iterable[str],
        drawn: str | None,
        *,
        turn: int = 0,
        wall: str = "p2 p2 s2 s2",
        melds: tuple[str, str, str] = ("", "", ""),
        revealed: tuple[int, ...] = (),
        kou: str = "",
        replaces: bool = False,
        **options: Any,
    ) -> None:
        chosen = Options(**options)
        laid = [[dict(zip(("t", "tile"), each.split(":"), strict=True)) for each in m.split()] for m in melds]
        seats = [Seat(hand_of(hand), melds_of(m)) for hand, m in zip(hands, laid, strict=True)]
        self.table = Table(
            chosen,
            dealer=2,
            draws_in_row=0,
            purse=Purse(chosen, chosen.base),
            seats=seats,
            wall=[kind_named(name) for name in wall.split()],
            is_disturbed=True,
            discards=9,
        )
        for seat in revealed:
            own = seats[seat]
            if drawn is not None and seat == turn:
                own.hand[kind_named(drawn)] -= 1
            own.reveal = Reveal(tuple(kinds_of_groups(kou)), self.table.waits(seat))
            if drawn is not None and seat == turn:
                own.hand[kind_named(drawn)] += 1
            self.table.purse.revealed.append(seat)
        tile = None if drawn is None else kind_named(drawn)
        self._steps = course.from_turn(self.table, Turn(turn, tile, replaces))
        self.asked: course.Questions = {}
        self.ended = False
        self._go(None)

    def _go(self, answer: course.Answer | None) -> None:
        try:
            self.asked = next(self._steps) if answer is None else self._steps.send(answer)
        except StopIteration:
            self.asked, self.ended = {}, True

    def play(self, *texts: str) -> "Round":
        for text in texts:
            seat, answer = int(text[0]), text[2:]
            assert answer in self.asked[seat], (text, list(self.asked[seat]))
            self._go((seat, answer))
        return self

    def offers(self, seat: int) -> list[str]:
        """Return what a seat is asked, discards left out."""
        return [text for text in self.asked.get(seat, ()) if not text.startswith("discard")]

    def discards(self, seat: int) -> list[str]:
        return [text.split()[1] for text in self.asked.get(seat, ()) if text.startswith("discard")]

    @property
    def points(self) -> list[int]:
        return self.table.purse.points()

    @property
    def names(self) -> list[dict[str, int]]:
        assert self.table.ending is not None
        return [win.names for _, win in self.table.ending.wins]


def places(seed: int = 1) -> list[int]:
    found = list(range(84))
    random.Random(seed).shuffle(found)
    return found


@pytest.mark.parametrize("suits", ["ps", "mp", "ms"])
def test_the_deal_goes_round_three_times_by_four_and_once_by_one(suits: str) -> None:
    deck = [f"{suit}{rank}" for suit in suits for rank in range(1, 10)] + ["z5", "z6", "z7"]
    wall = [[name for name in deck for _ in range(4)][place] for place in places()]
    for dealer in range(3):
        table = dealt(Options(suits=suits), dealer, 0, places())  # type: ignore[arg-type]  # a parameter
        for step in range(3):
            own = [wall[at] for start in (0, 12, 24) for at in range(start + 4 * step, start + 4 * step + 4)]
            own.append(wall[36 + step])
            assert table.seats[(dealer + step) % 3].hand == tiles.counted(map(kind_named, own))
        assert NAMES[table.fourteenth] == wall[39]
        assert [NAMES[kind] for kind in table.wall] == wall[40:]


def test_the_dice_are_thrown_by_the_tiles_and_equal_ones_double_the_stake() -> None:
    seen = Counter[int]()
    for seed in range(400):
        table = dealt(Options(shanglou="dice"), 0, 5, places(seed))
        assert len(table.dice) == 2
        assert table.purse.stake == (20 if table.dice[0] == table.dice[1] else 10)
        seen.update(table.dice)
    assert set(seen) == {1, 2, 3, 4, 5, 6}
    assert min(seen.values()) > 85


def test_the_dice_of_the_sorted_deck() -> None:
    # SHA-256 of "dice p1 p1 p1 p1 p2 … z7" begins with the bytes 18 and 204, both 0 mod 6.
    assert dice_of(tiles.deck_of("ps")) == (1, 1)


@pytest.mark.parametrize(("draws", "stake"), [(0, 1), (1, 2), (4, 2)])
def test_after_a_draw_the_stake_is_doubled_where_so_chosen(draws: int, stake: int) -> None:
    assert dealt(Options(base=1, shanglou="after"), 0, draws, places()).purse.stake == stake
    assert dealt(Options(base=1), 0, draws, places()).purse.stake == 1


def test_all_three_are_asked_for_piao_at_once_and_then_the_dealer_plays() -> None:
    table = dealt(Options(piao_max=10), 1, 0, places())
    steps = course.whole_round(table)
    asked = next(steps)
    assert sorted(asked) == [0, 1, 2]
    assert list(asked[0])[:4] == ["piao 0", "piao 1", "piao 10", "piao 2"]
    assert sorted(steps.send((2, "piao 10"))) == [0, 1]
    assert sorted(steps.send((0, "piao 0"))) == [1]
    assert sorted(steps.send((1, "piao 3"))) == [1]
    assert table.purse.piao == [0, 3, 10]
    assert sum(table.seats[1].hand) == 14


def test_a_revealed_seat_wins_and_konges_unasked() -> None:
    won = Round([f"{IDLE} p5", WAITS_P5, OTHER], "p5", revealed=(1,)).play("0 discard p5")
    assert won.ended
    assert won.points == [-80, 80, 0]
    drawn = Round([IDLE, f"{WAITS_P5} p5", OTHER], "p5", turn=1, revealed=(1,))
    assert drawn.ended
    assert drawn.points == [-40, 80, -40]


def test_a_revealed_seat_is_asked_where_it_need_not_win() -> None:
    asked = Round([f"{IDLE} p5", WAITS_P5, OTHER], "p5", revealed=(1,), reveal_auto_hu=False)
    asked.play("0 discard p5")
    assert asked.offers(1) == ["hu", "pass"]
    drawn = Round([IDLE, f"{WAITS_P5} p5", OTHER], "p5", turn=1, revealed=(1,), reveal_auto_hu=False)
    assert list(drawn.asked[1]) == ["discard p5", "hu"]


def test_a_face_up_triplet_may_be_konged_if_the_waits_stay() -> None:
    hand = "p11146 s234567 z55"
    kong = Round([f"{IDLE} p1", hand, "p2378 s1379 z667 p9 s6"], "p1", revealed=(1,))
    assert kong.play("0 discard p1").offers(1) == ["gang ming p1", "pass"]
    shut = Round([f"{IDLE} p1", hand, "p2378 s1379 z667 p9 s6"], "p1", revealed=(1,), reveal_no_claim=True)
    assert shut.play("0 discard p1").offers(1) == []
    hidden = Round(
        [f"{IDLE} p1", hand, "p2378 s1379 z667 p9 s6"], "p1", revealed=(1,), kou="p1", reveal_no_claim=True
    )
    assert hidden.play("0 discard p1").offers(1) == ["gang ming p1", "pass"]


def test_sha_ma_konges_a_face_up_triplet_and_asks_for_a_hidden_one() -> None:
    hand, third = "p11146 s234567 z55", "p2378 s1379 z667 p9 s6"
    kong = Round([f"{IDLE} p1", hand, third], "p1", revealed=(1,), sha_ma=True).play("0 discard p1")
    assert kong.points == [-20, 20, 0]
    assert kong.discards(1) == ["p2"]
    hidden = Round([f"{IDLE} p1", hand, third], "p1", revealed=(1,), kou="p1", sha_ma=True)
    assert hidden.play("0 discard p1").offers(1) == ["gang ming p1", "pass"]
    own = Round([IDLE, f"{hand} p1", third], "p1", turn=1, revealed=(1,), sha_ma=True)
    assert own.points == [-20, 40, -20]
    assert own.discards(1) == ["p2"]


def test_a_kong_that_changes_the_waits_is_for_the_bolder_rule_only() -> None:
    # 3334 waits for 2, 4 and 5; without 333 only for the pair 4.
    hand = "p3334 s123456789"
    for check, offered in (("same_waits", []), ("still_ting", ["gang ming p3", "pass"])):
        claim = Round([f"{IDLE} p3", hand, OTHER], "p3", revealed=(1,), reveal_kong_check=check)
        assert claim.play("0 discard p3").offers(1) == offered
        if offered:
            claim.play("1 gang ming p3")
            assert claim.table.seats[1].reveal == Reveal((), (kind_named("p4"),))


@pytest.mark.parametrize(("rule", "is_asked"), [("off", True), ("same_tile", False), ("higher_fan", False)])
def test_a_passed_win_bars_the_next_one_until_the_own_draw(rule: str, is_asked: bool) -> None:
    hands = [f"{IDLE} p5", "p1378 s1379 z67 p2 s6 p9", WAITS_P5]
    again = Round(hands, "p5", wall="p5 s8 p5 p5", guo_hu=rule).play("0 discard p5", "2 pass", "1 discard p5")
    assert (again.offers(2) == ["hu", "pass"]) == is_asked
    if is_asked:
        again.play("2 pass")
    # Seat 2 draws s8 and discards it; now the next p5 is free again.
    assert again.play("2 discard s8", "0 discard p5").offers(2) == ["hu", "pass"]


def test_a_self_draw_that_was_not_taken_is_passed_too() -> None:
    hands = [f"{WAITS_P5} p5", f"{IDLE}", OTHER]
    kept = Round(hands, "p5", wall="p5 s8", guo_hu="same_tile").play("0 discard p5", "1 discard p5")
    assert kept.offers(0) == []
    free = Round(hands, "p5", wall="p5 s8").play("0 discard p5", "1 discard p5")
    assert free.offers(0) == ["hu", "pass"]


def test_a_bigger_win_than_the_passed_one_is_open() -> None:
    # p5 is 卡五星 2; p8 as part of 678 is 平胡 1; after 1 was passed 2 may be won, not the other way round.
    hand = "p2245667 s123456"
    small = Round([f"{IDLE} p8", "p1378 s1379 z667 p9 s6", hand], "p8", wall="p5 s8", guo_hu="higher_fan")
    small.play("0 discard p8", "2 pass", "1 discard p5")
    assert small.offers(2) == ["hu", "pass"]
    big = Round([f"{IDLE} p5", "p1378 s1379 z667 p9 s6", hand], "p5", wall="p8 s8", guo_hu="higher_fan")
    big.play("0 discard p5", "2 pass", "1 discard p8")
    assert "s8" in big.discards(2)


def test_both_may_win_one_discard_and_the_discarder_deals() -> None:
    both = Round([f"{IDLE} p5", WAITS_P5, "p46 s234567888 z66"], "p5").play("0 discard p5", "2 hu")
    assert not both.ended
    assert sorted(both.asked) == [1]
    both.play("1 hu")
    assert both.points == [-40, 20, 20]
    assert succession(both.table) == (0, 0)


def test_a_pong_that_was_answered_first_falls_to_a_win() -> None:
    claim = Round([f"{IDLE} p5", "p5513 s1479 z567 p9 s2", WAITS_P5], "p5").play("0 discard p5", "1 peng")
    assert sorted(claim.asked) == [2]
    claim.play("2 hu")
    assert claim.points == [-20, 0, 20]
    assert claim.table.seats[1].melds == []


def test_a_win_that_nothing_can_join_does_not_wait_for_a_pong() -> None:
    claim = Round([f"{IDLE} p5", "p5513 s1479 z567 p9 s2", WAITS_P5], "p5").play("0 discard p5")
    assert sorted(claim.asked) == [1, 2]
    assert claim.play("2 hu").ended
    assert claim.points == [-20, 0, 20]


def test_a_revealed_seat_konges_only_the_tile_it_has_just_drawn() -> None:
    # 1111 2 waits for 3. Without the four 1s, 22 and 55 would wait for each other: still ready.
    hand = "p11112 s123456 z55"
    own = Round([IDLE, f"{hand} p2", OTHER], "p2", turn=1, revealed=(1,), reveal_kong_check="still_ting")
    assert list(own.asked[1]) == ["discard p2"]


@pytest.mark.parametrize(
    ("options", "offered"),
    [
        ({}, ["gang bu p7"]),
        ({"abandoned_kong": "forbid"}, []),
        ({"kong_after_pong": False}, []),
        ({"bugang_only_drawn": True}, []),
    ],
)
def test_three_held_at_a_pong_offer_the_fourth_at_once(options: dict[str, Any], offered: list[str]) -> None:
    hands = [f"{IDLE} p7", "p77713 s1479 z556 s2", "p2468 s13579 z667 s6"]
    claim = Round(hands, "p7", **options).play("0 discard p7")
    assert claim.offers(1) == ["gang ming p7", "pass", "peng"]
    assert claim.play("1 peng").offers(1) == offered


def test_a_robbed_kong_never_was() -> None:
    hands = ["p12789 s1358 z6", WAITS_P5, OTHER]
    robbed = Round([f"{hands[0]} p5", *hands[1:]], "p5", melds=("peng:p5", "", "")).play("0 gang bu p5")
    assert robbed.offers(1) == ["hu", "pass"]
    assert robbed.points == [0, 0, 0]
    robbed.play("1 hu")
    assert robbed.points == [-40, 40, 0]
    assert robbed.names == [{"卡五星": 2, "抢杠胡": 2}]
    assert [meld.how for meld in robbed.table.seats[0].melds] == ["peng"]


def test_a_kong_that_nobody_robs_is_paid_and_its_replacement_comes_from_the_tail_where_so_chosen() -> None:
    hands = ["p12789 s1358 z6 p5", WAITS_P5, OTHER]
    for tail, tile in ((False, "z7"), (True, "z5")):
        stood = Round(hands, "p5", melds=("peng:p5", "", ""), wall="z7 p2 z5", replacement_from_tail=tail)
        stood.play("0 gang bu p5", "1 pass")
        assert stood.points == [20, -10, -10]
        assert tile in stood.discards(0)


def test_a_chain_goes_on_over_the_discard_after_a_kong_and_ends_with_another() -> None:
    first = ["p1111 s1358 z67 p24 s6 p9", "p77713 s1479 z556 s2", "p2468 s13579 z667 s6"]
    chained = Round(first, "p9", wall="p7 z7 s8 s8").play("0 gang an p1", "0 discard p7", "1 gang ming p7")
    assert chained.points == [40 - 40, -20 + 40, -20]
    broken = Round(first, "p9", wall="p9 p9 p9 p7 z7 s8").play("0 gang an p1", "0 discard p9", "1 discard p9")
    broken.play("2 discard p9", "0 discard p7", "1 gang ming p7")
    assert broken.points == [40 - 20, -20 + 20, -20]


@pytest.mark.parametrize(("strict", "second"), [(False, 40), (True, 20)])
def test_a_second_concealed_kong_may_have_to_hold_the_replacement(strict: bool, second: int) -> None:
    hands = ["p11112222 s135 z67 p9", "p77713 s1479 z556 s2", "p468 s13579 z667 s68"]
    kongs = Round(hands, "p9", wall="z7 s8 s8", chain_requires_drawn=strict)
    kongs.play("0 gang an p1", "0 gang an p2")
    assert kongs.points == [40 + 2 * second, -20 - second, -20 - second]


@pytest.mark.parametrize(
    ("exempt", "other", "points"),
    [(True, "p5", [-40, 40, 0]), (False, "p5", [-80, 80, 0]), (True, "p1", [-80, 80, 0])],
)
def test_one_who_had_nothing_else_to_discard_may_be_spared(
    exempt: bool, other: str, points: list[int]
) -> None:
    hands = [f"p5 {other}", WAITS_P5, OTHER]
    melds = ("peng:s1 peng:z6 peng:z7 an:p9", "", "")
    fed = Round(hands, "p5", melds=melds, revealed=(1,), bao_exempt_forced=exempt).play("0 discard p5")
    assert fed.points == points


def test_what_a_revealed_seat_waits_for_is_not_discarded_while_there_is_another_tile() -> None:
    choice = Round([f"{IDLE} p5", WAITS_P5, OTHER], "p5", revealed=(1,), ban_feeding=True)
    assert "p5" not in choice.discards(0)
    assert len(choice.discards(0)) == 13
    melds = ("peng:s1 peng:z6 peng:z7 an:p9", "", "")
    none = Round(["p55", WAITS_P5, OTHER], "p5", melds=melds, revealed=(1,), ban_feeding=True)
    assert none.discards(0) == ["p5"]


def test_a_reveal_needs_enough_tiles_in_the_wall() -> None:
    for least, offered in ((4, True), (5, False)):
        own = Round([f"{WAITS_P5} z6", IDLE, OTHER], "z6", reveal_min_wall=least)
        assert ("liang z6" in own.asked[0]) == offered


def test_the_seat_that_drew_last_deals_after_a_draw_where_so_chosen() -> None:
    for rule, dealer in (("stay", 2), ("last_drawer", 0)):
        end = Round([f"{IDLE} z5", OTHER, "p2468 s13579 z667 s6"], "z5", wall="", draw_dealer=rule)
        end.play("0 discard z5")
        assert end.ended
        assert succession(end.table) == (dealer, 1)


def test_odd_answers_are_no_answers() -> None:
    own = Round([f"{WAITS_P5} z6", IDLE, OTHER], "z6")
    for text in (
        "",
        "liang",
        "liang z6 z5",
        "liang z6 z6",
        "liang m1",
        "discard",
        "gang",
        "hu ",
        " hu",
        7,
        None,
    ):
        assert text not in own.asked[0], text
    question: Any = own.asked[0]
    assert question.refusal("pass").startswith("'pass' is not legal; legal are discard")
    assert question.refusal("liang z6") == ""

"""The order of play of 斗地主 as scoring follows it: the deal, bidding, doubling, tricks."""

import random
from collections.abc import Generator, Iterable
from typing import Any

import pytest

from services.scoring.core.doudizhu import course
from services.scoring.core.doudizhu.cards import DECK, counts_of, text_of
from services.scoring.core.doudizhu.payment import Won
from services.scoring.core.doudizhu.readings import Reading
from services.scoring.core.doudizhu.rules import Options

EMPTY = counts_of("")


def auction(options: Options, answers: Iterable[str], draws: int = 0, first: int = 0) -> tuple[Any, ...]:
    """Return who was asked in turn, the landlord, the bid and the number of 抢."""
    table = course.Table(options, first, [EMPTY] * 3, EMPTY, draws)
    steps: Generator[course.Questions, course.Answer, int] = course.auction(table)
    asked = next(steps)
    seats: list[int] = []
    try:
        for answer in answers:
            [(seat, question)] = asked.items()
            assert answer in question, (answer, question)
            seats.append(seat)
            asked = steps.send((seat, answer))
    except StopIteration as done:
        return seats, done.value, table.bid, table.robs
    raise AssertionError(f"still asked: {asked}")


def bids(*values: int) -> list[str]:
    return [f"bid {value}" for value in values]


def test_the_deal_gives_seventeen_cards_from_the_first_speaker_on_and_three_to_nobody() -> None:
    places = list(range(54))
    random.Random(1).shuffle(places)
    wall = [DECK[place] for place in places]
    for first in range(3):
        table = course.dealt(Options(), first, 2, places)
        for step in range(3):
            dealt = "".join(wall[17 * step : 17 * step + 17])
            assert table.hands[(first + step) % 3] == counts_of(dealt)
        assert table.bottom == counts_of("".join(wall[51:]))
        assert (table.first, table.draws_in_row) == (first, 2)


@pytest.mark.parametrize("first", [0, 1, 2])
def test_a_bid_of_three_ends_it_and_otherwise_each_speaks_once(first: int) -> None:
    once = Options()
    order = [first, (first + 1) % 3, (first + 2) % 3]
    assert auction(once, bids(3), first=first) == (order[:1], order[0], 3, 0)
    assert auction(once, bids(1, 0, 2), first=first) == (order, order[2], 2, 0)
    assert auction(once, bids(0, 0, 0), first=first) == (order, -1, 0, 0)


def test_until2pass_ends_with_two_passes_directly_after_a_bid() -> None:
    until = Options(bid_rounds="until2pass")
    assert auction(until, bids(0, 1, 0, 2, 0, 0)) == ([0, 1, 2, 0, 1, 2], 0, 2, 0)
    assert auction(until, bids(0, 0, 1, 2, 3)) == ([0, 1, 2, 0, 1], 1, 3, 0)
    assert auction(until, bids(1, 0, 0)) == ([0, 1, 2], 0, 1, 0)
    assert auction(until, bids(0, 0, 0)) == ([0, 1, 2], -1, 0, 0)


@pytest.mark.parametrize("bid", ["score", "qiang"])
def test_the_first_speaker_must_take_it_once_there_were_redeals_enough(bid: str) -> None:
    options = Options(bid=bid, redeal_limit=2)
    words = bids(0, 0, 0) if bid == "score" else ["no_call"] * 3
    assert auction(options, words, draws=1, first=2)[1:] == (-1, 0, 0)
    assert auction(options, words, draws=2, first=2)[1:] == (2, 1, 0)
    assert auction(options, words, draws=3, first=2)[1:] == (2, 1, 0)
    assert auction(Options(bid=bid), words, draws=99)[1] == -1


def test_robbing_goes_to_those_who_did_not_decline_and_once_back_to_a_robbed_caller() -> None:
    qiang = Options(bid="qiang")
    assert auction(qiang, ["call", "rob", "rob", "rob"]) == ([0, 1, 2, 0], 0, 1, 3)
    assert auction(qiang, ["call", "no_rob", "rob", "no_rob"]) == ([0, 1, 2, 0], 2, 1, 1)
    assert auction(qiang, ["call", "no_rob", "no_rob"]) == ([0, 1, 2], 0, 1, 0)
    assert auction(qiang, ["no_call", "call", "rob", "rob"]) == ([0, 1, 2, 1], 1, 1, 2)
    assert auction(qiang, ["no_call", "no_call", "call"]) == ([0, 1, 2], 2, 1, 0)


def test_doubling_asks_all_three_at_once_and_each_once() -> None:
    table = course.Table(Options(double="on"), 0, [EMPTY] * 3, EMPTY)
    steps = course.doubling(table)
    assert sorted(next(steps)) == [0, 1, 2]
    assert sorted(steps.send((1, "double 2"))) == [0, 2]
    assert sorted(steps.send((2, "double 1"))) == [0]
    with pytest.raises(StopIteration):
        steps.send((0, "double 2"))
    assert table.double == [2, 2, 1]


def played(hands: list[str], *answers: str, leader: int = 0) -> Won | course.Questions:
    """Play from a landlord's lead on: seat 0 is landlord."""
    table = course.Table(Options(), 0, [counts_of(hand) for hand in hands], EMPTY, landlord=0, bid=1)
    steps = course.tricks(table, leader)
    asked = next(steps)
    try:
        for answer in answers:
            [(seat, question)] = asked.items()
            assert answer in question, question.refusal(answer)
            asked = steps.send((seat, answer))
    except StopIteration as done:
        won: Won = done.value
        return won
    return asked


def test_two_passes_end_a_trick_and_its_last_player_leads_anything() -> None:
    asked = played(["35", "46", "78"], "play 3", "play 4", "pass", "pass")
    assert isinstance(asked, dict)
    assert sorted(asked) == [1]
    assert asked[1].answers() == ("play 6",)
    assert "pass" not in asked[1]
    asked = played(["35", "46", "78"], "play 3", "play 4", "pass")
    assert isinstance(asked, dict)
    assert asked[0].answers() == ("pass", "play 5")


def test_a_pass_binds_for_nothing_and_a_play_counts_the_passes_anew() -> None:
    asked = played(["37K", "58Q", "69A"], "play 3", "pass", "play 6", "pass", "play 8", "play 9", "pass")
    assert isinstance(asked, dict)
    assert asked[1].answers() == ("pass", "play Q")


def test_plays_are_counted_and_passes_are_not_and_the_last_card_ends_the_round() -> None:
    won = played(["3333BR4", "5555", "678"], "play 3333", "play 5555")
    assert won == Won(landlord=0, last=1, bid=1, bombs=2, plays=(1, 1, 0))
    won = played(["3333BR4", "556", "678"], "play 3333", "pass", "pass", "play BR", "pass", "pass", "play 4")
    assert won == Won(landlord=0, last=0, bid=1, bombs=1, rockets=1, plays=(3, 0, 0))


def test_a_rocket_and_a_four_inside_another_play_count_nothing() -> None:
    won = played(["333345B", "6", "7"], "play 333345", "pass", "pass", "play B")
    assert isinstance(won, Won)
    assert (won.bombs, won.rockets) == (0, 0)


def test_a_question_is_sent_in_its_short_form() -> None:
    hand, four = counts_of("3344"), Reading("solo", 1, 1)
    assert course.Question((), hand).compact() == ("play*",)
    assert course.Question(("pass",), hand, four).compact() == ("pass",)
    assert course.Question(("pass",), counts_of("5"), four).compact() == ("pass", "play*")
    assert course.Question(("double 2", "double 1")).compact() == ("double 1", "double 2")
    assert list(course.Question(("pass",), counts_of("5"), four)) == ["pass", "play 5"]


@pytest.mark.parametrize(
    ("answer", "why"),
    [("pass", "legal are play"), ("bid 1", "legal are"), ("play*", "no play"), ("play 5", "does not hold")],
)
def test_an_illegal_answer_to_a_lead_is_refused_with_its_reason(answer: str, why: str) -> None:
    question = course.Question((), counts_of("3344"))
    assert why in question.refusal(answer)
    assert answer not in question
    assert 3 not in question


def test_random_rounds_end_with_all_cards_accounted_for() -> None:
    rng = random.Random("course")
    for _ in range(60):
        options = Options(bid=rng.choice(["score", "qiang"]), double=rng.choice(["off", "on"]))
        places = list(range(54))
        rng.shuffle(places)
        table = course.dealt(options, rng.randrange(3), 0, places)
        steps = course.whole_round(table)
        asked, gone = next(steps), ""
        won: Won | None = None
        while asked:
            seat = rng.choice(sorted(asked))
            answer = rng.choice(asked[seat].answers())
            gone += answer.split()[1] if answer.startswith("play") else ""
            try:
                asked = steps.send((seat, answer))
            except StopIteration as done:
                asked, won = {}, done.value
        left = "".join(map(text_of, table.hands)) + gone
        assert counts_of(left if won else left + text_of(table.bottom)) == counts_of(DECK)
        assert won is None or not any(table.hands[won.last])

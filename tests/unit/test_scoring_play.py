"""Who is asked what, and how answers are resolved (docs/record-format.md, "Questions")."""

from collections.abc import Iterable, Mapping, Sequence

import pytest

from services.scoring.core import hands, play, rules, table, tiles
from services.scoring.core.table import Seat, Table

SeatSpec = tuple[str, tuple[tuple[str, str], ...]]
WAITING: SeatSpec = (
    "s4s5s6b8b8s8s7s8",
    (("wei", "b9b9b9"), ("peng", "b3b3b3"), ("wei", "b1b1b1"), ("chi", "b4b5b6")),
)
"""Wins s9 with 15 息."""
JUNK = "b1b3b5b7b9"


def _seat(spec: SeatSpec | str) -> Seat:
    cards, melds = (spec, ()) if isinstance(spec, str) else spec
    hand = tiles.counted(tiles.cards_in(cards))
    laid = [hands.laid(kind, tiles.cards_in(text)) for kind, text in melds]
    seat = Seat(hand, laid)
    seat.filler = 20 - seat.held() if spec != WAITING else 0
    return seat


def _table(specs: Sequence[SeatSpec | str], wall: str, **changes: object) -> Table:
    options = rules.with_overrides(rules.preset_named("876cc"), changes)
    return Table(options, 0, [_seat(spec) for spec in specs], list(tiles.cards_in(wall)))


def _run(
    at: Table, step: play.Step, answers: Iterable[tuple[int, str]]
) -> tuple[list[Mapping[int, Sequence[str]]], play.Step | None]:
    """Follow one step; return every question asked and the next step, None while it is open."""
    course, asked = play.follow(at, step), []
    try:
        asked.append(next(course))
        for answer in answers:
            assert answer[1] in asked[-1][answer[0]]
            asked.append(course.send(answer))
    except StopIteration as done:
        return asked, done.value
    return asked, None


def test_all_seats_are_asked_at_once_everything_they_could_answer() -> None:
    at = _table(["s4s6", "s6s7", "s5s5"], "s5s1")
    asked, step = _run(at, play.Draw(0), [])
    assert asked == [{0: ("chi s4s5s6", "pass"), 1: ("chi s5s6s7", "pass"), 2: ("peng", "pass")}]
    assert step is None


def test_an_answer_that_nothing_can_beat_settles_the_card_and_withdraws_the_rest() -> None:
    at = _table(["s4s6", "s6s7", "s5s5"], "s5s1")
    asked, step = _run(at, play.Draw(0), [(2, "peng")])
    assert len(asked) == 1
    assert step == play.Completed(2)
    assert not at.seats[0].passed_chi


def test_a_claim_waits_for_the_seats_before_it() -> None:
    at = _table(["s4s6", "s6s7", "s5s5"], "s5s1")
    asked, step = _run(at, play.Draw(0), [(1, "chi s5s6s7"), (0, "pass"), (2, "pass")])
    assert asked[1] == {0: ("chi s4s5s6", "pass"), 2: ("peng", "pass")}
    assert asked[2] == {2: ("peng", "pass")}
    assert step == play.Completed(1)
    assert (at.seats[2].passed_peng, at.seats[0].passed_chi, at.seats[1].passed_chi) == ({4}, {4}, set())


def test_an_early_answer_that_is_overtaken_leaves_no_mark() -> None:
    at = _table(["s4s6", "s6s7", "s5s5"], "s5s1")
    _, step = _run(at, play.Draw(0), [(0, "pass"), (1, "pass"), (2, "peng")])
    assert step == play.Completed(2)
    assert all(not seat.passed_chi for seat in at.seats)


def test_one_question_holds_hu_and_claims_and_any_claim_declines_the_hu() -> None:
    at = _table(["s1", WAITING, "s1"], "s9s1")
    asked, step = _run(at, play.Draw(0), [(1, "chi s7s8s9")])
    assert asked == [{1: ("hu", "chi s7s8s9", "pass")}]
    assert step == play.Completed(1)
    assert at.seats[1].passed_hu == {8: 15}
    assert not at.seats[1].passed_chi


def test_a_publicly_certain_run_takes_claims_out_of_the_questions() -> None:
    for spec in (("", (("peng", "s5s5s5"),)), ("", (("chouwei", "s5s5s5"),))):
        at = _table(["s4s6", "s6s7", spec], "s5s1")
        asked, step = _run(at, play.Draw(0), [])
        assert (asked, step) == ([], play.Completed(2))
        assert at.trace == ["pao!@2"]


HIDDEN: list[SeatSpec | str] = ["s9s9s9", ("", (("wei", "s9s9s9"),))]


@pytest.mark.parametrize("spec", HIDDEN)
def test_a_hidden_run_that_no_hu_can_precede_asks_nobody(spec: SeatSpec | str) -> None:
    at = _table(["s7s8", JUNK, spec], "s9s1")
    plain = _table(["s7s8", JUNK, JUNK], "s9s1")
    assert _run(plain, play.Draw(0), [])[0] == [{0: ("chi s7s8s9", "pass")}]
    assert _run(at, play.Draw(0), []) == ([], play.Completed(2))
    assert at.trace == ["pao!@2"]
    assert not at.seats[0].passed_chi


@pytest.mark.parametrize("spec", HIDDEN)
def test_a_hidden_run_that_nobody_is_asked_about_happens_at_once(spec: SeatSpec | str) -> None:
    at = _table([JUNK, JUNK, spec], "s9s1")
    assert _run(at, play.Draw(0), []) == ([], play.Completed(2))


@pytest.mark.parametrize("spec", HIDDEN)
def test_a_hidden_run_changes_no_question_and_goes_first_once_the_hu_is_declined(
    spec: SeatSpec | str,
) -> None:
    at = _table(["s7s8", WAITING, spec], "s9s1")
    plain = _table(["s7s8", WAITING, JUNK], "s9s1")
    asked, step = _run(at, play.Draw(0), [(0, "chi s7s8s9"), (1, "chi s7s8s9")])
    assert asked[0] == _run(plain, play.Draw(0), [])[0][0]
    assert asked[0] == {0: ("chi s7s8s9", "pass"), 1: ("hu", "chi s7s8s9", "pass")}
    assert step == play.Completed(2)
    assert at.trace == ["hu?@1:15", "pao!@2"]
    assert at.seats[1].passed_hu == {8: 15}
    assert not at.seats[0].passed_chi
    assert not at.seats[1].passed_chi


def test_a_seat_that_must_run_the_card_is_not_asked_to_claim_it() -> None:
    own_peng: SeatSpec = ("s4s6", (("peng", "s5s5s5"),))
    at = _table([own_peng, "s6s7", JUNK], "s5s1")
    assert _run(at, play.Draw(0), []) == ([], play.Completed(0))
    assert at.trace == ["pao!@0"]


def test_a_shown_triplet_does_not_stop_claims_on_a_discard() -> None:
    at = _table([JUNK, "s4s6", ("", (("peng", "s5s5s5"),))], "s1s1")
    asked, _ = _run(at, play.Discarded(0, 4), [])
    assert asked == [{1: ("chi s4s5s6", "pass")}]


def test_a_shown_card_that_nobody_can_use_goes_to_the_river_unasked() -> None:
    at = _table([JUNK, JUNK, JUNK], "s5s1")
    assert _run(at, play.Draw(0), []) == ([], play.Draw(1))
    assert at.trace == ["river@0"]


def test_the_forced_meld_that_completes_a_hand_adds_hu_to_the_due_discard() -> None:
    specs: list[SeatSpec | str] = [WAITING, JUNK, JUNK]
    at = _table(specs, "s8s1")
    at.seats[0].hand = tiles.counted(tiles.cards_in("s4s5s6b8b8s8s9s9"))
    at.wall = [tiles.kind_of("s9"), 0]
    asked, _ = _run(at, play.Draw(0), [])
    assert asked == []
    asked, step = _run(at, play.Completed(0, 8, None), [])
    assert asked == [{0: ("discard s4", "discard s5", "discard s6", "discard s8", "discard b8")}]
    assert step is None


def _completing() -> Table:
    at = _table([WAITING, JUNK, JUNK], "s9s1")
    at.seats[0].hand = tiles.counted(tiles.cards_in("s4s5s6b8b8s8s9s9"))
    return at


def test_hu_by_the_own_forced_meld_is_asked_with_the_discards() -> None:
    at = _completing()
    _, step = _run(at, play.Draw(0), [])
    assert isinstance(step, play.Completed)
    assert step.win is not None
    assert step.win.xi == 18
    asked, end = _run(at, step, [(0, "hu")])
    assert asked[0][0] == ("hu", "discard s4", "discard s5", "discard s6", "discard s8", "discard b8")
    assert isinstance(end, table.Ending)
    assert (end.how, end.from_seat, end.card) == ("zimo", 0, 8)


def test_a_discard_declines_that_hu() -> None:
    at = _completing()
    _, step = _run(at, play.Draw(0), [])
    assert isinstance(step, play.Completed)
    _, after = _run(at, step, [(0, "discard s8")])
    assert after == play.Discarded(0, 7)
    assert at.seats[0].passed_hu == {8: 18}
    assert at.trace == ["wei!@0", "hu?@0:18", "discard@0"]


def test_the_turned_up_card_is_asked_of_every_seat_that_can_win_it_at_once() -> None:
    ready = tiles.counted(tiles.cards_in("b10b10b10b10b9b9b9b8b8b8s6s5s4b4b5b6b3s3s3s1"))
    at = Table(rules.preset_named("876cc"), 1, [Seat(list(ready)) for _ in range(3)], [3, 3], liang=0)
    at.seats[1].hand = tiles.counted(tiles.cards_in("b9b9s8s8b3b3s5s5s2s2b8b8s10s10b5b5s7s7b2b2s1"))
    course = play.opening(at)
    assert next(course) == {2: ("hu", "pass"), 0: ("hu", "pass")}
    assert course.send((0, "hu")) == {2: ("hu", "pass")}
    with pytest.raises(StopIteration) as done:
        course.send((2, "hu"))
    assert done.value.value.winner == 2
    assert (done.value.value.how, done.value.value.from_seat) == ("liang", 1)


def test_the_round_ends_without_a_winner_when_the_wall_is_empty() -> None:
    at = _table([JUNK, JUNK, JUNK], "")
    assert _run(at, play.Draw(2), []) == ([], table.Ending("draw"))


def test_the_last_card_of_the_wall_is_known_as_such_only_while_it_is_offered() -> None:
    at = _table([JUNK, WAITING, JUNK], "s9")
    _, step = _run(at, play.Draw(0), [(1, "hu")])
    assert isinstance(step, table.Ending)
    assert step.win is not None
    assert dict(step.win.names) == {"点胡": 3, "海底": 2}
    discard = _table([JUNK, WAITING, JUNK], "s1", discard_hu=True)
    discard.last_drawn = True
    _, step = _run(discard, play.Discarded(0, 8), [(1, "hu")])
    assert isinstance(step, table.Ending)
    assert step.win is not None
    assert "海底" not in dict(step.win.names)


def test_the_deal_gives_the_dealer_the_first_twenty_and_the_turned_up_card() -> None:
    wall = [kind for kind in range(20) for _ in range(4)]
    at = table.dealt(rules.preset_named("876cc"), 2, wall)
    assert tiles.spread(at.seats[2].hand) == sorted([*wall[:20], wall[60]])
    assert tiles.spread(at.seats[0].hand) == wall[20:40]
    assert tiles.spread(at.seats[1].hand) == wall[40:60]
    assert (at.liang, at.wall) == (wall[60], wall[61:])

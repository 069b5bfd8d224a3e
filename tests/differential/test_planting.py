"""The tests of mutants prove something only if a mutant is really planted, and only where it should be."""

import importlib

import pytest

from tests.differential.mutants import courses
from tests.differential.mutants.planting import ENGINE, SCORING, Mutant, in_file, line, planted
from tests.differential.mutants.rounds import agree, record_of

HARMLESS = Mutant("nothing", "", "paohuzi/names.py", "MOST: Final = 26", "MOST: Final = 13 * 2")
WRONG = Mutant("six 门子", "§3", "hands.py", "GROUPS: Final = 7", "GROUPS: Final = 6")


def test_a_harmless_change_is_agreed() -> None:
    with planted(ENGINE, HARMLESS) as alias:
        names = importlib.import_module(f"{alias}.paohuzi.names")
        assert names is not importlib.import_module("engine.paohuzi.names")
        for number in range(20):
            assert agree("record", HARMLESS, number, engine=alias)
            assert agree("lockstep", HARMLESS, number, engine=alias)
            assert record_of(alias, HARMLESS, number) == record_of(ENGINE, HARMLESS, number)


def test_a_mutant_is_gone_when_it_is_taken_out() -> None:
    with planted(SCORING, WRONG) as alias:
        assert importlib.import_module(f"{alias}.hands").GROUPS == 6
        # What depends on the changed module is loaded with it; what does not is scoring's own.
        judge = importlib.import_module(f"{alias}.judge")
        assert judge.hands.GROUPS == 6
        assert importlib.import_module(f"{alias}.deal") is importlib.import_module(f"{SCORING}.deal")
    assert importlib.import_module(f"{SCORING}.hands").GROUPS == 7
    assert importlib.import_module(f"{SCORING}.judge").hands.GROUPS == 7
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module(f"{alias}.hands")


@pytest.mark.parametrize("old", ["GROUPS: Final = 8", "Final"])
def test_a_line_that_is_not_there_exactly_once_is_refused(old: str) -> None:
    with (
        pytest.raises(AssertionError, match="not once"),
        planted(SCORING, Mutant("", "", "hands.py", old, "")),
    ):
        pass


@pytest.mark.parametrize("way", ["record", "lockstep", "hand"])
def test_a_way_gives_the_same_verdict_each_time(way: str) -> None:
    with planted(SCORING, WRONG) as alias:
        first = [agree(way, WRONG, number, scoring=alias) for number in range(30)]
        assert first == [agree(way, WRONG, number, scoring=alias) for number in range(30)]
    assert not all(first)
    assert all(agree(way, WRONG, number) for number in range(30))


OF_COURSES = {
    "kawuxing": (
        *in_file(
            "kawuxing/actions.py", line("nothing", "", "_KOU_MAX: Final = 4", "_KOU_MAX: Final = 2 * 2")
        ),
        *in_file("kawuxing/payment.py", line("直杠 at one", "§3", '2 * times, "直杠"', 'times, "直杠"')),
    ),
    "qinghunpeng": (
        *in_file(
            "qinghunpeng/settle.py", line("nothing", "", "ROB_SHARES: Final = 3", "ROB_SHARES: Final = 2 + 1")
        ),
        *in_file(
            "qinghunpeng/shapes.py", line("no runs from 7 on", "§3", "kind % 9 < 7 and", "kind % 9 < 6 and")
        ),
    ),
    "doudizhu": (
        *in_file("doudizhu/position.py", line("nothing", "", "HAND: Final = 17", "HAND: Final = 20 - 3")),
        *in_file(
            "doudizhu/payment.py", line("no bid", "§4", "base = self.bid * self.fan", "base = self.fan")
        ),
    ),
}
"""By game a harmless change of the engine, and a wrong line of scoring."""


@pytest.mark.parametrize("game", OF_COURSES)
def test_a_harmless_change_is_agreed_in_every_game(game: str) -> None:
    harmless, _ = OF_COURSES[game]
    with planted(ENGINE, harmless) as alias:
        for number in range(8):
            assert courses.agree(game, "record", harmless, number, engine=alias)
            assert courses.agree(game, "lockstep", harmless, number, engine=alias)
            mutated = courses.record_of(game, alias, harmless, number)
            assert mutated == courses.record_of(game, ENGINE, harmless, number)


@pytest.mark.parametrize("game", OF_COURSES)
@pytest.mark.parametrize("way", ["record", "lockstep"])
def test_a_way_of_every_game_gives_the_same_verdict_each_time(game: str, way: str) -> None:
    _, wrong = OF_COURSES[game]
    with planted(SCORING, wrong) as alias:
        first = [courses.agree(game, way, wrong, number, scoring=alias) for number in range(20)]
        assert first == [courses.agree(game, way, wrong, number, scoring=alias) for number in range(20)]
    assert not all(first)
    assert all(courses.agree(game, way, wrong, number) for number in range(20))


def test_a_crash_is_not_taken_for_a_dispute() -> None:
    (broken,) = in_file(
        "kawuxing/fans.py", line("", "", "    best = 0\n    for tile", "    best = 0 // 0\n    for tile")
    )
    at_the_end = next(
        name for name, case in courses.examples("kawuxing").items() if case.get("op") == "huangzhuang"
    )
    with planted(ENGINE, broken) as alias, pytest.raises((courses.Broken, ZeroDivisionError)):
        courses.agree("kawuxing", "example", broken, at_the_end, engine=alias)

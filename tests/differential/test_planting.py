"""The tests of mutants prove something only if a mutant is really planted, and only where it should be."""

import importlib

import pytest

from tests.differential.mutants.planting import ENGINE, SCORING, Mutant, planted
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

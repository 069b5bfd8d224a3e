"""What `paiju simulate` counts."""

import pytest

from services.launch.tally import Tally, rotated, wilson


def test_the_interval_holds_the_share_and_narrows_with_trials() -> None:
    wide, narrow = wilson(20, 40), wilson(2000, 4000)
    assert wide[0] < 0.5 < wide[1]
    assert narrow[1] - narrow[0] < (wide[1] - wide[0]) / 5


@pytest.mark.parametrize(("successes", "trials"), [(0, 10), (10, 10)])
def test_the_interval_stays_between_none_and_all(successes: int, trials: int) -> None:
    low, high = wilson(successes, trials)
    assert 0 <= low < high <= 1


def test_parts_add_up_to_the_whole_whatever_their_signs() -> None:
    whole, part = Tally(), Tally(rounds=2, ended=2, draws=1)
    part.points.update({"normal": 6, "random": -6})
    part.wins["normal"] += 1
    part.seated.update({"normal": 1, "random": 2})
    whole.add(part)
    whole.add(part)
    assert (whole.rounds, whole.draws) == (4, 2)
    assert whole.points == {"normal": 12, "random": -12}
    assert whole.wins_per_bot()["random"] == {
        "wins": 0,
        "seats": 4,
        "share": 0.0,
        "low": 0.0,
        "high": pytest.approx(0.4899, abs=0.001),
        "points": -12,
    }


@pytest.mark.parametrize("what", ["disagreements", "conservation_errors", "zero_sum_errors"])
def test_one_error_of_any_kind_is_not_clean(what: str) -> None:
    assert Tally(rounds=1, ended=1).is_clean
    wrong = Tally(rounds=1, ended=1)
    setattr(wrong, what, 1)
    assert not wrong.is_clean
    assert not Tally(rounds=1, ended=0).is_clean


def test_every_bot_sits_everywhere_equally_often() -> None:
    bots = ("a", "b", "c")
    assert {rotated(bots, match)[0] for match in range(3)} == set(bots)
    assert rotated(bots, 3) == bots

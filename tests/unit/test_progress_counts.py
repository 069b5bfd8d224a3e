"""What one settled round adds to a player's counts, whatever the game."""

from __future__ import annotations

import pytest

from services.progress.core.counts import Counts, RoundResult, SeatResult


def counted(how: str, points: tuple[int, ...], winners: tuple[int, ...], end: str = "hu") -> list[Counts]:
    """Return what each seat counts of one round."""
    seats = [SeatResult(f"p_{seat}", False, won, seat in winners) for seat, won in enumerate(points)]
    result = RoundResult("0-m/1", "any", "any@1", seats, end, how, 0, {"春天": 1})
    found = []
    for seat in seats:
        counts = Counts()
        counts.add(result, seat)
        found.append(counts)
    return found


@pytest.mark.parametrize("how", ["zimo", "gangkai", "bahua"])
def test_every_win_without_anothers_card_is_a_self_draw(how: str) -> None:
    counts = counted(how, (9, -3, -3, -3), (0,))
    assert [one.self_draws for one in counts] == [1, 0, 0, 0]


@pytest.mark.parametrize("how", ["discard", "gangpao", "qianggang", "landlord", "peasants", "wall"])
def test_no_other_win_is(how: str) -> None:
    assert counted(how, (9, -3, -3, -3), (0,))[0].self_draws == 0


def test_both_peasants_have_won_and_share_the_names() -> None:
    counts = counted("peasants", (-6, 3, 3), (1, 2), end="win")
    assert [(one.wins, one.points, one.best_points) for one in counts] == [(0, -6, 0), (1, 3, 3), (1, 3, 3)]
    assert [one.names for one in counts] == [{}, {"春天": 1}, {"春天": 1}]


def test_a_draw_that_is_paid_for_is_a_draw_and_nobodys_win() -> None:
    counts = counted("huangzhuang", (4, -2, -2), (), end="draw")
    assert [(one.draws, one.wins, one.points) for one in counts] == [(1, 0, 4), (1, 0, -2), (1, 0, -2)]

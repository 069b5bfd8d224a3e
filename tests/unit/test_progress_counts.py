"""What one settled round adds to a player's counts, whatever the game."""

from __future__ import annotations

import random
from types import SimpleNamespace

import pytest

from services.progress.core.counts import Best, Counts, RoundResult, SeatResult


def counted(
    how: str, points: tuple[int, ...], winners: tuple[int, ...], end: str = "hu", from_seat: int = -1
) -> list[Counts]:
    """Return what each seat counts of one round."""
    seats = [SeatResult(f"p_{seat}", False, won, seat in winners, seat) for seat, won in enumerate(points)]
    result = RoundResult("0-m/1", "any", "any@1", seats, end, how, 0, {"春天": 1}, 2, from_seat, 7)
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
    assert [(one.wins, one.points, one.won_points) for one in counts] == [(0, -6, 0), (1, 3, 3), (1, 3, 3)]
    assert [one.names for one in counts] == [{}, {"春天": 1}, {"春天": 1}]


def test_a_draw_that_is_paid_for_is_a_draw_and_nobodys_win() -> None:
    counts = counted("huangzhuang", (4, -2, -2), (), end="draw")
    assert [(one.draws, one.wins, one.points) for one in counts] == [(1, 0, 4), (1, 0, -2), (1, 0, -2)]


@pytest.mark.parametrize(
    ("how", "from_seat", "dealt_in", "off_discard"),
    [
        ("discard", 2, [0, 0, 1, 0], 1),
        ("gangpao", 1, [0, 1, 0, 0], 1),
        ("qianggang", 3, [0, 0, 0, 1], 1),
        # A card off the wall is nobody's, whoever it was turned up for; old events name no seat.
        ("wall", 1, [0, 0, 0, 0], 0),
        ("zimo", 0, [0, 0, 0, 0], 0),
        ("", 0, [0, 0, 0, 0], 0),
        ("landlord", -1, [0, 0, 0, 0], 0),
    ],
)
def test_who_threw_the_card_has_dealt_in_and_nobody_else(
    how: str, from_seat: int, dealt_in: list[int], off_discard: int
) -> None:
    counts = counted(how, (9, -3, -3, -3), (0,), from_seat=from_seat)
    assert [one.deal_ins for one in counts] == dealt_in
    assert [one.discard_rounds for one in counts] == [off_discard] * 4


def test_two_may_win_with_one_card_and_its_thrower_has_dealt_in_once() -> None:
    counts = counted("discard", (-8, 4, 4), (1, 2), from_seat=0)
    assert [one.deal_ins for one in counts] == [1, 0, 0]


def test_a_round_counts_for_a_seat_as_it_went() -> None:
    won, lost = SeatResult("p_a", False, 12, True, 0), SeatResult("p_b", False, -6, False, 1)
    result = RoundResult("0-m/1", "paohuzi", "876cc@1", [won, lost], "hu", "zimo", 21, {"红胡": 2}, 2, -1, 50)
    again = RoundResult("0-m/2", "paohuzi", "876cc@1", [won, lost], "hu", "zimo", 20, {"红胡": 2}, 2, -1, 60)
    counts = Counts()
    counts.add(again, won)
    counts.add(result, won)
    best = Best(12, 50, "0-m/1", 21, 2, "zimo", {"红胡": 2})
    assert counts == Counts(
        rounds=2, wins=2, self_draws=2, points=24, won_points=24, best_huxi=21, best=best,
        names={"红胡": 2}, first_at_ms=50, last_at_ms=60,
    )  # fmt: skip
    loser = Counts()
    loser.add(result, lost)
    assert loser == Counts(rounds=1, points=-6, first_at_ms=50, last_at_ms=50)
    loser.add(RoundResult("0-m/3", "paohuzi", "876cc@1", [lost], "draw", "", 0, {}, at_ms=70), lost)
    assert (loser.rounds, loser.draws, loser.wins) == (2, 1, 0)


def test_the_order_in_which_rounds_come_changes_nothing() -> None:
    chance = random.Random(11)
    rounds = []
    for number in range(60):
        points, winner = chance.choice((4, 8, 8, 12)), chance.randrange(3)
        seats = [
            SeatResult(f"p_{seat}", False, points if seat == winner else -points // 2, seat == winner, seat)
            for seat in range(3)
        ]
        how, card_of = chance.choice((("zimo", -1), ("discard", (winner + 1) % 3), ("wall", -1)))
        rounds.append(
            RoundResult(
                f"0-m/{number}", "any", "any@1", seats, "hu", how, points, {"红胡": 2}, 2, card_of,
                chance.randrange(1, 20),
            )
        )  # fmt: skip
    kept = []
    for _ in range(5):
        chance.shuffle(rounds)
        counts = Counts()
        for one in rounds:
            counts.add(one, one.seats[0])
        kept.append(counts)
    assert kept[0].best is not None
    assert all(one == kept[0] for one in kept)


def test_counts_are_kept_as_they_are() -> None:
    for counts in (Counts(), counted("discard", (9, -3, -6), (0,), from_seat=2)[0]):
        assert Counts.from_row(SimpleNamespace(**counts.as_row())) == counts

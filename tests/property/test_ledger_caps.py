"""From points to coins: what the cap function promises for every table."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.chassis.errors import Defect
from services.economy.core.caps import CapInputs, options_of, settle


@st.composite
def tables(draw: st.DrawFn) -> CapInputs:
    seats = draw(st.integers(2, 4))
    points = draw(st.lists(st.integers(-60, 60), min_size=seats - 1, max_size=seats - 1))
    points.append(-sum(points))
    stakes = draw(st.lists(st.integers(0, 5_000), min_size=seats, max_size=seats))
    return CapInputs(
        tuple(points),
        tuple(stakes),
        draw(st.integers(1, 200)),
        draw(st.booleans()),
        draw(st.integers(-1, seats - 1)),
    )


@settings(deadline=None)
@given(tables())
def test_coins_sum_to_zero(inputs: CapInputs) -> None:
    assert sum(settle(inputs)) == 0


@settings(deadline=None)
@given(tables())
def test_no_stake_falls_below_zero(inputs: CapInputs) -> None:
    assert all(held + won >= 0 for held, won in zip(inputs.stakes, settle(inputs), strict=True))


@settings(deadline=None)
@given(tables())
def test_nobody_pays_or_gets_more_than_is_due(inputs: CapInputs) -> None:
    for points, coins in zip(inputs.points, settle(inputs), strict=True):
        due = points * inputs.base_stake
        assert min(due, 0) <= coins <= max(due, 0)


@settings(deadline=None)
@given(tables())
def test_with_the_balance_cap_nobody_gets_more_than_his_own_stake(inputs: CapInputs) -> None:
    if inputs.win_cap_by_balance:
        assert all(coins <= held for held, coins in zip(inputs.stakes, settle(inputs), strict=True))


@settings(deadline=None)
@given(tables())
def test_full_stakes_pay_everything(inputs: CapInputs) -> None:
    rich = CapInputs(
        inputs.points, (10**9,) * len(inputs.points), inputs.base_stake, inputs.win_cap_by_balance
    )
    assert settle(rich) == tuple(points * rich.base_stake for points in rich.points)


@settings(deadline=None)
@given(tables())
def test_a_payer_keeps_coins_only_when_everyone_he_owes_is_served_or_capped(inputs: CapInputs) -> None:
    coins = settle(inputs)
    owed = [
        min(max(points, 0) * inputs.base_stake, held if inputs.win_cap_by_balance else 10**12)
        for points, held in zip(inputs.points, inputs.stakes, strict=True)
    ]
    unserved = any(got < want for got, want in zip(coins, owed, strict=True) if want > 0)
    for points, held, won in zip(inputs.points, inputs.stakes, coins, strict=True):
        due = -points * inputs.base_stake
        if due > 0 and unserved:
            assert -won == min(due, held)


@settings(deadline=None)
@given(tables())
def test_the_published_inputs_are_enough_to_compute_the_coins_again(inputs: CapInputs) -> None:
    said = json.loads(inputs.as_json())
    winners = list(said["winner_order"])
    assert sorted(winners) == [seat for seat, points in enumerate(inputs.points) if points > 0]
    can_pay = {
        seat: min(-points * said["base_stake"], inputs.stakes[seat])
        for seat, points in enumerate(inputs.points)
        if points < 0
    }
    again = [0] * len(inputs.points)
    for winner in winners:
        owed = inputs.points[winner] * said["base_stake"]
        owed = min(owed, inputs.stakes[winner]) if said["win_cap_by_balance"] else owed
        order = sorted(can_pay, key=lambda seat: (seat - winner) % len(inputs.points))
        if winner == winners[0]:
            assert order == said["payer_order"]
        for payer in order:
            paid = min(owed, can_pay[payer])
            owed, can_pay[payer] = owed - paid, can_pay[payer] - paid
            again[winner] += paid
            again[payer] -= paid
    assert tuple(again) == settle(inputs)


def test_the_winners_next_seat_pays_first() -> None:
    inputs = CapInputs((-5, 10, -5), (1000, 70, 1000), 10, win_cap_by_balance=True)
    assert settle(inputs) == (-20, 70, -50)


def test_of_two_winners_the_nearest_after_the_discarder_is_served_first() -> None:
    assert settle(CapInputs((4, -8, 4), (0, 50, 0), 10, from_seat=1)) == (10, -50, 40)
    assert settle(CapInputs((4, -8, 4), (0, 50, 0), 10)) == (40, -50, 10)


def test_an_empty_stake_pays_nothing() -> None:
    assert settle(CapInputs((6, -3, -3), (5, 0, 30), 10)) == (30, 0, -30)


@pytest.mark.parametrize(
    "inputs",
    [
        CapInputs((1, 0, 0), (9, 9, 9), 1),
        CapInputs((1, -1), (9, 9, 9), 1),
        CapInputs((1, -1), (9, -9), 1),
        CapInputs((1, -1), (9, 9), 0),
    ],
)
def test_numbers_that_cannot_be_are_a_defect(inputs: CapInputs) -> None:
    with pytest.raises(Defect):
        settle(inputs)


@pytest.mark.parametrize(
    "text",
    ["[]", "{", '{"base_stake":0}', '{"base_stake":"1"}', '{"win_cap_by_balance":1}', '{"base_stake":true}'],
)
def test_settlement_options_of_the_wrong_shape_are_refused(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - json's own error is one, too
        options_of(text)

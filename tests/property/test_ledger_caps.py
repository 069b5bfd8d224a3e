"""From points to coins: what the cap function promises for every table, with and without a fee."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.chassis.errors import Defect
from services.economy.core.caps import FEE_MAX, CapInputs, Terms, fees, settle, terms_of


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
        draw(st.sampled_from([0, 0, 1, 20, 4_999, FEE_MAX])),
    )


def left(inputs: CapInputs) -> list[int]:
    """What the fee leaves in each stake."""
    return [held - fee for held, fee in zip(inputs.stakes, fees(inputs), strict=True)]


@settings(deadline=None)
@given(tables())
def test_coins_sum_to_zero(inputs: CapInputs) -> None:
    assert sum(settle(inputs)) == 0


@settings(deadline=None)
@given(tables())
def test_no_stake_falls_below_zero(inputs: CapInputs) -> None:
    assert all(held + won >= 0 for held, won in zip(left(inputs), settle(inputs), strict=True))


@settings(deadline=None)
@given(tables())
def test_everybody_pays_the_same_fee_whoever_wins_unless_his_stake_is_smaller(inputs: CapInputs) -> None:
    paid = fees(inputs)
    assert paid == tuple(min(inputs.fee, held) for held in inputs.stakes)
    turned = CapInputs(tuple(-points for points in inputs.points), inputs.stakes, 1, fee=inputs.fee)
    assert fees(turned) == paid


@settings(deadline=None)
@given(tables())
def test_a_fee_is_as_if_everybody_had_brought_less(inputs: CapInputs) -> None:
    poorer = CapInputs(
        inputs.points,
        tuple(left(inputs)),
        inputs.base_stake,
        inputs.win_cap_by_balance,
        inputs.from_seat,
    )
    assert settle(inputs) == settle(poorer)


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
        assert all(coins <= held for held, coins in zip(left(inputs), settle(inputs), strict=True))


@settings(deadline=None)
@given(tables())
def test_full_stakes_pay_everything(inputs: CapInputs) -> None:
    rich = CapInputs(
        inputs.points, (10**9,) * len(inputs.points), inputs.base_stake, inputs.win_cap_by_balance, fee=20
    )
    assert fees(rich) == (20,) * len(inputs.points)
    assert settle(rich) == tuple(points * rich.base_stake for points in rich.points)


@settings(deadline=None)
@given(tables())
def test_a_payer_keeps_coins_only_when_everyone_he_owes_is_served_or_capped(inputs: CapInputs) -> None:
    coins = settle(inputs)
    owed = [
        min(max(points, 0) * inputs.base_stake, held if inputs.win_cap_by_balance else 10**12)
        for points, held in zip(inputs.points, left(inputs), strict=True)
    ]
    unserved = any(got < want for got, want in zip(coins, owed, strict=True) if want > 0)
    for points, held, won in zip(inputs.points, left(inputs), coins, strict=True):
        due = -points * inputs.base_stake
        if due > 0 and unserved:
            assert -won == min(due, held)


@settings(deadline=None)
@given(tables())
def test_the_published_inputs_are_enough_to_compute_the_coins_again(inputs: CapInputs) -> None:
    said = json.loads(inputs.as_json())
    winners = list(said["winner_order"])
    assert sorted(winners) == [seat for seat, points in enumerate(inputs.points) if points > 0]
    stakes = [held - min(said["fee"], held) for held in inputs.stakes]
    can_pay = {
        seat: min(-points * said["base_stake"], stakes[seat])
        for seat, points in enumerate(inputs.points)
        if points < 0
    }
    again = [0] * len(inputs.points)
    for winner in winners:
        owed = inputs.points[winner] * said["base_stake"]
        owed = min(owed, stakes[winner]) if said["win_cap_by_balance"] else owed
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
        CapInputs((1, -1), (9, 9), 1, fee=-1),
        CapInputs((1, -1), (9, 9), 1, fee=FEE_MAX + 1),
    ],
)
def test_numbers_that_cannot_be_are_a_defect(inputs: CapInputs) -> None:
    with pytest.raises(Defect):
        settle(inputs)


def test_who_cannot_pay_the_fee_pays_what_he_has_and_nothing_more() -> None:
    inputs = CapInputs((6, -3, -3), (100, 19, 20), 10, fee=20)
    assert fees(inputs) == (20, 19, 20)
    assert settle(inputs) == (0, 0, 0)


def test_the_fee_is_taken_before_the_balance_caps_a_win() -> None:
    inputs = CapInputs((20, -10, -10), (50, 500, 500), 10, win_cap_by_balance=True, fee=20)
    assert settle(inputs) == (30, -30, 0)


def test_terms_are_read_from_what_older_records_say_too() -> None:
    assert terms_of('{"base_stake":5,"win_cap_by_balance":true}') == Terms(5, win_cap_by_balance=True)
    assert terms_of('{"base_stake":5,"fee":20,"win_cap_by_balance":false}') == Terms(5, fee=20)
    assert terms_of("") == Terms()


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        "{",
        '{"base_stake":0}',
        '{"base_stake":"1"}',
        '{"win_cap_by_balance":1}',
        '{"base_stake":true}',
        '{"fee":-1}',
        '{"fee":1.5}',
        '{"fee":null}',
        '{"fee":true}',
        f'{{"fee":{FEE_MAX + 1}}}',
    ],
)
def test_settlement_options_of_the_wrong_shape_are_refused(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - json's own error is one, too
        terms_of(text)

"""Plots of statistics and amounts of staff, without a browser: days, sums, marks of an axis, yuan."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.chassis.days import day_from_text, day_of, day_text
from tests.browser.support import node

pytestmark = pytest.mark.skipif(node.NODE is None, reason="node is not installed")

SERIES = """
const { seriesOf } = await load("js/control/statistics.mjs");
answer(seriesOf(job.days, job.last, job.span));
"""
DAYS = """
const { dayAt, dayNumber, dayText } = await load("js/control/statistics.mjs");
answer(job.map((ms) => [dayAt(ms), dayText(dayAt(ms)), dayNumber(dayText(dayAt(ms)))]));
"""
MARKS = """
const { marks } = await load("js/view/statisticsplot.mjs");
answer(job.map(([low, high]) => marks(low, high)));
"""
AMOUNTS = """
const { fenOf, gemsOf } = await load("js/control/staffmoney.mjs");
answer(job.map((text) => [fenOf(text), gemsOf(text)].map((value) => (Number.isNaN(value) ? null : value))));
"""


def played(day: str, points: int, rounds: int = 1, wins: int = 0) -> dict[str, Any]:
    return {"day": day, "rounds": rounds, "wins": wins, "self_draws": 0, "deal_ins": 0, "points": points}


def test_every_day_of_a_span_is_there_and_points_sum_up_from_its_first() -> None:
    last = day_from_text("2026-11-30")
    days = [played("2026-11-30", 5), played("2026-11-28", -12, 3, 1), played("2026-10-01", 400)]
    series = node.run(SERIES, {"days": days, "last": last, "span": 4})
    assert [one["day"] for one in series] == [last - 3, last - 2, last - 1, last]
    assert [one["rounds"] for one in series] == [0, 3, 0, 1]
    assert [one["sum"] for one in series] == [0, -12, -12, -7], "what was before the span is no part of it"


@settings(deadline=None, max_examples=5)
@given(st.lists(st.integers(0, 4_000_000_000_000), min_size=50, max_size=50))
def test_the_page_counts_the_days_of_the_platform(moments: list[int]) -> None:
    said = node.run(DAYS, moments)
    assert said == [[day_of(ms), day_text(day_of(ms)), day_of(ms)] for ms in moments]


@settings(deadline=None, max_examples=5)
@given(st.lists(st.tuples(st.integers(-10_000_000, 0), st.integers(0, 10_000_000)), min_size=60, max_size=60))
def test_marks_of_an_axis_hold_all_values_and_are_few_and_round(spans: list[tuple[int, int]]) -> None:
    spans += [(0, 0), (0, 1), (-1, 0), (0, 3), (-7, 13)]
    for (low, high), found in zip(spans, node.run(MARKS, spans), strict=True):
        assert found[0] <= low
        assert found[-1] >= high
        assert 2 <= len(found) <= 7
        assert 0 in found
        (step,) = {after - before for before, after in pairwise(found)}
        assert str(step).rstrip("0") in ("1", "2", "5")


def test_an_amount_that_staff_types_is_exact_or_none() -> None:
    texts = ["6", " 6.5 ", "6.05", "0.01", "6.055", "6,5", "-1", "1e3", "", "6.", ".5", "１２", "99999999"]
    said = node.run(AMOUNTS, texts)
    assert [fen for fen, _ in said] == [600, 650, 605, 1, *[None] * 9]
    assert [gems for _, gems in said] == [6, *[None] * 11, 99_999_999]

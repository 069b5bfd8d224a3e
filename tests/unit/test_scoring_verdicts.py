"""A verdict becomes a message whatever its figures are."""

import dataclasses
from typing import Any

from paiju.scoring.v1 import events_pb2 as pb

from services.scoring.core.audit import Verdict, audit_alone
from services.scoring.core.game import Figures
from services.scoring.verdicts import INT32_MAX, POINTS_MAX, as_message
from tests.unit.test_scoring_kawuxing_audit import WON, with_header


def with_result(**changes: Any) -> Verdict:
    """Return the verdict on a round of 卡五星 as if its figures were others."""
    verdict = audit_alone(WON)
    assert verdict.figures is not None
    result: Any = verdict.figures.result
    return dataclasses.replace(verdict, figures=Figures(dataclasses.replace(result, **changes)))


def test_the_figures_are_told_as_they_are() -> None:
    verdict = audit_alone(WON)
    assert verdict.figures is not None
    message = as_message(verdict)
    assert message.verdict == pb.VERDICT_AGREED
    assert [seat.points for seat in message.seats] == list(verdict.figures.result.points)
    assert message.fan == verdict.figures.result.fan
    assert message.game == "kawuxing"


def test_a_multiplier_beyond_all_bounds_is_told_as_the_greatest() -> None:
    assert as_message(with_result(fan=2**40)).fan == INT32_MAX


def test_points_beyond_all_bounds_are_not_settled() -> None:
    most = as_message(with_result(points=(POINTS_MAX, -POINTS_MAX, 0)))
    assert most.verdict == pb.VERDICT_AGREED
    more = as_message(with_result(points=(POINTS_MAX + 1, -POINTS_MAX - 1, 0)))
    assert more.verdict == pb.VERDICT_DISPUTED
    assert more.differences[0].field == "points"
    assert not more.seats


def test_a_round_number_beyond_all_bounds_breaks_nothing() -> None:
    verdict = audit_alone(with_header(WON, "Round", "3-x/99999999999999999"))
    assert as_message(verdict).round_no == INT32_MAX

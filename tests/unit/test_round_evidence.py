"""Both minds explain a recorded round to whoever has to judge between them."""

from __future__ import annotations

import json

import pytest

from engine import GAMES
from engine.errors import Refusal
from services.scoring.core.account import account_of
from services.scoring.core.audit import audit_alone
from services.table.evidence_api import explain
from tests.support.told import played


@pytest.mark.parametrize("game", sorted(GAMES))
def test_the_engine_comes_to_the_recorded_result_and_explains_it(game: str) -> None:
    record = played(game)[2]
    answer = explain(GAMES, record)
    assert answer.is_same
    assert not answer.refusal
    assert answer.record == record
    assert json.loads(answer.result_json) == json.loads(record.rsplit(b"\nResult: ", 1)[1])
    assert len(answer.explanation_zh) == len(answer.explanation_en)


def test_another_result_than_the_recorded_one_is_said() -> None:
    record = played("paohuzi")[2]
    answer = explain(GAMES, record.replace(b'"draws_in_row_next":', b'"draws_in_row_next":1'))
    assert not answer.is_same
    assert not answer.refusal


def test_a_record_that_breaks_the_rules_is_refused() -> None:
    lines = played("paohuzi")[2].split(b"\n")
    first = lines.index(b"") + 1
    del lines[first : first + 3]
    with pytest.raises(Refusal):
        explain(GAMES, b"\n".join(lines))


@pytest.mark.parametrize("game", sorted(GAMES))
def test_scoring_tells_how_it_comes_to_the_points_of_every_seat(game: str) -> None:
    verdict = audit_alone(played(game)[2])
    assert verdict.figures is not None
    zh, en = account_of(verdict)
    assert len(zh) == len(en)
    for seat, points in enumerate(verdict.figures.result.points):
        assert any(line.startswith(f"seat {seat} ") and line.endswith(f"{points:+d} points") for line in en)
        assert any(line.startswith(f"座位 {seat}") and line.endswith(f"{points:+d} 分") for line in zh)
    for name in verdict.figures.result.names:
        assert any(line.startswith(f"{name}：") for line in zh)


def test_scoring_tells_which_action_it_could_not_follow() -> None:
    lines = played("paohuzi")[2].split(b"\n")
    first = lines.index(b"") + 1
    del lines[first : first + 3]
    verdict = audit_alone(b"\n".join(lines))
    assert verdict.wrong_action is not None
    zh, en = account_of(verdict)
    assert en == (f"action {verdict.wrong_action.number} breaks the rules: {verdict.wrong_action.why}",)
    assert len(zh) == 1


def test_of_what_is_no_record_nothing_is_told() -> None:
    assert account_of(audit_alone(b"no record")) == ((), ())

"""斗地主 as the auditor knows it."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from services.scoring.core.doudizhu import course, explain, vectors
from services.scoring.core.doudizhu.cards import DECK, SEATS
from services.scoring.core.doudizhu.result import ACTION, Result, result_after, result_of
from services.scoring.core.doudizhu.rules import Options, options_of_record
from services.scoring.core.game import Course, Figures, Game


def _course(options: Options, first: int, draws_in_row: int, places: Sequence[int]) -> Course:
    won = yield from course.whole_round(course.dealt(options, first, draws_in_row, places))
    return Figures(result_after(options, first, draws_in_row, won))


def _result(given: Mapping[str, Any]) -> tuple[Result, tuple[()]]:
    return result_of(given), ()


def _speaker_is_drawn(options: Options) -> bool:
    return options.first_speaker == "random"


GAME: Final = Game(
    name="doudizhu",
    short="ddz",
    seats=SEATS,
    cards=len(DECK),
    actions=ACTION,
    options_of_record=options_of_record,
    result_of=_result,
    course=_course,
    summary=explain.summary,
    run_case=vectors.run_case,
    dealer_is_drawn=_speaker_is_drawn,
)

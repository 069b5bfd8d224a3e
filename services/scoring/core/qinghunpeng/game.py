"""清混碰 as the auditor knows it."""

from collections.abc import Sequence
from typing import Final

from services.scoring.core.game import Course, Figures, Game, HandScorer
from services.scoring.core.qinghunpeng import course, explain, hand, vectors
from services.scoring.core.qinghunpeng.result import (
    ACTION,
    doubts_of_melds,
    result_after,
    result_of,
    words_of,
)
from services.scoring.core.qinghunpeng.rules import PRESETS, Options, options_of_record, preset_named
from services.scoring.core.qinghunpeng.table import dealt
from services.scoring.core.qinghunpeng.tiles import DECK, SEATS


def _course(options: Options, dealer: int, draws_in_row: int, places: Sequence[int]) -> Course:
    table = dealt(options, dealer, draws_in_row, (DECK[place] for place in places))
    ending = yield from course.whole_round(table)
    melds = tuple(words_of(win.parting) for win in ending.wins.values())
    return Figures(result_after(table, draws_in_row, ending), melds)


GAME: Final = Game(
    name="qinghunpeng",
    short="qhp",
    seats=SEATS,
    cards=len(DECK),
    actions=ACTION,
    options_of_record=options_of_record,
    result_of=result_of,
    course=_course,
    summary=explain.summary,
    run_case=vectors.run_case,
    hands=HandScorer(presets=PRESETS, preset_named=preset_named, score=hand.score_hand),
    doubts_of_melds=doubts_of_melds,
)
"""Its entry in `games.GAMES`."""

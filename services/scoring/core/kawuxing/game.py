"""卡五星 as the auditor knows it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from services.scoring.core.game import Course, Doubt, Figures, Game, HandScorer, Melds
from services.scoring.core.kawuxing import course, explain, hand, vectors
from services.scoring.core.kawuxing.result import (
    ACTION,
    Result,
    doubts_of_melds,
    melds_after,
    result_after,
    result_of,
)
from services.scoring.core.kawuxing.rules import PRESETS, Options, options_of_record, preset_named
from services.scoring.core.kawuxing.table import Table, dealt
from services.scoring.core.kawuxing.tiles import DECK_TILES, SEATS


@dataclass(frozen=True, slots=True)
class PlayedFigures(Figures):
    """Figures with the table they come from: shown melds are judged by it."""

    table: Table | None = None


def figures_of(table: Table) -> PlayedFigures:
    """Return how a round that has ended came out."""
    return PlayedFigures(result_after(table), melds_after(table), table)


def _course(options: Options, dealer: int, draws_in_row: int, places: Sequence[int]) -> Course:
    at = dealt(options, dealer, draws_in_row, places)
    return figures_of((yield from course.whole_round(at)))


def _doubts(shown: Melds, told: Result, ours: PlayedFigures) -> Iterable[Doubt]:
    """Return what is wrong with the melds, unless the two do not even agree on who won."""
    agree = ours.table is not None and told.winners == ours.result.winners
    return doubts_of_melds(ours.table, shown) if agree and ours.table is not None else ()


GAME: Final = Game(
    name="kawuxing",
    short="kwx",
    seats=SEATS,
    cards=DECK_TILES,
    actions=ACTION,
    options_of_record=options_of_record,
    result_of=result_of,
    course=_course,
    summary=explain.summary,
    run_case=vectors.run_case,
    hands=HandScorer(presets=PRESETS, preset_named=preset_named, score=hand.score_hand),
    doubts_of_melds=_doubts,
)

"""Both minds count the same sequences of answers from small positions made by hand."""

from collections.abc import Generator
from typing import Any

import pytest

from engine import GAMES
from services.scoring.core import hands, play, rules, tiles
from services.scoring.core.table import Ending, Seat, Table
from tests.golden.tree import POSITIONS, build, perft

DEPTH = 4
PRESETS = tuple(GAMES["paohuzi"].presets)


def seats_of(case: dict[str, Any], full: bool) -> list[Seat]:
    """Return the seats of a position; with `full` they owe a discard for every claim."""
    seats = []
    for hand, melds in zip(case["hands"], case["melds"], strict=True):
        words = [word.split(":") for word in melds]
        seat = Seat(
            tiles.counted(tiles.cards_in(hand)),
            melds=[hands.laid(kind, tiles.cards_in(cards)) for kind, cards in words],
        )
        quads = sum(kind in hands.QUADS for kind, _ in words)
        seat.deficit = seat.held() - (19 + quads if quads else 20) if full else 0
        seats.append(seat)
    return seats


def course(case: dict[str, Any], full: bool, preset: str) -> Generator[play.Questions, play.Answer, Ending]:
    """Play a position on from its first card to the end of the round."""
    kind, seat, name = case["event"]
    card = tiles.kind_of(name)
    wall = list(tiles.cards_in(case["wall"]))
    step: play.Step = play.Draw(seat) if kind == "draw" else play.Discarded(seat, card)
    at = Table(rules.preset_named(preset), 0, seats_of(case, full), [card, *wall] if kind == "draw" else wall)
    while not isinstance(step, Ending):
        step = yield from play.follow(at, step)
    return step


def count(case: dict[str, Any], full: bool, preset: str, depth: int, path: tuple[Any, ...] = ()) -> int:
    """Count the sequences of that many answers; a round, which cannot be copied, is played again for each."""
    if depth == 0:
        return 1
    playing = course(case, full, preset)
    try:
        asked = next(playing)
        for answer in path:
            asked = playing.send(answer)
    except StopIteration:
        return 1
    return sum(
        count(case, full, preset, depth - 1, (*path, (seat, action)))
        for seat, actions in asked.items()
        for action in actions
    )


@pytest.mark.parametrize("title", POSITIONS)
@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("preset", PRESETS)
def test_scoring_counts_what_the_engine_counts(title: str, full: bool, preset: str) -> None:
    case = POSITIONS[title]
    ours = [count(case, full, preset, depth) for depth in range(1, DEPTH + 1)]
    engine = GAMES["paohuzi"].ruleset(preset)
    assert ours == [perft(build(engine, case, full), depth) for depth in range(1, DEPTH + 1)]
    assert ours[-1] > 1

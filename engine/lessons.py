"""What can be learnt from one decision of a round that is over: computed from the seat's own view alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from engine.errors import RecordError
from engine.face import Action
from engine.kawuxing.lesson import waits_after as kawuxing_waits
from engine.paohuzi.lesson import huxi as paohuzi_huxi
from engine.paohuzi.lesson import waits_after as paohuzi_waits
from engine.qinghunpeng.lesson import waits_after as qinghunpeng_waits
from engine.replay import Walk
from engine.search import Chance
from engine.waits import Wait

Waits: TypeAlias = Callable[[Any, str | None], tuple[Wait, ...]]
"""From a view, and an answer or ``None``, to what the hand waits for then."""

WAITS: Final[Mapping[str, Waits]] = {
    "kawuxing": kawuxing_waits,
    "paohuzi": paohuzi_waits,
    "qinghunpeng": qinghunpeng_waits,
}
"""By game; a game without an entry is one in which nothing is waited for."""

HUXI: Final[Mapping[str, Callable[[Any], int]]] = {"paohuzi": paohuzi_huxi}
"""By game: the 息 a seat is sure of."""

TEACHER: Final = "normal"
"""The bot whose answer is shown."""


class NoSuchDecision(RecordError):
    """The record has no answer of this number."""

    reason = "NO_SUCH_DECISION"

    def __init__(self, number: int, answers: int) -> None:
        super().__init__(f"there is no answer {number}; the record has {answers}")


@dataclass(frozen=True, slots=True)
class Lesson:
    """One decision, explained."""

    seat: int
    action: Action
    """What was answered."""
    suggestion: Action
    """What the bot answers to the same question, from the same view."""
    alternatives: tuple[tuple[Action, tuple[Wait, ...]], ...]
    """Every legal answer, sorted, with what is waited for after it."""
    waits: tuple[Wait, ...]
    """What is waited for before the answer."""
    huxi: int
    """-1 where the game has none."""


def lesson(walk: Walk, number: int) -> Lesson:
    """Return what can be learnt from an answer of a record; the walk must be new.

    Args:
        walk: At its start.
        number: Of the answer, from 1.

    Raises:
        NoSuchDecision: There is no such answer.
        BadRecordAction: An answer before it is refused.
    """
    record, game = walk.record, walk.game
    if not 1 <= number <= len(record.actions):
        raise NoSuchDecision(number, len(record.actions))
    moments = walk.moments()
    for _ in range(number):
        next(moments)
    answer = record.actions[number - 1]
    view = walk.position.view(answer.seat)
    if not view.legal:
        # It is refused as soon as it is played.
        next(moments)
    waits = WAITS.get(game.name, _nothing)
    chance = Chance(int(record.seed[:16], 16) ^ number)
    return Lesson(
        seat=answer.seat,
        action=answer.action,
        suggestion=game.bots[TEACHER](view, chance),
        alternatives=tuple([(action, waits(view, action)) for action in view.legal]),
        waits=waits(view, None),
        huxi=HUXI[game.name](view) if game.name in HUXI else -1,
    )


def _nothing(view: Any, action: str | None) -> tuple[Wait, ...]:
    return ()

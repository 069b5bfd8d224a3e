"""A finished round as somebody may look at it: played again by the engine, told step by step."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping

from paiju.table.v1 import replay_service_pb2 as s

from engine.face import Game
from engine.lessons import Lesson, lesson
from engine.record import Record, canonical_json, parse_record
from engine.replay import Moment, Walk, check_seed
from engine.waits import Wait
from services.table.core.fold import explained

RECORD_BYTES_MAX = 262_144
"""No record is longer (docs/record-format.md)."""


def replay_of(games: Mapping[str, Game], data: bytes, seat: int | None, own: int = -1) -> s.Replay:
    """Return a record as a replay, checked on the way: its deal, every answer, its end.

    Args:
        games: By name.
        data: The record.
        seat: Whose view; None: from above.
        own: The seat of who looks from above, -1 if he has none.

    Raises:
        engine.errors.Refusal: The record can't be read, its seed is not the promised one, an answer is
            refused, or the round does not end as it says.
        UnicodeDecodeError: It is no text.
    """
    record = parse_record(data.decode("utf-8"))
    check_seed(record)
    walk = Walk(record, games)
    readers = range(walk.game.seats) if seat is None else (seat,)
    story = _Story(readers)
    for moment in walk.moments():
        story.add(moment)
    walk.check_result()
    zh, en = explained(walk.game.explain(walk.rules, walk.position.outcome()))
    return s.Replay(
        round_id=record.round_id,
        game=record.game,
        preset=record.preset,
        options_json=record.options,
        players=record.seats,
        dealer=record.dealer,
        started_at_ms=record.started_ms,
        viewer=s.VIEWER_ABOVE if seat is None else s.VIEWER_SEAT,
        seat=own if seat is None else seat,
        scripts=story.scripts.values(),
        steps=story.steps,
        answers=story.answers,
        points=record.result["points"],
        result_json=canonical_json(record.result),
        explanation_zh=zh,
        explanation_en=en,
        deal=_deal(record, is_open=seat is None),
        record_sha256=hashlib.sha256(data).digest(),
    )


def _deal(record: Record, *, is_open: bool) -> s.DealCheck:
    return s.DealCheck(
        is_committed=True,
        nonces_given=sum(nonce != "-" for nonce in record.nonces),
        commitment=bytes.fromhex(record.commitment),
        seed=bytes.fromhex(record.seed) if is_open else b"",
    )


class _Story:
    """The scripts, steps and answers of a round, as they come to be."""

    def __init__(self, readers: Iterable[int]) -> None:
        self.scripts = {seat: s.Script(seat=seat) for seat in readers}
        self.steps: list[s.ReplayStep] = []
        self.answers: list[s.ReplayAnswer] = []
        self._number = 0

    def add(self, moment: Moment) -> None:
        """Tell what an answer led to.

        What only a seat itself reads (its questions) belongs to the step before, if one answer led to both.
        """
        at_ms = 0
        if (line := moment.answer) is not None:
            self._number += 1
            at_ms = line.at_ms
            if line.seat in self.scripts:
                self.answers.append(
                    s.ReplayAnswer(
                        number=self._number,
                        seat=line.seat,
                        action=line.action,
                        at_ms=line.at_ms,
                        cause=line.cause,
                        step=len(self.steps) - 1,
                    )
                )
        is_shown = False
        for event in moment.events:
            if event.reader is None:
                if is_shown:
                    self._told()
                is_shown = True
                self.steps.append(s.ReplayStep(at_ms=at_ms, answers=self._number))
            for seat, script in self.scripts.items():
                text = event.text_for(seat)
                if text is not None:
                    script.events.append(text)
        if is_shown:
            self._told()

    def _told(self) -> None:
        for script in self.scripts.values():
            script.told.append(len(script.events))


def lesson_of(games: Mapping[str, Game], data: bytes, number: int) -> s.ExplainDecisionResponse:
    """Return what can be learnt from an answer of a record.

    Raises:
        engine.errors.Refusal: The record can't be read, has no such answer, or is refused before it.
        UnicodeDecodeError: It is no text.
    """
    found: Lesson = lesson(Walk(parse_record(data.decode("utf-8")), games), number)
    return s.ExplainDecisionResponse(
        seat=found.seat,
        action=found.action,
        suggestion=found.suggestion,
        alternatives=[
            s.Alternative(action=action, waits=_waits(waits)) for action, waits in found.alternatives
        ],
        waits=_waits(found.waits),
        huxi=found.huxi,
    )


def seat_of(data: bytes, number: int) -> int:
    """Return which seat gave an answer of a record, -1 if there is none.

    Raises:
        engine.errors.Refusal, UnicodeDecodeError: The record can't be read.
    """
    actions = parse_record(data.decode("utf-8")).actions
    return actions[number - 1].seat if 1 <= number <= len(actions) else -1


def changed_line(kept: bytes, brought: bytes) -> int:
    """Return the first line, from 1, in which two records differ."""
    ours, theirs = kept.split(b"\n"), brought.split(b"\n")
    for number, (one, other) in enumerate(zip(ours, theirs, strict=False), 1):
        if one != other:
            return number
    return min(len(ours), len(theirs)) + 1


def _waits(waits: Iterable[Wait]) -> list[s.Wait]:
    return [s.Wait(card=wait.card, left=wait.left, huxi=wait.huxi) for wait in waits]

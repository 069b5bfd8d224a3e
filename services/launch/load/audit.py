"""What a round was, by its record, against what a listener was told of it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from paiju.table.v1.play_pb2 import RoundEnd

from engine import GAMES, Refusal, fair_deal
from engine.face import Event
from engine.record import Record, parse_record
from engine.replay import wall_of

ROUNDS_KEPT: Final = 256
"""Replayed rounds that are remembered: the others at the table ask for the same one soon."""


@dataclass(frozen=True, slots=True)
class Replayed:
    """A round, played again by the engine from its record."""

    data: bytes
    record: Record
    events: tuple[Event, ...]


class Auditor:
    """Replays records, each once for all who were at the table."""

    def __init__(self) -> None:
        self._rounds: OrderedDict[str, Replayed] = OrderedDict()

    def problems(
        self,
        end: RoundEnd,
        commitment: bytes,
        seat: int,
        heard: Sequence[str],
        accepted: Sequence[str],
    ) -> list[tuple[str, str]]:
        """Return what is wrong with a round as one listener was told it, as kind and text.

        Args:
            end: The end of the round, with its record.
            commitment: As the listener heard it before the deal; empty = he was not there.
            seat: His seat, -1 for a spectator.
            heard: All event texts of the round, in order.
            accepted: His own answers that were acknowledged, in order.
        """
        try:
            played = self._replay(end)
        except (Refusal, UnicodeDecodeError, AssertionError) as problem:
            return [("record", f"{end.round_id}: {problem}")]
        found = []
        if played.data != end.record:
            found.append(("record", f"{end.round_id}: two listeners got two records"))
        if commitment and fair_deal.commit(end.round_id, end.seed) != commitment:
            found.append(("seed", f"{end.round_id}: the seed is not the one that was promised"))
        reader = seat if seat >= 0 else None
        told = [text for event in played.events if (text := event.text_for(reader)) is not None]
        if list(heard) != told:
            at = next((n for n, (a, b) in enumerate(zip(heard, told, strict=False)) if a != b), None)
            at = min(len(heard), len(told)) if at is None else at
            was, ought = (texts[at] if at < len(texts) else "nothing" for texts in (list(heard), told))
            # A text that other eyes may read, but these may not, is worse than a wrong one.
            eyes = [*range(len(played.record.seats)), None]
            others = {event.text_for(eye) for event in played.events for eye in eyes if eye != reader}
            kind = "leak" if was in others and was not in told else "events"
            found.append(
                (kind, f"{end.round_id} seat {seat}, event {at}: heard {was!r}, the record has {ought!r}")
            )
        recorded = iter([line.action for line in played.record.actions if line.seat == seat])
        lost = [action for action in accepted if action not in recorded]
        if lost:
            found.append(("lost", f"{end.round_id} seat {seat}: acknowledged and not recorded: {lost[0]}"))
        return found

    def _replay(self, end: RoundEnd) -> Replayed:
        known = self._rounds.get(end.round_id)
        if known is not None:
            return known
        record = parse_record(end.record.decode())
        assert record.round_id == end.round_id, f"the record is of {record.round_id}"
        assert record.seed == end.seed.hex(), "the record has another seed"
        game = GAMES[record.game]
        position = game.deal(record.rules(), wall_of(game, record), record.dealer, record.draws_in_row)
        events = list(position.opening_events())
        for line in record.actions:
            events.extend(position.apply(line.seat, game.parse_action(line.action)))
        assert position.outcome() is not None, "the record does not reach the end of the round"
        self._rounds[end.round_id] = played = Replayed(end.record, record, tuple(events))
        if len(self._rounds) > ROUNDS_KEPT:
            self._rounds.popitem(last=False)
        return played

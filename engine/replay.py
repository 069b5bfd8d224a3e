"""A record played again, moment by moment (docs/record-format.md): for replays, checks and lessons."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine import fair_deal
from engine.errors import BadRecordAction, RecordError, Refusal
from engine.face import Event, Game, Position
from engine.record import Record, RecordedAction, canonical_json, full_result
from engine.registry import GAMES


class RecordUnfinished(RecordError):
    """The record ends while seats are still asked."""

    reason = "RECORD_UNFINISHED"

    def __init__(self, actions: int, asked: Sequence[int]) -> None:
        self.actions = actions
        self.asked = tuple(asked)
        super().__init__(
            f"the record ends after action {actions} while seat {', '.join(map(str, asked))} is asked"
        )


class RecordEndsOtherwise(RecordError):
    """The round ends, but not as the record says; ``key`` is the first entry that differs."""

    reason = "RECORD_ENDS_OTHERWISE"

    def __init__(self, key: str, found: object, recorded: object) -> None:
        self.key = key
        super().__init__(f"the round does not end as recorded: {key} is {found!r}, not {recorded!r}")


class RecordSeedWrong(RecordError):
    """The seed is not the one the commitment was made from."""

    reason = "RECORD_SEED_WRONG"

    def __init__(self) -> None:
        super().__init__("the seed does not belong to the commitment: this deal was not the promised one")


@dataclass(frozen=True, slots=True)
class Moment:
    """What one answer led to."""

    answer: RecordedAction | None
    """``None``: the deal."""
    events: tuple[Event, ...]
    """In order; who may read which text of them, they know."""


def nonces_of(record: Record) -> list[bytes]:
    """Return the nonces by seat, empty where none was given."""
    return [b"" if nonce == "-" else bytes.fromhex(nonce) for nonce in record.nonces]


def wall_of(game: Game, record: Record) -> list[str]:
    """Return the shuffled deck of a record, from its seed and nonces (docs/fair-deal.md)."""
    deck = game.deck()
    order = fair_deal.wall_order(bytes.fromhex(record.seed), record.round_id, nonces_of(record), len(deck))
    return [deck[place] for place in order]


class Walk:
    """A way through a recorded round; its position is where the last moment left it.

    Args:
        record: What is played again.
        games: The games there are.
    """

    def __init__(self, record: Record, games: Mapping[str, Game] = GAMES) -> None:
        """Deal.

        Raises:
            Refusal: The rules or the deal cannot be.
        """
        self.record = record
        self.game = games[record.game]
        self.rules: Any = self.game.ruleset_from(record.preset, record.options)
        self.position: Position = self.game.deal(
            self.rules, wall_of(self.game, record), record.dealer, record.draws_in_row
        )

    def moments(self) -> Iterator[Moment]:
        """Play on, and yield the deal and then each answer with what followed it.

        Raises:
            BadRecordAction: Names the first action that is no action or that the rules refuse.
        """
        yield Moment(None, self.position.opening_events())
        for index, line in enumerate(self.record.actions):
            try:
                action = self.game.parse_action(line.action)
                events = self.position.apply(line.seat, action) if action == line.action else None
            except Refusal as error:
                raise BadRecordAction(index, line.seat, line.action, str(error)) from error
            if events is None:
                raise BadRecordAction(index, line.seat, line.action, f"must be written {action!r}")
            yield Moment(line, events)

    def result(self) -> dict[str, Any]:
        """Return how the round has ended, as a record says it.

        Raises:
            RecordUnfinished: It has not.
        """
        outcome = self.position.outcome()
        if outcome is None:
            raise RecordUnfinished(len(self.record.actions), self.position.to_act())
        record = self.record
        return full_result(record.game, self.rules, record.dealer, record.draws_in_row, outcome)

    def check_result(self) -> None:
        """Compare the end with the recorded one: every entry, and as it is written.

        Raises:
            RecordUnfinished: The round has not ended.
            RecordEndsOtherwise: Names the first entry that differs.
        """
        ended, recorded = self.result(), self.record.result
        for key in sorted(ended.keys() | recorded.keys()):
            if _written(ended, key) != _written(recorded, key):
                raise RecordEndsOtherwise(key, ended.get(key), recorded.get(key))


def check_seed(record: Record) -> None:
    """Check that the commitment was made from the seed.

    Raises:
        RecordSeedWrong: It was not.
    """
    seed = bytes.fromhex(record.seed)
    if fair_deal.commit(record.round_id, seed) != bytes.fromhex(record.commitment):
        raise RecordSeedWrong


def _written(result: Mapping[str, Any], key: str) -> str:
    """Return one entry as a record has it: 1, 1.0 and true are equal, and only one of them is right."""
    return canonical_json({key: result[key]}) if key in result else ""

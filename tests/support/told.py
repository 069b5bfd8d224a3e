"""A round of bots as a table tells it to one listener, frame by frame."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache

from paiju.table.v1.play_pb2 import Frame, Play, RoundEnd, RoundOpening, TableView

from engine import GAMES
from engine.face import Event
from engine.replay import wall_of
from services.launch.arena import play_round

ROUND = "0-table/1"
SPECTATOR = -1


@dataclass
class Told:
    """What one listener is told of a round, frame by frame."""

    view: TableView
    frames: list[Frame] = field(default_factory=list)
    answers: list[tuple[int, str]] = field(default_factory=list)
    """His own, by question."""

    def add(self, **body: object) -> None:
        number = self.view.number + len(self.frames) + 1
        self.frames.append(Frame(number=number, at_ms=1000 + number, **body))  # type: ignore[arg-type]


@cache
def played(game_name: str) -> tuple[bytes, bytes, bytes, tuple[tuple[int, str, tuple[Event, ...]], ...]]:
    """Return seed, commitment and record of a round of bots, and its events by answer."""
    game = GAMES[game_name]
    rules = game.ruleset(next(iter(game.presets)))
    record, _ = play_round(game, rules, ("random",) * game.seats, ROUND, b"s" * 32, 0, 0)
    assert record is not None
    position = game.deal(rules, wall_of(game, record), record.dealer, record.draws_in_row)
    steps = [(-1, "", position.opening_events())]
    steps += [(line.seat, line.action, position.apply(line.seat, line.action)) for line in record.actions]
    return bytes.fromhex(record.seed), bytes.fromhex(record.commitment), record.text.encode(), tuple(steps)


def told(game_name: str, seat: int) -> Told:
    """Return the round as a table tells it to one listener."""
    seed, commitment, record, steps = played(game_name)
    made = Told(TableView(number=4, table_id="0-table", game=game_name, seat=seat, phase="between"))
    made.add(round_opening=RoundOpening(round_id=ROUND, commitment=commitment, dealer=-1))
    questions = 0
    for actor, action, events in steps:
        texts = [text for event in events if (text := event.text_for(None if seat < 0 else seat)) is not None]
        play = Play(round_id=ROUND, events=texts, turn_seat=-1)
        if actor == seat and action:
            made.answers.append((questions, action))
        mine = [text for text in texts if text.startswith(f"ask {seat} ")]
        if mine:
            questions += 1
            play.question.number = questions
            play.question.actions.extend(mine[-1].split(" ", 2)[2].split(" | "))
        made.add(play=play)
    made.add(round_end=RoundEnd(round_id=ROUND, seed=seed, record=record))
    return made

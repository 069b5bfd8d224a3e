"""What the table relies on in the texts of events: a public text that hides nothing reads alike for all."""

from __future__ import annotations

import random

import pytest

from engine import GAMES
from engine.face import Event
from services.table.core.beats import HIDING, texts_for, told

ROUNDS = 12


@pytest.mark.parametrize(
    ("game", "preset"), [(name, preset) for name, game in GAMES.items() for preset in game.presets]
)
def test_a_public_text_without_a_question_mark_is_what_every_seat_reads(game: str, preset: str) -> None:
    played = GAMES[game]
    rules = played.ruleset(preset)
    for seed in range(ROUNDS):
        rng = random.Random(f"{preset}/{seed}")
        wall = list(played.deck())
        rng.shuffle(wall)
        position = played.deal(rules, wall, rng.randrange(played.seats))
        events: list[Event] = list(position.opening_events())
        while position.to_act():
            seat = rng.choice(position.to_act())
            events += position.apply(seat, rng.choice(position.legal_actions(seat)))
        for event in events:
            public = event.text_for(None)
            if public is not None and HIDING not in public:
                assert {event.text_for(seat) for seat in range(played.seats)} == {public}
        for seat in range(played.seats):
            read = tuple(text for event in events if (text := event.text_for(seat)) is not None)
            assert texts_for(told(events), seat) == read

"""Both minds side by side on one round: every question, every legal answer and the result are compared."""

from __future__ import annotations

import importlib
import random
from dataclasses import dataclass
from typing import Any

from tests.differential.rigged import Round

ANSWERS_MAX = 2_000


class Unequal(Exception):
    """The two minds see something differently."""

    def __init__(self, what: str, engine: object, scoring: object, history: object = ()) -> None:
        super().__init__(f"{what}: the engine says {engine}, scoring says {scoring}, after {history}")
        self.what = what


@dataclass(frozen=True, slots=True)
class Played:
    """What happened in a round on which both agree."""

    end: str
    how: str
    names: tuple[str, ...]
    dead_hands: int
    actions: tuple[tuple[int, str], ...]


class Pair:
    """An engine and a scoring, by the names under which they can be imported."""

    def __init__(self, engine: str = "engine", scoring: str = "services.scoring.core") -> None:
        self._game = importlib.import_module(engine).GAMES["paohuzi"]
        self._record = importlib.import_module(f"{engine}.record")
        self._play = importlib.import_module(f"{scoring}.play")
        self._table = importlib.import_module(f"{scoring}.table")
        self._rules = importlib.import_module(f"{scoring}.rules")
        self._paohuzi = importlib.import_module(f"{scoring}.paohuzi")
        self._tiles = importlib.import_module(f"{scoring}.tiles")

    def same_rules(self, preset: str, options: Any) -> tuple[Any, Any]:
        """Return the options of a round as either side has them.

        Raises:
            Unequal: They spell them differently.
        """
        rules = self._game.ruleset(preset, dict(options))
        ours = self._rules.with_overrides(self._rules.preset_named(preset), dict(options))
        _same("options", rules.as_json(), ours.canonical())
        return rules, ours

    def play(self, given: Round) -> Played:
        """Play a round to its end.

        Raises:
            Unequal: The first thing on which the two differ.
        """
        rules, ours = self.same_rules(given.preset, given.options)
        rng = random.Random(given.chance)
        position = self._game.deal(rules, given.wall, given.dealer)
        at = self._table.dealt(ours, given.dealer, [self._tiles.kind_of(card) for card in given.wall])
        course = self._play.whole_round(at)
        history: list[tuple[int, str]] = []
        ending = None
        asked: Any = None
        while len(history) < ANSWERS_MAX:
            try:
                asked = next(course) if asked is None else course.send(history[-1])
            except StopIteration as done:
                ending = done.value
                break
            seats = list(position.to_act())
            _same("seats asked", seats, sorted(asked), history)
            for seat in seats:
                _same(
                    f"answers of {seat}", sorted(position.legal_actions(seat)), sorted(asked[seat]), history
                )
            seat = rng.choice(seats)
            action = given.manner.answer(rng, seat, sorted(asked[seat]))
            history.append((seat, action))
            position.apply(seat, self._game.parse_action(action))
        _same("the end", position.outcome() is not None, ending is not None, history)
        theirs = self._record.full_result(
            "paohuzi", rules, given.dealer, given.draws_in_row, position.outcome()
        )
        result = self._paohuzi.figures(ours, given.dealer, given.draws_in_row, ending).result
        for name in result.__slots__:
            own = getattr(result, name)
            key = "from" if name == "from_seat" else name
            _same(key, theirs[key], list(own) if isinstance(own, tuple) else own, history)
        dead = sum(seat.dead for seat in at.seats)
        return Played(result.end, result.how, tuple(result.names), dead, tuple(history))


def _same(what: str, engine: object, scoring: object, history: object = ()) -> None:
    if engine != scoring:
        raise Unequal(what, engine, scoring, history)

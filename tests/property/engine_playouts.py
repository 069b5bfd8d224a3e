"""Random rounds of every registered game, for the properties that all games must keep."""

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from engine import GAMES
from engine.arena import shuffled
from engine.errors import ActionRefused
from engine.paohuzi.position import Position

CASES = [(name, preset) for name in GAMES for preset in GAMES[name].presets]
"""Every game with every preset."""

ACTIONS_MAX = 2_000
"""No round is nearly as long."""

IS_COMPILED = hasattr(Position, "__mypyc_attrs__")
"""Whether the engine under test is the compiled one."""

REFUSED: tuple[type[Exception], ...] = (ActionRefused, TypeError) if IS_COMPILED else (ActionRefused,)
"""What a position says to a seat that is no number, or to an action that is no text: compiled code looks at
types before anything else."""


@dataclass
class Playout:
    """A round, with all that each seat and a spectator (`None`) was told."""

    game: Any
    rules: Any
    wall: list[str]
    dealer: int
    position: Any
    told: dict[int | None, list[str]] = field(default_factory=dict)
    actions: list[tuple[int, str]] = field(default_factory=list)
    draws_in_row: int = 1

    @property
    def readers(self) -> tuple[int | None, ...]:
        return (*range(self.game.seats), None)

    def tell(self, events: Any) -> None:
        for reader in self.readers:
            texts = [event.text_for(reader) for event in events]
            self.told.setdefault(reader, []).extend(text for text in texts if text is not None)

    def play(self, seat: int, action: str) -> None:
        self.tell(self.position.apply(seat, action))
        self.actions.append((seat, action))


def deal(name: str, preset: str, rng: random.Random, overrides: dict[str, Any] | None = None) -> Playout:
    """Return a freshly dealt round."""
    game: Any = GAMES[name]
    rules = game.ruleset(preset, overrides)
    wall = shuffled(game.deck(), rng)
    dealer = rng.randrange(game.seats)
    playout = Playout(game, rules, wall, dealer, game.deal(rules, wall, dealer, Playout.draws_in_row))
    playout.tell(playout.position.opening_events())
    return playout


def choose(playout: Playout, rng: random.Random, bold: float) -> tuple[int, str]:
    """Return a seat and one of its answers; `bold` is how often a bot that wants to win chooses it."""
    position = playout.position
    seat = rng.choice(position.to_act())
    bots = sorted(playout.game.bots)
    bot = playout.game.bots["normal" if rng.random() < bold and "normal" in bots else "random"]
    return seat, bot(position.view(seat), rng)


def steps(name: str, preset: str, seed: int, overrides: dict[str, Any] | None = None) -> Iterator[Playout]:
    """Yield a round after its deal and after every answer, to its end."""
    rng = random.Random(f"{name} {preset} {seed}")
    playout = deal(name, preset, rng, overrides)
    bold = rng.choice((0.0, 0.5, 0.95))
    yield playout
    while playout.position.outcome() is None:
        assert len(playout.actions) < ACTIONS_MAX, "the round does not end"
        playout.play(*choose(playout, rng, bold))
        yield playout


def played(name: str, preset: str, seed: int, overrides: dict[str, Any] | None = None) -> Playout:
    """Return a finished round."""
    *_, playout = steps(name, preset, seed, overrides)
    return playout


def snapshot(position: Any, seats: int) -> tuple[Any, ...]:
    """Return everything that can be seen of a position, by anybody."""
    return (
        position.to_act(),
        [position.legal_actions(seat) for seat in range(seats)],
        [position.view(reader) for reader in (*range(seats), None)],
        position.tiles(),
        position.outcome(),
    )

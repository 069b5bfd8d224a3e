"""The one face every game shows: what the table, the bots, the command line and the tests may rely on.

A game is a value in ``engine.GAMES``. It never draws by itself: the shuffled wall is an argument of ``deal``,
and a round goes on only through ``Position.apply``. Actions are their own text (docs/notation.md), so an
action can be stored, compared and sent as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

Action: TypeAlias = str
"""An action is its canonical text, for example ``discard s9`` or ``chi s7s8s9``."""

Json: TypeAlias = dict[str, Any]
"""A JSON object."""


class Rng(Protocol):
    """The source of chance a bot is given; ``random.Random`` fits."""

    def randrange(self, stop: int, /) -> int:
        """Return an integer from 0 to ``stop - 1``."""
        ...


class Event(Protocol):
    """One fact of a round, with its own visibility."""

    @property
    def pause(self) -> bool:
        """Whether it shows a new card to all, so that the next public event must keep a distance in time."""
        ...

    @property
    def reader(self) -> int | None:
        """The only seat that may read anything of it; ``None`` if others may too."""
        ...

    def text_for(self, seat: int | None) -> str | None:
        """Return what the seat (``None``: a spectator) may read of the event, or ``None`` if nothing."""
        ...


class RuleSet(Protocol):
    """Every option of a game, validated and frozen."""

    @property
    def preset(self) -> str:
        """The preset's id, or ``custom``."""
        ...

    @property
    def version(self) -> int:
        """The preset's version, 0 for ``custom``."""
        ...

    def options(self) -> Json:
        """Return every option, spelt out."""
        ...

    def as_json(self) -> str:
        """Return the options as canonical JSON: keys sorted, no spaces."""
        ...


class View(Protocol):
    """What one seat (or a spectator) knows. Equal to the fold of the event texts it may read."""

    @property
    def seat(self) -> int | None:
        """The seat whose view it is, ``None`` for a spectator."""
        ...

    @property
    def legal(self) -> tuple[Action, ...]:
        """The answers to the seat's open question, sorted; empty if it is not asked."""
        ...


class Outcome(Protocol):
    """How a round ended."""

    @property
    def points(self) -> tuple[int, ...]:
        """Points by seat; they add up to zero."""
        ...

    @property
    def winners(self) -> tuple[int, ...]:
        """The seats that won; empty for a draw."""
        ...

    def result(self) -> Json:
        """Return the Result object of docs/record-format.md without the succession."""
        ...


class Position(Protocol):
    """Everything true about a round."""

    def to_act(self) -> tuple[int, ...]:
        """Return the seats with an open question, ascending; empty when the round is over."""
        ...

    def legal_actions(self, seat: int) -> tuple[Action, ...]:
        """Return the legal answers of a seat, sorted by text and unique; empty if it is not asked."""
        ...

    def apply(self, seat: int, action: Action) -> tuple[Event, ...]:
        """Play one answer and return what followed.

        Raises:
            ActionRefused: The round is over, the seat is not asked, or the action is not legal. Nothing
            changed.
        """
        ...

    def opening_events(self) -> tuple[Event, ...]:
        """Return what had already happened when ``deal`` returned."""
        ...

    def view(self, seat: int | None) -> View:
        """Return what the seat may know, or what everybody may know for ``None``."""
        ...

    def outcome(self) -> Outcome | None:
        """Return how the round ended, or ``None`` while it is running."""
        ...

    def clone(self) -> Position:
        """Return an independent copy."""
        ...

    def tiles(self) -> Mapping[str, int]:
        """Count every card of the round, wherever it lies; the sum is always the deck."""
        ...


Bot: TypeAlias = Callable[[Any, Rng], Action]
"""A pure function of a view and a source of chance, to one of ``view.legal``."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of an explanation: what it is, what it is worth, and the rule that says so."""

    text: str
    """What is explained, in Chinese: words and characters of cards, never notation."""

    value: str
    """What it is worth, in Chinese."""

    rule: str
    """The number of the rule, for example ``§2``; the name of a table may follow after a space."""

    text_en: str = ""
    """``text`` in English; empty: as it is."""

    value_en: str = ""
    """``value`` in English; empty: as it is."""

    @property
    def zh(self) -> str:
        """The whole line in Chinese.

        >>> Line("句 一二三", "3 息", "§2", "Run 一二三", "3 huxi").zh
        '句 一二三：3 息（§2）'
        """
        return f"{self.text}：{self.value}（{self.rule}）"

    @property
    def en(self) -> str:
        """The whole line in English; of the rule only its number, since its name is Chinese.

        >>> Line("句 一二三", "3 息", "§2", "Run 一二三", "3 huxi").en
        'Run 一二三: 3 huxi (§2)'
        """
        return f"{self.text_en or self.text}: {self.value_en or self.value} ({self.rule.partition(' ')[0]})"


class Game(Protocol):
    """One game of the registry."""

    @property
    def name(self) -> str:
        """The key in ``GAMES``."""
        ...

    @property
    def seats(self) -> int:
        """How many seats play."""
        ...

    @property
    def presets(self) -> Mapping[str, Any]:
        """The rule sets by preset id."""
        ...

    @property
    def bots(self) -> Mapping[str, Bot]:
        """The bots by name."""
        ...

    def ruleset(self, preset_id: str, overrides: Mapping[str, Any] | None = None) -> Any:
        """Return a preset, with options changed if asked.

        Raises:
            UnknownPreset, UnknownOption: By name, with the known ones listed.
            BadOption: A value the option cannot have.
        """
        ...

    def ruleset_from(self, title: str, options: str) -> Any:
        """Return the rule set of a record: ``preset@version`` and all options as canonical JSON.

        Raises:
            Refusal: The text is not canonical, or an option is unknown or cannot be.
        """
        ...

    def deck(self) -> tuple[str, ...]:
        """Return all cards in their fixed order."""
        ...

    def deal(self, rules: Any, wall: Sequence[str], dealer: int, draws_in_row: int = 0) -> Position:
        """Deal a round from a shuffled deck and play on to the first question.

        Args:
            rules: The rule set.
            wall: The shuffled deck.
            dealer: The seat that deals, or speaks first.
            draws_in_row: How many rounds directly before this one were drawn; some games go by it.

        Raises:
            BadDeal: The wall is not a permutation of the deck, or there is no such seat.
        """
        ...

    def parse_action(self, text: object) -> Action:
        """Return the action a text stands for, in canonical form.

        Raises:
            BadNotation: The text is no action of this game.
        """
        ...

    def format_action(self, action: Action) -> str:
        """Return the canonical text of an action."""
        ...

    def succession(
        self, rules: Any, dealer: int, draws_in_row: int, result: Mapping[str, Any] | None
    ) -> tuple[int, int]:
        """Return the next dealer and the draws in a row after a round; ``None`` counts as a draw.

        A dealer of -1 is drawn from the seed of the next round, as in the first round of a match.
        """
        ...

    def question(self, position: Any, seat: int) -> tuple[str, ...]:
        """Return the open question of a seat as it is sent: its legal actions, or a shorter form of them.

        The game's document says what a short form stands for; whoever has the seat's view can spell it out.
        Empty if the seat is not asked.
        """
        ...

    def fallback(self, view: Any) -> Action:
        """Return the rules' safest legal action, played for a seat that does not answer."""
        ...

    def fold(self, texts: Iterable[str]) -> View:
        """Return the view that the event texts of one seat add up to."""
        ...

    def explain(self, rules: Any, outcome: Any) -> tuple[Line, ...]:
        """Return why the round scored what it scored."""
        ...

"""What the auditor asks of every game: one entry of `games.GAMES`."""

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, runtime_checkable

from services.scoring.core.hand import HandToScore, ScoredHand


class RuleOptions(Protocol):
    """The options of a rule set: those that settlement reads; a game knows its own others."""

    @property
    def base_stake(self) -> int:
        """Coins a point is worth."""
        ...

    @property
    def fee(self) -> int:
        """Coins that every seat pays for a round; 0 = none."""
        ...

    @property
    def win_cap_by_balance(self) -> bool:
        """Nobody wins more than he holds."""
        ...


class RoundResult(Protocol):
    """How a round ended: a frozen dataclass, all of whose fields an audit compares."""

    @property
    def end(self) -> str:
        """How it ended, in one word of the game."""
        ...

    @property
    def winners(self) -> tuple[int, ...]:
        """The seats that won."""
        ...

    @property
    def how(self) -> str:
        """How it was won."""
        ...

    @property
    def from_seat(self) -> int:
        """Whose card it was, or -1."""
        ...

    @property
    def points(self) -> tuple[int, ...]:
        """By seat, sum 0."""
        ...

    @property
    def huxi(self) -> int:
        """息; 0 in games without."""
        ...

    @property
    def fan(self) -> int:
        """The multiplier."""
        ...

    @property
    def names(self) -> dict[str, int]:
        """What was scored, by name."""
        ...

    @property
    def dealer_next(self) -> int:
        """Who deals the next round; -1: drawn from its own seed."""
        ...

    @property
    def draws_in_row_next(self) -> int:
        """How many draws then lie directly behind."""
        ...


@runtime_checkable
class Question(Protocol):
    """What one seat is asked, where listing all answers would be long."""

    def __contains__(self, answer: object, /) -> bool:
        """Say whether an answer is legal."""
        ...

    def refusal(self, answer: str) -> str:
        """Return why an answer is illegal, or empty."""
        ...


Melds: TypeAlias = tuple[tuple[str, ...], ...]
"""A winning reading: each meld as its kind and its cards, or as the game writes it."""


@dataclass(frozen=True, slots=True)
class Figures:
    """How scoring itself finds that a round ended; the melds besides what is compared key by key."""

    result: RoundResult
    melds: Melds = ()


Asked: TypeAlias = Sequence[str] | Question
Answer: TypeAlias = tuple[int, str]
Course: TypeAlias = Generator[Mapping[int, Asked], Answer, Figures]
"""A round: yields what each asked seat may answer, is sent one answer, returns how it ended."""

Doubt: TypeAlias = tuple[str, str, str]
"""The field, what the record says, and why that cannot be."""


def nothing_doubted(shown: Melds, said: RoundResult, ours: Figures) -> Iterable[Doubt]:
    """Return no doubts: a game without melds has none to show."""
    return ()


def never(options: Any) -> bool:
    """Return that a rule set never does it."""
    return False


def unbounded(options: Any) -> int | None:
    """Return that the draws in a row have no bound."""
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class HandScorer:
    """Scores single hands of a game."""

    presets: Mapping[str, Any]
    """By title, `name@version`."""
    preset_named: Callable[[str], Any]
    """From a name, with or without the version; raises `rules.BadOptions`."""
    score: Callable[[HandToScore], ScoredHand]
    """Raises `hand.BadHand`, `rules.BadOptions`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Game:
    """One game whose records can be audited."""

    name: str
    """As records name it."""
    short: str
    """As worked examples may name it."""
    seats: int
    cards: int
    """Size of the deck."""
    actions: str
    """A regular expression: what an action looks like."""
    options_of_record: Callable[[str, str], Any]
    """From the canonical text and the preset's title to the options; raises `rules.BadOptions`."""
    result_of: Callable[[Mapping[str, Any]], tuple[RoundResult, Melds]]
    """From the Result of a record; raises `BadResult`."""
    course: Callable[[Any, int, int, Sequence[int]], Course]
    """From options, dealer, draws in a row and the shuffled deck (places in its fixed order) to the round."""
    summary: Callable[[Any], str]
    """How a round ended, in a few words."""
    run_case: Callable[[Mapping[str, Any]], list[str]]
    """A worked example; returns what it expects and scoring says otherwise."""
    draws_below: Callable[[Any], int | None] = unbounded
    """From options to what the draws in a row stay below."""
    dealer_is_drawn: Callable[[Any], bool] = never
    """From options to whether every round's dealer is drawn from its own seed."""
    hands: HandScorer | None = None
    """How a single hand is scored; None: not at all."""
    doubts_of_melds: Callable[[Melds, Any, Any], Iterable[Doubt]] = nothing_doubted
    """From the melds a record shows, its result and ours to what is wrong with the melds."""


class BadResult(Exception):
    """The Result of a record is not what its game says."""

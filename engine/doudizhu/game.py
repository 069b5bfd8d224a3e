"""斗地主 behind the face of ``engine.face``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from engine.doudizhu.actions import compact, parse_action
from engine.doudizhu.bot import easy_bot, fallback, random_bot
from engine.doudizhu.cards import DECK, cards_from_texts
from engine.doudizhu.fold import fold
from engine.doudizhu.hard import hard_bot
from engine.doudizhu.normal import normal_bot
from engine.doudizhu.position import Position, deal_position
from engine.doudizhu.presets import PRESETS, preset, recorded
from engine.doudizhu.rules import RuleSet
from engine.doudizhu.scoring import Outcome, explain_outcome
from engine.doudizhu.view import View
from engine.errors import BadDeal, BadNotation
from engine.face import Action, Bot, Line

DRAWN: Final = -1
"""As the next first speaker: drawn from the seed of that round, as in the first round of a match."""


class Doudizhu:
    """The game 斗地主: three seats, 54 cards, a landlord against two peasants."""

    name: Final = "doudizhu"
    seats: Final = 3
    presets: Mapping[str, RuleSet] = MappingProxyType(PRESETS)
    bots: Mapping[str, Bot] = MappingProxyType(
        {"random": random_bot, "easy": easy_bot, "normal": normal_bot, "hard": hard_bot}
    )

    def ruleset(self, preset_id: str, overrides: Mapping[str, Any] | None = None) -> RuleSet:
        """Return a preset with options changed if asked; ``custom@0`` if they are no preset's.

        Raises:
            UnknownPreset, UnknownOption: With the known ones listed.
            BadOption: A value the option cannot have.
        """
        return preset(preset_id, overrides)

    def ruleset_from(self, title: str, options: str) -> RuleSet:
        """Return the rule set of a record: ``preset@version`` and all options as canonical JSON.

        Raises:
            Refusal: The text is not canonical, or an option is unknown, missing or cannot be.
        """
        return recorded(title, options)

    def deck(self) -> tuple[str, ...]:
        """Return the 54 cards in their fixed order."""
        return DECK

    def deal(self, rules: RuleSet, wall: Sequence[str], dealer: int, draws_in_row: int = 0) -> Position:
        """Deal a round and ask its first speaker.

        Args:
            rules: The options.
            wall: The shuffled deck.
            dealer: The first speaker.
            draws_in_row: Redeals directly before this round (Rule 3, ``redeal_limit``).

        Raises:
            BadDeal: The wall is not a permutation of the deck, or the first speaker is no seat.
        """
        try:
            cards = cards_from_texts(wall)
        except BadNotation as error:
            raise BadDeal(f"the wall holds something that is no card: {error}") from error
        if sorted(cards) != _SORTED_DECK:
            raise BadDeal(f"the wall must be a permutation of the deck of {len(DECK)} cards")
        if dealer not in (0, 1, 2):
            raise BadDeal(f"the dealer must be seat 0, 1 or 2, not {dealer!r}")
        return deal_position(rules, cards, dealer, draws_in_row)

    def parse_action(self, text: object) -> Action:
        """Return the action a text stands for, in canonical form.

        Raises:
            BadNotation: The text is no action.
        """
        return parse_action(text)

    def format_action(self, action: Action) -> str:
        """Return the canonical text of an action, which is the action itself."""
        return action

    def succession(
        self, rules: RuleSet, dealer: int, draws_in_row: int, result: Mapping[str, Any] | None
    ) -> tuple[int, int]:
        """Return the next first speaker and the redeals in a row after a round (Rules 1 and 3).

        The speaker is -1 where he is drawn from the seed of the next round. After a redeal the same seat
        speaks first, unless it is drawn.
        """
        won = result is not None and bool(result.get("winners"))
        draws = 0 if won else draws_in_row + 1
        if rules.first_speaker == "random":
            return DRAWN, draws
        if not won or result is None:
            return dealer, draws
        return (result["last"] if rules.first_speaker == "winner" else (dealer + 1) % 3), draws

    def question(self, position: Position, seat: int) -> tuple[str, ...]:
        """Return the open question of a seat in its compact form: ``play*`` stands for every legal play."""
        return compact(position.legal_actions(seat))

    def fallback(self, view: View) -> Action:
        """Return the safest legal action: nothing said or played, or the lowest card led."""
        return fallback(view)

    def fold(self, texts: Iterable[str]) -> View:
        """Return the view that the event texts of one seat add up to."""
        return fold(texts)

    def explain(self, rules: RuleSet, outcome: Outcome) -> tuple[Line, ...]:
        """Return why the round scored what it scored; empty for a draw."""
        return explain_outcome(rules, outcome)


_SORTED_DECK: Final = sorted(cards_from_texts(DECK))

"""跑胡子 behind the face of ``engine.face``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from engine.errors import BadDeal, BadNotation
from engine.face import Action, Bot, Line
from engine.paohuzi.actions import parse_action
from engine.paohuzi.bot import fallback, random_bot
from engine.paohuzi.cards import DECK, cards_from_texts
from engine.paohuzi.easy import easy_bot
from engine.paohuzi.fold import fold
from engine.paohuzi.hard import hard_bot
from engine.paohuzi.normal import normal_bot
from engine.paohuzi.position import Position, deal_position
from engine.paohuzi.presets import PRESETS, preset, recorded
from engine.paohuzi.rules import RuleSet
from engine.paohuzi.scoring import Outcome, explain_win
from engine.paohuzi.view import View


class Paohuzi:
    """The game 跑胡子: three seats, 80 cards."""

    name: Final = "paohuzi"
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
        """Return the 80 cards in their fixed order."""
        return DECK

    def deal(self, rules: RuleSet, wall: Sequence[str], dealer: int, draws_in_row: int = 0) -> Position:
        """Deal a round and play on to the first question, or to its end (三提五坎).

        No rule of a round goes by the draws before it.

        Raises:
            BadDeal: The wall is not a permutation of the deck, or the dealer is no seat.
        """
        try:
            cards = cards_from_texts(wall)
        except BadNotation as error:
            raise BadDeal(f"the wall holds something that is no card: {error}") from error
        if sorted(cards) != _SORTED_DECK:
            raise BadDeal(f"the wall must be a permutation of the deck of {len(DECK)} cards")
        if dealer not in (0, 1, 2):
            raise BadDeal(f"the dealer must be seat 0, 1 or 2, not {dealer!r}")
        return deal_position(rules, cards, dealer)

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
        """Return the next dealer and the draws in a row after a round (Rule 1)."""
        winners = result.get("winners") if result is not None else None
        if winners:
            return winners[0], 0
        draws = draws_in_row + 1
        if draws >= rules.huangzhuang_change_after:
            return (dealer + 1) % 3, 0
        return dealer, draws

    def question(self, position: Position, seat: int) -> tuple[Action, ...]:
        """Return the open question of a seat: its legal actions."""
        return position.legal_actions(seat)

    def fallback(self, view: View) -> Action:
        """Return the safest legal action: pass, or the loose card of least worth."""
        return fallback(view)

    def fold(self, texts: Iterable[str]) -> View:
        """Return the view that the event texts of one seat add up to."""
        return fold(texts)

    def explain(self, rules: RuleSet, outcome: Outcome) -> tuple[Line, ...]:
        """Return why the round scored what it scored; empty for a draw."""
        return explain_win(rules, outcome.win) if outcome.win is not None else ()


_SORTED_DECK: Final = sorted(cards_from_texts(DECK))

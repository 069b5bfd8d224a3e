"""比大小 behind the face of `engine.face`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from engine.errors import BadNotation
from engine.face import Action, Bot, Line, Rng

from .play import DECK, SEATS, Outcome, Position, View, deal_position, fold
from .rules import BOOK, RuleSet

ACTIONS: Final = frozenset(f"play {card}" for card in DECK)


def random_bot(view: View, rng: Rng) -> Action:
    """Return any legal action."""
    return view.legal[rng.randrange(len(view.legal))]


class Bidaxiao:
    """The game 比大小: two seats, eighteen cards, three each; the higher sum wins."""

    name: Final = "bidaxiao"
    seats: Final = SEATS
    presets: Mapping[str, RuleSet] = MappingProxyType(BOOK.by_id)
    bots: Mapping[str, Bot] = MappingProxyType({"random": random_bot})

    def ruleset(self, preset_id: str, overrides: Mapping[str, Any] | None = None) -> RuleSet:
        """Return a preset with options changed if asked."""
        return BOOK.preset(preset_id, overrides)

    def ruleset_from(self, title: str, options: str) -> RuleSet:
        """Return the rule set of a record."""
        return BOOK.recorded(title, options)

    def deck(self) -> tuple[str, ...]:
        """Return the cards in their fixed order."""
        return DECK

    def deal(self, rules: RuleSet, wall: Sequence[str], dealer: int, draws_in_row: int = 0) -> Position:
        """Deal a round and ask its dealer."""
        return deal_position(rules, wall, dealer)

    def parse_action(self, text: object) -> Action:
        """Return the action a text stands for.

        Raises:
            BadNotation: The text is no action.
        """
        if not isinstance(text, str) or text not in ACTIONS:
            raise BadNotation("an action", text)
        return text

    def format_action(self, action: Action) -> str:
        """Return the canonical text of an action, which is the action itself."""
        return action

    def succession(
        self, rules: RuleSet, dealer: int, draws_in_row: int, result: Mapping[str, Any] | None
    ) -> tuple[int, int]:
        """Return the next dealer, the winner, and the draws in a row."""
        if result is None or not result["winners"]:
            return dealer, draws_in_row + 1
        return result["winners"][0], 0

    def question(self, position: Position, seat: int) -> tuple[str, ...]:
        """Return the open question of a seat as it is sent."""
        return position.legal_actions(seat)

    def fallback(self, view: View) -> Action:
        """Return the lowest card."""
        return view.legal[0]

    def fold(self, texts: Iterable[str]) -> View:
        """Return the view that the event texts of one seat add up to."""
        return fold(texts)

    def explain(self, rules: RuleSet, outcome: Outcome) -> tuple[Line, ...]:
        """Return why the round scored what it scored."""
        return tuple(
            Line(f"第{seat + 1}家合计", f"{total} 点", "§3", f"Sum of seat {seat}", f"{total}")
            for seat, total in enumerate(outcome.sums)
        )

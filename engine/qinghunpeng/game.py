"""清混碰 behind the face of ``engine.face``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from engine.errors import BadDeal, BadNotation
from engine.face import Action, Bot, Line
from engine.mahjong.flowers import DECK, any_tiles
from engine.qinghunpeng.actions import parse_action
from engine.qinghunpeng.bot import fallback, random_bot
from engine.qinghunpeng.deal import deal_position
from engine.qinghunpeng.easy import easy_bot
from engine.qinghunpeng.explain import explain_outcome
from engine.qinghunpeng.fold import fold
from engine.qinghunpeng.hard import hard_bot
from engine.qinghunpeng.normal import normal_bot
from engine.qinghunpeng.outcome import Outcome
from engine.qinghunpeng.position import Position
from engine.qinghunpeng.presets import PRESETS, preset, recorded
from engine.qinghunpeng.rules import RuleSet
from engine.qinghunpeng.settle import SEATS
from engine.qinghunpeng.view import View


class Qinghunpeng:
    """The game 清混碰: four seats, 144 tiles, eight of them flowers."""

    name: Final = "qinghunpeng"
    seats: Final = SEATS
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
        """Return the 144 tiles in their fixed order."""
        return DECK

    def deal(self, rules: RuleSet, wall: Sequence[str], dealer: int, draws_in_row: int = 0) -> Position:
        """Deal a round and play on to the first question.

        Args:
            rules: The options.
            wall: The shuffled deck.
            dealer: The dealer.
            draws_in_row: Drawn rounds that 荒番 goes by (``succession``).

        Raises:
            BadDeal: The wall is not a permutation of the deck, or the dealer is no seat.
        """
        try:
            tiles = any_tiles(wall)
        except BadNotation as error:
            raise BadDeal(f"the wall holds something that is no tile: {error}") from error
        if sorted(tiles) != _SORTED_DECK:
            raise BadDeal(f"the wall must be a permutation of the deck of {len(DECK)} tiles")
        if dealer not in range(SEATS):
            raise BadDeal(f"the dealer must be seat 0, 1, 2 or 3, not {dealer!r}")
        return deal_position(rules, tiles, dealer, draws_in_row)

    def parse_action(self, text: object) -> Action:
        """Return the action a text stands for.

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
        """Return the next dealer and the draws in a row after a round (Rule 2).

        The winner deals, of several winners who gave the tile; after 荒庄 the dealer again. With ``rotate``
        the deal moves on unless the dealer has won. With 荒番 the second number is how many later wins are
        still doubled: each drawn round adds one, each round with a winner takes one.
        """
        winners = result["winners"] if result is not None else []
        if not winners or result is None:
            owed = draws_in_row + 1
        else:
            owed = max(0, draws_in_row - 1) if rules.huangfan else 0
        if rules.dealer == "rotate":
            return (dealer if dealer in winners else (dealer + 1) % SEATS), owed
        if not winners or result is None:
            return dealer, owed
        return (winners[0] if len(winners) == 1 else result["from"]), owed

    def question(self, position: Position, seat: int) -> tuple[Action, ...]:
        """Return the open question of a seat: its legal actions."""
        return position.legal_actions(seat)

    def fallback(self, view: View) -> Action:
        """Return the safest legal action: pass, or the tile just drawn."""
        return fallback(view)

    def fold(self, texts: Iterable[str]) -> View:
        """Return the view that the event texts of one seat add up to."""
        return fold(texts)

    def explain(self, rules: RuleSet, outcome: Outcome) -> tuple[Line, ...]:
        """Return why the round scored what it scored."""
        return explain_outcome(rules, outcome)


_SORTED_DECK: Final = sorted(any_tiles(DECK))

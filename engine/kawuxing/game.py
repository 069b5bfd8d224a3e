"""卡五星 behind the face of ``engine.face``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from engine.errors import BadDeal, BadNotation
from engine.face import Action, Bot, Line
from engine.kawuxing.actions import parse_action
from engine.kawuxing.bot import fallback, random_bot
from engine.kawuxing.deal import deal_position, renamed
from engine.kawuxing.easy import easy_bot
from engine.kawuxing.explain import explain_outcome
from engine.kawuxing.fold import fold
from engine.kawuxing.hard import hard_bot
from engine.kawuxing.normal import normal_bot
from engine.kawuxing.outcome import Outcome
from engine.kawuxing.position import Position
from engine.kawuxing.presets import PRESETS, preset, recorded
from engine.kawuxing.rules import RuleSet
from engine.kawuxing.view import View
from engine.mahjong.tiles import COPIES, TILE_TEXTS, tiles_from_texts

_DRAGONS: Final = ("z5", "z6", "z7")


def deck_of(suits: str) -> tuple[str, ...]:
    """Return the 84 tiles of two suits in their fixed order: each kind four times, in the order of texts."""
    kinds = [text for text in TILE_TEXTS if text[0] in suits or text in _DRAGONS]
    return tuple([text for text in kinds for _ in range(COPIES)])


class Kawuxing:
    """The game 卡五星: three seats, 84 tiles, no 吃."""

    name: Final = "kawuxing"
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
        """Return the 84 tiles of 筒, 条 and 中发白 in their fixed order.

        Another choice of suits (option ``suits``) renames them in ``deal``; the deck and its shuffle are the
        same.
        """
        return _DECK

    def deal(self, rules: RuleSet, wall: Sequence[str], dealer: int, draws_in_row: int = 0) -> Position:
        """Deal a round and play on to the first question.

        Args:
            rules: The options. With other suits than 筒条 the tiles of the wall stand for theirs: the first
                suit for 筒, the second for 条.
            wall: The shuffled deck.
            dealer: The dealer.
            draws_in_row: Rounds directly before this one that 上楼 goes by (``succession``).

        Raises:
            BadDeal: The wall is not a permutation of the deck, or the dealer is no seat.
        """
        try:
            tiles = tiles_from_texts(wall)
        except BadNotation as error:
            raise BadDeal(f"the wall holds something that is no tile: {error}") from error
        if sorted(tiles) != _SORTED_DECK:
            raise BadDeal(f"the wall must be a permutation of the deck of {len(_DECK)} tiles")
        if dealer not in (0, 1, 2):
            raise BadDeal(f"the dealer must be seat 0, 1 or 2, not {dealer!r}")
        return deal_position(rules, renamed(rules, tiles), dealer, draws_in_row)

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
        """Return the next dealer and the draws in a row after a round (Rule 1).

        The winner deals; with two winners who gave the tile; after 黄庄 the dealer, or who drew last. With
        上楼 after 黄庄 and 一炮双响 (option ``shanglou``) a round with two winners counts as a draw.
        """
        winners = result.get("winners") if result is not None else None
        if not winners or result is None:
            if result is not None and rules.draw_dealer == "last_drawer":
                dealer = result["last_drawer"]
            return dealer, draws_in_row + 1
        if len(winners) > 1:
            return result["from"], (draws_in_row + 1 if rules.shanglou == "after" else 0)
        return winners[0], 0

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


_DECK: Final = deck_of("ps")
_SORTED_DECK: Final = sorted(tiles_from_texts(_DECK))

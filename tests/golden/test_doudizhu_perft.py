"""How many sequences of answers small positions of 斗地主 have; a slow generator agrees where it can."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bench import doudizhu_reference as plain
from engine.doudizhu import Doudizhu, parse_cards
from engine.doudizhu.cards import RANKS, format_cards
from engine.doudizhu.setup import before_bidding, in_play
from engine.errors import ActionRefused
from tests.golden.tree import perft

PATH = Path(__file__).parent / "perft" / "doudizhu.txt"
REWRITE = os.environ.get("GOLDEN_REWRITE") == "1"
GAME = Doudizhu()

PLAYS = {
    "kickers and a bomb": ("3333456", "4578BR", "5667"),
    "a chain of four trios": ("333444555666", "777888999", "2222"),
    "chains of every kind": ("33445566", "456789T", "5566778"),
    "both jokers as kickers": ("3333BR4", "444456", "5555"),
    "a trio among the wings": ("444555666", "777888", "3KKK"),
}
"""Hands of the landlord, who leads, and of the peasants."""

BIDDINGS: dict[str, dict[str, Any]] = {
    "once": {},
    "until two pass": {"bid_rounds": "until2pass"},
    "calling": {"bid": "qiang", "double": "on"},
    "a redeal too many": {"redeal_limit": 1},
}
OPTIONS: dict[str, dict[str, Any]] = {
    "classic": {},
    "all kickers": {"rocket_as_kickers": True, "bomb_in_kickers": True},
    "few kickers": {"pair_as_two_solos": False, "adjacent_trio_wing": False, "trio_in_wings": False},
}
PLAY_DEPTH = 5
BID_DEPTH = 7


def playing(title: str, options: str) -> Any:
    rules = GAME.ruleset("classic", OPTIONS[options])
    return in_play(rules, [parse_cards(hand) for hand in PLAYS[title]], 0, 0, plays=(1, 0, 0))


def bidding(title: str) -> Any:
    rules = GAME.ruleset("classic", BIDDINGS[title])
    return before_bidding(rules, [parse_cards(hand) for hand in ("3", "4", "5")], 0, 1, draws_in_row=1)


def conceivable(position: Any) -> Iterator[str]:
    """Yield every text that is an action of some position with these cards."""
    yield from (
        "pass",
        "call",
        "no_call",
        "rob",
        "no_rob",
        "bid 0",
        "bid 1",
        "bid 2",
        "bid 3",
        "double 1",
        "double 2",
    )
    for seat in range(3):
        for cards in plain.parts(format_cards(position.hands[seat])):
            yield f"play {cards}"
            for kind in ("plane_solo", "trio_chain", "four_two_pair", "solo"):
                yield f"play {cards} as {kind}"


def plain_play(position: Any, seat: int) -> list[str]:
    """Return the legal answers of a seat in the play, by the plain reader and the history alone."""
    moves = position.history
    table = moves[-1] if moves and moves[-1].reading else moves[-2] if len(moves) > 1 else None
    over = None
    if table is not None and table.reading is not None:
        over = (table.reading.type, table.reading.length, RANKS[table.reading.rank])
    turn = (position.landlord + len(moves)) % 3
    if seat != turn:
        return []
    return plain.actions(format_cards(position.hands[seat]), over, plain.options_of(position.rules))


def slow_perft(position: Any, depth: int) -> int:
    """Count as ``perft`` does, by trying every conceivable action of every seat."""
    if depth == 0 or position.outcome() is not None:
        return 1
    total = 0
    texts = sorted(set(conceivable(position)))
    after = position.clone()
    for seat in range(3):
        expected = plain_play(position, seat)
        for action in texts:
            try:
                after.apply(seat, action)
            except ActionRefused:
                assert action not in expected, (seat, action)
                continue
            assert action in expected, (seat, action)
            total += slow_perft(after, depth - 1)
            after = position.clone()
    return total


def counts() -> str:
    """Return the counts of every position and depth as lines."""
    lines = []
    for title in PLAYS:
        for options in OPTIONS:
            numbers = [perft(playing(title, options), depth) for depth in range(1, PLAY_DEPTH + 1)]
            lines.append(f"{title}; {options}: {' '.join(map(str, numbers))}")
    for title in BIDDINGS:
        numbers = [perft(bidding(title), depth) for depth in range(1, BID_DEPTH + 1)]
        lines.append(f"bidding, {title}: {' '.join(map(str, numbers))}")
    return "\n".join(lines) + "\n"


def test_the_counts_are_the_golden_ones() -> None:
    text = counts()
    if REWRITE:
        PATH.write_text(text, encoding="utf-8")
    assert text == PATH.read_text(encoding="utf-8")


@pytest.mark.parametrize("title", PLAYS)
@pytest.mark.parametrize("options", OPTIONS)
def test_a_slow_generator_counts_the_same(title: str, options: str) -> None:
    for depth in (1, 2):
        assert slow_perft(playing(title, options), depth) == perft(playing(title, options), depth)

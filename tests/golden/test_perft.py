"""How many sequences of answers small positions have; a slow generator agrees with the shallow counts."""

import os
from pathlib import Path

import pytest

from engine import GAMES
from tests.golden.tree import POSITIONS, build, perft, slow_perft

HERE = Path(__file__).parent / "perft"
REWRITE = os.environ.get("GOLDEN_REWRITE") == "1"
DEPTH = 6
SLOW_DEPTH = 3
PRESETS = ("876cc", "luzhou-10xi")
"""Presets whose marks the slow generator reads: any mark bars both 碰 and 吃."""


def counts() -> str:
    """Return the counts of every position, preset and depth as lines."""
    lines = []
    for title, case in POSITIONS.items():
        for full in (False, True):
            for preset in PRESETS:
                rules = GAMES["paohuzi"].ruleset(preset)
                numbers = [perft(build(rules, case, full), depth) for depth in range(1, DEPTH + 1)]
                lines.append(
                    f"{title}{', full hands' if full else ''}; {preset}: {' '.join(map(str, numbers))}"
                )
    return "\n".join(lines) + "\n"


def test_the_counts_are_the_golden_ones() -> None:
    path = HERE / "paohuzi.txt"
    text = counts()
    if REWRITE:
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("title", POSITIONS)
@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("preset", PRESETS)
def test_a_slow_generator_counts_the_same(title: str, full: bool, preset: str) -> None:
    rules = GAMES["paohuzi"].ruleset(preset)
    for depth in range(1, SLOW_DEPTH + 1):
        position = build(rules, POSITIONS[title], full)
        assert slow_perft(position, depth) == perft(position, depth)


def test_every_game_has_perft_files() -> None:
    assert sorted(path.stem for path in HERE.iterdir()) == sorted(GAMES)

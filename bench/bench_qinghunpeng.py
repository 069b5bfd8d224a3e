"""How fast 清混碰 is: whole rounds, evaluations and distances per CPU second, beside a plain search.

Run ``python -m bench.bench_qinghunpeng [--json]``. Each figure is the median of five passes over the same
work, after one pass to warm up; ``cold`` figures are first passes. Pin the process to one core for figures
that can be compared.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Sequence
from typing import Any

from bench.bench_kawuxing import once, per_second
from bench.qinghunpeng_reference import Plain
from engine.arena import play_round, shuffled
from engine.mahjong.tiles import TILE_TEXTS, TILES, make_hand
from engine.qinghunpeng.game import Qinghunpeng
from engine.qinghunpeng.patterns import Moment, best_win
from engine.qinghunpeng.plans import nearest

TARGETS = {"evaluations": 50_000, "random_rounds": 300}
GAME = Qinghunpeng()


def winning_tiles(rng: random.Random) -> list[str]:
    """Return the tiles of a complete hand of one suit and honours, which always has a pattern."""
    suit = rng.choice("mps")
    kinds = [tile for tile in TILE_TEXTS if tile[0] in (suit, "z")]
    while True:
        tiles: list[str] = []
        for _ in range(4):
            kind = rng.choice(kinds)
            if kind[0] != "z" and int(kind[1]) <= 7 and rng.random() < 0.7:
                tiles += [f"{kind[0]}{int(kind[1]) + step}" for step in (0, 1, 2)]
            else:
                tiles += [kind] * 3
        tiles += [rng.choice(kinds)] * 2
        if max([tiles.count(tile) for tile in tiles]) <= 4:
            return tiles


def evaluations(wins: Sequence[tuple[int, int]]) -> int:
    """Evaluate wins: pattern, flowers, extras, points and the words of the reading."""
    rules, moment = GAME.presets["seed000"], Moment()
    for hand, tile in wins:
        best_win(rules, hand, (), tile, 2, moment)
    return len(wins)


def plain_evaluations(wins: Sequence[tuple[list[str], str]]) -> int:
    """Evaluate wins by exhaustive search."""
    rules, moment = GAME.presets["seed000"], Moment()
    for tiles, tile in wins:
        Plain(rules, tiles, [], tile, 2).best(moment)
    return len(wins)


def distances(hands: Sequence[int]) -> int:
    """Measure how far hands are from every pattern."""
    for hand in hands:
        nearest(hand, ())
    return len(hands)


def random_rounds(walls: Sequence[list[str]], seed: int) -> int:
    """Play whole rounds at random, every legal action listed at every step."""
    rules = GAME.ruleset("seed000")
    rng = random.Random(seed)
    for number, wall in enumerate(walls):
        position = GAME.deal(rules, wall, number % 4)
        while position.outcome() is None:
            asked = position.to_act()
            legal = [position.legal_actions(seat) for seat in asked]
            at = int(rng.random() * len(asked))
            position.apply(asked[at], legal[at][int(rng.random() * len(legal[at]))])
    return len(walls)


def bot_rounds(walls: Sequence[list[str]]) -> int:
    """Play whole rounds of four normal bots, views included."""
    rules = GAME.ruleset("seed000")
    rng = random.Random(1)
    for number, wall in enumerate(walls):
        play_round(GAME, rules, wall, number % 4, [GAME.bots["normal"]] * 4, rng)
    return len(walls)


def measure(scale: float = 1.0) -> dict[str, Any]:
    """Return every figure, its target, and what a plain search does in the same run."""
    rng = random.Random("bench qinghunpeng")
    won = [winning_tiles(rng) for _ in range(max(1, int(4_000 * scale)))]
    wins = [(make_hand([TILES[tile] for tile in tiles]), TILES[rng.choice(tiles)]) for tiles in won]
    walls = [shuffled(GAME.deck(), rng) for _ in range(max(1, int(400 * scale)))]
    deck = [TILES[tile] for tile in GAME.deck() if tile in TILES]
    hands = [make_hand(rng.sample(deck, 13)) for _ in range(max(1, int(10_000 * scale)))]
    cold = {
        "evaluations_cold": once(lambda: evaluations(wins)),
        "distances_cold": once(lambda: distances(hands)),
        "random_rounds_cold": once(lambda: random_rounds(walls, 1)),
    }
    figures = {
        "evaluations": per_second(lambda: evaluations(wins)),
        "distances": per_second(lambda: distances(hands)),
        "random_rounds": per_second(lambda: random_rounds(walls, 1)),
        "normal_rounds": per_second(lambda: bot_rounds(walls[: max(1, len(walls) // 10)])),
        **cold,
    }
    plain = [(tiles, TILE_TEXTS[tile]) for tiles, (_, tile) in zip(won, wins, strict=True)]
    peer = per_second(lambda: plain_evaluations(plain[: max(1, len(plain) // 10)]))
    return {
        name: {
            "per_cpu_second": round(figure),
            "target": TARGETS.get(name),
            "plain_per_cpu_second": round(peer) if name == "evaluations" else None,
        }
        for name, figure in figures.items()
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures; the exit code is 1 if a target was missed."""
    parser = argparse.ArgumentParser(prog="python -m bench.bench_qinghunpeng", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--scale", type=float, default=1.0, help="how much work, 1 by default")
    chosen = parser.parse_args(arguments)
    figures = measure(chosen.scale)
    write = sys.stdout.write
    if chosen.json:
        write(json.dumps({"game": "qinghunpeng", "figures": figures}) + "\n")
    else:
        write(f"{'work':<22}{'per CPU second':>16}{'target':>12}{'plain search':>14}\n")
        for name, row in figures.items():
            cells = [f"{value:,}" if value else "-" for value in (row["target"], row["plain_per_cpu_second"])]
            write(f"{name:<22}{row['per_cpu_second']:>16,}{cells[0]:>12}{cells[1]:>14}\n")
    return int(any(figures[name]["per_cpu_second"] < target for name, target in TARGETS.items()))


if __name__ == "__main__":
    sys.exit(main())

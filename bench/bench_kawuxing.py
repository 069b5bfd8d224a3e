"""How fast 卡五星 is: win checks, waits, evaluations and whole rounds per CPU second, beside a plain search.

Run ``python -m bench.bench_kawuxing [--json]``. Each figure is the median of five passes over the same work,
after one pass to warm up; ``cold`` figures are first passes. With the ``mahjong`` package installed the win
check is measured against it too. Pin the process to one core for figures that can be compared.
"""

from __future__ import annotations

import argparse
import importlib
import json
import random
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

from bench import mahjong_reference as plain
from engine.arena import play_round, shuffled
from engine.kawuxing.fans import Moment, best_win
from engine.kawuxing.game import Kawuxing
from engine.mahjong.tiles import TILES, make_hand
from engine.mahjong.wins import is_win, waits

PASSES = 5
TARGETS = {"win_checks": 1_500_000, "waits": 400_000, "evaluations": 50_000, "random_rounds": 600}
GAME = Kawuxing()


def per_second(work: Callable[[], int]) -> float:
    """Return the median rate of several passes of the work, which tells how much it did."""
    work()
    rates = []
    for _ in range(PASSES):
        begun = time.process_time()
        done = work()
        rates.append(done / (time.process_time() - begun))
    return statistics.median(rates)


def once(work: Callable[[], int]) -> float:
    """Return the rate of one pass."""
    begun = time.process_time()
    done = work()
    return done / (time.process_time() - begun)


def hand_of(tiles: Sequence[str]) -> int:
    """Return the engine's hand of tile texts."""
    return make_hand([TILES[tile] for tile in tiles])


def checks(hands: Sequence[int]) -> int:
    """Check hands of 14."""
    for hand in hands:
        is_win(hand, True)
    return len(hands)


def wait_lists(hands: Sequence[int]) -> int:
    """Find the waits of hands of 13, as lists."""
    for hand in hands:
        waits(hand, True)
    return len(hands)


def evaluations(wins: Sequence[tuple[int, int]]) -> int:
    """Evaluate wins: every reading, the names, the product."""
    rules, moment = GAME.presets["seed004"], Moment()
    for hand, tile in wins:
        best_win(rules, hand, (), tile, moment)
    return len(wins)


def random_rounds(walls: Sequence[list[str]], seed: int) -> int:
    """Play whole rounds at random, every legal action listed at every step."""
    rules = GAME.ruleset("seed004")
    rng = random.Random(seed)
    for number, wall in enumerate(walls):
        position = GAME.deal(rules, wall, number % 3)
        while position.outcome() is None:
            asked = position.to_act()
            legal = [position.legal_actions(seat) for seat in asked]
            at = int(rng.random() * len(asked))
            position.apply(asked[at], legal[at][int(rng.random() * len(legal[at]))])
    return len(walls)


def bot_rounds(walls: Sequence[list[str]]) -> int:
    """Play whole rounds of three normal bots, views included."""
    rules = GAME.ruleset("seed004")
    rng = random.Random(1)
    for number, wall in enumerate(walls):
        play_round(GAME, rules, wall, number % 3, [GAME.bots["normal"]] * 3, rng)
    return len(walls)


def measure(scale: float = 1.0) -> dict[str, Any]:
    """Return every figure, its target, and its ratio to the peers in the same run."""
    rng = random.Random("bench kawuxing")

    def some(number: int, make: Callable[[], list[str]]) -> list[list[str]]:
        return [make() for _ in range(max(1, int(number * scale)))]

    fourteen = some(20_000, lambda: plain.random_tiles(rng, 14)) + some(
        5_000, lambda: plain.winning_tiles(rng)
    )
    thirteen = some(20_000, lambda: plain.random_tiles(rng, 13)) + some(
        5_000, lambda: plain.winning_tiles(rng)[:13]
    )
    won = some(4_000, lambda: plain.winning_tiles(rng)) + some(
        1_000, lambda: plain.winning_tiles(rng, suits=1)
    )
    walls = [shuffled(GAME.deck(), rng) for _ in range(max(1, int(400 * scale)))]
    checked, waiting = [hand_of(tiles) for tiles in fourteen], [hand_of(tiles) for tiles in thirteen]
    wins = [(hand_of(tiles), TILES[tiles[rng.randrange(14)]]) for tiles in won]
    few = max(1, int(400 * scale))
    cold = {
        "evaluations_cold": once(lambda: evaluations(wins)),
        "random_rounds_cold": once(lambda: random_rounds(walls, 1)),
    }
    figures = {
        "win_checks": per_second(lambda: checks(checked)),
        "waits": per_second(lambda: wait_lists(waiting)),
        "evaluations": per_second(lambda: evaluations(wins)),
        "random_rounds": per_second(lambda: random_rounds(walls, 1)),
        "normal_rounds": per_second(lambda: bot_rounds(walls[: max(1, few // 10)])),
        **cold,
    }
    peers = {
        "win_checks": per_second(lambda: len([plain.is_win(tiles, True) for tiles in fourteen[-few:]])),
        "waits": per_second(lambda: len([plain.waits(tiles, True) for tiles in thirteen[-few // 4 :]])),
    }
    package = agari_checks(fourteen)
    return {
        name: {
            "per_cpu_second": round(figure),
            "target": TARGETS.get(name),
            "plain_per_cpu_second": round(peers[name]) if name in peers else None,
            "mahjong_per_cpu_second": package if name == "win_checks" else None,
        }
        for name, figure in figures.items()
    }


def agari_checks(hands: Sequence[Sequence[str]]) -> int | None:
    """Return the win checks of the ``mahjong`` package, none if it is not installed."""
    try:
        is_agari = importlib.import_module("mahjong.agari").Agari.is_agari
    except ImportError:
        return None
    arrays = [[0] * 34 for _ in hands]
    for array, tiles in zip(arrays, hands, strict=True):
        for tile in tiles:
            array[TILES[tile]] += 1
    return round(per_second(lambda: len([is_agari(array) for array in arrays])))


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures; the exit code is 1 if a target was missed."""
    parser = argparse.ArgumentParser(prog="python -m bench.bench_kawuxing", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--scale", type=float, default=1.0, help="how much work, 1 by default")
    chosen = parser.parse_args(arguments)
    figures = measure(chosen.scale)
    write = sys.stdout.write
    if chosen.json:
        write(json.dumps({"game": "kawuxing", "figures": figures}) + "\n")
    else:
        write(f"{'work':<22}{'per CPU second':>16}{'target':>12}{'plain search':>14}{'mahjong':>12}\n")
        for name, row in figures.items():
            others = [row["target"], row["plain_per_cpu_second"], row["mahjong_per_cpu_second"]]
            cells = [f"{value:,}" if value else "-" for value in others]
            write(f"{name:<22}{row['per_cpu_second']:>16,}{cells[0]:>12}{cells[1]:>14}{cells[2]:>12}\n")
    return int(any(figures[name]["per_cpu_second"] < target for name, target in TARGETS.items()))


if __name__ == "__main__":
    sys.exit(main())

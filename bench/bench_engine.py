"""How fast the engine is: win checks, waits and whole rounds per CPU second, beside a plain search.

Run ``python -m bench.bench_engine [--json]``. Each figure is the median of five passes over the same work,
after one pass to warm up. Pin the process to one core for figures that can be compared: ``taskset -c 0``.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

from bench import paohuzi_reference as plain
from bench.hands import jiao_cards, random_cards, winning_cards
from engine import GAMES
from engine.arena import shuffled
from engine.paohuzi.cards import make_hand
from engine.paohuzi.melds import max_huxi
from engine.paohuzi.waiting import waits

PASSES = 5
TARGETS = {
    "win_checks_random": 250_000,
    "win_checks_many_partitions": 150_000,
    "waits_random": 30_000,
    "waits_ready": 30_000,
    "rounds": 600,
}
"""Per CPU second, uncompiled."""


def per_second(work: Callable[[], int]) -> float:
    """Return the units of work done per CPU second: the median of some passes, after one to warm up."""
    work()
    rates = []
    for _ in range(PASSES):
        start = time.process_time()
        units = work()
        rates.append(units / (time.process_time() - start))
    return statistics.median(rates)


def checks(hands: Sequence[int], cards: int = 21) -> int:
    """Check hands for a win with the most 息."""
    for hand in hands:
        max_huxi(hand, 0, cards)
    return len(hands)


def plain_checks(hands: Sequence[Sequence[int]]) -> int:
    """Do the same by plain search."""
    for hand in hands:
        plain.max_xi(hand, [], -1, "made")
    return len(hands)


def wait_checks(hands: Sequence[int]) -> int:
    """Find the waits of hands."""
    for hand in hands:
        waits(hand)
    return len(hands)


def plain_waits(hands: Sequence[Sequence[int]]) -> int:
    """Do the same by plain search."""
    for hand in hands:
        plain.wait_cards(hand, [])
    return len(hands)


def rounds(walls: Sequence[list[str]], seed: int) -> int:
    """Play whole rounds at random, every legal action listed at every step."""
    game: Any = GAMES["paohuzi"]
    rules = game.ruleset("876cc")
    rng = random.Random(seed)
    for number, wall in enumerate(walls):
        position = game.deal(rules, wall, number % 3)
        while position.outcome() is None:
            asked = position.to_act()
            legal = [position.legal_actions(seat) for seat in asked]
            at = int(rng.random() * len(asked))
            position.apply(asked[at], legal[at][int(rng.random() * len(legal[at]))])
    return len(walls)


def short_of_one(cards: Sequence[int], rng: random.Random) -> list[int]:
    """Return the cards without one of them."""
    left = list(cards)
    left.pop(rng.randrange(len(left)))
    return left


def measure(scale: float = 1.0) -> dict[str, Any]:
    """Return every figure, its target, and its ratio to the plain search in the same run."""
    rng = random.Random("bench")

    def some(number: int, make: Callable[[], list[int]]) -> list[list[int]]:
        return [make() for _ in range(max(1, int(number * scale)))]

    random_21 = some(20_000, lambda: random_cards(rng, 21))
    many = some(4_000, lambda: jiao_cards(rng, 5)) + some(2_000, lambda: jiao_cards(rng, 7))
    random_20 = some(4_000, lambda: random_cards(rng, 20))
    ready = some(4_000, lambda: short_of_one(winning_cards(rng), rng))
    deck = GAMES["paohuzi"].deck()
    walls = [shuffled(deck, rng) for _ in range(max(1, int(300 * scale)))]

    def hands(cards: Sequence[Sequence[int]]) -> list[int]:
        return [make_hand(hand) for hand in cards]

    sets = {
        name: hands(cards)
        for name, cards in (("r21", random_21), ("many", many), ("r20", random_20), ("ready", ready))
    }
    few = max(1, int(400 * scale))
    figures = {
        "win_checks_random": per_second(lambda: checks(sets["r21"])),
        "win_checks_many_partitions": per_second(lambda: checks(sets["many"])),
        "waits_random": per_second(lambda: wait_checks(sets["r20"])),
        "waits_ready": per_second(lambda: wait_checks(sets["ready"])),
        "rounds": per_second(lambda: rounds(walls, 1)),
    }
    peers = {
        "win_checks_random": per_second(lambda: plain_checks(random_21[:few])),
        "win_checks_many_partitions": per_second(lambda: plain_checks(many[:few])),
        "waits_random": per_second(lambda: plain_waits(random_20[:few])),
        "waits_ready": per_second(lambda: plain_waits(ready[:few])),
    }
    return {
        name: {
            "per_cpu_second": round(figure),
            "target": TARGETS[name],
            "plain_per_cpu_second": round(peers[name]) if name in peers else None,
            "times_plain": round(figure / peers[name], 1) if name in peers else None,
        }
        for name, figure in figures.items()
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures; the exit code is 1 if a target was missed."""
    parser = argparse.ArgumentParser(prog="python -m bench.bench_engine", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--scale", type=float, default=1.0, help="how much work, 1 by default")
    chosen = parser.parse_args(arguments)
    figures = measure(chosen.scale)
    write = sys.stdout.write
    if chosen.json:
        write(json.dumps({"game": "paohuzi", "figures": figures}) + "\n")
    else:
        write(f"{'work':<28}{'per CPU second':>16}{'target':>10}{'plain search':>14}{'ratio':>8}\n")
        for name, row in figures.items():
            plain_rate = row["plain_per_cpu_second"] or "-"
            ratio = row["times_plain"] or "-"
            write(f"{name:<28}{row['per_cpu_second']:>16,}{row['target']:>10,}{plain_rate:>14}{ratio:>8}\n")
    return int(any(row["per_cpu_second"] < row["target"] for row in figures.values()))


if __name__ == "__main__":
    sys.exit(main())

"""How fast the mahjong tables and whole rounds are, beside the packages people use, in the same run.

Run ``python -m bench.bench_mahjong [--json]``. Each figure is the median of five passes over the same work
after one pass to warm up, per CPU second. The peers (``make bench-peers``) are measured if they are there,
and named as missing if not: ``mahjong`` (Python), ``riichienv`` and ``xiangting`` (Rust), ``rlcard``. Hands
are random ones of 136 tiles with every fifth one complete or ready; what a peer is given is made before it is
timed. Pin the process to one core: ``taskset -c 0``.
"""

from __future__ import annotations

import argparse
import importlib
import json
import random
import sys
from collections.abc import Callable, Sequence
from typing import Any

from bench.bench_kawuxing import per_second
from engine import GAMES
from engine.arena import shuffled
from engine.mahjong import wins
from engine.mahjong.tiles import make_hand

KINDS = 34
TARGETS = {
    "win_checks": 1_500_000,
    "waits": 400_000,
    "qinghunpeng rounds": 300,
    "kawuxing rounds": 600,
    "paohuzi rounds": 600,
}
"""Per CPU second, uncompiled."""

PEERS = ("mahjong", "riichienv", "xiangting", "rlcard")


def complete(rng: random.Random) -> list[int]:
    """Return four sets and a pair."""
    while True:
        tiles: list[int] = []
        for _ in range(4):
            tile = rng.randrange(KINDS)
            is_run = tile < 27 and tile % 9 < 7 and rng.random() < 0.7
            tiles += [tile, tile + 1, tile + 2] if is_run else [tile] * 3
        tiles += [rng.randrange(KINDS)] * 2
        if max(tiles.count(tile) for tile in tiles) <= 4:
            return tiles


def hands_of(rng: random.Random, number: int, size: int) -> list[list[int]]:
    """Return random hands, every fifth one complete, or ready if it is a tile short."""
    deck = [tile for tile in range(KINDS) for _ in range(4)]
    made = [complete(rng)[:size] if at % 5 == 0 else rng.sample(deck, size) for at in range(number)]
    for hand in made:
        hand.sort()
    return made


def counts_of(hand: Sequence[int]) -> list[int]:
    """Return a hand as 34 counts."""
    return [hand.count(tile) for tile in range(KINDS)]


def copies_of(hand: Sequence[int]) -> list[int]:
    """Return a hand as tiles of 136."""
    return [4 * tile + hand[:at].count(tile) for at, tile in enumerate(hand)]


def every(do: Callable[[Any], Any], inputs: Sequence[Any]) -> Callable[[], int]:
    """Return work that does something with each input."""

    def work() -> int:
        for each in inputs:
            do(each)
        return len(inputs)

    return work


def random_rounds(name: str, preset: str, number: int) -> int:
    """Play whole rounds of a game at random, every legal action listed at every step."""
    game = GAMES[name]
    rules = game.ruleset(preset)
    rng = random.Random(1)
    for dealt in range(number):
        position = game.deal(rules, shuffled(game.deck(), rng), dealt % game.seats)
        while position.outcome() is None:
            asked = position.to_act()
            legal = [position.legal_actions(seat) for seat in asked]
            at = int(rng.random() * len(asked))
            position.apply(asked[at], legal[at][int(rng.random() * len(legal[at]))])
    return number


def riichienv_rounds(number: int) -> int:
    """Play single rounds of riichienv's game at random, without its log."""
    module = importlib.import_module("riichienv")
    rng = random.Random(1)
    for seed in range(number):
        env = module.RiichiEnv(game_mode="4p-red-single", skip_mjai_logging=True, seed=seed)
        observed = env.reset()
        while not env.done():
            answers = {}
            for seat, seen in observed.items():
                legal = seen.legal_actions()
                answers[seat] = legal[int(rng.random() * len(legal))]
            observed = env.step(answers)
    return number


def rlcard_rounds(number: int) -> int:
    """Play RLCard's bare mahjong at random."""
    numpy = importlib.import_module("numpy")
    game = importlib.import_module("rlcard.games.mahjong.game").MahjongGame()
    game.np_random = numpy.random.RandomState(1)
    rng = random.Random(1)
    for _ in range(number):
        state, _seat = game.init_game()
        while not game.is_over():
            legal = state["action_cards"] if state["valid_act"] == ["play"] else state["valid_act"]
            state, _seat = game.step(legal[int(rng.random() * len(legal))])
    return number


def installed(name: str) -> bool:
    """Return whether a peer can be imported."""
    try:
        importlib.import_module(name)
    except ImportError:
        return False
    return True


def peer_figures(
    fourteen: Sequence[list[int]], thirteen: Sequence[list[int]], scale: float
) -> dict[str, dict[str, float]]:
    """Return what each installed peer does, by work."""
    found: dict[str, dict[str, float]] = {"win_checks": {}, "waits": {}, "rounds": {}}
    fewer = max(1, len(fourteen) // 10)
    if installed("mahjong"):
        agari = importlib.import_module("mahjong.agari").Agari()

        def by_trying(counts: list[int]) -> list[int]:
            waits = []
            for tile in range(KINDS):
                if counts[tile] < 4:
                    counts[tile] += 1
                    if agari.is_agari(counts):
                        waits.append(tile)
                    counts[tile] -= 1
            return waits

        checked = [counts_of(hand) for hand in fourteen]
        waiting = [counts_of(hand) for hand in thirteen[:fewer]]
        found["win_checks"]["mahjong"] = per_second(every(agari.is_agari, checked))
        found["waits"]["mahjong"] = per_second(every(by_trying, waiting))
    if installed("riichienv"):
        core = importlib.import_module("riichienv._riichienv")
        found["win_checks"]["riichienv"] = per_second(
            every(core.calculate_shanten, [copies_of(hand) for hand in fourteen])
        )
        found["waits"]["riichienv"] = per_second(
            every(
                lambda tiles: core.HandEvaluator(tiles, []).get_waits(),
                [copies_of(hand) for hand in thirteen],
            )
        )
        found["rounds"]["riichienv"] = per_second(lambda: riichienv_rounds(max(1, int(60 * scale))))
    if installed("xiangting"):
        xiangting = importlib.import_module("xiangting")
        four = xiangting.PlayerCount.FOUR
        waiting = [counts_of(hand) for hand in thirteen]
        found["waits"]["xiangting"] = per_second(
            every(lambda counts: xiangting.calculate_necessary_tiles(counts, four), waiting)
        )
    if installed("rlcard.games.mahjong.game"):
        found["rounds"]["rlcard"] = per_second(lambda: rlcard_rounds(max(1, int(12 * scale))))
    return found


def measure(scale: float = 1.0) -> dict[str, Any]:
    """Return every figure, its target, and what the peers do in the same run."""
    rng = random.Random("bench mahjong")
    number = max(10, int(20_000 * scale))
    fourteen, thirteen = hands_of(rng, number, 14), hands_of(rng, number, 13)
    checked, waiting = [make_hand(hand) for hand in fourteen], [make_hand(hand) for hand in thirteen]
    rounds = max(1, int(400 * scale))
    figures = {
        "win_checks": per_second(every(lambda hand: wins.is_win(hand, True), checked)),
        "waits": per_second(every(lambda hand: wins.waits(hand, True), waiting)),
        "qinghunpeng rounds": per_second(lambda: random_rounds("qinghunpeng", "seed000", rounds)),
        "kawuxing rounds": per_second(lambda: random_rounds("kawuxing", "seed004", rounds)),
        "paohuzi rounds": per_second(lambda: random_rounds("paohuzi", "876cc", rounds)),
    }
    peers = peer_figures(fourteen, thirteen, scale)
    return {
        name: {
            "per_cpu_second": round(figure),
            "target": TARGETS[name],
            "peers": {
                peer: round(speed) for peer, speed in peers["rounds" if "rounds" in name else name].items()
            },
        }
        for name, figure in figures.items()
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures; the exit code is 1 if a target was missed."""
    parser = argparse.ArgumentParser(prog="python -m bench.bench_mahjong", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--scale", type=float, default=1.0, help="how much work, 1 by default")
    chosen = parser.parse_args(arguments)
    figures = measure(chosen.scale)
    missing = [name for name in PEERS if not installed(name)]
    is_compiled = str(wins.__file__).endswith(".so")
    write = sys.stdout.write
    if chosen.json:
        write(json.dumps({"compiled": is_compiled, "figures": figures, "missing": missing}) + "\n")
    else:
        write(f"the engine is {'compiled' if is_compiled else 'plain Python'}\n")
        for name, row in figures.items():
            beside = ", ".join(
                f"{peer} {speed:,} ({row['per_cpu_second'] / speed:.2f} ×)"
                for peer, speed in row["peers"].items()
            )
            write(f"{name:<20}{row['per_cpu_second']:>12,}  target {row['target']:>9,}  {beside}\n")
        for name in missing:
            write(f"{name} is not installed, so nothing is measured against it\n")
    return int(any(row["per_cpu_second"] < row["target"] for row in figures.values()))


if __name__ == "__main__":
    sys.exit(main())

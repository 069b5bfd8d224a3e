"""How much better each bot is than the next weaker one, and how long it thinks.

Run ``python -m bench.bench_bots [--game G] [--preset P] [--deals N] [--strict] [--json]``. Every deal is
played in duplicate (``engine.arena.duel_deals``): one bot of either kind among those of the other, at every
seat, so that the luck of the cards cancels. The interval is the 95 % interval of the mean over deals, in
points a seat and round. Thinking times are of the processor, over decisions with a choice.

Without ``--deals`` it is a short run that can only find a bot that has become worse. With ``--strict`` the
exit code is 1 unless each bot is better than the next weaker one with 95 % confidence.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from typing import Any

from engine import GAMES
from engine.arena import DuelDeal, duel, duel_deals
from engine.face import Action, Bot, Rng

PAIRS = (("easy", "random"), ("normal", "easy"), ("hard", "normal"))
"""Who should beat whom."""

SHORT = {"easy": 60, "normal": 200, "hard": 4}
"""Deals of a short run, by the stronger bot."""

PRESETS = {"paohuzi": "876cc", "doudizhu": "classic"}
"""The preset a game is measured with, where it is not the first one."""

REPORT_EVERY_S = 60.0
"""How often a long run says how it stands, on standard error."""


class Timed:
    """A bot, and how long its decisions took."""

    def __init__(self, bot: Bot) -> None:
        self._bot = bot
        self.seconds: list[float] = []

    def __call__(self, view: Any, rng: Rng) -> Action:
        """Return the bot's answer."""
        if len(view.legal) == 1:
            return self._bot(view, rng)
        start = time.process_time()
        action = self._bot(view, rng)
        self.seconds.append(time.process_time() - start)
        return action

    def figures(self) -> dict[str, float]:
        """Return the number of decisions, and mean, 99th percentile and maximum in milliseconds."""
        ordered = sorted(self.seconds) or [0.0]
        return {
            "decisions": len(self.seconds),
            "mean_ms": round(1e3 * sum(ordered) / len(ordered), 2),
            "p99_ms": round(1e3 * ordered[min(len(ordered) - 1, len(ordered) * 99 // 100)], 1),
            "max_ms": round(1e3 * ordered[-1], 1),
        }


def compare(game: Any, preset: str, one: str, two: str, deals: int, seed: int) -> dict[str, Any]:
    """Return how much better the first bot is than the second."""
    first, second = Timed(game.bots[one]), Timed(game.bots[two])
    played: list[DuelDeal] = []
    said = time.monotonic()
    for deal in duel_deals(game, game.ruleset(preset), first, second, deals, seed):
        played.append(deal)
        if time.monotonic() - said > REPORT_EVERY_S:
            said = time.monotonic()
            sys.stderr.write(f"{game.name} {preset} {one} : {two}  {duel(played)}\n")
    result = duel(played)
    return {
        "game": game.name,
        "preset": preset,
        "bots": [one, two],
        "deals": result.deals,
        "rounds": result.rounds,
        "mean": round(result.mean, 3),
        "half_width": round(result.half_width, 3),
        "is_better": result.is_better,
        "win_shares": [round(share, 4) for share in result.win_shares],
        "thinking": first.figures(),
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the comparisons; the exit code is 1 if a bot is worse, or with ``--strict`` not surely better."""
    parser = argparse.ArgumentParser(prog="python -m bench.bench_bots", description=__doc__)
    parser.add_argument("--game", choices=sorted(GAMES), help="one game; all by default")
    parser.add_argument("--preset", help="a preset of the game")
    parser.add_argument("--bots", metavar="ONE,TWO", help="one pair instead of the usual ones")
    parser.add_argument("--deals", type=int, default=0, metavar="N", help="deals of every pair")
    parser.add_argument("--seed", type=int, default=1, help="of the deals")
    parser.add_argument("--strict", action="store_true", help="fail unless each is surely better")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    chosen = parser.parse_args(arguments)
    pairs = (tuple(chosen.bots.split(",")),) if chosen.bots else PAIRS
    rows = []
    for name in [chosen.game] if chosen.game else sorted(GAMES):
        game: Any = GAMES[name]
        preset = chosen.preset or PRESETS.get(name) or next(iter(game.presets))
        for one, two in pairs:
            if one not in game.bots or two not in game.bots:
                sys.stderr.write(f"{name} has no bot called {one if two in game.bots else two}\n")
                continue
            rows.append(compare(game, preset, one, two, chosen.deals or SHORT.get(one, 20), chosen.seed))
            if not chosen.json:
                sys.stdout.write(line(rows[-1]) + "\n")
                sys.stdout.flush()
    if chosen.json:
        sys.stdout.write(json.dumps({"bots": rows}) + "\n")
    if chosen.strict:
        return int(not all(row["is_better"] for row in rows))
    return int(any(row["mean"] + row["half_width"] < 0 for row in rows))


def line(row: dict[str, Any]) -> str:
    """Return a comparison as one line."""
    one, two = row["bots"]
    shares, thinking = row["win_shares"], row["thinking"]
    return (
        f"{row['game']:<12}{row['preset']:<14}{one:>7} : {two:<7}{row['deals']:>6} deals "
        f"{row['mean']:>+8.2f} ± {row['half_width']:<6.2f}wins {shares[0]:>6.1%} : {shares[1]:<6.1%} "
        f"thinks {thinking['mean_ms']:.1f} ms, p99 {thinking['p99_ms']:.0f}, max {thinking['max_ms']:.0f}"
    )


if __name__ == "__main__":
    sys.exit(main())

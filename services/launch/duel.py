"""`paiju simulate --duel`: how much better one bot is than another, on the same deals."""

from __future__ import annotations

import hashlib
import json
import math
import multiprocessing
import os
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import Any

from engine import GAMES, Refusal
from engine.arena import DuelDeal, duel, duel_deals
from services.launch.exits import USAGE, Stop
from services.launch.simulate import known_options, parse_options

PART_DEALS = 10
"""Deals that one process plays at a time."""


@dataclass(frozen=True)
class Challenge:
    """What is to be compared."""

    game: str
    preset: str
    deals: int
    bots: tuple[str, ...]
    jobs: int
    seed: str
    options: tuple[str, ...] = ()


def run(challenge: Challenge, *, as_json: bool) -> None:
    """Play the deals and print the difference.

    Raises:
        Stop: Unknown game, preset, option or bot, or not two bots (`USAGE`).
    """
    try:
        game = GAMES[challenge.game]
        overrides = parse_options(challenge.options, known_options(challenge.game))
        game.ruleset(challenge.preset, overrides)
    except Refusal as refusal:
        raise Stop(USAGE, str(refusal)) from refusal
    if len(challenge.bots) != 2:
        raise Stop(USAGE, f"a duel has two bots, as in --bots hard,normal; {len(challenge.bots)} were named")
    for bot in challenge.bots:
        if bot not in game.bots:
            raise Stop(USAGE, f"no bot is called {bot!r}; {game.name} has {', '.join(sorted(game.bots))}")
    parts = [
        (challenge, overrides, number, min(PART_DEALS, challenge.deals - start))
        for number, start in enumerate(range(0, challenge.deals, PART_DEALS))
    ]
    if challenge.jobs == 1:
        played = [_part(*part) for part in parts]
    else:
        # Never fork: threads of the parent would be half there.
        context = multiprocessing.get_context("spawn")
        workers = min(challenge.jobs, len(parts), os.cpu_count() or 1)
        with ProcessPoolExecutor(workers, mp_context=context) as pool:
            played = list(pool.map(_part, *zip(*parts, strict=True)))
    result = duel([deal for part in played for deal in part])
    one, two = challenge.bots
    if as_json:
        told = {
            "game": challenge.game,
            "preset": challenge.preset,
            "options": overrides,
            "bots": list(challenge.bots),
            "deals": result.deals,
            "rounds": result.rounds,
            "difference": round(result.mean, 4),
            "low": _bound(result.mean - result.half_width),
            "high": _bound(result.mean + result.half_width),
            "win_shares": [round(share, 4) for share in result.win_shares],
        }
        print(json.dumps(told, ensure_ascii=False))
        return
    low, high = result.mean - result.half_width, result.mean + result.half_width
    print(
        f"{challenge.game} {challenge.preset}: {one} against {two}\n{result}\n"
        f"{one} has {result.mean:+.3f} points a round more than {two}, "
        f"95 % interval {low:+.3f} to {high:+.3f}"
    )


def _bound(value: float) -> float | None:
    """Return an end of the interval; None where too few deals give it none: JSON has no infinity."""
    return round(value, 4) if math.isfinite(value) else None


def _part(challenge: Challenge, overrides: dict[str, Any], number: int, deals: int) -> list[DuelDeal]:
    """Play some of the deals; which ones follows from the seed and the part's number alone."""
    game = GAMES[challenge.game]
    rules = game.ruleset(challenge.preset, overrides)
    one, two = (game.bots[bot] for bot in challenge.bots)
    text = f"paiju-duel-1 {number} {challenge.seed}".encode(errors="surrogatepass")
    seed = int.from_bytes(hashlib.sha256(text).digest()[:7], "big")
    return list(duel_deals(game, rules, one, two, deals, seed))

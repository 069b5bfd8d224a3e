"""What holds for the hard bot of every game that has one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

THINK = """
from engine import GAMES
from engine.arena import shuffled
from engine.search import Chance
for name, game in GAMES.items():
    if "hard" in game.bots:
        rules = game.ruleset(next(iter(game.presets)))
        position = game.deal(rules, shuffled(game.deck(), Chance(3)), 0)
        for step in range(25):
            seat = position.to_act()[0]
            view = position.view(seat)
            bot = game.bots["hard" if step % 8 == 0 else "normal"]
            action = bot(view, Chance(step))
            print(name, action)
            position.apply(seat, action)
            if position.outcome() is not None:
                break
"""


def test_hard_bots_answer_alike_under_every_hash_seed() -> None:
    answers = [
        subprocess.run(
            [sys.executable, "-c", THINK],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for hash_seed in ("1", "2")
    ]
    assert answers[0] == answers[1]
    assert answers[0].count("\n") > 20

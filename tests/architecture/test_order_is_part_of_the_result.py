"""No output depends on the order of a set: whole rounds are equal under every hash seed.

Bots that search are slow, and asked the same in tests of their own.
"""

import os
import subprocess
import sys

from engine import GAMES
from tests.architecture.sources import ROOT

PLAY = """
import hashlib, sys
from engine import GAMES
from services.launch.arena import play_round
from services.scoring.core.audit import audit_alone
for name in GAMES:
    game = GAMES[name]
    for preset in sorted(game.presets):
        for number in range(3):
            seed = hashlib.sha256(f"{preset} {number}".encode()).digest()
            bots = tuple(sorted(set(game.bots) - {"hard"}))
            seats = tuple(bots[seat % len(bots)] for seat in range(game.seats))
            record, _ = play_round(game, game.ruleset(preset), seats, f"order/{number + 2}", seed, 0, 0)
            verdict = audit_alone(record.text.encode())
            print(name, preset, verdict.record_sha256.hex(), verdict.status, verdict.reason)
"""


def played(hash_seed: str) -> list[str]:
    """Return what a process under this hash seed plays."""
    done = subprocess.run(
        [sys.executable, "-c", PLAY],
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'protos'}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_rounds_and_verdicts_are_the_same_under_every_hash_seed() -> None:
    first = played("0")
    assert len(first) == 3 * sum(len(game.presets) for game in GAMES.values())
    assert played("1") == first
    assert played("4294967295") == first

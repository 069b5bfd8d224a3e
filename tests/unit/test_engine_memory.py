"""All tables and caches of all games together stay small, whatever was played."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

EMPTY = "import resource; print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"

PLAYED = """
import random, resource
from engine import GAMES
from engine.arena import play_round, shuffled
from engine.doudizhu.cards import DECK, RANK_OF, make_cards
from engine.doudizhu.plays import book_of
from engine.doudizhu.readings import Wings

rng = random.Random("memory")
for game in GAMES.values():
    for preset in game.presets:
        for bots, rounds in (("random", 40), ("normal", 2)):
            for number in range(rounds):
                wall = shuffled(game.deck(), rng)
                seated = [game.bots[bots]] * game.seats
                play_round(game, game.ruleset(preset), wall, number % game.seats, seated, rng)
deck = [RANK_OF[card] for card in DECK]
for quads in (False, True):
    book = book_of(Wings(bomb_in_kickers=quads))
    for _ in range(25_000):
        book.leads(make_cards(rng.sample(deck, rng.choice((20, 17, 13, 9)))))
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""

UNIT = 1 if sys.platform == "darwin" else 1024
"""Bytes of a unit of `ru_maxrss`."""


def peak(program: str) -> int:
    """Return the bytes a program needed at its peak."""
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return int(done.stdout) * UNIT


def test_a_process_that_played_every_game_holds_less_than_128_mib_for_them() -> None:
    assert peak(PLAYED) - peak(EMPTY) < 128 * 2**20

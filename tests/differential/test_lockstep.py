"""Engine and scoring driven side by side over rigged walls, options at other values and purposeful players.

`LOCKSTEP_ROUNDS` sets how many rounds; without it 600.
"""

import os
import random
from collections import Counter

import pytest

from engine import GAMES
from tests.differential import rigged
from tests.differential.lockstep import Pair, Unequal
from tests.differential.rigged import RIGS, round_of

ROUNDS = int(os.environ.get("LOCKSTEP_ROUNDS", "600"))
PRESETS = tuple(GAMES["paohuzi"].presets)


def test_every_question_answer_and_result_is_the_same_on_both_sides() -> None:
    pair = Pair()
    seen: Counter[str] = Counter()
    for number in range(ROUNDS):
        rng = random.Random(f"lockstep options {number}")
        preset = rng.choice(PRESETS)
        options = rigged.any_options(rng) if rng.random() < 0.8 else {}
        played = pair.play(round_of(f"lockstep {number}", preset, options, RIGS[number % len(RIGS)]))
        seen[f"end {played.how or played.end}"] += 1
        seen["dead hand"] += played.dead_hands
        seen.update(f"name {name}" for name in played.names)
        seen.update(action.partition(" ")[0] for _, action in played.actions)
    # The rigs do what they are for: all of this occurs, not only plain rounds that agree by being dull.
    ends = [f"end {how}" for how in ("draw", "zimo", "wall", "liang", "santi", "discard")]
    assert [
        what for what in (*ends, "hu", "peng", "chi", "pass", "discard", "dead hand") if not seen[what]
    ] == []
    assert sum(what.startswith("name ") for what in seen) >= 8


@pytest.mark.parametrize("rig", RIGS)
def test_a_rigged_round_is_the_same_each_time(rig: str) -> None:
    assert round_of("again", "876cc", {}, rig) == round_of("again", "876cc", {}, rig)
    assert len({round_of(f"{n}", "876cc", {}, rig).wall for n in range(5)}) == 5


def test_a_difference_is_named() -> None:
    with pytest.raises(Unequal, match="huxi: the engine says 1, scoring says 2, after some answers"):
        raise Unequal("huxi", 1, 2, "some answers")

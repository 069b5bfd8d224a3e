"""Two minds on the same rounds: whatever the engine plays, scoring recomputes from its record alone.

`DIFFERENTIAL_ROUNDS` sets how many rounds each test plays; without it 400.
"""

import os
import random
from typing import Any

import pytest

from engine import GAMES, Refusal
from engine.paohuzi.rules import OPTIONS
from engine.record import format_record
from services.launch.arena import play_round
from services.scoring.core.audit import audit_alone

ROUNDS = int(os.environ.get("DIFFERENTIAL_ROUNDS", "400"))
PRESETS = sorted(GAMES["paohuzi"].presets)
SETTLEMENT_OR_DISPLAY = {name for name, info in OPTIONS.items() if info.acts_in != "rules"}


def changed_options(rng: random.Random) -> dict[str, Any]:
    """Return one to six options at values drawn from all they can have."""
    chosen = rng.sample(sorted(set(OPTIONS) - SETTLEMENT_OR_DISPLAY), rng.randint(1, 6))
    return {name: _value(name, rng) for name in chosen}


def _value(name: str, rng: random.Random) -> Any:
    info = OPTIONS[name]
    if info.choices:
        return rng.choice(info.choices)
    if info.high:
        # Small values are the ones that occur; wins must stay possible for the rest to matter.
        high = min(info.high, 12 if name == "min_xi" else 20)
        return rng.randint(info.low, max(info.low, high))
    return rng.random() < 0.5


def assert_agreed(rules: Any, bots: tuple[str, str, str], number: int, rng: random.Random) -> str:
    record, is_kept = play_round(
        GAMES["paohuzi"],
        rules,
        bots,
        f"d-{number}/2",
        rng.randbytes(32),
        rng.randrange(3),
        rng.randrange(3) % rules.huangzhuang_change_after,
    )
    assert record is not None, f"round {number} did not end"
    assert is_kept, f"round {number} lost a card"
    verdict = audit_alone(format_record(record).encode())
    assert verdict.agreed, f"{rules.as_json()} round {number}: {verdict.reason}\n{format_record(record)}"
    return str(record.result["end"])


@pytest.mark.parametrize("preset", PRESETS)
def test_under_every_preset(preset: str) -> None:
    rng = random.Random(f"differential {preset}")
    rules = GAMES["paohuzi"].ruleset(preset)
    ends = [
        assert_agreed(rules, ("normal", "random", "normal"), number, rng)
        for number in range(ROUNDS // len(PRESETS))
    ]
    assert "hu" in ends


def test_under_options_at_other_values() -> None:
    rng = random.Random("differential options")
    wins = 0
    for number in range(ROUNDS):
        preset = rng.choice(PRESETS)
        try:
            rules = GAMES["paohuzi"].ruleset(preset, changed_options(rng))
        except Refusal:
            continue  # options in conflict, e.g. deng_first above min_xi: refused by name, nothing to play
        one, two, three = (rng.choice(["normal", "random"]) for _ in range(3))
        wins += assert_agreed(rules, (one, two, three), number, rng) == "hu"
    assert wins > ROUNDS // 20

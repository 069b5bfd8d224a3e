"""Halls of the real platform whose clocks wait for a slow machine, or hardly at all."""

from __future__ import annotations

import json
from pathlib import Path

from services.matchmaking.settings import HALLS

PATIENT = {
    "claim_pause_ms": 300,
    "turn_ms": 900_000,
    "claim_ms": 900_000,
    "nonce_ms": 120_000,
    "between_ms": 900_000,
    "seat_ms": 300_000,
}
"""No clock answers for a test that is slow, and no result moves on before it was looked at."""


QUICK = {
    "claim_pause_ms": 0,
    "turn_ms": 60,
    "claim_ms": 60,
    "nonce_ms": 1_000,
    "between_ms": 100,
    "seat_ms": 300_000,
}
"""Whole matches play themselves in seconds: nobody is waited for."""


def patient_halls(folder: Path) -> dict[str, str]:
    """Return the environment of a platform whose halls have all the rule sets and patient clocks."""
    return _halls(folder, PATIENT)


def quick_halls(folder: Path, rounds: int = 2) -> dict[str, str]:
    """Return the environment of a platform whose halls play short matches by themselves."""
    return _halls(folder, QUICK, rounds=rounds)


def _halls(folder: Path, timing: dict[str, int], **more: object) -> dict[str, str]:
    data = json.loads(HALLS.read_text("utf-8"))
    for level in data["levels"]:
        level["timing"] = timing
        level.update(more)
    file = folder / "halls.json"
    file.write_text(json.dumps(data), "utf-8")
    return {"PAIJU_MATCHMAKING_HALLS_FILE": str(file)}

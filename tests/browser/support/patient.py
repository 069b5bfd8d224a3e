"""Halls of the real platform whose clocks wait for a slow machine."""

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


def patient_halls(folder: Path) -> dict[str, str]:
    """Return the environment of a platform whose halls have all the rule sets and patient clocks."""
    data = json.loads(HALLS.read_text("utf-8"))
    for level in data["levels"]:
        level["timing"] = PATIENT
    file = folder / "halls.json"
    file.write_text(json.dumps(data), "utf-8")
    return {"PAIJU_MATCHMAKING_HALLS_FILE": str(file)}

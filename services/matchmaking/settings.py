"""Settings of matchmaking (`PAIJU_MATCHMAKING_*`)."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from services.chassis.config import ServiceSettings, prefixed
from services.matchmaking.core.halls import WATCH_DELAY_MS

HALLS = Path(__file__).parent / "halls.json"
ROOM_CARDS = Path(__file__).parent / "room_cards.json"


class MatchmakingSettings(ServiceSettings):
    """The halls, and how long things wait."""

    model_config = prefixed("PAIJU_MATCHMAKING_")

    halls_file: Path = HALLS
    """The halls as data: every preset at every level."""
    bots_after_ms: int = Field(default=8_000, ge=0, le=600_000)
    """After so long bots fill the seats."""
    match_every_ms: int = Field(default=500, ge=20, le=10_000)
    """How often an owner looks at its halls when nobody wakes it."""
    watch_delay_ms: int = Field(default=WATCH_DELAY_MS, ge=0, le=600_000)
    """Who watches a table of a hall is shown everything so much later, so that no viewer can help a seat."""
    room_minutes: int = Field(default=30, ge=1, le=24 * 60)
    """How long a room may wait for its people."""
    room_cards_file: Path = ROOM_CARDS
    """What rooms cost, as data: room cards by rounds, and to a score."""
    room_timing: str = '{"bank_ms":60000,"extend_ms":15000,"misses":3}'
    """Waits at the tables of rooms that differ from the game's, a JSON object as `TableSpec.timing_json`; the
    tables refuse one they can't use when a room is opened."""
    kick_minutes: int = Field(default=10, ge=1, le=24 * 60)
    """Who was sent away from a room may not come back for so long."""
    code_guesses_per_minute: int = Field(default=10, ge=1)
    """Rooms a player may look up, or try to join, that he is not in."""
    wrong_codes_per_s: float = Field(default=0.1, gt=0)
    wrong_codes_burst: float = Field(default=20.0, ge=1)
    """Codes of rooms that there are not, per address of players who call here by themselves, with whatever
    number of guests; the gateway has the like for all others."""
    writes_per_s: float = Field(default=2.0, gt=0)
    writes_burst: float = Field(default=10.0, ge=1)
    """Tickets and rooms made, per player."""
    protection: bool = True
    """Ask accounts who may play (docs/protection.md). False: nobody asks, for a system without accounts."""
    look_after_minutes: int = Field(default=10, ge=1)
    """A match that has not ended after so long is looked at, in case its end was missed."""
    keep_hours: int = Field(default=48, ge=1)
    """Tickets, rooms and matches that are over are forgotten after so long."""

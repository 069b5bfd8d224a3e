"""Settings of chat (`PAIJU_CHAT_*`)."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from services.chassis.config import ServiceSettings, prefixed

PHRASES = Path(__file__).parent / "phrases.json"


class ChatSettings(ServiceSettings):
    """How much may be said, and how long it is kept."""

    model_config = prefixed("PAIJU_CHAT_")

    phrases_file: Path = PHRASES
    """Ready-made phrases by key, with their texts."""
    messages_per_s: float = Field(default=0.5, gt=0)
    messages_burst: float = Field(default=5.0, ge=1)
    """Per player."""
    kept_per_channel: int = Field(default=50, ge=1, le=50)
    kept_hours: int = Field(default=24, ge=1)
    """The messages of a channel are forgotten so long after its last one."""
    members_s: float = Field(default=3.0, ge=0)
    """How long a table's members are remembered."""

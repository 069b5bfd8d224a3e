"""Settings of table (`PAIJU_TABLE_*`)."""

from __future__ import annotations

from pydantic import Field

from services.chassis.config import ServiceSettings, prefixed


class TableSettings(ServiceSettings):
    """What an operator may change."""

    model_config = prefixed("PAIJU_TABLE_")

    games: tuple[str, ...] = ("paohuzi",)
    """Games that tables are opened for; the engine may know more than the page and the auditor do. A table
    that runs already plays on."""
    grace_ms: int = Field(default=5_000, ge=0, le=600_000)
    """Every deadline is at least so long after a takeover."""

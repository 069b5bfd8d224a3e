"""Settings of economy (`PAIJU_ECONOMY_*`)."""

from __future__ import annotations

from pydantic import Field

from services.chassis.config import ServiceSettings, prefixed
from services.economy.core.money import COINS_MAX


class EconomySettings(ServiceSettings):
    """What an operator may decide about money."""

    model_config = prefixed("PAIJU_ECONOMY_")

    welcome_gold: int = Field(default=20_000, ge=0, le=COINS_MAX)
    """Granted once to a new player; 0 = none."""
    house_float: int = Field(default=1_000_000, ge=1, le=COINS_MAX)
    """What the issuer gives the house whenever it can't pay a bot's buy-in."""
    grant_max: int = Field(default=1_000_000, ge=1, le=COINS_MAX)
    """The largest single reward."""
    settle_batch: int = Field(default=200, ge=1, le=2_000)
    """Audits settled in one transaction at most."""
    settle_linger_ms: int = Field(default=5, ge=0, le=1_000)
    """How long a batch of audits may wait to fill up."""

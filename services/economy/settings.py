"""Settings of economy (`PAIJU_ECONOMY_*`)."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, Self

from pydantic import Field, SecretStr, model_validator

from services.chassis.config import ServiceSettings, prefixed
from services.economy.core.money import COINS_MAX
from services.economy.core.relief import PER_DAY_MAX, DayCaps, ReliefTerms
from services.economy.providers.signing import KEY_CHARACTERS_MIN, KEYS_MAX


class EconomySettings(ServiceSettings):
    """What an operator may decide about money."""

    model_config = prefixed("PAIJU_ECONOMY_")

    welcome_gold: int = Field(default=20_000, ge=0, le=COINS_MAX)
    """Granted once to a new player; 0 = none."""
    welcome_room_cards: int = Field(default=20, ge=0, le=10_000)
    """Room cards that come with it; 0 = none."""
    house_float: int = Field(default=1_000_000, ge=1, le=COINS_MAX)
    """What the issuer gives the house whenever it can't pay a bot's buy-in."""
    grant_max: int = Field(default=1_000_000, ge=1, le=COINS_MAX)
    """The largest single reward."""
    relief_gold: int = Field(default=3_000, ge=0, le=COINS_MAX)
    """Relief (救济) that one claim brings; 0 = there is none."""
    relief_below: int = Field(default=3_000, ge=0, le=COINS_MAX)
    """Relief is for who has less gold than this, in wallet and open stakes together."""
    relief_per_day: int = Field(default=3, ge=0, le=PER_DAY_MAX)
    """Claims a day (`services/chassis/days.py`)."""
    daily_win_cap: int = Field(default=0, ge=0, le=COINS_MAX)
    """Who has won so much gold today, fees deducted, takes no new seat at a coin table; 0 = no limit."""
    daily_loss_cap: int = Field(default=0, ge=0, le=COINS_MAX)
    """Who has lost so much gold today, fees included, takes no new seat, adds to no stake; 0 = no limit."""
    settle_batch: int = Field(default=200, ge=1, le=2_000)
    """Audits settled in one transaction at most."""
    settle_linger_ms: int = Field(default=5, ge=0, le=1_000)
    """How long a batch of audits may wait to fill up."""
    proof_every_s: int = Field(default=3_600, ge=0, le=86_400)
    """The book is proven so often, by one process; 0 = never."""
    proof_whole_every_s: int = Field(default=86_400, ge=0, le=30 * 86_400)
    """And the whole of it so often; in between, what is new."""
    proof_grace_s: int = Field(default=900, ge=1, le=86_400)
    """A round that ended less long ago may be on its way to its settlement: it is no finding yet."""

    topup_provider: Literal["", "sandbox"] = ""
    """Who takes money for gems; empty = nothing can be bought. The sandbox needs `PAIJU_DEV`."""
    topup_keys: tuple[SecretStr, ...] = ()
    """Keys of the provider's webhooks, at least 32 characters, the one in use first; two while they are
    changed; JSON."""
    topup_order_minutes: int = Field(default=30, ge=1, le=24 * 60)
    """How long an order can be paid."""
    topup_open_max: int = Field(default=5, ge=1, le=100)
    """Orders of one player that may be open at a time."""
    topup_ask_after_s: float = Field(default=30.0, gt=0, le=3600)
    """So long after it was made an order is first asked about: by then its webhook has come, or is lost."""
    topup_look_s: float = Field(default=5.0, gt=0, le=600)
    """How often it is looked which orders the provider is to be asked about."""
    topup_products: Path | None = None
    """JSON file of products, promotions and packs; None = those that ship (`topup_products.json`)."""
    sandbox_hook_url: str = ""
    """Where the sandbox sends its webhooks: `https://play.example/hooks/pay/sandbox`. `paiju up` knows it."""

    @model_validator(mode="after")
    def _topups_are_whole(self) -> Self:
        keys = [key.get_secret_value() for key in self.topup_keys]
        if self.topup_provider and not 1 <= len(keys) <= KEYS_MAX:
            raise ValueError(f"PAIJU_ECONOMY_TOPUP_KEYS: one or {KEYS_MAX} keys are needed")
        if any(len(key) < KEY_CHARACTERS_MIN for key in keys):
            raise ValueError(f"PAIJU_ECONOMY_TOPUP_KEYS: one is shorter than {KEY_CHARACTERS_MIN} characters")
        return self

    @property
    def day_caps(self) -> DayCaps:
        """The daily caps as one value."""
        return DayCaps(self.daily_win_cap, self.daily_loss_cap)

    @property
    def relief(self) -> ReliefTerms:
        """The terms of relief as one value."""
        return ReliefTerms(self.relief_gold, self.relief_below, self.relief_per_day)

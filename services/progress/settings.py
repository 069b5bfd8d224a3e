"""Settings of progress (`PAIJU_PROGRESS_*`)."""

from __future__ import annotations

from pydantic import Field, field_validator

from services.chassis.config import ServiceSettings, prefixed
from services.progress.core.streak import REWARDS


class ProgressSettings(ServiceSettings):
    """What an operator may decide about rewards."""

    model_config = prefixed("PAIJU_PROGRESS_")

    sign_in_rewards: tuple[int, ...] = REWARDS
    """Gold of the days of a streak, JSON list; after the last day it begins again."""
    provisional_rounds: int = Field(default=30, ge=0, le=10_000)
    """Rated rounds below which a rating is provisional."""
    batch: int = Field(default=200, ge=1, le=2_000)
    """Settled rounds counted in one transaction at most."""

    @field_validator("sign_in_rewards")
    @classmethod
    def _rewards_are_positive(cls, rewards: tuple[int, ...]) -> tuple[int, ...]:
        if not 1 <= len(rewards) <= 31 or any(not 1 <= reward <= 1_000_000 for reward in rewards):
            raise ValueError("1 to 31 rewards from 1 to 1,000,000")
        return rewards

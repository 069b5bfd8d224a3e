"""Settings of scoring (`PAIJU_SCORING_*`)."""

from __future__ import annotations

from pydantic import Field

from services.chassis.config import ServiceSettings, prefixed


class ScoringSettings(ServiceSettings):
    """What an operator may decide about audits."""

    model_config = prefixed("PAIJU_SCORING_")

    processes: int = Field(default=0, ge=0, le=64)
    """Processes that audit; 0 = a thread of this one (enough for some hundred rounds a second)."""
    batch: int = Field(default=32, ge=1, le=500)
    """Facts taken at a time."""
    opening_wait_ms: int = Field(default=600_000, ge=0, le=3_600_000)
    """How long a finished round may wait for its RoundOpened (then it is disputed) and for the round
    before (then dealer and nonces are not checked against it).

    Many times what a redelivery takes: an opening that a killed scoring had in its hands comes again after
    60 s, and must not become a dispute."""
    calls_at_once: int = Field(default=16, ge=1, le=1_000)
    """ScoreHand and AuditRecord that may wait for the processor; more are refused."""

"""Settings of table (`PAIJU_TABLE_*`)."""

from __future__ import annotations

from pydantic import Field

from services.chassis.config import ServiceSettings, prefixed


class TableSettings(ServiceSettings):
    """What an operator may change."""

    model_config = prefixed("PAIJU_TABLE_")

    games: tuple[str, ...] = ("paohuzi", "doudizhu", "kawuxing", "qinghunpeng")
    """Games that tables are opened for: those of the engine whose rounds scoring can audit. A table that runs
    already plays on."""
    bot_processes: int = Field(default=1, ge=0, le=64)
    """Processes in which bots that need long think; the first starts with the first such bot. 0 = on the loop
    that serves the tables."""
    protection: bool = True
    """Ask accounts who may sit down and play on (docs/protection.md). False: nobody asks, for a system
    without accounts."""
    standby: bool = True
    """Read along the logs of shards that would be ours if their owner died, so that its tables stand still
    hardly longer than its lease lasts (docs/adr/0033-who-may-own-a-shard-reads-along.md)."""
    log_kept: int = Field(default=0, ge=0, le=10_000_000)
    """So many messages of a log are kept beyond those that its tables are made from, for whoever copies it (a
    mirror, an audit) and is behind."""
    record_days: int = Field(default=180, ge=0, le=36_500)
    """Finished rounds are kept so long (docs/replays.md); 0 = for ever."""
    favourite_days: int = Field(default=1_095, ge=0, le=36_500)
    """The same for rounds that are anybody's favourite, never shorter than `record_days`; 0 = for ever."""
    like_days: int = Field(default=180, ge=1, le=36_500)
    """Likes of plays are kept so long."""
    grace_ms: int = Field(default=5_000, ge=0, le=600_000)
    """Every deadline is at least so long after a takeover."""

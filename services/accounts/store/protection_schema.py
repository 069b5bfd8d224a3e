"""The tables of protection, in the database of accounts."""

from __future__ import annotations

from sqlalchemy import BigInteger, Boolean, Column, Index, Integer, LargeBinary, Table, Text

from services.accounts.store.schema import metadata

protection = Table(
    "protection",
    metadata,
    Column("player_id", Text, primary_key=True),
    Column("band", Integer, nullable=False),
    Column("day_minutes", BigInteger, nullable=False),
    Column("day_loss", BigInteger, nullable=False),
    Column("next_minutes", BigInteger, nullable=False),
    Column("next_minutes_at_ms", BigInteger, nullable=False),
    Column("next_loss", BigInteger, nullable=False),
    Column("next_loss_at_ms", BigInteger, nullable=False),
    Column("excluded_until_ms", BigInteger, nullable=False),
    Column("touched_ms", BigInteger, nullable=False),
)
"""What players have set (`core.protection.Own`). Triggers refuse to shorten an exclusion or delete a row."""

keys = Table(
    "protection_keys",
    metadata,
    Column("key_hash", LargeBinary, primary_key=True),
    Column("player_id", Text, nullable=False),
)
"""By the hash of a way in: whose protection goes on for whoever comes in by it. Outlives the player."""

rounds = Table(
    "protection_rounds",
    metadata,
    Column("round_id", Text, primary_key=True),
    Column("opened_at_ms", BigInteger, nullable=False),
    Column("ended_at_ms", BigInteger, nullable=False),
    Column("players", Text, nullable=False),
    Column("is_timed", Boolean, nullable=False),
    Column("is_settled", Boolean, nullable=False),
    Column("at_ms", BigInteger, nullable=False),
    Index("protection_rounds_at", "at_ms"),
)
"""What was heard of rounds, 0 or empty = not yet; `is_timed`, `is_settled`: counted, so never again."""

days = Table(
    "protection_days",
    metadata,
    Column("player_id", Text, primary_key=True),
    Column("day", Integer, primary_key=True),
    Column("played_ms", BigInteger, nullable=False),
    Column("net", BigInteger, nullable=False),
    Index("protection_days_day", "day"),
)

warnings = Table(
    "protection_warnings",
    metadata,
    Column("player_id", Text, primary_key=True),
    Column("day", Integer, primary_key=True),
    Column("reason", Text, primary_key=True),
    Index("protection_warnings_day", "day"),
)
"""Who was told that his time ends, for which end: one telling each."""

"""The tables of accounts."""

from __future__ import annotations

from sqlalchemy import BigInteger, Boolean, Column, Index, LargeBinary, MetaData, Table, Text

from services.chassis.outbox import outbox_table

metadata = MetaData()

players = Table(
    "players",
    metadata,
    Column("player_id", Text, primary_key=True),
    Column("nickname", Text, nullable=False),
    Column("avatar", Text, nullable=False),
    Column("created_at_ms", BigInteger, nullable=False),
    Column("version", BigInteger, nullable=False),
    Column("network", Text, nullable=False),
    Column("welcome", Boolean, nullable=False),
    Index("players_network", "network", "created_at_ms"),
)
"""`network`: where he was made from, for the limits only."""

device_keys = Table(
    "device_keys",
    metadata,
    Column("public_key", LargeBinary, primary_key=True),
    Column("player_id", Text, nullable=False),
    Column("created_at_ms", BigInteger, nullable=False),
)

challenges = Table(
    "challenges",
    metadata,
    Column("challenge", LargeBinary, primary_key=True),
    Column("public_key", LargeBinary, nullable=False),
    Column("expires_at_ms", BigInteger, nullable=False),
    Index("challenges_expiry", "expires_at_ms"),
)

sessions = Table(
    "sessions",
    metadata,
    Column("session_id", Text, primary_key=True),
    Column("player_id", Text, nullable=False),
    Column("device", Text, nullable=False),
    Column("refresh_hash", LargeBinary, nullable=False),
    Column("refresh_expires_at_ms", BigInteger, nullable=False),
    Column("created_at_ms", BigInteger, nullable=False),
    Column("revoked_at_ms", BigInteger),
    Index("sessions_player", "player_id"),
    Index("sessions_expiry", "refresh_expires_at_ms"),
)

outbox = outbox_table(metadata)

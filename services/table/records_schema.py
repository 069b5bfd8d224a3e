"""The tables of what people make of finished rounds."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Index, Table, Text, UniqueConstraint

from services.table.store import metadata

favourites = Table(
    "favourites",
    metadata,
    Column("player_id", Text, primary_key=True),
    Column("round_id", Text, primary_key=True),
    Column("note", Text, nullable=False),
    Column("at_ms", BigInteger, nullable=False),
    Index("favourites_round", "round_id"),
)

shares = Table(
    "shares",
    metadata,
    Column("token", Text, primary_key=True),
    Column("round_id", Text, nullable=False),
    Column("player_id", Text, nullable=False),
    Column("seat", BigInteger, nullable=False),
    Column("created_at_ms", BigInteger, nullable=False),
    Column("expires_at_ms", BigInteger, nullable=False),
    UniqueConstraint("player_id", "round_id", "seat", name="shares_of_a_round"),
    Index("shares_round", "round_id"),
)
